//! Slices, other indices, and fewer dimensions: the same elements, where they were.

use layout::SoA;
use layout_array::{Array, ArrayError};
use layout_domain::{Domain, Index, Pick};
use layout_store::{Dim, StoreRank, Traffic};

use super::spaces::Space;
use super::spreads::{Spread, value, wide};
use super::{Case, Topic, everywhere};

struct Views;

/// The positions of the array that a view shows, in the order of the view.
type Shown = Vec<usize>;

impl Topic for Views {
    const NAME: &'static str = "views";

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        let (domain, indices) = (&space.domain, &space.indices);
        let positions = |is: &dyn Fn(&[i64; N]) -> bool| -> Shown {
            indices.iter().enumerate().filter(|(_, at)| is(at)).map(|(number, _)| number).collect()
        };
        let middle = space.sides.map(|(first, step, count)| first + count / 2 * step);
        let odd = |at: &[i64; N]| at.iter().zip(space.sides).all(|(at, (first, step, _))| (at - first) / step % 2 == 0);
        for (at, spread) in space.spreads.iter().enumerate() {
            // Half of the views, and the others on the next number of locales.
            let first_half = (at + rt.locales() / 2) % 2 == 0;
            let array: Array<i64, N, SoA, I> = spread.of(rt, domain)?;
            let every_other = domain.by([2; N])?;
            // A slice by a domain that goes the other way shows the elements in its order.
            let (sliced, sent) = case.sent(|| array.slice(&every_other))?;
            case.equal(spread.name, "sent to slice", sent, Traffic::default());
            if first_half {
                aliased(case, spread, "a slice", &array, &sliced, positions(&odd))?;
            } else {
                let backward = array.slice(&domain.by([-1; N])?)?;
                let all: Shown = (0..indices.len()).rev().collect();
                aliased(case, spread, "a slice that goes backward", &array, &backward, all)?;
                let of_slice = backward.slice(&every_other)?;
                aliased(case, spread, "a slice of that", &array, &of_slice, positions(&odd))?;
            }

            // Other indices in the same type: from 1 on, two apart.
            let shape = every_other.shape();
            let named = Domain::new(shape.map(|len| {
                let end = i64::try_from(2 * len).expect("small");
                let [low, high] = [1, end].map(|at| I::narrow(at.into()).expect("a small index"));
                layout_domain::StridedRange::from(low..=high).by(2).expect("a stride")
            }));
            let ((renamed, fewer), sent) = case.sent(|| {
                // The last dimension stays, at the middle of the others; of one dimension nothing is left but an element.
                let renamed = sliced.reindex(&named)?;
                let fewer: Array<i64, Q, SoA, I> = array.pick(core::array::from_fn(|dim| match dim {
                    0 => Pick::Index(Space::<N, I>::narrow(middle)[0]),
                    _ => Pick::All,
                }))?;
                Ok((renamed, fewer))
            })?;
            case.equal(spread.name, "sent for other indices, and fewer dimensions", sent, Traffic::default());
            case.equal(spread.name, "other indices", renamed.domain(), &named);
            if first_half {
                aliased(case, spread, "a slice under other indices", &array, &renamed, positions(&odd))?;
            }
            if !indices.is_empty() {
                let plane = positions(&|at| at[0] == middle[0]);
                if !first_half {
                    aliased(case, spread, "an index of the first dimension", &array, &fewer, plane.clone())?;
                }
                let named: Domain<Q, I> = super::spaces::domain_of(
                    fewer.domain().shape().map(|len| (3, 1, i64::try_from(len).expect("small"))),
                );
                let composed = fewer.reindex(&named)?.slice(&named.by([-1; Q])?)?;
                let back: Shown = plane.into_iter().rev().collect();
                if first_half {
                    let what = "an index of the first dimension, under other indices, backward";
                    aliased(case, spread, what, &array, &composed, back)?;
                }
                let none = array.pick::<Q>(core::array::from_fn(|dim| match dim {
                    0 => Pick::Index(I::MIN),
                    _ => Pick::All,
                }));
                let none = none.and_then(|none| none.to_vec());
                case.check(spread.name, none.ok().is_none_or(|none| none.is_empty() && N > 1), || {
                    "elements of no index".to_owned()
                });
            }
            // Dimensions in part, none of them left out.
            if !first_half {
                let ranges = array.pick::<N>(every_other.dims().map(Pick::Range))?;
                aliased(case, spread, "ranges", &array, &ranges, positions(&odd))?;
            }
        }
        Ok(())
    }
}

/// Checks a view of an array: it shows these elements, where the array has them, and what is written through it is in the array.
fn aliased<const N: usize, const V: usize, I: Index>(
    case: &Case<'_, N, I>,
    spread: &Spread<N, I>,
    what: &str,
    array: &Array<i64, N, SoA, I>,
    view: &Array<i64, V, SoA, I>,
    shown: Shown,
) -> Result<(), ArrayError>
where
    Dim<N>: StoreRank,
    Dim<V>: StoreRank,
{
    let Case { rt, space, .. } = case;
    let mut expected: Vec<i64> = space.indices.iter().copied().map(value).collect();
    let of = |expected: &[i64]| shown.iter().map(|number| expected[*number]).collect::<Vec<_>>();
    case.equal(spread.name, format_args!("elements of {what}"), view.to_vec()?, of(&expected));
    let owners: Vec<_> = view.domain().iter().map(|at| view.owner(at)).collect();
    let expected_owners: Vec<_> = shown.iter().map(|number| Some((spread.owner)(space.indices[*number]))).collect();
    case.equal(spread.name, format_args!("owners of {what}"), &owners, &expected_owners);
    let local: usize = view.local(rt.locale()).iter().map(Domain::len).sum();
    let own = expected_owners.iter().filter(|owner| **owner == Some(rt.locale())).count();
    case.equal(spread.name, format_args!("local elements of {what}"), local, own);
    // Loops over a view run where its elements lie.
    let ((), sent) = case.sent(|| {
        view.update().for_each(|_, (mut part,)| part.update(|value| value + 1))?;
        Ok(())
    })?;
    case.equal(spread.name, format_args!("sent to change {what}"), sent, Traffic::default());
    shown.iter().for_each(|number| expected[*number] += 1);
    // Single elements, by the indices of the view.
    if let (Some(at), Some(number)) = (view.domain().last(), shown.last()) {
        case.equal(spread.name, format_args!("the last element of {what}"), view.get(at)?, expected[*number]);
        view.put(at, 77)?;
        expected[*number] = 77;
    }
    case.equal(spread.name, format_args!("elements after a change of {what}"), array.to_vec()?, &expected[..]);
    let local = view.read_local(|parts| parts.iter().flat_map(|(_, view)| view.to_vec()).collect::<Vec<_>>())?;
    let mut local = local;
    let mut own: Vec<i64> = shown
        .iter()
        .zip(&expected_owners)
        .filter(|(_, owner)| **owner == Some(rt.locale()))
        .map(|(number, _)| expected[*number])
        .collect();
    local.sort_unstable();
    own.sort_unstable();
    case.equal(spread.name, format_args!("what this locale sees of {what}"), local, own);
    array.fill_from_fn(|at| value(wide(at)))
}

#[test]
fn views_show_the_same_elements_where_they_lie() {
    everywhere::<Views>();
}
