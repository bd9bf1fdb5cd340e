//! Schemas: types and names of all leaves; batches of other schemas, refused field by field.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, RecordBatch, RecordBatchOptions, StructArray, UInt16Array, UInt32Array};
use arrow_schema::{DataType, Field, Fields, Schema};
use layout::interop::arrow::{Arrays, BatchError, Difference, FieldMismatch, Nulls, as_view, into_batch, schema};
use layout::prelude::*;

use crate::records::All;

/// `name: type` of all fields without parts, and whether they may be null.
fn flat(path: &str, data_type: &DataType, nullable: bool, out: &mut Vec<String>) {
    match data_type {
        DataType::Struct(fields) => {
            for field in fields {
                flat(&format!("{path}.{}", field.name()), field.data_type(), field.is_nullable(), out);
            }
        }
        DataType::FixedSizeList(item, len) => {
            assert_eq!(item.name(), "item");
            flat(&format!("{path}[{len}]"), item.data_type(), item.is_nullable(), out);
        }
        other => out.push(format!("{} {other}{}", path.trim_start_matches('.'), if nullable { "?" } else { "" })),
    }
}

#[test]
fn types_of_all_leaves() {
    let mut fields = Vec::new();
    flat("", &DataType::Struct(schema::<All>(Arrays::List).fields().clone()), false, &mut fields);
    let expected = [
        "unsigned.0 UInt8",
        "unsigned.1 UInt16",
        "unsigned.2 UInt32",
        "unsigned.3 UInt64",
        "unsigned.4 FixedSizeBinary(16)",
        "unsigned.5 UInt64",
        "signed.0 Int8",
        "signed.1 Int16",
        "signed.2 Int32",
        "signed.3 Int64",
        "signed.4 FixedSizeBinary(16)",
        "signed.5 Int64",
        "floats.single Float32",
        "floats.double Float64",
        "floats.half Float16",
        "floats.brain FixedSizeBinary(2)",
        "checked.flag Boolean",
        "checked.letter UInt32",
        "checked.tiny UInt8",
        "checked.wide FixedSizeBinary(16)",
        "checked.material FixedSizeBinary(1)",
        "checked.some UInt32?",
        "checked.others[2] Int16?",
        "grid[3][2] UInt16",
        "cells[2].flags[3] Boolean",
        "cells[2].heat Float32",
        "wide FixedSizeBinary(32)",
        "nothing Null?",
    ];
    assert_eq!(fields, expected);
    fields.clear();
    flat("", &DataType::Struct(schema::<All>(Arrays::Fields).fields().clone()), false, &mut fields);
    assert_eq!((fields.len(), &*fields[25]), (40, "grid.0.1 UInt16"));
}

#[test]
fn one_column_or_several() {
    let names = |schema: Schema| schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    assert_eq!(names(schema::<f32>(Arrays::Fields)), ["value"]);
    assert_eq!(names(schema::<[f32; 2]>(Arrays::Fields)), ["0", "1"]);
    assert_eq!(names(schema::<[f32; 2]>(Arrays::List)), ["value"]);
    assert!(names(schema::<[f32; 0]>(Arrays::List)).is_empty());
}

#[derive(Clone, Copy, Debug, Record)]
struct Pos {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Debug, Record)]
struct Hit {
    channel: u16,
    pos: Pos,
    tags: [u32; 2],
}

fn floats() -> ArrayRef {
    Arc::new(Float32Array::from(vec![0.5]))
}

fn integers() -> ArrayRef {
    Arc::new(UInt32Array::from(vec![1]))
}

fn structs(fields: &[(&str, ArrayRef)]) -> ArrayRef {
    let field = |(name, array): &(&str, ArrayRef)| {
        (Arc::new(Field::new(*name, array.data_type().clone(), false)), Arc::clone(array))
    };
    Arc::new(StructArray::from(fields.iter().map(field).collect::<Vec<_>>()))
}

fn mismatches(columns: Vec<(&str, ArrayRef)>) -> Vec<FieldMismatch> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    match as_view::<Hit>(&batch, Nulls::Reject) {
        Err(BatchError::Schema(mismatches)) => mismatches,
        Err(error) => panic!("{error}"),
        Ok(_) => Vec::new(),
    }
}

fn differs(field: &str, difference: Difference) -> FieldMismatch {
    FieldMismatch { field: field.to_owned(), difference }
}

fn missing(field: &str, needed: &str) -> FieldMismatch {
    differs(field, Difference::Missing { needed: needed.to_owned() })
}

