//! Copies between views whose elements lie in different orders.

use core::array;
use core::fmt::Debug;

use layout::error::ExtentsError;
use layout::{
    AoS, AoSoA, ColMajor, Dim, DynExtents, Linearization, Mapped, Ordered, Packed, Record, RecordLayout, RowMajor, SoA,
    Strided, Transposed, UnitStride, View, alloc, alloc_from_fn, extents, fastest_first,
};

type Value = [u32; 5];

/// The value of the element at an index.
fn value(index: impl AsRef<[usize]>) -> Value {
    let number = index.as_ref().iter().fold(7_u32, |sum, k| sum.wrapping_mul(1009) + u32::try_from(*k).expect("small"));
    [0, 1, 2, 3, 4].map(|leaf| number.wrapping_mul(0x9E37_79B1) + leaf)
}

/// Z-order: a linearization of our own without constant strides, and with gaps unless extents are powers of two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ZOrder;

impl ZOrder {
    fn interleave([i, j]: [usize; 2]) -> usize {
        (0..16).map(|bit| (i >> bit & 1) << (2 * bit + 1) | (j >> bit & 1) << (2 * bit)).sum()
    }
}

// SAFETY: positions of different indices differ in a bit; the largest is that of the largest index in both dimensions
// rounded up to one power of two, below whose square all lie.
unsafe impl Linearization<[usize; 2]> for ZOrder {
    const INNER: Option<usize> = None;
    const UNIQUE: Option<bool> = Some(true);
    const EXHAUSTIVE: bool = false;
    const STRIDED: bool = false;

    fn fit(self, _: [usize; 2]) -> Result<Self, ExtentsError> {
        Ok(self)
    }

    fn span(&self, [i, j]: [usize; 2]) -> Option<usize> {
        if i == 0 || j == 0 {
            return Some(0);
        }
        let side = i.max(j).next_power_of_two();
        side.checked_mul(side)
    }

    fn position(&self, _: [usize; 2], index: [usize; 2]) -> usize {
        Self::interleave(index)
    }

    fn stride(&self, _: [usize; 2], _: usize) -> isize {
        0
    }

    fn nest(&self, _: [usize; 2]) -> [usize; 2] {
        [0, 1]
    }

    fn is_unique(&self, _: [usize; 2]) -> bool {
        true
    }
}

/// A copy from one mapping to another, and of a part to a part, where both can be sliced.
fn check<To, From, ToLin, FromLin>(extents: [usize; 2], to: ToLin, from: FromLin)
where
    To: RecordLayout<Value> + Default,
    From: RecordLayout<Value> + Default,
    ToLin: Linearization<[usize; 2]>,
    FromLin: Linearization<[usize; 2]>,
{
    let what = || format!("{extents:?}: from {:?} {from:?} to {:?} {to:?}", From::default(), To::default());
    let [rows, columns] = extents;
    let extents = DynExtents::<2>::new(extents).expect("extents");
    let from_mapping = Mapped::<Value, _, From, _>::with(extents, From::default(), from).expect("small");
    let to_mapping = Mapped::<Value, _, To, _>::with(extents, To::default(), to).expect("small");
    let source = View::from_fn(from_mapping, value).expect("memory");
    let mut target = View::from_fn(to_mapping, |_| [9; 5]).expect("memory");
    let is_copy = |get: &dyn Fn([usize; 2]) -> Value| {
        let step = if rows * columns > 10_000 { 7 } else { 1 };
        for index in (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j])).step_by(step) {
            assert_eq!(get(index), value(index), "{index:?} of {}", what());
        }
    };
    target.copy_from(&source).expect("equal extents");
    is_copy(&|index| target.load(index));
    #[cfg(feature = "rayon")]
    {
        target.fill([9; 5]);
        target.par_copy_from(&source).expect("equal extents");
        is_copy(&|index| target.load(index));
    }
    // Where a view has gaps, the bytes in them stay.
    let mut bytes = vec![0xA5; to_mapping_size(&to_mapping) + 1];
    let mut packed = Mapped::<Value, _, AoS<Packed>, _>::with(extents, AoS::default(), to)
        .map(|mapping| View::from_bytes(mapping, &mut bytes[1..]).expect("bytes that fit"));
    let packed = packed.as_mut().expect("small");
    packed.copy_from(&source).expect("equal extents");
    is_copy(&|index| packed.load(index));
    let changed = bytes[1..].as_chunks::<20>().0.iter().filter(|element| **element != [0xA5; 20]).count();
    assert_eq!(changed, rows * columns, "{}", what());
}

