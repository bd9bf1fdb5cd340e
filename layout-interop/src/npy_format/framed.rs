//! The bytes around the text of a header.

/// The first bytes of a `.npy` file.
pub const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The start of the elements is a multiple of this number of bytes.
const ALIGN: usize = 64;

/// A text with the bytes before and after it.
#[must_use]
pub fn framed(text: &str) -> Vec<u8> {
    // Version 3 allows names that are not ASCII.
    let version = if !text.is_ascii() { 3 } else { 1 + u8::from(text.len() + 10 + ALIGN > usize::from(u16::MAX)) };
    let head = MAGIC.len() + 2 + if version == 1 { 2 } else { 4 };
    let total = (head + text.len() + 1).next_multiple_of(ALIGN);
    let len = u32::try_from(total - head).unwrap_or(u32::MAX).to_le_bytes();
    let mut bytes = [&MAGIC[..], &[version, 0], &len[..if version == 1 { 2 } else { 4 }], text.as_bytes()].concat();
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// The text of a header whose file has this version, if it is one: Latin-1 before version 3, and UTF-8 from there on.
#[must_use]
pub fn text(version: u8, bytes: Vec<u8>) -> Option<String> {
    if version < 3 { Some(bytes.into_iter().map(char::from).collect()) } else { String::from_utf8(bytes).ok() }
}
