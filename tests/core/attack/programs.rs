//! Random programs over views: what they read is what a `Vec` of the records has, and no other byte changes hands.
//!
//! `LAYOUT_ATTACKS=100` runs a hundred times as many.

use bytemuck::{CheckedBitPattern, NoUninit};
use layout::composed::{Bytesplit, ChangeType, Split};
use layout::options::AlignTo;
use layout::part::TargetFields;
use layout::prelude::*;
use layout::record::{Child, Root};
use layout::{
    Dim, Linearization, Ordered, PaddedRows, RecordLayout, Strided, StridedLinearization, fastest_first, path, step,
};
use support::random::Random;

/// No bytes, at multiples of more than what memory is aligned to anyway.
#[derive(Clone, Copy, Debug, Default, PartialEq, NoUninit, CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(C, align(256))]
struct Marker {}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Inner {
    on: bool,
    none: [u32; 0],
    wide: u16,
}

/// Leaves without bytes, aligned to more than memory is, arrays of no elements, and bytes that are no `bool`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Odd {
    marker: Marker,
    flag: bool,
    inner: [Inner; 3],
    none: [bool; 0],
    value: u64,
    letter: char,
}

/// Some of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Part {
    value: u64,
    marker: Marker,
    flag: bool,
}

fn odd(random: &mut Random) -> Odd {
    let mut bit = || random.next() % 2 == 1;
    let inner = [(); 3].map(|()| Inner { on: bit(), none: [], wide: 7 });
    let (flag, number) = (bit(), random.next());
    let letter = char::from_u32(number as u32 % 0xd800).unwrap();
    // As much as `ChangeType` keeps.
    Odd { flag, inner, value: number >> 40, letter, ..Odd::default() }
}

type Grid<L, K> = Mapped<Odd, DynExtents<2>, L, K>;

/// A view, and what it is to show.
struct State<L: RecordLayout<Odd>, K: Linearization<[usize; 2]>> {
    view: Owned<Grid<L, K>>,
    extents: [usize; 2],
    model: Vec<Odd>,
}

/// A range below `extent`, and every how manieth index of it.
fn range(random: &mut Random, extent: usize) -> (core::ops::Range<usize>, isize) {
    let start = random.below(extent + 1);
    let end = start + random.below(extent + 1 - start);
    let by = [1, 1, 2, 3, -1, -2, isize::MAX, isize::MIN][random.below(8)];
    (start..end, by)
}

/// The indices of a [`range`], in its order.
fn indices((range, by): &(core::ops::Range<usize>, isize)) -> Vec<usize> {
    let every = by.unsigned_abs();
    let up = range.clone().step_by(every);
    if *by > 0 { up.collect() } else { range.clone().rev().step_by(every).collect() }
}

