//! Random programs, run on a `RecordVec` and on a `Vec`.

use layout::options::LeafAligned;
use layout::{Aligned, AoS, AoSoA, Packed, RecordLayout, RecordVec, SoA, SoASingle, View};
use proptest::prelude::*;

use super::{Nested, Sample, Strict};

/// One method, and three numbers to make its arguments of.
type Op = (u8, u16, u16, u16);

/// As many as there are in `step`.
const METHODS: u8 = 35;

fn step<R: Sample, L: RecordLayout<R> + Default>(
    (method, a, b, seed): Op,
    vec: &mut RecordVec<R, L>,
    model: &mut Vec<R>,
) {
    let value = R::sample(seed);
    let len = model.len();
    // An index, one that may be the length, and a range.
    let within = usize::from(a) % len.max(1);
    let upto = usize::from(a) % (len + 1);
    let end = upto + usize::from(b) % (len + 1 - upto);
    let some: Vec<R> = (0..b % 20).map(|k| R::sample(seed.wrapping_add(k))).collect();
    match method {
        0..=5 => {
            vec.push(value);
            model.push(value);
        }
        6 => assert_eq!(vec.pop(), model.pop()),
        7 => {
            vec.insert(upto, value);
            model.insert(upto, value);
        }
        8 if len > 0 => assert_eq!(vec.remove(within), model.remove(within)),
        9 if len > 0 => assert_eq!(vec.swap_remove(within), model.swap_remove(within)),
        10 if len > 0 => {
            let other = usize::from(b) % len;
            vec.swap(within, other);
            model.swap(within, other);
        }
        11 => {
            vec.truncate(usize::from(a) % (len + 3));
            model.truncate(usize::from(a) % (len + 3));
        }
        12 if a % 8 == 0 => {
            vec.clear();
            model.clear();
        }
        13 => {
            let to = usize::from(a) % (2 * len + 4);
            vec.resize(to, value);
            model.resize(to, value);
        }
        14 => {
            vec.reserve(usize::from(a % 100));
            assert!(vec.capacity() >= len + usize::from(a % 100));
        }
        15 => {
            vec.reserve_exact(usize::from(a % 100));
            assert!(vec.capacity() >= len + usize::from(a % 100));
        }
        16 => {
            vec.shrink_to_fit();
            assert_eq!(vec.capacity(), len);
        }
        17 => {
            vec.retain(|r| r.key() != value.key());
            model.retain(|r| r.key() != value.key());
        }
        18 => {
            vec.sort_by(|x, y| x.key().cmp(&y.key()));
            model.sort_by_key(Sample::key);
        }
        19 => {
            vec.sort_by_key(Sample::key);
            model.sort_by_key(Sample::key);
            let (found, expected) = (
                vec.binary_search_by_key(&value.key(), Sample::key),
                model.binary_search_by_key(&value.key(), Sample::key),
            );
            // Of several, another may be found.
            assert_eq!(found.is_ok(), expected.is_ok());
            match found {
                Ok(index) => assert_eq!(model[index].key(), value.key()),
                Err(_) => assert_eq!(found, expected),
            }
            assert_eq!(
                vec.partition_point(|record| record.key() < value.key()),
                model.partition_point(|record| record.key() < value.key())
            );
            vec.reverse();
            model.reverse();
        }
        20 => {
            vec.dedup();
            model.dedup();
        }
        21 => {
            vec.dedup_by_key(|r| r.key());
            model.dedup_by_key(|r| r.key());
        }
        22 => {
            vec.extend(some.iter().copied());
            model.extend(some);
        }
        23 => {
            // Promises nothing.
            vec.extend(some.iter().filter(|r| r.key() % 2 == 0));
            model.extend(some.iter().filter(|r| r.key() % 2 == 0));
        }
        24 => {
            vec.extend_from_slice(&some);
            model.extend_from_slice(&some);
        }
        25 => {
            let other: RecordVec<R, AoS> = some.iter().collect();
            vec.extend_from_view(&other.as_view().slice((layout::step(.., -1),)));
            model.extend(some.iter().rev());
        }
        26 => {
            let mut other: RecordVec<R, SoA> = some.iter().collect();
            vec.append(&mut other);
            assert!(other.is_empty());
            model.extend(some);
        }
        27 => {
            let (mut drained, mut expected) = (vec.drain(upto..end), model.drain(upto..end));
            for k in 0..b % 9 {
                assert_eq!(drained.len(), expected.len());
                if (seed >> k).is_multiple_of(2) {
                    assert_eq!(drained.next(), expected.next());
                } else {
                    assert_eq!(drained.next_back(), expected.next_back());
                }
            }
        }
        28 => {
            let (mut tail, mut expected) = (vec.split_off(upto), model.split_off(upto));
            assert_eq!(tail.to_vec(), expected);
            core::mem::swap(vec, &mut tail);
            core::mem::swap(model, &mut expected);
        }
        29 if len > 0 => {
            vec.set(within, value);
            model[within] = value;
        }
        30 if len > 0 => {
            value.store(&mut vec.at_mut(within));
            model[within] = value;
        }
        31 => {
            vec.as_view_mut().slice_mut((upto..end,)).fill(value);
            model[upto..end].fill(value);
        }
        32 => {
            // Through the view, and through a clone.
            let copy = vec.clone();
            assert_eq!(copy.capacity(), len);
            let view: layout::Owned<_> = core::mem::take(vec).into_view();
            assert_eq!(view.extents(), [len]);
            *vec = RecordVec::from_view(view);
            assert_eq!(*vec, copy);
        }
        33 => {
            let (removed, expected): (_, Vec<R>) =
                (vec.splice(upto..end, some.clone()), model.splice(upto..end, some).collect());
            assert_eq!(removed.to_vec(), expected);
        }
        34 => {
            vec.sort_unstable_by(|x, y| y.key().cmp(&x.key()));
            vec.sort_unstable_by_key(Sample::key);
            model.sort_by_key(Sample::key);
            assert!(vec.values().map(|r| r.key()).eq(model.iter().map(Sample::key)));
            *model = vec.to_vec();
        }
        _ => {}
    }
}