fn to_mapping_size<M: layout::Mapping<Record = Value>>(mapping: &M) -> usize {
    mapping.span() * size_of::<Value>()
}

fn orders<To: RecordLayout<Value> + Default, From: RecordLayout<Value> + Default>() {
    for extents in [[0, 5], [3, 0], [1, 1], [1, 20], [20, 1], [3, 3], [4, 9], [9, 70], [16, 16], [33, 17]] {
        let [rows, columns] = extents.map(usize::cast_signed);
        check::<To, From, _, _>(extents, RowMajor, RowMajor);
        check::<To, From, _, _>(extents, RowMajor, ColMajor);
        check::<To, From, _, _>(extents, ColMajor, ColMajor);
        check::<To, From, _, _>(extents, ColMajor, Transposed(RowMajor));
        check::<To, From, _, _>(extents, Ordered::<{ fastest_first([0, 1]) }>, RowMajor);
        check::<To, From, _, _>(extents, RowMajor, ZOrder);
        check::<To, From, _, _>(extents, ZOrder, RowMajor);
        check::<To, From, _, _>(extents, ZOrder, ZOrder);
        // Gaps between rows, and backwards.
        let tile = UnitStride::<Dim<2>>::new(7, [columns + 11, 1]);
        check::<To, From, _, _>(extents, RowMajor, tile);
        check::<To, From, _, _>(extents, tile, RowMajor);
        check::<To, From, _, _>(extents, tile, UnitStride::<Dim<2>>::new(2, [columns + 3, 1]));
        let last = usize::try_from((rows * 2 * columns - 1).max(0)).expect("positive");
        let backwards = Strided::<Dim<2>>::new(last, [-2 * columns, -1]);
        check::<To, From, _, _>(extents, backwards, RowMajor);
        check::<To, From, _, _>(extents, RowMajor, backwards);
        check::<To, From, _, _>(extents, backwards, backwards);
        // As a whole, and the same on both sides, by numbers that are known at run time only.
        let dense = Strided::<Dim<2>>::new(0, [columns, 1]);
        check::<To, From, _, _>(extents, dense, dense);
        check::<To, From, _, _>(extents, dense, ColMajor);
    }
}

#[test]
fn every_order_to_every_other() {
    orders::<AoS, SoA>();
    orders::<SoA, AoS>();
    orders::<SoA, SoA>();
    orders::<AoSoA<8>, SoA>();
    orders::<AoSoA<16>, AoSoA<16>>();
    orders::<AoS, AoSoA<12, Packed>>();
    orders::<AoS<Packed>, AoS>();
}

#[test]
fn large_copies_in_other_orders() {
    let extents = [600, 800];
    check::<SoA, AoS, _, _>(extents, RowMajor, RowMajor);
    check::<AoSoA<16>, SoA, _, _>(extents, RowMajor, UnitStride::<Dim<2>>::new(3, [801, 1]));
    check::<SoA, AoS, _, _>(extents, RowMajor, ColMajor);
    check::<AoSoA<16>, AoSoA<16>, _, _>([1024, 1024], ZOrder, ZOrder);
    check::<AoSoA<2>, AoSoA<2>, _, _>([699, 701], RowMajor, RowMajor);
}

/// Rows long enough to be copied in tiles where neighbors lie equally far apart on both sides, and not where they lie in blocks.
#[test]
fn long_rows_that_are_columns_of_the_source() {
    fn between<To: RecordLayout<Value> + Default, From: RecordLayout<Value> + Default>() {
        for extents in [[130, 150], [2, 200], [200, 17]] {
            check::<To, From, _, _>(extents, RowMajor, ColMajor);
            check::<To, From, _, _>(extents, ColMajor, RowMajor);
            check::<To, From, _, _>(extents, ColMajor, Transposed(RowMajor));
        }
    }
    between::<SoA, SoA>();
    between::<AoS, SoA>();
    between::<AoSoA<8>, SoA>();
    between::<SoA, AoSoA<16>>();
}