impl<L, K> State<L, K>
where
    L: RecordLayout<Odd> + Default,
    K: StridedLinearization<[usize; 2]> + Default,
{
    fn new(random: &mut Random) -> Self {
        let extents = [random.below(6), random.below(12)];
        let model: Vec<_> = (0..extents[0] * extents[1]).map(|_| odd(random)).collect();
        let mapping = Grid::<L, K>::new(DynExtents::<2>::new(extents).unwrap()).unwrap();
        let view = View::from_fn(mapping, |[i, j]| model[i * extents[1] + j]).unwrap();
        Self { view, extents, model }
    }

    fn model(&mut self, i: usize, j: usize) -> &mut Odd {
        &mut self.model[i * self.extents[1] + j]
    }

    /// One of the things that can be done with a view.
    fn step(&mut self, random: &mut Random) {
        let [height, width] = self.extents;
        let value = odd(random);
        let (i, j) = (random.below(height + 1), random.below(width + 1));
        let exists = i < height && j < width;
        match random.below(15) {
            0 => assert_eq!(self.view.try_at([i, j]).is_ok(), exists),
            1 if exists => {
                self.view.set([i, j], value);
                *self.model(i, j) = value;
            }
            2 if exists => {
                // Of slots that are exchanged each writes where the other did.
                let k = random.below(3);
                let mut slots = self.view.at_mut([i, j]);
                slots.flag.set(value.flag);
                slots.inner.at_mut(k).on.set(value.flag);
                slots.inner.element_mut::<1>().wide.set(9);
                slots.marker.set(Marker {});
                slots.none.store([]);
                let model = self.model(i, j);
                (model.flag, model.inner[k].on, model.inner[1].wide) = (value.flag, value.flag, 9);
            }
            3 => {
                let (rows, columns) = (range(random, height), range(random, width));
                let slice = (step(rows.0.clone(), rows.1), step(columns.0.clone(), columns.1));
                let (rows, columns) = (indices(&rows), indices(&columns));
                let mut view = self.view.slice_mut(slice);
                assert_eq!(view.extents(), [rows.len(), columns.len()]);
                view.field_mut(Odd::PATHS.value).fill(5);
                let mut part = view.transposed_mut();
                part.for_each_indexed_mut(|[j, i], mut slots| {
                    assert_eq!(slots.value.get(), 5);
                    slots.value.set((10 * i + j) as u64);
                });
                for (a, i) in rows.iter().enumerate() {
                    for (b, j) in columns.iter().enumerate() {
                        self.model(*i, *j).value = (10 * a + b) as u64;
                    }
                }
            }
            4 => {
                let (rows, _) = range(random, height);
                let slice = self.view.try_slice((rows.clone(), j));
                assert_eq!(slice.is_ok(), j < width);
                if let Ok(slice) = slice {
                    let expected: Vec<_> = rows.map(|i| self.model[i * width + j]).collect();
                    assert_eq!(slice.to_vec(), expected);
                    assert_eq!(slice.iter().map(|slots| slots.load()).collect::<Vec<_>>(), expected);
                }
            }
            5 => {
                let permuted = self.view.permuted([1, 0]).unwrap();
                let mut sum = 0;
                permuted.for_each_indexed(|[j, i], slots| {
                    assert_eq!(slots.load(), self.model[i * width + j]);
                    sum += 1;
                });
                assert_eq!(sum, self.model.len());
            }
            6 => {
                let (mut flags, mut rest) = self.view.split((Odd::PATHS.flag, Odd::PATHS.inner));
                flags.update(|flag| !flag);
                rest.for_each_mut(|mut inner| inner.element_mut::<2>().on.set(true));
                for odd in &mut self.model {
                    (odd.flag, odd.inner[2].on) = (!odd.flag, true);
                }
            }
            7 => {
                let middle = random.below(width + 1);
                let (mut low, mut high) = self.view.split_at(1, middle).unwrap();
                low.field_mut(Odd::PATHS.value).fill(1);
                high.field_mut(Odd::PATHS.value).fill(2);
                for (k, odd) in self.model.iter_mut().enumerate() {
                    odd.value = if k % width < middle { 1 } else { 2 };
                }
            }
            8 => {
                // All slots at once, written last to first.
                let mut slots: Vec<_> = self.view.iter_mut().collect();
                for slot in slots.iter_mut().rev() {
                    slot.inner.at_mut(0).wide += 1;
                }
                self.model.iter_mut().for_each(|odd| odd.inner[0].wide += 1);
            }
            9 => {
                self.view.for_each_lanes_mut::<4>(|mut odd| odd.value += 3, |mut odd| odd.value += 3);
                self.view.for_each_lanes_masked_mut::<8>(|mut odd, _| odd.value += 4);
                self.model.iter_mut().for_each(|odd| odd.value += 7);
            }
            10 => {
                if let Some(flags) = self.view.column_mut(Odd::PATHS.flag) {
                    flags.fill(true);
                    self.model.iter_mut().for_each(|odd| odd.flag = true);
                }
                let markers = self.view.column(Odd::PATHS.marker);
                assert!(markers.is_none_or(|markers| markers.as_ptr().is_aligned()));
            }
            11 => self.copy::<AoS>(random),
            12 => self.copy::<AoSoA<8>>(random),
            13 => self.take_from_both_ends(random),
            _ => self.copy::<SoASingle<Packed>>(random),
        }
        let shown = self.view.to_vec();
        assert_eq!(shown, self.model);
        assert!(shown.iter().all(|odd| u8::from(odd.flag) < 2 && odd.letter <= char::MAX));
    }

    /// Slots from both ends, with jumps, all kept: each element's once at most.
    fn take_from_both_ends(&mut self, random: &mut Random) {
        self.view.field_mut(Odd::PATHS.letter).fill('a');
        let mut iter = self.view.iter_mut();
        let (mut slots, mut left) = (Vec::new(), iter.len());
        while left > 0 {
            let further = random.below(3);
            let (slot, taken) = match random.below(4) {
                0 => (iter.next(), 1),
                1 => (iter.next_back(), 1),
                2 => (iter.nth(further), further + 1),
                _ => (iter.nth_back(further), further + 1),
            };
            assert_eq!(slot.is_some(), taken <= left);
            left = left.saturating_sub(taken);
            assert_eq!(iter.len(), left);
            slots.extend(slot);
        }
        assert!(iter.next().is_none() && iter.next_back().is_none());
        for slot in &mut slots {
            assert_eq!(slot.letter.get(), 'a');
            slot.letter.set('b');
        }
        let count = slots.len();
        for (odd, shown) in self.model.iter_mut().zip(self.view.to_vec()) {
            odd.letter = shown.letter;
        }
        assert_eq!(self.model.iter().filter(|odd| odd.letter == 'b').count(), count);
    }

    /// A part to another layout, changed there, and back.
    fn copy<N: RecordLayout<Odd> + RecordLayout<Part> + Default>(&mut self, random: &mut Random) {
        let (rows, columns) = (range(random, self.extents[0]).0, range(random, self.extents[1]).0);
        let slice = (rows.clone(), columns.clone());
        let extents = [rows.len(), columns.len()];
        let mut other = alloc::<Odd, N, _>(extents).unwrap();
        other.copy_from(&self.view.slice(slice.clone())).unwrap();
        let mut parts = alloc::<Part, N, _>(extents).unwrap();
        parts.copy_fields_from(&self.view.slice(slice.clone()), TargetFields).unwrap();
        zip((&mut other, &parts)).for_each(|(mut odd, part)| {
            assert_eq!((odd.value.get(), odd.flag.get()), (part.value.get(), part.flag.get()));
            odd.value += 1;
        });
        self.view.slice_mut(slice).copy_from(&other).unwrap();
        for i in rows {
            columns.clone().for_each(|j| self.model(i, j).value += 1);
        }
        assert!(self.view.copy_from(&alloc::<Odd, N, _>([1000, 1]).unwrap()).is_err());
    }
}

