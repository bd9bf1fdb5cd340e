//! The memory that checkpoints and views in files take: of large stores, and of files that ask for too much.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use layout::{AoS, Dim, DynExtents, Record, RowMajor, alloc};
use layout_domain::{Cyclic, Targets};
use layout_store::{Distribution, Runtime, Store, StoreError};
use layout_zarr::{Checkpoint, ZarrError, read_zarr, read_zarr_into, write_zarr};
use serde_json::{Value as Json, json};
use support::counting::Counting;
use support::processes::Folder;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();
/// Of one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

const MIB: usize = 1 << 20;

/// Beside the store: a chunk for each thread, and once more the largest leaf of the chunk. 48 bytes an element, 96 MiB.
#[test]
fn a_checkpoint_takes_one_chunk_beside_the_store() {
    type Six = [f64; 6];
    let _alone = ALONE.lock().unwrap_or_else(|error| error.into_inner());
    let folder = Folder::new("peak");
    for threads in [1, 2] {
        let rt = Runtime::builder().threads(threads).pieces(4).min_chunk(1).build().unwrap();
        let store: Store<Six, Dim<2>> = rt.create([2048, 1024]).unwrap();
        store.fill([1.5; 6]).unwrap();
        rt.fence().unwrap();
        let (before, checkpoint) =
            (rt.memory(), Checkpoint::new(folder.0.join(threads.to_string())).store("six", &store));
        // A tile of 24 MiB makes two chunks of 12 MiB; a leaf is a sixth.
        let (write, _) = ALLOCATOR.peak_of(|| checkpoint.write(&rt).unwrap());
        let chunk = fs::metadata(folder.0.join(format!("{threads}/000001/six/0/c.0.0"))).unwrap().len();
        assert_eq!(chunk, 2 * MIB as u64 + 4);
        let (restore, _) = ALLOCATOR.peak_of(|| checkpoint.restore(&rt).unwrap().unwrap());
        println!(
            "{threads} threads: {:.1} MiB to write, {:.1} to restore",
            write as f64 / MIB as f64,
            restore as f64 / MIB as f64
        );
        // What waits in the pool of threads, and lists of points.
        let most = threads * (12 + 2) * MIB + MIB / 2;
        assert!(write <= most, "{write} bytes, and {most} are allowed");
        assert!(restore <= most + threads * 2 * MIB, "{restore} bytes");
        assert_eq!(rt.memory(), before);
    }
}

/// Beside the view: a chunk, and once more the largest leaf of the chunk; to read, also the chunk of each leaf that was read last.
#[test]
fn a_view_takes_one_chunk_beside_itself() {
    let _alone = ALONE.lock().unwrap_or_else(|error| error.into_inner());
    let folder = Folder::new("view-peak");
    // 96 MiB.
    let mut view = alloc::<[f64; 6], AoS, _>([2048, 1024]).unwrap();
    let (write, written) = ALLOCATOR.peak_of(|| write_zarr(&view, folder.0.join("view")));
    written.unwrap();
    let chunk = usize::try_from(fs::metadata(folder.0.join("view/0/c.0.0")).unwrap().len()).unwrap();
    let (read, done) = ALLOCATOR.peak_of(|| read_zarr_into(&mut view, folder.0.join("view")));
    done.unwrap();
    println!("{:.1} MiB to write, {:.1} to read", write as f64 / MIB as f64, read as f64 / MIB as f64);
    assert!((2 * MIB..3 * MIB).contains(&chunk), "{chunk}");
    assert!(write <= 7 * chunk + MIB / 2, "{write} bytes");
    assert!(read <= 13 * chunk + MIB / 2, "{read} bytes");

    // A file that says that it has exabytes takes no memory.
    let metadata = folder.0.join("view/0/zarr.json");
    let text = fs::read_to_string(&metadata).unwrap();
    let huge = text.replace("2048", "1152921504606846976");
    assert_ne!(huge, text);
    fs::write(&metadata, huge).unwrap();
    let (most, read) = ALLOCATOR
        .peak_of(|| read_zarr::<[f64; 6], DynExtents<2>, AoS, RowMajor>(folder.0.join("view"), usize::MAX).is_err());
    assert!(read && most < MIB, "{most} bytes");
    let group = folder.0.join("one");
    write_zarr(&alloc::<f64, AoS, _>([3, 4]).unwrap(), &group).unwrap();
    let metadata = group.join("value/zarr.json");
    let text = fs::read_to_string(&metadata).unwrap().replacen("[\n    3,", "[\n    1099511627776,", 1);
    fs::write(&metadata, text).unwrap();
    let (most, read) =
        ALLOCATOR.peak_of(|| read_zarr::<f64, DynExtents<2>, AoS, RowMajor>(&group, 1 << 40).unwrap_err());
    assert!(
        most < MIB && matches!(read, ZarrError::TooLarge { needed, .. } if needed == 1 << 45),
        "{most} bytes: {read}"
    );
}