/// Leaves of one word and others, in tiles that no whole number of vectors fills, and in columns whose cache lines displace each other.
#[test]
fn tiles_of_any_sides() {
    fn check<T: Copy + Default + PartialEq + Debug + TryFrom<usize>>()
    where
        [T; 2]: Record,
    {
        for extents in [
            [20, 300],
            [3, 1000],
            [8, 97],
            [7, 261],
            [129, 257],
            [300, 96],
            [512, 33],
            [513, 97],
            [2048, 40],
            [150, 600],
            [4100, 100],
        ] {
            let value = |[i, j]: [usize; 2]| {
                [0, 1].map(|k| T::try_from((i * extents[1] + 3 * j + 7 * k) % 251).unwrap_or_default())
            };
            let by_column = DynExtents::<2>::new(extents).expect("extents");
            let source = Mapped::<[T; 2], _, SoA, ColMajor>::new(by_column).expect("small");
            let source = View::from_fn(source, value).expect("memory");
            let mut target = alloc_from_fn::<[T; 2], SoA, _>(extents, |_| [T::default(); 2]).expect("memory");
            target.copy_from(&source).expect("equal extents");
            assert!(target == source, "{extents:?} of {} bytes", size_of::<T>());
            assert!(source == target, "{extents:?} of {} bytes", size_of::<T>());
            for index in (0..extents[0]).flat_map(|i| (0..extents[1]).map(move |j| [i, j])).step_by(3) {
                assert_eq!(target.load(index), value(index), "{index:?} of {extents:?} of {} bytes", size_of::<T>());
            }
            assert_eq!(source.to_vec(), target.to_vec());
            #[cfg(feature = "rayon")]
            {
                target.fill([T::default(); 2]);
                target.par_copy_from(&source).expect("equal extents");
                assert!(target == source, "{extents:?} of {} bytes", size_of::<T>());
            }
            // One difference, in each corner.
            for corner in [[0, 0], [extents[0] - 1, 0], [0, extents[1] - 1], [extents[0] - 1, extents[1] - 1]] {
                let was = target.load(corner);
                target.set(corner, [was[0], T::try_from(252).unwrap_or_default()]);
                assert!(target != source, "{corner:?} of {extents:?}");
                assert!(source != target, "{corner:?} of {extents:?}");
                target.set(corner, was);
            }
        }
    }
    check::<u8>();
    check::<u16>();
    check::<u32>();
    check::<u64>();
    check::<u128>();
}

/// Records that go as one piece each, of every size that is moved in its own way, into a part whose surroundings stay.
#[test]
fn records_of_any_size_in_another_order() {
    fn check<T: Copy + Default + PartialEq + Debug + TryFrom<usize>, const N: usize>()
    where
        [T; N]: Record,
    {
        let value = |[i, j]: [usize; 2]| -> [T; N] {
            array::from_fn(|k| T::try_from((151 * i + 3 * j + k) % 251).unwrap_or_default())
        };
        let (columns, whole) = (extents!(dyn 130, dyn 150), extents!(dyn 132, dyn 152));
        let source = Mapped::<[T; N], _, AoS, ColMajor>::new(columns).expect("small");
        let source = View::from_fn(source, value).expect("memory");
        let nothing = [T::default(); N];
        let mut target = alloc_from_fn::<[T; N], AoS, _>(whole, |_| nothing).expect("memory");
        target.slice_mut((1..131, 1..151)).copy_from(&source).expect("equal extents");
        for index in (0..132).flat_map(|i| (0..152).map(move |j| [i, j])) {
            let inside = (1..131).contains(&index[0]) && (1..151).contains(&index[1]);
            let expected = if inside { value([index[0] - 1, index[1] - 1]) } else { nothing };
            assert_eq!(target.load(index), expected, "{index:?} of {N} times {} bytes", size_of::<T>());
        }
    }
    check::<u8, 1>();
    check::<u32, 1>();
    check::<u32, 2>();
    check::<u8, 3>();
    check::<u8, 5>();
    check::<u8, 6>();
    check::<u8, 7>();
    check::<u8, 9>();
    check::<u8, 12>();
    check::<u8, 15>();
    check::<u8, 17>();
    check::<u16, 8>();
    check::<u16, 16>();
    check::<u8, 33>();
    check::<u16, 24>();
    check::<u16, 25>();
    check::<u32, 16>();
    check::<u8, 65>();
    check::<u32, 20>();
    check::<u32, 25>();
}

