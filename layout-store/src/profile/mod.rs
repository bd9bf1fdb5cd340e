//! What ran, under which name, for how long.

mod recorder;

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

pub(crate) use recorder::Recorder;

use crate::geometry::Point;

/// What ran on one locale; see [`Runtime::profile`](crate::Runtime::profile).
///
/// Shown, it is a table, what took longest first.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    locale: usize,
    entries: Vec<ProfileEntry>,
    events: Vec<Event>,
    dropped: usize,
    times: ProfileTimes,
}

/// Where the time of one locale went. The first four rows are the program's, and add up to the time on the clock; the others are
/// those of the threads that run tasks, and add up to that times their number. With 0 threads, the program has all rows, and `idle` is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileTimes {
    /// The time since the runtime was built.
    pub wall: Duration,
    /// The number of threads that run tasks.
    pub threads: usize,
    /// The program did something else than to launch or wait.
    pub program: Duration,
    /// The program launched tasks: constraints were solved, plans made, and nodes put into the graph.
    pub plan: Duration,
    /// The program waited for what the values of functions point to, which tasks named `image` find.
    pub image: Duration,
    /// The program waited: for elements, values, fences, or for tasks to catch up.
    pub wait: Duration,
    /// Threads ran points of launches, with all that is around the task body.
    pub body: Duration,
    /// Threads sent elements and contributions, and received some.
    pub exchange: Duration,
    /// Threads combined contributions, values, or what was emitted.
    pub combine: Duration,
    /// Threads had nothing to run.
    pub idle: Duration,
}

/// The launches of one task in one range.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileEntry {
    /// The names of the ranges that were open, outermost first.
    pub range: Arc<[String]>,
    /// The name of the task.
    pub task: String,
    /// How often it was launched.
    pub launches: usize,
    /// How many of its points ran on this locale, until now.
    pub points: usize,
    /// How long they ran, together.
    pub busy: Duration,
    /// The bytes of elements that all locales together sent each other for it.
    pub exchanged: u64,
    /// How many launches were planned: what their points get, what locales send each other, where it lies. All others were like one
    /// of the last few launches, whose plan was taken.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store, bloat, read, write};
    ///
    /// let rt = Runtime::builder().pieces(4).min_chunk(1).profile(true).build()?;
    /// let [mut from, mut to]: [Store<f64, _>; 2] = [rt.create(100)?, rt.create(100)?];
    /// from.fill(1.0)?;
    /// for _ in 0..10 {
    ///     let step = rt.task("step").args((read(&from), write(&to)));
    ///     step.constrain(|(from, to)| [bloat(to, from, [1], [1])]).launch(|_, _| ())?;
    ///     core::mem::swap(&mut from, &mut to);
    /// }
    /// let step = rt.profile().entries().iter().find(|entry| entry.task == "step").map(|entry| (entry.launches, entry.planned));
    /// assert!(step.is_some_and(|(launches, planned)| launches == 10 && planned <= 3));
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub planned: usize,
    /// How many launches had an argument whose neighbours along the last dimension are not neighbours in memory: kernels
    /// are not vectorised there.
    pub strided: usize,
    /// The bytes of tiles that points on this locale got in other memory, until now, since that of the store has another
    /// [order](crate::Read::ordered) of dimensions.
    pub relaid: u64,
    /// Why the newest of those launches ran as one task that did; empty if none did.
    pub single: String,
}

/// One point.
#[derive(Clone, Debug)]
struct Event {
    entry: usize,
    point: Point,
    thread: usize,
    start: Duration,
    time: Duration,
}

impl Profile {
    /// Tasks by range, in the order of their first launches.
    #[must_use]
    pub fn entries(&self) -> &[ProfileEntry] {
        &self.entries
    }

    /// Where the time of the locale went.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::builder().threads(2).profile(true).build()?;
    /// let store: Store<i64, _> = rt.create(1000)?;
    /// store.fill(1)?;
    /// rt.fence()?;
    /// let times = rt.profile().times();
    /// assert_eq!(times.program + times.plan + times.image + times.wait, times.wall);
    /// assert_eq!(times.body + times.exchange + times.combine + times.idle, 2 * times.wall);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    #[must_use]
    pub fn times(&self) -> ProfileTimes {
        self.times
    }

