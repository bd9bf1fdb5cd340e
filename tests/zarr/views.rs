//! Views as groups of arrays: written in chunks, read into every layout and order, refused.

use core::num::NonZeroU16;
use std::fs;
use std::path::Path;

use layout::composed::Bytesplit;
use layout::{
    AoS, AoSoA, ColMajor, DynExtents, Extents, Linearization, Mapped, Morton, Owned, Packed, PaddedRows, Record,
    RecordLayout, RecordVec, RowMajor, SoA, Tiled, View, alloc, alloc_from_fn, extents, step,
};
use layout_store::Runtime;
use layout_zarr::{Checkpoint, ZarrError, read_zarr, read_zarr_into, write_zarr, write_zarr_chunked};
use support::processes::Folder;
use support::random::Random;

use crate::records::{Hit, Numbered, Odd};

/// A record of which zeros are no value.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Card {
    number: NonZeroU16,
    suit: char,
}

impl Numbered for Card {
    fn numbered(number: usize) -> Self {
        Self { number: NonZeroU16::new(u16::try_from(number % 1000).unwrap() + 1).unwrap(), suit: '\u{2660}' }
    }
}

fn at<const N: usize>(index: [usize; N]) -> usize {
    index.iter().fold(5, |number, at| number * 31 + at)
}

/// Writes a view in the layout `L` and the order `Lin`, and reads it into two others.
fn round_trip<R, L, Lin, const N: usize>(folder: &Path, extents: [usize; N], chunk: Option<[usize; N]>)
where
    R: Numbered,
    [usize; N]: layout::index::IndexArray<Dim = layout::Dim<N>>,
    layout::Dim<N>: layout::index::Rank<Array = [usize; N]>,
    L: RecordLayout<R> + Default,
    Lin: Linearization<[usize; N]> + Default,
    RowMajor: Linearization<[usize; N]>,
    ColMajor: Linearization<[usize; N]>,
{
    let _ = fs::remove_dir_all(folder);
    let dynamic = || DynExtents::<N>::from_array(extents).unwrap();
    let view = View::from_fn(Mapped::<R, _, L, Lin>::new(dynamic()).unwrap(), |index| R::numbered(at(index))).unwrap();
    match chunk {
        None => write_zarr(&view, folder),
        Some(chunk) => write_zarr_chunked(&view, folder, chunk),
    }
    .unwrap();
    assert!(!folder.with_extension("partial").exists());
    let aos: Owned<Mapped<R, DynExtents<N>, AoS<Packed>, ColMajor>> = read_zarr(folder, 1 << 20).unwrap();
    assert!(aos == view, "{extents:?} {chunk:?}");
    let mut again = View::from_fn(Mapped::<R, _, AoSoA<8>>::new(dynamic()).unwrap(), |_| R::numbered(3)).unwrap();
    read_zarr_into(&mut again, folder).unwrap();
    assert!(again == view, "{extents:?} {chunk:?}");
}

#[test]
fn what_was_written_is_read_into_every_layout_and_order() {
    let (folder, mut random) = (Folder::new("view-trips"), Random(11));
    let path = folder.0.join("view");
    for _ in 0..3 {
        let mut numbers = |most: usize| 1 + random.below(most);
        let (line, line_chunk) = ([numbers(40)], [numbers(12)]);
        round_trip::<f64, SoA, RowMajor, 1>(&path, line, Some(line_chunk));
        round_trip::<Card, AoS, RowMajor, 1>(&path, line, Some(line_chunk));
        let (grid, grid_chunk) = ([numbers(9), numbers(9)], [numbers(5), numbers(5)]);
        round_trip::<Odd, SoA, ColMajor, 2>(&path, grid, Some(grid_chunk));
        round_trip::<Hit, AoSoA<4>, Morton, 2>(&path, grid, Some(grid_chunk));
        round_trip::<Hit, AoS, Tiled<4, 4>, 2>(&path, grid, None);
        let (cube, cube_chunk) = ([numbers(5), numbers(5), numbers(5)], [numbers(3), numbers(4), numbers(5)]);
        round_trip::<Odd, AoS<Packed>, PaddedRows<8>, 3>(&path, cube, Some(cube_chunk));
        round_trip::<f64, Bytesplit<SoA>, RowMajor, 3>(&path, cube, Some(cube_chunk));
    }
    round_trip::<Hit, SoA, RowMajor, 0>(&path, [], None);
    round_trip::<Card, SoA, RowMajor, 2>(&path, [0, 3], None);
    // More dimensions than a store can have.
    round_trip::<Hit, SoA, RowMajor, 8>(&path, [2, 1, 3, 2, 1, 2, 2, 3], Some([1, 1, 2, 2, 1, 2, 1, 3]));
}

