//! Memory of messages: when a message was read, its memory goes back to the locale that made it, for the next message.

use core::mem::take;
use core::ops::Deref;
use std::sync::Arc;

use super::flow::WINDOW;
use crate::sync::Mutex;

/// The bytes of a message.
///
/// # Examples
///
/// ```
/// use layout::store::Buffer;
///
/// let buffer = Buffer::from(vec![1, 2, 3]);
/// assert_eq!(buffer[1..], [2, 3]);
/// ```
#[derive(Debug, Default)]
pub struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// The owner to which the memory goes back.
    home: Option<Arc<Buffers>>,
    /// The number of bytes for which it counts there.
    counted: usize,
}

/// The memory for the messages that a locale sends.
#[derive(Debug, Default)]
pub(crate) struct Buffers(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Unused memory, the oldest first, each with the bytes of its last message, so that it need not be zeroed again.
    kept: Vec<Vec<u8>>,
    /// The bytes of unused memory, and of messages under way.
    bytes: (usize, usize),
}

impl Buffers {
    /// An empty message with room for `bytes` bytes.
    pub(crate) fn take(self: &Arc<Self>, bytes: usize) -> Buffer {
        let mut message = self.find(bytes);
        message.bytes.clear();
        message.bytes.reserve(bytes);
        message
    }

    /// A message of `bytes` bytes with any contents.
    pub(crate) fn filled(self: &Arc<Self>, bytes: usize) -> Buffer {
        let mut message = self.find(bytes);
        if message.bytes.capacity() == 0 {
            message.bytes = vec![0; bytes];
        }
        message.bytes.resize(bytes, 0);
        message
    }

    fn find(self: &Arc<Self>, bytes: usize) -> Buffer {
        let fits = |memory: &Vec<u8>| (bytes..=(bytes + bytes / SPARE).max(SMALL)).contains(&memory.capacity());
        let mut state = self.0.lock();
        let known = state.kept.iter().rposition(fits).map(|at| state.kept.remove(at));
        state.bytes.0 -= known.as_ref().map_or(0, Vec::capacity);
        let counted = known.as_ref().map_or(bytes, Vec::capacity);
        state.bytes.1 += counted;
        state.trim();
        drop(state);
        Buffer { bytes: known.unwrap_or_default(), home: Some(self.clone()), counted }
    }

    /// The bytes of unused memory.
    pub(crate) fn kept(&self) -> usize {
        self.0.lock().bytes.0
    }
}

/// The memory for a message is larger by at most one part in `SPARE`, or by `SMALL` bytes.
const SPARE: usize = 8;
const SMALL: usize = 256;
/// The largest number of bytes of unused memory and of messages under way: those of a window of elements, with the headers of their messages.
const KEPT: usize = WINDOW + (1 << 12);
/// The largest number of unused entries, however small they are.
const MOST: usize = 256;

impl State {
    /// Frees the memory that was unused longest, so that unused memory and messages under way together are at most [`KEPT`].
    fn trim(&mut self) {
        while self.kept.len() > MOST || !self.kept.is_empty() && self.bytes.0 + self.bytes.1 > KEPT {
            self.bytes.0 -= self.kept.remove(0).capacity();
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, home: None, counted: 0 }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let Some(home) = self.home.take() else { return };
        let memory = take(&mut self.bytes);
        let mut state = home.0.lock();
        state.bytes.1 -= self.counted;
        if memory.capacity() <= KEPT {
            state.bytes.0 += memory.capacity();
            state.kept.push(memory);
            state.trim();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_for_messages_of_its_size() {
        let buffers = Arc::<Buffers>::default();
        let (mut long, short) = (buffers.take(1000), buffers.take(80));
        long.bytes.extend([1, 2, 3]);
        let (at_long, at_short) = (long.as_ptr(), short.as_ptr());
        drop((long, short));
        assert_eq!(buffers.kept(), 1080);
        let taken = buffers.take(80);
        assert_eq!((buffers.kept(), taken.as_ptr()), (1000, at_short));
        drop(taken);
        assert_eq!(buffers.take(8).as_ptr(), at_short, "small messages share memory");
        let (short, long) = (buffers.take(80), buffers.take(900));
        assert_eq!((short.as_ptr(), long.as_ptr(), &long[..]), (at_short, at_long, &[][..]));
        assert_ne!(buffers.take(900).as_ptr(), at_long, "somebody has it");
        drop(long);
        assert_ne!(buffers.take(500).as_ptr(), at_long, "half of it would be spare");
    }

    #[test]
    fn so_many_messages_are_kept() {
        let buffers = Arc::<Buffers>::default();
        drop((0..MOST + 5).map(|_| buffers.take(8)).collect::<Vec<_>>());
        assert_eq!(buffers.kept(), 8 * MOST);
    }

    #[test]
    fn so_many_bytes_are_kept_with_what_is_under_way() {
        let buffers = Arc::<Buffers>::default();
        let quarter = KEPT / 4;
        let four: Vec<Buffer> = (0..4).map(|_| buffers.take(quarter)).collect();
        drop(four);
        assert_eq!(buffers.kept(), KEPT);
        // Memory that does not fit is freed.
        let other = buffers.take(8);
        assert_eq!(buffers.kept(), 3 * quarter);
        drop(other);
        drop(buffers.take(KEPT));
        assert_eq!(buffers.kept(), KEPT);
        let mut five: Vec<Buffer> = (0..5).map(|_| buffers.take(quarter)).collect();
        five.truncate(3);
        assert_eq!(buffers.kept(), quarter, "three are under way");
        drop(five);
        let large = buffers.take(2 * KEPT);
        assert_eq!(buffers.kept(), 0);
        drop(large);
        assert_eq!(buffers.kept(), 0);
    }

    /// A message that became longer than expected counts with its real length.
    #[test]
    fn messages_may_grow() {
        let buffers = Arc::<Buffers>::default();
        let mut message = buffers.take(10);
        message.bytes.extend([7; 1000]);
        drop(message);
        assert!(buffers.kept() >= 1000);
        assert_eq!(buffers.take(1000).len(), 0);
    }
}
