//! Pictures of layouts: each bit of each leaf is drawn once, where the mapping says, and names are escaped.
#![cfg(feature = "inspect")]

use std::collections::BTreeSet;

use layout::composed::{Bytesplit, Byteswap, Split};
use layout::inspect::{Dump, HeatPicture};
use layout::prelude::*;
use layout::{Null, One, path};
use support::tight::Tight;

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Hit {
    live: u8,
    time: u32,
    counts: [u16; 2],
}

/// The letters of the rows of the text, with the offset of each.
fn letters(text: &str, bytes_per_row: usize, units_per_byte: usize) -> Vec<(usize, Vec<char>)> {
    let mut blobs: Vec<(usize, Vec<char>)> = Vec::new();
    for line in text.lines().skip(1) {
        if let Some(size) = line.strip_prefix("blob ") {
            let size = size.split([' ', ':']).nth(2).unwrap().parse().unwrap();
            blobs.push((size, vec!['?'; size * units_per_byte]));
        } else if let Some((offset, row)) = line.split_at_checked(6).filter(|(offset, _)| {
            let digits = offset.trim();
            !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
        }) {
            let (offset, (size, units)) = (offset.trim().parse::<usize>().unwrap(), blobs.last_mut().unwrap());
            let width = bytes_per_row.min(*size - offset) * units_per_byte;
            let row: Vec<char> = row.chars().skip(1).take(2 * width).collect();
            for (i, pair) in row.chunks(2).enumerate() {
                units[offset * units_per_byte + i] = pair[1];
            }
        }
    }
    blobs
}

/// Every bit in the text is that of the leaf that lies there, or of none.
fn check<L: RecordLayout<Hit> + Default>(bytes_per_row: usize, unit: usize) {
    let mapping = Mapped::<Hit, _, L>::new(extents!(dyn 3, dyn 3)).unwrap();
    let text = Dump::of(&mapping).bytes_per_row(bytes_per_row).rows(1000).to_string();
    let mut expected: Vec<_> =
        (0..L::BLOBS).map(|blob| (mapping.blob_size(blob), vec!['.'; mapping.blob_size(blob) * 8 / unit])).collect();
    for index in (0..9).map(|k| [k / 3, k % 3]) {
        for (leaf, letter) in ['a', 'b', 'c', 'd'].into_iter().enumerate() {
            mapping.bits_of(index, leaf, &mut |bits| {
                expected[bits.blob].1[bits.start / unit..(bits.start + bits.bits) / unit].fill(letter);
            });
        }
    }
    // Rows without any leaf are left out.
    let mut drawn = letters(&text, bytes_per_row, 8 / unit);
    drawn.iter_mut().flat_map(|(_, units)| units).filter(|unit| **unit == '?').for_each(|unit| *unit = '.');
    assert_eq!(drawn, expected, "{text}");

    let svg = Dump::of(&mapping).bytes_per_row(bytes_per_row).to_svg();
    well_formed(&svg);
    well_formed(&Dump::of(&mapping).to_html());
}

/// Tags are closed in the order in which they were opened, and no two attributes are alike.
fn well_formed(text: &str) {
    let mut open = Vec::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        assert!(!before.contains('>') || before.contains('{'), "{before}");
        let (tag, after) = tag.split_once('>').expect("a tag ends");
        rest = after;
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.to_owned()));
        } else if !tag.ends_with('/') && !tag.starts_with(['!', '?']) && !tag.starts_with("meta") {
            open.push(tag.split_whitespace().next().unwrap().to_owned());
        }
        let attributes: Vec<_> = tag.split('"').step_by(2).map(str::trim).filter(|name| name.ends_with('=')).collect();
        let names: BTreeSet<_> = attributes.iter().map(|name| name.rsplit(' ').next().unwrap()).collect();
        assert_eq!(names.len(), attributes.len(), "{tag}");
    }
    assert_eq!(open, [""; 0], "left open");
}

#[test]
fn every_bit_is_drawn() {
    for bytes_per_row in [1, 3, 8, 32, 1000] {
        check::<AoS>(bytes_per_row, 8);
        check::<AoS<Packed>>(bytes_per_row, 8);
        check::<SoA>(bytes_per_row, 8);
        check::<SoASingle>(bytes_per_row, 8);
        check::<AoSoA<4>>(bytes_per_row, 8);
        check::<Split<path!(Hit, counts), SoA, AoS>>(bytes_per_row, 8);
        check::<Split<path!(Hit, live), Null, AoS>>(bytes_per_row, 8);
        check::<Bytesplit<SoA>>(bytes_per_row, 8);
        check::<Byteswap<AoSoA<2>>>(bytes_per_row, 8);
        check::<One>(bytes_per_row, 8);
        check::<Null>(bytes_per_row, 8);
        check::<Tight<5>>(bytes_per_row, 1);
        check::<Tight<13>>(bytes_per_row, 1);
    }
}

