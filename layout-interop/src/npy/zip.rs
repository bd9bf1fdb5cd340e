//! The part of the ZIP format that `.npz` files use: members that are stored or deflated, and 64-bit sizes.
//!
//! ```text
//! member: local header (30 bytes), name, extra fields, bytes        ... one after another
//! list:   central header (46 bytes), name, extra fields, comment    ... one for each member
//! end:    [end of 64 bits (56 bytes), its place (20 bytes)], end (22 bytes), comment
//! ```
//!
//! This reader assumes that any size in a file may be wrong on purpose. The archive is bytes in memory, so each member is a slice of
//! these bytes, and no memory is allocated for a size that the file claims.

use std::collections::HashMap;
use std::io::{self, Read, Write};

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::error::NpyError;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const PLACE_OF_END_64: u32 = 0x0706_4b50;
/// The number of an extra field with 64-bit sizes.
const EXTRA_64: u16 = 1;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The members of an archive by name.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    members: HashMap<&'a [u8], Entry>,
}

/// An entry of the list of members.
#[derive(Clone, Copy)]
struct Entry {
    flags: u16,
    method: u16,
    crc: u32,
    compressed: u64,
    /// The place of the local header.
    start: u64,
}

impl<'a> Archive<'a> {
    /// Reads the list of members.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, NpyError> {
        let (count, start) = end(bytes).ok_or_else(|| NpyError::not_npz("it has no list of members at its end"))?;
        let mut members = HashMap::new();
        let mut rest = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
        // Each turn takes 46 bytes or more, or ends: a wrong count costs nothing.
        for number in 0..count {
            let entry = Entry::read(&mut rest);
            let (name, entry) =
                entry.ok_or_else(|| NpyError::not_npz(format!("entry {number} of its list is damaged")))?;
            members.insert(name, entry);
        }
        Ok(Self { bytes, members })
    }

    /// The bytes of a member, uncompressed.
    pub(super) fn member(&self, name: &str) -> Result<Member<'a>, NpyError> {
        let entry = self.members.get(name.as_bytes()).ok_or_else(|| NpyError::not_npz("it is missing"))?;
        if entry.flags & 1 != 0 {
            return Err(NpyError::not_npz("it is encrypted"));
        }
        let bytes = self.bytes_of(entry).ok_or_else(|| NpyError::not_npz("it lies outside the file"))?;
        let source = match entry.method {
            STORED => Source::Stored(bytes),
            DEFLATED => Source::Deflated(DeflateDecoder::new(bytes)),
            method => return Err(NpyError::not_npz(format!("it is compressed by method {method}"))),
        };
        Ok(Member { source, compressed: bytes.len(), found: Crc::new(), expected: entry.crc })
    }

    /// The bytes of a member as they are in the archive.
    fn bytes_of(&self, entry: &Entry) -> Option<&'a [u8]> {
        let local = self.bytes.get(usize::try_from(entry.start).ok()?..)?;
        let start = 30 + usize::from(u16_at(local, 26)?) + usize::from(u16_at(local, 28)?);
        (u32_at(local, 0)? == LOCAL).then_some(())?;
        local.get(start..)?.get(..usize::try_from(entry.compressed).ok()?)
    }
}

/// The number of members, and the place of their list.
fn end(bytes: &[u8]) -> Option<(u64, u64)> {
    // A comment of up to 65,535 bytes follows the end.
    let first = bytes.len().saturating_sub(22 + usize::from(u16::MAX));
    let is_end = |at: &usize| {
        let comment = u16_at(bytes, at + 20).map(usize::from);
        u32_at(bytes, *at) == Some(END) && comment.is_some_and(|comment| at + 22 + comment == bytes.len())
    };
    let at = (first..bytes.len()).rev().find(is_end)?;
    let (count, start) = (u16_at(bytes, at + 10)?, u32_at(bytes, at + 16)?);
    if count != u16::MAX && start != u32::MAX {
        return Some((count.into(), start.into()));
    }
    let place = at.checked_sub(20).filter(|place| u32_at(bytes, *place) == Some(PLACE_OF_END_64));
    let Some(place) = place else {
        // Without an end of 64 bits, it is the number itself.
        return (start != u32::MAX).then_some((count.into(), start.into()));
    };
    let at = usize::try_from(u64_at(bytes, place + 8)?).ok()?;
    let end = bytes.get(at..)?;
    (u32_at(end, 0)? == END_64).then_some((u64_at(end, 32)?, u64_at(end, 48)?))
}

