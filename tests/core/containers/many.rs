//! Vectors of thousands of records: their memory grows, moves, and gets its elements piece by piece.

use layout::{Aligned, AoS, AoSoA, Packed, Record, RecordLayout, RecordVec, SoA};

use support::random::Random;

use super::{Nested, Sample, Strict};

/// No padding, as many bytes as no allocator aligns to.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Record)]
struct Dense {
    a: f32,
    b: [u16; 3],
    c: u16,
}

impl Sample for Dense {
    fn sample(seed: u16) -> Self {
        Self { a: f32::from(seed), b: [seed, 1, !seed], c: 7 }
    }

    fn key(&self) -> u16 {
        self.c
    }
}

/// More aligned than memory is by itself.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Record)]
#[repr(C, align(256))]
struct Page(u64);

impl Sample for Page {
    fn sample(seed: u16) -> Self {
        Self(seed.into())
    }

    fn key(&self) -> u16 {
        0
    }
}

impl Sample for u8 {
    fn sample(seed: u16) -> Self {
        seed.to_le_bytes()[0]
    }

    fn key(&self) -> u16 {
        (*self).into()
    }
}

/// As a `Vec` does, and the memory has values in it wherever a layout may look.
fn many<R: Sample, L: RecordLayout<R> + Default>() {
    for seed in 0..4 {
        let mut random = Random(seed);
        let (mut vec, mut model) = (RecordVec::<R, L>::new(), Vec::new());
        for _ in 0..40 {
            let most = 1 << random.below(13);
            let count = random.below(most);
            let seeds = (0..count).map(|_| random.below(1 << 16).try_into().expect("below that"));
            let some: Vec<R> = seeds.map(R::sample).collect();
            match random.below(10) {
                0 | 1 => some.iter().for_each(|r| vec.push(*r)),
                2 | 3 => vec.extend_from_slice(&some),
                4 => vec.extend(some.iter().copied()),
                5 => vec.extend(some.iter().copied().filter(|_| true)),
                6 => vec.extend_from_view(&RecordVec::<R, SoA>::from(&some[..]).as_view()),
                7 => {
                    vec.reserve(count);
                    assert!(vec.capacity() >= model.len() + count);
                    continue;
                }
                8 => {
                    vec.truncate(model.len().saturating_sub(count));
                    model.truncate(model.len().saturating_sub(count));
                    vec.shrink_to_fit();
                    assert_eq!(vec.capacity(), model.len());
                    continue;
                }
                _ => {
                    vec = if seed % 2 == 0 { vec.clone() } else { RecordVec::from_view(vec.into_view()) };
                    assert_eq!(vec.capacity(), model.len());
                    continue;
                }
            }
            model.extend(some);
            assert_eq!(
                (vec.len(), vec.first(), vec.last()),
                (model.len(), model.first().copied(), model.last().copied())
            );
        }
        assert!(vec.to_vec() == model, "seed {seed}");
        // Whole memory is copied where layouts are equal, and shown byte by byte.
        let view = vec.into_view();
        assert!(view.clone() == view && view.to_vec() == model, "seed {seed}");
        let sum = |bytes: &[u8]| bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>();
        assert_eq!(sum(view.blob_bytes(0)), sum(view.clone().blob_bytes(0)));
    }
}

macro_rules! layouts {
    ($($name:ident: $layout:ty;)+) => {$(
        #[test]
        fn $name() {
            many::<Dense, $layout>();
            many::<Nested, $layout>();
            many::<Strict, $layout>();
            many::<Page, $layout>();
            many::<u8, $layout>();
        }
    )+};
}

layouts! {
    aos: AoS;
    aos_packed: AoS<Packed>;
    soa: SoA;
    aosoa3: AoSoA<3>;
    aosoa16: AoSoA<16, Aligned>;
}