/// A layout of the user's own, of bits: 4 leaves of 5 bits.
#[test]
fn bits() {
    let mapping = Mapped::<Hit, _, Tight<5>>::new(extents!(dyn 4)).unwrap();
    let dump = Dump::of(&mapping).title("five bits").bytes_per_row(3);
    let expected = "\
five bits
blob 0: 10 bytes
     0 |a a a a a|b b b b b|c c c c c|d d d d d|a a a a  [0].live to [1].live
     3  a|b b b b b|c c c c c|d d d d d|a a a a a|b b b  [1].live to [2].time
     6  b b|c c c c c|d d d d d|a a a a a|b b b b b|c c  [2].time to [3].counts[0]
     9  c c c|d d d d d                                  [3].counts[0] to [3].counts[1]
a live: u8, 5 bits
b time: u32, 5 bits
c counts[0]: u16, 5 bits
d counts[1]: u16, 5 bits";
    assert_eq!(dump.to_string(), expected);
    let svg = dump.to_svg();
    assert!(svg.contains("<title>[1].live: u8\nblob 0, byte 2 (0x2), bit 4 of it, 5 bits</title>"), "{svg}");
}

#[test]
fn several_places_and_none() {
    let mapping = Mapped::<Hit, _, Split<path!(Hit, live), Null, Bytesplit<AoS>>>::new(extents!(dyn 2)).unwrap();
    let svg = Dump::of(&mapping).to_svg();
    assert!(svg.contains("time: u32 in 4 places, :0 to :3"), "{svg}");
    assert!(svg.contains("<title>[1].time: u32\nblob 0, byte 11 (0xb), 1 byte\npart 3 of 0 to 3</title>"), "{svg}");
    assert!(svg.contains("live: u8, no memory"), "{svg}");
    assert!(svg.contains("without memory: live<"), "{svg}");
}

/// The texts of the labels in an SVG: those in black.
fn labels(svg: &str) -> Vec<String> {
    let labels = svg.lines().flat_map(|line| line.split("<text ").skip(1)).filter(|text| text.contains("#121212"));
    labels.map(|text| text.split(['>', '<']).nth(1).unwrap().to_owned()).collect()
}

/// The names of leaves are in boxes of one byte and of two, and wider boxes are drawn for longer names.
#[test]
fn names_of_small_leaves() {
    let mapping = Mapped::<Hit, _, AoS>::new(extents!(dyn 1)).unwrap();
    let svg = Dump::of(&mapping).to_svg();
    assert_eq!(labels(&svg), ["[0]", "live", "[0].time", "[0]", "counts[0]", "[0]", "counts[1]"], "{svg}");

    #[derive(Clone, Copy, Record)]
    struct Cell {
        gas: [u8; 2],
        wall: Wall,
    }
    #[derive(Clone, Copy, Record)]
    struct Wall {
        temperature: u8,
        gas: u8,
    }
    let mapping = Mapped::<Cell, _, AoS>::new(extents!(dyn 1)).unwrap();
    let svg = Dump::of(&mapping).to_svg();
    assert_eq!(
        labels(&svg),
        ["[0]", "gas[0]", "[0]", "gas[1]", "[0]", "temperature", "[0].gas"].map(String::from),
        "a byte is 64 wide: {svg}"
    );
    // With less room than the names need, their starts are drawn.
    let svg = Dump::of(&mapping).bytes_per_row(32).to_svg();
    assert!(labels(&svg).contains(&String::from("tempe\u{2026}")), "{svg}");
}

/// Each byte of a leaf has a name of its own, and so has each blob and each row.
#[test]
fn bytes_of_leaves() {
    let mapping = Mapped::<Hit, _, Bytesplit<SoA>>::new(extents!(dyn 6)).unwrap();
    let svg = Dump::of(&mapping).to_svg();
    for byte in 0..4 {
        assert!(svg.contains(&format!(">blob {}: 6 bytes, time:{byte}<", byte + 1)), "{svg}");
        assert_eq!(labels(&svg).iter().filter(|label| label.ends_with(&format!("time:{byte}"))).count(), 6, "{svg}");
    }
    assert!(Dump::of(&mapping).to_string().contains("  [0].time:3 to [5].time:3\n"), "{}", Dump::of(&mapping));
    // A blob of several leaves has no name.
    let mapping = Mapped::<Hit, _, Bytesplit<AoS>>::new(extents!(dyn 6)).unwrap();
    assert!(Dump::of(&mapping).to_svg().contains(" bytes</text>"));
}

