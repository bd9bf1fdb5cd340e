//! Every record layout times every linearization, at all small extents, for records of many shapes.
//!
//! ```text
//! places     in bounds, aligned, non-overlapping bit by bit, at every extent up to 4 x 4 x 4
//! writes     equal to a `Vec` of structs after writes of every kind, and no other byte of memory changes
//! ```
//!
//! Places and writes take the positions that a linearization gives from a list ([`Listed`]): a test is then compiled
//! once for each layout of each record, and not once more for each linearization of each rank. What the type of a
//! linearization changes is how a view is walked: see `walks/mapped.rs`.

use core::fmt;
use core::num::{NonZeroU16, NonZeroU32};
use std::collections::BTreeSet;

use bytemuck::{CheckedBitPattern, NoUninit};
use layout::author::{Check, region_align};
use layout::index::{IndexArray, IntoIndex, Rank};
use layout::record::Root;
use layout::slot::{AccessMut, Scalar};
use layout::{
    AoS, AoSoA, ArrayExtents, BlobsMut, ColMajor, Dim, Dyn, Extents, Inline, Linearization, Mapped, Mapping, Morton,
    Native, Ordered, Owned, Packed, PaddedRows, Permuted, Place, Record, RecordLayout, Region, RowMajor, SoA,
    SoASingle, Static, Strided, Tiled, Transposed, View, dimensions, extents, fastest_first,
};
use support::buffer::Buffer;
use support::indices::indices;
use support::layouts::{VisitLayout, each_layout};
use support::listed::Listed;
use support::random::Random;
use support::strides::{mixed, strides, unit_first, unit_last};

// ---- Records ----

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Vec3<T: Record> {
    x: T,
    y: T,
    z: T,
}

/// Seven `f32`, nested.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle {
    pos: Vec3<f32>,
    vel: Vec3<f32>,
    mass: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Pair<A: Record, B: Record>(A, B);

/// Generics in generics.
type Nested = Pair<Pair<Vec3<u16>, f64>, Vec3<u8>>;

/// Arrays, and arrays of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Arrays {
    id: u8,
    counts: [u16; 3],
    matrix: [[f32; 2]; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Corner {
    on: u8,
    at: i32,
}

/// An array of records.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Shape {
    corners: [Corner; 3],
    id: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Mixed(u8, f64, u16, i32);

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Pixel {
    r: u8,
    g: u8,
    b: i8,
}

/// A leaf of the user's own, aligned to 16.
#[derive(Clone, Copy, Debug, PartialEq, Record, NoUninit, CheckedBitPattern)]
#[record(leaf)]
#[repr(C, align(16))]
struct Quad([f32; 4]);

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Wide {
    tag: u8,
    quad: Quad,
    wide: u128,
}

/// Leaves with invalid bit patterns.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Flags {
    on: bool,
    letter: char,
    id: NonZeroU16,
    next: Option<NonZeroU32>,
}

/// A record with values, and with its leaves spelled out.
trait Sample: Record + PartialEq + fmt::Debug {
    /// A value that differs from those of 250 other seeds.
    fn sample(seed: usize) -> Self;

    /// The bytes of each leaf.
    fn bytes(&self) -> Vec<Vec<u8>>;

    /// Writes each leaf by its name.
    fn poke<A: Scalar + AccessMut<Record = Self>>(self, slots: &mut Self::Slots<A, Root<Self>>);

    /// Calls [`write_all`] for a view of a blob for each leaf.
    fn write_blobs<M: Tested<Record = Self>>(mapping: M, blobs: &mut [Buffer], random: &mut Random) -> Vec<Self>;
}

/// A record with its leaves: the value and the slot of each.
macro_rules! sample {
    ($record:ty, $leaves:literal, |$seed:ident| $make:expr, |$v:ident, $s:ident| $([$value:expr, $slot:expr])+) => {
        impl Sample for $record {
            fn sample(seed: usize) -> Self {
                let $seed = Seed(seed);
                $make
            }

            fn bytes(&self) -> Vec<Vec<u8>> {
                let $v = self;
                vec![$(bytemuck::bytes_of(&$value).to_vec()),+]
            }

            fn poke<A: Scalar + AccessMut<Record = Self>>(self, $s: &mut Self::Slots<A, Root<Self>>) {
                let $v = &self;
                $($slot.store($value);)+
            }

            fn write_blobs<M: Tested<Record = Self>>(mapping: M, blobs: &mut [Buffer], random: &mut Random) -> Vec<Self> {
                let mut blobs = blobs.iter_mut().map(Buffer::bytes_mut);
                let blobs: [&mut [u8]; $leaves] = core::array::from_fn(|_| blobs.next().unwrap());
                write_all(&mut View::from_blobs_mut(mapping, blobs).unwrap(), random)
            }
        }
    };
}

