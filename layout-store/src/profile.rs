//! What ran, under which name, for how long.

use core::fmt;
use core::time::Duration;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use crate::point::Point;
use crate::runtime::{Inner, Runtime};
use crate::sync::Mutex;
use crate::task::Launched;

/// What ran on one locale; see [`Runtime::profile`].
///
/// Shown, it is a table, what took longest first.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    locale: usize,
    entries: Vec<ProfileEntry>,
    events: Vec<Event>,
    dropped: usize,
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
    /// How many launches had an argument whose neighbours along the last dimension are not neighbours in memory: kernels
    /// are not vectorised there.
    pub strided: usize,
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

/// Keeps the profile of a runtime that was built to have one.
pub(crate) struct Recorder {
    /// The same on all locales.
    origin: Instant,
    recorded: Mutex<Recorded>,
}

#[derive(Default)]
struct Recorded {
    profile: Profile,
    ranges: Arc<[String]>,
    /// Where the entry of a range and a task is.
    numbers: HashMap<(Arc<[String]>, String), usize>,
}

/// So many points are kept one by one, of about 100 bytes each.
const MOST_EVENTS: usize = 1 << 20;

impl Recorder {
    pub(crate) fn new(origin: Instant, locale: usize) -> Arc<Self> {
        let profile = Profile { locale, ..Profile::default() };
        Arc::new(Self { origin, recorded: Mutex::new(Recorded { profile, ..Recorded::default() }) })
    }

    /// The number of the entry for a task that is launched now.
    pub(crate) fn entry(&self, task: &str) -> usize {
        let mut recorded = self.recorded.lock();
        let key = (recorded.ranges.clone(), task.to_owned());
        let next = recorded.numbers.len();
        let number = *recorded.numbers.entry(key).or_insert(next);
        if number == next {
            let range = recorded.ranges.clone();
            recorded.profile.entries.push(ProfileEntry {
                range,
                task: task.to_owned(),
                launches: 0,
                points: 0,
                busy: Duration::ZERO,
                exchanged: 0,
                strided: 0,
                single: String::new(),
            });
        }
        number
    }

    /// Takes note of a launch.
    pub(crate) fn launched(&self, number: usize, launched: &Launched, strided: bool) {
        let entry = &mut self.recorded.lock().profile.entries[number];
        entry.launches += 1;
        entry.exchanged += launched.exchanged();
        entry.strided += usize::from(strided);
        if let Some(single) = launched.single() {
            entry.single = single.to_string();
        }
    }

    /// Takes note of a point that ran from `start` until now, on this thread.
    pub(crate) fn ran(&self, entry: usize, point: Point, start: Instant) {
        let time = start.elapsed();
        let start = start.duration_since(self.origin);
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut recorded = self.recorded.lock();
        let profile = &mut recorded.profile;
        profile.entries[entry].points += 1;
        profile.entries[entry].busy += time;
        if profile.events.len() < MOST_EVENTS {
            profile.events.push(Event { entry, point, thread, start, time });
        } else {
            profile.dropped += 1;
        }
    }

    fn profile(&self) -> Profile {
        self.recorded.lock().profile.clone()
    }

    /// Opens a range, and gives the ranges that were open before.
    fn open(&self, name: String) -> Arc<[String]> {
        let ranges = &mut self.recorded.lock().ranges;
        let opened = ranges.iter().cloned().chain([name]).collect();
        core::mem::replace(ranges, opened)
    }
}

/// A part of a program whose launches are counted under its name, until it is dropped; see [`Runtime::range`].
#[must_use = "a range ends when it is dropped"]
pub struct ProfileRange<'r> {
    runtime: &'r Inner,
    before: Arc<[String]>,
}

impl Runtime {
    /// Counts launches under this name from now on, until the result is dropped; inside the ranges that are open already.
    ///
    /// A launch belongs to the range in which it is launched, whenever it runs. Without [`Builder::profile`](crate::Builder::profile) nothing is
    /// counted.
    pub fn range(&self, name: impl Into<Cow<'static, str>>) -> ProfileRange<'_> {
        let recorder = self.inner.recorder.as_ref();
        let before = recorder.map(|recorder| recorder.open(name.into().into_owned())).unwrap_or_default();
        ProfileRange { runtime: &self.inner, before }
    }

    /// What ran on this locale until now; nothing, unless the runtime was built with [`Builder::profile`](crate::Builder::profile).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store, read, write};
    ///
    /// let rt = Runtime::builder().threads(1).pieces(4).min_chunk(1).profile(true).build()?;
    /// let a: Store<i64, _> = rt.create([8, 8])?;
    /// let b: Store<i64, _> = rt.create([8, 8])?;
    /// {
    ///     let _range = rt.range("set up");
    ///     rt.task("ones").args((write(&a),)).launch(|_, (mut a,)| a.fill(1))?;
    /// }
    /// let across = b.transpose([1, 0])?;
    /// rt.task("turn").args((read(&a), write(&across))).align_all().launch(|_, (a, mut b)| Ok(b.copy_from(&a)?))?;
    /// rt.fence()?;
    /// let profile = rt.profile();
    /// let [ones, turn] = profile.entries() else { panic!("two tasks") };
    /// assert_eq!((&*ones.range, &*ones.task, ones.launches, ones.points), (&["set up".to_owned()][..], "ones", 1, 4));
    /// assert_eq!((ones.strided, turn.strided), (0, 1)); // `across` is transposed
    /// assert!(profile.to_string().starts_with("range   task  launches  points"));
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.inner.recorder.as_ref().map_or_else(Profile::default, |recorder| recorder.profile())
    }
}

impl Drop for ProfileRange<'_> {
    fn drop(&mut self) {
        if let Some(recorder) = &self.runtime.recorder {
            recorder.recorded.lock().ranges = self.before.clone();
        }
    }
}

impl Profile {
    /// Tasks by range, in the order of their first launches.
    #[must_use]
    pub fn entries(&self) -> &[ProfileEntry] {
        &self.entries
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
    /// let profiles = builder.run(|rt| {
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
            ["range", "task", "launches", "points", "busy ms", "bytes sent", "strided", "single"].map(str::to_owned),
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
                entry.single.clone(),
            ]
        }));
        let widths: Vec<usize> =
            (0..7).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
        for row in rows {
            let mut line = String::new();
            for (column, (text, width)) in row.iter().zip(&widths).enumerate() {
                // Names to the left, numbers to the right.
                line += &if column < 2 { format!("{text:<width$}  ") } else { format!("{text:>width$}  ") };
            }
            line += &row[7];
            writeln!(f, "{}", line.trim_end())?;
        }
        if self.dropped > 0 {
            writeln!(f, "{} more points are counted here, and not in the trace", self.dropped)?;
        }
        Ok(())
    }
}
