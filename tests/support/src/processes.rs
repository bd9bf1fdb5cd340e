//! Processes of this program, which it starts again: none stays behind, nor does their folder.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};

/// A folder of its own, which goes with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    /// An empty folder. The name of a socket in it is short.
    ///
    /// # Panics
    ///
    /// Panics if there is such a folder, or none can be made.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("layout-{}-{name}", std::process::id()));
        fs::create_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Lets Open MPI start more ranks than there are processors, as any user; they share the processors by yielding.
pub const MPI: [(&str, &str); 5] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
];

/// The processes of a program. Those that have not ended are killed.
pub struct Processes(pub Vec<Child>);

impl Processes {
    /// Starts this program so many times; `tell` says to each what it is to do.
    ///
    /// # Panics
    ///
    /// Panics if a process cannot be started.
    pub fn start(count: usize, tell: impl Fn(usize, &mut Command)) -> Self {
        Self::start_by(None, count, tell)
    }

    /// As [`start`](Self::start), by a command like `mpirun`, whose words are separated by spaces, if one is given.
    ///
    /// # Panics
    ///
    /// As [`start`](Self::start).
    pub fn start_by(launcher: Option<&str>, count: usize, tell: impl Fn(usize, &mut Command)) -> Self {
        let mut processes = Self(Vec::with_capacity(count));
        let this = env::current_exe().expect("this program is known");
        for number in 0..count {
            let mut words = launcher.iter().flat_map(|launcher| launcher.split(' '));
            let mut command = match words.next() {
                Some(program) => Command::new(program),
                None => Command::new(&this),
            };
            command.args(words);
            if launcher.is_some() {
                command.arg(&this).envs(MPI);
            }
            tell(number, &mut command);
            processes.0.push(command.spawn().expect("this program can be started again"));
        }
        processes
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