#[test]
fn parts_containers_and_stores_are_views() {
    let folder = Folder::new("view-parts");
    let hits: RecordVec<Hit, SoA> = (0..50).map(Hit::numbered).collect();
    write_zarr(&hits.as_view(), folder.0.join("hits")).unwrap();
    let read: Owned<Mapped<Hit, DynExtents<1>, AoS>> = read_zarr(folder.0.join("hits"), 1 << 20).unwrap();
    assert!(RecordVec::from_view(read).values().eq(hits.values()));

    let grid = alloc_from_fn::<Hit, AoS, _>([6, 8], |index| Hit::numbered(at(index))).unwrap();
    let part = grid.slice((step(.., -2), 1..6));
    write_zarr_chunked(&part, folder.0.join("part"), [2, 2]).unwrap();
    let read: Owned<Mapped<Hit, DynExtents<2>, SoA>> = read_zarr(folder.0.join("part"), 1 << 20).unwrap();
    assert!(read == part);

    // A store of a checkpoint is such a group, too.
    let rt = Runtime::builder().threads(0).pieces(3).min_chunk(1).build().unwrap();
    let store = rt
        .create_from_fn::<Hit, SoA, _>([7, 3], |index| Hit::numbered(usize::try_from(index[0] * 3 + index[1]).unwrap()))
        .unwrap();
    Checkpoint::new(folder.0.join("saved")).store("hits", &store).write(&rt).unwrap();
    let read: Owned<Mapped<Hit, DynExtents<2>, SoA>> = read_zarr(folder.0.join("saved/000001/hits"), 1 << 20).unwrap();
    assert_eq!(read.to_vec(), store.to_vec().unwrap());
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Cell {
    heat: f32,
    on: bool,
}

fn cells() -> View<Mapped<Cell, DynExtents<2>, SoA>, impl layout::BlobsMut> {
    alloc_from_fn::<Cell, SoA, _>([3, 4], |[i, j]| Cell { heat: i as f32, on: j == 0 }).unwrap()
}

/// The error of a record, and of extents, that are not those of the files.
fn refused<R: Record, E: Extents>(path: &Path) -> ZarrError
where
    RowMajor: Linearization<E::Array>,
{
    read_zarr::<R, E, SoA, RowMajor>(path, 1 << 20).map(|_| ()).unwrap_err()
}

#[test]
fn other_records_and_extents_are_refused() {
    #[derive(Clone, Copy, Record)]
    struct Wide {
        heat: f64,
        on: bool,
    }
    #[derive(Clone, Copy, Record)]
    struct More {
        heat: f32,
        wet: bool,
    }
    let folder = Folder::new("view-refused");
    let path = folder.0.join("cells");
    write_zarr(&cells(), &path).unwrap();
    let shown = path.display();
    let text = |error: ZarrError| error.to_string().replace(&shown.to_string(), "PATH");

    type Two = DynExtents<2>;
    type Fixed = layout::ArrayExtents<usize, (layout::Static<4>, layout::Dyn)>;
    assert_eq!(text(refused::<Wide, Two>(&path)), "`PATH` has array `heat` of float32; the record needs float64");
    assert_eq!(text(refused::<More, Two>(&path)), "`PATH` has no array `wet`; the names there are [\"heat\", \"on\"]");
    assert_eq!(text(refused::<u8, Two>(&path)), "`PATH` has no array `value`; the names there are [\"heat\", \"on\"]");
    assert_eq!(
        text(refused::<Cell, DynExtents<1>>(&path)),
        "`PATH` has array `heat` with extents [3, 4]; the view has 1 dimension"
    );
    let fixed = |_: &Mapped<Cell, Fixed, SoA>| refused::<Cell, Fixed>(&path);
    let error = text(fixed(&Mapped::new(extents!(4, dyn 4)).unwrap()));
    assert_eq!(
        error,
        "`PATH` has arrays with extents [3, 4]: extent 3 was given for dimension 0, whose extent is 4 by type"
    );
    let mut other = alloc::<Cell, AoS, _>([4, 3]).unwrap();
    let error = read_zarr_into(&mut other, &path).unwrap_err();
    assert_eq!(text(error), "`PATH` has `heat` with extents [3, 4]; the program has extents [4, 3]");
    let error = read_zarr::<Cell, Two, SoA, RowMajor>(&path, 59).map(|_| ()).unwrap_err();
    assert_eq!(text(error), "`PATH` has elements of 60 bytes, and at most 59 are allowed");
    assert_eq!(text(refused::<[u8; 0], Two>(&path)), "`PATH` cannot be read: the record has no leaves");
    assert_eq!(
        text(refused::<Cell, Two>(&folder.0)).replace(&folder.0.display().to_string(), "FOLDER"),
        "`FOLDER` cannot be read: it has no `zarr.json`, as groups and arrays of Zarr version 3 have"
    );

    // A type of Rust that has the same type in Zarr.
    let letters = folder.0.join("letters");
    write_zarr(&alloc_from_fn::<char, SoA, _>(3, |_| 'x').unwrap(), &letters).unwrap();
    let error = refused::<u32, DynExtents<1>>(&letters).to_string();
    assert!(error.ends_with("has array `value` of char; the record needs u32"), "{error}");
}

#[test]
fn a_view_is_not_written_over_files() {
    let folder = Folder::new("view-exists");
    let path = folder.0.join("cells");
    // What a program left that was killed.
    fs::create_dir(folder.0.join("cells.partial")).unwrap();
    fs::write(folder.0.join("cells.partial/zarr.json"), "{").unwrap();
    fs::write(folder.0.join("cells.partial/layout-zarr.partial"), "").unwrap();
    write_zarr(&cells(), &path).unwrap();
    let mut inside: Vec<_> = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    inside.retain(|name| name.to_string_lossy().contains("partial"));
    assert_eq!(inside, [""; 0]);
    let names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["cells"]);
    let error = write_zarr(&cells(), &path).unwrap_err();
    assert!(matches!(&error, ZarrError::Exists { path: named } if *named == path), "{error}");
    let error = write_zarr_chunked(&cells(), folder.0.join("new"), [0, 4]).unwrap_err();
    assert_eq!(error.to_string(), "chunks of extents [0, 4] have no elements");
    assert!(matches!(write_zarr(&cells(), folder.0.join("no/new")).unwrap_err(), ZarrError::Io { .. }));
    assert!(matches!(write_zarr(&cells(), folder.0.join("..")).unwrap_err(), ZarrError::Exists { .. }));
    let error = write_zarr(&cells(), "no-such-folder/..").unwrap_err().to_string();
    assert_eq!(error, "`no-such-folder/..`: the path does not end with the name of a new folder");
}

