//! The advice of the advisor.

use core::fmt;
use core::time::Duration;

use layout_core::{Record, Uses, ViewError};

use crate::names::short;

/// A ranking of layouts; displayed as a table.
///
/// # Examples
///
/// See [`Kernel`](crate::Kernel).
#[derive(Clone, Debug)]
pub struct Advice {
    record: String,
    extents: Vec<usize>,
    ranking: Vec<Ranked>,
    refused: Vec<Refused>,
    uses: Uses,
    noise: f64,
    rounds: usize,
}

/// A layout in a ranking, with a linearization.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ranked {
    /// The name of the layout, as written in the list.
    pub layout: &'static str,
    /// The linearization.
    pub linearization: String,
    /// The time of a run of the kernel; a quarter of the rounds took less.
    pub time: Duration,
    /// The time of a run divided by that in the fastest layout.
    pub ratio: f64,
    /// The bytes that a view in this layout allocates.
    pub bytes: usize,
    /// The first leaf with a value that differs from the one in the layout of the data; `None` if all values are equal,
    /// bit for bit.
    pub differs: Option<String>,
    /// The numbers of the linearization and the layout in their lists.
    pub(super) number: [usize; 2],
}

/// A layout that cannot hold the data, or not with this linearization.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refused {
    /// The name of the layout, as written in the list.
    pub layout: &'static str,
    /// The linearization.
    pub linearization: String,
    /// The reason.
    pub error: ViewError,
}

impl Advice {
    pub(super) fn new<R: Record>(
        extents: &[usize],
        mut ranking: Vec<Ranked>,
        refused: Vec<Refused>,
        uses: Uses,
        noise: f64,
        rounds: usize,
    ) -> Self {
        ranking.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
        let record = short(core::any::type_name::<R>());
        Self { record, extents: extents.to_vec(), ranking, refused, uses, noise, rounds }
    }

    /// The layouts, fastest first.
    #[must_use]
    pub fn ranking(&self) -> &[Ranked] {
        &self.ranking
    }

    /// The layouts of the list that cannot hold the data, also because a bit-packed layout has too few bits for a value.
    #[must_use]
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// The simplest of the [equals](Self::equals): the layout and linearization whose names have the fewest words, where
    /// `RowMajor` counts as none, and of several such pairs the first of the lists.
    #[must_use]
    pub fn best(&self) -> Option<&Ranked> {
        let words = |name: &str| name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count();
        let words_of =
            |row: &Ranked| words(row.layout) + if row.is_row_major() { 0 } else { words(&row.linearization) };
        self.equals().min_by_key(|row| (words_of(row), row.number))
    }

    /// The layouts that cannot be told apart from the fastest: the kernel computes the same results as in the layout of
    /// the data, and its time exceeds the shortest such time by no more than the [noise](Self::noise).
    pub fn equals(&self) -> impl Iterator<Item = &Ranked> {
        let right = || self.ranking.iter().filter(|row| row.differs.is_none());
        let most = right().next().map_or(0.0, |fastest| fastest.ratio * (1.0 + self.noise));
        right().filter(move |row| row.ratio <= most)
    }

    /// The relative difference of times that should be equal: those of one layout in two places, and those of the two
    /// halves of the rounds.
    #[must_use]
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// The number of uses of each leaf in a run.
    #[must_use]
    pub fn uses(&self) -> &Uses {
        &self.uses
    }

    /// The line of Rust that allocates a view in the [best](Self::best) layout.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        self.best().map(|best| {
            let (record, layout, linearization) = (&self.record, best.layout, &best.linearization);
            if best.is_row_major() {
                let extents = match self.extents[..] {
                    [extent] => extent.to_string(),
                    _ => format!("{:?}", self.extents),
                };
                format!("alloc::<{record}, {layout}, _>({extents})?")
            } else {
                let extents: Vec<_> = self.extents.iter().map(|extent| format!("dyn {extent}")).collect();
                let extents = extents.join(", ");
                format!("View::zeroed(Mapped::<{record}, _, {layout}, {linearization}>::new(extents!({extents}))?)?")
            }
        })
    }
}

impl Ranked {
    fn is_row_major(&self) -> bool {
        self.linearization == ROW_MAJOR
    }
}

/// The linearization that is not named.
const ROW_MAJOR: &str = "RowMajor";

/// The names of a layout and a linearization, as one: `AoS`, or `AoS, Morton`.
fn joined(layout: &str, linearization: &str) -> String {
    if linearization == ROW_MAJOR { layout.to_owned() } else { format!("{layout}, {linearization}") }
}

/// Formats a time with a suitable unit.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        1.0.. => format!("{seconds:.3} s"),
        1e-3.. => format!("{:.3} ms", seconds * 1e3),
        1e-6.. => format!("{:.3} us", seconds * 1e6),
        _ => format!("{:.1} ns", seconds * 1e9),
    }
}