/// Blocks are drawn whole, or not at all.
#[test]
fn whole_blocks() {
    fn drawn<M: Mapping>(dump: &Dump<M>) -> Vec<usize> {
        let svg = dump.to_svg();
        let titles = svg.match_indices("<title>[").map(|(at, _)| &svg[at + 8..]);
        let mut elements: Vec<usize> =
            titles.filter_map(|text| text.split_once("].time").and_then(|(index, _)| index.parse().ok())).collect();
        elements.sort_unstable();
        elements.dedup();
        elements
    }
    let mapping = Mapped::<Hit, _, AoSoA<8>>::new(extents!(dyn 1000)).unwrap();
    let dump = Dump::of(&mapping).elements(12);
    assert_eq!(drawn(&dump), (0..16).collect::<Vec<_>>());
    assert!(dump.to_string().ends_with("... 984 more elements"), "{dump}");
    assert_eq!(drawn(&Dump::of(&mapping).elements(16)), (0..16).collect::<Vec<_>>());
    // The last block has fewer elements.
    let short = Mapped::<Hit, _, AoSoA<8>>::new(extents!(dyn 13)).unwrap();
    assert_eq!(drawn(&Dump::of(&short).elements(9)), (0..13).collect::<Vec<_>>());
    // A block has 72 bytes, and three rows of 32 bytes end in the second block; one row ends in the first.
    assert_eq!(drawn(&Dump::of(&mapping).bytes_per_row(32).rows(3)), (0..8).collect::<Vec<_>>());
    assert_eq!(drawn(&Dump::of(&mapping).bytes_per_row(32).rows(5)), (0..16).collect::<Vec<_>>());
    assert!(!drawn(&Dump::of(&mapping).bytes_per_row(32).rows(1)).is_empty(), "a part is better than nothing");
    // By columns, neighbors in a block are far apart in row-major order.
    let columns = Mapped::<Hit, _, AoSoA<4>, ColMajor>::new(extents!(dyn 4, dyn 3)).unwrap();
    let text = Dump::of(&columns).elements(1).to_string();
    assert!(text.contains("[0, 0].live to ") && text.ends_with("... 8 more elements"), "{text}");
    // No element, no block.
    assert!(drawn(&Dump::of(&mapping).elements(0)).is_empty());
}

#[test]
fn shared_places() {
    let one = Mapped::<Hit, _, One>::new(extents!(dyn 1000)).unwrap();
    let svg = Dump::of(&one).to_svg();
    assert_eq!(svg.matches("shared by 1000 elements</title>").count(), 4, "{svg}");
    assert!(svg.contains("stand for up to 1000<"), "{svg}");
    // Stride 0: rows share.
    let broadcast = Strided::<Dim<2>>::new(0, [0, 1]);
    let mapping = Mapped::<u8, _, AoS, _>::with(extents!(dyn 3, dyn 2), AoS::default(), broadcast).unwrap();
    let text = Dump::of(&mapping).to_string();
    assert!(text.contains("     0 |a|a  "), "{text}");
    assert!(text.contains("stand for up to 3"), "{text}");
}

/// Elements that are not drawn are mentioned, with numbers.
#[test]
fn cut_off() {
    let mapping = Mapped::<Hit, _, SoA>::new(extents!(dyn 10, dyn 100)).unwrap();
    let text = Dump::of(&mapping).elements(40).bytes_per_row(16).rows(2).to_string();
    assert!(text.ends_with("... 960 more elements"), "{text}");
    assert!(text.contains("blob 1: 4000 bytes\n     0 |b b b b|"), "{text}");
    assert!(text.contains("\n       ... 3968 bytes not shown\n"), "{text}");
    assert!(text.contains("|a a a a a a a a|: : :") || text.contains("|a|a|a"), "{text}");

    // Far more elements than anybody looks at.
    let mapping = Mapped::<u8, _, AoS>::new(extents!(dyn 1 << 40)).unwrap();
    let text = Dump::of(&mapping).elements(3).to_string();
    assert!(text.contains("     0 |a|a|a|: : "), "{text}");
    assert!(text.ends_with("... 1099511627773 more elements"), "{text}");

    let empty = Mapped::<Hit, _, SoA>::new(extents!(dyn 0)).unwrap();
    assert!(Dump::of(&empty).to_string().contains("blob 3: 0 bytes"), "{}", Dump::of(&empty));
    well_formed(&Dump::of(&empty).to_svg());
    // No element says where its leaves are.
    let none = Dump::of(&mapping).elements(0).rows(0).bytes_per_row(0);
    for text in [none.to_string(), none.to_svg(), Dump::of(&empty).to_string()] {
        assert!(!text.contains("no memory") && !text.contains("without memory"), "{text}");
    }
    well_formed(&none.to_svg());
    assert!(none.to_string().contains("... 1099511627776 bytes not shown"), "{none}");
}