sample! {
    f64, 1, |seed| seed.f64(0), |v, s| [*v, s]
}

sample! {
    Particle, 7,
    |seed| Self {
        pos: Vec3 { x: seed.f32(0), y: seed.f32(1), z: seed.f32(2) },
        vel: Vec3 { x: seed.f32(3), y: seed.f32(4), z: seed.f32(5) },
        mass: seed.f32(6),
    },
    |v, s| [v.pos.x, s.pos.x] [v.pos.y, s.pos.y] [v.pos.z, s.pos.z]
        [v.vel.x, s.vel.x] [v.vel.y, s.vel.y] [v.vel.z, s.vel.z] [v.mass, s.mass]
}

sample! {
    Nested, 7,
    |seed| Pair(
        Pair(Vec3 { x: seed.u16(0), y: seed.u16(1), z: seed.u16(2) }, seed.f64(3)),
        Vec3 { x: seed.u8(4), y: seed.u8(5), z: seed.u8(6) },
    ),
    |v, s| [v.0.0.x, s.0.0.x] [v.0.0.y, s.0.0.y] [v.0.0.z, s.0.0.z] [v.0.1, s.0.1]
        [v.1.x, s.1.x] [v.1.y, s.1.y] [v.1.z, s.1.z]
}

sample! {
    Arrays, 8,
    |seed| Self {
        id: seed.u8(0),
        counts: [seed.u16(1), seed.u16(2), seed.u16(3)],
        matrix: [[seed.f32(4), seed.f32(5)], [seed.f32(6), seed.f32(7)]],
    },
    |v, s| [v.id, s.id]
        [v.counts[0], s.counts.at_mut(0)]
        [v.counts[1], s.counts.element_mut::<1>()]
        [v.counts[2], s.counts.at_mut(2)]
        [v.matrix[0][0], s.matrix.at_mut(0).at_mut(0)]
        [v.matrix[0][1], s.matrix.element_mut::<0>().at_mut(1)]
        [v.matrix[1][0], s.matrix.at_mut(1).element_mut::<0>()]
        [v.matrix[1][1], s.matrix.at_mut(1).at_mut(1)]
}

sample! {
    Shape, 7,
    |seed| Self {
        corners: [0, 1, 2].map(|k| Corner { on: seed.u8(k), at: seed.i32(k + 3) }),
        id: u64::from(seed.u8(6)) << 56,
    },
    |v, s| [v.corners[0].on, s.corners.at_mut(0).on]
        [v.corners[0].at, s.corners.at_mut(0).at]
        [v.corners[1].on, s.corners.element_mut::<1>().on]
        [v.corners[1].at, s.corners.at_mut(1).at]
        [v.corners[2].on, s.corners.at_mut(2).on]
        [v.corners[2].at, s.corners.element_mut::<2>().at]
        [v.id, s.id]
}

sample! {
    Mixed, 4, |seed| Self(seed.u8(0), seed.f64(1), seed.u16(2), seed.i32(3)),
    |v, s| [v.0, s.0] [v.1, s.1] [v.2, s.2] [v.3, s.3]
}

sample! {
    Pixel, 3, |seed| Self { r: seed.u8(0), g: seed.u8(1), b: seed.u8(2).cast_signed() },
    |v, s| [v.r, s.r] [v.g, s.g] [v.b, s.b]
}

sample! {
    Wide, 3, |seed| Self { tag: seed.u8(0), quad: Quad([1, 2, 3, 4].map(|k| seed.f32(k))), wide: seed.u128(5) },
    |v, s| [v.tag, s.tag] [v.quad, s.quad] [v.wide, s.wide]
}