fn extra(field: &str, given: &str) -> FieldMismatch {
    differs(field, Difference::Extra { given: given.to_owned() })
}

fn other(field: &str, given: &str, needed: &str) -> FieldMismatch {
    differs(field, Difference::Type { given: given.to_owned(), needed: needed.to_owned() })
}

#[test]
fn another_schema_is_refused_field_by_field() {
    let channel = || ("channel", Arc::new(UInt16Array::from(vec![7])) as ArrayRef);
    let pos = || ("pos", structs(&[("x", floats()), ("y", floats())]));
    let tags = || ("tags", structs(&[("0", integers()), ("1", integers())]));
    assert_eq!(mismatches(vec![channel(), pos(), tags()]), []);

    assert_eq!(mismatches(vec![channel()]), [missing("pos", "Struct of 2"), missing("tags", "Struct of 2")]);
    assert_eq!(
        mismatches(vec![channel(), ("more", floats()), pos(), tags(), ("channel", floats())]),
        [extra("more", "Float32"), extra("channel", "Float32")]
    );
    assert_eq!(
        mismatches(vec![pos(), channel(), tags()]),
        [
            differs("channel", Difference::Order { given: 1, needed: 0 }),
            differs("pos", Difference::Order { given: 0, needed: 1 })
        ]
    );
    // In nested structs, too, and all differences at once.
    assert_eq!(
        mismatches(vec![
            ("channel", integers()),
            ("pos", structs(&[("y", floats()), ("x", integers())])),
            ("tags", structs(&[("0", integers()), ("2", structs(&[("a", floats())]))])),
        ]),
        [
            other("channel", "UInt32", "UInt16"),
            other("pos.x", "UInt32", "Float32"),
            differs("pos.x", Difference::Order { given: 1, needed: 0 }),
            differs("pos.y", Difference::Order { given: 0, needed: 1 }),
            missing("tags.1", "UInt32"),
            extra("tags.2", "Struct of 1"),
        ]
    );
    // Arrays as lists: the length and the items are compared.
    let lists = |len: usize| {
        let vec = RecordVec::<[u32; 4], SoA>::from(&[[0; 4]]);
        let batch = if len == 4 {
            into_batch(vec, Arrays::List)
        } else {
            into_batch(RecordVec::<[f32; 2], SoA>::from(&[[0.0; 2]]), Arrays::List)
        };
        Arc::clone(batch.unwrap().column(0))
    };
    assert_eq!(
        mismatches(vec![channel(), pos(), ("tags", lists(4))]),
        [other("tags", "FixedSizeList of 4", "Struct of 2")]
    );
    assert_eq!(mismatches(vec![channel(), pos(), ("tags", lists(2))]), [other("tags[]", "Float32", "UInt32")]);
    assert_eq!(
        mismatches(vec![channel(), ("pos", lists(2)), tags()]),
        [other("pos", "FixedSizeList of 2", "Struct of 2")]
    );
}

#[test]
fn errors_say_each_field() {
    let batch = RecordBatch::try_from_iter([("pos", floats()), ("channel", integers())]).unwrap();
    let error = as_view::<Hit>(&batch, Nulls::Reject).err().unwrap();
    let text = "the schema differs from that of the record:\n  \
                `channel` is UInt32, and the record has UInt16\n  \
                `pos` is Float32, and the record has Struct of 2\n  \
                `tags` is missing: Struct of 2";
    assert_eq!(error.to_string(), text);
    let error = as_view::<f32>(&batch, Nulls::Reject).err().unwrap();
    let text = "the schema differs from that of the record:\n  \
                `value` is missing: Float32\n  \
                `pos` is extra: Float32; select the columns of the record with `RecordBatch::project`\n  \
                `channel` is extra: UInt32; select the columns of the record with `RecordBatch::project`";
    assert_eq!(error.to_string(), text);
}

#[test]
fn records_without_leaves() {
    let batch = into_batch(RecordVec::<[f32; 0], SoA>::from(&[[]; 5]), Arrays::Fields).unwrap();
    assert_eq!((batch.num_columns(), batch.num_rows()), (0, 5));
    assert_eq!(as_view::<[f32; 0]>(&batch, Nulls::Reject).unwrap().len(), 5);
    let options = RecordBatchOptions::new().with_row_count(Some(usize::MAX));
    let huge = RecordBatch::try_new_with_options(Arc::new(Schema::new(Fields::empty())), vec![], &options).unwrap();
    assert!(matches!(as_view::<[f32; 0]>(&huge, Nulls::Reject), Err(BatchError::View(_))));
}
