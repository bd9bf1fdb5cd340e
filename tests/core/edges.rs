//! Elements that share bytes, lie backwards or touch, and views without elements.

use layout::blob::{Address, Heap};
use layout::error::SliceError;
use layout::record::Node;
use layout::{
    AoS, AoSoA, Blobs, Dim, DynExtents, Mapped, Mapping, One, Owned, Packed, Record, RecordLayout, SoA, SoASingle,
    Strided, View, alloc, alloc_from_fn, extents, step,
};

type Value = [u32; 3];

fn value(number: usize) -> Value {
    [0, 1, 2].map(|leaf| u32::try_from(number).unwrap().wrapping_mul(0x9E37_79B1) + leaf)
}

type Line<L> = Mapped<Value, DynExtents<1>, L, Strided<Dim<1>>>;

fn line<L: RecordLayout<Value> + Default>(len: usize, offset: usize, stride: isize) -> Line<L> {
    Mapped::with(extents!(dyn len), L::default(), Strided::new(offset, [stride])).unwrap()
}

/// Copies between lines of each pair of strides, backwards too, of lengths around those of vectors and blocks.
fn copies<To: RecordLayout<Value> + Default, From: RecordLayout<Value> + Default>() {
    for len in [1_usize, 2, 15, 16, 17, 33, 64, 65, 100, 257] {
        let end = |stride: isize| if stride < 0 { (len - 1) * stride.unsigned_abs() } else { 0 };
        for (to_stride, from_stride) in [(1, -1), (-1, 1), (-1, -1), (-3, 2), (2, -3), (1, 0), (-1, 0), (5, 0)] {
            let source = line::<From>(len, end(from_stride) + 4, from_stride);
            let elements = (source.span(), source);
            let mut whole = alloc_from_fn::<Value, From, _>(elements.0, |[k]| value(k)).unwrap();
            let bytes: Vec<Vec<u8>> = (0..From::BLOBS).map(|blob| whole.blob_bytes(blob).to_vec()).collect();
            whole.fill([0; 3]);
            let at = |k: usize| value((end(from_stride) + 4).wrapping_add_signed(k.cast_signed() * from_stride));
            let check = |copy: &dyn Fn(&mut Owned<Line<To>>)| {
                let mut target = View::from_fn(line::<To>(len, end(to_stride) + 3, to_stride), |_| [7; 3]).unwrap();
                copy(&mut target);
                for k in 0..len {
                    assert_eq!(target.load(k), at(k), "{k} of {len}, {to_stride} from {from_stride}");
                }
            };
            if let [blob] = &bytes[..] {
                let memory = Aligned::of(blob);
                let source = View::from_bytes(elements.1, memory.bytes()).unwrap();
                check(&|target| target.copy_from(&source).unwrap());
            } else {
                let memory: Vec<_> = bytes.iter().map(|blob| Aligned::of(blob)).collect();
                let blobs: [&[u8]; 3] = core::array::from_fn(|blob| memory[blob].bytes());
                let source = View::from_blobs(elements.1, blobs).unwrap();
                check(&|target| target.copy_from(&source).unwrap());
            }
        }
    }
}

/// Bytes from an address on that is aligned for any leaf of these tests.
struct Aligned(Vec<u64>, usize);

impl Aligned {
    fn of(bytes: &[u8]) -> Self {
        let mut words = vec![0; bytes.len().div_ceil(8)];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(all);
        }
        Self(words, bytes.len())
    }

    fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
}

#[test]
fn copies_backwards_and_of_one_element_for_many() {
    macro_rules! check {
        ($($to:ty),+; $from:ty) => {$( copies::<$to, $from>(); )+};
    }
    check!(AoS, SoA, AoSoA<8>, SoASingle, AoS<Packed>; AoS);
    check!(AoS, SoA, AoSoA<8>, SoASingle, AoS<Packed>; SoA);
    check!(AoS, SoA, AoSoA<8>, AoSoA<16>; AoSoA<8>);
}