sample! {
    Flags, 4,
    |seed| Self {
        on: seed.0.is_multiple_of(2),
        letter: char::from(seed.u8(0)),
        id: NonZeroU16::new(seed.u16(1)).unwrap(),
        next: NonZeroU32::new(u32::from(seed.u8(2)) % 7),
    },
    |v, s| [v.on, s.on] [v.letter, s.letter] [v.id, s.id] [v.next, s.next]
}

trait VisitRecord {
    fn visit<R: Sample>(&mut self);
}

fn each_record(visit: &mut impl VisitRecord) {
    visit.visit::<f64>();
    visit.visit::<Particle>();
    visit.visit::<Nested>();
    visit.visit::<Arrays>();
    visit.visit::<Shape>();
    visit.visit::<Mixed>();
    visit.visit::<Pixel>();
    visit.visit::<Wide>();
    visit.visit::<Flags>();
}

/// Gives a different number for each leaf of a sample.
struct Seed(usize);

impl Seed {
    fn u8(&self, leaf: usize) -> u8 {
        u8::try_from((self.0 + leaf * 37) % 251).unwrap()
    }

    fn f32(&self, leaf: usize) -> f32 {
        f32::from(self.u8(leaf)) + 0.25
    }

    fn f64(&self, leaf: usize) -> f64 {
        f64::from(self.u8(leaf)) * -1.0e-100
    }

    fn u16(&self, leaf: usize) -> u16 {
        u16::from(self.u8(leaf)) * 257 + 1
    }

    fn i32(&self, leaf: usize) -> i32 {
        -i32::from(self.u8(leaf)) * 0x0080_8081
    }

    fn u128(&self, leaf: usize) -> u128 {
        u128::from(self.u8(leaf)) << 120 | u128::from(self.u8(leaf + 1))
    }
}

// ---- Linearizations ----

trait VisitLinearization<A: IndexArray> {
    fn visit<L: Linearization<A>>(&mut self, linearization: L, extents: A);

    /// It, and its transpose.
    fn visit_both<L: Linearization<A>>(&mut self, make: impl Fn(A) -> L, extents: A) {
        self.visit(make(extents), extents);
        self.visit(Transposed(make(extents.reversed())), extents);
    }
}

/// All linearizations of a rank.
trait TestRank: Rank {
    fn each_ordered(visit: &mut impl VisitLinearization<Self::Array>, extents: Self::Array);

    fn each_linearization(visit: &mut impl VisitLinearization<Self::Array>, extents: Self::Array) {
        let rank = Self::Array::RANK;
        visit.visit_both(|_| RowMajor, extents);
        visit.visit_both(|_| ColMajor, extents);
        Self::each_ordered(visit, extents);
        let strided = |(offset, strides)| Strided::<Self>::new(offset, strides);
        visit.visit_both(|extents| strided(strides(extents, (0..rank).rev(), 2, 3, |_| false)), extents);
        visit.visit_both(|extents| strided(strides(extents, 0..rank, 1, 0, |_| true)), extents);
        visit.visit_both(mixed::<Self>, extents);
        visit.visit_both(unit_first::<Self>, extents);
        visit.visit_both(unit_last::<Self>, extents);
        visit.visit_both(|_| Morton, extents);
        visit.visit_both(|_| PaddedRows::<1>, extents);
        visit.visit_both(|_| PaddedRows::<3>, extents);
        visit.visit_both(|_| PaddedRows::<8>, extents);
    }
}

macro_rules! test_ranks {
    ($($rank:literal: $([$($order:literal),*])+, $([$tile:ty])*;)+) => {$(
        impl TestRank for Dim<$rank> {
            fn each_ordered(visit: &mut impl VisitLinearization<[usize; $rank]>, extents: [usize; $rank]) {
                $(
                    visit.visit_both(|_| Ordered::<{ fastest_first([$($order),*]) }>, extents);
                    visit.visit_both(|_| Permuted::<{ dimensions([$($order),*]) }, _>(RowMajor), extents);
                    visit.visit_both(|_| Permuted::<{ dimensions([$($order),*]) }, _>(PaddedRows::<3>), extents);
                    visit.visit_both(|_| Permuted::<{ dimensions([$($order),*]) }, _>(Morton), extents);
                )+
                $(visit.visit_both(|_| <$tile>::default(), extents);)*
            }
        }
    )+};
}