    /// The same profile with these times.
    pub(crate) fn with(mut self, times: ProfileTimes) -> Self {
        self.times = times;
        self
    }

    /// When each point ran, of one locale or several, in the JSON format of trace events, which browsers and Perfetto show: a
    /// process for each locale, a row for each thread.
    ///
    /// Of one locale, the first 1,048,576 points are in there.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Profile, Runtime};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1).pieces(4).profile(true);
    /// let profiles = builder.simulate(|rt| {
    ///     rt.task("nothing").over([4])?.launch(|_, ()| ())?;
    ///     rt.fence()?;
    ///     Ok::<_, layout_store::StoreError>(rt.profile())
    /// })?;
    /// let profiles: Vec<Profile> = profiles.into_iter().collect::<Result<_, _>>()?;
    /// assert_eq!(Profile::trace(&profiles).matches(r#""name":"nothing""#).count(), 4);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    #[must_use]
    pub fn trace<'p>(profiles: impl IntoIterator<Item = &'p Self>) -> String {
        let mut text = String::from("[");
        for profile in profiles {
            for Event { entry, point, thread, start, time } in &profile.events {
                let ProfileEntry { range, task, .. } = &profile.entries[*entry];
                let separator = if text.len() == 1 { "\n" } else { ",\n" };
                text += &format!(
                    r#"{separator}{{"name":{},"cat":{},"ph":"X","ts":{:.3},"dur":{:.3},"pid":{},"tid":{thread},"args":{{"point":"{point}"}}}}"#,
                    json(task),
                    json(&range.join(" / ")),
                    start.as_secs_f64() * 1e6,
                    time.as_secs_f64() * 1e6,
                    profile.locale,
                );
            }
        }
        text + "\n]\n"
    }
}

/// A string in JSON.
fn json(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if u32::from(c) < 0x20 => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut entries: Vec<&ProfileEntry> = self.entries.iter().collect();
        entries.sort_by_key(|entry| core::cmp::Reverse(entry.busy));
        let mut rows = vec![
            ["range", "task", "launches", "points", "busy ms", "bytes sent", "strided", "bytes relaid", "single"]
                .map(str::to_owned),
        ];
        rows.extend(entries.iter().map(|entry| {
            [
                entry.range.join(" / "),
                entry.task.clone(),
                entry.launches.to_string(),
                entry.points.to_string(),
                format!("{:.3}", entry.busy.as_secs_f64() * 1e3),
                entry.exchanged.to_string(),
                entry.strided.to_string(),
                entry.relaid.to_string(),
                entry.single.clone(),
            ]
        }));
        let widths: Vec<usize> =
            (0..8).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
        for row in rows {
            let mut line = String::new();
            for (column, (text, width)) in row.iter().zip(&widths).enumerate() {
                // Names to the left, numbers to the right.
                line += &if column < 2 { format!("{text:<width$}  ") } else { format!("{text:>width$}  ") };
            }
            line += &row[8];
            writeln!(f, "{}", line.trim_end())?;
        }
        let times = &self.times;
        let rows = [
            (
                "program",
                [("program", times.program), ("plan", times.plan), ("image", times.image), ("wait", times.wait)],
            ),
            (
                "threads",
                [("body", times.body), ("exchange", times.exchange), ("combine", times.combine), ("idle", times.idle)],
            ),
        ];
        for (who, rows) in rows {
            let sum: Duration = rows.iter().map(|(_, time)| *time).sum();
            write!(f, "{who}, ms: {:.3}", sum.as_secs_f64() * 1e3)?;
            for (number, (row, time)) in rows.iter().enumerate() {
                write!(f, "{} {row} {:.3}", if number == 0 { " =" } else { " +" }, time.as_secs_f64() * 1e3)?;
            }
            writeln!(f)?;
        }
        if self.dropped > 0 {
            writeln!(f, "{} more points are counted here, and not in the trace", self.dropped)?;
        }
        Ok(())
    }
}
