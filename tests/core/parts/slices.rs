//! Slices, permutations and transposition, against `ndarray`.

use core::ops::Range;

use layout::error::SliceError;
use layout::index::{IndexArray, Stepped};
use layout::{
    AoS, AoSoA, Blobs, BlobsMut, ColMajor, Dim, Extents, Linearization, Mapped, Mapping, Ordered, RowMajor, SoA,
    StridedLinearization, Tiled, Transposed, UnitStride, View, ViewError, alloc, alloc_from_fn, dyn_extents, extents,
    fastest_first, static_range, step,
};
use layout_core::{RegionAddress, part_of};
use ndarray::{ArrayD, ArrayViewD, ArrayViewMutD, IxDyn, SliceInfoElem};
use proptest::prelude::*;

use support::cell::{Cell, cell};

/// One dimension of a slice.
#[derive(Clone, Copy, Debug)]
enum Cut {
    Index(usize),
    Range(usize, usize),
    Step(usize, usize, isize),
}

impl Cut {
    fn index(self) -> usize {
        if let Self::Index(i) = self { i } else { unreachable!() }
    }

    fn range(self) -> Range<usize> {
        if let Self::Range(start, end) = self { start..end } else { unreachable!() }
    }

    fn step(self) -> Stepped<Range<usize>> {
        if let Self::Step(start, end, by) = self { step(start..end, by) } else { unreachable!() }
    }

    fn step_range(self) -> Range<usize> {
        if let Self::Step(start, end, _) = self { start..end } else { unreachable!() }
    }

    /// The same for `ndarray`.
    fn info(self) -> SliceInfoElem {
        let (start, end, step) = match self {
            Self::Index(i) => return SliceInfoElem::Index(i.cast_signed()),
            Self::Range(start, end) => (start, end, 1),
            Self::Step(start, end, by) => (start, end, by),
        };
        SliceInfoElem::Slice { start: start.cast_signed(), end: Some(end.cast_signed()), step }
    }
}

/// The dimensions `order` rotated to the left.
fn rotated<const N: usize>(mut order: [usize; N], by: usize) -> [usize; N] {
    order.rotate_left(by.min(N));
    order
}

fn infos(cuts: &[Cut]) -> Vec<SliceInfoElem> {
    cuts.iter().map(|cut| cut.info()).collect()
}

/// A cut within `extent`; of an empty dimension, a range.
fn cut(extent: usize) -> impl Strategy<Value = Cut> + Clone {
    (0..3, 0..=extent, 0..=extent, prop_oneof![-7_isize..=-1, 1_isize..=7]).prop_map(move |(kind, a, b, by)| {
        let (start, end) = (a.min(b), a.max(b));
        match kind {
            0 if extent > 0 => Cut::Index(a.min(extent - 1)),
            1 => Cut::Step(start, end, by),
            _ => Cut::Range(start, end),
        }
    })
}

/// Extents, and two cuts for each dimension: the second is fitted to what the first leaves.
type Case = (Vec<usize>, Vec<Cut>, Vec<(usize, usize, isize)>);

fn cuts(rank: usize) -> impl Strategy<Value = Case> {
    prop::collection::vec(0..=6_usize, rank).prop_flat_map(|extents| {
        let first: Vec<_> = extents.iter().map(|extent| cut(*extent)).collect();
        let second =
            prop::collection::vec((0..=6_usize, 0..=6_usize, prop_oneof![-3_isize..=-1, 1_isize..=3]), extents.len());
        (Just(extents), first, second)
    })
}

/// The second slice, within extents.
fn fitted(extents: &[usize], second: &[(usize, usize, isize)]) -> Vec<Cut> {
    let fit = |(extent, (a, b, by)): (&usize, &(usize, usize, isize))| {
        let (a, b) = (a % (extent + 1), b % (extent + 1));
        Cut::Step(a.min(b), a.max(b), *by)
    };
    extents.iter().zip(second).map(fit).collect()
}

/// Element `k` of the tests' views.
fn pair(k: usize) -> [u32; 2] {
    let k = u32::try_from(k).unwrap();
    [k, 1000 + k]
}