test_ranks! {
    0: [], [Tiled<0>];
    1: [0], [Tiled<1>] [Tiled<2>] [Tiled<3>] [Tiled<8>];
    2: [1, 0] [0, 1], [Tiled<1, 1>] [Tiled<2, 2>] [Tiled<3, 2>] [Tiled<1, 4>] [Tiled<5, 3>];
    3: [1, 2, 0] [0, 1, 2] [0, 2, 1] [1, 0, 2] [2, 0, 1] [2, 1, 0],
       [Tiled<2, 2, 2>] [Tiled<1, 2, 4>] [Tiled<3, 1, 2>] [Tiled<2, 3, 3>];
}

/// All extents of a rank up to 4 in each dimension.
fn small_extents<A: IndexArray>() -> Vec<A> {
    let mut fives = A::ZERO;
    fives.as_mut().fill(5);
    indices(fives)
}

/// Extents whose indices are arrays of `usize`.
trait TestedExtents:
    Extents<Index = usize, Array: IntoIndex<usize, <Self as Extents>::Rank, Array = <Self as Extents>::Array>>
{
}

impl<E> TestedExtents for E where
    E: Extents<Index = usize, Array: IntoIndex<usize, <E as Extents>::Rank, Array = <E as Extents>::Array>>
{
}

trait Tested: Mapping<Record: Sample, Extents: TestedExtents> {}

impl<M: Mapping<Record: Sample, Extents: TestedExtents>> Tested for M {}

fn dynamic<D: Rank>(extents: D::Array) -> ArrayExtents<usize, D::Dynamic<usize>> {
    Extents::from_array(extents).unwrap()
}

type DynMapped<R, D, L, Lin> = Mapped<R, ArrayExtents<usize, <D as Rank>::Dynamic<usize>>, L, Lin>;

#[test]
fn linearizations_keep_their_promises() {
    struct Promises(usize);

    impl<A: IndexArray> VisitLinearization<A> for Promises {
        fn visit<L: Linearization<A>>(&mut self, linearization: L, extents: A) {
            let fitted = linearization.fit(extents).unwrap();
            let Listed { positions, span } = Listed::of(&fitted, extents);
            let mut taken = vec![false; span];
            for position in positions {
                assert!(!core::mem::replace(&mut taken[*position], true), "a position has one index");
            }
            assert!(fitted.is_unique(extents) && L::UNIQUE != Some(false));
            assert!(L::STRIDED || L::RUN < 2 || L::INNER.is_some());
            for index in indices(extents) {
                for dimension in 0..A::RANK {
                    let mut next = index;
                    next.as_mut()[dimension] += 1;
                    if !extents.encloses(next) {
                        continue;
                    }
                    let (here, next) = (fitted.position(extents, index), fitted.position(extents, next));
                    if L::STRIDED {
                        let stride = fitted.stride(extents, dimension);
                        assert_eq!(Some(next), here.checked_add_signed(stride));
                        assert!(L::INNER != Some(dimension) || stride == 1);
                    } else if L::INNER == Some(dimension) && L::RUN > 1 {
                        let jumps = (here + 1).is_multiple_of(L::RUN);
                        assert!(if jumps { next.is_multiple_of(L::RUN) } else { next == here + 1 }, "runs");
                    }
                }
            }
            let nest = fitted.nest(extents);
            let mut dimensions = nest.as_ref().to_vec();
            assert!(L::INNER.is_none_or(|inner| dimensions.last() == Some(&inner)));
            if L::EXHAUSTIVE {
                assert!(taken.iter().all(|taken| *taken), "every position has its index");
                let mut nested = extents;
                for (extent, dimension) in nested.as_mut().iter_mut().zip(nest.as_ref()) {
                    *extent = extents.as_ref()[*dimension];
                }
                for (expected, walked) in indices(nested).into_iter().enumerate() {
                    let mut index = A::ZERO;
                    for (entry, dimension) in walked.as_ref().iter().zip(nest.as_ref()) {
                        index.as_mut()[*dimension] = *entry;
                    }
                    assert_eq!(fitted.position(extents, index), expected, "the nest counts up");
                }
            }
            dimensions.sort_unstable();
            assert!(dimensions.into_iter().eq(0..A::RANK), "the nest is a permutation");
            self.0 += 1;
        }
    }

    fn check<D: TestRank>(promises: &mut Promises) {
        for extents in small_extents::<D::Array>() {
            D::each_linearization(promises, extents);
        }
    }

    let mut promises = Promises(0);
    check::<Dim<0>>(&mut promises);
    check::<Dim<1>>(&mut promises);
    check::<Dim<2>>(&mut promises);
    check::<Dim<3>>(&mut promises);
    println!("{} linearizations fitted to extents", promises.0);
}

