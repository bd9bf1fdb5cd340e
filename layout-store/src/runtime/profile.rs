//! Profiles, of one locale and of all, and named ranges of a program.

use core::time::Duration;
use std::borrow::Cow;
use std::sync::Arc;

use super::Runtime;
use crate::error::StoreError;
use crate::graph::Row;
use crate::profile::{Profile, ProfileTimes, Recorder};

/// A named part of a program. Its launches are counted under the name until it is dropped; see [`Runtime::range`].
#[must_use = "a range ends when it is dropped"]
pub struct ProfileRange<'r> {
    recorder: Option<&'r Recorder>,
    before: Arc<[String]>,
}

impl Runtime {
    /// Counts launches under this name until the result is dropped. Ranges nest: the name is inside the ranges that are open.
    ///
    /// A launch belongs to the range in which it is launched, whenever it runs. Without [`Builder::profile`](crate::Builder::profile)
    /// nothing is counted.
    pub fn range(&self, name: impl Into<Cow<'static, str>>) -> ProfileRange<'_> {
        let recorder = self.launcher.recorder.as_deref();
        let before = recorder.map(|recorder| recorder.open(name.into().into_owned())).unwrap_or_default();
        ProfileRange { recorder, before }
    }

    /// The profile of this locale so far; empty, unless the runtime was built with [`Builder::profile`](crate::Builder::profile).
    ///
    /// With feature `tracing`, each counted time is also a span of level `DEBUG`, with the name of its row (`plan`, `image`, `wait`,
    /// `body`, `exchange`, `combine`) and the number of the locale: for subscribers, with or without a profile.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, read, write};
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
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn profile(&self) -> Profile {
        let engine = &self.launcher.locale.engine;
        let spent = |row| engine.meter.spent(row);
        let [plan, image, wait, body, exchange, combine] =
            [Row::Plan, Row::Image, Row::Wait, Row::Body, Row::Exchange, Row::Combine].map(spent);
        // Read after the times of the parts, since threads go on.
        let (Some(recorder), Some(wall)) = (&self.launcher.recorder, engine.meter.wall()) else {
            return Profile::default();
        };
        let threads = engine.threads();
        let all = wall * u32::try_from(threads).unwrap_or(u32::MAX);
        // Without threads, the program runs the tasks.
        let tasks_of_program = if threads == 0 { body + exchange + combine } else { Duration::ZERO };
        recorder.profile().with(ProfileTimes {
            wall,
            threads,
            program: wall.saturating_sub(plan + image + wait + tasks_of_program),
            plan,
            image,
            wait,
            body,
            exchange,
            combine,
            idle: all.saturating_sub(body + exchange + combine),
        })
    }

    /// Brings the profiles of all locales to locale 0, and waits for them: there, the result has one for each locale, in order, and it is
    /// empty on the other locales. All locales make the call.
    ///
    /// A profile has the points that have ended on its locale. To have them all, call [`fence`](Self::fence) before.
    ///
    /// # Errors
    ///
    /// As [`exchange`](Self::exchange).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError};
    ///
    /// let builder = Runtime::builder().locales(3).threads(1).pieces(6).min_chunk(1).profile(true);
    /// let profiles = builder.simulate(|rt| {
    ///     let x: Store<f64, _> = rt.create(600)?;
    ///     x.fill(1.0)?;
    ///     rt.fence()?;
    ///     rt.profiles()
    /// })?;
    /// let profiles = profiles.into_iter().collect::<Result<Vec<_>, StoreError>>()?;
    /// assert_eq!(profiles.iter().map(Vec::len).collect::<Vec<_>>(), [3, 0, 0]);
    /// let points = profiles[0].iter().map(|profile| profile.entries()[0].points);
    /// assert_eq!(points.sum::<usize>(), 6);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn profiles(&self) -> Result<Vec<Profile>, StoreError> {
        Ok(self.exchange(vec![vec![self.profile()]])?.into_iter().flatten().collect())
    }
}

impl Drop for ProfileRange<'_> {
    fn drop(&mut self) {
        if let Some(recorder) = self.recorder {
            recorder.close(&self.before);
        }
    }
}
