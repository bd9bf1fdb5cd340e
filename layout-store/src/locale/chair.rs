//! What locale 0 does so that all locales hear why they cannot go on. `council.rs` says how it knows.

use core::mem::{replace, take};

use super::control::{Control, Counts, End, Stand, Still};
use super::council::Out;
use super::history::{Parting, Trail, first_difference};

/// What locale 0 knows of the others.
#[derive(Clone, Debug)]
pub(super) struct Chair {
    /// The latest report of each locale, unless that locale went on.
    reports: Vec<Option<Still>>,
    /// The number of the latest report of each locale: earlier ones may come later.
    latest: Vec<u64>,
    /// How many reports there are, and the sums of their counts.
    standing: usize,
    sums: Counts,
    /// The number of the latest question to all.
    round: u64,
    phase: Phase,
}

/// What answers are waited for.
#[derive(Clone, Debug)]
enum Phase {
    None,
    /// So many locales have not said yet whether their reports are still true.
    Confirms(usize),
    /// The latest operations of all; `quiet` if all stand still.
    Recalls {
        trails: Vec<Option<Trail>>,
        quiet: bool,
    },
    /// The words for both operations.
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
        }
    }

    fn ask_all(&mut self, phase: Phase, out: &mut Out, question: fn(u64) -> Control) {
        self.round += 1;
        self.phase = phase;
        out.extend((0..self.reports.len()).map(|locale| (locale, question(self.round))));
    }

    /// Keeps a report, or forgets that of a locale that went on.
    fn set(&mut self, locale: usize, report: Option<Still>) {
        self.standing += usize::from(report.is_some());
        let new = report.as_ref().map(|still| still.counts).unwrap_or_default();
        let old = replace(&mut self.reports[locale], report);
        self.standing -= usize::from(old.is_some());
        let old = old.map(|still| still.counts).unwrap_or_default();
        let sum = |sum: u64, new: u64, old: u64| sum.wrapping_add(new).wrapping_sub(old);
        self.sums.sent = sum(self.sums.sent, new.sent, old.sent);
        self.sums.received = sum(self.sums.received, new.received, old.received);
    }

    /// A locale stands still.
    pub(super) fn still(&mut self, from: usize, still: Still, out: &mut Out) {
        if still.report <= self.latest[from] {
            return;
        }
        self.latest[from] = still.report;
        self.set(from, Some(still));
        self.consider(out);
    }

    /// Asks whether all stand still, if it looks like that.
    fn consider(&mut self, out: &mut Out) {
        if !matches!(self.phase, Phase::None | Phase::Confirms(_)) {
            return;
        }
        // Whatever was asked was asked of other reports.
        self.phase = Phase::None;
        let locales = self.reports.len();
        if self.standing == locales && self.sums.sent == self.sums.received {
            self.ask_all(Phase::Confirms(locales), out, |round| Control::Confirm { round });
        }
    }

    /// A locale says which report of its is still true.
    pub(super) fn confirmed(&mut self, from: usize, round: u64, report: Option<u64>, out: &mut Out) {
        let Phase::Confirms(left) = &mut self.phase else { return };
        let Some(known) = self.reports[from].as_ref().filter(|_| round == self.round) else { return };
        if report == Some(known.report) {
            *left -= 1;
            if *left == 0 {
                self.quiet(out);
            }
            return;
        }
        self.phase = Phase::None;
        if report.is_none() {
            // It will report again, if it stands still again.
            self.set(from, None);
        }
    }

    /// All stand still.
    fn quiet(&mut self, out: &mut Out) {
        let mut at = self.reports.iter().flatten().map(|still| still.at);
        let first = at.next();
        if at.all(|at| Some(at) == first) {
            self.tell_all_in_vain(false, out);
        } else {
            self.recall(true, out);
        }
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

    /// A locale says what it did.
    pub(super) fn recalled(&mut self, from: usize, trail: Trail, out: &mut Out) {
        let Phase::Recalls { trails, quiet } = &mut self.phase else { return };
        trails[from] = Some(trail);
        if trails.iter().any(Option::is_none) {
            return;
        }
        let (trails, quiet): (Vec<_>, _) = (take(trails).into_iter().flatten().collect(), *quiet);
        let at_fence = |still: &Still| still.stand == Stand::Fence;
        let equal = quiet && self.reports.iter().flatten().all(at_fence);
        if let Some(parting) = first_difference(&trails, equal) {
            self.phase = Phase::Quotes { parting, texts: [None, None] };
            out.extend(parting.at.map(|(locale, number)| (locale, Control::Quote { number })));
        } else if quiet {
            self.tell_all_in_vain(true, out);
        } else {
            self.phase = Phase::None;
            out.extend(
                (0..self.reports.len()).map(|locale| (locale, Control::Resume { round: self.round, in_vain: false })),
            );
            self.consider(out);
        }
    }

    /// Tells programs that they wait for themselves: those that use elements meanwhile, if there are any. All are told to
    /// go on if they were asked for what they did.
    fn tell_all_in_vain(&mut self, asked: bool, out: &mut Out) {
        let stands: Vec<_> = self.reports.iter().flatten().map(|still| still.stand).collect();
        let told = if stands.contains(&Stand::Uses) { Stand::Uses } else { Stand::Waits };
        for (locale, stand) in stands.into_iter().enumerate() {
            let in_vain = stand == told;
            if in_vain {
                self.set(locale, None);
            }
            if in_vain || asked {
                out.push((locale, Control::Resume { round: self.round, in_vain }));
            }
        }
        self.phase = Phase::None;
    }

    /// A locale says what an operation was; gives why nobody can go on, once both are known.
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
