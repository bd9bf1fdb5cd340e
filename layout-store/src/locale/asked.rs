//! Questions between locales: each asks the others for the elements that its points reach through an image, which no other locale knows.
//!
//! ```text
//! letters    a locale knows which elements its own points reach, and by the ledger who wrote them: it asks each writer for the elements
//! rounds     no locale knows who asks it. In each round, a locale sends all letters that it has heard of to the locale whose number
//!            differs in one bit, for the locales whose numbers differ there
//! agreed     the messages also have the values that all locales must agree on: the first error, unwritten elements, the bytes of all
//! ```
//!
//! 1. After a round for each bit, all letters have reached their receivers, and all locales know the result: one message for each round and
//!    locale.
//! 2. Locales beyond the largest power of two have a speaker below it: they tell the speaker first, and are told last.
//! 3. A locale that asked and a locale that was asked know the same boxes, and so the same messages; other locales need not. Such a read of
//!    a launch is remembered for a later launch that reads the same, until some of the elements are written, and for nothing else.

use core::cmp::Reverse;
use core::mem::take;
use std::collections::BTreeMap;
use std::sync::Arc;

use layout_core::{Portable, PortableError};

use super::claim::Claim;
use super::contributions::Post;
use super::ledger::{ExchangePlan, Made, Piece, bytes_of};
use super::{Locale, Operation, Root};
use crate::error::StoreError;
use crate::geometry::{Point, Rect, Runs};
use crate::graph::{Body, Cause, Edge, NewNodes, Node, Row, Tiles, caught};
use crate::memory::Form;
use crate::partition::Placement;
use crate::sync::Mutex;

/// The elements of a store that the points of this locale reach.
pub(crate) struct Reach {
    /// The boxes of the points, in indices of the store and as elements of its root.
    pub(crate) rects: Arc<Tiles>,
    pub(crate) elements: Arc<Tiles>,
    /// The exact elements, if they are needed.
    pub(crate) runs: Option<Arc<Runs>>,
}

/// An error of one locale, and its order. Of several, the one of the earliest launch and the first point is reported.
pub(crate) type Refusal = ((u64, usize), StoreError);

/// A read of a launch for which locales asked each other.
#[derive(Clone)]
pub(crate) struct Asked {
    /// The exchange for it; `None` if all locales have the elements.
    pub(super) read: Option<(Arc<ExchangePlan>, Made)>,
    /// The smallest box around all elements that points reach, and the values on which all locales agreed.
    pub(super) hull: Rect,
    /// The elements that the first point reaches and that are unwritten.
    pub(crate) unwritten: Option<Rect>,
    /// The locale that needs the most memory for a point, and the bytes.
    pub(crate) largest: Option<(usize, usize)>,
}

/// The values on which all locales agree.
#[derive(Clone, Default)]
struct Agreed {
    error: Option<Refusal>,
    /// The point, and its unwritten elements.
    unwritten: Option<(usize, Rect)>,
    largest: Option<(usize, Reverse<usize>)>,
    hull: Option<Rect>,
    bytes: u64,
}

impl Agreed {
    fn hear(&mut self, other: Self) {
        let errors = self.error.take().into_iter().chain(other.error);
        self.error = errors.min_by_key(|(order, _)| *order);
        self.unwritten = self.unwritten.into_iter().chain(other.unwritten).min_by_key(|(point, _)| *point);
        self.largest = self.largest.max(other.largest);
        self.hull = self.hull.into_iter().chain(other.hull).reduce(|a, b| a.hull(&b));
        self.bytes += other.bytes;
    }
}

impl Portable for Agreed {
    fn write(&self, to: &mut impl Extend<u8>) {
        let Self { error, unwritten, largest, hull, bytes } = self;
        error.write(to);
        (*unwritten, largest.map(|(needed, Reverse(locale))| (needed, locale)), *hull, *bytes).write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let error = Portable::read(from)?;
        let (unwritten, largest, hull, bytes) = <(_, Option<(usize, usize)>, _, _)>::read(from)?;
        let largest = largest.map(|(needed, locale)| (needed, Reverse(locale)));
        Ok(Self { error, unwritten, largest, hull, bytes })
    }
}

