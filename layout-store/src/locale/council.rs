//! The council: the messages of locales about their programs, at fences and when programs cannot go on. It is a state machine without
//! locks, threads or clocks; messages may overtake each other.
//!
//! ```text
//! fence       Up      along a tree to locale 0: all of this subtree are there, with their first error
//!             Down    back: all are there, with the first error of all
//! in vain     Still   to locale 0, from each whose program has waited for a while and where nothing runs, and again if the
//!                     number of its messages has changed
//!             Confirm, Confirmed      once all have reported, and as many messages came as were sent: is that still so?
//!             Recall, Recalled        where operations differ: the hashes of the latest ones; nobody does more meanwhile
//!             Quote, Quoted           the words for the first that differs, from two locales
//!             Resume                  nothing differs: this program waits for itself, in a closure that uses elements
//! end         End     to locale 0, and from there to all: the first one stays
//! ```
//!
//! Only a message of an operation or fence wakes a program that stands still; these messages are counted. A report says that at some moment
//! nothing ran, that this number of messages had come *before* it, with everything that they make ready, and that this number was sent
//! until *after* it. No program is accused in error:
//!
//! 1. Each locale confirms its report after locale 0 has all of them. So there is a moment, when locale 0 asked, between the report and the
//!    confirmation of each, and the counts of each were the same at both ends, and at that moment.
//! 2. Then as many messages had come as had been sent. Messages are counted before they are sent, and after they came. So none was under
//!    way, and its receiver does not count one later.
//! 3. So none came to a locale between its report and that moment: it still stood, and nobody will ever send a message again.
//!
//! If nothing differs and no program waits for itself, a message was lost. If it was one that is counted, the sums are never equal: then
//! locale 0 asks for confirmations after all have stood still for long, and 1. and 3. say that all still do. A message that is under way
//! for that long counts as lost if the answers of all locales overtake it. Messages of the council itself may be lost, too: a report is
//! repeated after the same time, and so is a question or an answer on which everything depends. Each `End` is sent again when its sender
//! leaves, since nobody can ask it later; until then, locale 0 answers with it who still reports.
//!
//! Sums of only one report each would be wrong: a locale may report, be woken by a message that was under way, and send one to another,
//! which reports later; the second message then makes up for the first one in the sums.
//!
//! With P locales, a fence takes P - 1 messages up and as many down, of 18 and 2 bytes after the header; each locale sends and receives at
//! most one for each power of two. A report has 42 bytes. Locale 0 gets a report from each locale that has stood still for
//! 20 ms, at most every 20 ms. Only if the sums are equal, it asks the other locales, in 9 bytes, and gets answers of 10 or 18 bytes. The
//! lists of the latest operations have at most 8 KiB from each locale, once in a program.

use core::fmt::Display;
use core::hash::Hash;
use core::mem::{replace, take};
use core::ops::Range;

use super::chair::Chair;
use super::control::{Control, Counts, End, Stand, Still};
use super::history::{History, Order};
use super::tree::{above, below};
use crate::graph::TaskError;

/// Messages, each with its receiver.
pub(super) type Out = Vec<(usize, Control)>;

/// The knowledge of a locale about its program and the others.
#[derive(Clone, Debug)]
pub(super) struct Council<O> {
    locale: usize,
    locales: usize,
    history: History<O>,
    fence: Fence,
    /// The messages of the locales below for the next fence.
    below: Vec<(Order, Option<TaskError>)>,
    /// The counts of messages of fences.
    counts: Counts,
    /// The latest report, while the program waits.
    report: Option<Still>,
    reports: u64,
    /// `true` if the program must be told that it waits for itself.
    in_vain: bool,
    /// The question since which the program has stopped.
    held: Option<u64>,
    /// `true` if locale 0 was told that a message differs, and has not answered.
    complained: bool,
    end: Option<End>,
    /// The locales to which this one told the end.
    told: Range<usize>,
    /// `true` if the program has ended, and nothing more is sent.
    left: bool,
    chair: Option<Chair>,
}

/// The progress of the program through a fence.
#[derive(Clone, Debug)]
enum Fence {
    Away,
    /// The program is at the fence, with the first error of its tasks; others of its subtree are not.
    Here(Option<TaskError>),
    /// All of its subtree are at the fence.
    Told,
    /// All locales are at the fence.
    Passed(Option<TaskError>),
}

impl<O: Hash + Display> Council<O> {
    pub(super) fn new(locale: usize, locales: usize) -> Self {
        Self {
            locale,
            locales,
            history: History::new(),
            fence: Fence::Away,
            below: Vec::new(),
            counts: Counts::default(),
            report: None,
            reports: 0,
            in_vain: false,
            held: None,
            complained: false,
            end: None,
            told: 0..0,
            left: false,
            chair: (locale == 0).then(|| Chair::new(locales)),
        }
    }