/// Formats a number of bytes with a suitable unit.
fn bytes(count: usize) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let (mut size, mut unit) = (count as f64, "B");
    for larger in units {
        if size < 10_000.0 {
            break;
        }
        (size, unit) = (size / 1024.0, larger);
    }
    if unit == "B" { format!("{count} B") } else { format!("{size:.1} {unit}") }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = vec![["layout", "time per run", "ratio", "memory", "results", ""].map(String::from)];
        let equals: Vec<_> = self.equals().map(core::ptr::from_ref).collect();
        for row in &self.ranking {
            let ratio = if row.ratio < 9.995 { format!("{:.2}", row.ratio) } else { format!("{:.1}", row.ratio) };
            let results = row.differs.as_ref().map_or(String::from("same"), |what| format!("{what} differs"));
            let best = self.best().is_some_and(|best| core::ptr::eq(best, row));
            let remark = match () {
                () if best && equals.len() > 1 => "simplest",
                () if best => "best",
                () if equals.contains(&core::ptr::from_ref(row)) => "too noisy to tell",
                () => "",
            };
            let name = joined(row.layout, &row.linearization);
            rows.push([name, duration(row.time), ratio, bytes(row.bytes), results, remark.into()]);
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(width);
        for [layout, time, ratio, memory, results, remark] in &rows {
            let line = format!("{layout:a$}  {time:>b$}  {ratio:>c$}  {memory:>d$}  {results:e$}  {remark}");
            writeln!(f, "{}", line.trim_end())?;
        }
        for Refused { layout, linearization, error } in &self.refused {
            writeln!(f, "{:a$}  refused: {error}", joined(layout, linearization))?;
        }
        let (noise, rounds) = (100.0 * self.noise, self.rounds);
        writeln!(f, "noise: equal layouts differ by {noise:.1} % ({rounds} rounds)")?;
        write!(f, "\nuses in one run:\n{}\n", self.uses)?;
        match (self.line(), equals.len()) {
            (None, _) => write!(f, "\nno layout of the list gives these results"),
            (Some(line), 1) => write!(f, "\nthe fastest with these results:\n{line}"),
            (Some(line), several) => {
                write!(
                    f,
                    "\ntoo noisy to tell which of {several} is the fastest; the simplest with these results:\n{line}"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The advice for layouts with these ratios, and with results that differ or not; after a semicolon, a layout may have a linearization.
    fn advice(noise: f64, rows: &[(&'static str, f64, bool)]) -> Advice {
        let ranked = |(number, (name, ratio, differs)): (usize, &(&'static str, f64, bool))| Ranked {
            layout: name.split_once("; ").map_or(*name, |(layout, _)| layout),
            linearization: name.split_once("; ").map_or(ROW_MAJOR, |(_, linearization)| linearization).to_owned(),
            time: Duration::from_secs_f64(*ratio),
            ratio: *ratio,
            bytes: 8,
            differs: differs.then(|| String::from("x")),
            number: [0, number],
        };
        let rows = rows.iter().enumerate().map(ranked).collect();
        let uses = layout::alloc::<f64, layout::AoS, _>(0).unwrap().trace().observer().uses();
        Advice::new::<f64>(&[10], rows, Vec::new(), uses, noise, 7)
    }

    #[test]
    fn a_winner_is_named_where_the_gap_is_wider_than_the_noise() {
        let rows = [("AoS", 1.5, false), ("AoSoA<16>", 1.0, false), ("SoA", 1.06, false), ("Null", 0.9, true)];
        let clear = advice(0.05, &rows);
        assert_eq!(clear.best().unwrap().layout, "AoSoA<16>");
        assert_eq!(clear.equals().count(), 1);
        let text = clear.to_string();
        assert!(text.ends_with("\nthe fastest with these results:\nalloc::<f64, AoSoA<16>, _>(10)?"), "{text}");
        assert!(text.contains("  best\n") && !text.contains("too noisy") && !text.contains("simplest"), "{text}");
    }

    #[test]
    fn the_simplest_of_equals_is_taken() {
        let rows =
            [("AoSoA<16>", 1.0, false), ("SoASingle<Packed>", 1.0, false), ("SoA", 1.04, false), ("AoS", 1.05, false)];
        let near = advice(0.05, &rows);
        assert_eq!(near.best().unwrap().layout, "SoA", "of AoS and SoA the first");
        let text = near.to_string();
        assert_eq!(text.matches("too noisy to tell\n").count(), 3, "{text}");
        assert!(text.contains("  simplest\n") && !text.contains("  best\n"), "{text}");
        let last = "\ntoo noisy to tell which of 4 is the fastest; the simplest with these results:\nalloc::<f64, SoA, _>(10)?";
        assert!(text.ends_with(last), "{text}");
        // At 69 % noise, nothing that takes 1.6 times as long is known to be slower.
        let rows = [("Split<path!(R, a), SoA, AoS>", 1.0, false), ("AoS", 1.6, false), ("SoA", 1.7, false)];
        let noisy = advice(0.69, &rows);
        assert_eq!(noisy.best().unwrap().layout, "AoS");
        assert_eq!(noisy.equals().count(), 2);
    }

    #[test]
    fn linearizations_are_ranked_with_the_layouts() {
        let rows = [("SoA; Tiled<8, 8>", 1.0, false), ("AoS; ColMajor", 1.3, false), ("SoA", 1.4, false)];
        let clear = advice(0.05, &rows);
        assert_eq!(clear.best().unwrap().linearization, "Tiled<8, 8>");
        assert_eq!(clear.line().unwrap(), "View::zeroed(Mapped::<f64, _, SoA, Tiled<8, 8>>::new(extents!(dyn 10))?)?");
        let text = clear.to_string();
        assert!(text.contains("\nSoA, Tiled<8, 8>  ") && text.contains("\nAoS, ColMajor     "), "{text}");
        // Of equals, row-major order is the simplest, and then the name with fewer words.
        assert_eq!(advice(0.5, &rows).line().unwrap(), "alloc::<f64, SoA, _>(10)?");
        assert_eq!(advice(0.5, &rows[..2]).best().unwrap().linearization, "ColMajor");
    }

    #[test]
    fn units() {
        assert_eq!(duration(Duration::from_nanos(1500)), "1.500 us");
        assert_eq!(duration(Duration::from_nanos(15)), "15.0 ns");
        assert_eq!(duration(Duration::from_millis(2345)), "2.345 s");
        assert_eq!([bytes(999), bytes(4 << 20), bytes(0)], ["999 B", "4096.0 KiB", "0 B"]);
    }
}
