//! Crates that are written anew for each measurement, and depend on the library as a user's does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{output, root, target};

/// A crate in the build folder.
pub(crate) struct Generated {
    folder: PathBuf,
    source: &'static str,
}

impl Generated {
    /// Makes the crate of this name; its one source file is `source`, `lib.rs` or `main.rs`, and `more` ends its manifest.
    pub(crate) fn new(name: &str, source: &'static str, more: &str) -> Result<Self, String> {
        let folder = target().join(name);
        let manifest = format!(
            "[package]\nname = \"generated\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
             layout-dsl = {{ path = {:?} }}\n\n[workspace]\n{more}",
            root()
        );
        fs::create_dir_all(folder.join("src")).map_err(|error| format!("{}: {error}", folder.display()))?;
        write(&folder.join("Cargo.toml"), &manifest)?;
        fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))
            .map_err(|error| format!("Cargo.lock: {error}"))?;
        Ok(Self { folder, source })
    }

    /// Replaces the source.
    pub(crate) fn write(&self, text: &str) -> Result<(), String> {
        write(&self.folder.join("src").join(self.source), text)
    }

    /// Compiles it, optimized, and what it depends on if that is not compiled yet.
    pub(crate) fn build(&self) -> Result<(), String> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.folder).args(["build", "--release", "--target-dir", "target"]);
        output(&mut command).map(drop)
    }

    /// The program.
    pub(crate) fn program(&self) -> PathBuf {
        self.folder.join("target/release/generated")
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
