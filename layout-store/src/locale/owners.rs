//! Owners: the locales that combine contributions to a store, since they have its elements.
//!
//! ```text
//! points      contribute to boxes of the root, which may overlap
//! tiles       disjoint boxes of the root, each of one locale, which combines the contributions to it in the order of points
//! messages    one from a point to each other locale that has some of its box: the common part of each tile, tile by tile
//! ```
//!
//! The sender goes through the tiles that overlap a point's box, the receiver through the points whose boxes overlap its tiles. Both know
//! all tiles and all boxes, so no message needs to describe its contents.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Root;
use super::exchange::Passed;
use crate::geometry::{Rect, Transform};
use crate::graph::Tiles;
use crate::partition::Placement;

/// For each tile of a locale, some of its elements as boxes.
pub(crate) type Joined = Arc<[Arc<Tiles>]>;

/// The locales that combine the contributions of a launch to a root. It has no reference to the root, so a report of the launch keeps no
/// memory alive.
pub(crate) struct Owners {
    /// The number of the argument, the number of the root, and the bytes of an element.
    pub(crate) argument: u32,
    pub(crate) store: u64,
    pub(crate) element: usize,
    /// For each point, the indices of the view to which it contributes; the view; and the elements of the root.
    pub(crate) rects: Arc<Tiles>,
    pub(crate) view: Arc<Transform>,
    pub(crate) boxes: Arc<Tiles>,
    /// These elements in the tiles of this locale, without elements between them; `None` if they are all elements of these tiles.
    pub(crate) joined: Option<Joined>,
    /// The locales of the points, and the number of this locale.
    pub(crate) ran: Placement,
    pub(crate) here: usize,
    /// Disjoint boxes that together have all these elements.
    pub(crate) tiles: Arc<Tiles>,
    /// The locales that combine contributions to each of these boxes.
    pub(crate) placement: Placement,
}

impl Owners {
    /// Returns `true` if one locale combines everything at once.
    pub(crate) fn is_one(&self) -> bool {
        self.tiles.len() == 1
    }

    /// The points that contribute to a tile, in order.
    pub(crate) fn points_of(&self, tile: usize) -> impl Iterator<Item = usize> + use<> {
        let (all, mut some) = (if self.is_one() { self.boxes.len() } else { 0 }, Vec::new());
        if !self.is_one() {
            self.boxes.for_each_overlapping(&self.tiles.rect(tile), |point, _| some.push(point));
            some.sort_unstable();
        }
        (0..all).chain(some)
    }

    /// The tiles to which a point contributes, each after its locale. Tiles of one locale are together, in the order of their numbers.
    pub(crate) fn tiles_of(&self, point: usize) -> SmallVec<[(usize, usize); 8]> {
        let mut tiles = SmallVec::new();
        let mut take = |tile: usize| tiles.push((self.placement.locale(tile), tile));
        if self.is_one() {
            take(0);
        } else {
            self.tiles.for_each_overlapping(&self.boxes.rect(point), |tile, _: &Rect| take(tile));
        }
        tiles.sort_unstable();
        tiles
    }

    /// The locales to which a point contributes, and the number of their tiles.
    pub(crate) fn locales_of(&self, point: usize) -> SmallVec<[(usize, usize); 8]> {
        let mut locales: SmallVec<[(usize, usize); 8]> = SmallVec::new();
        for (locale, _) in self.tiles_of(point) {
            match locales.last_mut() {
                Some((last, tiles)) if *last == locale => *tiles += 1,
                _ => locales.push((locale, 1)),
            }
        }
        locales
    }

    /// The points of other locales whose contributions come to this locale, in order.
    pub(crate) fn points_that_send(&self) -> Vec<usize> {
        let tiles = self.placement.points_of(self.here);
        let mut points: Vec<usize> = tiles.flat_map(|tile| self.points_of(tile)).collect();
        points.retain(|point| self.ran.locale(*point) != self.here);
        points.sort_unstable();
        points.dedup();
        points
    }

    /// The indices in a tile to which a point contributes.
    pub(crate) fn part(&self, point: usize, tile: usize) -> Rect {
        let rect = self.rects.rect(point);
        if self.is_one() {
            return rect;
        }
        self.view.indices_in(&rect, &self.tiles.rect(tile))
    }

    /// For each tile of a locale to which a point contributes, the indices in the tile.
    pub(crate) fn parts_for(&self, point: usize, to: usize) -> impl Iterator<Item = Rect> {
        let tiles = self.tiles_of(point).into_iter().filter(move |(locale, _)| *locale == to);
        tiles.map(move |(_, tile)| self.part(point, tile))
    }

    /// The messages of contributions to and from this locale.
    pub(super) fn messages(&self) -> impl Iterator<Item = Passed> {
        let bytes = |point: usize, to: usize| -> u64 {
            let elements: i64 = self.parts_for(point, to).map(|part| part.volume()).sum();
            u64::try_from(elements).unwrap_or(0) * self.element as u64
        };
        let (argument, store) = (self.argument as usize, self.store);
        let to = |point: usize| self.locales_of(point).into_iter().map(move |(locale, _)| (point, locale));
        let sent = self.ran.points_of(self.here).flat_map(to).filter(|(_, peer)| *peer != self.here);
        let sent = sent.map(move |(point, peer)| Passed {
            argument,
            store,
            peer,
            sent: true,
            messages: 1,
            bytes: bytes(point, peer),
        });
        let come = self.points_that_send().into_iter();
        sent.chain(come.map(move |point| {
            let (peer, bytes) = (self.ran.locale(point), bytes(point, self.here));
            Passed { argument, store, peer, sent: false, messages: 1, bytes }
        }))
    }
}

impl Root {
    /// The bytes of an element in a message.
    pub(crate) fn packed(&self) -> usize {
        self.mover.element
    }

    /// The newest tiles that were written together and have all of a box, and their placement.
    pub(crate) fn written_together(&self, rect: &Rect) -> Option<(Arc<Tiles>, Placement)> {
        self.versions().lock().written_together(rect)
    }
}