/// A folder `NAME.partial` that this library did not begin stays as it is: files, a view that a program gave that name, a link.
#[test]
fn partial_folders_of_others_stay() {
    let folder = Folder::new("view-others");
    let (path, partial) = (folder.0.join("cells"), folder.0.join("cells.partial"));
    let refused = || {
        let error = write_zarr(&cells(), &path).unwrap_err();
        assert!(matches!(&error, ZarrError::Exists { path: named } if *named == partial), "{error}");
        assert!(!path.exists());
    };
    fs::create_dir(&partial).unwrap();
    fs::write(partial.join("thesis.txt"), "years of work").unwrap();
    refused();
    assert_eq!(fs::read_to_string(partial.join("thesis.txt")).unwrap(), "years of work");
    fs::remove_dir_all(&partial).unwrap();
    write_zarr(&cells(), &partial).unwrap();
    refused();
    // It has the mark of its own name still, as after a loss of power.
    fs::write(partial.join("layout-zarr.partial"), "cells.partial").unwrap();
    refused();
    assert!(partial.join("zarr.json").exists());
    fs::remove_dir_all(&partial).unwrap();
    fs::write(&partial, "a file").unwrap();
    refused();
    fs::remove_file(&partial).unwrap();
    // An empty folder is left by a program that was killed at once.
    fs::create_dir(&partial).unwrap();
    write_zarr(&cells(), &path).unwrap();
    assert!(path.exists() && !partial.exists());
}