/// Chunks that several locales have elements of are brought to one locale, and nothing of that stays.
#[test]
fn chunks_of_several_locales_leave_no_memory_behind() {
    let _alone = ALONE.lock().unwrap_or_else(|error| error.into_inner());
    let folder = Folder::new("gathered");
    let builder = Runtime::builder().locales(3).threads(1).pieces(3).min_chunk(1).whole_below(0);
    let (most, ran) = ALLOCATOR.peak_of(|| {
        builder.simulate(|rt| {
            let in_turn = Distribution::map(Cyclic::new([0], Targets::all(3).unwrap()));
            // 72 MiB.
            let store: Store<f64, Dim<1>> = rt.create_distributed(9 << 20, &in_turn)?;
            store.fill(1.0)?;
            rt.fence()?;
            let before = rt.memory();
            Checkpoint::new(&folder.0).store("cards", &store).write(rt).unwrap();
            let after = rt.memory();
            assert_eq!((after.stores, after.charged), (before.stores, before.charged));
            rt.fence()
        })
    });
    ran.unwrap().into_iter().collect::<Result<Vec<()>, StoreError>>().unwrap();
    println!("{:.1} MiB on three locales, of which the store takes 72", most as f64 / MIB as f64);
    // On each locale four chunks of 14.4 MiB: one as a list, as a chunk and with its checksum, and the next one as messages.
    assert!(most <= (72 + 3 * 4 * 15) * MIB, "{most}");
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Cell {
    heat: f32,
    on: bool,
}

const BEFORE: Cell = Cell { heat: -1.0, on: true };

/// The result of `restore`, after which each store is as before and little memory was taken.
fn refused(rt: &Runtime, folder: &Path) -> ZarrError {
    refused_within(rt, folder, MIB)
}

fn refused_within(rt: &Runtime, folder: &Path, limit: usize) -> ZarrError {
    let cells: Store<Cell, Dim<2>> = rt.create([3, 4]).unwrap();
    cells.fill(BEFORE).unwrap();
    let (most, error) = ALLOCATOR.peak_of(|| Checkpoint::new(folder).store("cells", &cells).restore(rt).unwrap_err());
    assert!(most < limit, "{most} bytes: {error:.200}");
    assert_eq!(cells.to_vec().unwrap(), [BEFORE; 12], "{error}");
    error
}

/// Before the digits of the checksum.
const CHECKSUM: &str = "\"checksum\": \"";

/// Writes a manifest with the checksum that it must have.
fn sign(path: &Path, manifest: &Json) {
    let mut manifest = manifest.clone();
    manifest["attributes"]["layout"]["checksum"] = json!("00000000");
    sign_text(path, &serde_json::to_string_pretty(&manifest).unwrap());
}

fn sign_text(path: &Path, text: &str) {
    let at = text.find(CHECKSUM).unwrap() + CHECKSUM.len();
    let text = format!("{}00000000{}", &text[..at], &text[at + 8..]);
    let sum = crc32c::crc32c(text.as_bytes());
    fs::write(path, format!("{}{sum:08x}{}", &text[..at], &text[at + 8..])).unwrap();
}

/// The manifest says a chunk as large as the store, and the file is as long: a file may be longer than the disk.
#[test]
fn a_huge_chunk_is_refused() {
    let _alone = ALONE.lock().unwrap_or_else(|error| error.into_inner());
    let folder = Folder::new("huge-chunk");
    let rt = Runtime::builder().threads(0).pieces(1).build().unwrap();
    let cells: Store<Cell, Dim<1>> = rt.create(8 << 20).unwrap();
    cells.fill(BEFORE).unwrap();
    let checkpoint = Checkpoint::new(&folder.0).store("cells", &cells);
    checkpoint.write(&rt).unwrap();
    let path = folder.0.join("000001/zarr.json");
    let mut manifest: Json = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let chunk = &mut manifest["attributes"]["layout"]["stores"]["cells"]["chunk"];
    assert!(chunk[0].as_u64().unwrap() * 5 <= 16 << 20, "{chunk}");
    *chunk = json!([8 << 20]);
    sign(&path, &manifest);
    for (leaf, size) in [("heat", 4), ("on", 1)] {
        let file = fs::File::options().write(true).open(folder.0.join(format!("000001/cells/{leaf}/c.0"))).unwrap();
        file.set_len(size * (8 << 20) + 4).unwrap();
    }
    let (most, error) = ALLOCATOR.peak_of(|| checkpoint.restore(&rt).unwrap_err());
    assert!(error.to_string().ends_with("has chunks of extents [8388608]"), "{error}");
    assert!(most < MIB, "{most} bytes");
}

/// Metadata and chunks that nobody damaged by chance: their checksums are right.
#[test]
fn hostile_files_are_refused() {
    let _alone = ALONE.lock().unwrap_or_else(|error| error.into_inner());
    let folder = Folder::new("hostile");
    let rt = Runtime::builder().threads(0).pieces(1).build().unwrap();
    let cells: Store<Cell, Dim<2>> = rt.create([3, 4]).unwrap();
    cells.fill(BEFORE).unwrap();
    let written = Checkpoint::new(&folder.0).store("cells", &cells).value("on", true);
    written.write(&rt).unwrap();
    let path = folder.0.join("000001/zarr.json");
    let whole = fs::read_to_string(&path).unwrap();
    let manifest: Json = serde_json::from_str(&whole).unwrap();
    sign(&path, &manifest);
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);

    let huge = 1_u64 << 60;
    let leaf = |name: &str, kind: &str, data: &str| json!({"name": name, "type": kind, "data_type": data});
    let changes = [
        ("stores/cells/extents", json!([huge, 4]), "with extents [1152921504606846976, 4]"),
        ("stores/cells/extents", json!([3]), "with extents [3]"),
        ("stores/cells/extents", json!([-3, 4]), "invalid value"),
        ("stores/cells/extents", json!("3, 4"), "invalid type"),
        ("stores/cells/chunk", json!([0, 4]), "has chunks of extents [0, 4]"),
        ("stores/cells/chunk", json!([huge, huge]), "has chunks of extents [1152921504606846976"),
        ("stores/cells/chunk", json!([u64::MAX, 1]), "has chunks of extents"),
        ("stores/cells/chunk", json!([]), "has chunks of extents []"),
        ("stores/cells/chunk", json!([1, 1, 1, 1, 1, 1, 1]), "has chunks of extents"),
        ("stores/cells/chunk", json!([1, 4]), "and a whole one has"),
        ("stores/cells/chunk", json!([3, 2]), "and a whole one has"),
        ("stores/cells/leaves", json!([]), "has no leaf `heat`"),
        ("stores/cells/leaves/0", leaf("heat", "f32", "99999999999999999999 x uint8"), "leaf `heat` is `f32` (9999"),
        ("stores/cells/leaves/0", leaf("../../heat", "f32", "float32"), "has no leaf `heat`"),
        ("stores/cells/leaves/0", leaf("on", "bool", "bool"), "has no leaf `heat`"),
        ("stores", json!({}), "the names there are []"),
        ("stores", json!([1]), "invalid type"),
        ("stores/more", json!({}), "missing field"),
        ("files", json!({}), "its checksum is not the one"),
        ("files", json!({"../../../etc/passwd": "0"}), "its checksum is not the one"),
        ("format", json!(2), "of format 2; this version of layout-zarr reads format 1"),
        ("format", json!(-1), "invalid value: integer `-1`"),
        ("byte_order", json!("middle"), "of format 1 of a middle-endian machine"),
        ("more", json!(1), "unknown field"),
        ("values/on/bytes", json!(1), "invalid type"),
    ];
    for (place, value, expected) in changes {
        let mut changed = manifest.clone();
        let mut at = &mut changed["attributes"]["layout"];
        for name in place.split('/') {
            at = match name.parse::<usize>() {
                Ok(number) => &mut at[number],
                Err(_) => &mut at[name],
            };
        }
        *at = value;
        sign(&path, &changed);
        let error = refused(&rt, &folder.0).to_string();
        assert!(error.contains(expected), "{place}: {error}");
    }

    let texts = [
        (String::new(), "EOF"),
        ("[".repeat(10_000), "invalid type"),
        ("{\"attributes\":".repeat(10_000), "EOF"),
        ("\u{0}".to_owned(), "expected value"),
        ("{}".to_owned(), "missing field `attributes`"),
        ("{\"attributes\":{\"layout\":{\"format\":1}}}".to_owned(), "its checksum"),
        (whole.replace("\"checksum\": ", "\"checksum\":"), "its checksum"),
        ("1e999".to_owned(), "number out of range"),
    ];
    for (text, expected) in texts {
        fs::write(&path, text).unwrap();
        let error = refused(&rt, &folder.0).to_string();
        assert!(error.contains(expected), "{error}");
    }
    // No byte of it is there.
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    assert!(refused(&rt, &folder.0).to_string().contains("1099511627776 bytes, more than"));
    fs::write(&path, &whole).unwrap();

    let chunk = folder.0.join("000001/cells/on/c.0.0");
    let values = fs::read(&chunk).unwrap();
    let mut wrong = values[..12].to_vec();
    wrong[5] = 2;
    wrong.extend(crc32c::crc32c(&wrong).to_le_bytes());
    fs::write(&chunk, wrong).unwrap();
    assert!(refused(&rt, &folder.0).to_string().ends_with("it has bytes that are no value of `bool`"));
    fs::File::create(&chunk).unwrap().set_len(1 << 40).unwrap();
    assert!(refused(&rt, &folder.0).to_string().ends_with("1099511627776 bytes, and a whole one has 16"));
    #[cfg(unix)]
    {
        fs::remove_file(&chunk).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &chunk).unwrap();
        assert!(refused(&rt, &folder.0).to_string().ends_with("it is no file"));
        fs::remove_file(&chunk).unwrap();
    }
    fs::write(&chunk, values).unwrap();

    for bytes in ["", "0", "02", "0101", "zz", "+1"] {
        let mut changed = manifest.clone();
        changed["attributes"]["layout"]["values"]["on"]["bytes"] = json!(bytes);
        sign(&path, &changed);
        let found = Checkpoint::new(&folder.0).store("cells", &cells).restore(&rt).unwrap().unwrap();
        let error = found.value::<bool>("on").unwrap_err().to_string();
        assert!(error.ends_with("the bytes of value `on` are no value of its record"), "{bytes}: {error}");
    }
}

