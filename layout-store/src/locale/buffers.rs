//! Memory of messages: once a message is unpacked, its memory goes back to the locale that sent it, for the next one.

use core::any::{Any, TypeId};
use std::sync::Arc;

use super::flow::WINDOW;
use crate::sync::Mutex;

/// Memory for the messages of elements that a locale sends.
#[derive(Default)]
pub(crate) struct Buffers(Mutex<State>);

#[derive(Default)]
struct State {
    /// Memory that nobody uses, the oldest first.
    kept: Vec<Memory>,
    /// The bytes of that memory, and of messages that were packed and not unpacked.
    bytes: (usize, usize),
}

/// Room for records of one type.
struct Memory {
    kind: TypeId,
    bytes: usize,
    /// A `Vec` of them, which is empty while it is kept.
    records: Box<dyn Any + Send>,
}

/// A message of elements: a list of records of a type that both sides know.
pub(crate) struct Packed {
    memory: Option<Memory>,
    home: Arc<Buffers>,
}

impl Buffers {
    /// An empty message with room for so many records.
    pub(crate) fn take<R: Send + 'static>(self: &Arc<Self>, count: usize) -> Packed {
        let (kind, bytes) = (TypeId::of::<R>(), count.saturating_mul(size_of::<R>()));
        let fits = |memory: &Memory| memory.kind == kind && (bytes..=bytes + bytes / SPARE).contains(&memory.bytes);
        let mut state = self.0.lock();
        let known = state.kept.iter().rposition(fits).map(|at| state.kept.remove(at));
        state.bytes.0 -= known.as_ref().map_or(0, |memory| memory.bytes);
        state.bytes.1 += known.as_ref().map_or(bytes, |memory| memory.bytes);
        state.trim();
        drop(state);
        let new = || Memory { kind, bytes, records: Box::new(Vec::<R>::with_capacity(count)) };
        Packed { memory: Some(known.unwrap_or_else(new)), home: self.clone() }
    }

    /// The bytes that are kept.
    pub(crate) fn kept(&self) -> usize {
        self.0.lock().bytes.0
    }
}

/// A message gets memory that is larger by one part of so many at most.
const SPARE: usize = 8;
/// Memory of so many messages is kept at most, however small they are.
const MOST: usize = 256;

impl State {
    /// Lets memory go that fitted no message for longest, so that what is kept and what is under way are a window together.
    fn trim(&mut self) {
        while self.kept.len() > MOST || !self.kept.is_empty() && self.bytes.0 + self.bytes.1 > WINDOW {
            self.bytes.0 -= self.kept.remove(0).bytes;
        }
    }
}

impl Packed {
    /// The records; `None` if they are of another type.
    pub(crate) fn records<R: 'static>(&mut self) -> Option<&mut Vec<R>> {
        self.memory.as_mut()?.records.downcast_mut()
    }
}

impl Drop for Packed {
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        let mut state = self.home.0.lock();
        state.bytes.1 -= memory.bytes;
        if memory.bytes <= WINDOW {
            state.bytes.0 += memory.bytes;
            state.kept.push(memory);
            state.trim();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(packed: &mut Packed) -> *const u64 {
        packed.records::<u64>().unwrap().as_ptr()
    }

    #[test]
    fn memory_is_used_for_messages_of_its_type_and_size() {
        let buffers = Arc::<Buffers>::default();
        let (mut long, mut short) = (buffers.take::<u64>(100), buffers.take::<u64>(8));
        let (at_long, at_short) = (address(&mut long), address(&mut short));
        assert!(long.records::<f64>().is_none());
        drop((long, short));
        assert_eq!(buffers.kept(), 8 * 108);
        let taken = buffers.take::<u64>(8);
        assert_eq!(buffers.kept(), 8 * 100);
        drop(taken);
        assert!(buffers.take::<f64>(100).records::<u64>().is_none());
        let (mut short, mut long) = (buffers.take::<u64>(8), buffers.take::<u64>(90));
        assert_eq!((address(&mut short), address(&mut long)), (at_short, at_long));
        assert_ne!(address(&mut buffers.take::<u64>(90)), at_long, "somebody has it");
        drop(long);
        assert_ne!(address(&mut buffers.take::<u64>(50)), at_long, "half of it would be spare");
    }

    #[test]
    fn so_many_messages_are_kept() {
        let buffers = Arc::<Buffers>::default();
        drop((0..MOST + 5).map(|_| buffers.take::<u8>(1)).collect::<Vec<_>>());
        assert_eq!(buffers.kept(), MOST);
    }

    #[test]
    fn a_window_is_kept_with_what_is_under_way() {
        let buffers = Arc::<Buffers>::default();
        let quarter = WINDOW / 4;
        let four: Vec<Packed> = (0..4).map(|_| buffers.take::<u8>(quarter)).collect();
        drop(four);
        assert_eq!(buffers.kept(), WINDOW);
        // What does not fit goes.
        let other = buffers.take::<u64>(1);
        assert_eq!(buffers.kept(), 3 * quarter);
        drop(other);
        drop(buffers.take::<u8>(WINDOW));
        assert_eq!(buffers.kept(), WINDOW);
        let mut five: Vec<Packed> = (0..5).map(|_| buffers.take::<u8>(quarter)).collect();
        five.truncate(3);
        assert_eq!(buffers.kept(), quarter, "three are under way");
        drop(five);
        let large = buffers.take::<u8>(2 * WINDOW);
        assert_eq!(buffers.kept(), 0);
        drop(large);
        assert_eq!(buffers.kept(), 0);
    }
}
