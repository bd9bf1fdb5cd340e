//! Sparse domains against sets of indices.

use std::collections::BTreeSet;

use layout_domain::{
    Block, BlockCyclic, CompressedRows, Cyclic, Domain, DomainError, DomainMap, SparseDomain, StridedRange, Targets,
};
use proptest::prelude::*;

/// A domain with strides, each dimension in its own direction, and some of its indices.
fn some() -> impl Strategy<Value = (Domain<2>, Vec<Vec<[i64; 2]>>)> {
    let side = (-9..9_i64, 1..12_i64, prop_oneof![-3..-1_i128, 1..4_i128]);
    let dims = (side.clone(), side).prop_map(|(a, b)| {
        let range = |(low, len, stride)| StridedRange::from(low..low + 2 * len).by(stride).unwrap();
        Domain::new([range(a), range(b)])
    });
    dims.prop_flat_map(|domain| {
        let index = (0..domain.len()).prop_map(move |order| domain.at(order).unwrap());
        (Just(domain), prop::collection::vec(prop::collection::vec(index, 0..30), 0..4))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn sparse_domains_are_sets_in_the_order_of_their_parent((domain, steps) in some(), locales in 1..5_usize) {
        let (mut sparse, mut set) = (SparseDomain::new(&domain), BTreeSet::new());
        for (number, step) in steps.iter().enumerate() {
            // By their orders in the parent, so that the set is in that order, too.
            let orders: BTreeSet<usize> = step.iter().map(|at| domain.order(*at).unwrap()).collect();
            let before = set.len();
            if number % 3 == 2 {
                let gone = sparse.remove(step.iter().copied());
                set = &set - &orders;
                prop_assert_eq!(gone, before - set.len());
            } else {
                let added = sparse.insert(step.iter().copied()).unwrap();
                set = &set | &orders;
                prop_assert_eq!(added, set.len() - before);
            }
            let all: Vec<[i64; 2]> = set.iter().map(|order| domain.at(*order).unwrap()).collect();
            prop_assert!(sparse.iter().eq(all.iter().copied()));
            prop_assert_eq!((sparse.len(), sparse.is_empty(), sparse.parent()), (all.len(), all.is_empty(), &domain));
            let rows = CompressedRows::of(&sparse);
            prop_assert_eq!(&rows.to_sparse(), &sparse);
            prop_assert_eq!(rows.starts().len(), domain.dims()[0].len() + 1);
            for at in domain.expand([2, 2]).unwrap() {
                let order = all.iter().position(|other| *other == at);
                prop_assert_eq!((sparse.order(at), sparse.contains(at), rows.order(at)), (order, order.is_some(), order));
                let in_row = rows.row(at[0]).map(|columns| columns.contains(&at[1]));
                prop_assert_eq!(in_row, domain.dims()[0].contains(at[0]).then_some(order.is_some()));
            }
            prop_assert!((0..=all.len()).all(|order| sparse.at(order) == all.get(order).copied()));
            // What a locale has of a sparse domain is what it has of the parent.
            let targets = || Targets::<2>::all(locales).unwrap();
            let maps: [Box<dyn DomainMap<2>>; 3] = [
                Box::new(Block::over(&domain, targets()).unwrap()),
                Box::new(Cyclic::new([0, 0], targets())),
                Box::new(BlockCyclic::new([0, 0], [2, 3], targets()).unwrap()),
            ];
            for map in &maps {
                for locale in 0..locales {
                    let own = all.iter().copied().filter(|at| map.owner(*at, 0) == Some(locale));
                    prop_assert!(sparse.local(&**map, locale).iter().eq(own));
                }
            }
            let half = domain.by([2, 1]).unwrap();
            let expected = all.iter().copied().filter(|at| half.contains(*at));
            prop_assert!(sparse.intersect(&half).iter().eq(expected));
        }
    }
}

#[test]
fn an_index_outside_the_parent_changes_nothing() {
    let parent = Domain::new([0..=9, 0..=9]).by([2, 1]).expect("strides");
    let mut sparse = SparseDomain::new(&parent);
    assert_eq!(sparse.insert([[4, 4]]), Ok(1));
    let error = sparse.insert([[2, 2], [3, 3]]).expect_err("3 is odd");
    assert!(matches!(error, DomainError::NotInParent { .. }));
    assert_eq!(
        error.to_string(),
        "index [3, 3] is not in {0..=9 by 2, 0..=9}, whose indices a sparse domain has some of"
    );
    assert!(sparse.iter().eq([[4, 4]]));
    assert_eq!(sparse.remove([[3, 3], [2, 2]]), 0);
}

/// The blocks of the parent are so many that no list of them fits in memory.
#[test]
fn parts_of_a_locale_take_one_question_an_index() {
    let parent = Domain::new([0..1_000_000_i64, 0..1_000_000]);
    let map = BlockCyclic::new([0, 0], [2, 3], Targets::all(4).expect("locales")).expect("blocks");
    let mut sparse = SparseDomain::new(&parent);
    sparse.insert((0..100_000).map(|k| [k * 7 % 1_000_000, k * 13 % 1_000_000])).expect("indices of the parent");
    let parts: Vec<_> = (0..4).map(|locale| sparse.local(&map, locale)).collect();
    assert_eq!(parts.iter().map(SparseDomain::len).sum::<usize>(), sparse.len());
    for (locale, part) in parts.iter().enumerate() {
        assert!(!part.is_empty() && part.iter().all(|index| map.owner(index, 0) == Some(locale)));
    }
}
