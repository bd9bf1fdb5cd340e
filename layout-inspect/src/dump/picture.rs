//! The contents of a picture: the bits of the leaves, as the mapping reports them.

use std::collections::HashMap;

use layout_core::{BitRange, Extents, IndexArray, LeafTable, Mapping, Record, RecordLayout};

use super::Options;
use super::rows::{Blob, DrawnRows, Of, Row};
use crate::names::{list, short};

/// The most leaves of elements that are not drawn which are searched for, to tell bytes of such elements from padding.
const MOST_LOOKED_AT: usize = 1 << 18;

/// The default number of bytes in a row, if leaves lie in whole bytes, and if they do not.
#[derive(Clone, Copy)]
pub(super) struct Width {
    pub(super) bytes: usize,
    pub(super) bits: usize,
}

/// The picture of a mapping.
pub(super) struct Picture {
    pub(super) title: String,
    pub(super) leaves: Vec<LeafInfo>,
    pub(super) blobs: Vec<Blob>,
    /// The indices of the drawn elements.
    pub(super) indices: Vec<String>,
    /// The number of bits of the smallest part of the picture: 8, or 1.
    pub(super) unit: usize,
    pub(super) bytes_per_row: usize,
    /// `true` if bytes that seem to be padding may belong to elements that were not searched.
    pub(super) padding_unsure: bool,
    /// The notes below the picture.
    pub(super) notes: Vec<String>,
}

/// A leaf, for the legend.
pub(super) struct LeafInfo {
    pub(super) name: String,
    pub(super) type_name: String,
    pub(super) size: usize,
    /// The number of bits of the leaf, in the first element.
    pub(super) bits: usize,
    /// The number of ranges, in the first element.
    pub(super) ranges: usize,
}

/// A box: bits of a leaf of an element.
pub(super) struct Bits {
    pub(super) leaf: usize,
    /// The first element in the box.
    pub(super) element: usize,
    pub(super) range: BitRange,
    /// The number of this range among the leaf's ranges, and their number.
    pub(super) part: usize,
    pub(super) parts: usize,
    /// The number of elements in the box.
    pub(super) sharers: usize,
}

/// All indices, in row-major order.
fn indices<A: IndexArray>(extents: A) -> impl Iterator<Item = A> {
    let some = extents.product().is_some_and(|volume| volume > 0);
    core::iter::successors(some.then_some(A::ZERO), move |index| {
        let mut index = *index;
        for dimension in (0..A::RANK).rev() {
            index.as_mut()[dimension] += 1;
            if index.as_ref()[dimension] < extents.as_ref()[dimension] {
                return Some(index);
            }
            index.as_mut()[dimension] = 0;
        }
        None
    })
}