impl Entry {
    /// Takes an entry, and the name of its member, from the list.
    fn read<'a>(rest: &mut &'a [u8]) -> Option<(&'a [u8], Self)> {
        let bytes = *rest;
        (u32_at(bytes, 0)? == CENTRAL).then_some(())?;
        let len = |at| u16_at(bytes, at).map(usize::from);
        let (name, extra, comment) = (len(28)?, len(30)?, len(32)?);
        *rest = bytes.get(46 + name + extra + comment..)?;
        let extra = &bytes[46 + name..][..extra];

        let (compressed, size, start) = (u32_at(bytes, 20)?, u32_at(bytes, 24)?, u32_at(bytes, 42)?);
        // The extra field has the numbers that are too large for 32 bits, in this order.
        let mut wide = wide_numbers(extra);
        let mut number = |narrow: u32| {
            if narrow != u32::MAX {
                return Some(u64::from(narrow));
            }
            let (number, others) = wide.split_at_checked(8)?;
            wide = others;
            u64_at(number, 0)
        };
        number(size)?;
        let (compressed, start) = (number(compressed)?, number(start)?);
        let entry =
            Self { flags: u16_at(bytes, 8)?, method: u16_at(bytes, 10)?, crc: u32_at(bytes, 16)?, compressed, start };
        Some((&bytes[46..][..name], entry))
    }
}

/// The numbers of 64 bits among extra fields.
fn wide_numbers(mut extra: &[u8]) -> &[u8] {
    while let (Some(kind), Some(len)) = (u16_at(extra, 0), u16_at(extra, 2)) {
        let Some((field, rest)) = extra[4..].split_at_checked(len.into()) else { break };
        if kind == EXTRA_64 {
            return field;
        }
        extra = rest;
    }
    &[]
}

/// The bytes of a member, uncompressed as they are read.
pub(super) struct Member<'a> {
    source: Source<'a>,
    /// The number of bytes in the archive.
    compressed: usize,
    /// The checksum of the bytes so far.
    found: Crc,
    expected: u32,
}

enum Source<'a> {
    Stored(&'a [u8]),
    Deflated(DeflateDecoder<&'a [u8]>),
}

impl Read for Member<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.source {
            Source::Stored(bytes) => bytes.read(to),
            Source::Deflated(decoder) => decoder.read(to),
        }?;
        self.found.update(&to[..count]);
        Ok(count)
    }
}

impl Member<'_> {
    /// The most bytes that can follow, whatever the file says.
    pub(super) fn most(&self) -> u128 {
        match &self.source {
            Source::Stored(bytes) => bytes.len() as u128,
            // Deflate needs two bits for 258 bytes.
            Source::Deflated(_) => 1032 * self.compressed as u128,
        }
    }

    /// Checks that all bytes were read, and that they are those that were written.
    pub(super) fn finish(mut self) -> Result<(), NpyError> {
        match self.read(&mut [0]) {
            Ok(0) if self.found.sum() == self.expected => Ok(()),
            Ok(0) => Err(NpyError::not_npz("its bytes have another checksum than when they were written")),
            Ok(_) => Err(NpyError::not_npz("it has more bytes than its elements")),
            Err(error) => Err(NpyError::not_npz(error.to_string())),
        }
    }
}

/// Writes an archive of stored members.
pub(super) struct Writer<W> {
    to: W,
    /// The bytes written so far.
    at: u64,
    list: Vec<u8>,
    count: u64,
    /// Numbers from here on are written with 64 bits.
    wide: u64,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(to: W) -> Self {
        Self { to, at: 0, list: Vec::new(), count: 0, wide: u32::MAX.into() }
    }

