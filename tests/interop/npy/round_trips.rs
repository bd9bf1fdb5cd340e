//! Files that are read as they were written, from any layout and order into any other.

use half::f16;
use layout::bits::{BitPackedIntAoS, BitPackedIntSoA, Bits};
use layout::composed::Split;
use layout::index::{IndexArray, Stepped};
use layout::interop::npy::{map_npy, map_npy_mut, read_npy, read_npz, write_npy, write_npz};
use layout::options::{DecreasingAlignment, MinPadding};
use layout::prelude::*;
use layout::{ColMajor, DynExtents, Morton, Packed, SoASingle, Tiled, path};
use proptest::prelude::*;

use super::records::{Every, Sample, Small, Star, Tagged};

const MOST: usize = 1 << 20;

fn written<M: Mapping, B: Blobs>(view: &View<M, B>) -> (Vec<u8>, Vec<u8>) {
    let (mut npy, mut npz) = (Vec::new(), Vec::new());
    write_npy(view, &mut npy).unwrap();
    write_npz(view, &mut npz).unwrap();
    (npy, npz)
}

/// The text of a header.
fn header(npy: &[u8]) -> &str {
    let len = usize::from(u16::from_le_bytes([npy[8], npy[9]]));
    core::str::from_utf8(&npy[10..10 + len]).unwrap()
}

/// The files of a view, read into several layouts and orders.
fn check<M, B>(view: &View<M, B>)
where
    M: Mapping<Record: Sample, Extents: layout::Extents<Index = usize>>,
    B: Blobs,
{
    let expected = view.to_vec();
    let (npy, npz) = written(view);
    macro_rules! same {
        ($($layout:ty, $order:ty;)*) => {$(
            let read = read_npy::<M::Record, M::Extents, $layout, $order>(&npy).unwrap();
            assert!(read.to_vec() == expected && read.extents() == view.extents());
            let read = read_npz::<M::Record, M::Extents, $layout, $order>(&npz, MOST).unwrap();
            assert!(read.to_vec() == expected && read.extents() == view.extents());
        )*};
    }
    same! {
        AoS<Packed>, RowMajor;
        SoA, ColMajor;
    }
}

#[derive(Clone, Debug)]
struct Side {
    extent: usize,
    start: usize,
    step: isize,
}

impl Side {
    fn arg(&self) -> Stepped<core::ops::RangeFrom<usize>> {
        step(self.start.., self.step)
    }
}

fn sides() -> impl Strategy<Value = Side> {
    let steps = prop::sample::select(vec![-3, -2, -1, 1, 2]);
    (0..5_usize, 0..5_usize, steps).prop_map(|(extent, start, step)| Side { extent, start: start.min(extent), step })
}

macro_rules! ranks {
    ($($name:ident: $rank:literal ($($at:literal)*);)*) => {$(
        fn $name<R: Sample, L: RecordLayout<R> + Default>(sides: &[Side], order: &[usize]) {
            let sides: [Side; $rank] = sides[..$rank].to_vec().try_into().unwrap();
            let order: Vec<usize> = order.iter().copied().filter(|at| *at < $rank).collect();
            let order: [usize; $rank] = order.try_into().unwrap();
            let extents = sides.each_ref().map(|side| side.extent);
            let view = alloc_from_fn::<R, L, _>(extents, |index| R::sample(extents.row_major(index))).unwrap();
            check(&view);
            check(&view.permuted(order).unwrap().slice(($(sides[order[$at]].arg(),)*)));
        }
    )*};
}

ranks! {
    rank_1: 1 (0);
    rank_2: 2 (0 1);
    rank_3: 3 (0 1 2);
    rank_4: 4 (0 1 2 3);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    #[test]
    fn parts_of_views_in_any_layout(sides in prop::collection::vec(sides(), 4), order in Just([0_usize, 1, 2, 3]).prop_shuffle()) {
        rank_1::<Every, AoS>(&sides, &order);
        rank_1::<f16, AoSoA<4>>(&sides, &order);
        rank_2::<Every, AoSoA<8>>(&sides, &order);
        rank_2::<Small, BitPackedIntAoS<Bits<5>>>(&sides, &order);
        rank_2::<bool, SoA>(&sides, &order);
        rank_3::<Star, Split<path!(Star, grid), SoA, AoS<Packed>>>(&sides, &order);
        rank_3::<Small, BitPackedIntSoA<Bits<5>>>(&sides, &order);
        rank_3::<[[u8; 2]; 3], SoASingle>(&sides, &order);
        rank_4::<Star, SoA>(&sides, &order);
        rank_4::<u8, AoS>(&sides, &order);
    }
}

