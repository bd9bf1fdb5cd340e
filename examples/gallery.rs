//! Every record layout, drawn: `cargo run --example gallery -- [DIRECTORY]`.
//!
//! Writes an SVG for each, and one page with all of them.

mod arguments;
mod folder;

use core::error::Error;
use core::fmt::Write;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use layout::bits::{BitPackedFloatSoA, BitPackedIntAoS, Bits, FloatBits};
use layout::choice::{LayoutList, LayoutTask, layouts};
use layout::composed::{Bytesplit, Byteswap, ChangeType, Split};
use layout::inspect::{Dump, HeatPicture};
use layout::options::{AlignTo, DecreasingAlignment, LeafAligned, MinPadding};
use layout::prelude::*;
use layout::{Null, One, path};

/// A signal of a detector.
#[derive(Clone, Copy, Record)]
struct Hit {
    live: bool,
    time: f64,
    channel: u16,
    charge: [f32; 2],
}

layouts! {
    struct Layouts of Hit = [
        AoS,
        AoS<Packed>,
        AoS<Aligned, MinPadding>,
        AoS<Aligned, DecreasingAlignment>,
        AoS<Aligned, Native>,
        SoA,
        SoASingle,
        SoASingle<LeafAligned>,
        SoASingle<Packed>,
        SoASingle<AlignTo<16>>,
        AoSoA<4>,
        AoSoA<4, Packed>,
        AoSoA<8>,
        One,
        Null,
        Split<path!(Hit, time), SoA, AoS>,
        Split<path!(Hit, charge), Null, AoS>,
        Split<path!(Hit, live), One, AoSoA<4>>,
        Bytesplit<SoA>,
        Bytesplit<AoSoA<4>>,
        Byteswap<AoS>,
        ChangeType<AoS, f64, f32>,
        Split<path!(Hit, charge), BitPackedFloatSoA<FloatBits<5, 8>>, AoS>,
        Split<(path!(Hit, live), path!(Hit, channel)), BitPackedIntAoS<Bits<5>>, SoA>,
    ];
}

/// Draws six elements: as SVG and as text.
struct Draw {
    name: &'static str,
}

impl LayoutTask<Hit> for Draw {
    type Output = Result<(String, String), layout::error::ExtentsError>;

    fn run<L: RecordLayout<Hit> + Default>(self) -> Self::Output {
        let mapping = Mapped::<Hit, _, L>::new(extents!(dyn 6))?;
        let dump = Dump::of(&mapping).title(self.name);
        Ok((dump.to_svg(), dump.to_string()))
    }
}

/// A few more, of which the picture says something else.
fn others() -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    let col_major = Mapped::<u16, _, SoA, ColMajor>::new(extents!(dyn 4, 6))?;
    let many = Mapped::<Hit, _, AoSoA<8>>::new(extents!(dyn 1_000_000))?;

    let mut heated = alloc::<Hit, AoS, _>(200)?.heat_map(const { core::num::NonZero::new(8).unwrap() });
    let mut random = 1_u64;
    for _ in 0..2000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut hit = heated.at_mut((random >> 33) as usize % 200);
        hit.time += 1.0;
        hit.live.set(true);
    }
    let heat = HeatPicture::of(heated.observer()).title("Heat: time and live of AoS, at random").log_scale(true);
    Ok(vec![
        ("A grid by columns", Dump::of(&col_major).title("A grid by columns: SoA, ColMajor").to_svg()),
        ("A million", Dump::of(&many).title("AoSoA<8>, a million elements").elements(12).to_svg()),
        ("Heat", heat.to_svg()),
    ])
}

/// A name for a file.
fn file_name(title: &str) -> String {
    let plain: String = title.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect();
    format!("{}.svg", plain.split_whitespace().collect::<Vec<_>>().join("_"))
}

fn main() -> ExitCode {
    let usage = "give a folder for the pictures, or nothing for target/gallery";
    let read = |given: &[OsString]| match given {
        [] => Some(PathBuf::from("target/gallery")),
        [folder] => Some(folder.into()),
        _ => None,
    };
    arguments::run(usage, read, |folder| run(&folder))
}

fn run(folder: &Path) -> Result<(), Box<dyn Error>> {
    folder::make(folder)?;
    let mut pictures = Vec::new();
    for (number, name) in Layouts::NAMES.iter().enumerate() {
        let (svg, text) = Layouts::run_nth(number, Draw { name })?;
        if number == 0 {
            println!("{text}\n");
        }
        pictures.push((*name, svg));
    }
    pictures.extend(others()?);

    let mut page = String::from(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Layouts</title>\
         <style>:root{color-scheme:light dark}body{margin:1em;font-family:sans-serif}svg{max-width:100%;height:auto}</style>\
         </head><body><h1>Layouts</h1>\n",
    );
    for (name, svg) in &pictures {
        fs::write(folder.join(file_name(name)), svg)?;
        write!(page, "<section>{svg}</section>")?;
    }
    page += "</body></html>\n";
    fs::write(folder.join("index.html"), page)?;
    println!("{} pictures in {}", pictures.len(), folder.join("index.html").display());
    Ok(())
}
