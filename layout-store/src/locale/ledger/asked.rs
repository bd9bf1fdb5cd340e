//! Questions between locales: the elements that points reach through an image, which no other locale knows.

use core::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::{ExchangePlan, Ledger, Message, Others, Piece, Rest, for_each_of_others, messages_of, piece, take_out};
use crate::geometry::{Rect, RunList, for_each_batch};
use crate::graph::Tiles;
use crate::locale::asked::Reach;
use crate::locale::versions::{Sent, still_counts};
use crate::partition::Placement;

/// The number of such reads that are remembered.
const MOST_ASKED: usize = 8;

/// The number of runs that are looked up together, as the box around them: what holds for all of its elements holds for those of the runs.
const MOST_TOGETHER: usize = 64;

/// A read by the points of a launch, of which each locale knows only the tiles of its own points.
pub(super) struct AskedFor {
    tiles: Arc<Tiles>,
    placement: Placement,
    /// The smallest box around all elements.
    hull: Rect,
    /// The number of reads of scattered elements until then.
    read: u64,
}

/// Elements that another locale wrote: the act and the tile, and that locale.
struct Elsewhere {
    tile: (usize, usize),
    from: usize,
    rects: Rest,
}

impl Ledger {
    /// Returns `true` if the elements that these points read were asked for, came, and were not written since.
    pub(in crate::locale) fn has_asked(&self, tiles: &Arc<Tiles>, placement: &Placement) -> bool {
        let is = |asked: &&AskedFor| Arc::ptr_eq(&asked.tiles, tiles) && asked.placement == *placement;
        self.asked.iter().filter(is).any(|asked| still_counts(asked.read, self.runs + 1))
    }

    /// The exchange for these points, if an earlier launch asked for it after the same acts.
    pub(in crate::locale) fn asked_before(
        &self,
        tiles: &Arc<Tiles>,
        placement: &Placement,
    ) -> Option<Arc<ExchangePlan>> {
        let plan = self.plans.iter().find(|plan| plan.is(&self.acts, tiles, placement));
        plan.filter(|_| !self.acts.is_empty()).cloned()
    }

    /// The plan of the elements that a locale receives, and then of those that it sends, as locales asked for them; all locales together
    /// send `bytes` bytes. With `keeps`, it is kept for launches that read the same list of tiles again.
    pub(in crate::locale) fn asked_now(
        &mut self,
        (tiles, placement): (&Arc<Tiles>, &Placement),
        (pieces, bytes): (Vec<Piece>, u64),
        (me, element): (usize, usize),
        keeps: bool,
    ) -> Arc<ExchangePlan> {
        let (acts, tiles, placement) = (self.acts.clone(), tiles.clone(), placement.clone());
        let messages = messages_of(pieces, me, element);
        let plan = ExchangePlan { acts, tiles, placement, element, bytes: bytes.into(), others: None, messages };
        self.kept(plan, keeps)
    }

    fn kept(&mut self, plan: ExchangePlan, keeps: bool) -> Arc<ExchangePlan> {
        let plan = Arc::new(plan);
        if keeps && !self.acts.is_empty() {
            self.keep(&plan);
        }
        plan
    }

    /// [`asked_now`](Self::asked_now) for a locale that only plans. It has the elements that the locale receives; those that it sends
    /// follow from the elements that all locales reach, and are computed when they are asked for.
    pub(in crate::locale) fn asked_alone(
        &mut self,
        (reach, placement): (&Reach, &Placement),
        (me, element): (usize, usize),
        reached: impl Fn(usize) -> Arc<Reach> + Send + Sync + 'static,
        keeps: bool,
    ) -> Arc<ExchangePlan> {
        let messages = messages_of(self.lacking_of(reach, placement, me), me, element);
        let (acts, tiles, placement) = (self.acts.clone(), reach.elements.clone(), placement.clone());
        let others: Others = if acts.is_empty() {
            let lacking = |locale| self.lacking_of(&reached(locale), &placement, locale);
            let all: Vec<Vec<Piece>> = (0..placement.locales()).map(lacking).collect();
            Arc::new(move |locale| all[locale].clone())
        } else {
            let (then, placement) = (Self { acts: acts.clone(), ..Self::default() }, placement.clone());
            Arc::new(move |locale| then.lacking_of(&reached(locale), &placement, locale))
        };
        let (bytes, others) = (OnceLock::new(), Some(others));
        self.kept(ExchangePlan { acts, tiles, placement, element, bytes, others, messages }, keeps)
    }

