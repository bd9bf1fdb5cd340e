//! Programs under the launcher of another library.

use std::process::Command;

use crate::{LONG, mpirun, start_by};

/// The launchers of the libraries that may be there.
const LAUNCHERS: [&str; 2] = ["mpirun.openmpi", "mpirun.mpich"];

fn is_installed(launcher: &str) -> bool {
    Command::new(launcher).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn version(launcher: &str) -> Vec<u8> {
    Command::new(launcher).arg("--version").output().unwrap().stdout
}

#[test]
fn the_launcher_of_another_library_is_told() {
    let others = LAUNCHERS.iter().filter(|other| is_installed(other) && version(other) != version(&mpirun()));
    for other in others {
        // Two processes that no launcher of their library started can be in each other's way when they make its folder.
        let mut tries = (0..5).map(|_| start_by(other, 2, "program 1 1 1").end(LONG));
        let ended = tries.find(|ended| !ended.text.contains("orte_session_dir failed")).expect("a folder").well();
        let told = ended.told("result", 0);
        assert!(told.contains(" started 2 processes, and this program is built for "), "{told}");
        assert!(told.contains(", which knows of 1: start it by the `mpirun` of that library"), "{told}");
    }
}
