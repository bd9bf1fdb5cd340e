//! The contents of a picture: the bits of the leaves, as the mapping reports them.

use std::collections::{HashMap, HashSet};

use layout_core::{BitRange, Extents, IndexArray, LeafTable, Linearization, Mapping, Record, RecordLayout};

use super::Options;
use super::labels::{Names, shortest_ends};
use super::rows::{Blob, DrawnRows, Of, Row};
use crate::names::{list, short};

/// The most leaves of elements that are not drawn which are searched for, to tell bytes of such elements from padding.
const MOST_LOOKED_AT: usize = 1 << 18;

/// The kind of picture, on which the default number of bytes in a row depends.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Drawn {
    Text,
    Svg,
}

/// The width of an SVG's rows, and the width of a byte if all labels are short; twice and four times the latter are used for longer ones.
pub(super) const WIDEST: f64 = 1024.0;
const BYTE: f64 = 32.0;

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
    /// The width of a byte in an SVG, if the row has room.
    pub(super) byte_width: f64,
    /// `true` if bytes that seem to be padding may belong to elements that were not searched.
    pub(super) padding_unsure: bool,
    /// The notes below the picture.
    pub(super) notes: Vec<String>,
}

/// A leaf, for the legend.
pub(super) struct LeafInfo {
    pub(super) name: String,
    /// The shortest end of the name that tells the leaf from all others.
    pub(super) short: String,
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
    /// The number of the first element's block, in a layout of blocks.
    pub(super) block: usize,
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

/// The place of a box, and its leaf.
type BoxKey = (usize, usize, usize, usize);

/// Returns `true` if a `usize` counts the bits up to the end of a range.
fn is_counted(range: &BitRange) -> bool {
    range.start.checked_add(range.bits).is_some()
}

/// The boxes of these elements, the number of the box at each place, and the number of places whose bits a `usize` does not count. The leaves learn their sizes from the first element, if there is one.
fn boxes_of<M: Mapping>(
    mapping: &M,
    shown: &[<M::Extents as Extents>::Array],
    block: impl Fn(<M::Extents as Extents>::Array) -> usize,
    leaves: &mut [LeafInfo],
) -> (Vec<Bits>, HashMap<BoxKey, usize>, usize) {
    let (mut boxes, mut beyond): (Vec<Bits>, usize) = (Vec::new(), 0);
    let mut known: HashMap<BoxKey, usize> = HashMap::new();
    for (element, index) in shown.iter().enumerate() {
        for (leaf, info) in leaves.iter_mut().enumerate() {
            let mut ranges = Vec::new();
            mapping.bits_of(*index, leaf, &mut |range| ranges.push(range));
            ranges.retain(|range| range.bits > 0);
            if element == 0 {
                info.bits = ranges.iter().map(|range| range.bits).sum();
                info.ranges = ranges.len();
            }
            beyond += ranges.iter().filter(|range| !is_counted(range)).count();
            for (part, range) in ranges.iter().enumerate().filter(|(_, range)| is_counted(range)) {
                let place = (range.blob, range.start, range.bits, leaf);
                let number = *known.entry(place).or_insert_with(|| {
                    let (parts, block) = (ranges.len(), block(*index));
                    boxes.push(Bits { leaf, element, range: *range, part, parts, sharers: 0, block });
                    boxes.len() - 1
                });
                boxes[number].sharers += 1;
            }
        }
    }
    (boxes, known, beyond)
}

impl Picture {
    pub(super) fn of<M: Mapping>(mapping: &M, options: &Options, drawn_as: Drawn) -> Self {
        let (table, extents) = (LeafTable::of::<M::Record>(), mapping.extents().array());
        let names: Vec<_> =
            (0..table.count()).map(|leaf| <M::Record as Record>::TREE.leaf_name(leaf).to_string()).collect();
        let mut leaves: Vec<_> = shortest_ends(&names)
            .into_iter()
            .zip(names)
            .enumerate()
            .map(|(leaf, (short_name, name))| LeafInfo {
                name,
                short: short_name,
                type_name: short(table.leaf(leaf).type_name()),
                size: table.leaf(leaf).size(),
                bits: 8 * table.leaf(leaf).size(),
                ranges: 1,
            })
            .collect();
        let elements = extents.product().unwrap_or(usize::MAX);

        // Blocks are drawn whole: with an element, all others of its block.
        let block = |index| mapping.linearization().position(extents, index) / M::Layout::RUN;
        let looked_at = MOST_LOOKED_AT / table.count().max(1);
        let first = || indices(extents).take(options.elements);
        let later = || indices(extents).skip(options.elements).take(looked_at);
        let mut blocks: HashSet<_> = first().map(block).collect();
        let whole_blocks = M::Layout::RUN != usize::MAX;
        let is_shown = |blocks: &HashSet<usize>, index| whole_blocks && blocks.contains(&block(index));
        let mut shown: Vec<_> = first().chain(later().filter(|index| is_shown(&blocks, *index))).collect();

        let (mut boxes, mut known, mut beyond) = boxes_of(mapping, &shown, block, &mut leaves);
        let whole = boxes.iter().all(|b| b.range.start.is_multiple_of(8) && b.range.bits.is_multiple_of(8));
        let unit = if whole { 8 } else { 1 };
        let mut names: Vec<_> = shown.iter().map(|index| list(index.as_ref())).collect();
        let byte_width = match whole {
            true => Names { leaves: &leaves, indices: &names }.byte_width(&boxes, [BYTE, 2.0 * BYTE, 4.0 * BYTE]),
            false => 4.0 * BYTE,
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a small whole number")]
        let bytes_per_row = options.bytes_per_row.unwrap_or(match (drawn_as, whole) {
            (Drawn::Text, true) => 32,
            (Drawn::Text, false) => 4,
            (Drawn::Svg, _) => (WIDEST / byte_width) as usize,
        });
        let mut drawn = DrawnRows::of(&boxes, bytes_per_row, options.rows);
        // The most rows may cut blocks. These are left out, unless there is no other.
        let cut: HashSet<_> = boxes.iter().filter(|b| drawn.cuts(b.range)).map(|b| b.block).collect();
        if whole_blocks && !cut.is_empty() && cut.len() < blocks.len() {
            blocks.retain(|block| !cut.contains(block));
            shown.retain(|index| blocks.contains(&block(*index)));
            names = shown.iter().map(|index| list(index.as_ref())).collect();
            (boxes, known, beyond) = boxes_of(mapping, &shown, block, &mut leaves);
            drawn = DrawnRows::of(&boxes, bytes_per_row, options.rows);
        }

        // Tell bytes of other elements from padding.
        let others = first().chain(later()).enumerate();
        let others =
            others.filter(
                |(number, index)| {
                    if whole_blocks { !blocks.contains(&block(*index)) } else { *number >= shown.len() }
                },
            );
        for (_, index) in others {
            for leaf in 0..table.count() {
                mapping.bits_of(index, leaf, &mut |range| {
                    if is_counted(&range) {
                        drawn.mark(range);
                    }
                    if let Some(number) = known.get(&(range.blob, range.start, range.bits, leaf)) {
                        boxes[*number].sharers += 1;
                    }
                });
            }
        }
        let padding_unsure = elements.saturating_sub(options.elements) > looked_at;
        let shown = shown.len();

        let mut notes = Vec::new();
        if shown < elements {
            notes.push(format!("... {} more elements", elements - shown));
        }
        if let Some(most) = boxes.iter().map(|b| b.sharers).max().filter(|most| *most > 1) {
            let at_least = if padding_unsure { "at least " } else { "" };
            notes.push(format!("elements share memory: boxes are drawn once, and stand for up to {at_least}{most}"));
        }
        if beyond > 0 {
            notes.push(format!("not drawn: {} beyond the last bit that a `usize` counts", plural(beyond, "place")));
        }
        let without: Vec<_> = leaves.iter().filter(|leaf| leaf.ranges == 0).collect();
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
        Self { title, leaves, blobs, indices: names, unit, bytes_per_row, byte_width, padding_unsure, notes }
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

    /// The names of leaves and elements.
    pub(super) fn names(&self) -> Names<'_> {
        Names { leaves: &self.leaves, indices: &self.indices }
    }

    /// The full description of a box.
    pub(super) fn describe(&self, b: &Bits) -> String {
        let (BitRange { blob, start, bits }, leaf) = (b.range, &self.leaves[b.leaf]);
        let mut text = format!("{}: {}\n", self.names().of_leaf(b), leaf.type_name);
        let byte = start / 8;
        if start.is_multiple_of(8) && bits.is_multiple_of(8) {
            text += &format!("blob {blob}, byte {byte} ({byte:#x}), {}", plural(bits / 8, "byte"));
        } else {
            text += &format!("blob {blob}, byte {byte} ({byte:#x}), bit {} of it, {}", start % 8, plural(bits, "bit"));
        }
        if b.parts > 1 {
            text += &format!("\npart {} of 0 to {}", b.part, b.parts - 1);
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
                text += &format!(" in {} places, :0 to :{}", self.ranges, self.ranges - 1);
            }
        }
        text
    }
}
