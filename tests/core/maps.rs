//! Memory maps as memory of views, and views in huge pages.
#![cfg(not(miri))]
#![expect(clippy::cast_possible_truncation, reason = "indices are small")]

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use layout::blob::{Allocate, Bytes, HugePages};
use layout::prelude::*;
use memmap2::{Mmap, MmapMut, MmapOptions};

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Hit {
    time: u32,
    charge: [u16; 2],
    live: bool,
}

/// A file of these bytes, which is opened to read and write.
fn file(name: &str, bytes: &[u8]) -> (PathBuf, File) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("maps-{}-{name}", std::process::id()));
    File::create(&path).unwrap().write_all(bytes).unwrap();
    let file = File::options().read(true).write(true).open(&path).unwrap();
    (path, file)
}

type Packed1 = Mapped<Hit, DynExtents<1>, AoS<Packed>>;

fn mapping(count: usize) -> Packed1 {
    Mapped::new(extents!(dyn count)).unwrap()
}

/// The bytes of hits, as `AoS<Packed>` places them.
fn bytes(count: u8) -> Vec<u8> {
    (0..count).flat_map(|i| [u32::from(i).to_ne_bytes().as_slice(), &[i, 0, 0, i, i % 2]].concat()).collect()
}

/// A view that owns its map, made by a function that opens the file.
fn opened(bytes: &[u8], header: u64, count: usize) -> Result<View<Packed1, Region<Mmap>>, ViewError> {
    let (path, file) = file(&format!("opened-{header}-{count}-{}", bytes.len()), bytes);
    // SAFETY: nobody else knows the file.
    let map = unsafe { MmapOptions::new().offset(header).map(&file) }.unwrap();
    std::fs::remove_file(path).unwrap();
    View::from_bytes(mapping(count), map)
}

#[test]
fn a_view_owns_its_map() {
    let view = opened(&bytes(100), 0, 100).unwrap();
    let view = std::thread::spawn(move || view).join().unwrap();
    assert_eq!(
        view.load(77),
        Hit { time: 77, charge: [u16::from_ne_bytes([77, 0]), u16::from_ne_bytes([0, 77])], live: true }
    );
    let mut sum = 0;
    view.for_each(|hit| sum += hit.time.get());
    assert_eq!(sum, 99 * 100 / 2);
    // A header of any length comes before the records.
    let with_header = [&[9; 13][..], &bytes(20)].concat();
    assert_eq!(opened(&with_header, 13, 20).unwrap().to_vec(), view.slice((..20,)).to_vec());
}

#[test]
fn bytes_of_files_are_checked() {
    let error = opened(&bytes(10), 0, 11).err();
    assert_eq!(error, Some(ViewError::BlobSize { blob: 0, given: 90, needed: 99 }));
    let mut wrong = bytes(10);
    wrong[4 * 9 + 8] = 2;
    let error = opened(&wrong, 0, 10).expect_err("2 is no `bool`").to_string();
    assert!(error.contains("live") && error.contains("[4]"), "{error}");
}

#[test]
fn writes_reach_the_file() {
    let (path, file) = file("writes", &bytes(10));
    // SAFETY: nobody else knows the file.
    let map = unsafe { MmapMut::map_mut(&file) }.unwrap();
    let mut view = View::from_bytes(mapping(10), map).unwrap();
    view.at_mut(3).time.set(1000);
    view.into_blobs().into_inner().flush().unwrap();
    let written = std::fs::read(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    let mut expected = bytes(10);
    expected[27..31].copy_from_slice(&1000_u32.to_ne_bytes());
    assert_eq!(written, expected);
}

/// Memory without a file is good for any layout.
#[test]
fn maps_without_files() {
    let mapping = Mapped::<Hit, _, AoSoA<8>, ColMajor>::new(extents!(dyn 30, 5)).unwrap();
    let map = MmapMut::map_anon(mapping.region_size()).unwrap();
    let mut view = View::from_bytes(mapping, map).unwrap();
    let other = Hit::alloc_from_fn::<SoA>(extents!(dyn 30, 5), |[i, j]| Hit { time: (i * j) as u32, ..Hit::default() });
    let other = other.unwrap();
    view.copy_from(&other).unwrap();
    assert_eq!(view.to_vec(), other.to_vec());
}

#[test]
fn huge_pages_are_aligned_and_zero() {
    for size in [0, 1, 100, HugePages::SIZE - 1, HugePages::SIZE, 5 * HugePages::SIZE + 7] {
        let memory = HugePages::zeroed(size, 64).unwrap();
        assert_eq!((memory.len(), memory.as_ptr().addr() % HugePages::SIZE), (size, 0));
    }
    let more = HugePages::zeroed(10, 4 * HugePages::SIZE).unwrap();
    assert_eq!(more.as_ptr().addr() % (4 * HugePages::SIZE), 0);
    for (size, align) in [(usize::MAX, 64), (isize::MAX as usize, 64), (1 << 60, 64)] {
        assert_eq!(
            HugePages::zeroed(size, align).err(),
            Some(ViewError::OutOfMemory { bytes: size }),
            "{size} {align}"
        );
    }
    for align in [0, 3, 3 * HugePages::SIZE] {
        assert_eq!(HugePages::zeroed(100, align).err(), Some(ViewError::Alignment { align }));
    }
    assert!(format!("{:?}", HugePages::zeroed(7, 1).unwrap()).contains("len: 7"));
}

#[test]
fn views_in_huge_pages() {
    let f = |[i, j]: [usize; 2]| Hit { time: (i * j) as u32, charge: [i as u16, 1], live: j % 2 == 0 };
    let view = Hit::alloc_from_fn_in::<SoA, HugePages>([700, 300], f).unwrap();
    let heap = Hit::alloc_from_fn::<AoS>([700, 300], f).unwrap();
    assert!(view == heap);
    // A clone has memory of its own.
    let mut copy = view.clone();
    copy.fill(Hit::default());
    assert!(view == heap && copy != heap);
    assert_eq!(copy.as_ptr(Hit::PATHS.time).addr() % HugePages::SIZE, 0);
    assert!(Hit::alloc_in::<SoA, HugePages>([3, 4]).unwrap().to_vec().iter().all(|hit| *hit == Hit::default()));
    // Zero is no value of the record, so somebody has to give values.
    let none = core::num::NonZeroU8::alloc_in::<SoA, HugePages>(10);
    assert!(matches!(none.err(), Some(ViewError::InvalidValue { .. })));
    assert!(core::num::NonZeroU8::alloc_from_fn_in::<SoA, HugePages>(10, |_| core::num::NonZeroU8::MIN).is_ok());
}

/// Linux has marked the memory for huge pages, unless it has none.
#[test]
#[cfg(target_os = "linux")]
fn linux_was_asked() {
    let view = f64::alloc_in::<SoA, HugePages>(1 << 20).unwrap();
    let address = view.blob_bytes(0).as_ptr().addr();
    if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage/enabled").exists() {
        return;
    }
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut inside = false;
    for line in maps.lines() {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let range = range
            .and_then(|(from, to)| Some(usize::from_str_radix(from, 16).ok()?..usize::from_str_radix(to, 16).ok()?));
        if let Some(range) = range {
            inside = range.contains(&address);
        }
        if inside && let Some(flags) = line.strip_prefix("VmFlags:") {
            assert!(flags.split_whitespace().any(|flag| flag == "hg"), "{flags}");
            return;
        }
    }
    panic!("no map has the address {address:#x}");
}