#[test]
fn damaged_files_are_refused() {
    let folder = Folder::new("view-damaged");
    let path = folder.0.join("cells");
    write_zarr_chunked(&cells(), &path, [2, 4]).unwrap();
    type Two = DynExtents<2>;

    let chunk = path.join("on/c.1.0");
    let whole = fs::read(&chunk).unwrap();
    assert_eq!(whole.len(), 8 + 4);
    for byte in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[byte] ^= 1 << (byte % 8);
        fs::write(&chunk, bytes).unwrap();
        match refused::<Cell, Two>(&path) {
            ZarrError::Damaged { path: named, .. } => assert_eq!(named, chunk),
            error => panic!("{error}"),
        }
    }
    for len in [0, 1, 11] {
        fs::write(&chunk, &whole[..len]).unwrap();
        assert!(
            refused::<Cell, Two>(&path)
                .to_string()
                .ends_with(&format!("the file has {len} bytes, and a whole one has 12"))
        );
    }
    fs::remove_file(&chunk).unwrap();
    assert!(refused::<Cell, Two>(&path).to_string().ends_with("is damaged: the file is missing"));
    fs::write(&chunk, &whole).unwrap();

    let metadata = path.join("on/zarr.json");
    let text = fs::read_to_string(&metadata).unwrap();
    let changes = [
        ("\"bool\"", "\"uint8\"", "has array `on` of uint8; the record needs bool"),
        (
            "\"shape\": [\n    3,",
            "\"shape\": [\n    1152921504606846976,",
            "with extents [1152921504606846976, 4]; the program has extents [3, 4]",
        ),
        ("\"shape\": [\n    3,", "\"shape\": [\n    -3,", "invalid value: integer `-3`"),
        ("\"chunk_shape\": [\n        2,", "\"chunk_shape\": [\n        16777216,", "and a whole one has 67108868"),
        // A file of that length may be sparse.
        (
            "\"chunk_shape\": [\n        2,",
            "\"chunk_shape\": [\n        16777217,",
            "67108868 bytes, and at most 67108864 are",
        ),
        ("\"chunk_shape\": [\n        2,", "\"chunk_shape\": [\n        1152921504606846976,", "are read"),
        ("\"chunk_shape\": [\n        2,", "\"chunk_shape\": [\n        0,", "or one of 0"),
        ("\"chunk_shape\": [\n        2,", "\"chunk_shape\": [\n        2, 2,", "not as many extents"),
        ("\"regular\"", "\"rectilinear\"", "no regular grid"),
        (
            "\"default\"",
            "\"zarrs.default_suffix\"",
            "chunks are encoded as `zarrs.default_suffix`, and `default` and `v2`",
        ),
        ("\"crc32c\"", "\"gzip\"", "its codecs are [\"bytes\", \"gzip\"], and `bytes` is read"),
        ("\"node_type\": \"array\"", "\"node_type\": \"group\"", "no array of Zarr version 3"),
        ("\"zarr_format\": 3", "\"zarr_format\": 2", "no array of Zarr version 3"),
        ("\"fill_value\": false", "\"fill_value\": 3", "cannot be read: "),
        ("\"little\"", "\"middle\"", "cannot be read: "),
        ("{", "[", "is no metadata of Zarr: "),
    ];
    for (old, new, expected) in changes {
        // The codec of bools has no order of bytes.
        let changed = text.replacen(old, new, 1);
        if changed == text {
            assert_eq!(old, "\"little\"");
            continue;
        }
        fs::write(&metadata, changed).unwrap();
        let error = refused::<Cell, Two>(&path).to_string();
        assert!(error.contains(expected), "{old} {new}: {error}");
    }
    let mut random = Random(5);
    for _ in 0..500 {
        let mut bytes = text.clone().into_bytes();
        let (place, bit) = (random.below(bytes.len()), random.below(8));
        bytes[place] ^= 1 << bit;
        fs::write(&metadata, bytes).unwrap();
        // No panic; what has another meaning is an error, and the rest is read.
        let read = read_zarr::<Cell, Two, SoA, RowMajor>(&path, 1 << 20);
        assert!(read.is_err() || read.unwrap() == cells());
    }
    fs::write(&metadata, "[".repeat(100_000)).unwrap();
    assert!(refused::<Cell, Two>(&path).to_string().contains("is no metadata of Zarr"));
    fs::File::create(&metadata).unwrap().set_len(1 << 40).unwrap();
    assert!(refused::<Cell, Two>(&path).to_string().contains("1099511627776 bytes, more than"));
}