/// A stride of zero repeats an element: the source has fewer than it seems.
#[test]
fn sources_that_repeat_elements() {
    fn check<To: RecordLayout<Value> + Default, From: RecordLayout<Value> + Default>() {
        let extents = extents!(dyn 30, dyn 40);
        let small = alloc_from_fn::<Value, From, _>(40, value).expect("memory");
        for (linearization, of) in [
            (Strided::<Dim<2>>::new(0, [0, 1]), (|[_, j]| [j]) as fn([usize; 2]) -> [usize; 1]),
            (Strided::new(0, [1, 0]), |[i, _]| [i]),
            (Strided::new(17, [0, 0]), |_| [17]),
            (Strided::new(29, [-1, 0]), |[i, _]| [29 - i]),
        ] {
            let mapping = Mapped::<Value, _, From, _>::with(extents, From::default(), linearization).expect("small");
            let bytes = vec![0_u8; mapping_bytes(&mapping) + 64];
            let start = bytes.as_ptr().align_offset(64);
            let mut bytes = bytes;
            {
                // The same memory, as 40 elements.
                let one = Mapped::<Value, _, From>::new(extents!(dyn layout::Mapping::span(&mapping))).expect("small");
                let mut flat = View::from_bytes(one, &mut bytes[start..]).expect("bytes that fit");
                let [len] = flat.extents();
                flat.copy_from(&small.slice((..len,))).expect("equal extents");
            }
            let source = View::from_bytes(mapping, &bytes[start..]).expect("bytes that fit");
            let mut target = alloc::<Value, To, _>([30, 40]).expect("memory");
            target.copy_from(&source).expect("equal extents");
            for index in (0..30).flat_map(|i| (0..40).map(move |j| [i, j])) {
                assert_eq!(
                    target.load(index),
                    value(of(index)),
                    "{index:?}, {:?} to {:?}",
                    From::default(),
                    To::default()
                );
            }
        }
    }
    fn mapping_bytes<M: layout::Mapping>(mapping: &M) -> usize {
        use layout::RecordLayout;
        mapping.layout().region_size(mapping.span())
    }
    check::<SoA, AoS>();
    check::<AoS, SoA>();
    check::<AoSoA<16>, SoA>();
    check::<SoA, AoSoA<8>>();
    check::<AoS, AoS>();
}

#[test]
fn views_of_other_ranks() {
    let source = alloc_from_fn::<Value, SoA, _>([], value).expect("memory");
    let mut target = alloc::<Value, AoS, _>([]).expect("memory");
    target.copy_from(&source).expect("equal extents");
    assert_eq!(target.load([]), value([]));

    let source = alloc_from_fn::<Value, SoA, _>([5, 6, 21], value).expect("memory");
    let mut target = alloc::<Value, AoSoA<8>, _>([21, 6, 5]).expect("memory");
    target.copy_from(&source.transposed()).expect("equal extents");
    let mut part = alloc::<Value, AoS, _>([3, 9]).expect("memory");
    part.copy_from(&source.slice((1..4, 5, 11..20))).expect("equal extents");
    for [i, j, k] in (0..5).flat_map(|i| (0..6).flat_map(move |j| (0..21).map(move |k| [i, j, k]))) {
        assert_eq!(target.load([k, j, i]), value([i, j, k]));
        if (1..4).contains(&i) && j == 5 && (11..20).contains(&k) {
            assert_eq!(part.load([i - 1, k - 11]), value([i, j, k]));
        }
    }
}