/// Blobs that lie one right after another, as columns of a larger table do: they are no fields of one struct.
#[test]
fn copies_between_blobs_that_touch() {
    for len in [1_usize, 2, 3, 16, 17, 64, 100] {
        let mapping = Mapped::<[u8; 3], _, SoA>::new(extents!(dyn len)).unwrap();
        let values = |k: usize| [0, 100, 200].map(|leaf| u8::try_from(leaf + k % 50).unwrap());
        let aos = alloc_from_fn::<[u8; 3], AoS, _>(len, |[k]| values(k)).unwrap();
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut memory = vec![0; 3 * len + 2];
            let mut parts: Vec<_> = memory[1..=3 * len].chunks_mut(len).map(Some).collect();
            let blobs = order.map(|part: usize| parts[part].take().unwrap());
            let mut columns = View::from_blobs_mut(mapping, blobs).unwrap();
            columns.copy_from(&aos).unwrap();
            assert_eq!(columns, aos);
            let mut back = alloc::<[u8; 3], AoS, _>(len).unwrap();
            back.copy_from(&columns).unwrap();
            assert_eq!(back, aos);
            let mut blocks = alloc::<[u8; 3], AoSoA<8>, _>(len).unwrap();
            blocks.copy_from(&columns).unwrap();
            assert_eq!(blocks, aos);
            assert_eq!((memory[0], memory[3 * len + 1]), (0, 0), "nothing is written beside them");
        }
    }
}

#[test]
fn copies_ask_for_elements_that_exist() {
    let bytes: Vec<u8> = bytemuck::cast_slice(&value(3)).to_vec();
    let one = View::from_bytes(line::<AoS<Packed>>(100, 0, 0), &bytes[..]).unwrap();
    let mut columns = alloc::<Value, SoA, _>(100).unwrap();
    columns.copy_from(&one).unwrap();
    assert_eq!(columns.to_vec(), [value(3); 100]);
    for len in [0, 1, 2, 16, 100] {
        let mut strict = alloc_from_fn::<Value, AoS<Packed>, _>(len, |[k]| value(k)).unwrap();
        let mut columns = alloc::<Value, SoA, _>(len).unwrap();
        columns.copy_from(&strict).unwrap();
        columns.for_each_mut(|mut record| record.element_mut::<1>().set(1));
        strict.copy_from(&columns).unwrap();
        assert_eq!(
            strict.to_vec(),
            (0..len)
                .map(|k| {
                    let [a, _, c] = value(k);
                    [a, 1, c]
                })
                .collect::<Vec<_>>()
        );
    }
}

/// A part without elements has no first one, whose position it could start from.
#[test]
fn empty_slices_start_at_the_start() {
    let mut view = alloc_from_fn::<Value, SoA, _>([4, 5], |[i, j]| value(10 * i + j)).unwrap();
    let start = format!("{:?}", view.slice((..0, ..)).mapping().linearization());
    assert!(start.contains("offset: 0"), "{start}");
    assert_eq!(format!("{:?}", view.slice((4.., ..)).mapping().linearization()), start);
    assert_eq!(format!("{:?}", view.slice((2..2, ..)).mapping().linearization()), start);
    assert_eq!(view.slice((.., step(5.., -1))).len(), 0);
    for at in [0, 4] {
        let (low, high) = view.split_at(0, at).unwrap();
        let empty = if at == 0 { low } else { high };
        assert_eq!((empty.extents(), empty.to_vec().len()), ([0, 5], 0));
        assert!(format!("{:?}", empty.mapping().linearization()).contains("offset: 0"));
    }
}