impl<A: IndexArray> VisitLinearization<A> for BTreeSet<Listed> {
    fn visit<L: Linearization<A>>(&mut self, linearization: L, extents: A) {
        self.insert(Listed::of(&linearization.fit(extents).unwrap(), extents));
    }
}

/// The lists that the linearizations become at the extents of a rank.
fn lists<D: TestRank>(extents: impl IntoIterator<Item = D::Array>, lists: &mut BTreeSet<Listed>) {
    extents.into_iter().for_each(|extents| D::each_linearization(lists, extents));
}

/// The mapping of the elements of a list.
fn listed<R: Record, L: RecordLayout<R> + Default>(list: Listed) -> DynMapped<R, Dim<1>, L, Listed> {
    Mapped::with(dynamic::<Dim<1>>([list.positions.len()]), L::default(), list).unwrap()
}

// ---- Places: in bounds, aligned, non-overlapping ----

#[test]
fn places_are_in_bounds_and_aligned_and_do_not_overlap() {
    struct AllPlaces(BTreeSet<Listed>);

    impl<R: Sample> VisitLayout<R> for AllPlaces {
        fn visit<L: RecordLayout<R> + Default>(&mut self) {
            let check = Check::new();
            self.0.iter().for_each(|list| check.places(listed::<R, L>(*list)));
        }
    }

    impl VisitRecord for AllPlaces {
        fn visit<R: Sample>(&mut self) {
            each_layout::<R>(self);
        }
    }

    let mut all = AllPlaces(BTreeSet::new());
    lists::<Dim<0>>(small_extents(), &mut all.0);
    lists::<Dim<1>>(small_extents(), &mut all.0);
    lists::<Dim<2>>(small_extents(), &mut all.0);
    lists::<Dim<3>>(small_extents(), &mut all.0);
    println!("{} different linearized extents for each layout of each record", all.0.len());
    each_record(&mut all);
}

// ---- Writes: equal to a `Vec` of structs ----

/// Bytes at a multiple of 64 that is none of 128.
fn buffer(len: usize) -> Buffer {
    Buffer::at(64, len)
}

/// The buffers of a mapping as they should be: `records` at their places, and no other byte written. One buffer for
/// each blob, or with `region` one for all.
fn laid_out<M: Mapping<Record: Sample>>(mapping: &M, records: &[M::Record], region: bool) -> Vec<Buffer> {
    let mut buffers: Vec<Buffer> = if region {
        vec![buffer(mapping.layout().region_size(mapping.span()))]
    } else {
        (0..M::Layout::BLOBS).map(|blob| buffer(mapping.blob_size(blob))).collect()
    };
    let extents = mapping.extents().array();
    for (index, record) in indices(extents).into_iter().zip(records) {
        for (leaf, bytes) in record.bytes().iter().enumerate() {
            let Place { blob, offset } = mapping.place_of(index, leaf);
            let start = M::Layout::blob_start(mapping.frame(), blob);
            let (blob, offset) = if region { (0, start + offset) } else { (blob, offset) };
            buffers[blob].bytes_mut()[offset..offset + bytes.len()].copy_from_slice(bytes);
        }
    }
    buffers
}

fn samples<R: Sample>(count: usize, seed: usize) -> Vec<R> {
    (0..count).map(|k| R::sample(seed + k)).collect()
}