/// The factor for the number of programs.
fn times() -> usize {
    std::env::var("LAYOUT_ATTACKS").map_or(1, |times| times.parse().expect("`LAYOUT_ATTACKS` is a number"))
}

fn run<L: RecordLayout<Odd> + Default, K: StridedLinearization<[usize; 2]> + Default>() {
    for seed in 0..60 * times() {
        let mut random = Random(seed as u64);
        let mut state = State::<L, K>::new(&mut random);
        (0..12).for_each(|_| state.step(&mut random));
    }
}

#[test]
fn of_whole_structs() {
    run::<AoS, RowMajor>();
    run::<AoS<Packed>, PaddedRows<5>>();
    run::<AoS<layout::Aligned, layout::Native>, ColMajor>();
}

#[test]
fn of_columns() {
    run::<SoA, RowMajor>();
    run::<SoASingle<AlignTo<256>>, ColMajor>();
    run::<SoASingle<Packed>, Ordered<{ fastest_first([0, 1]) }>>();
}

#[test]
fn of_blocks() {
    run::<AoSoA<4>, RowMajor>();
    run::<AoSoA<3, Packed>, PaddedRows<7>>();
}

#[test]
fn of_layouts_in_layouts() {
    run::<Split<path!(Odd, inner), AoSoA<8>, SoA>, RowMajor>();
    run::<Split<path!(Odd, marker), AoS, Bytesplit<SoA>>, PaddedRows<3>>();
    run::<ChangeType<AoSoA<2>, u64, u32>, ColMajor>();
}

