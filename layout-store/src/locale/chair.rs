//! The chair: the part of locale 0 that tells all locales why they cannot go on. `council.rs` describes the protocol.

use core::mem::{replace, take};
use core::ops::Range;

use super::control::{Control, Counts, End, Stand, Still};
use super::council::Out;
use super::history::{Parting, Trail, first_difference};

/// The knowledge of locale 0 about the others.
#[derive(Clone, Debug)]
pub(super) struct Chair {
    /// The latest report of each locale, unless that locale went on.
    reports: Vec<Option<Still>>,
    /// The number of the latest report of each locale; earlier reports may come later.
    latest: Vec<u64>,
    /// The number of reports, and the sums of their counts.
    standing: usize,
    sums: Counts,
    /// The number of the latest question to all locales.
    round: u64,
    phase: Phase,
    /// `true` if no report and no question is newer than the latest reminder.
    patient: bool,
}

/// The answers for which the chair waits.
#[derive(Clone, Debug)]
enum Phase {
    None,
    /// The number of locales that have not yet confirmed their reports.
    Confirms(usize),
    /// The latest operations of all locales; `quiet` if all stand still.
    Recalls {
        trails: Vec<Option<Trail>>,
        quiet: bool,
    },
    /// The texts of both operations.
    Quotes {
        parting: Parting,
        texts: [Option<String>; 2],
    },
}

impl Chair {
    pub(super) fn new(locales: usize) -> Self {
        Self {
            reports: vec![None; locales],
            latest: vec![0; locales],
            standing: 0,
            sums: Counts::default(),
            round: 0,
            phase: Phase::None,
            patient: false,
        }
    }

    fn ask_all(&mut self, phase: Phase, out: &mut Out, question: fn(u64) -> Control) {
        self.round += 1;
        self.phase = phase;
        self.patient = false;
        out.extend((0..self.reports.len()).map(|locale| (locale, question(self.round))));
    }

    /// Keeps a report, or forgets the report of a locale that went on.
    fn set(&mut self, locale: usize, report: Option<Still>) {
        self.patient = false;
        self.standing += usize::from(report.is_some());
        let new = report.as_ref().map(|still| still.counts).unwrap_or_default();
        let old = replace(&mut self.reports[locale], report);
        self.standing -= usize::from(old.is_some());
        let old = old.map(|still| still.counts).unwrap_or_default();
        let sum = |sum: u64, new: u64, old: u64| sum.wrapping_add(new).wrapping_sub(old);
        self.sums.sent = sum(self.sums.sent, new.sent, old.sent);
        self.sums.received = sum(self.sums.received, new.received, old.received);
    }

    /// A locale reports that it stands still.
    pub(super) fn still(&mut self, from: usize, still: Still, out: &mut Out) {
        let known = self.latest[from];
        // A report that was forgotten and is repeated is still true, or its locale will not confirm it.
        if still.report < known || still.report == known && self.reports[from].is_some() {
            return;
        }
        self.latest[from] = still.report;
        self.set(from, Some(still));
        // The locale had been told to go on, if all seemed to stand still.
        if let Phase::Recalls { quiet, .. } = &mut self.phase {
            *quiet = false;
        }
        self.consider(out);
    }

    /// Asks whether all locales stand still, if it seems so.
    fn consider(&mut self, out: &mut Out) {
        if !matches!(self.phase, Phase::None | Phase::Confirms(_)) {
            return;
        }
        // Earlier questions were about other reports.
        self.phase = Phase::None;
        if self.is_even() {
            self.confirm(out);
        }
    }

    /// Asks whether all locales stand still, if all reported it.
    fn confirm(&mut self, out: &mut Out) {
        let locales = self.reports.len();
        if self.standing == locales {
            self.ask_all(Phase::Confirms(locales), out, |round| Control::Confirm { round });
        }
    }

    /// Returns `true` if as many messages came as were sent.
    fn is_even(&self) -> bool {
        self.sums.sent == self.sums.received
    }

    /// Asks again if all locales stood still since the last reminder: a message for which they wait, or an answer, may be lost.
    pub(super) fn ask_again(&mut self, out: &mut Out) {
        if !replace(&mut self.patient, true) {
            return;
        }
        match self.phase {
            Phase::None | Phase::Confirms(_) => self.confirm(out),
            Phase::Recalls { quiet, .. } => self.recall(quiet, out),
            Phase::Quotes { parting, .. } => quote(&parting, out),
        }
    }