/// A manifest takes memory in proportion to its length, whatever values of JSON it has.
#[test]
fn a_long_manifest_takes_as_much_memory_as_it_is_long() {
    let _alone = ALONE.lock().unwrap_or_else(|error| error.into_inner());
    let folder = Folder::new("long");
    let rt = Runtime::builder().threads(0).pieces(1).build().unwrap();
    let cells: Store<Cell, Dim<2>> = rt.create([3, 4]).unwrap();
    cells.fill(BEFORE).unwrap();
    Checkpoint::new(&folder.0).store("cells", &cells).write(&rt).unwrap();
    let path = folder.0.join("000001/zarr.json");
    let whole = fs::read_to_string(&path).unwrap();
    let list = |value: &str| format!("[{}{value}]", format!("{value},").repeat(4 * MIB / (value.len() + 1)));
    // As it is, in a field that nobody reads, and in the place of the files and the extents, with the right checksum.
    for text in [list("0"), whole.replacen('{', &format!("{{\"more\": {},", list("0")), 1)] {
        fs::write(&path, &text).unwrap();
        let error = refused_within(&rt, &folder.0, 4 * text.len());
        assert!(matches!(error, ZarrError::Damaged { .. }), "{error}");
    }
    for (field, expected) in
        [("\"files\": {", "invalid type: sequence, expected a map"), ("\"extents\": [", "with extents [0, 0")]
    {
        let at = whole.rfind(field).unwrap();
        let end = at + whole[at..].find(['}', ']']).unwrap() + 1;
        let text = format!("{}{}{}", &whole[..at + field.len() - 1], list("0"), &whole[end..]);
        sign_text(&path, &text);
        let error = refused_within(&rt, &folder.0, 16 * text.len());
        assert!(error.to_string().contains(expected), "{:.200}", error.to_string());
    }
}