    /// Records the beginning of the program.
    pub(super) fn begin(&mut self, begun: O) {
        self.history.begin(begun);
    }

    /// Records the next operation of the program, which is neither held nor ended.
    pub(super) fn operate(&mut self, operation: O) -> Order {
        self.history.push(operation)
    }

    /// The text of the latest operation.
    pub(super) fn latest(&self) -> String {
        self.history.text(self.history.last().number)
    }

    /// Returns `true` if the program has to wait before its next operation.
    pub(super) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// The reason why no locale can go on.
    pub(super) fn ended(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Returns `true` if the program waits in vain.
    pub(super) fn is_told(&self) -> bool {
        self.in_vain || self.end.is_some()
    }

    /// The program is at a fence, where all nodes of this locale are done, with the first error of its tasks.
    pub(super) fn meet(&mut self, fault: Option<TaskError>, out: &mut Out) {
        if self.end.is_none() {
            self.fence = Fence::Here(fault);
            self.rise(out);
        }
    }

    /// The first error of all locales, when all are at the fence; returned once.
    pub(super) fn passed(&mut self) -> Option<Option<TaskError>> {
        match replace(&mut self.fence, Fence::Away) {
            Fence::Passed(fault) => Some(fault),
            fence => {
                self.fence = fence;
                None
            }
        }
    }

    /// The program waits, and nothing can run here. `counts` has the messages of operations that came until just before this was seen, and
    /// those that were sent until now. Returns `true` if the same was reported before.
    pub(super) fn still(&mut self, stand: Stand, counts: Counts, out: &mut Out) -> bool {
        let all = self.all(counts);
        let passes = stand == Stand::Fence && matches!(self.fence, Fence::Passed(_));
        if passes || self.is_told() {
            return false;
        }
        if self.report.as_ref().is_some_and(|report| report.counts == all) {
            return true;
        }
        self.reports += 1;
        let report = Still { report: self.reports, at: self.history.last(), stand, counts: all };
        out.push((0, Control::Still(report.clone())));
        self.report = Some(report);
        self.settle(counts, out);
        false
    }

    /// The program has stood still, or was held, for long: repeats the report and the questions.
    pub(super) fn remind(&mut self, counts: Counts, out: &mut Out) {
        if self.is_told() {
            return;
        }
        out.extend(self.report.clone().map(|report| (0, Control::Still(report))));
        // The message that lets it go on may be lost.
        out.extend(self.held.map(|_| (0, Control::Differs)));
        if let Some(chair) = &mut self.chair {
            chair.ask_again(out);
        }
        self.settle(counts, out);
    }

    /// The program no longer waits; returns whether the reason is that it waits for itself.
    pub(super) fn go_on(&mut self) -> bool {
        self.report = None;
        take(&mut self.in_vain)
    }

    /// A message came from another operation than the one of this locale.
    pub(super) fn differs(&mut self, counts: Counts, out: &mut Out) {
        if !replace(&mut self.complained, true) && self.end.is_none() {
            out.push((0, Control::Differs));
            self.settle(counts, out);
        }
    }

    /// This locale found that nobody can go on.
    pub(super) fn end(&mut self, why: End, out: &mut Out) {
        if self.end.is_some() {
            return;
        }
        // Locale 0 tells all others, while it is there.
        self.told = if self.locale == 0 || why == End::Gone(0) { 0..self.locales } else { 0..1 };
        self.end = Some(why);
        self.tell_end(out);
    }

    /// This locale leaves: nobody can ask it again why nobody can go on, if that message was lost.
    pub(super) fn leave(&mut self, out: &mut Out) {
        if !replace(&mut self.left, true) {
            self.tell_end(out);
        }
    }

    fn tell_end(&self, out: &mut Out) {
        let Some(why) = &self.end else { return };
        let others = self.told.clone().filter(|to| *to != self.locale);
        out.extend(others.map(|to| (to, Control::End(why.clone()))));
    }

    /// A message came from another locale; `counts` has the messages of operations so far.
    pub(super) fn hear(&mut self, from: usize, control: Control, counts: Counts, out: &mut Out) {
        self.take(from, control, counts, out);
        self.settle(counts, out);
    }

    fn take(&mut self, from: usize, control: Control, counts: Counts, out: &mut Out) {
        if let Some(why) = &self.end {
            // Who still reports may not have heard.
            if self.locale == 0 && !self.left && matches!(control, Control::Still(_) | Control::Differs) {
                out.push((from, Control::End(why.clone())));
            }
            return;
        }
        match (control, &mut self.chair) {
            (Control::Up(at, fault), _) => {
                self.counts.received += 1;
                self.below.push((at, fault));
                self.rise(out);
            }
            (Control::Down(fault), _) => {
                self.counts.received += 1;
                self.pass(fault, out);
            }
            (Control::Confirm { round }, _) => {
                let counts = self.all(counts);
                self.report = self.report.take().filter(|report| report.counts == counts);
                let report = self.report.as_ref().map(|report| report.report);
                out.push((0, Control::Confirmed { round, report }));
            }
            (Control::Recall { round }, _) => {
                self.held = Some(round);
                out.push((0, Control::Recalled { trail: self.history.trail() }));
            }
            (Control::Quote { number }, _) => out.push((0, Control::Quoted { text: self.history.text(number) })),
            (Control::Resume { round, in_vain }, _) => {
                // A later question may have come first.
                self.held = self.held.filter(|held| *held > round);
                self.complained = false;
                self.in_vain |=
                    in_vain.is_some_and(|told| self.report.as_ref().is_some_and(|report| report.report == told));
            }
            (Control::End(why), Some(_)) => self.end(why, out),
            (Control::End(why), None) => self.end = Some(why),
            (Control::Still(still), Some(chair)) => chair.still(from, still, out),
            (Control::Confirmed { round, report }, Some(chair)) => {
                let lost = chair.confirmed(from, round, report, out);
                if lost {
                    self.never_came(out);
                }
            }
            (Control::Recalled { trail }, Some(chair)) => {
                let lost = chair.recalled(from, trail, out);
                if lost {
                    self.never_came(out);
                }
            }
            (Control::Quoted { text }, Some(chair)) => {
                if let Some(why) = chair.quoted(from, text) {
                    self.end(why, out);
                }
            }
            (Control::Differs, Some(chair)) => chair.differs(out),
            // Only locale 0 gets such messages.
            _ => {}
        }
    }

    /// Locale 0 tells all locales that they wait for a message that never comes, and where they wait.
    fn never_came(&mut self, out: &mut Out) {
        let stands = self.chair.as_ref().map(Chair::stands).unwrap_or_default();
        let told = stands.into_iter().map(|(locales, still)| {
            let (first, last) = (locales.start, locales.end - 1);
            let who =
                if first == last { format!("locale {first}") } else { format!("each of locales {first} to {last}") };
            let number = still.at.number;
            // Empty if the operation is not remembered, or not done here yet.
            let did = Some(self.history.text(number)).filter(|did| !did.is_empty());
            let did = did.map_or_else(String::new, |did| format!(" {did}, and"));
            let what = if still.stand == Stand::Fence { "the others" } else { "its tasks" };
            format!("{who}{did} waits for {what} in operation {number}")
        });
        let waits = told.collect::<Vec<_>>().join("; ");
        self.end(End::NeverCame(waits), out);
    }

    /// Handles the messages of this locale to itself.
    fn settle(&mut self, counts: Counts, out: &mut Out) {
        while let Some(own) = out.iter().position(|(to, _)| *to == self.locale) {
            let (_, control) = out.swap_remove(own);
            self.take(self.locale, control, counts, out);
        }
    }

    /// All messages, including those of operations.
    fn all(&self, counts: Counts) -> Counts {
        let Counts { sent, received } = self.counts;
        Counts { sent: counts.sent + sent, received: counts.received + received }
    }

    /// Tells the locale above that all of this subtree are at one fence, if they are. If they are at several fences, all stand still sooner
    /// or later.
    fn rise(&mut self, out: &mut Out) {
        let at = self.history.last();
        let complete = self.below.len() == below(self.locale, self.locales).count();
        if !complete || !matches!(self.fence, Fence::Here(_)) || self.below.iter().any(|(there, _)| *there != at) {
            return;
        }
        let Fence::Here(own) = replace(&mut self.fence, Fence::Told) else { return };
        let faults = take(&mut self.below).into_iter().map(|(_, fault)| fault).chain([own]).flatten();
        let fault = faults.min_by_key(TaskError::order);
        match above(self.locale) {
            Some(above) => self.send(above, Control::Up(at, fault), out),
            None => self.pass(fault, out),
        }
    }

    /// All locales are at the fence.
    fn pass(&mut self, fault: Option<TaskError>, out: &mut Out) {
        for below in below(self.locale, self.locales) {
            self.send(below, Control::Down(fault.clone()), out);
        }
        self.fence = Fence::Passed(fault);
    }

    /// Sends a message that may wake a program.
    fn send(&mut self, to: usize, control: Control, out: &mut Out) {
        self.counts.sent += 1;
        out.push((to, control));
    }
}