/// Everything that can be read.
fn compare<R: Sample, L: RecordLayout<R> + Default>(vec: &RecordVec<R, L>, model: &[R]) {
    assert_eq!((vec.len(), vec.is_empty()), (model.len(), model.is_empty()));
    assert!(vec.capacity() >= vec.len());
    assert_eq!(vec.to_vec(), model);
    assert_eq!(vec.values().collect::<Vec<_>>(), model);
    assert!(vec.values().rev().eq(model.iter().rev().copied()));
    assert_eq!((vec.first(), vec.last()), (model.first().copied(), model.last().copied()));
    let mut folded = Vec::new();
    vec.values().skip(1).step_by(2).for_each(|r| folded.push(r));
    assert!(folded.iter().eq(model.iter().skip(1).step_by(2)));
    for index in [0, 1, model.len() / 2, model.len(), usize::MAX] {
        assert_eq!(vec.try_load(index).ok(), model.get(index).copied());
        assert_eq!(vec.try_at(index).ok().map(|slots| R::load(&slots)), model.get(index).copied());
    }
    assert_eq!(vec.contains(&R::sample(3)), model.contains(&R::sample(3)));
    assert_eq!(format!("{vec:?}"), format!("{model:?}"));
}

fn run<R: Sample, L: RecordLayout<R> + Default>(program: &[Op]) {
    let (mut vec, mut model) = (RecordVec::<R, L>::new(), Vec::new());
    for op in program {
        step(*op, &mut vec, &mut model);
        assert_eq!(vec.len(), model.len(), "after {op:?}");
        assert_eq!(vec.to_vec(), model, "after {op:?}");
    }
    compare(&vec, &model);
    let aos: RecordVec<R, AoS> = vec.values().collect();
    assert_eq!(vec, aos);
    assert_eq!(vec.into_iter().rev().collect::<Vec<_>>(), model.into_iter().rev().collect::<Vec<_>>());
}

/// Views of a vector, walked in every way.
fn walk<R: Sample, L: RecordLayout<R> + Default>(seeds: &[u16]) {
    let mut model: Vec<R> = seeds.iter().map(|seed| R::sample(*seed)).collect();
    let mut vec: RecordVec<R, L> = RecordVec::from(&model[..]);
    vec.reserve(3);
    let mut walked = Vec::new();
    vec.as_view().for_each(|slots| walked.push(R::load(&slots)));
    assert_eq!(walked, model);
    for (index, mut slots) in vec.iter_mut().enumerate() {
        R::sample(index.try_into().expect("few of them")).store(&mut slots);
        model[index] = R::load(&slots);
    }
    assert_eq!(vec.to_vec(), model);
    let mut other = View::from_fn(vec.as_view().mapping(), |_| R::sample(1)).expect("memory");
    other.copy_from(&vec.as_view()).expect("as long");
    assert_eq!(other.to_vec(), model);
}

macro_rules! layouts {
    ($($name:ident: $layout:ty;)+) => {$(
        mod $name {
            use super::*;

            proptest! {
                #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

                #[test]
                fn strict(program in prop::collection::vec((0..METHODS, any::<u16>(), any::<u16>(), any::<u16>()), 0..60)) {
                    run::<Strict, $layout>(&program);
                }

                #[test]
                fn nested(program in prop::collection::vec((0..METHODS, any::<u16>(), any::<u16>(), any::<u16>()), 0..60)) {
                    run::<Nested, $layout>(&program);
                }

                #[test]
                fn walks(seeds in prop::collection::vec(any::<u16>(), 0..40)) {
                    walk::<Strict, $layout>(&seeds);
                    walk::<Nested, $layout>(&seeds);
                }
            }
        }
    )+};
}

layouts! {
    aos: AoS;
    aos_packed: AoS<Packed>;
    soa: SoA;
    soa_single: SoASingle;
    soa_leaf_aligned: SoASingle<LeafAligned>;
    aosoa4: AoSoA<4>;
    aosoa7: AoSoA<7, Aligned>;
}