/// The elements for which one locale asks another one, in boxes that were written together.
struct Letter {
    from: usize,
    to: usize,
    pieces: Vec<Box<[Rect]>>,
}

impl Portable for Letter {
    fn write(&self, to: &mut impl Extend<u8>) {
        (self.from, self.to).write(to);
        self.pieces.write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let ((from_locale, to), pieces) = Portable::read(from)?;
        Ok(Self { from: from_locale, to, pieces })
    }
}

/// The values and letters that a locale heard and has to hand on.
#[derive(Default)]
struct Heard {
    agreed: Agreed,
    letters: Vec<Letter>,
}

impl Heard {
    /// Writes everything that was heard, and the letters for that locale; returns the number of bytes. A locale with a speaker forgets what
    /// it tells the speaker, since it is told the result.
    fn told(&mut self, goes: &impl Fn(usize) -> bool, forgets: bool, message: &mut Vec<u8>) -> usize {
        let letters: Vec<Letter> = self.letters.extract_if(.., |letter| goes(letter.to)).collect();
        let before = message.len();
        self.agreed.write(message);
        letters.write(message);
        if forgets {
            self.agreed = Agreed::default();
        }
        message.len() - before
    }

    fn hear(&mut self, told: &mut &[u8]) -> Result<(), Cause> {
        self.agreed.hear(Portable::read(told)?);
        self.letters.extend(Vec::<Letter>::read(told)?);
        Ok(())
    }
}

/// The messages of one locale, in order: each waits for the one before.
struct Rounds<'a> {
    post: Post<'a>,
    heard: Arc<Mutex<Heard>>,
    steps: NewNodes,
}

impl Rounds<'_> {
    /// Tells a locale what was heard, and hands on its letters.
    fn tell(
        &mut self,
        (to, forgets): (usize, bool),
        number: usize,
        goes: impl Fn(usize) -> bool + Send + Sync + 'static,
    ) {
        let heard = self.heard.clone();
        let give = move |message: &mut Vec<u8>| heard.lock().told(&goes, forgets, message);
        self.step(self.post.send((to, number), (ASK, Row::Exchange), give));
    }

    fn hear(&mut self, from: usize, number: usize) {
        let heard = self.heard.clone();
        let hear = move |told: &mut &[u8]| heard.lock().hear(told);
        self.step(self.post.receive((from, number), (ASK.into(), Point::EMPTY), hear));
    }

    fn step(&mut self, node: Arc<Node>) {
        self.steps.last().into_iter().for_each(|before| node.after(before, Edge::Data));
        self.steps.push(node);
    }
}

/// The first words of a locale, after the node on which they depend.
struct Speak<F>(F);

impl<F: Fn() + Send + Sync> Body for Speak<F> {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| {
            (self.0)();
            Ok(())
        })
    }

    fn label(&self, _: usize) -> (String, Point) {
        (ASK.to_owned(), Point::EMPTY)
    }
}

const ASK: &str = "ask";