/// Arrays of other programs may have an attribute of one of these names, and leave chunks out.
#[test]
fn attributes_of_others_mean_nothing() {
    let folder = Folder::new("view-attributes");
    let path = folder.0.join("heat");
    let heat = alloc_from_fn::<f32, SoA, _>(6, |[i]| i as f32).unwrap();
    write_zarr_chunked(&heat, &path, [2]).unwrap();
    let metadata = path.join("value/zarr.json");
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&metadata).unwrap()).unwrap();
    let read = || read_zarr::<f32, DynExtents<1>, SoA, RowMajor>(&path, 1 << 10);
    assert_eq!((&json["attributes"]["leaf"], &json["attributes"]["type"]), (&"".into(), &"f32".into()));
    json["attributes"]["type"] = "temperature".into();
    fs::write(&metadata, json.to_string()).unwrap();
    assert!(matches!(read(), Err(ZarrError::DataType { .. })));
    fs::remove_file(path.join("value/c.1")).unwrap();
    for name in ["leaf", "type"] {
        let mut json = json.clone();
        json["attributes"] = serde_json::json!({ name: "oak" });
        fs::write(&metadata, json.to_string()).unwrap();
        assert_eq!(read().unwrap().to_vec(), [0.0, 1.0, 0.0, 0.0, 4.0, 5.0], "{name}");
    }
}

/// Zarr 3.1 writes a part of the metadata that has no configuration as its name.
#[test]
fn names_may_stand_alone_or_in_objects() {
    let folder = Folder::new("view-names");
    let path = folder.0.join("cells");
    write_zarr(&cells(), &path).unwrap();
    for (leaf, first) in [("heat", 1), ("on", 0)] {
        let metadata = path.join(leaf).join("zarr.json");
        let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&metadata).unwrap()).unwrap();
        for codec in &mut json["codecs"].as_array_mut().unwrap()[first..] {
            *codec = codec["name"].take();
        }
        json["data_type"] = serde_json::json!({ "name": json["data_type"].take() });
        fs::write(&metadata, json.to_string()).unwrap();
    }
    assert_eq!(read_zarr::<Cell, DynExtents<2>, SoA, RowMajor>(&path, 1 << 20).unwrap(), cells());
}

