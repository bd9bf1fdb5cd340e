//! Record batches of any schema, near to that of a record, with nulls, offsets and invalid values: views, which give the same batch, or an
//! error.
#![no_main]

use core::num::NonZeroU16;
use std::sync::Arc;

use arbitrary::{Arbitrary, Result, Unstructured};
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, FixedSizeListArray, Float32Array, LargeListArray, ListArray,
    NullArray, RecordBatch, StringArray, StructArray, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Fields};
use layout::interop::arrow::{Arrays, Nulls, as_lists, as_view, from_batch, to_batch};
use layout::prelude::*;
// For its allocator.
use layout_fuzz as _;
use libfuzzer_sys::fuzz_target;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Pos {
    x: f32,
    flags: [bool; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Event {
    pos: Pos,
    cells: [Pos; 2],
    letter: char,
    tag: Option<NonZeroU16>,
    id: u128,
}

const VALUE: Event = {
    let pos = Pos { x: 0.5, flags: [true, false] };
    Event { pos, cells: [pos; 2], letter: 'a', tag: None, id: 3 }
};

/// The types of the arrays that are made.
#[derive(Arbitrary, Clone, Copy)]
enum Kind {
    Float,
    Flag,
    Letter,
    Tag,
    Id,
    Pos,
    Cells,
    Number,
    Text,
    Null,
    List,
    LargeList,
}

fn nulls(u: &mut Unstructured<'_>, len: usize) -> Result<Option<NullBuffer>> {
    if !u.ratio(1, 4)? {
        return Ok(None);
    }
    Ok(Some((0..len).map(|_| u.arbitrary()).collect::<Result<Vec<bool>>>()?.into()))
}

fn values<'a, T: Arbitrary<'a>>(u: &mut Unstructured<'a>, len: usize) -> Result<Vec<T>> {
    (0..len).map(|_| u.arbitrary()).collect()
}

/// An array, which may be a part of a longer one.
fn array(u: &mut Unstructured<'_>, kind: Kind, len: usize, depth: usize) -> Result<ArrayRef> {
    let (before, after) = (u.int_in_range(0..=3)?, u.int_in_range(0..=2)?);
    let whole = whole(u, kind, before + len + after, depth)?;
    Ok(whole.slice(before, len))
}

fn whole(u: &mut Unstructured<'_>, kind: Kind, len: usize, depth: usize) -> Result<ArrayRef> {
    let kind = if depth > 4 { Kind::Number } else { kind };
    Ok(match kind {
        Kind::Float => Arc::new(Float32Array::new(values(u, len)?.into(), nulls(u, len)?)),
        Kind::Flag => Arc::new(BooleanArray::new(values::<bool>(u, len)?.into(), nulls(u, len)?)),
        // Most are values of `char`.
        Kind::Letter => {
            let values: Vec<u32> = (0..len)
                .map(|_| if u.ratio(1, 40)? { u.arbitrary() } else { Ok(u.arbitrary::<char>()? as u32) })
                .collect::<Result<_>>()?;
            Arc::new(UInt32Array::new(values.into(), nulls(u, len)?))
        }
        Kind::Tag => Arc::new(UInt16Array::new(values(u, len)?.into(), nulls(u, len)?)),
        Kind::Id => {
            let size = if u.ratio(1, 20)? { u.int_in_range(0..=40)? } else { 16 };
            let bytes = values::<u8>(u, len * size)?;
            let size = i32::try_from(size).unwrap();
            let array = FixedSizeBinaryArray::try_new(size, bytes.into(), nulls(u, len)?).ok();
            // Without bytes, the length is 0.
            let array = array.filter(|array| array.len() == len);
            array.map_or_else(|| Arc::new(NullArray::new(len)) as ArrayRef, |array| Arc::new(array))
        }
        Kind::Pos => fields(u, &[("x", Kind::Float), ("flags", Kind::Cells)], len, depth + 1)?,
        Kind::Cells => {
            let item = *u.choose(&[Kind::Pos, Kind::Flag, Kind::Flag, Kind::Pos, Kind::Float])?;
            if u.arbitrary()? {
                return fields(u, &[("0", item), ("1", item)], len, depth + 1);
            }
            let count = if u.ratio(1, 20)? { u.int_in_range(0..=3)? } else { 2 };
            let items = array(u, item, len * count, depth + 1)?;
            let field = Arc::new(Field::new("item", items.data_type().clone(), true));
            let count = i32::try_from(count).unwrap();
            let list = FixedSizeListArray::try_new_with_length(field, count, items, nulls(u, len)?, len);
            list.map_or_else(|_| Arc::new(NullArray::new(len)) as ArrayRef, |list| Arc::new(list))
        }
        Kind::Number => Arc::new(UInt64Array::new(values(u, len)?.into(), nulls(u, len)?)),
        Kind::Text => Arc::new(StringArray::from(vec!["text"; len])),
        Kind::Null => Arc::new(NullArray::new(len)),
        Kind::List | Kind::LargeList => {
            let lens = (0..len).map(|_| u.int_in_range(0..=3)).collect::<Result<Vec<usize>>>()?;
            let (item, before) = (u.arbitrary()?, u.int_in_range(0..=2)?);
            let items = array(u, item, before + lens.iter().sum::<usize>(), depth + 1)?;
            let field = Arc::new(Field::new("item", items.data_type().clone(), true));
            let lens = core::iter::once(before).chain(lens);
            // The first list is what lies before the others.
            if matches!(kind, Kind::List) {
                let list = ListArray::new(field, OffsetBuffer::from_lengths(lens), items, nulls(u, len + 1)?);
                Arc::new(list.slice(1, len))
            } else {
                let list = LargeListArray::new(field, OffsetBuffer::from_lengths(lens), items, nulls(u, len + 1)?);
                Arc::new(list.slice(1, len))
            }
        }
    })
}

/// A struct of these fields, most of the time.
fn fields(u: &mut Unstructured<'_>, kinds: &[(&str, Kind)], len: usize, depth: usize) -> Result<ArrayRef> {
    let (mut arrays, mut named) = (Vec::new(), Vec::new());
    for (name, kind) in kinds {
        let (name, kind) = match u.int_in_range(0..=60)? {
            0 => continue,
            1 => ("other", *kind),
            2 => (*name, u.arbitrary()?),
            _ => (*name, *kind),
        };
        let array = array(u, kind, len, depth)?;
        named.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let structs = StructArray::try_new_with_length(Fields::from(named), arrays, nulls(u, len)?, len);
    Ok(structs.map_or_else(|_| Arc::new(NullArray::new(len)) as ArrayRef, |structs| Arc::new(structs)))
}

fn batch(u: &mut Unstructured<'_>) -> Result<RecordBatch> {
    let len = u.int_in_range(0..=6)?;
    let kinds =
        [("pos", Kind::Pos), ("cells", Kind::Cells), ("letter", Kind::Letter), ("tag", Kind::Tag), ("id", Kind::Id)];
    let structs = fields(u, &kinds, len, 0)?;
    let Some(structs) = structs.as_any().downcast_ref::<StructArray>().filter(|structs| structs.null_count() == 0)
    else {
        return Ok(RecordBatch::new_empty(Arc::new(arrow_schema::Schema::empty())));
    };
    Ok(RecordBatch::from(structs))
}

fuzz_target!(|data: &[u8]| {
    let mut u = Unstructured::new(data);
    let Ok(batch) = batch(&mut u) else { return };
    if let Ok(view) = as_view::<Event>(&batch, Nulls::Reject) {
        assert_eq!(view.len(), batch.num_rows());
        for arrays in [Arrays::Fields, Arrays::List] {
            let again = to_batch(&view, arrays).unwrap();
            let copied = from_batch::<Event, AoSoA<4>>(&again, Nulls::Reject).unwrap();
            let same =
                |(a, b): (&Event, &Event)| a == b || a.pos.x.is_nan() || a.cells.iter().any(|cell| cell.x.is_nan());
            assert!(view.len() == copied.len() && view.to_vec().iter().zip(&copied.to_vec()).all(same));
            // Leaves whose Arrow type has no parts are equal for Arrow, too, except that a tag of zero becomes a null.
            for name in ["letter", "id"] {
                let [a, b] = [&batch, &again].map(|batch| batch.column_by_name(name).unwrap());
                assert!(a.as_ref() == b.as_ref(), "{name}");
            }
        }
    }
    if let Ok(copied) = from_batch::<Event, AoS>(&batch, Nulls::As(VALUE)) {
        assert_eq!(copied.len(), batch.num_rows());
    }
    let _ = as_view::<Pos>(&batch, Nulls::As(VALUE.pos));
    if let Ok(lists) =
        u.arbitrary().and_then(|large: bool| array(&mut u, if large { Kind::LargeList } else { Kind::List }, 4, 0))
    {
        let batch = RecordBatch::try_from_iter_with_nullable([("lists", lists, true)]).unwrap();
        if let Ok(lists) = as_lists::<Pos>(&batch, "lists", Nulls::As(VALUE.pos)) {
            assert_eq!(lists.to_jagged::<SoA>().unwrap().len(), 4);
        }
        let _ = as_lists::<bool>(&batch, "lists", Nulls::Reject);
    }
});
