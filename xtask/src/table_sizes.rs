//! Bytes of constant data and relocations for each leaf of a record, by layout, in a release binary.
//!
//! The program makes a view, writes to it and copies it to SoA: it uses the tables of its record and layout at run time.
//! Compared are records of 33 leaves and of 129, for which tables have 64 and 256 entries: nearly twice the record's
//! length, which is the most. What a program has anyway, and what it has for each type, cancels out.

use core::fmt::Write;
use std::process::Command;

use crate::generated::Generated;
use crate::limits::{BYTES_A_LEAF, RELOCATIONS_A_LEAF};
use crate::report::{Outcome, PASSED, Result};
use crate::shell::{is_installed, output};

const LAYOUTS: [&str; 5] =
    ["AoS", "SoA", "AoSoA<8>", "Split<path!(Event, leaf0), SoA, AoS>", "ChangeType<SoA, f64, f32>"];

const FEW: usize = 33;
const MANY: usize = 129;

pub(crate) fn limits() -> Result {
    if !is_installed("readelf") {
        return Ok(Outcome::Skipped("readelf is missing: it is part of binutils".into()));
    }
    // A codegen unit that uses a constant has a copy of it.
    let generated = Generated::new("table-sizes", "main.rs", "[profile.release]\ncodegen-units = 1\n")?;
    let mut broken = Vec::new();
    println!("{:<40} {:>15} {:>20}", "layout", "bytes a leaf", "relocations a leaf");
    for layout in LAYOUTS {
        let [few, many] = [FEW, MANY].map(|leaves| sizes(&generated, leaves, layout));
        let ((few_bytes, few_relocations), (many_bytes, many_relocations)) = (few?, many?);
        let each = |few: f64, many: f64| (many - few) / (MANY - FEW) as f64;
        let (bytes, relocations) = (each(few_bytes, many_bytes), each(few_relocations, many_relocations));
        println!("{layout:<40} {bytes:>15.1} {relocations:>20.1}");
        if bytes > BYTES_A_LEAF || relocations > RELOCATIONS_A_LEAF {
            broken.push(format!(
                "{layout}: {bytes:.1} bytes and {relocations:.1} relocations a leaf, and {BYTES_A_LEAF} and \
                 {RELOCATIONS_A_LEAF} are allowed"
            ));
        }
    }
    if broken.is_empty() { PASSED } else { Err(broken.join("; ")) }
}

/// The bytes of constants of the program over a record of so many leaves, and its relocations.
fn sizes(generated: &Generated, leaves: usize, layout: &str) -> core::result::Result<(f64, f64), String> {
    generated.write(&source(leaves, layout))?;
    generated.build()?;
    let sections = output(Command::new("readelf").arg("-SW").arg(generated.program()))?;
    let size = |name: &str| {
        // After the number in brackets: name, type, address, offset, size.
        let mut sections = sections.lines().filter_map(|line| Some(line.split_once(']')?.1.split_whitespace()));
        let size = sections.find_map(|mut words| (words.next()? == name).then(|| words.nth(3))?);
        size.and_then(|size| u32::from_str_radix(size, 16).ok()).map(f64::from).ok_or(format!("no section {name}"))
    };
    Ok((size(".rodata")? + size(".data.rel.ro")?, size(".rela.dyn")? / 24.0))
}

fn source(leaves: usize, layout: &str) -> String {
    let types = ["f32", "f64", "i32", "bool", "u16", "char", "f32", "f64", "u32", "i16"];
    let mut text = "use layout::{composed::*, *};\n#[derive(Clone, Copy, Record)] struct Event { ".to_owned();
    for leaf in 0..leaves {
        write!(text, "leaf{leaf}: {}, ", types[leaf % types.len()]).expect("to memory");
    }
    text + &format!(
        "}}
        fn main() -> Result<(), ViewError> {{
            let len = std::env::args().count();
            let mut view = alloc::<Event, {layout}, _>(len)?;
            view.for_each_mut(|mut event| event.leaf0.set(1.0));
            let mut copy = alloc::<Event, SoA, _>(len)?;
            copy.copy_from(&view).ok();
            println!(\"{{}} {{:?}}\", copy.at(0).leaf0.get(), view.mapping().place_of([0], len));
            Ok(())
        }}"
    )
}