/// A file that cannot be looked at is not one that was left out: its elements have not the fill value.
#[cfg(unix)]
#[test]
fn unreadable_files_are_not_missing_files() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("view-unreadable");
    let path = folder.0.join("heat");
    let heat = alloc_from_fn::<f32, SoA, _>(6, |[i]| i as f32).unwrap();
    write_zarr_chunked(&heat, &path, [2]).unwrap();
    let metadata = path.join("value/zarr.json");
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&metadata).unwrap()).unwrap();
    json["attributes"] = serde_json::json!({});
    fs::write(&metadata, json.to_string()).unwrap();

    let error = || refused::<f32, DynExtents<1>>(&path);
    let chunk = path.join("value/c.1");
    fs::remove_file(&chunk).unwrap();
    symlink("c.1", &chunk).unwrap();
    assert!(matches!(error(), ZarrError::Io { path, .. } if path == chunk), "{}", error());
    // Into a disk that is not mounted.
    fs::remove_file(&chunk).unwrap();
    symlink("elsewhere", &chunk).unwrap();
    assert!(matches!(error(), ZarrError::Damaged { path, .. } if path == chunk), "{}", error());
    // The folder of the chunks is a file.
    json["chunk_key_encoding"]["configuration"]["separator"] = "/".into();
    fs::write(&metadata, json.to_string()).unwrap();
    fs::write(path.join("value/c"), "").unwrap();
    assert!(matches!(error(), ZarrError::Io { path, .. } if path.ends_with("value/c/0")), "{}", error());

    for file in [metadata, path.join("zarr.json")] {
        fs::remove_file(&file).unwrap();
        symlink("zarr.json", &file).unwrap();
        assert!(matches!(error(), ZarrError::Io { path, .. } if path == file), "{}", error());
    }
    let link = folder.0.join("link");
    symlink("link", &link).unwrap();
    let written = write_zarr(&heat, link.join("heat"));
    assert!(matches!(written, Err(ZarrError::Io { path, .. }) if path == link.join("heat")));
}

#[test]
fn leaves_may_have_the_name_of_the_metadata() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct File {
        json: u8,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Files {
        zarr: File,
        count: u16,
    }
    let folder = Folder::new("view-metadata");
    let path = folder.0.join("files");
    let files =
        alloc_from_fn::<Files, AoS, _>(3, |[i]| Files { zarr: File { json: 7 }, count: u16::try_from(i).unwrap() })
            .unwrap();
    write_zarr(&files, &path).unwrap();
    assert!(read_zarr::<Files, DynExtents<1>, SoA, RowMajor>(&path, 1 << 10).unwrap() == files);
}

/// Each leaf has an array of its own, whatever the names of leaves begin with; and none has the name of another file.
#[test]
fn leaves_may_have_the_names_of_arrays() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Json {
        json: u8,
        partial: u8,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Names {
        __x: f32,
        #[record(rename = "-__x")]
        dash: f32,
        #[record(rename = "--__x")]
        dashes: f32,
        #[record(rename = "-")]
        alone: f32,
        zarr: Json,
        #[record(rename = "-zarr")]
        other: Json,
        #[record(rename = "layout-zarr")]
        mark: Json,
    }
    let folder = Folder::new("view-names");
    let path = folder.0.join("names");
    let names = alloc_from_fn::<Names, AoS, _>(3, |[i]| {
        let json = |first| Json { json: first + u8::try_from(i).unwrap(), partial: 9 };
        let [__x, dash, dashes, alone] = [1.0, 2.0, 3.0, 4.0].map(|by| by * i as f32);
        Names { __x, dash, dashes, alone, zarr: json(10), other: json(20), mark: json(30) }
    })
    .unwrap();
    write_zarr(&names, &path).unwrap();
    assert!(read_zarr::<Names, DynExtents<1>, SoA, RowMajor>(&path, 1 << 10).unwrap() == names);
}

