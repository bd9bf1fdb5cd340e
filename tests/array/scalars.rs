//! Arrays without dimensions: one element.

use layout_array::{Array, ArrayError, HaloArray, Scan, SparseArray};
use layout_domain::{Block, Cyclic, Domain, SparseDomain, Stencil, Targets};
use layout_store::Sum;

use crate::{LOCALES, builder, on};

#[test]
fn arrays_without_dimensions_have_one_element() {
    for locales in LOCALES {
        let seen = on(builder(locales), locales, |rt, locales| {
            let point = Domain::<0>::new([0..1; 0]);
            let last = || Targets::<0>::grid([], [locales - 1]);
            let first = || Targets::<0>::grid([], [0]);
            let mut a: Array<i64, 0> = Array::filled(rt, &point, Cyclic::new([], first()?), 7)?;
            let mut b: Array<i64, 0> = Array::from_values(rt, &point, Block::over(&point, last()?)?, &[5])?;
            let mut told = vec![a.get([])?];
            b.scan_from(&a, Scan::exclusive(Sum))?;
            told.push(b.get([])?);
            b.scan_from(&a, Scan::inclusive(Sum))?;
            told.push(b.get([])?);
            let refused = b.scan_from(&a, Scan::inclusive(Sum).along(0));
            assert!(matches!(refused, Err(ArrayError::Axis { axis: 0, rank: 0 })), "{refused:?}");
            b.read_text(0, &mut "12 ".as_bytes())?;
            let mut text = Vec::new();
            b.write_text(locales - 1, &mut text)?;
            assert_eq!(text, if rt.locale() == locales - 1 { &b"12\n"[..] } else { b"" });
            b.update().zip(a.read()).for_each(|_, (mut b, a)| b.update(|b| b + a.load([])))?;
            a.swap(&mut b)?;
            a.at_owner([], |value| value + 1)?;
            told.extend([a.sum()?.get()?, a.dot(&b)?.get()?, b.to_vec()?[0]]);
            let halo: HaloArray<i64, 0> =
                HaloArray::filled(rt, &point, Stencil::new(Block::over(&point, last()?)?, []).periodic(), 4)?;
            halo.update_halo()?;
            a.write().zip(halo.read_halo()).for_each(|_, (mut a, halo)| a.set([], halo.load([])))?;
            a.redistribute(Cyclic::new([], last()?))?;
            told.push(a.to_vec()?[0]);
            Ok(told)
        });
        assert_eq!(seen, vec![vec![7, 0, 7, 20, 140, 7, 4]; locales], "{locales} locales");
    }
}

#[test]
fn sparse_arrays_without_dimensions_have_one_element_or_none() {
    for locales in LOCALES {
        let seen = on(builder(locales), locales, |rt, locales| {
            let point = Domain::<0>::new([0..1; 0]);
            let last = || Ok::<_, ArrayError>(Cyclic::<0>::new([], Targets::grid([], [locales - 1])?));
            let none: SparseArray<i64, 0> = SparseArray::new(rt, &SparseDomain::new(&point), last()?, 7)?;
            let mut told = vec![none.len() as i64, none.get([])?];
            // Each locale knows the element.
            let mut one: SparseArray<i64, 0> =
                SparseArray::from_entries(rt, &point, last()?, 0, [([], 5)], |a, b| a + b)?;
            told.extend([one.len() as i64, one.get([])?]);
            one.put([], 3)?;
            one.update().for_each(|_, (mut part,)| part.update(|value| value + 1))?;
            told.push(one.get([])?);
            one.remove([[]])?;
            told.extend([one.len() as i64, one.get([])?]);
            one.insert([[]])?;
            assert_eq!(one.to_vec()?, [([], 0)]);
            Ok(told)
        });
        assert_eq!(seen, vec![vec![0, 7, 1, 5 * locales as i64, 4, 0, 0]; locales], "{locales} locales");
    }
}
