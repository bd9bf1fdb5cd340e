//! The rooms of `layout-store`: each is built with only the rooms that it may use, so that none uses one above it.

use std::fs;

use crate::report::{Outcome, Result};
use crate::shell::{cargo, read, root, run, target};

/// Rooms, and the highest rooms that each may use; it may use those that they may use, too. A room is a module at the root of
/// the crate.
const ROOMS: [(&str, &[&str]); 13] = [
    ("sync", &[]),
    ("geometry", &[]),
    ("partition", &["geometry"]),
    ("memory", &["geometry", "sync"]),
    ("graph", &["partition", "sync"]),
    ("profile", &["partition", "sync"]),
    ("file", &["geometry"]),
    ("error", &["partition", "memory", "graph", "file"]),
    ("locale", &["error"]),
    ("task", &["locale", "profile"]),
    ("store", &["task"]),
    ("ops", &["store"]),
    ("runtime", &["ops"]),
];

/// Builds, for each room, a crate of that room and the ones below it.
pub(crate) fn check() -> Result {
    let store = root().join("layout-store");
    let text = read("layout-store/src/lib.rs")?;
    let mut listed: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
    listed.sort_unstable();
    let mut known = ROOMS.map(|(room, _)| room);
    known.sort_unstable();
    if listed != known {
        return Err(format!(
            "layout-store/src/lib.rs has the rooms {listed:?}, and xtask/src/rooms.rs lists {known:?}"
        ));
    }

    let folder = target().join("rooms");
    let write = |name: &str, text: String| {
        fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(name), text)).map_err(|error| error.to_string())
    };
    write("Cargo.toml", manifest(&read("layout-store/Cargo.toml")?, &read("Cargo.toml")?)?)?;
    // The versions of dependencies are those of the workspace.
    write("Cargo.lock", read("Cargo.lock")?)?;
    for (room, _) in ROOMS {
        let modules = with_below(room).into_iter().map(|room| {
            let folder = store.join("src").join(room);
            let file = if folder.is_dir() { folder.join("mod.rs") } else { folder.with_extension("rs") };
            format!("#[path = {file:?}]\nmod {room};\n")
        });
        let head = format!(
            "//! `{room}` and the rooms below it.\n#![allow(warnings, reason = \"nobody uses the top room\")]\n"
        );
        write("lib.rs", modules.fold(head, |text, module| text + &module))?;
        println!("{room}, with {:?} below it:", &with_below(room)[1..]);
        let mut build = cargo("check --quiet --manifest-path");
        build.arg(folder.join("Cargo.toml")).arg("--target-dir").arg(folder.join("target"));
        run(&mut build).map_err(|_| format!("`{room}` does not build with only the rooms below it"))?;
    }
    Ok(Outcome::Passed(format!("{} rooms", ROOMS.len())))
}

/// A room, and all that it may use.
fn with_below(room: &'static str) -> Vec<&'static str> {
    let mut rooms = vec![room];
    let mut next = 0;
    while let Some(room) = rooms.get(next) {
        let below = ROOMS.iter().find(|(name, _)| name == room).map_or(&[][..], |(_, below)| below);
        let new: Vec<&str> = below.iter().copied().filter(|below| !rooms.contains(below)).collect();
        rooms.extend(new);
        next += 1;
    }
    rooms
}

/// A package of its own with the dependencies of the store.
fn manifest(store: &str, workspace: &str) -> core::result::Result<String, String> {
    let section = store.split("\n[dependencies]\n").nth(1).ok_or("layout-store/Cargo.toml has no dependencies")?;
    let section = section.split("\n[").next().unwrap_or("");
    let folder = root();
    let lines = section.lines().map(|line| match line.strip_prefix("layout-") {
        // A path, instead of that of the workspace.
        Some(rest) => {
            let name = rest.split(['.', ' ']).next().unwrap_or(rest);
            let features = rest.split_once("features = ").map_or("[] }", |(_, features)| features);
            format!("layout-{name} = {{ path = {:?}, features = {features}\n", folder.join(format!("layout-{name}")))
        }
        None => format!("{line}\n"),
    });
    let edition = workspace.lines().find(|line| line.starts_with("edition = ")).ok_or("Cargo.toml has no edition")?;
    let head = format!(
        "[package]\nname = \"rooms\"\nversion = \"0.0.0\"\n{edition}\npublish = false\n\n[lib]\npath = \"lib.rs\"\n\n\
         [workspace]\n\n[dependencies]\n"
    );
    Ok(lines.fold(head, |text, line| text + &line))
}
