//! The picture as text.

use core::fmt;

use super::picture::Picture;
use super::rows::{OTHERS, Of, Row};

/// The most leaves that are listed.
const MOST_LISTED: usize = 64;

/// The letter of a leaf.
fn letter(leaf: usize) -> char {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    LETTERS[leaf % LETTERS.len()] as char
}

pub(super) fn write(f: &mut fmt::Formatter<'_>, picture: &Picture) -> fmt::Result {
    write!(f, "{}", picture.title)?;
    for blob in &picture.blobs {
        write!(f, "\nblob {}: {} bytes", blob.number, blob.size)?;
        for row in &blob.rows {
            match row {
                Row::Skipped { bytes, padding: true } => write!(f, "\n       ... {bytes} bytes of padding")?,
                Row::Skipped { bytes, padding: false } => write!(f, "\n       ... {bytes} bytes not shown")?,
                Row::Drawn { start, pieces } => {
                    write!(f, "\n{:>6} ", start / 8)?;
                    let mut used = 0;
                    for piece in pieces {
                        let (mark, opens) = match piece.of {
                            Of::Box(i) => (letter(blob.boxes[i].leaf), blob.boxes[i].range.start == piece.start),
                            Of::Others => (':', true),
                            Of::Padding => ('.', true),
                        };
                        // Bits of two boxes are drawn once.
                        for unit in (used + start).max(piece.start) / picture.unit..piece.end / picture.unit {
                            let first = opens && unit == piece.start / picture.unit;
                            write!(f, "{}{mark}", if first { '|' } else { ' ' })?;
                        }
                        used = used.max(piece.end - start);
                    }
                    let names = pieces.iter().filter_map(|piece| match piece.of {
                        Of::Box(i) => Some(picture.names().of(&blob.boxes[i])),
                        _ => None,
                    });
                    let names: Vec<_> = names.collect();
                    let blank = 2 * (8 * picture.bytes_per_row.min(blob.size) - used) / picture.unit + 2;
                    // More than a width of a format string may be.
                    let blank = " ".repeat(if names.is_empty() { 0 } else { blank });
                    match &names[..] {
                        [] => {}
                        [name] => write!(f, "{blank}{name}")?,
                        [first, .., last] => write!(f, "{blank}{first} to {last}")?,
                    }
                }
            }
        }
    }
    for (number, leaf) in picture.leaves.iter().enumerate().take(MOST_LISTED) {
        write!(f, "\n{} {}", letter(number), leaf.legend())?;
    }
    if picture.leaves.len() > MOST_LISTED {
        write!(f, "\n... {} more leaves", picture.leaves.len() - MOST_LISTED)?;
    }
    if picture.has(Of::Padding) {
        write!(f, "\n. {}", picture.padding_legend())?;
    }
    if picture.has(Of::Others) {
        write!(f, "\n: {}", OTHERS)?;
    }
    for note in &picture.notes {
        write!(f, "\n{note}")?;
    }
    Ok(())
}
