//! Conway's game of life on a board whose ends meet, in blocks of four locales:
//! `cargo run --release --example game_of_life -- [PICTURE [GENERATIONS]]`.
//!
//! Each cell counts the generations of its life. Once a generation, a locale receives the rims of its neighbors' blocks, and nothing
//! else. The result is compared with a plain loop over one array of bytes.

mod arguments;
mod folder;
mod png;

use core::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use image::{Rgb, RgbImage};
use layout::Record;
use layout::array::{Array, ArrayError, HaloArray};
use layout::domain::{Block, Domain, Stencil, Targets};
use layout::store::Runtime;

/// The board.
const ROWS: usize = 96;
const COLUMNS: usize = 160;
const LOCALES: usize = 4;
/// The cells at the start: row, column, and rows of cells.
const START: [(usize, usize, &[&str]); 4] = [
    (44, 60, &[".#.....", "...#...", "##..###"]),
    (10, 8, &[".#.", "..#", "###"]),
    (20, 100, &["....#.", "..##.#", "..#...", ".#....", "#.##..", ".#...."]),
    (70, 30, &["#.#", ".##", ".#."]),
];

/// A cell of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Cell {
    alive: u8,
    /// Generations that it has lived or been dead, 250 at most, which is also that of a cell that never lived.
    age: u8,
}

impl Cell {
    /// The cell in the next generation.
    fn next(self, neighbors: u8) -> Self {
        let alive = u8::from(neighbors == 3 || neighbors == 2 && self.alive == 1);
        Self { alive, age: if alive == self.alive { (self.age + 1).min(250) } else { 0 } }
    }
}

/// The cell at a place when the game starts.
fn start(row: usize, column: usize) -> Cell {
    let in_pattern = |(top, left, rows): &(usize, usize, &[&str])| {
        let cell = row.checked_sub(*top).zip(column.checked_sub(*left));
        cell.and_then(|(row, column)| rows.get(row)?.as_bytes().get(column)) == Some(&b'#')
    };
    if START.iter().any(in_pattern) { Cell { alive: 1, age: 0 } } else { Cell { alive: 0, age: 250 } }
}

/// The board after some generations, and the bytes and messages that this locale sent for each.
fn play(rt: &Runtime, generations: usize) -> Result<(Vec<Cell>, u64, u64), ArrayError> {
    let board = Domain::new([0..ROWS, 0..COLUMNS]).with_type()?;
    let blocks = Block::over(&board, Targets::all(rt.locales())?)?;
    let stencil = Stencil::new(blocks, [1, 1]).periodic();
    let first = |[row, column]: [i64; 2]| start(wrapped(row, ROWS), wrapped(column, COLUMNS));
    let mut now: HaloArray<Cell, 2> = HaloArray::from_fn(rt, &board, stencil.clone(), first)?;
    let mut next: HaloArray<Cell, 2> = HaloArray::filled(rt, &board, stencil, Cell::default())?;
    rt.fence()?;
    let before = rt.traffic();
    for _ in 0..generations {
        now.update_halo()?;
        next.write().zip(now.read_halo()).named("generation").for_each(|_, (mut next, now)| {
            let [rows, columns] = next.extents();
            for i in 0..rows {
                for j in 0..columns {
                    // The halo is one cell wide: the cell itself is at [i + 1, j + 1].
                    let alive = |di, dj| now.at([i + di, j + dj]).alive.get();
                    let above = alive(0, 0) + alive(0, 1) + alive(0, 2);
                    let beside = alive(1, 0) + alive(1, 2);
                    let below = alive(2, 0) + alive(2, 1) + alive(2, 2);
                    next.set([i, j], now.load([i + 1, j + 1]).next(above + beside + below));
                }
            }
        })?;
        now.swap(&mut next)?;
    }
    rt.fence()?;
    let after = rt.traffic();
    let count = u64::try_from(generations.max(1)).unwrap_or(1);
    let array: &Array<Cell, 2> = &now;
    Ok((array.to_vec()?, (after.bytes - before.bytes) / count, (after.messages - before.messages) / count))
}

