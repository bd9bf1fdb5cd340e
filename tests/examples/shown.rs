//! The examples that show layouts: what they write and print.

use std::collections::BTreeSet;

#[cfg(unix)]
use support::program::unread;
use support::program::{fails, scratch, stdout};

/// Few particles: what is printed, and not what is fast.
#[test]
fn advisor() {
    let text = stdout("advisor", &["2000"]);
    for part in ["layout ", "noise: ", "\npos.x  f32       4   4000    2000\n", "results:\nalloc::<Particle, "] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    // 32-bit floats as 16-bit integers lose digits, and the advisor says so.
    let lossy = text.lines().find(|line| line.starts_with("ChangeType<SoA, f32, i16>")).unwrap();
    assert!(lossy.contains("pos.x differs"), "{text}");
    for layout in ["AoS ", "SoA ", "AoSoA<16> ", "Split<path!(Particle, id), AoS, SoA> "] {
        assert!(text.lines().any(|line| line.starts_with(layout) && line.contains("same")), "{text}");
    }
}

#[test]
fn names_with_a_dash_are_no_folders() {
    for (example, part) in [
        ("advisor", "the number of particles, 1 or more"),
        ("bitpack", "no arguments"),
        ("domain_maps", "a folder for the pictures"),
        ("gallery", "a folder for the pictures"),
        ("hep_event", "the number of events"),
        ("memmap_stl", "one file: a binary STL"),
    ] {
        assert!(stdout(example, &["--help"]).contains(part), "{example}");
        fails(example, &["-x"], 2, &[part]);
        assert!(!std::path::Path::new("-x").exists() && !std::path::Path::new("--help").exists(), "{example}");
    }
    for (example, argument) in [("advisor", "many"), ("advisor", "0"), ("bitpack", "x")] {
        fails(example, &[argument], 2, &["give "]);
    }
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_no_panic() {
    let output = unread("bitpack");
    assert!(output.status.code() == Some(1) && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn gallery() {
    let folder = scratch("gallery");
    let _ = std::fs::remove_dir_all(&folder);
    let text = stdout("gallery", &[&folder]);
    assert!(text.contains("     0 |a|. . . . . . .|b b b b b b b b|c c|. .|d d d d|e e e e|. . . ."), "{text}");

    let files: BTreeSet<_> =
        std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let pictures = files.iter().filter(|name| name.ends_with(".svg")).count();
    assert!(files.contains("aos.svg") && files.contains("split_path_hit_time_soa_aos.svg"), "{files:?}");
    assert!(text.contains(&format!("{pictures} pictures in ")), "{text}");
    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    assert_eq!(page.matches("<svg ").count(), pictures);
    for file in files.iter().filter(|name| name.ends_with(".svg")) {
        let svg = std::fs::read_to_string(folder.join(file)).unwrap();
        assert!(page.contains(&svg), "{file}");
    }
}

/// The picture in the guide is the one that the example draws; `LAYOUT_BLESS=1` writes the picture anew.
#[test]
fn domain_maps() {
    let folder = scratch("domain_maps");
    let text = stdout("domain_maps", &[&folder]);
    assert!(text.contains("2 2 2 3 3 3 2 2 2 3 3 3\n"), "{text}");
    let drawn = std::fs::read_to_string(folder.join("domain_maps.svg")).unwrap();
    let shown = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/guide/domain_maps.svg");
    if std::env::var_os("LAYOUT_BLESS").is_some() {
        std::fs::write(&shown, &drawn).unwrap();
    }
    assert!(std::fs::read_to_string(&shown).unwrap() == drawn, "{} is not what the example draws", shown.display());
    // Each picture is part of the sheet, and shows each of the six locales.
    let pictures = std::fs::read_dir(&folder).unwrap().count() - 1;
    assert_eq!(drawn.matches("<svg ").count(), pictures + 1);
    let block = std::fs::read_to_string(folder.join("block.svg")).unwrap();
    assert!((0..6).all(|locale| block.contains(&format!(">{locale}</text>"))), "{block}");
}
