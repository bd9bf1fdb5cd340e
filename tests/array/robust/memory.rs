//! What locales have memory for, and what is sent for a halo.

use layout::AoS;
use layout_array::{Array, ArrayError};
use layout_domain::Index;
use layout_store::{Dim, StoreRank};

use super::{Case, Topic, everywhere};

/// A locale has memory for its elements and no others, however they are loops over, zipped, and seen.
struct Memory;

impl Topic for Memory {
    const NAME: &'static str = "memory";

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        for spread in space.spreads.iter().filter(|spread| spread.stencil.is_none()) {
            // Records of 12 bytes, one after another: whatever is dense has no byte more.
            let array: Array<[i32; 3], N, AoS, I> = spread.new(rt, &space.domain)?;
            let beside: Array<[i32; 3], N, AoS, I> = spread.new(rt, &space.domain)?;
            array.fill([1, 2, 3])?;
            beside.write().zip(array.read()).for_each(|_, (mut beside, array)| Ok(beside.copy_from(&array)?))?;
            array.update().for_each(|_, (mut part,)| part.update(|[a, b, c]| [b, c, a]))?;
            array.slice(&space.domain.by([-2; N])?)?.fill([4, 5, 6])?;
            array.read_local(|parts| drop(parts))?;
            rt.fence()?;
            let own = space.indices.iter().filter(|at| (spread.owner)(**at) == rt.locale()).count();
            for (what, array) in [("the array", &array), ("another one", &beside)] {
                let memory = rt.memory().of(array.store());
                // With one locale, memory is for all.
                let found = memory.map(|memory| (memory.home, memory.margin, memory.cache));
                case.equal(spread.name, format_args!("bytes of {what}: home, margin, cache"), found, Some((12 * own, 0, 0)));
            }
        }
        Ok(())
    }
}

#[test]
fn a_locale_has_memory_for_its_own_elements() {
    everywhere::<Memory>();
}
