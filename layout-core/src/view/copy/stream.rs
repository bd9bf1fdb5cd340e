//! Bytes written past the cache.
//!
//! A plain store to a line that is not in the cache reads the line first. Where the target is larger than the cache,
//! that is half as much traffic again, for bytes that are overwritten at once; and the lines push out others. x86-64
//! has stores that do without, as long as whole lines are written in one go. Other processors find that out by
//! themselves, or have no such store: there this is a plain copy.

/// The size of a line of the cache in bytes.
pub(super) const LINE: usize = 64;

/// Memory of the source that is going to be read soon: the next block's.
///
/// The processor asks for it while it writes this block past the cache. Without that it would read nothing then, and
/// write nothing while it reads.
pub(super) struct Ahead {
    ranges: [(usize, usize); MAX_RANGES],
    count: usize,
    current: usize,
}

/// The most ranges that are fetched ahead.
const MAX_RANGES: usize = 64;

impl Ahead {
    /// No memory.
    pub(super) const fn none() -> Self {
        Self { ranges: [(0, 0); MAX_RANGES], count: 0, current: 0 }
    }

    /// Forgets all ranges.
    pub(super) fn clear(&mut self) {
        (self.count, self.current) = (0, 0);
    }

    /// Adds a range of addresses; those that do not fit are left out.
    pub(super) fn add(&mut self, first: usize, end: usize) {
        if let Some(last) = self.ranges[..self.count].last_mut()
            && first <= last.1 + LINE
            && last.0 <= end + LINE
        {
            *last = (last.0.min(first), last.1.max(end));
        } else if self.count < MAX_RANGES {
            self.ranges[self.count] = (first, end);
            self.count += 1;
        }
    }

    /// Asks for the next line.
    #[inline(always)]
    fn fetch(&mut self) {
        if self.current < self.count {
            let (line, end) = &mut self.ranges[self.current];
            fetch(core::ptr::without_provenance(*line));
            *line += LINE;
            if *line >= *end {
                self.count -= 1;
                self.ranges[self.current] = self.ranges[self.count];
            } else {
                self.current += 1;
            }
            if self.current >= self.count {
                self.current = 0;
            }
        }
    }
}

/// Asks for the line at an address.
#[inline(always)]
pub(super) fn fetch(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint: nothing is read.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Copies `len` bytes past the cache. [`finish`] is due before other threads may read them.
///
/// # Safety
///
/// `from` points to `len` bytes that can be read and are initialized, `to` to as many that can be written, and
/// they do not overlap.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, len: usize, ahead: &mut Ahead) {
    // Lines that are written in part only take the usual way.
    let head = to.addr().wrapping_neg() % LINE;
    let head = if head < len { head } else { len };
    let lines = (len - head) / LINE;
    if head > 0 {
        // SAFETY: the first `head` of `len` bytes.
        unsafe { to.copy_from_nonoverlapping(from, head) };
    }
    let (from, to) = (from.wrapping_add(head), to.wrapping_add(head));
    let woven = if ahead.count == 0 { lines / WOVEN * WOVEN } else { 0 };
    for turn in 0..woven {
        let at = weave(turn) * LINE;
        // SAFETY: bytes `at..at + LINE` are some of `len`, and `at` is where a line starts.
        unsafe { line(from.wrapping_add(at), to.wrapping_add(at)) };
    }
    let done = woven * LINE;
    // SAFETY: the lines that are left.
    unsafe { self::lines(from.wrapping_add(done), to.wrapping_add(done), lines - woven, ahead) };
    let (done, len) = (lines * LINE, len - head);
    if done < len {
        // SAFETY: what is left of `len` bytes.
        unsafe { to.wrapping_add(done).copy_from_nonoverlapping(from.wrapping_add(done), len - done) };
    }
}

/// Copies whole lines past the cache.
///
/// # Safety
///
/// As [`copy`], and `to` is aligned to [`LINE`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn lines(from: *const u8, to: *mut u8, count: usize, ahead: &mut Ahead) {
    let fetch = ahead.count > 0;
    for k in 0..count {
        // SAFETY: the conditions are the caller's.
        unsafe { line(from.wrapping_add(k * LINE), to.wrapping_add(k * LINE)) };
        if fetch {
            ahead.fetch();
        }
    }
}

/// Lines that are copied in turns of [`PAGES`] pages: several pages are on the way at once, for which the processor
/// fetches ahead by itself.
#[cfg(target_arch = "x86_64")]
const WOVEN: usize = PAGES * PAGE;
#[cfg(target_arch = "x86_64")]
const PAGES: usize = 4;
/// Lines of a page.
#[cfg(target_arch = "x86_64")]
const PAGE: usize = 4096 / LINE;

/// The line that is copied as number `turn`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
const fn weave(turn: usize) -> usize {
    turn / WOVEN * WOVEN + turn % PAGES * PAGE + turn % WOVEN / PAGES
}

/// Writes one line.
///
/// # Safety
///
/// As [`copy`], for [`LINE`] bytes, and `to` is aligned to them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn line(from: *const u8, to: *mut u8) {
    #[cfg(not(target_feature = "avx"))]
    use core::arch::x86_64::{__m128i as Vector, _mm_loadu_si128 as load, _mm_stream_si128 as store};
    #[cfg(target_feature = "avx")]
    use core::arch::x86_64::{__m256i as Vector, _mm256_loadu_si256 as load, _mm256_stream_si256 as store};

    const VECTORS: usize = LINE / size_of::<Vector>();
    let (from, to) = (from.cast::<Vector>(), to.cast::<Vector>());
    // All loads first: the line is then written without a pause.
    let line: [Vector; VECTORS] = core::array::from_fn(|k| {
        // SAFETY: the caller vouches for the bytes; this load takes any alignment.
        unsafe { load(from.wrapping_add(k)) }
    });
    for (k, vector) in line.into_iter().enumerate() {
        // SAFETY: the caller vouches for the bytes, and for an alignment that is a multiple of the vector's.
        unsafe { store(to.wrapping_add(k), vector) };
    }
}

/// Copies `len` bytes.
///
/// # Safety
///
/// `from` points to `len` bytes that can be read and are initialized, `to` to as many that can be written, and
/// they do not overlap.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, len: usize, _: &mut Ahead) {
    // SAFETY: the conditions are the caller's.
    unsafe { to.copy_from_nonoverlapping(from, len) };
}

/// Copies whole lines.
///
/// # Safety
///
/// As [`copy`].
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(super) unsafe fn lines(from: *const u8, to: *mut u8, count: usize, _: &mut Ahead) {
    // SAFETY: the conditions are the caller's.
    unsafe { to.copy_from_nonoverlapping(from, count * LINE) };
}

/// Makes what [`copy`] wrote visible to whatever follows.
#[inline]
pub(super) fn finish() {
    // Stores past the cache are not ordered with others, as Rust's memory model wants them to be.
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has it.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}