/// Writes through every kind of access, checks each reading on the way, and gives the elements in row-major order.
fn write_all<M: Tested, B: BlobsMut>(view: &mut View<M, B>, random: &mut Random) -> Vec<M::Record> {
    let all = indices(view.extents());
    let mut records: Vec<M::Record> = samples(all.len(), 0);
    assert_eq!(view.to_vec(), records, "what was laid out is read");

    for (index, record) in all.iter().zip(&mut records) {
        let value = M::Record::sample(100 + random.below(50));
        match random.below(4) {
            0 => view.set(*index, value),
            1 => M::Record::store(value, &mut view.at_mut(*index)),
            2 => value.poke(&mut view.at_mut(*index)),
            _ => continue,
        }
        *record = value;
        assert_eq!(view.load(*index), value);
        assert_eq!(M::Record::load(&view.at(*index)), value);
    }
    assert_eq!(view.to_vec(), records, "single writes change nothing else");

    // Each element is told from the others by its value, and replaced by that of its successor.
    records = samples(all.len(), 50);
    view.for_each_indexed_mut(|index, mut slots| {
        records[all.iter().position(|other| *other == index).unwrap()].poke(&mut slots);
    });
    assert_eq!(view.to_vec(), records);
    let mut visited = vec![0; all.len()];
    let mut step = |value: M::Record| {
        let k = records.iter().position(|record| *record == value).unwrap();
        visited[k] += 1;
        M::Record::sample(120 + k)
    };
    view.for_each_mut(|mut slots| step(M::Record::load(&slots)).poke(&mut slots));
    assert!(visited.iter().all(|count| *count == 1), "each element once");

    records = samples(all.len(), 120);
    assert_eq!(view.to_vec(), records);
    let mut visited = vec![0; all.len()];
    for mut slots in view.iter_mut() {
        let k = records.iter().position(|record| *record == M::Record::load(&slots)).unwrap();
        visited[k] += 1;
        M::Record::sample(10 + k).store(&mut slots);
    }
    assert!(visited.iter().all(|count| *count == 1), "each element once");
    let mut walked = Vec::new();
    view.for_each(|slots| walked.push(M::Record::load(&slots)));
    assert!(view.iter().map(|slots| M::Record::load(&slots)).eq(walked.iter().copied()), "one order");
    samples(all.len(), 10)
}

/// Writes each element alone.
fn write_each<M: Tested, B: BlobsMut>(view: &mut View<M, B>) -> Vec<M::Record> {
    let all = indices(view.extents());
    assert_eq!(view.to_vec(), samples(all.len(), 0));
    let records: Vec<M::Record> = samples(all.len(), 100);
    for (index, record) in all.into_iter().zip(&records) {
        record.poke(&mut view.at_mut(index));
    }
    assert_eq!(view.to_vec(), records);
    records
}

/// Asserts that the records lie where they should, and that nothing was written elsewhere.
fn assert_laid_out<M: Tested>(mapping: &M, records: &[M::Record], buffers: &[Buffer], region: bool) {
    for (buffer, expected) in buffers.iter().zip(laid_out(mapping, records, region)) {
        assert!(buffer.bytes() == expected.bytes(), "{mapping:?}, {records:?}");
    }
}

/// Writes to one allocation for all blobs.
fn check_region<M: Tested>(mapping: M, write: impl FnOnce(&mut View<M, Region<&mut [u8]>>) -> Vec<M::Record>) {
    let before = samples(mapping.extents().volume().unwrap(), 0);
    let mut buffers = laid_out(&mapping, &before, true);
    let records = write(&mut View::from_bytes(mapping, buffers[0].bytes_mut()).unwrap());
    assert_laid_out(&mapping, &records, &buffers, true);
}

/// The linearized extents that are written to.
fn written_lists() -> BTreeSet<Listed> {
    let mut all = BTreeSet::new();
    lists::<Dim<0>>([[]], &mut all);
    lists::<Dim<1>>([[0], [1], [7]], &mut all);
    lists::<Dim<2>>([[3, 4]], &mut all);
    lists::<Dim<3>>([[3, 2, 3]], &mut all);
    all
}

/// Each layout of each record, with one way to write: what the ways have in common is where leaves lie.
#[test]
fn writes_equal_those_to_a_vec() {
    struct Writes(BTreeSet<Listed>);

    impl<R: Sample> VisitLayout<R> for Writes {
        fn visit<L: RecordLayout<R> + Default>(&mut self) {
            let check = Check::new().values(|random| R::sample(usize::try_from(random % 250).unwrap()));
            self.0.iter().for_each(|list| check.mapping(listed::<R, L>(*list)));
        }
    }

    impl VisitRecord for Writes {
        fn visit<R: Sample>(&mut self) {
            each_layout::<R>(self);
        }
    }

    let all = written_lists();
    println!("{} different linearized extents for each layout of each record", all.len());
    each_record(&mut Writes(all));
}

