//! Messages: a header, and bytes that it describes.
//!
//! ```text
//! magic     4 bytes   "LAY" and the version of messages
//! kind      4 bytes   the contents after the header
//! from      8 bytes   the locale that sends it
//! number    8 bytes   of the operation
//! part      8 bytes   the number of the message within the operation
//! hash      8 bytes   of the operations of the sender up to this one
//! unpacked  8 bytes   the bytes of elements from the receiver that the sender has unpacked since it told the receiver last
//! ```

use layout_core::Portable;

/// Bytes that are written one after another.
pub(super) struct Bytes<'m>(pub(super) core::slice::IterMut<'m, u8>);

impl Extend<u8> for Bytes<'_> {
    #[inline]
    fn extend<I: IntoIterator<Item = u8>>(&mut self, bytes: I) {
        bytes.into_iter().zip(&mut self.0).for_each(|(from, to)| *to = from);
    }
}

/// The name of a message: the number of its operation, and its number there.
pub(crate) type Tag = (u64, usize);

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Boxes of elements.
    Elements = 0,
    /// Contributions or values of a point.
    Values = 1,
    /// Nothing, because a task failed.
    Fault = 2,
    /// Nothing but the header, which says what was unpacked.
    Unpacked = 3,
    /// A message of the council.
    Control = 4,
    /// Several messages of elements or faults: their number, and each after its length.
    Parcel = 5,
}

/// The first bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) from: usize,
    pub(super) tag: Tag,
    /// The hash of the operation.
    pub(super) hash: u64,
    /// `true` if its bytes took no room of their sender, who is not told when they are unpacked.
    pub(super) free: bool,
    /// `true` if its sender is to be told at once when they are unpacked.
    pub(super) asks: bool,
    /// The bytes that its sender has unpacked; [`Header::tell`] puts them there.
    pub(super) unpacked: usize,
}

/// The bits of the kind that say that a message is free, and that it asks.
const FREE: u32 = 1 << 31;
const ASKS: u32 = 1 << 30;

/// The bytes of a header.
pub(super) const HEADER: usize = 48;

const MAGIC: [u8; 4] = *b"LAY\x03";

impl Header {
    /// The header of a message that takes room, asks nothing, and tells nothing.
    pub(super) fn new(kind: Kind, from: usize, tag: Tag, hash: u64) -> Self {
        Self { kind, from, tag, hash, free: false, asks: false, unpacked: 0 }
    }

    /// Appends the header to a message.
    pub(super) fn write(&self, message: &mut impl Extend<u8>) {
        let Self { kind, from, tag: (number, part), hash, free, asks, unpacked } = *self;
        let kind = kind as u32 | if free { FREE } else { 0 } | if asks { ASKS } else { 0 };
        (MAGIC, kind, from as u64, number, part as u64, hash).write(message);
        (unpacked as u64).write(message);
    }

    /// Puts the bytes that were unpacked into the header of a message that is about to be sent.
    pub(super) fn tell(message: &mut [u8], unpacked: usize) {
        (unpacked as u64).write(&mut Bytes(message[HEADER - size_of::<u64>()..HEADER].iter_mut()));
    }

    /// The header of a message and the bytes after it; the reason if it is not a message of this version.
    pub(super) fn read(mut message: &[u8]) -> Result<(Self, &[u8]), String> {
        let length = message.len();
        type Fields = (([u8; 4], u32, u64, u64, u64, u64), u64);
        let ((magic, kind, from, number, part, hash), unpacked) = Fields::read(&mut message)
            .map_err(|_| format!("it has {length} bytes, and its header alone has {HEADER}"))?;
        if magic != MAGIC {
            return Err(format!("it starts with {magic:?}, and messages of this version with {MAGIC:?}"));
        }
        let kinds = [Kind::Elements, Kind::Values, Kind::Fault, Kind::Unpacked, Kind::Control, Kind::Parcel];
        let [free, asks] = [FREE, ASKS].map(|bit| kind & bit != 0);
        let kind = kinds.into_iter().find(|known| *known as u32 == kind & !(FREE | ASKS));
        let kind = kind.ok_or_else(|| "it is of no kind that is known".to_owned())?;
        let narrow = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (tag, unpacked) = ((number, narrow(part)), narrow(unpacked));
        Ok((Self { kind, from: narrow(from), tag, hash, free, asks, unpacked }, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_and_others_are_refused() {
        let kinds = [Kind::Elements, Kind::Values, Kind::Fault, Kind::Unpacked, Kind::Control, Kind::Parcel];
        let bits = [(false, false), (false, true), (true, false), (true, true)];
        for (kind, (free, asks)) in kinds.into_iter().flat_map(|kind| bits.map(|bits| (kind, bits))) {
            let tag = (1 << 40, usize::MAX - 1);
            let mut header = Header { kind, from: 3, tag, hash: u64::MAX, free, asks, unpacked: 0 };
            let mut message = Vec::new();
            header.write(&mut message);
            header.unpacked = 1 << 50;
            Header::tell(&mut message, header.unpacked);
            assert_eq!(message.len(), HEADER);
            message.push(9);
            assert_eq!(Header::read(&message), Ok((header, &[9][..])));
            for shorter in 0..HEADER {
                let told = format!("it has {shorter} bytes, and its header alone has 48");
                assert_eq!(Header::read(&message[..shorter]), Err(told));
            }
            message[4] = 200;
            assert_eq!(Header::read(&message), Err("it is of no kind that is known".to_owned()));
            message[3] = 9;
            assert!(Header::read(&message).unwrap_err().starts_with("it starts with [76, 65, 89, 9], and messages"));
        }
    }
}