/// A place on a ring of so many.
fn wrapped(at: i64, count: usize) -> usize {
    let count = i64::try_from(count).expect("a small board");
    usize::try_from(at.rem_euclid(count)).expect("not negative")
}

/// The same, cell by cell.
fn by_hand(generations: usize) -> Vec<Cell> {
    let mut now: Vec<Cell> = (0..ROWS * COLUMNS).map(|at| start(at / COLUMNS, at % COLUMNS)).collect();
    for _ in 0..generations {
        let next = |at: usize| {
            let (row, column) = (at / COLUMNS, at % COLUMNS);
            let mut alive = 0;
            for (di, dj) in (0..9).filter(|k| *k != 4).map(|k| (k / 3, k % 3)) {
                let (i, j) = ((row + ROWS + di - 1) % ROWS, (column + COLUMNS + dj - 1) % COLUMNS);
                alive += now[i * COLUMNS + j].alive;
            }
            now[at].next(alive)
        };
        now = (0..ROWS * COLUMNS).map(next).collect();
    }
    now
}

/// The living are bright and turn from yellow to red as they grow old; what has died fades; a line stands where blocks meet.
fn picture(cells: &[Cell]) -> RgbImage {
    let scale = 5;
    let size = |cells: usize| u32::try_from(cells * scale).expect("a small board");
    RgbImage::from_fn(size(COLUMNS), size(ROWS), |x, y| {
        let (x, y) = (x as usize, y as usize);
        let cell = cells[y / scale * COLUMNS + x / scale];
        let rim = x == COLUMNS * scale / 2 || y == ROWS * scale / 2;
        match (cell.alive, cell.age) {
            (1, age) => Rgb([255, 220_u8.saturating_sub(age.saturating_mul(3)), 40]),
            _ if rim => Rgb([70, 80, 110]),
            (_, age) if age < 200 => Rgb([20, 28 + (199 - age) / 8, 48 + (199 - age) / 3]),
            _ => Rgb([20, 24, 44]),
        }
    })
}

fn main() -> ExitCode {
    let usage = "give a file for the picture (.png) and the number of generations, or nothing for target/game_of_life.png and 400";
    let read = |given: &[OsString]| match given {
        [] => Some((PathBuf::from("target/game_of_life.png"), 400)),
        [file] => Some((file.into(), 400)),
        [file, generations] => Some((file.into(), generations.to_str()?.parse().ok()?)),
        _ => None,
    };
    arguments::run(usage, read, |(path, generations)| run(&path, generations))
}

fn run(path: &Path, generations: usize) -> Result<(), Box<dyn Error>> {
    png::check(path)?;
    path.parent().map_or(Ok(()), folder::make)?;
    png::check_writable(path)?;
    // The board is small, and is to be divided all the same.
    let builder = Runtime::builder().locales(LOCALES).threads(1).min_chunk(1).whole_below(0);
    let told = builder.simulate(|rt| play(rt, generations))?;
    let expected = by_hand(generations);
    for (locale, result) in told.into_iter().enumerate() {
        let (cells, bytes, messages) = result?;
        assert_eq!(cells, expected, "locale {locale} and the loop by hand");
        if locale == 0 {
            let alive = cells.iter().filter(|cell| cell.alive == 1).count();
            println!(
                "generations: {generations}, of {ROWS} by {COLUMNS} cells on {LOCALES} locales, as by hand: {alive} live"
            );
        }
        println!("locale {locale} sends {bytes} bytes in {messages} messages a generation");
    }
    picture(&expected).save(path).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("picture: {}", path.display());
    println!(
        "living cells are yellow, and redder with age; traces of dead ones are blue; the cross is where blocks meet"
    );
    Ok(())
}
