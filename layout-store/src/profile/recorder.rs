//! The recorder of profiles.

use core::time::Duration;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::{Event, Profile, ProfileEntry};
use crate::geometry::Point;
use crate::partition::Single;
use crate::sync::{AtomicU64, Mutex, Ordering};

/// Records the profile of a runtime that was built to have one.
pub(crate) struct Recorder {
    /// The same instant on all locales.
    origin: Instant,
    recorded: Mutex<Recorded>,
}

#[derive(Default)]
struct Recorded {
    profile: Profile,
    ranges: Arc<[String]>,
    /// The counts of bytes that points of launches still send each other, and the numbers of their entries.
    sending: Vec<(usize, Arc<AtomicU64>)>,
    /// The number of the entry of a range and a task.
    numbers: HashMap<(Arc<[String]>, String), usize>,
}

/// The number of points that are recorded one by one; each takes about 100 bytes.
const MOST_EVENTS: usize = 1 << 20;

impl Recorder {
    pub(crate) fn new(origin: Instant, locale: usize) -> Arc<Self> {
        let start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(origin.elapsed());
        let profile = Profile { locale, start, ..Profile::default() };
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
                planned: 0,
                relaid: 0,
                single: String::new(),
            });
        }
        number
    }

    /// Records a launch.
    pub(crate) fn launched<'s>(
        &self,
        number: usize,
        (exchanged, mut sent): (u64, impl Iterator<Item = &'s Arc<AtomicU64>>),
        (strided, planned): (bool, bool),
        single: Option<&Single>,
    ) {
        let Recorded { profile, sending, .. } = &mut *self.recorded.lock();
        if let Some(first) = sent.next() {
            // A count without another owner does not change any more.
            sending.retain_mut(|(entry, sent)| match Arc::get_mut(sent) {
                None => true,
                Some(sent) => {
                    profile.entries[*entry].exchanged += sent.load(Ordering::Relaxed);
                    false
                }
            });
            sending.extend(core::iter::once(first).chain(sent).map(|sent| (number, sent.clone())));
        }
        let entry = &mut profile.entries[number];
        entry.launches += 1;
        entry.exchanged += exchanged;
        entry.strided += usize::from(strided);
        entry.planned += usize::from(planned);
        if let Some(single) = single {
            entry.single = single.to_string();
        }
    }

    /// Records a point that ran from `start` until now on this thread, and the bytes that were relaid for it.
    pub(crate) fn ran(&self, entry: usize, point: Point, (start, relaid): (Instant, usize)) {
        let time = start.elapsed();
        let start = start.duration_since(self.origin);
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut recorded = self.recorded.lock();
        let profile = &mut recorded.profile;
        profile.entries[entry].points += 1;
        profile.entries[entry].busy += time;
        profile.entries[entry].relaid += relaid as u64;
        if profile.events.len() < MOST_EVENTS {
            profile.events.push(Event { entry, point, thread, start, time });
        } else {
            profile.dropped += 1;
        }
    }

    pub(crate) fn profile(&self) -> Profile {
        let recorded = self.recorded.lock();
        let mut profile = recorded.profile.clone();
        for (entry, sent) in &recorded.sending {
            profile.entries[*entry].exchanged += sent.load(Ordering::Relaxed);
        }
        profile
    }

    /// Opens a range, and returns the ranges that were open before.
    pub(crate) fn open(&self, name: String) -> Arc<[String]> {
        let ranges = &mut self.recorded.lock().ranges;
        let opened = ranges.iter().cloned().chain([name]).collect();
        core::mem::replace(ranges, opened)
    }

    /// Closes the ranges that were opened since these were the open ones.
    pub(crate) fn close(&self, before: &Arc<[String]>) {
        self.recorded.lock().ranges = before.clone();
    }
}
