//! Two records of a collision, as an experiment may keep them: 20 leaves, and 100.

use core::f32::consts::{PI, TAU};

use layout::Record;

/// The head of an event: 78 bytes in 20 leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Event20 {
    pub(crate) number: i64,
    pub(crate) run: i32,
    pub(crate) section: i32,
    pub(crate) crossing: i32,
    pub(crate) orbit: i32,
    pub(crate) vertices: i32,
    pub(crate) tracks: i32,
    pub(crate) jets: i32,
    pub(crate) muons: i32,
    pub(crate) electrons: i32,
    pub(crate) quality: u8,
    pub(crate) trigger: u8,
    pub(crate) missing: Missing,
    pub(crate) vertex: [f32; 3],
    pub(crate) pileup: f32,
    pub(crate) weight: f32,
}

/// The momentum that is missing for balance across the beam.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Missing {
    pub(crate) energy: f32,
    pub(crate) direction: f32,
    pub(crate) significance: f32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Lepton {
    pub(crate) momentum: Momentum,
    pub(crate) charge: i8,
    pub(crate) isolation: f32,
    pub(crate) impact: [f32; 2],
    pub(crate) hits: u16,
    pub(crate) tight: bool,
}

/// Across the beam, towards it, around it, and the mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Momentum {
    pub(crate) pt: f32,
    pub(crate) eta: f32,
    pub(crate) phi: f32,
    pub(crate) mass: f32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Jet {
    pub(crate) momentum: Momentum,
    pub(crate) area: f32,
    pub(crate) tags: [f32; 2],
    pub(crate) constituents: u16,
}

/// 100 leaves: the head, the two hardest muons and electrons, the five hardest jets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Event100 {
    pub(crate) head: Event20,
    pub(crate) muons: [Lepton; 2],
    pub(crate) electrons: [Lepton; 2],
    pub(crate) jets: [Jet; 5],
}

/// The bit of the trigger that a muon sets.
pub(crate) const MUON_TRIGGER: u8 = 4;

/// Numbers from 0 to 1, the same for the same event.
fn numbers(event: usize) -> impl FnMut() -> f32 {
    let mut state = event as u64;
    move || {
        // A counter, scrambled (SplitMix64). The upper 24 bits: as many as a number of this type holds.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u32 << 24) as f32
    }
}

/// Event number `event` of a run that never was.
pub(crate) fn event20(event: usize) -> Event20 {
    let mut number = numbers(event * 64);
    #[expect(clippy::cast_possible_truncation, reason = "a count is a whole number")]
    let mut count = |most: f32| (number() * most) as i32;
    let counts = [count(60.0), count(900.0), count(12.0), count(4.0), count(4.0)];
    let [vertices, tracks, jets, muons, electrons] = counts;
    Event20 {
        number: event as i64,
        run: 362_000 + i32::try_from(event % 7).unwrap_or(0),
        section: count(2000.0),
        crossing: count(3564.0),
        orbit: count(1e7),
        vertices,
        tracks,
        jets,
        muons,
        electrons,
        quality: 1,
        trigger: u8::try_from(count(256.0)).unwrap_or(0),
        // Few have much.
        missing: Missing { energy: -30.0 * (1.0 - number()).ln(), direction: number() - 0.5, significance: number() },
        vertex: [number(), number(), 10.0 * number()],
        pileup: 50.0 * number(),
        weight: 1.0,
    }
}

pub(crate) fn event100(event: usize) -> Event100 {
    let mut number = numbers(event * 64 + 32);
    let mut momentum = |hard: f32| Momentum {
        pt: -hard * (1.0 - number()).ln(),
        eta: 5.0 * number() - 2.5,
        phi: TAU * number() - PI,
        mass: number(),
    };
    let mut lepton =
        |charge: i8| Lepton { momentum: momentum(20.0), charge, hits: 12, tight: charge > 0, ..Lepton::default() };
    let (muons, electrons) = ([lepton(1), lepton(-1)], [lepton(-1), lepton(1)]);
    let jets =
        core::array::from_fn(|_| Jet { momentum: momentum(40.0), area: 0.5, tags: [0.1, 0.9], constituents: 30 });
    Event100 { head: event20(event), muons, electrons, jets }
}