/// Every way to write: each layout of one record, and two layouts of each.
#[test]
fn writes_of_every_kind_equal_those_to_a_vec() {
    struct Writes(BTreeSet<Listed>, Random);

    impl<R: Sample> VisitLayout<R> for Writes {
        fn visit<L: RecordLayout<R> + Default>(&mut self) {
            for list in &self.0 {
                let mapping = listed::<R, L>(*list);
                check_region(mapping, |view| write_all(view, &mut self.1));
                let mut buffers = laid_out(&mapping, &samples(list.positions.len(), 0), false);
                let blobs = [buffers[0].bytes_mut()];
                let records = write_each(&mut View::from_blobs_mut(mapping, blobs).unwrap());
                assert_laid_out(&mapping, &records, &buffers, false);
            }
        }

        fn visit_many<L: RecordLayout<R> + Default>(&mut self) {
            for list in &self.0 {
                let mapping = listed::<R, L>(*list);
                let mut buffers = laid_out(&mapping, &samples(list.positions.len(), 0), false);
                let records = R::write_blobs(mapping, &mut buffers, &mut self.1);
                assert_laid_out(&mapping, &records, &buffers, false);
            }
        }
    }

    impl VisitRecord for Writes {
        fn visit<R: Sample>(&mut self) {
            VisitLayout::<R>::visit_many::<SoA>(self);
            VisitLayout::<R>::visit::<AoSoA<3>>(self);
        }
    }

    let mut writes = Writes(written_lists(), Random(1));
    each_layout::<Mixed>(&mut writes);
    each_record(&mut writes);
}

// ---- Sizes: what is known by type is not stored ----

#[test]
fn what_is_known_by_type_is_not_stored() {
    type Known = layout::extents!(type 4, 8);
    type Half = layout::extents!(type u16: dyn, 8);
    type KnownSoA = Mapped<Particle, Known, SoA>;

    assert_eq!(size_of::<Known>(), 0);
    assert_eq!(size_of::<ArrayExtents<u128, (Static<2>, Static<3>, Static<4>)>>(), 0);
    assert_eq!(size_of::<ArrayExtents<usize, ()>>(), 0);
    assert_eq!(size_of::<Half>(), 2);
    assert_eq!(size_of::<ArrayExtents<u32, (Dyn, Static<9>, Dyn)>>(), 8);

    assert_eq!(size_of::<KnownSoA>(), 0);
    assert_eq!(size_of::<Mapped<Particle, Known, AoS<Packed, Native>, ColMajor>>(), 0);
    assert_eq!(size_of::<Mapped<Particle, Known, AoSoA<8>, Ordered<{ fastest_first([1, 0]) }>>>(), 0);
    assert_eq!(size_of::<Mapped<Particle, Known, SoASingle, Transposed<RowMajor>>>(), 0);
    assert_eq!(size_of::<Mapped<Particle, Half, SoA>>(), 2);

    // A view adds what its memory is: a piece of the heap, the bytes, a fat pointer.
    assert_eq!(size_of::<Owned<KnownSoA>>(), size_of::<layout::blob::Heap>());
    assert_eq!(size_of::<View<KnownSoA, Region<Inline<1024>>>>(), 1024);
    assert_eq!(size_of::<View<KnownSoA, Region<&[u8]>>>(), size_of::<&[u8]>());

    const BYTES: usize = <SoA>::region_bytes::<Particle>(32);
    let mapping = KnownSoA::new(extents!(4, 8)).unwrap();
    assert_eq!(RecordLayout::<Particle>::region_size(mapping.layout(), 32), BYTES);
    let mut view = View::<_, Region<Inline<BYTES>>>::inline(mapping).unwrap();
    assert_eq!(size_of_val(&view), BYTES.next_multiple_of(64));
    view.set([3, 7], Particle::sample(5));
    let moved = view;
    assert_eq!(moved.load([3, 7]), Particle::sample(5));
    assert_eq!(region_align::<Particle>(), 64);
}
