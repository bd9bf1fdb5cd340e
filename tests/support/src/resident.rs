//! Memory of this process that is resident, in bytes, as Linux counts it.

use std::fs;

/// The memory that is resident now.
#[must_use]
pub fn now() -> usize {
    counted("VmRSS:")
}

/// The most memory that was resident at a time, since the start or since [`forget_most`].
#[must_use]
pub fn most() -> usize {
    counted("VmHWM:")
}

/// Counts the [`most`] anew.
///
/// # Panics
///
/// Panics if the system does not allow that.
pub fn forget_most() {
    fs::write("/proc/self/clear_refs", "5").unwrap();
}

fn counted(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    1024 * line.trim().trim_end_matches(" kB").parse::<usize>().unwrap()
}