/// Bytes from anywhere, under any offset and strides: a view that is made shows values, and writes to its own bytes only.
fn bytes<L: RecordLayout<Odd> + Default>() {
    for seed in 0..300 * times() {
        let mut random = Random(seed as u64);
        let mut memory = vec![0xa5_u8; 4 << 10];
        for _ in 0..random.below(4) {
            let at = random.below(memory.len());
            memory[at..].fill(random.below(3) as u8);
        }
        let from = random.below(600);
        let some = from..from + random.below(3000);
        let extents = [random.below(4), random.below(5)];
        let extreme = [0, 1, 1, 2, 5, -1, isize::MAX, isize::MIN, 1 << 33];
        let strides = [extreme[random.below(9)], extreme[random.below(9)]];
        let strided = Strided::<Dim<2>>::new([0, 3, 7, usize::MAX][random.below(4)], strides);
        let extents = DynExtents::<2>::new(extents).unwrap();
        let Ok(mapping) = Mapped::<Odd, _, L, _>::with(extents, L::default(), strided) else { continue };
        if let Ok(view) = View::from_bytes(mapping, &memory[some.clone()]) {
            view.for_each(|odd| assert!(u8::from(odd.flag.get()) < 2 && odd.letter.get() <= char::MAX));
            let part = view.mapping().below::<Child<Root<Odd>, 1>>();
            let flags = View::from_bytes(part, &memory[some.clone()]).unwrap();
            assert_eq!(flags.to_vec(), view.field(Odd::PATHS.flag).to_vec());
        }
        let before = memory.clone();
        if let Ok(mut view) = View::from_bytes(mapping, &mut memory[some.clone()]) {
            assert!(mapping.is_unique());
            view.for_each_mut(|mut odd| odd.store(Odd { letter: 'x', ..Odd::default() }));
            view.for_each(|odd| assert_eq!(odd.letter.get(), 'x'));
        }
        let same = |range: core::ops::Range<usize>| memory[range.clone()] == before[range];
        assert!(same(0..some.start) && same(some.end..memory.len()));
    }
}

#[test]
fn of_bytes_from_anywhere() {
    bytes::<AoS<Packed>>();
    bytes::<AoS>();
    bytes::<SoA>();
    bytes::<SoASingle<Packed>>();
    bytes::<AoSoA<3, Packed>>();
    bytes::<Bytesplit<AoS>>();
}