    /// Begins a member of so many bytes and with this checksum. [`write`](Self::write) then writes its bytes.
    pub(super) fn begin(&mut self, name: &str, size: u64, crc: u32) -> io::Result<()> {
        let name_len = u16::try_from(name.len())
            .map_err(|_| io::Error::other("the name of a leaf is too long for a .npz file"))?;

        // A local header has both sizes in the extra field, or none; a central one has each number that is too large.
        let is_wide = size >= self.wide;
        let narrow =
            |number: u64, is_wide: bool| if is_wide { u32::MAX } else { u32::try_from(number).unwrap_or(u32::MAX) };
        let start = self.at;
        let shared = |extra: u16| {
            let mut header = Vec::new();
            // Version 4.5 has 64-bit numbers; flag 11 says that names are in UTF-8; the date is the first one, 1980-01-01.
            for field in [if extra > 0 { 45 } else { 20_u16 }, 1 << 11, STORED, 0, 0x21] {
                header.extend(field.to_le_bytes());
            }
            for field in [crc, narrow(size, is_wide), narrow(size, is_wide)] {
                header.extend(field.to_le_bytes());
            }
            header.extend(name_len.to_le_bytes());
            header.extend(extra.to_le_bytes());
            header
        };
        let wide = |numbers: &[u64]| {
            let mut field = Vec::new();
            if !numbers.is_empty() {
                field.extend(EXTRA_64.to_le_bytes());
                field.extend(u16::try_from(8 * numbers.len()).unwrap_or(u16::MAX).to_le_bytes());
                numbers.iter().for_each(|number| field.extend(number.to_le_bytes()));
            }
            field
        };
        let len = |field: &[u8]| u16::try_from(field.len()).unwrap_or(u16::MAX);

        let numbers = [size, size, start];
        let extra = wide(if is_wide { &numbers[..2] } else { &[] });
        let local = [&LOCAL.to_le_bytes()[..], &shared(len(&extra)), name.as_bytes(), &extra].concat();
        self.write(&local)?;

        let is_far = start >= self.wide;
        let extra = wide(match (is_wide, is_far) {
            (true, true) => &numbers,
            (true, false) => &numbers[..2],
            (false, true) => &numbers[2..],
            (false, false) => &[],
        });
        self.list.extend(CENTRAL.to_le_bytes());
        self.list.extend(45_u16.to_le_bytes());
        self.list.extend(shared(len(&extra)));
        // No comment, the first disk, no attributes.
        self.list.extend([0; 10]);
        self.list.extend(narrow(start, is_far).to_le_bytes());
        self.list.extend(name.as_bytes());
        self.list.extend(extra);
        self.count += 1;
        Ok(())
    }

    /// Writes the list of members and the end.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let (start, list) = (self.at, core::mem::take(&mut self.list));
        self.write(&list)?;
        let (size, end) = (list.len() as u64, self.at);
        let is_wide = self.count >= u64::from(u16::MAX) || size >= self.wide || start >= self.wide;
        if is_wide {
            let mut wide = [&END_64.to_le_bytes()[..], &44_u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8]].concat();
            for number in [self.count, self.count, size, start] {
                wide.extend(number.to_le_bytes());
            }
            wide.extend(PLACE_OF_END_64.to_le_bytes());
            wide.extend([0; 4]);
            wide.extend(end.to_le_bytes());
            wide.extend(1_u32.to_le_bytes());
            self.write(&wide)?;
        }
        let count = if is_wide { u16::MAX } else { u16::try_from(self.count).unwrap_or(u16::MAX) }.to_le_bytes();
        let narrow =
            |number: u64| if is_wide { u32::MAX } else { u32::try_from(number).unwrap_or(u32::MAX) }.to_le_bytes();
        self.write(
            &[&END.to_le_bytes()[..], &[0; 4], &count, &count, &narrow(size), &narrow(start), &[0; 2]].concat(),
        )?;
        self.to.flush()
    }

    /// Writes bytes of the member that was begun last.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.to.write_all(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(wide: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = Writer { wide, ..Writer::new(&mut bytes) };
        for (name, bytes) in [("a.npy", &b"12345"[..]), ("b[0].npy", &[7; 1000])] {
            let mut crc = Crc::new();
            crc.update(bytes);
            writer.begin(name, bytes.len() as u64, crc.sum()).unwrap();
            writer.write(&bytes[..2]).unwrap();
            writer.write(&bytes[2..]).unwrap();
        }
        writer.finish().unwrap();
        bytes
    }

    fn read(archive: &Archive, name: &str) -> Vec<u8> {
        let (mut member, mut bytes) = (archive.member(name).unwrap(), Vec::new());
        member.read_to_end(&mut bytes).unwrap();
        member.finish().unwrap();
        bytes
    }

    /// As if the sizes and places were too large for 32 bits, from different numbers on.
    #[test]
    fn numbers_are_read_as_they_were_written() {
        for wide in [0, 1, 6, 500, 1001, 1100, u32::MAX.into()] {
            let bytes = written(wide);
            let archive = Archive::open(&bytes).unwrap();
            assert_eq!(
                (read(&archive, "a.npy"), read(&archive, "b[0].npy")),
                (b"12345".to_vec(), vec![7; 1000]),
                "{wide}"
            );
            assert!(archive.member("b.npy").is_err());
        }
    }

    #[test]
    fn changed_bytes_are_found() {
        let mut bytes = written(u32::MAX.into());
        bytes[36] ^= 1;
        let archive = Archive::open(&bytes).unwrap();
        let mut member = archive.member("a.npy").unwrap();
        assert_eq!(io::copy(&mut member, &mut io::sink()).unwrap(), 5);
        assert!(member.finish().unwrap_err().to_string().contains("checksum"));
    }
}
