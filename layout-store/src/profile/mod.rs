//! Profiles: the tasks that ran, and their times.

mod recorder;
mod sent;
mod table;

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

pub(crate) use recorder::Recorder;

use crate::geometry::Point;

/// The profile of one locale; see [`Runtime::profile`](crate::Runtime::profile).
///
/// Its `Display` is the [table](Self::table) of this locale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    locale: usize,
    /// The time from the Unix epoch to the start of the runtime, by the clock of the machine.
    start: Duration,
    entries: Vec<ProfileEntry>,
    events: Vec<Event>,
    dropped: usize,
    times: ProfileTimes,
}

/// The time of one locale. The first four rows are those of the program, and their sum is the wall time. The other rows are those of the
/// threads that run tasks, and their sum is the wall time multiplied by the number of threads. With 0 threads, the program has all rows,
/// and `idle` is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileTimes {
    /// The time since the runtime was built.
    pub wall: Duration,
    /// The number of threads that run tasks.
    pub threads: usize,
    /// The program did something other than launch or wait.
    pub program: Duration,
    /// The program launched tasks: it solved constraints, made plans, and put nodes into the graph.
    pub plan: Duration,
    /// The program waited for the elements to which values point; tasks named `image` find them.
    pub image: Duration,
    /// The program waited for elements, values, fences, or for tasks to catch up.
    pub wait: Duration,
    /// Threads ran points of launches, including the work around the task body.
    pub body: Duration,
    /// Threads sent and received elements and contributions.
    pub exchange: Duration,
    /// Threads combined contributions, values, or emitted elements.
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
    /// The number of launches.
    pub launches: usize,
    /// The number of its points that ran on this locale so far.
    pub points: usize,
    /// The sum of the times of these points.
    pub busy: Duration,
    /// The bytes of elements that all locales together sent each other for the task.
    pub exchanged: u64,
    /// The number of launches that were planned: the tiles of points, the messages between locales, and the memory. Each other launch used
    /// the plan of one of the last few launches.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, bloat, read, write};
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
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub planned: usize,
    /// The number of launches with an argument whose neighbors along the last dimension are not neighbors in memory: kernels are not
    /// vectorized there.
    pub strided: usize,
    /// The bytes of tiles that points on this locale got in other memory so far, because the memory of the store has another
    /// [order](crate::Read::ordered) of dimensions.
    pub relaid: u64,
    /// The reason of the newest launch that ran as a single point; empty if there was none.
    pub single: String,
}

/// One point.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// The times of the locale.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::builder().threads(2).profile(true).build()?;
    /// let store: Store<i64, _> = rt.create(1000)?;
    /// store.fill(1)?;
    /// rt.fence()?;
    /// let times = rt.profile().times();
    /// assert_eq!(times.program + times.plan + times.image + times.wait, times.wall);
    /// assert_eq!(times.body + times.exchange + times.combine + times.idle, 2 * times.wall);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn times(&self) -> ProfileTimes {
        self.times
    }

    /// The number of the locale.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, StoreError};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1).profile(true);
    /// let profiles = builder.simulate(|rt| Ok::<_, StoreError>(rt.profile()))?;
    /// let locales: Vec<usize> = profiles.into_iter().flatten().map(|profile| profile.locale()).collect();
    /// assert_eq!(locales, [0, 1]);
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn locale(&self) -> usize {
        self.locale
    }

    /// The same profile with these times.
    pub(crate) fn with(mut self, times: ProfileTimes) -> Self {
        self.times = times;
        self
    }

    /// The times of all points, of one locale or several, in the JSON format of trace events, which browsers and Perfetto show: a process
    /// for each locale, a row for each thread.
    ///
    /// It has the first 1,048,576 points of each locale. Locales in different processes are placed by the clocks of their machines, so that
    /// their times are as near to each other as these clocks are.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Profile, Runtime};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1).pieces(4).profile(true);
    /// let profiles = builder.simulate(|rt| {
    ///     rt.task("nothing").over([4])?.launch(|_, ()| ())?;
    ///     rt.fence()?;
    ///     rt.profiles()
    /// })?;
    /// let profiles: Vec<Vec<Profile>> = profiles.into_iter().collect::<Result<_, _>>()?;
    /// let trace = Profile::trace(&profiles[0]);
    /// assert_eq!(trace.matches(r#""name":"nothing""#).count(), 4);
    /// assert!(trace.contains(r#""args":{"name":"locale 1"}"#));
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn trace<'p>(profiles: impl IntoIterator<Item = &'p Self>) -> String {
        let profiles: Vec<&Self> = profiles.into_iter().collect();
        let origin = profiles.iter().map(|profile| profile.start).min().unwrap_or_default();
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let mut events = Vec::new();
        for profile in profiles {
            let pid = profile.locale;
            events.push(format!(
                r#"{{"name":"process_name","ph":"M","pid":{pid},"tid":0,"args":{{"name":"locale {pid}"}}}}"#
            ));
            let since = profile.start.saturating_sub(origin);
            for Event { entry, point, thread, start, time } in &profile.events {
                let ProfileEntry { range, task, .. } = &profile.entries[*entry];
                events.push(format!(
                    r#"{{"name":{},"cat":{},"ph":"X","ts":{:.3},"dur":{:.3},"pid":{pid},"tid":{thread},"args":{{"point":"{point}"}}}}"#,
                    json(task),
                    json(&range.join(" / ")),
                    micros(since.saturating_add(*start)),
                    micros(*time),
                ));
            }
        }
        format!("[\n{}\n]\n", events.join(",\n"))
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
        f.write_str(&Self::table([self]))
    }
}