/// Values that share bytes with their neighbors, in memory that ends with the last: slots are kept, and written in any
/// order.
#[test]
fn of_packed_bits() {
    fn run<L: RecordLayout<[i16; 3]> + Default>() {
        for seed in 0..60 * times() {
            let mut random = Random(seed as u64);
            let extents = [random.below(5), random.below(30)];
            let mapping = Mapped::<[i16; 3], _, L, PaddedRows<3>>::new(DynExtents::<2>::new(extents).unwrap()).unwrap();
            let size = mapping.layout().region_size(mapping.span());
            let mut memory = vec![0; size].into_boxed_slice();
            assert!(size == 0 || View::from_bytes(mapping, &memory[1..]).is_err());
            let mut view = View::from_bytes(mapping, &mut memory[..]).unwrap();
            let mut model = vec![[0; 3]; extents[0] * extents[1]];
            for _ in 0..20 {
                let mut number = || random.below(64) as i16 - 32;
                let value = [number(), number(), number()];
                let (i, j) = (random.below(extents[0] + 1), random.below(extents[1] + 1));
                if view.try_at([i, j]).is_ok() {
                    view.set([i, j], value);
                    model[i * extents[1] + j] = value;
                }
                let k = random.below(3);
                let mut slots: Vec<_> = view.iter_mut().skip(j).step_by(k + 1).collect();
                slots.iter_mut().rev().for_each(|slot| slot.at_mut(k).set(value[0]));
                let shown = view.to_vec();
                let changed = model.iter().zip(&shown).filter(|(model, shown)| model[k] != shown[k]).count();
                assert!(changed <= model.len().saturating_sub(j).div_ceil(k + 1));
                model.iter_mut().zip(&shown).for_each(|(model, shown)| model[k] = shown[k]);
                view.for_each_lanes_mut::<8>(
                    |mut slots| {
                        let last = slots.at(2).get();
                        slots.at_mut(1).set(last);
                    },
                    |mut slots| {
                        let last = slots.at(2).get();
                        slots.at_mut(1).set(last);
                    },
                );
                model.iter_mut().for_each(|model| model[1] = model[2]);
                assert_eq!(view.to_vec(), model);
            }
        }
    }
    run::<layout::bits::BitPackedIntSoA<layout::bits::Bits<6>>>();
    run::<layout::bits::BitPackedIntSoA<layout::bits::Bits<13>>>();
    run::<layout::bits::BitPackedIntAoS<layout::bits::Bits<7>>>();
    run::<Split<path!([i16; 3], [1]), SoA, layout::bits::BitPackedIntAoS<layout::bits::Bits<11>>>>();
}

/// Several threads at once, over a view and over a slice of it: each element is reached once by each walk.
#[cfg(feature = "rayon")]
#[test]
fn of_several_threads() {
    use rayon::iter::ParallelIterator;

    fn run<
        L: RecordLayout<Inner, Sharing = layout::author::Apart> + Default,
        K: StridedLinearization<[usize; 2]> + Default,
    >() {
        for seed in 0..4 * times() {
            let mut random = Random(seed as u64);
            let extents = [random.below(40), random.below(5000)];
            let mapping = Mapped::<Inner, _, L, K>::new(DynExtents::<2>::new(extents).unwrap()).unwrap();
            let mut view = View::zeroed(mapping).unwrap();
            view.par_for_each_mut(|mut inner| inner.wide += 1);
            view.par_iter_mut().for_each(|mut inner| inner.wide += 1);
            view.par_for_each_lanes_mut::<8>(|mut inner| inner.wide += 1, |mut inner| inner.wide += 1);
            view.par_for_each_lanes_masked_mut::<4>(|mut inner, _| inner.wide += 1);
            let other = View::from_fn(mapping, |_| Inner { wide: 10, ..Inner::default() }).unwrap();
            zip((&mut view, &other)).par_for_each(|(mut inner, other)| inner.wide += other.wide.get());
            let rows = range(&mut random, extents[0]);
            view.slice_mut((step(rows.0.clone(), rows.1), ..)).par_for_each_mut(|mut inner| inner.wide += 100);
            let rows = indices(&rows);
            let sliced = |i| u16::from(rows.contains(&i)) * 100;
            view.par_for_each_indexed(|[i, _], inner| assert_eq!(inner.wide.get(), 14 + sliced(i)));
            let mut target = alloc::<Inner, AoSoA<16>, _>(extents).unwrap();
            target.par_copy_from(&view).unwrap();
            assert_eq!(target, view);
        }
    }
    run::<AoS, RowMajor>();
    run::<SoA, ColMajor>();
    run::<AoSoA<8>, RowMajor>();
    run::<AoSoA<3, Packed>, PaddedRows<7>>();
    run::<Split<path!(Inner, on), AoS, SoA>, RowMajor>();
}
