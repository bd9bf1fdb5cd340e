//! Labels of boxes: as much of the index and the name as fits.

use std::collections::HashMap;

use super::picture::{Bits, LeafInfo};

/// The letters of a label.
#[derive(Clone, Copy)]
struct Letters {
    /// The width of a character.
    width: f64,
    /// The space beside the label.
    beside: f64,
}

/// The letters of a label in one line, and of one in two lines.
const LARGE: Letters = Letters { width: 6.1, beside: 5.0 };
const SMALL: Letters = Letters { width: 4.9, beside: 2.0 };
/// The fewest characters of a name that are worth drawing without the rest of the name.
const FEWEST: usize = 3;

/// The label of a box.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Label {
    /// One line: `[3].pos.x`.
    Line(String),
    /// The index above the name, both in small letters.
    Lines(String, String),
}

/// The names of leaves and elements.
#[derive(Clone, Copy)]
pub(super) struct Names<'p> {
    pub(super) leaves: &'p [LeafInfo],
    /// The indices of the elements.
    pub(super) indices: &'p [String],
}

impl Names<'_> {
    /// The name of a box: `[3].pos.x`, and `[3].pos.x:2` if it is part 2 of several.
    pub(super) fn of(&self, b: &Bits) -> String {
        format!("{}{}", self.of_leaf(b), part(b))
    }

    /// The name of the leaf that a box belongs to: `[3].pos.x`.
    pub(super) fn of_leaf(&self, b: &Bits) -> String {
        joined(&self.indices[b.element], &self.leaves[b.leaf].name)
    }

    /// The name that a box has in common with those of other elements: `pos.x:2`.
    pub(super) fn of_all(&self, b: &Bits) -> String {
        format!("{}{}", self.leaves[b.leaf].name, part(b))
    }

    /// The label of a box of this width, and `None` if nothing fits.
    pub(super) fn label(&self, b: &Bits, width: f64) -> Option<Label> {
        let leaf = &self.leaves[b.leaf];
        let (index, part) = (&self.indices[b.element], part(b));
        let short = format!("{}{part}", leaf.short);
        let lines = if b.sharers > 1 {
            // The elements that share the box have no common index.
            [self.of_all(b), short.clone()]
        } else {
            [self.of(b), joined(index, &short)]
        };
        if let Some(line) = lines.into_iter().find(|line| fits(line, LARGE, width)) {
            return Some(Label::Line(line));
        }
        let index = if b.sharers > 1 || !fits(index, SMALL, width) { "" } else { index };
        let name = if fits(&short, SMALL, width) { Some(short) } else { cut(&leaf.short, &part, width) };
        match name {
            None if index.is_empty() => None,
            name => Some(Label::Lines(index.to_owned(), name.unwrap_or_default())),
        }
    }

    /// The width of a byte at which the labels of all boxes are whole: one of `widths`, or the last of them.
    pub(super) fn byte_width<const N: usize>(&self, boxes: &[Bits], widths: [f64; N]) -> f64 {
        let whole = |b: &Bits, byte: f64| match self.label(b, b.range.bits as f64 / 8.0 * byte) {
            None => false,
            Some(Label::Line(_)) => true,
            Some(Label::Lines(index, name)) => {
                (b.sharers > 1 || !index.is_empty()) && !name.is_empty() && !name.contains(CUT)
            }
        };
        let fitting = widths.into_iter().find(|byte| boxes.iter().all(|b| whole(b, *byte)));
        fitting.unwrap_or(widths[N - 1])
    }
}

/// The mark where the rest of a name was left out.
const CUT: char = '\u{2026}';

/// The start of a name, with a mark and the number of the part.
fn cut(name: &str, part: &str, width: f64) -> Option<String> {
    let mut shown: String = name.chars().collect();
    while shown.chars().count() > FEWEST {
        shown.pop();
        let label = format!("{shown}{CUT}{part}");
        if fits(&label, SMALL, width) {
            return Some(label);
        }
    }
    None
}

fn fits(text: &str, letters: Letters, width: f64) -> bool {
    !text.is_empty() && text.chars().count() as f64 * letters.width + letters.beside <= width
}

/// The number of a part of a leaf that has several: `:2`.
fn part(b: &Bits) -> String {
    if b.parts > 1 { format!(":{}", b.part) } else { String::new() }
}

/// An index and the name of a leaf: `[3].pos.x`.
fn joined(index: &str, leaf: &str) -> String {
    let dot = if leaf.is_empty() || leaf.starts_with(['[', ':']) { "" } else { "." };
    format!("{index}{dot}{leaf}")
}

/// For each name, its shortest end that no other name has: `x` for `pos.x`, or `pos.x` if there is a `vel.x`.
pub(super) fn shortest_ends(names: &[String]) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for end in names.iter().flat_map(|name| ends(name)) {
        *counts.entry(end).or_default() += 1;
    }
    let shortest = |name: &String| ends(name).filter(|end| counts[end] == 1).last().unwrap_or(name).to_owned();
    names.iter().map(shortest).collect()
}

/// The ends of a path, the longest first: `a.b.c`, `b.c`, `c`.
fn ends(name: &str) -> impl Iterator<Item = &str> {
    core::iter::successors(Some(name), |end| end.split_once('.').map(|(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use layout_core::BitRange;

    #[test]
    fn ends_that_differ() {
        let names = ["pos.x", "pos.y", "vel.x", "mass", "tags[0]", ""].map(String::from);
        assert_eq!(shortest_ends(&names), ["pos.x", "y", "vel.x", "mass", "tags[0]", ""]);
    }

    #[test]
    fn labels_by_width() {
        let leaf = |name: &str, short: &str| LeafInfo {
            name: name.into(),
            short: short.into(),
            type_name: "u8".into(),
            size: 1,
            bits: 8,
            ranges: 1,
        };
        let leaves = [leaf("sensor.temperature", "temperature"), leaf("live", "live")];
        let names = Names { leaves: &leaves, indices: &["[7]".into()] };
        let range = BitRange { blob: 0, start: 0, bits: 8 };
        let b = |leaf, part, parts, sharers| Bits { leaf, element: 0, range, part, parts, sharers, block: 0 };
        let line = |text: &str| Some(Label::Line(text.into()));
        let lines = |index: &str, name: &str| Some(Label::Lines(index.into(), name.into()));
        assert_eq!(names.label(&b(0, 0, 1, 1), 200.0), line("[7].sensor.temperature"));
        assert_eq!(names.label(&b(0, 0, 1, 1), 100.0), line("[7].temperature"));
        assert_eq!(names.label(&b(0, 0, 1, 1), 60.0), lines("[7]", "temperature"));
        assert_eq!(names.label(&b(0, 0, 1, 1), 32.0), lines("[7]", "tempe\u{2026}"));
        assert_eq!(names.label(&b(1, 0, 1, 1), 32.0), lines("[7]", "live"));
        assert_eq!(names.label(&b(1, 3, 4, 1), 32.0), lines("[7]", "live:3"));
        assert_eq!(names.label(&b(1, 0, 1, 9), 32.0), line("live"));
        assert_eq!(names.label(&b(1, 0, 1, 1), 17.0), lines("[7]", ""));
        assert_eq!(names.label(&b(1, 0, 1, 1), 4.0), None);
        assert_eq!(names.byte_width(&[b(1, 0, 1, 1)], [32.0, 64.0, 128.0]), 32.0);
        assert_eq!(names.byte_width(&[b(0, 0, 1, 1)], [32.0, 64.0, 128.0]), 64.0);
    }
}