/// Lanes over elements that share bytes are what single elements are.
#[test]
fn lanes_over_elements_that_share_bytes() {
    fn check<const W: usize, M: Mapping<Record = Value>, B: Blobs<Address: Address>>(view: &View<M, B>) {
        let mut single = Vec::new();
        view.for_each(|record| single.push(record.load()));
        let lanes = core::cell::RefCell::new(Vec::new());
        view.for_each_lanes::<W>(
            |record| {
                let [a, b, c] = [record.element::<0>().get(), record.element::<1>().get(), record.at(2).get()];
                lanes.borrow_mut().extend((0..W).map(|i| [a.to_array()[i], b.to_array()[i], c.to_array()[i]]));
            },
            |record| lanes.borrow_mut().push(record.load()),
        );
        // Elements that are no whole group may come first.
        let mut lanes = lanes.into_inner();
        lanes.sort_unstable();
        single.sort_unstable();
        assert_eq!(lanes, single, "by {W}");
    }
    fn check_all<M: Mapping<Record = Value>, B: Blobs<Address: Address>>(view: &View<M, B>) {
        check::<1, _, _>(view);
        check::<2, _, _>(view);
        check::<4, _, _>(view);
        check::<8, _, _>(view);
        check::<16, _, _>(view);
    }
    fn overlapping<L: RecordLayout<Value> + Default>() {
        let bytes = alloc_from_fn::<Value, L, _>(60, |[k]| value(k)).unwrap();
        for strides in [[0, 1], [1, 0], [1, 1], [0, 0], [2, 1], [-1, 1], [1, 2]] {
            let order = Strided::<Dim<2>>::new(20, strides);
            let mapping = Mapped::<Value, _, L, _>::with(extents!(dyn 3, dyn 18), L::default(), order).unwrap();
            if L::BLOBS == 1 {
                let memory = Aligned::of(bytes.blob_bytes(0));
                check_all(&View::from_bytes(mapping, memory.bytes()).unwrap());
            } else {
                let memory: [Aligned; 3] = core::array::from_fn(|blob| Aligned::of(bytes.blob_bytes(blob)));
                check_all(&View::from_blobs(mapping, memory.each_ref().map(Aligned::bytes)).unwrap());
            }
        }
    }
    overlapping::<AoS>();
    overlapping::<AoS<Packed>>();
    overlapping::<SoA>();
    overlapping::<AoSoA<8>>();
    overlapping::<AoSoA<3>>();
    check_all(&View::constant(Mapped::<Value, _, One>::new(extents!(dyn 37)).unwrap(), value(5)).unwrap());
}

#[test]
fn steps_beyond_every_index_leave_one() {
    let view = alloc_from_fn::<usize, SoA, _>(5, |[i]| i).unwrap();
    for far in [isize::MAX, isize::MIN, isize::MAX / 2 + 1] {
        let first = if far < 0 { 4 } else { 0 };
        assert_eq!(view.slice((step(step(.., 2), far),)).to_vec(), [first]);
        assert_eq!(view.slice((step(step(.., -2), far),)).to_vec(), [4 - first]);
        assert!(view.slice((step(step(2..2, 2), far),)).is_empty());
    }
    let error = view.try_slice((step(step(.., 2), 0),)).err();
    assert_eq!(error, Some(SliceError::Step { dimension: 0 }));
}

#[test]
fn an_alignment_that_is_no_power_of_two_is_named() {
    for align in [0, 3, 96, usize::MAX] {
        for size in [0, 100] {
            let error = Heap::zeroed(size, align).err().unwrap();
            assert_eq!(error.to_string(), format!("memory aligned to {align} bytes was asked for: use a power of two"));
        }
    }
}

#[test]
fn numbers_of_leaves_that_are_not_there_have_no_name() {
    let name = |tree: &'static Node, leaf: usize| tree.leaf_name(leaf).to_string();
    assert_eq!((name(<[[u8; 0]; 3]>::TREE, 0), name(<[[u8; 0]; 3]>::TREE, 7)), ("?".to_owned(), "?".to_owned()));
    assert_eq!((name(<[[u8; 2]; 3]>::TREE, 5), name(<[[u8; 2]; 3]>::TREE, 6)), ("[2][1]".to_owned(), "?".to_owned()));
    assert_eq!((name(u8::TREE, 0), name(u8::TREE, 1)), ("u8".to_owned(), "?".to_owned()));
}
