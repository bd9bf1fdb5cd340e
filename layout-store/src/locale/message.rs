//! Messages: a header, and bytes that it describes.
//!
//! ```text
//! magic     4 bytes   "LAY" and the version of messages
//! kind      4 bytes   the contents after the header
//! from      8 bytes   the locale that sends it
//! number    8 bytes   of the operation
//! part      8 bytes   the number of the message within the operation
//! hash      8 bytes   of the operations of the sender up to this one
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
    /// A number of bytes of elements was unpacked.
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
}

/// The bit of the kind that says that a message is free.
const FREE: u32 = 1 << 31;

/// The bytes of a header.
pub(super) const HEADER: usize = 40;

const MAGIC: [u8; 4] = *b"LAY\x02";

impl Header {
    /// Appends the header to a message.
    pub(super) fn write(&self, message: &mut impl Extend<u8>) {
        let Self { kind, from, tag: (number, part), hash, free } = *self;
        (MAGIC, kind as u32 | if free { FREE } else { 0 }, from as u64, number, part as u64, hash).write(message);
    }

    /// The header of a message and the bytes after it; the reason if it is not a message of this version.
    pub(super) fn read(mut message: &[u8]) -> Result<(Self, &[u8]), String> {
        let length = message.len();
        let (magic, kind, from, number, part, hash) = <([u8; 4], u32, u64, u64, u64, u64)>::read(&mut message)
            .map_err(|_| format!("it has {length} bytes, and its header alone has {HEADER}"))?;
        if magic != MAGIC {
            return Err(format!("it starts with {magic:?}, and messages of this version with {MAGIC:?}"));
        }
        let kinds = [Kind::Elements, Kind::Values, Kind::Fault, Kind::Unpacked, Kind::Control, Kind::Parcel];
        let free = kind & FREE != 0;
        let kind = kinds.into_iter().find(|known| *known as u32 == kind & !FREE);
        let kind = kind.ok_or_else(|| "it is of no kind that is known".to_owned())?;
        let narrow = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Ok((Self { kind, from: narrow(from), tag: (number, narrow(part)), hash, free }, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_and_others_are_refused() {
        let kinds = [Kind::Elements, Kind::Values, Kind::Fault, Kind::Unpacked, Kind::Control, Kind::Parcel];
        for (kind, free) in kinds.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
            let header = Header { kind, from: 3, tag: (1 << 40, usize::MAX - 1), hash: u64::MAX, free };
            let mut message = Vec::new();
            header.write(&mut message);
            assert_eq!(message.len(), HEADER);
            message.push(9);
            assert_eq!(Header::read(&message), Ok((header, &[9][..])));
            for shorter in 0..HEADER {
                let told = format!("it has {shorter} bytes, and its header alone has 40");
                assert_eq!(Header::read(&message[..shorter]), Err(told));
            }
            message[4] = 200;
            assert_eq!(Header::read(&message), Err("it is of no kind that is known".to_owned()));
            message[3] = 9;
            assert!(Header::read(&message).unwrap_err().starts_with("it starts with [76, 65, 89, 9], and messages"));
        }
    }
}
