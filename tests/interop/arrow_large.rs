//! An event of 1479 leaves in nested groups of 100, as an experiment at a collider has them: a round trip compiles, and runs.

use arrow_array::Array;
use layout::interop::arrow::{Arrays, Nulls, as_view, from_batch, into_batch};
use layout::prelude::*;
use layout::record::LeafTable;

macro_rules! group {
    ($name:ident: $leaf:ty; $($field:ident)+) => {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
        struct $name {
            $($field: $leaf,)+
        }
    };
}

macro_rules! hundred {
    ($($name:ident: $leaf:ty),+ $(,)?) => {
        $(group! { $name: $leaf;
        l00 l01 l02 l03 l04 l05 l06 l07 l08 l09
        l10 l11 l12 l13 l14 l15 l16 l17 l18 l19
        l20 l21 l22 l23 l24 l25 l26 l27 l28 l29
        l30 l31 l32 l33 l34 l35 l36 l37 l38 l39
        l40 l41 l42 l43 l44 l45 l46 l47 l48 l49
        l50 l51 l52 l53 l54 l55 l56 l57 l58 l59
        l60 l61 l62 l63 l64 l65 l66 l67 l68 l69
        l70 l71 l72 l73 l74 l75 l76 l77 l78 l79
        l80 l81 l82 l83 l84 l85 l86 l87 l88 l89
        l90 l91 l92 l93 l94 l95 l96 l97 l98 l99
        })+
    };
}

hundred! {
    Trigger: bool,
    Electrons: f32,
    Muons: f64,
    Photons: f32,
    Taus: i32,
    Jets: f32,
    Tracks: u16,
    Towers: u8,
    Vertices: f64,
    Weights: f32,
    Pileup: i64,
    Luminosity: u32,
    Detector: i16,
    Generator: i8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Leptons {
    electrons: Electrons,
    muons: Muons,
    taus: Taus,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Reconstructed {
    leptons: Leptons,
    photons: Photons,
    jets: Jets,
    tracks: Tracks,
    towers: Towers,
    vertices: Vertices,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Event {
    trigger: Trigger,
    reconstructed: Reconstructed,
    weights: Weights,
    pileup: Pileup,
    luminosity: Luminosity,
    detector: Detector,
    generator: Generator,
    cells: [[f32; 13]; 6],
    id: u64,
}

fn event(id: u16) -> Event {
    let mut event = Event { id: id.into(), ..Event::default() };
    event.trigger.l07 = id.is_multiple_of(2);
    event.reconstructed.leptons.muons.l42 = f64::from(id) + 0.5;
    event.reconstructed.tracks.l99 = id;
    event.cells[5][12] = f32::from(id);
    event
}

#[test]
fn round_trip_of_1479_leaves() {
    assert_eq!(LeafTable::of::<Event>().count(), 1479);
    let events: RecordVec<Event, SoA> = (0..300).map(event).collect();
    let address = events.column_bytes(1478).map(<[u8]>::as_ptr);
    let batch = into_batch(events, Arrays::Fields).unwrap();
    assert_eq!(batch.column_by_name("id").map(|ids| ids.to_data().buffers()[0].as_ptr()), address);
    let view = as_view::<Event>(&batch, Nulls::Reject).unwrap();
    assert_eq!(view.column_bytes(1478).map(<[u8]>::as_ptr), address);
    assert_eq!((view.at(7).reconstructed.leptons.muons.l42.get(), view.at(8).trigger.l07.get()), (7.5, true));
    let copy: RecordVec<Event, AoS> = from_batch(&batch.slice(100, 100), Nulls::Reject).unwrap();
    assert!(copy.values().eq((100..200).map(event)));
}