    /// Records that points have the elements that were asked for, which are in this box.
    pub(in crate::locale) fn asked_for(&mut self, tiles: &Arc<Tiles>, placement: &Placement, hull: Rect) {
        if self.asked.len() == MOST_ASKED {
            self.asked.remove(0);
        }
        self.asked.push(AskedFor { tiles: tiles.clone(), placement: placement.clone(), hull, read: self.runs });
    }

    /// Forgets reads in a box, which is written.
    pub(super) fn outdate(&mut self, rect: &Rect) {
        self.asked.retain(|asked| !asked.hull.overlaps(rect));
    }

    /// The elements that points of a locale reach and lack, with the locales that have them, point by point; scattered elements belong to
    /// the first point.
    pub(in crate::locale) fn lacking_of(&self, reach: &Reach, placement: &Placement, me: usize) -> Vec<Piece> {
        let Reach { elements, runs, .. } = reach;
        let mut pieces = Vec::new();
        let Some(runs) = runs else {
            for point in placement.points_of(me) {
                let rect = elements.rect(point);
                for (rects, from) in self.lacking(&rect, me) {
                    let mut rest = Rest::from_vec(rects.into_vec());
                    // Elements that an earlier point of this locale gets need not be sent again.
                    elements.for_each_overlapping(&rect, |earlier, tile| {
                        if earlier < point {
                            take_out(&mut rest, tile);
                        }
                    });
                    if !rest.is_empty() {
                        pieces.push(Piece { point, rects: rest.into_vec().into(), from, to: me });
                    }
                }
            }
            return pieces;
        };
        let own: Vec<Arc<RunList>> = placement.points_of(me).filter_map(|point| runs.at(point).cloned()).collect();
        let point = placement.points_of(me).next().unwrap_or(0);
        let of_first = |(rects, from)| Piece { point, rects, from, to: me };
        if self.acts.is_empty() {
            return self.parts.lacking_runs(&own, &runs.transform, me).into_iter().map(of_first).collect();
        }
        // Elements that were written together are sent together.
        let mut lacking: BTreeMap<(Reverse<usize>, usize), (Sent, usize)> = BTreeMap::new();
        let no_sent = |act: usize, tile: usize| {
            let (tile, later) = (self.acts[act].tiles.rect(tile), &self.acts[act + 1..]);
            // The elements between some may be newer.
            Sent::new(!later.iter().any(|later| later.wrote() && later.tiles.hull().overlaps(&tile)))
        };
        let mut add = |Elsewhere { tile: (act, tile), from, rects }: Elsewhere, push: &dyn Fn(&mut Sent, Rest)| {
            let (sent, _) = lacking.entry((Reverse(act), tile)).or_insert_with(|| (no_sent(act, tile), from));
            push(sent, rects);
        };
        for_each_batch(&own, MOST_TOGETHER, |batch| {
            let around = runs.transform.root_rect(&batch.hull());
            let each = || batch.iter().map(|run| runs.transform.root_rect(&run));
            let found = self.elsewhere(&around, me);
            if let [one] = &found[..]
                && one.rects[..] == [around]
            {
                let push = |sent: &mut Sent, _| sent.push_all(&around, batch.volume(), each());
                found.into_iter().for_each(|one| add(one, &push));
            } else if !found.is_empty() {
                let push = |sent: &mut Sent, rects: Rest| rects.into_iter().for_each(|rect| sent.push(rect));
                each().flat_map(|rect| self.elsewhere(&rect, me)).for_each(|found| add(found, &push));
            }
        });
        let of_tile = |((Reverse(act), tile), (sent, from)): ((Reverse<usize>, usize), (Sent, usize))| {
            of_first((sent.boxes(&self.acts[act].tiles.rect(tile)), from))
        };
        lacking.into_iter().map(of_tile).collect()
    }

    /// The elements of a box of which other locales have the newest version, by the tile that was written.
    fn elsewhere(&self, rect: &Rect, me: usize) -> SmallVec<[Elsewhere; 1]> {
        let mut found = SmallVec::new();
        for_each_of_others(&self.acts, rect, me, |tile, from| {
            let rects = piece(&self.acts, tile, rect, me);
            if !rects.is_empty() {
                found.push(Elsewhere { tile, from, rects });
            }
        });
        found
    }
}

impl ExchangePlan {
    /// The messages for which others ask a locale that only plans.
    pub(in crate::locale) fn sent_alone(&self, me: usize) -> Arc<[Message]> {
        let others = self.others.iter().flat_map(|others| {
            let others_of = |locale| others(locale).into_iter().filter(|piece| piece.from == me);
            (0..self.placement.locales()).filter(|locale| *locale != me).flat_map(others_of)
        });
        messages_of(others, me, self.element)
    }
}
