//! CPU times, in seconds.

fn clock(which: libc::clockid_t) -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the given time and to nothing else.
    let failed = unsafe { libc::clock_gettime(which, &raw mut now) };
    assert_eq!(failed, 0, "this system has no such clock");
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// That of this thread so far.
#[must_use]
pub fn thread_time() -> f64 {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// That of all threads of the process so far.
#[must_use]
pub fn process_time() -> f64 {
    clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}