fn array(extents: &[usize]) -> ArrayD<[u32; 2]> {
    let mut next = 0..;
    ArrayD::from_shape_simple_fn(IxDyn(extents), || pair(next.next().unwrap()))
}

/// Asserts that all ways to read see what `ndarray` sees.
fn compare<M: Mapping<Record = [u32; 2]>, B: Blobs>(view: &View<M, B>, expected: &ArrayViewD<'_, [u32; 2]>) {
    assert_eq!(view.extents().as_ref(), expected.shape());
    assert_eq!(view.len(), expected.len());
    assert_eq!(view.to_vec(), expected.iter().copied().collect::<Vec<_>>());
    let mut visits = 0;
    view.for_each_indexed(|index, slots| {
        assert_eq!(slots.load(), expected[index.as_ref()]);
        visits += 1;
    });
    assert_eq!(visits, view.len());
    // The same elements in the same order, whatever walks them.
    let mut indexed = Vec::new();
    view.for_each_indexed(|_, slots| indexed.push(slots.load()));
    let mut each = Vec::new();
    view.for_each(|slots| each.push(slots.load()));
    assert_eq!(each, indexed);
    assert!(view.iter().map(|slots| slots.load()).eq(indexed.iter().copied()));
    let mut lanes = Vec::new();
    view.for_each_lanes::<4>(
        |slots| {
            let (a, b) = (slots.at(0).get(), slots.at(1).get());
            lanes.extend((0..4).map(|i| [a[i], b[i]]));
        },
        |_| (),
    );
    view.for_each_lanes::<4>(|_| (), |slots| lanes.push(slots.load()));
    lanes.sort_unstable();
    indexed.sort_unstable();
    assert_eq!(lanes, indexed);
}

/// Writes a value that depends on the index to both.
fn write<M: Mapping<Record = [u32; 2]>, B: BlobsMut>(view: &mut View<M, B>, mut array: ArrayViewMutD<'_, [u32; 2]>) {
    let value = |index: &[usize]| {
        let code = index.iter().fold(7, |code, i| 10 * code + i);
        [u32::try_from(code).unwrap(), 5]
    };
    view.for_each_indexed_mut(|index, mut slots| slots.store(value(index.as_ref())));
    for (index, element) in array.indexed_iter_mut() {
        *element = value(ndarray::Dimension::slice(&index));
    }
}