/// Elements of a chunk that lie beyond the array have any bytes.
#[test]
fn bytes_beyond_the_array_are_no_values() {
    let folder = Folder::new("view-beyond");
    let path = folder.0.join("cells");
    write_zarr_chunked(&cells(), &path, [2, 4]).unwrap();
    let metadata = path.join("on/zarr.json");
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&metadata).unwrap()).unwrap();
    json["codecs"].as_array_mut().unwrap().truncate(1);
    fs::write(&metadata, json.to_string()).unwrap();
    for chunk in ["on/c.0.0", "on/c.1.0"].map(|chunk| path.join(chunk)) {
        let bytes = fs::read(&chunk).unwrap();
        // Without the checksum.
        fs::write(&chunk, &bytes[..8]).unwrap();
    }
    let last = path.join("on/c.1.0");
    let whole = fs::read(&last).unwrap();
    fs::write(&last, [&whole[..4], &[7; 4]].concat()).unwrap();
    assert_eq!(read_zarr::<Cell, DynExtents<2>, SoA, RowMajor>(&path, 1 << 20).unwrap(), cells());
    fs::write(&last, [&[7], &whole[1..]].concat()).unwrap();
    let error = refused::<Cell, DynExtents<2>>(&path);
    let why = "the bytes of leaf `on` at index [2, 0] are no valid value of its type";
    assert!(matches!(&error, ZarrError::Damaged { why: found, .. } if found == why), "{error}");
}

#[test]
fn extents_without_elements_have_any_size() {
    let folder = Folder::new("view-empty");
    for (number, extents) in [[0, 1 << 62], [(1 << 62) - 1, 0], [0, 0]].into_iter().enumerate() {
        let path = folder.0.join(number.to_string());
        write_zarr(&alloc::<u8, SoA, _>(extents).unwrap(), &path).unwrap();
        let read = read_zarr::<u8, DynExtents<2>, SoA, RowMajor>(&path, 0).unwrap();
        assert_eq!(read.extents(), extents);
    }
}

/// Values that the layout refuses are an error with the index in the whole, in any chunk, and no element has changed.
#[test]
fn values_that_do_not_fit() {
    use layout::bits::{BitPackedIntSoA, Bits, KeepSign, Saturate};

    type Small = BitPackedIntSoA<Bits<4>>;
    let folder = Folder::new("view-misfits");
    let path = folder.0.join("view");
    let view = alloc_from_fn::<u8, SoA, _>([5, 6], |[i, j]| if [i, j] == [3, 4] { 16 } else { 7 }).unwrap();
    write_zarr_chunked(&view, &path, [2, 3]).unwrap();
    let expected = format!(
        "`{}` has a value at [3, 4] that the layout refuses: value 16 does not fit leaf `u8`, which stores 0 to 15",
        path.display()
    );
    let error = read_zarr::<u8, DynExtents<2>, Small, ColMajor>(&path, 1 << 20).err().unwrap();
    assert!(matches!(error, ZarrError::Value { .. }), "{error}");
    assert_eq!(error.to_string(), expected);
    let mut small = alloc_from_fn::<u8, Small, _>([5, 6], |_| 3).unwrap();
    assert_eq!(read_zarr_into(&mut small, &path).unwrap_err().to_string(), expected);
    assert_eq!(small.to_vec(), [3; 30]);
    type Saturated = BitPackedIntSoA<Bits<4>, KeepSign, Saturate>;
    let saturated = read_zarr::<u8, DynExtents<2>, Saturated, RowMajor>(&path, 1 << 20).unwrap();
    assert_eq!((saturated.get([3, 4]), saturated.get([4, 5])), (15, 7));
}

/// The bytes of leaves that are no numbers of Zarr are those of a machine.
#[test]
fn bytes_of_another_order_are_refused() {
    let folder = Folder::new("view-order");
    let path = folder.0.join("numbers");
    write_zarr(&alloc_from_fn::<u128, SoA, _>(6, |[i]| i as u128).unwrap(), &path).unwrap();
    let metadata = path.join("value/zarr.json");
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&metadata).unwrap()).unwrap();
    let own = if cfg!(target_endian = "little") { "little" } else { "big" };
    assert_eq!(json["attributes"]["byte_order"], own);
    json["attributes"]["byte_order"] = "middle".into();
    fs::write(&metadata, json.to_string()).unwrap();
    let error = refused::<u128, DynExtents<1>>(&path).to_string();
    assert!(error.ends_with(&format!("its bytes have the order middle, and {own} is read")), "{error}");
}