impl Picture {
    pub(super) fn of<M: Mapping>(mapping: &M, options: &Options, width: Width) -> Self {
        let (table, extents) = (LeafTable::of::<M::Record>(), mapping.extents().array());
        let mut leaves: Vec<_> = (0..table.count())
            .map(|leaf| LeafInfo {
                name: <M::Record as Record>::TREE.leaf_name(leaf).to_string(),
                type_name: short(table.leaf(leaf).type_name()),
                size: table.leaf(leaf).size(),
                bits: 0,
                ranges: 0,
            })
            .collect();
        let elements = extents.product().unwrap_or(usize::MAX);
        let mut order = indices(extents);

        let mut boxes: Vec<Bits> = Vec::new();
        let mut known: HashMap<(usize, usize, usize, usize), usize> = HashMap::new();
        let mut names = Vec::new();
        for (element, index) in order.by_ref().take(options.elements).enumerate() {
            names.push(list(index.as_ref()));
            for (leaf, info) in leaves.iter_mut().enumerate() {
                let mut ranges = Vec::new();
                mapping.bits_of(index, leaf, &mut |range| ranges.push(range));
                ranges.retain(|range| range.bits > 0);
                if element == 0 {
                    info.bits = ranges.iter().map(|range| range.bits).sum();
                    info.ranges = ranges.len();
                }
                for (part, range) in ranges.iter().enumerate() {
                    let place = (range.blob, range.start, range.bits, leaf);
                    let number = *known.entry(place).or_insert_with(|| {
                        let parts = ranges.len();
                        boxes.push(Bits { leaf, element, range: *range, part, parts, sharers: 0 });
                        boxes.len() - 1
                    });
                    boxes[number].sharers += 1;
                }
            }
        }

        let whole = boxes.iter().all(|b| b.range.start.is_multiple_of(8) && b.range.bits.is_multiple_of(8));
        let unit = if whole { 8 } else { 1 };
        let bytes_per_row = options.bytes_per_row.unwrap_or(if whole { width.bytes } else { width.bits });
        let mut drawn = DrawnRows::of(&boxes, bytes_per_row, options.rows);

        // Tell bytes of other elements from padding.
        let looked_at = MOST_LOOKED_AT / table.count().max(1);
        for index in order.by_ref().take(looked_at) {
            for leaf in 0..table.count() {
                mapping.bits_of(index, leaf, &mut |range| {
                    drawn.mark(range);
                    if let Some(number) = known.get(&(range.blob, range.start, range.bits, leaf)) {
                        boxes[*number].sharers += 1;
                    }
                });
            }
        }
        let (shown, padding_unsure) = (names.len(), order.next().is_some());

        let mut notes = Vec::new();
        if shown < elements {
            notes.push(format!("... {} more elements", elements - shown));
        }
        if let Some(most) = boxes.iter().map(|b| b.sharers).max().filter(|most| *most > 1) {
            let at_least = if padding_unsure { "at least " } else { "" };
            notes.push(format!("elements share memory: boxes are drawn once, and stand for up to {at_least}{most}"));
        }
        let without: Vec<_> = leaves.iter().filter(|leaf| leaf.ranges == 0 && shown > 0).collect();
        if !without.is_empty() {
            let named: Vec<_> = without.iter().take(8).map(|leaf| leaf.name.as_str()).collect();
            let more = if without.len() > 8 { format!(" and {} more", without.len() - 8) } else { String::new() };
            notes.push(format!("without memory: {}{more}", named.join(", ")));
        }

        boxes.sort_by_key(|b| (b.range.blob, b.range.start, b.leaf));
        let mut boxes = boxes.into_iter().peekable();
        let mut overlaps = 0;
        let blobs = (0..M::Layout::BLOBS)
            .map(|number| {
                let own = core::iter::from_fn(|| boxes.next_if(|b| b.range.blob == number)).collect();
                let blob = drawn.blob(number, mapping.blob_size(number), own, shown == elements);
                overlaps += blob.overlaps();
                blob
            })
            .collect();
        if overlaps > 0 {
            notes.push(format!("{overlaps} boxes overlap others: different leaves in the same bits"));
        }

        let title = options.title.clone().unwrap_or_else(|| {
            let record = short(core::any::type_name::<M::Record>());
            let (layout, linearization) = (mapping.layout(), mapping.linearization());
            format!("{record} as {layout:?}, {linearization:?}, extents {}", list(extents.as_ref()))
        });
        Self { title, leaves, blobs, indices: names, unit, bytes_per_row, padding_unsure, notes }
    }

    /// The legend's text for padding.
    pub(super) fn padding_legend(&self) -> &'static str {
        if self.padding_unsure { "padding, or elements far behind" } else { "no leaf of this mapping: padding" }
    }

    /// Returns `true` if a part of a row is of this kind.
    pub(super) fn has(&self, of: Of) -> bool {
        let mut rows = self.blobs.iter().flat_map(|blob| &blob.rows);
        rows.any(|row| matches!(row, Row::Drawn { pieces, .. } if pieces.iter().any(|piece| piece.of == of)))
    }

    /// The name of a box: `[3].pos.x`.
    pub(super) fn box_name(&self, b: &Bits) -> String {
        let (index, leaf) = (&self.indices[b.element], &self.leaves[b.leaf].name);
        let dot = if leaf.is_empty() || leaf.starts_with('[') { "" } else { "." };
        format!("{index}{dot}{leaf}")
    }

    /// The full description of a box.
    pub(super) fn describe(&self, b: &Bits) -> String {
        let (BitRange { blob, start, bits }, leaf) = (b.range, &self.leaves[b.leaf]);
        let mut text = format!("{}: {}\n", self.box_name(b), leaf.type_name);
        let byte = start / 8;
        if start.is_multiple_of(8) && bits.is_multiple_of(8) {
            text += &format!("blob {blob}, byte {byte} ({byte:#x}), {}", plural(bits / 8, "byte"));
        } else {
            text += &format!("blob {blob}, byte {byte} ({byte:#x}), bit {} of it, {}", start % 8, plural(bits, "bit"));
        }
        if b.parts > 1 {
            text += &format!("\npart {} of {}", b.part + 1, b.parts);
        }
        if b.sharers > 1 {
            let at_least = if self.padding_unsure { "at least " } else { "" };
            text += &format!("\nshared by {at_least}{} elements", b.sharers);
        }
        text
    }
}

/// `1 byte`, `2 bytes`.
pub(super) fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl LeafInfo {
    /// The legend's text for the leaf.
    pub(super) fn legend(&self) -> String {
        let mut text = format!("{}: {}", self.name, self.type_name);
        if self.ranges == 0 {
            text += ", no memory";
        } else {
            if self.bits != 8 * self.size {
                let whole = self.bits.is_multiple_of(8);
                text += ", ";
                text += &if whole { plural(self.bits / 8, "byte") } else { plural(self.bits, "bit") };
            }
            if self.ranges > 1 {
                text += &format!(" in {} places", self.ranges);
            }
        }
        text
    }
}
