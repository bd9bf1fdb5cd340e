//! Rows: the drawn parts of a blob, one below the other.

use std::collections::BTreeMap;

use layout_core::BitRange;

use super::picture::Bits;

/// A blob, in rows.
pub(super) struct Blob {
    pub(super) number: usize,
    /// The size in bytes.
    pub(super) size: usize,
    pub(super) boxes: Vec<Bits>,
    pub(super) rows: Vec<Row>,
}

pub(super) enum Row {
    /// Bits of the blob, from `start` on.
    Drawn { start: usize, pieces: Vec<Piece> },
    /// Bytes that are not drawn.
    Skipped { bytes: usize, padding: bool },
}

/// A part of a row.
pub(super) struct Piece {
    /// The start in bits, counted from the start of the blob.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) of: Of,
}

/// The content of a part of a row.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Of {
    /// The box with this number, or a part of that box.
    Box(usize),
    /// Elements that are not drawn.
    Others,
    /// No leaf.
    Padding,
}

/// The legend's text for [`Of::Others`].
pub(super) const OTHERS: &str = "elements that are not shown";

/// The rows with boxes, and the bits in them that belong to any element.
pub(super) struct DrawnRows {
    /// The width of a row in bits.
    width: usize,
    /// A bit for each bit of a row, by blob and number of the row.
    taken: BTreeMap<(usize, usize), Vec<u64>>,
}

impl DrawnRows {
    /// The first rows of each blob that have boxes, at most `most`.
    pub(super) fn of(boxes: &[Bits], bytes_per_row: usize, most: usize) -> Self {
        let width = 8 * bytes_per_row;
        let mut taken = BTreeMap::new();
        for Bits { range, .. } in boxes {
            for row in range.start / width..(range.start + range.bits).div_ceil(width) {
                taken.insert((range.blob, row), vec![0; width.div_ceil(64)]);
            }
        }
        let (mut last, mut rows) = (None, 0);
        taken.retain(|(blob, _), _| {
            rows = if last.replace(*blob) == Some(*blob) { rows + 1 } else { 1 };
            rows <= most
        });
        let mut drawn = Self { width, taken };
        boxes.iter().for_each(|b| drawn.mark(b.range));
        drawn
    }

    /// Returns `true` if some of these bits lie in rows that are not drawn.
    pub(super) fn cuts(&self, BitRange { blob, start, bits }: BitRange) -> bool {
        let mut rows = start / self.width..(start + bits).div_ceil(self.width);
        rows.any(|row| !self.taken.contains_key(&(blob, row)))
    }

    /// Records that these bits belong to an element.
    pub(super) fn mark(&mut self, BitRange { blob, start, bits }: BitRange) {
        for row in start / self.width..(start + bits).div_ceil(self.width) {
            if let Some(taken) = self.taken.get_mut(&(blob, row)) {
                let first = row * self.width;
                for bit in start.max(first)..(start + bits).min(first + self.width) {
                    taken[(bit - first) / 64] |= 1 << ((bit - first) % 64);
                }
            }
        }
    }

    /// Divides a blob into rows. `complete` says that all elements have boxes.
    pub(super) fn blob(&self, number: usize, size: usize, boxes: Vec<Bits>, complete: bool) -> Blob {
        let mut rows = Vec::new();
        let (mut drawn, mut next) = (0, 0);
        let last = boxes.iter().map(|b| (b.range.start + b.range.bits).div_ceil(8)).max().unwrap_or(0);
        let skip = |rows: &mut Vec<Row>, from: usize, to: usize| {
            if from < to {
                // After the last box, or between rows with boxes, there are no boxes.
                rows.push(Row::Skipped { bytes: to - from, padding: complete && (from >= last || to < last) });
            }
        };
        for ((_, row), taken) in self.taken.range((number, 0)..=(number, usize::MAX)) {
            let end = (row + 1).saturating_mul(self.width).min(size.saturating_mul(8));
            let start = row * self.width;
            skip(&mut rows, drawn, start / 8);
            drawn = end / 8;
            while boxes.get(next).is_some_and(|b| b.range.start + b.range.bits <= start) {
                next += 1;
            }
            let mut pieces = Vec::new();
            let mut covered = start;
            for (i, b) in boxes.iter().enumerate().skip(next).take_while(|(_, b)| b.range.start < end) {
                let piece_end = (b.range.start + b.range.bits).min(end);
                let piece_start = b.range.start.max(start);
                // A long box in front of shorter ones may end before this row.
                if piece_end > piece_start {
                    self.between(covered, piece_start, start, taken, &mut pieces);
                    pieces.push(Piece { start: piece_start, end: piece_end, of: Of::Box(i) });
                    covered = covered.max(piece_end);
                }
            }
            self.between(covered, end, start, taken, &mut pieces);
            rows.push(Row::Drawn { start, pieces });
        }
        skip(&mut rows, drawn, size);
        Blob { number, size, boxes, rows }
    }

    /// Adds the pieces of a row from `start` to `end`, where there are no boxes.
    fn between(&self, start: usize, end: usize, row: usize, taken: &[u64], pieces: &mut Vec<Piece>) {
        let mut from = start;
        for bit in start..end {
            let of = if taken[(bit - row) / 64] >> ((bit - row) % 64) & 1 == 1 { Of::Others } else { Of::Padding };
            match pieces.last_mut().filter(|piece| piece.of == of && piece.end == bit && bit > from) {
                Some(piece) => piece.end = bit + 1,
                None => {
                    from = bit;
                    pieces.push(Piece { start: bit, end: bit + 1, of });
                }
            }
        }
    }
}

impl Blob {
    /// The first box, if all boxes are of the same part of one leaf.
    pub(super) fn only(&self) -> Option<&Bits> {
        let first = self.boxes.first()?;
        self.boxes.iter().all(|b| (b.leaf, b.part) == (first.leaf, first.part)).then_some(first)
    }

    /// The number of boxes that overlap earlier boxes.
    pub(super) fn overlaps(&self) -> usize {
        let mut end = 0;
        let overlaps = |b: &&Bits| {
            let overlaps = b.range.start < end;
            end = end.max(b.range.start + b.range.bits);
            overlaps
        };
        self.boxes.iter().filter(overlaps).count()
    }
}
