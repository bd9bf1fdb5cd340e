//! The owner of each index: `cargo run --example domain_maps -- [DIRECTORY]`.
//!
//! Draws each distribution over six locales, and one of its own that follows a Hilbert curve: an SVG for each, and
//! `domain_maps.svg` with all of them.

mod arguments;
mod folder;

use core::error::Error;
use core::fmt::Write;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use layout::domain::{
    AnyAxis, Block, BlockCyclic, Cyclic, Dimensional, Domain, DomainError, DomainMap, OwnerPicture, PerLocale,
    Replicated, Stencil, Targets, check_map,
};

/// Equal parts of a Hilbert curve through a square of indices from 0 on: parts of a locale are neighbors in both dimensions.
/// Indices outside the square belong to who has the nearest one inside.
#[derive(Debug)]
struct Hilbert {
    side: i64,
    locales: Vec<usize>,
}

impl Hilbert {
    /// The number of indices of the curve before this one. The square is halved again and again; each quarter has the curve
    /// of the whole, turned.
    fn order(&self, [mut i, mut j]: [i64; 2]) -> i64 {
        let (mut order, mut half) = (0, self.side / 2);
        while half > 0 {
            let (down, right) = (i64::from(i & half > 0), i64::from(j & half > 0));
            order += half * half * ((3 * right) ^ down);
            if down == 0 {
                if right == 1 {
                    (i, j) = (self.side - 1 - i, self.side - 1 - j);
                }
                (i, j) = (j, i);
            }
            half /= 2;
        }
        order
    }
}

impl DomainMap<2> for Hilbert {
    fn locales(&self) -> &[usize] {
        &self.locales
    }

    fn owner(&self, index: [i64; 2], _: usize) -> Option<usize> {
        let order = self.order(index.map(|at| at.clamp(0, self.side - 1)));
        let number = order * i64::try_from(self.locales.len()).ok()? / (self.side * self.side);
        self.locales.get(usize::try_from(number).ok()?).copied()
    }

    fn local(&self, locale: usize, domain: &Domain<2>) -> Vec<Domain<2>> {
        let own = domain.iter().filter(|at| self.owner(*at, locale) == Some(locale));
        own.map(|[i, j]| Domain::new([i..=i, j..=j])).collect()
    }
}

/// The pictures, each with the name of its file.
fn pictures() -> Result<Vec<(&'static str, String)>, DomainError> {
    let grid = Domain::new([1..=8, 1..=12]);
    let (few, line) = (Domain::new([1..=4, 1..=6]), Domain::new([0..=5]));
    let six = || Targets::<2>::all(6);
    let blocks = || Block::over(&grid, six()?);
    let draw = |map: &dyn DomainMap<2>, title: &str| {
        check_map(map, &grid)?;
        Ok::<_, DomainError>(OwnerPicture::of(map, &grid).title(title))
    };
    let stencil = Stencil::new(blocks()?, [1, 2]);
    let memory = stencil.with_halo(2, &grid)?.unwrap_or(grid);
    let panels = Dimensional::of(
        [AnyAxis::block_cyclic(1, 2)?, AnyAxis::Replicated],
        Targets::grid([3, 2], (0..6).collect::<Vec<_>>())?,
    );
    let cyclic_rows = Dimensional::of(
        [AnyAxis::cyclic(1), AnyAxis::block(1..=12)?],
        Targets::grid([2, 3], (0..6).collect::<Vec<_>>())?,
    );
    let every_third = grid.by([1, 3])?;
    let square = Domain::new([0..16, 0..16]);
    let hilbert = Hilbert { side: 16, locales: (0..6).collect() };
    check_map(&hilbert, &square)?;
    Ok(vec![
        ("block", draw(&blocks()?, "Block: 8 x 12 over 3 x 2 locales")?.to_svg()),
        ("cyclic", draw(&Cyclic::new([1, 1], six()?), "Cyclic: over 3 x 2")?.to_svg()),
        ("block_cyclic", draw(&BlockCyclic::new([1, 1], [2, 3], six()?)?, "BlockCyclic: blocks of 2 x 3")?.to_svg()),
        ("dimensional", draw(&cyclic_rows, "Dimensional over 2 x 3: cyclic rows, blocks of columns")?.to_svg()),
        ("stencil", draw(&stencil, "Stencil: what locale 2 has memory for")?.frame(&memory, 2).to_svg()),
        ("panels", draw(&panels, "Dimensional over 3 x 2: pairs of rows, each on two locales")?.to_svg()),
        (
            "replicated",
            OwnerPicture::of(&Replicated::new(Targets::all(6)?), &few)
                .title("Replicated: six locales have each index")
                .to_svg(),
        ),
        (
            "strided",
            OwnerPicture::of(&blocks()?, &every_third).title("Block: every third column of the domain").to_svg(),
        ),
        (
            "per_locale",
            OwnerPicture::of(&PerLocale::new(Targets::of([4, 1, 5, 0, 3, 2])?), &line)
                .title("PerLocale: for 4, 1, 5, 0, 3, 2")
                .to_svg(),
        ),
        ("hilbert", OwnerPicture::of(&hilbert, &square).title("Of one's own: a Hilbert curve").to_svg()),
    ])
}

/// The number after this text, in the first line of a picture.
fn size(svg: &str, name: &str) -> usize {
    let rest = svg.split_once(name).map_or("", |(_, rest)| rest);
    rest.split('"').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// All pictures in two columns, in a picture.
fn sheet(pictures: &[(&str, String)]) -> String {
    let (mut body, mut width, mut y) = (String::new(), 0, 0);
    let column = pictures.iter().step_by(2).map(|(_, svg)| size(svg, " width=\"")).max().unwrap_or(0);
    for pair in pictures.chunks(2) {
        for (number, (_, svg)) in pair.iter().enumerate() {
            let x = number * column;
            width = width.max(x + size(svg, " width=\""));
            // Nothing fails that is written to a `String`.
            let _ = write!(body, "{}", svg.replacen("<svg", &format!("<svg x=\"{x}\" y=\"{y}\""), 1));
        }
        y += pair.iter().map(|(_, svg)| size(svg, " height=\"")).max().unwrap_or(0);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {y}\" style=\"max-width:{width}px\">\n\
         <rect width=\"{width}\" height=\"{y}\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

fn main() -> ExitCode {
    let usage = "give a folder for the pictures, or nothing for target/domain_maps";
    let read = |given: &[OsString]| match given {
        [] => Some(PathBuf::from("target/domain_maps")),
        [folder] => Some(folder.into()),
        _ => None,
    };
    arguments::run(usage, read, |folder| run(&folder))
}

fn run(folder: &Path) -> Result<(), Box<dyn Error>> {
    folder::make(folder)?;
    let pictures = pictures()?;
    for (name, svg) in &pictures {
        fs::write(folder.join(format!("{name}.svg")), svg)?;
    }
    let all = folder.join("domain_maps.svg");
    fs::write(&all, sheet(&pictures))?;
    let grid = Domain::new([1..=8, 1..=12]);
    let blocks = BlockCyclic::new([1, 1], [2, 3], Targets::all(6)?)?;
    println!("{grid} in blocks of 2 x 3, in turn over 3 x 2 locales:\n\n{}", OwnerPicture::of(&blocks, &grid));
    println!("{} pictures, and all of them in {}", pictures.len(), all.display());
    Ok(())
}