/// A part of a record, whose blobs have other leaves too.
#[test]
fn parts_of_records() {
    let view = alloc::<Hit, AoS, _>(2).unwrap();
    let text = Dump::of(&view.field(Hit::PATHS.counts).mapping()).to_string();
    assert!(text.contains("     0 |. . . . . . . .|a a|b b|. . . . . . . .|a a|b b  [0][0] to [1][1]"), "{text}");
    assert!(text.contains("a [0]: u16"), "{text}");
    let text = Dump::of(&view.field(Hit::PATHS.time).mapping()).to_string();
    assert!(text.contains("a u32: u32"), "{text}");
}

#[test]
fn names_are_escaped() {
    let mapping = Mapped::<Hit, _, AoS>::new(extents!(dyn 2)).unwrap();
    let dump = Dump::of(&mapping).title("<b>\"A & B\"</b>");
    for text in [dump.to_svg(), dump.to_html()] {
        assert!(!text.contains("<b>"));
        assert!(text.contains("&lt;b&gt;&quot;A &amp; B&quot;&lt;/b&gt;"));
        assert!(!text.contains("http") || text.matches("http").count() == 1, "only the name of SVG");
    }
    // Types with brackets in their names.
    let mapping = Mapped::<Option<core::num::NonZeroU8>, _, AoS>::new(extents!(dyn 2)).unwrap();
    let svg = Dump::of(&mapping).to_svg();
    assert!(svg.contains("Option&lt;NonZero&lt;u8&gt;&gt;"), "{svg}");
    well_formed(&svg);
}

#[test]
fn heat() {
    let mut view = alloc::<[u8; 2], SoA, _>(40).unwrap().heat_map(const { core::num::NonZero::new(4).unwrap() });
    for i in 0..8 {
        view.at_mut(i).at_mut(0).set(1);
    }
    view.at_mut(39).at_mut(1).set(1);
    let svg = HeatPicture::of(view.observer()).title("<t>").blocks_per_row(4).rows(2).to_svg();
    well_formed(&svg);
    assert!(svg.contains("&lt;t&gt;"));
    assert!(svg.contains("<title>blob 0, bytes 4 to 7: 4 uses</title>"), "{svg}");
    assert!(svg.contains("<title>blob 0, bytes 8 to 11: 0 uses</title>"), "{svg}");
    assert_eq!(svg.matches("... 2 more blocks").count(), 2, "{svg}");
    let all = HeatPicture::of(view.observer()).log_scale(true).to_svg();
    assert!(all.contains("<title>blob 1, bytes 36 to 39: 1 use</title>"), "{all}");
    assert!(all.contains("uses (log scale)"));
}

/// Sizes at their limits: mappings with more bits than a `usize` counts, and rows of any length.
#[test]
fn pictures_at_the_limits() {
    #[derive(Clone, Copy, Record)]
    struct Pair {
        first: u64,
        second: u64,
    }

    fn drawn<M: Mapping>(mapping: &M) -> String {
        let dump = Dump::of(mapping).elements(2);
        for dump in [dump.clone(), dump.clone().bytes_per_row(usize::MAX), dump.clone().rows(usize::MAX)] {
            well_formed(&dump.to_svg());
            assert!(dump.to_html().contains("not shown"));
        }
        dump.to_string()
    }

    let huge = extents!(dyn 1 << 58);
    let text = drawn(&Mapped::<Pair, _, AoS>::new(huge).unwrap());
    assert!(text.contains("blob 0: 4611686018427387904 bytes\n     0 |a a a a a a a a|b"), "{text}");
    // The second column starts at byte 2^61.
    let text = drawn(&Mapped::<Pair, _, SoASingle>::new(huge).unwrap());
    assert!(text.contains("\na first: u64\nb second: u64\n"), "{text}");
    assert!(text.ends_with("\nnot drawn: 2 places beyond the last bit that a `usize` counts"), "{text}");
    drawn(&Mapped::<Pair, _, Split<path!(Pair, first), SoASingle, SoASingle>>::new(huge).unwrap());

    let few = Dump::of(&Mapped::<Hit, _, AoS>::new(extents!(dyn 2)).unwrap()).bytes_per_row(usize::MAX);
    assert!(few.to_string().contains("     0 |"), "{few}");
    // The second row is short, and names stand at the ends of rows.
    let apart = Mapped::<u8, _, AoS, ColMajor>::new(extents!(dyn 3000, dyn 32)).unwrap();
    let apart = Dump::of(&apart).bytes_per_row(usize::MAX).to_string();
    assert!(apart.contains("\n 65536 |"), "{} bytes", apart.len());
    let view = alloc::<u8, AoS, _>(4).unwrap().heat_map(const { core::num::NonZero::new(4).unwrap() });
    well_formed(&HeatPicture::of(view.observer()).blocks_per_row(usize::MAX).rows(usize::MAX).to_svg());
}