/// A further slice, transposition and permutation of a view of rank `D`.
trait Further<D> {
    fn further(&self, expected: &ArrayViewD<'_, [u32; 2]>, second: &[(usize, usize, isize)]);
}

macro_rules! further {
    ($($rank:literal: $($d:literal)+;)+) => {$(
        impl<M, B> Further<Dim<$rank>> for View<M, B>
        where
            M: Mapping<
                    Record = [u32; 2],
                    Extents: Extents<Array = [usize; $rank], Rank = Dim<$rank>>,
                    Linearization: StridedLinearization<[usize; $rank]>,
                >,
            B: Blobs,
        {
            fn further(&self, expected: &ArrayViewD<'_, [u32; 2]>, second: &[(usize, usize, isize)]) {
                let cuts = fitted(&self.extents(), second);
                compare(&self.slice(($(cuts[$d].step(),)+)), &expected.slice(&infos(&cuts)[..]));
                let full = (0..$rank).map(|d| Cut::Range(cuts[d].step_range().start, cuts[d].step_range().end));
                let full: Vec<_> = full.collect();
                compare(&self.slice(($(full[$d].range(),)+)), &expected.slice(&infos(&full)[..]));

                compare(&self.transposed(), &expected.view().reversed_axes());
                let slice = self.slice(($(full[$d].range(),)+));
                compare(&slice.transposed(), &expected.slice(&infos(&full)[..]).reversed_axes());
                compare(&self.transposed().transposed(), expected);

                // Rotated by each number of dimensions.
                for by in 0..$rank {
                    let order = rotated([$($d),+], by);
                    let permuted = self.permuted(order).unwrap();
                    let expected = expected.view().permuted_axes(&order[..]);
                    compare(&permuted, &expected);
                    let cuts = fitted(&permuted.extents(), second);
                    compare(&permuted.slice(($(cuts[$d].step(),)+)), &expected.slice(&infos(&cuts)[..]));
                }
            }
        }
    )+};
}

further! { 1: 0; 2: 0 1; 3: 0 1 2; }

impl<M: Mapping<Record = [u32; 2]>, B: Blobs> Further<Dim<0>> for View<M, B> {
    fn further(&self, expected: &ArrayViewD<'_, [u32; 2]>, _: &[(usize, usize, isize)]) {
        compare(&self.transposed(), expected);
    }
}

fn further<M: Mapping, B: Blobs>(
    view: &View<M, B>,
    expected: &ArrayViewD<'_, [u32; 2]>,
    second: &[(usize, usize, isize)],
) where
    View<M, B>: Further<<M::Extents as Extents>::Rank>,
{
    view.further(expected, second);
}

/// Slices `$view` by `$cuts`, whose kinds choose the types, and goes on with the slice.
macro_rules! slice_by {
    ($cuts:ident [$($d:tt)*] |$args:ident| $body:block) => { slice_by!(@ $cuts [$($d)*] [] |$args| $body) };
    (@ $cuts:ident [] [$($arg:expr),*] |$args:ident| $body:block) => {{
        let $args = ($($arg,)*);
        $body
    }};
    (@ $cuts:ident [$first:tt $($d:tt)*] [$($arg:expr),*] |$args:ident| $body:block) => {
        match $cuts[$first] {
            Cut::Index(_) => slice_by!(@ $cuts [$($d)*] [$($arg,)* $cuts[$first].index()] |$args| $body),
            Cut::Range(..) => slice_by!(@ $cuts [$($d)*] [$($arg,)* $cuts[$first].range()] |$args| $body),
            Cut::Step(..) => slice_by!(@ $cuts [$($d)*] [$($arg,)* $cuts[$first].step()] |$args| $body),
        }
    };
}

/// A view of every element of an array of these extents.
macro_rules! view_of {
    ($extents:ident, $rank:literal, $layout:ty, $linearization:expr) => {{
        let extents: [usize; $rank] = $extents[..].try_into().unwrap();
        let mapping = layout::index::IntoExtents::into_extents(extents).unwrap();
        let mapping = Mapped::<[u32; 2], _, $layout, _>::with(mapping, <$layout>::default(), $linearization).unwrap();
        View::from_fn(mapping, |index| pair(index.iter().zip(extents).fold(0, |flat, (i, n)| flat * n + i))).unwrap()
    }};
}

/// Slices agree with those of `ndarray`, and what is written through them too.
macro_rules! check_slices {
    ($rank:literal [$($d:tt)+] $layout:ty, $linearization:expr, $case:ident) => {{
        let (extents, cuts, second) = &$case;
        let mut array = array(extents);
        let mut view = view_of!(extents, $rank, $layout, $linearization);
        compare(&view, &array.view());
        further(&view, &array.view(), second);
        slice_by!(cuts [$($d)+] |args| {
            let slice = view.slice(args.clone());
            let expected = array.slice(&infos(cuts)[..]);
            compare(&slice, &expected);
            further(&slice, &expected, second);
            write(&mut view.slice_mut(args), array.slice_mut(&infos(cuts)[..]));
            compare(&view, &array.view());
        });
        write(&mut view.transposed_mut(), array.view_mut().reversed_axes());
        compare(&view, &array.view());
        let order = rotated([$($d),+], 1);
        write(&mut view.permuted_mut(order).unwrap(), array.view_mut().permuted_axes(&order[..]));
        compare(&view, &array.view());
    }};
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn slices_of_rank_1_are_those_of_ndarray(case in cuts(1)) {
        check_slices!(1 [0] SoA, RowMajor, case);
        check_slices!(1 [0] AoSoA<4>, RowMajor, case);
    }

    #[test]
    fn slices_of_rank_2_are_those_of_ndarray(case in cuts(2)) {
        check_slices!(2 [0 1] SoA, RowMajor, case);
        check_slices!(2 [0 1] AoSoA<4>, ColMajor, case);
    }

    #[test]
    fn slices_of_rank_3_are_those_of_ndarray(case in cuts(3)) {
        check_slices!(3 [0 1 2] AoSoA<4>, RowMajor, case);
        check_slices!(3 [0 1 2] SoA, Ordered::<{ fastest_first([1, 0, 2]) }>, case);
    }

    /// A range, step or index is accepted exactly if it lies within the extents.
    #[test]
    fn slices_outside_are_refused(start in 0..6_usize, end in 0..6_usize, by in -2..=2_isize, extent in 0..5_usize) {
        let mut view = alloc::<u8, SoA, _>([2, extent]).unwrap();
        let within = start <= end && end <= extent;
        prop_assert_eq!(view.try_slice((.., start..end)).is_ok(), within);
        prop_assert_eq!(view.try_slice_mut((0, step(start..end, by))).is_ok(), within && by != 0);
        prop_assert_eq!(view.try_slice((1, start)).is_ok(), start < extent);
        prop_assert_eq!(view.try_slice((.., start..=end)).is_ok(), start <= end + 1 && end < extent);
        prop_assert_eq!(view.try_slice((.., ..=end)).is_ok(), end < extent);
        prop_assert_eq!(view.try_slice((.., start..)).is_ok(), start <= extent);
        prop_assert_eq!(view.try_slice((.., ..end)).is_ok(), end <= extent);
    }
}

#[test]
fn all_kinds_of_ranges_are_arguments() {
    let view = alloc_from_fn::<u8, AoSoA<4>, _>(10, |[i]| u8::try_from(i).unwrap()).unwrap();
    assert_eq!(view.slice((3..5,)).to_vec(), [3, 4]);
    assert_eq!(view.slice((7..,)).to_vec(), [7, 8, 9]);
    assert_eq!(view.slice((..2,)).to_vec(), [0, 1]);
    assert_eq!(view.slice((3..=5,)).to_vec(), [3, 4, 5]);
    assert_eq!(view.slice((..=1,)).to_vec(), [0, 1]);
    assert_eq!(view.slice((..,)).len(), 10);
    assert_eq!(view.slice((6,)).get([]), 6);
    assert_eq!(view.slice((step(.., 4),)).to_vec(), [0, 4, 8]);
    assert_eq!(view.slice((step(1..8, -3),)).to_vec(), [7, 4, 1]);
    assert_eq!(view.slice((step(2.., -100),)).to_vec(), [9]);
    assert_eq!(view.slice((step(.., isize::MIN),)).to_vec(), [9]);
    assert_eq!(view.slice((step(.., isize::MAX),)).to_vec(), [0]);
}

#[test]
fn a_step_of_a_step_is_a_step() {
    let view = alloc_from_fn::<u8, SoA, _>(10, |[i]| u8::try_from(i).unwrap()).unwrap();
    assert_eq!(view.slice((step(step(.., 2), 2),)).to_vec(), [0, 4, 8]);
    assert_eq!(view.slice((step(step(.., 2), -1),)).to_vec(), [8, 6, 4, 2, 0]);
    assert_eq!(view.slice((step(step(.., -1), -1),)).to_vec(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(view.slice((step(step(.., -3), 2),)).to_vec(), [9, 3]);
    assert_eq!(view.slice((step(step(1..9, -3), -2),)).to_vec(), [2, 8]);
    assert_eq!(view.slice((step(step(4..4, -1), -1),)).len(), 0);
}

#[test]
fn errors_say_what_is_wrong_with_a_slice() {
    let view = alloc::<u8, SoA, _>([3, 4]).unwrap();
    let text = |error: Option<SliceError>| error.unwrap().to_string();
    assert_eq!(text(view.try_slice((.., 4)).err()), "index 4 is out of range for dimension 1 of extent 4");
    assert_eq!(text(view.try_slice((1..4, ..)).err()), "range 1..4 is not within dimension 0 of extent 3");
    assert_eq!(
        text(view.try_slice((step(.., 0), ..)).err()),
        "the step of dimension 0 is zero; it may be any other number, negative to walk back"
    );
    assert_eq!(text(view.permuted([0, 0]).err()), "[0, 0] does not name each of the 2 dimensions once");
    assert!(view.permuted([1, 2]).is_err());
}

#[test]
#[should_panic(expected = "range 2..5 is not within dimension 0 of extent 4")]
fn slice_panics_outside() {
    let _ = alloc::<u8, SoA, _>(4).unwrap().slice((2..5,));
}

#[test]
#[should_panic(expected = "index 4 is out of range for dimension 0 of extent 4")]
fn slice_mut_panics_outside() {
    let _ = alloc::<u8, SoA, _>(4).unwrap().slice_mut((4,));
}

#[test]
fn slices_keep_type_and_fields() {
    let mut view = alloc_from_fn::<Cell, AoSoA<8>, _>(extents!(i32: dyn 4, 6), |[i, j]| cell(6 * i + j)).unwrap();
    let slice = view.slice((1..3, step(.., -2)));
    assert_eq!(slice.load([1, 0]), cell(17), "indices have the type of the view's");
    assert_eq!(slice.field(Cell::PATHS.pos.x).get([0, 2]), 7.0);
    assert_eq!(view.transposed().load([5_i32, 0]), cell(5));
    let mut slice = view.slice_mut((.., 0));
    slice.field_mut(Cell::PATHS.id).fill(9);
    assert_eq!(view.field(Cell::PATHS.id).values().filter(|id| *id == 9).count(), 4 + 1);
}

#[test]
fn what_the_type_knows_of_strides_survives() {
    let view = alloc::<u8, SoA, _>(extents!(dyn 4, 6)).unwrap();
    fn inner<M: Mapping, B>(_: &View<M, B>) -> Option<usize> {
        <M::Linearization as Linearization<<M::Extents as Extents>::Array>>::INNER
    }
    assert_eq!(inner(&view), Some(1));
    assert_eq!(inner(&view.slice((1..3, 2..4))), Some(1));
    assert_eq!(inner(&view.slice((1, ..))), Some(0));
    assert_eq!(inner(&view.slice((.., 1))), None);
    assert_eq!(inner(&view.slice((.., step(.., 2)))), None);
    assert_eq!(inner(&view.transposed()), Some(0));
    let by_range = view.slice((1..3, 2..4));
    assert_eq!(inner(&by_range.transposed()), Some(0));
    assert_eq!(inner(&by_range.transposed().slice((1.., ..))), Some(0));
}

#[test]
fn linearizations_know_where_neighbors_are() {
    /// The dimension along which neighbors lie side by side, and how many do.
    fn facts<L: Linearization<[usize; N]>, const N: usize>() -> (Option<usize>, usize)
    where
        [usize; N]: IndexArray,
    {
        (L::INNER, L::RUN)
    }
    const ORDER: u64 = fastest_first([1, 0, 2]);
    let all = usize::MAX;
    assert_eq!((facts::<RowMajor, 0>().0, facts::<RowMajor, 3>()), (None, (Some(2), all)));
    assert_eq!((facts::<ColMajor, 0>().0, facts::<ColMajor, 3>()), (None, (Some(0), all)));
    assert_eq!((facts::<Ordered<0>, 0>().0, facts::<Ordered<ORDER>, 3>()), (None, (Some(1), all)));
    assert_eq!((facts::<UnitStride<Dim<0>>, 0>().0, facts::<UnitStride<Dim<3>>, 3>()), (None, (Some(2), all)));
    assert_eq!(facts::<Transposed<RowMajor>, 3>(), (Some(0), all));
    assert_eq!(facts::<Transposed<ColMajor>, 3>(), (Some(2), all));
    assert_eq!(facts::<Transposed<Tiled<4, 2, 8>>, 3>(), (Some(0), 8));
    assert_eq!(facts::<Tiled<4, 2, 8>, 3>(), (Some(2), 8));
    assert_eq!(facts::<Tiled<4>, 1>(), (Some(0), 4));
}

/// Neighbors along the last dimension lie side by side, or there are none.
#[test]
fn unit_strides_are_found() {
    fn check(extents: [usize; 3], order: [usize; 3], is_unit: bool) {
        let grid = alloc_from_fn::<usize, SoA, _>(extents, |[i, j, k]| 100 * i + 10 * j + k).unwrap();
        let view = grid.permuted(order).unwrap();
        let unit = grid.permuted(order).unwrap().into_unit_stride();
        assert_eq!((view.has_unit_stride(), unit.is_some()), (is_unit, is_unit), "{extents:?} {order:?}");
        if let Some(unit) = unit {
            assert_eq!(unit.extents(), view.extents());
            unit.for_each_indexed(|index, slot| assert_eq!(slot.get(), view.get(index), "{extents:?} {order:?}"));
        }
    }
    check([4, 6, 5], [0, 1, 2], true);
    check([4, 6, 5], [1, 0, 2], true);
    check([4, 6, 5], [0, 2, 1], false);
    check([4, 6, 5], [2, 1, 0], false);
    check([1, 6, 5], [1, 2, 0], true);
    check([0, 6, 5], [1, 2, 0], true);
}

#[test]
fn empty_views_of_huge_extents_are_sliced() {
    let huge = isize::MAX.cast_unsigned();
    let view = alloc::<u8, SoA, _>([0, huge, huge]).unwrap();
    assert_eq!((view.len(), view.slice((.., 1.., ..)).len(), view.transposed().len()), (0, 0, 0));
    assert_eq!(view.permuted([2, 0, 1]).unwrap().iter().count(), 0);
}

/// Parts of memory that someone else manages have any positions of the whole, and none beyond.
#[test]
fn parts_of_memory_end_with_it() {
    let whole = Mapped::<u16, _, AoS>::new(extents!(dyn 10)).unwrap();
    let memory: [u16; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    let part = |extent: usize, offset: usize, stride: isize| {
        let base = RegionAddress::new(memory.as_ptr().cast_mut().cast());
        // SAFETY: these are the bytes of ten records, which nothing writes.
        let part = unsafe { part_of::<_, Dim<1>>(&whole, [extent], offset, [stride], base) };
        part.map(|part| part.iter().map(|slot| slot.get()).collect::<Vec<_>>())
    };
    assert_eq!(part(10, 0, 1), Ok(memory.to_vec()));
    assert_eq!(part(4, 3, 2), Ok(vec![3, 5, 7, 9]));
    assert_eq!(part(4, 9, -3), Ok(vec![9, 6, 3, 0]));
    assert_eq!(part(0, 100, 1), Ok(vec![]));
    for (extent, offset, stride) in [(11, 0, 1), (4, 4, 2), (1, 10, 1), (4, 10, -3)] {
        assert_eq!(part(extent, offset, stride), Err(ViewError::RecordCount { given: 10, needed: 11 }));
    }
}

/// The type says which extents of a slice are static, and the slice keeps the index type of its view.
#[test]
fn static_extents_stay_static() {
    fn is<E: Extents>(view: &View<impl Mapping<Extents = E>, impl Blobs>, expected: &[usize]) {
        assert_eq!(view.extents().as_ref(), expected);
    }
    let view =
        alloc_from_fn::<[u32; 2], AoSoA<4>, _>(extents!(u16: 5, dyn 6, 7), |[i, j, k]| pair(100 * i + 10 * j + k));
    let mut view = view.unwrap();
    is::<extents!(type u16: 5, dyn, 7)>(&view.slice((.., .., ..)), &[5, 6, 7]);
    is::<extents!(type u16: 5, dyn)>(&view.slice((.., .., 3)), &[5, 6]);
    is::<extents!(type u16: 7)>(&view.slice((3, 2, ..)), &[7]);
    is::<extents!(type u16: dyn, dyn, dyn)>(&view.slice((0..5, 1.., step(.., 2))), &[5, 5, 4]);
    is::<extents!(type u16: 2, 3, 4)>(
        &view.slice((static_range::<2>(3), static_range::<3>(1), static_range::<4>(0))),
        &[2, 3, 4],
    );
    is::<extents!(type u16: dyn, 0)>(&view.slice((step(static_range::<4>(1), -3), 5, static_range::<0>(7))), &[2, 0]);
    is::<extents!(type u16: 7, dyn, 5)>(&view.slice((.., .., ..)).transposed(), &[7, 6, 5]);
    is::<extents!(type u16: 2, 7)>(&view.slice((.., 4, ..)).slice((static_range::<2>(1), ..)), &[2, 7]);

    let slice = view.slice((static_range::<2>(3), 5, step(static_range::<6>(1), -2)));
    assert_eq!(slice.load([1u16, 0]), pair(456));
    assert_eq!((slice.stride(0), slice.stride(1)), (Some(42), Some(-2)));
    view.slice_mut((static_range::<5>(0), static_range::<2>(4), ..)).fill([7, 7]);
    assert_eq!((view.load([4, 4, 6]), view.load([4, 3, 6])), ([7, 7], pair(436)));
}

/// A slice by `..` keeps what is static also where the view's type is a parameter.
#[test]
fn static_extents_stay_in_generic_code() {
    fn rows<E: Extents<Index = usize, Rank = Dim<2>, Array = [usize; 2]>>(
        view: &View<impl Mapping<Record = u8, Extents = E, Linearization = RowMajor>, impl Blobs>,
    ) -> Vec<u8> {
        let rows = view.slice((1.., ..));
        (0..rows.extents()[0]).map(|i| rows.get([i, 0])).collect()
    }
    let value = |[i, j]: [usize; 2]| u8::try_from(10 * i + j).unwrap();
    assert_eq!(rows(&alloc_from_fn::<u8, SoA, _>(extents!(3, 4), value).unwrap()), [10, 20]);
    assert_eq!(rows(&alloc_from_fn::<u8, SoA, _>([3, 4], value).unwrap()), [10, 20]);
}

#[test]
fn static_ranges_outside_are_refused() {
    let view = alloc::<u8, SoA, _>(extents!(u8: dyn 9, 4)).unwrap();
    assert!(view.try_slice((static_range::<9>(0), static_range::<4>(0))).is_ok());
    assert_eq!(
        view.try_slice((static_range::<9>(1), ..)).err(),
        Some(SliceError::Range { dimension: 0, start: 1, end: 10, extent: 9 })
    );
    assert!(view.try_slice((.., static_range::<300>(0))).is_err());
    assert!(view.try_slice((.., static_range::<2>(usize::MAX))).is_err());
    assert!(view.try_slice((.., static_range::<0>(5))).is_err());
}

/// The numbers decide the index type, which no number of another type gets past.
#[test]
fn index_types_are_those_of_the_numbers() {
    let view =
        alloc_from_fn::<u32, SoA, _>(dyn_extents([3u8, 4]).unwrap(), |[i, j]| u32::try_from(10 * i + j).unwrap());
    let view = view.unwrap();
    let (i, j): (u8, u8) = (2, 3);
    assert_eq!((view.get([i, j]), view.slice((1.., ..)).get((1u8, 2u8))), (23, 22));
    assert!(alloc::<u32, SoA, _>(dyn_extents([8u8, 8]).unwrap()).is_err());
    assert!(dyn_extents([3i16, -1]).is_err() && dyn_extents::<u64, 0>([]).is_ok());
}

/// As slices of the standard library do.
#[test]
fn a_range_that_was_iterated_to_its_end_is_empty() {
    let view = alloc::<u8, SoA, _>(4).unwrap();
    let mut range = 1..=2;
    assert_eq!(view.slice((range.clone(),)).len(), 2);
    range.by_ref().for_each(drop);
    assert_eq!((view.slice((range.clone(),)).len(), [0; 4][range].len()), (0, 0));
}
