//! Bytes as an Arrow file: the reader of `arrow-ipc` may refuse it or panic, but a batch that it gives is a view or an error.
#![no_main]

use std::panic::{catch_unwind, set_hook, take_hook};
use std::sync::LazyLock;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::root_as_footer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use layout::interop::arrow::{Arrays, Nulls, as_lists, as_view, from_batch, into_batch, with_lists};
use layout::prelude::*;
use layout_fuzz::{ALLOCATOR, Hit, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

static VALID: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| [Arrays::Fields, Arrays::List].map(file).to_vec());

fn file(arrays: Arrays) -> Vec<u8> {
    let hits: RecordVec<Hit, SoA> = (0..3).map(Hit::number).collect();
    let lists: Jagged<Hit, SoA, i64> = (0..3).map(|len| (0..len).map(Hit::number)).collect();
    let batch = with_lists(&into_batch(hits, arrays).unwrap(), "lists", lists, arrays).unwrap();
    let mut file = Vec::new();
    let mut writer = FileWriter::try_new(&mut file, batch.schema_ref()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    file
}

/// The batches of a file, until one is invalid, over the bytes of the file. A `FileReader` allocates any size that the file says.
fn read(file: &[u8]) -> Result<Vec<RecordBatch>, ArrowError> {
    let file = Buffer::from(file);
    let end = file.len() - 10;
    let footer = &file[end - read_footer_length(file[end..].try_into().unwrap())?..end];
    let footer = root_as_footer(footer).map_err(|error| ArrowError::IpcError(error.to_string()))?;
    let mut decoder = FileDecoder::new(try_fb_to_schema(footer.schema().unwrap())?.into(), footer.version());
    let mut batches = Vec::new();
    for block in footer.recordBatches().into_iter().flatten() {
        let len = block.bodyLength() as usize + block.metaDataLength() as usize;
        let bytes = file.slice_with_length(block.offset() as usize, len);
        let Ok(Some(batch)) = decoder.read_record_batch(block, &bytes) else { break };
        batches.push(batch);
    }
    Ok(batches)
}

/// These batches; none if the reader panics.
fn batches(file: &[u8]) -> Vec<RecordBatch> {
    // The hook of libFuzzer ends the program.
    let hook = take_hook();
    set_hook(Box::new(|_| ()));
    let batches = ALLOCATOR.without(|| catch_unwind(|| read(file)));
    set_hook(hook);
    batches.ok().and_then(Result::ok).unwrap_or_default()
}

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| { mutate(&VALID, data, size, most, seed) });

fuzz_target!(|file: &[u8]| {
    for batch in batches(file) {
        let columns: Vec<usize> = (0..batch.num_columns().min(3)).collect();
        let Ok(events) = batch.project(&columns) else { continue };
        if let Ok(view) = as_view::<Hit>(&events, Nulls::Reject) {
            let copied = from_batch::<Hit, AoS>(&events, Nulls::Reject).unwrap();
            assert_eq!(view.len(), copied.len());
            let same = |(a, b): (&Hit, &Hit)| (a.good, a.id) == (b.good, b.id);
            assert!(view.to_vec().iter().zip(&copied.to_vec()).all(same));
        }
        let _ = from_batch::<Hit, AoSoA<4>>(&events, Nulls::As(Hit::number(0)));
        if let Ok(lists) = as_lists::<Hit>(&batch, "lists", Nulls::Reject) {
            let jagged = lists.to_jagged::<AoS>().unwrap();
            assert_eq!(jagged.len(), batch.num_rows());
        }
    }
});
