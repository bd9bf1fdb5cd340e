//! The examples that show layouts: what they write and print.
//!
//! `cargo test` builds all examples next to the tests; for this test alone, build them first: `cargo build --examples`.
#![cfg(feature = "inspect")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What an example prints, which has to succeed.
fn stdout(name: &str, argument: impl AsRef<OsStr>) -> String {
    let mut path: PathBuf = std::env::current_exe().unwrap();
    path.pop();
    path.set_file_name("examples");
    path.push(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} is missing: run `cargo build --examples` first", path.display());
    let output = Command::new(path).arg(argument).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn gallery() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gallery");
    let _ = std::fs::remove_dir_all(&directory);
    let text = stdout("gallery", &directory);
    assert!(text.contains("     0 |a|. . . . . . .|b b b b b b b b|c c|. .|d d d d|e e e e|. . . ."), "{text}");

    let files: BTreeSet<_> =
        std::fs::read_dir(&directory).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let pictures = files.iter().filter(|name| name.ends_with(".svg")).count();
    assert!(files.contains("aos.svg") && files.contains("split_path_hit_time_soa_aos.svg"), "{files:?}");
    assert!(text.contains(&format!("{pictures} pictures in ")), "{text}");
    let page = std::fs::read_to_string(directory.join("index.html")).unwrap();
    assert_eq!(page.matches("<svg ").count(), pictures);
    for file in files.iter().filter(|name| name.ends_with(".svg")) {
        let svg = std::fs::read_to_string(directory.join(file)).unwrap();
        assert!(page.contains(&svg), "{file}");
    }
}
