//! What the advisor says.

use core::fmt;
use core::time::Duration;

use layout_core::{Record, Uses, ViewError};

use crate::names::short;

/// Layouts, ranked; shown as a table.
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

/// A layout in a ranking.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ranked {
    /// The layout, as it is written.
    pub layout: &'static str,
    /// The time of a run of the kernel: a quarter of the rounds took less.
    pub time: Duration,
    /// How much longer than in the fastest layout a run takes.
    pub ratio: f64,
    /// The bytes that a view in this layout allocates.
    pub bytes: usize,
    /// The first leaf of which a value is another than in the layout of the data; `None` if all are the same, bit for
    /// bit.
    pub differs: Option<String>,
}

/// A layout that cannot hold the data.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refused {
    /// The layout, as it is written.
    pub layout: &'static str,
    /// Why.
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

    /// The layouts of the list that cannot hold the data.
    #[must_use]
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// The fastest layout in which the kernel computes what it does in that of the data.
    #[must_use]
    pub fn best(&self) -> Option<&Ranked> {
        self.ranking.iter().find(|row| row.differs.is_none())
    }

    /// Whether the time of a layout differs from that of the [best](Self::best) one by less than can be told.
    #[must_use]
    pub fn is_within_noise(&self, row: &Ranked) -> bool {
        self.best().is_some_and(|best| (row.ratio / best.ratio - 1.0).abs() <= self.noise)
    }

    /// How far times differ that should be equal, as a fraction: those of one layout in two places, and of one half of the
    /// rounds and the other.
    #[must_use]
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// How often each leaf is used in a run.
    #[must_use]
    pub fn uses(&self) -> &Uses {
        &self.uses
    }

    /// The Rust text that allocates a view in the [best](Self::best) layout.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        let extents = match self.extents[..] {
            [extent] => extent.to_string(),
            _ => format!("{:?}", self.extents),
        };
        self.best().map(|best| format!("alloc::<{}, {}, _>({extents})?", self.record, best.layout))
    }
}

/// A time, with a unit that suits it.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        1.0.. => format!("{seconds:.3} s"),
        1e-3.. => format!("{:.3} ms", seconds * 1e3),
        1e-6.. => format!("{:.3} us", seconds * 1e6),
        _ => format!("{:.1} ns", seconds * 1e9),
    }
}

/// A number of bytes, with a unit that suits it.
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
        for row in &self.ranking {
            let ratio = if row.ratio < 9.995 { format!("{:.2}", row.ratio) } else { format!("{:.1}", row.ratio) };
            let results = row.differs.as_ref().map_or(String::from("same"), |what| format!("{what} differs"));
            let best = self.best().is_some_and(|best| core::ptr::eq(best, row));
            let remark = match () {
                () if best => "best",
                () if self.is_within_noise(row) => "within noise of the best",
                () => "",
            };
            rows.push([row.layout.into(), duration(row.time), ratio, bytes(row.bytes), results, remark.into()]);
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(width);
        for [layout, time, ratio, memory, results, remark] in &rows {
            let line = format!("{layout:a$}  {time:>b$}  {ratio:>c$}  {memory:>d$}  {results:e$}  {remark}");
            writeln!(f, "{}", line.trim_end())?;
        }
        for Refused { layout, error } in &self.refused {
            writeln!(f, "{layout:a$}  refused: {error}")?;
        }
        let (noise, rounds) = (100.0 * self.noise, self.rounds);
        writeln!(f, "noise: equal layouts differ by {noise:.1} % ({rounds} rounds)")?;
        write!(f, "\nuses in one run:\n{}\n", self.uses)?;
        match self.line() {
            Some(line) => write!(f, "\nthe fastest with these results:\n{line}"),
            None => write!(f, "\nno layout of the list gives these results"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!(duration(Duration::from_nanos(1500)), "1.500 us");
        assert_eq!(duration(Duration::from_nanos(15)), "15.0 ns");
        assert_eq!(duration(Duration::from_millis(2345)), "2.345 s");
        assert_eq!([bytes(999), bytes(4 << 20), bytes(0)], ["999 B", "4096.0 KiB", "0 B"]);
    }
}