/// Delivers letters and makes all locales agree. Waits until all locales have asked, and returns the letters to this one. `speak` returns
/// the first words of this locale, after a node that may fail.
fn rounds(
    locale: &Arc<Locale>,
    operation: Operation,
    (after, speak): (Option<&Arc<Node>>, impl Fn() -> Heard + Send + Sync + 'static),
) -> Result<Heard, StoreError> {
    let (me, bits) = (locale.number, locale.count.ilog2() as usize);
    let Some(net) = &locale.net else { unreachable!("one locale knows all") };
    let Operation::Ask { task, store } = &operation else { unreachable!("locales ask, or do something else") };
    locale.check_scope(|| format!("task `{task}`"), "questions about an image", Some(*store))?;
    let order = locale.operate(&mut locale.program.lock(), || operation)?;
    let heard = Arc::new(Mutex::new(Heard::default()));
    let first = {
        let heard = heard.clone();
        locale.engine.nodes.alone(order.number, usize::MAX, Speak(move || *heard.lock() = speak()))
    };
    locale.engine.count(1);
    // All locales are told its error.
    after.into_iter().for_each(|node| first.after(node, Edge::Order));
    let mut rounds = Rounds { post: Post { locale, net, order }, heard, steps: NewNodes::from_iter([first]) };
    let speakers = 1 << bits;
    // The numbers of messages are different.
    let (to_speaker, from_speaker) = (2 * bits, 2 * bits + 1);
    if me >= speakers {
        rounds.tell((me - speakers, true), to_speaker, |_| true);
        rounds.hear(me - speakers, from_speaker);
    } else {
        let spoken_for = Some(me + speakers).filter(|other| *other < locale.count);
        spoken_for.iter().for_each(|other| rounds.hear(*other, to_speaker));
        for bit in 0..bits {
            let other = me ^ (1 << bit);
            let number = |from: usize| 2 * bit + usize::from(from & (1 << bit) != 0);
            rounds.tell((other, false), number(me), move |to| (to ^ me) & (1 << bit) != 0);
            rounds.hear(other, number(other));
        }
        spoken_for.iter().for_each(|other| rounds.tell((*other, false), from_speaker, move |to| to >= speakers));
    }
    let Rounds { heard, steps, .. } = rounds;
    let done = steps.last().cloned();
    locale.engine.start_new(steps);
    done.map_or(Ok(()), |done| locale.wait_in(Row::Image, &done))?;
    let heard = take(&mut *heard.lock());
    Ok(heard)
}

impl Asked {
    /// Returns `true` if locales send each other elements for this.
    pub(super) fn sends(&self) -> bool {
        self.read.as_ref().is_some_and(|(plan, _)| plan.bytes() > 0)
    }

    /// The exchange that is known without asking: none if all locales have the elements of a launch, or that of an earlier launch in the
    /// same state.
    pub(crate) fn before(root: &Root, reach: &Reach, placement: &Placement, agreed: &Self) -> Option<Self> {
        let versions = root.versions().lock();
        let has = versions.has_asked(&reach.elements, placement);
        let read = if has { None } else { Some((versions.asked_before(&reach.elements, placement)?, Made::Before)) };
        Some(Self { read, ..agreed.clone() })
    }

    /// The values on which locales agreed, without the exchange.
    pub(super) fn agreed(&self) -> Self {
        Self { read: None, ..self.clone() }
    }

    /// The exchange for a launch; after it, all locales have the elements.
    pub(super) fn read(&self, root: &Root, claim: &Claim, placement: &Placement) -> Option<(Arc<ExchangePlan>, Made)> {
        let read = self.read.clone()?;
        root.versions().lock().asked_for(&claim.tiles, placement, self.hull);
        root.locale.planned.iter().for_each(|planned| planned.sends_later(root, &read.0));
        Some(read)
    }

    /// The questions on a locale that only plans and asks nobody; `reached` returns the elements that points of any locale reach.
    pub(crate) fn alone(
        root: &Root,
        reach: &Reach,
        (placement, keeps): (&Placement, bool),
        reached: impl Fn(usize) -> Arc<Reach> + Send + Sync + 'static,
    ) -> Self {
        let (Agreed { unwritten, .. }, _) = asks(root, reach, placement);
        let mut versions = root.versions().lock();
        let me = (root.locale.number, root.mover.element);
        let plan = versions.asked_alone((reach, placement), me, reached, keeps);
        let unwritten = unwritten.map(|(_, rect)| rect);
        // The elements that other locales reach are computed only when they are needed.
        Self { read: Some((plan, Made::Now)), hull: Rect::of(root.extents()), unwritten, largest: None }
    }

    /// Asks for the elements that the points of this locale reach and lack, and hears the questions of others, for this task; all locales
    /// make the call. Waits for all. After the node `after`, which may fail, `look` returns the elements that the points reach, or the
    /// error of this locale.
    ///
    /// `keeps`: launches may read the same elements again, with the same list of tiles.
    pub(crate) fn ask(
        task: &str,
        root: &Arc<Root>,
        (after, look): (Option<&Arc<Node>>, impl Fn() -> Result<Arc<Reach>, Refusal> + Send + Sync + 'static),
        (placement, keeps): (&Placement, bool),
    ) -> Result<(Arc<Reach>, Self), StoreError> {
        let (locale, me) = (&root.locale, root.locale.number);
        let found = Arc::new(Mutex::new(None));
        let speak = {
            let (root, placement, found) = (root.clone(), placement.clone(), found.clone());
            move || match look() {
                Err(refusal) => {
                    Heard { agreed: Agreed { error: Some(refusal), ..Agreed::default() }, letters: Vec::new() }
                }
                Ok(reach) => {
                    let (agreed, pieces) = asks(&root, &reach, &placement);
                    let mut asked: BTreeMap<usize, Vec<Box<[Rect]>>> = BTreeMap::new();
                    pieces.iter().for_each(|piece| asked.entry(piece.from).or_default().push(piece.rects.clone()));
                    let letters = asked.into_iter().map(|(to, pieces)| Letter { from: me, to, pieces }).collect();
                    *found.lock() = Some((reach, pieces));
                    Heard { agreed, letters }
                }
            }
        };
        let operation = Operation::Ask { task: task.to_owned().into(), store: root.id };
        let Heard { agreed, mut letters } = rounds(locale, operation, (after, speak))?;
        if let Some((_, error)) = agreed.error {
            return Err(error);
        }
        let Some((reach, mut pieces)) = found.lock().take() else {
            unreachable!("an error of this locale is one of all")
        };
        letters.sort_by_key(|letter| letter.from);
        for Letter { from: asks, pieces: asked, .. } in letters {
            pieces.extend(asked.into_iter().map(|rects| Piece { point: 0, rects, from: me, to: asks }));
        }
        let mut versions = root.versions().lock();
        let plan =
            versions.asked_now((&reach.elements, placement), (pieces, agreed.bytes), (me, root.mover.element), keeps);
        drop(versions);
        let asked = Self {
            read: Some((plan, Made::Now)),
            hull: agreed.hull.unwrap_or(*reach.elements.hull()),
            unwritten: agreed.unwritten.map(|(_, rect)| rect),
            largest: agreed.largest.map(|(needed, Reverse(locale))| (locale, needed)),
        };
        Ok((reach, asked))
    }
}

/// The elements that the points of this locale reach and lack, and the values on which all locales must agree.
fn asks(root: &Root, reach: &Reach, placement: &Placement) -> (Agreed, Vec<Piece>) {
    let me = root.locale.number;
    let points = || placement.points_of(me).map(|point| (point, reach.elements.rect(point)));
    let needed = |form: &Form| points().map(|(_, rect)| form.size(rect)).max();
    let unwritten = {
        let uses = root.uses.lock();
        points().find_map(|(point, rect)| Some((point, uses.unwritten(&rect)?)))
    };
    let pieces = root.versions().lock().lacking_of(reach, placement, me);
    let agreed = Agreed {
        error: None,
        unwritten,
        largest: root.divided().and_then(|divided| Some((needed(&divided.form)?, Reverse(me)))),
        hull: Some(*reach.elements.hull()).filter(|hull| !hull.is_empty()),
        bytes: pieces.iter().map(|piece| bytes_of(&piece.rects, root.mover.element)).sum(),
    };
    (agreed, pieces)
}
