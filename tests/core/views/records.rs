//! Views of slices of structs, without copying.

use layout::options::DecreasingAlignment;
use layout::{Aligned, AoS, AoSoA, Mapped, Native, Packed, Record, RecordLayout, View, ViewError, extents};

use support::cell::{Cell, cell};

/// Declared so that the compiler, left free, would choose another order.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[repr(C)]
struct Event {
    kind: u8,
    time: u64,
    channel: u16,
    energy: f32,
}

fn event(n: u8) -> Event {
    Event { kind: n, time: 1 << n, channel: u16::from(n) << 8, energy: f32::from(n) / 4.0 }
}

fn mapping<R: Record, L: RecordLayout<R> + Default>(len: usize) -> Mapped<R, layout::DynExtents<1>, L> {
    Mapped::new(extents!(dyn len)).unwrap()
}

#[test]
fn structs_are_seen_where_they_are() {
    let cells: Vec<_> = (0..6).map(cell).collect();
    let view = View::from_records(mapping::<_, AoS<Aligned, Native>>(6), &cells).unwrap();
    assert_eq!(view.to_vec(), cells);
    assert_eq!(view.at(3).grid.at(2).at(1).z.get(), cells[3].grid[2][1].z);
    assert!(core::ptr::eq(view.at(3).pos.y.as_ref(), &cells[3].pos.y));
    assert!(core::ptr::eq(view.at(5).alive.as_ref(), &cells[5].alive));

    let events: Vec<_> = (0..6).map(event).collect();
    let view = View::from_records(mapping::<_, AoS>(6), &events).unwrap();
    assert_eq!(view.to_vec(), events);
    assert!(core::ptr::eq(view.at(4).energy.as_ref(), &events[4].energy));
    let view = View::from_records(mapping::<_, AoS<Aligned, Native>>(4), &events).unwrap();
    assert_eq!(view.to_vec(), events[..4], "there may be more records than elements");
}

#[test]
fn structs_are_written_where_they_are() {
    let mut cells: Vec<_> = (0..6).map(cell).collect();
    let grid = Mapped::<Cell, _, AoS<Aligned, Native>>::new(extents!(dyn 2, 3)).unwrap();
    let mut view = View::from_records_mut(grid, &mut cells).unwrap();
    view.at_mut([1, 0]).pos.x.set(9.0);
    view.slice_mut((.., 2)).field_mut(Cell::PATHS.id).fill(7);
    assert_eq!(cells[3].pos.x, 9.0);
    assert_eq!(cells.iter().map(|cell| cell.id).collect::<Vec<_>>(), [0, 1, 7, 3, 4, 7]);

    let mut events: Vec<_> = (0..3).map(event).collect();
    let mut view = View::from_records_mut(mapping::<_, AoS>(3), &mut events).unwrap();
    view.set(1, event(5));
    view.for_each_mut(|mut slots| slots.channel += 1);
    assert_eq!(events[1], Event { channel: event(5).channel + 1, ..event(5) });
}

#[test]
fn other_layouts_are_refused() {
    let mut events: Vec<_> = (0..6).map(event).collect();
    let error = View::from_records(mapping::<_, AoS<Packed>>(6), &events).err().unwrap();
    assert_eq!(
        error.to_string(),
        "leaf `time` does not lie where the struct has it: use `AoS<Aligned, Native>` for records in a slice"
    );
    let error = View::from_records(mapping::<_, AoS<Aligned, DecreasingAlignment>>(6), &events).err();
    assert!(matches!(error, Some(ViewError::RecordLayout { .. })));
    let error = View::from_records_mut(mapping::<_, AoSoA<4>>(6), &mut events).err();
    assert!(matches!(error, Some(ViewError::RecordLayout { .. })));
    assert!(View::from_records(mapping::<_, AoSoA<1>>(6), &events).is_ok(), "blocks of one element are structs");
    let error = View::from_records(mapping::<_, AoS>(7), &events).err();
    assert_eq!(error, Some(ViewError::RecordCount { given: 6, needed: 7 }));
    assert_eq!(error.unwrap().to_string(), "6 records were given for 7 elements");
}

#[test]
fn free_structs_fit_exactly_where_the_compiler_agrees() {
    // Which order the compiler chose is its own affair; a view that was made shows the structs as they are.
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Free {
        a: u8,
        b: u64,
        c: u16,
        d: f32,
    }
    let frees: Vec<_> = (0..5).map(event).map(|e| Free { a: e.kind, b: e.time, c: e.channel, d: e.energy }).collect();
    fn check<L: RecordLayout<Free> + Default>(frees: &[Free]) -> bool {
        let view = View::from_records(mapping::<_, L>(5), frees);
        view.is_ok_and(|view| {
            assert_eq!(view.to_vec(), frees);
            true
        })
    }
    assert!(check::<AoS<Aligned, Native>>(&frees));
    let plain = check::<AoS>(&frees);
    let in_order = core::mem::offset_of!(Free, b) == 8 && core::mem::offset_of!(Free, d) == 20;
    assert_eq!(plain, in_order);
}

#[test]
fn padding_inside_of_structs_is_kept() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    #[repr(C)]
    struct Inner {
        wide: u64,
        narrow: u8,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    #[repr(C)]
    struct Outer {
        inner: Inner,
        after: u8,
    }
    let outers = [1, 2, 3].map(|n| Outer { inner: Inner { wide: u64::from(n), narrow: n }, after: n + 10 });
    // The struct leaves 7 bytes after `narrow`, which the leaves alone do not need.
    assert!(View::from_records(mapping::<_, AoS>(3), &outers).is_err());
    let view = View::from_records(mapping::<_, AoS<Aligned, Native>>(3), &outers).unwrap();
    assert_eq!(view.to_vec(), outers);
}

/// Structs that start at any address: leaves at multiples of their alignment in the struct are not so in memory. `Native` knows.
#[test]
fn packed_structs_are_not_taken_for_aligned_ones() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    #[repr(C, packed)]
    struct Header {
        length: u32,
        sum: u32,
    }
    #[derive(Clone, Copy)]
    #[repr(C, align(4))]
    struct Skewed {
        _byte: u8,
        headers: [Header; 3],
    }
    let skewed = Skewed { _byte: 0, headers: [1, 2, 3].map(|n| Header { length: n, sum: 10 * n }) };
    assert_eq!(skewed.headers.as_ptr().addr() % 4, 1);
    let view = View::from_records(mapping::<_, AoS<Packed>>(3), &skewed.headers).unwrap();
    assert_eq!(view.to_vec(), skewed.headers);
    assert_eq!(
        View::from_records(mapping::<_, AoS>(3), &skewed.headers).err(),
        Some(ViewError::BlobAlignment { blob: 0, needed: 4 })
    );
    let view = View::from_records(mapping::<_, AoS<Aligned, Native>>(3), &skewed.headers).unwrap();
    assert_eq!((view.to_vec(), view.column(Header::PATHS.sum)), (skewed.headers.to_vec(), None));
}

#[test]
fn empty_slices_are_views_too() {
    let none: [Cell; 0] = [];
    assert!(View::from_records(mapping::<_, AoS<Aligned, Native>>(0), &none).unwrap().is_empty());
}