#[test]
fn one_element_and_static_extents() {
    check(&alloc_from_fn::<Star, SoA, _>([], |_| Star::sample(7)).unwrap());
    check(&alloc_from_fn::<Star, SoA, _>(extents!(2, dyn 3), |[i, j]| Star::sample(3 * i + j)).unwrap());
}

#[test]
fn orders_of_elements() {
    fn order<Lin: layout::Linearization<[usize; 2]> + Default>() -> bool {
        let mapping = Mapped::<Tagged, _, SoA, Lin>::new(extents!(dyn 4, dyn 8)).unwrap();
        let view = View::from_fn(mapping, |[i, j]| Tagged::sample(8 * i + j)).unwrap();
        check(&view);
        header(&written(&view).0).contains("'fortran_order': True")
    }
    assert!(!order::<RowMajor>() && !order::<Tiled<2, 4>>() && !order::<Morton>());
    assert!(order::<ColMajor>());
}

/// Written types with padding where the layout has it, and without where NumPy cannot say it.
#[test]
fn types_follow_the_layout() {
    fn descr<R: Sample, L: RecordLayout<R> + Default>() -> String {
        let view = alloc_from_fn::<R, L, _>(3, |[i]| R::sample(i)).unwrap();
        check(&view);
        let (npy, _) = written(&view);
        let text = header(&npy).replace(if cfg!(target_endian = "little") { '<' } else { '>' }, "");
        text.strip_prefix("{'descr': ").unwrap().split(", 'fortran").next().unwrap().to_owned()
    }
    assert_eq!(descr::<Tagged, AoS>(), "[('value', 'f8'), ('tag', '|u1'), ('', '|V7')]");
    let packed = "[('value', 'f8'), ('tag', '|u1')]";
    assert_eq!(descr::<Tagged, AoS<Packed>>(), packed);
    assert_eq!(descr::<Tagged, SoA>(), packed);
    assert_eq!(descr::<Tagged, AoSoA<4>>(), packed);
    assert_eq!(
        descr::<Star, AoS>(),
        "[('kind', '|u1'), ('', '|V7'), ('pos', [('x', 'f8'), ('y', 'f4')]), ('known', '|b1'), ('', '|V1'), \
         ('grid', 'u2', (3, 2)), ('light', 'f2'), ('', '|V4')]"
    );
    let star = "[('kind', '|u1'), ('pos', [('x', 'f8'), ('y', 'f4')]), ('known', '|b1'), ('grid', 'u2', (3, 2)), ('light', 'f2')]";
    assert_eq!(descr::<Star, AoS<Packed>>(), star);
    // Leaves in another order than the fields.
    assert_eq!(descr::<Star, AoS<Aligned, DecreasingAlignment>>(), star);
    assert_eq!(descr::<Star, AoS<Aligned, MinPadding>>(), star);
    // A record that is an array: its lengths are dimensions of the file. The second struct ends before padding could follow.
    let view = alloc_from_fn::<[Tagged; 2], AoS, _>(3, |[i]| Sample::sample(i)).unwrap();
    assert!(header(&written(&view).0).contains("'shape': (3, 2), "));
    assert_eq!(descr::<[Tagged; 2], AoS>(), "[('value', 'f8'), ('tag', '|u1'), ('', '|V7')]");
    assert_eq!(descr::<[[f16; 2]; 3], SoA>(), "'f2'");
    assert_eq!(descr::<bool, AoS>(), "'|b1'");

    // A part of a record is written as a record of its own.
    let stars = alloc_from_fn::<Star, AoS, _>(3, |[i]| Star::sample(i)).unwrap();
    let mut part = Vec::new();
    write_npy(&stars.field(Star::PATHS.pos), &mut part).unwrap();
    assert!(header(&part).replace(['<', '>'], "").contains("[('x', 'f8'), ('y', 'f4')]"));
    assert_eq!(part.len() % 64, 3 * 12);

    /// Padding differs between the two structs, as the first one starts at byte 1.
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Odd {
        first: u8,
        pair: [Bit; 2],
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Bit(u8, f32);
    impl Sample for Odd {
        fn sample(number: usize) -> Self {
            Self { first: 1, pair: [Bit(2, f32::from(u8::sample(number))), Bit(4, 5.0)] }
        }
    }
    assert_eq!(descr::<Odd, AoS>(), "[('first', '|u1'), ('pair', [('0', '|u1'), ('1', 'f4')], (2,))]");

    /// The byte after the array of structs lies where the padding of the last struct would.
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Tight {
        pair: [Tagged; 2],
        last: u8,
    }
    impl Sample for Tight {
        fn sample(number: usize) -> Self {
            Self { pair: Sample::sample(number), last: 7 }
        }
    }
    assert_eq!(descr::<Tight, AoS>(), "[('pair', [('value', 'f8'), ('tag', '|u1')], (2,)), ('last', '|u1')]");
    let native = "[('pair', [('value', 'f8'), ('tag', '|u1'), ('', '|V7')], (2,)), ('last', '|u1'), ('', '|V7')]";
    assert_eq!(descr::<Tight, AoS<Aligned, layout::Native>>(), native);
}

/// The elements of a file are read and written where they are.
#[test]
fn mapped_files_are_not_copied() {
    let aligned = |npy: &[u8]| {
        // As memory that a file is mapped into: at a multiple of 64 bytes.
        let mut memory = vec![0; npy.len() + 64];
        let start = memory.as_ptr().align_offset(64);
        memory[start..start + npy.len()].copy_from_slice(npy);
        (memory, start..start + npy.len())
    };
    let view = View::from_fn(Mapped::<Star, _, AoS, ColMajor>::new(extents!(dyn 2, dyn 3)).unwrap(), |[i, j]| {
        Star::sample(3 * i + j)
    });
    let view = view.unwrap();
    let (npy, _) = written(&view);
    let (mut memory, file) = aligned(&npy);
    let file = &mut memory[file];
    let first = file.as_ptr().addr() + file.len() - 6 * 40;
    let mapped = map_npy::<Star, DynExtents<2>, AoS, ColMajor>(file).unwrap();
    assert_eq!((mapped.to_vec(), mapped.as_ptr(Star::PATHS.kind).addr()), (view.to_vec(), first));
    // The only order that is also row-major: one dimension of one index.
    let one = map_npy::<Star, extents!(type 2, 3), AoS, ColMajor>(file).unwrap();
    assert_eq!(one.load([1, 2]), Star::sample(5));

    let mut mapped = map_npy_mut::<Star, DynExtents<2>, AoS, ColMajor>(file).unwrap();
    mapped.at_mut([1, 2]).pos.y.set(99.0);
    assert_eq!(read_npy::<Star, DynExtents<2>, SoA, RowMajor>(file).unwrap().at([1, 2]).pos.y.get(), 99.0);

    // Without padding, at any address.
    let (npy, _) = written(&alloc_from_fn::<Star, SoA, _>(5, |[i]| Star::sample(i)).unwrap());
    for offset in 0..3 {
        let memory = [&vec![0; offset][..], &npy, &[1, 2, 3]].concat();
        let mapped = map_npy::<Star, DynExtents<1>, AoS<Packed>, RowMajor>(&memory[offset..]).unwrap();
        assert_eq!(mapped.load(4), Star::sample(4));
    }
    // Records that are arrays.
    let (npy, _) = written(&alloc_from_fn::<[u8; 3], SoA, _>(5, |[i]| Sample::sample(i)).unwrap());
    let mapped = map_npy::<[u8; 3], DynExtents<1>, AoS, RowMajor>(&npy).unwrap();
    assert_eq!((mapped.extents(), mapped.load(4)), ([5], [12, 13, 14]));
}

/// Views of more bytes than are copied at once, in every order.
#[test]
fn large_views_are_written_in_pieces() {
    fn written_as<L: RecordLayout<Tagged> + Default, Lin: layout::Linearization<[usize; 3]> + Default>() {
        let extents = extents!(dyn 9, dyn 70, dyn 61);
        let tagged = |[i, j, k]: [usize; 3]| Tagged::sample((i * 70 + j) * 61 + k);
        let view = View::from_fn(Mapped::<Tagged, _, L, Lin>::new(extents).unwrap(), tagged).unwrap();
        check(&view);
        check(&view.field(Tagged::PATHS.tag));
    }
    written_as::<SoA, RowMajor>();
    written_as::<SoA, ColMajor>();
    written_as::<SoASingle<Packed>, Morton>();
    written_as::<AoS, layout::Permuted<{ layout::dimensions([1, 0, 2]) }, RowMajor>>();
    written_as::<AoS, layout::Transposed<RowMajor>>();
    written_as::<AoSoA<4>, Tiled<2, 3, 4>>();
}

/// NumPy quotes such names by double quotes.
#[test]
fn names_may_have_quotes() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Derivative {
        x: f32,
        #[record(rename = "x'")]
        rate: f32,
    }
    let view = alloc_from_fn::<Derivative, SoA, _>(3, |[i]| Derivative { x: i as f32, rate: 0.5 }).unwrap();
    let mut file = Vec::new();
    write_npy(&view, &mut file).unwrap();
    assert!(file.windows(4).any(|bytes| bytes == b"\"x'\""));
    assert!(read_npy::<Derivative, DynExtents<1>, SoA, RowMajor>(&file).unwrap() == view);
}