    /// A locale confirms a report; returns whether the locales wait for a message that never comes.
    pub(super) fn confirmed(&mut self, from: usize, round: u64, report: Option<u64>, out: &mut Out) -> bool {
        let Phase::Confirms(left) = &mut self.phase else { return false };
        let Some(known) = self.reports[from].as_ref().filter(|_| round == self.round) else { return false };
        if report == Some(known.report) {
            *left -= 1;
            return *left == 0 && self.quiet(out);
        }
        self.phase = Phase::None;
        if report.is_none() {
            // The locale will report again if it stands still again.
            self.set(from, None);
        }
        false
    }

    /// All locales stand still; returns whether they wait for a message that never comes.
    fn quiet(&mut self, out: &mut Out) -> bool {
        let mut at = self.reports.iter().flatten().map(|still| still.at);
        let first = at.next();
        if at.all(|at| Some(at) == first) {
            return self.is_lost(false, out);
        }
        self.recall(true, out);
        false
    }

    fn recall(&mut self, quiet: bool, out: &mut Out) {
        let trails = vec![None; self.reports.len()];
        self.ask_all(Phase::Recalls { trails, quiet }, out, |round| Control::Recall { round });
    }

    /// A message showed that programs differ.
    pub(super) fn differs(&mut self, out: &mut Out) {
        if matches!(self.phase, Phase::None | Phase::Confirms(_)) {
            self.recall(false, out);
        }
    }

    /// A locale tells its latest operations; returns whether the locales wait for a message that never comes.
    pub(super) fn recalled(&mut self, from: usize, trail: Trail, out: &mut Out) -> bool {
        let Phase::Recalls { trails, quiet } = &mut self.phase else { return false };
        trails[from] = Some(trail);
        if trails.iter().any(Option::is_none) {
            return false;
        }
        let (trails, quiet): (Vec<_>, _) = (take(trails).into_iter().flatten().collect(), *quiet);
        let at_fence = |still: &Still| still.stand == Stand::Fence;
        // If a message is missing, a locale may be at a fence that others have passed.
        let equal = quiet && self.is_even() && self.reports.iter().flatten().all(at_fence);
        if let Some(parting) = first_difference(&trails, equal) {
            self.phase = Phase::Quotes { parting, texts: [None, None] };
            quote(&parting, out);
        } else if quiet {
            return self.is_lost(true, out);
        } else {
            self.phase = Phase::None;
            out.extend(
                (0..self.reports.len()).map(|locale| (locale, Control::Resume { round: self.round, in_vain: None })),
            );
            self.consider(out);
        }
        false
    }

    /// Tells programs that wait while they use elements that they wait for themselves, and tells all locales to go on if they were asked
    /// for their operations. Returns `true` if there is no such program, or a message that was sent did not come.
    fn is_lost(&mut self, asked: bool, out: &mut Out) -> bool {
        let report = |still: &Still| (still.stand == Stand::Uses).then_some(still.report);
        let uses: Vec<_> = self.reports.iter().flatten().map(report).collect();
        if uses.iter().all(Option::is_none) || !self.is_even() {
            return true;
        }
        for (locale, in_vain) in uses.into_iter().enumerate() {
            if in_vain.is_some() {
                self.set(locale, None);
            }
            if in_vain.is_some() || asked {
                out.push((locale, Control::Resume { round: self.round, in_vain }));
            }
        }
        self.phase = Phase::None;
        false
    }

    /// The state of all locales: ranges of locales in the same state, with the report of one of them.
    pub(super) fn stands(&self) -> Vec<(Range<usize>, &Still)> {
        let mut stands: Vec<(Range<usize>, &Still)> = Vec::new();
        for (locale, still) in self.reports.iter().flatten().enumerate() {
            match stands.last_mut() {
                Some((locales, before)) if (before.at, before.stand) == (still.at, still.stand) => locales.end += 1,
                _ => stands.push((locale..locale + 1, still)),
            }
        }
        stands
    }

    /// A locale tells the text of an operation; returns the reason why nobody can go on, when both texts are known.
    pub(super) fn quoted(&mut self, from: usize, text: String) -> Option<End> {
        let Phase::Quotes { parting, texts } = &mut self.phase else { return None };
        let place = parting.at.iter().position(|(locale, _)| *locale == from)?;
        texts[place] = Some(text);
        let [Some(one), Some(other)] = &*texts else { return None };
        let Parting { at: [(first, number), (second, beside)], exact } = *parting;
        let did = Box::new([one.clone(), other.clone()]);
        Some(End::Diverged { operation: number.min(beside), exact, locales: [first, second], did })
    }
}

/// Asks two locales for the texts of their operations.
fn quote(parting: &Parting, out: &mut Out) {
    out.extend(parting.at.map(|(locale, number)| (locale, Control::Quote { number })));
}
