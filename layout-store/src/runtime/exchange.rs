//! Exchanges of values between all locales.

use std::sync::Arc;

use layout_core::Portable;

use super::Runtime;
use crate::error::StoreError;
use crate::graph::Engine;
use crate::partition::Placement;
use crate::sync::Mutex;
use crate::task::{Inbox, Outbox, Routed, TaskBuilder};

impl Runtime {
    /// Sends list `k` to locale `k`, and waits for the lists that the other locales send to this one: list `k` of the result is the list
    /// that locale `k` sent here. All locales make the call.
    ///
    /// Each locale sends one message to each other locale, with the values for that locale only; values for the locale itself are not sent.
    /// Missing lists are empty, and lists beyond the last locale are ignored.
    ///
    /// # Errors
    ///
    /// Returns an error if it is called from inside a task or, with several locales, from inside [`local`](Self::local), if a locale has not
    /// enough memory for the lists that it gives, or if an earlier task of the program stopped it; the same error on all locales. Lists that
    /// come count against [`memory_limit`](crate::Builder::memory_limit), and are kept beyond the limit, too.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, StoreError};
    ///
    /// let got = Runtime::builder().locales(3).threads(1).simulate(|rt| {
    ///     let here = rt.locale();
    ///     rt.exchange((0..3).map(|to| vec![format!("{here} to {to}"); to]).collect())
    /// })?;
    /// let got = got.into_iter().collect::<Result<Vec<_>, StoreError>>()?;
    /// assert_eq!(got[0], [vec![""; 0], vec![], vec![]]);
    /// assert_eq!(got[2], [["0 to 2"; 2], ["1 to 2"; 2], ["2 to 2"; 2]]);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn exchange<T>(&self, lists: Vec<Vec<T>>) -> Result<Vec<Vec<T>>, StoreError>
    where
        T: Portable + Send + Sync + 'static,
    {
        Engine::check_outside()?;
        let locale = &self.launcher.locale;
        if locale.planned.is_some() {
            return Err(StoreError::OnlyPlanned);
        }
        locale.check_scope(|| "`exchange`".to_owned(), "values", None)?;
        // There is one point for each locale, which runs on it.
        let points = [i64::try_from(locale.count).unwrap_or(i64::MAX)];
        let routed = Routed::kept_anyway(locale, Placement::each(locale.count));
        let lists = Mutex::new(lists);
        let task = |name: &'static str| TaskBuilder::new(&self.launcher, name.into()).over(points);
        task("exchange: give")?.args((Outbox(routed.clone()),)).launch(move |_, (to,)| {
            to.iter_mut().zip(lists.lock().drain(..)).for_each(|(to, list)| *to = list);
        })?;
        let taken = Arc::new(Mutex::new(Vec::new()));
        let keep = taken.clone();
        let take = task("exchange: take")?.args((Inbox(routed),));
        take.map_local(move |_, (lists,)| {
            *keep.lock() = lists;
            Ok(())
        })?
        .get()?;
        let lists = core::mem::take(&mut *taken.lock());
        Ok(lists)
    }
}
