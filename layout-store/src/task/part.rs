//! The tiles of an argument for the points of a launch.

use std::sync::{Arc, OnceLock};

use super::plan::Described;
use crate::geometry::{Point, Rect, Runs, Transform};
use crate::graph::Tiles;
use crate::locale::{Asked, Faces, Joined, Key, Reach};
use crate::partition::{Access, Placement, Tiling};
use crate::sync::Mutex;

/// Tiles of locales, and the elements that points use in those of this locale.
type JoinedFor = (Arc<Tiles>, Placement, Option<Joined>);

/// The tiles of an argument that the points get.
pub(crate) struct Part {
    /// The tiles, in indices of the store that was given.
    pub(crate) rects: Arc<Tiles>,
    /// Boxes around the elements of its root.
    pub(crate) elements: Arc<Tiles>,
    /// These boxes, with all elements that share bytes with elements in them.
    pub(crate) root: Arc<Tiles>,
    /// `true` if these boxes have elements that points do not use: who writes the others must have the newest version of them.
    pub(crate) more: bool,
    /// The result of [`used`](Self::used), if it is not `elements`.
    pub(super) used: Option<OnceLock<Arc<Tiles>>>,
    /// The tiling of the argument.
    pub(crate) tiling: Option<Arc<Tiling>>,
    /// For a written argument: two points that would write the same elements.
    pub(crate) overlap: Option<Box<(usize, usize, Rect)>>,
    /// The indices that points use, if not all in their boxes.
    pub(crate) runs: Option<Arc<Runs>>,
    /// Lists of boxes that have the elements that points use, if these are not all of `root`.
    pub(crate) faces: Option<Faces>,
    /// The elements that locales asked each other for, if each knows only its own points.
    pub(crate) asked: Option<Arc<Asked>>,
    /// The last result of [`joined`](Self::joined), and its tiles.
    pub(super) joined: Mutex<Option<JoinedFor>>,
}

impl Part {
    /// Tiles of which points use all elements, without a tiling.
    fn exact(rects: Arc<Tiles>, elements: Arc<Tiles>, root: Arc<Tiles>) -> Self {
        let (used, tiling, overlap, runs, faces, asked, joined) = Default::default();
        Self { rects, elements, root, more: false, used, tiling, overlap, runs, faces, asked, joined }
    }

    /// The elements that the points of this locale reach through an image.
    pub(super) fn reached(reach: &Reach, asked: Asked) -> Self {
        let Reach { rects, elements, runs } = reach;
        let exact = Self::exact(rects.clone(), elements.clone(), elements.clone());
        Self { runs: runs.clone(), asked: Some(asked.into()), ..exact }
    }

    /// All elements of the argument.
    pub(super) fn whole(argument: &Described) -> Self {
        match &argument.root {
            Some(root) if argument.transform.is_identity() => {
                let tiles = root.tiles();
                Self::exact(tiles.clone(), tiles.clone(), tiles.clone())
            }
            _ => Self::new(argument, Tiles::one(Rect::of(argument.transform.extents())), None),
        }
    }

    pub(super) fn new(argument: &Described, rects: impl Into<Arc<Tiles>>, tiling: Option<Arc<Tiling>>) -> Self {
        let rects: Arc<Tiles> = rects.into();
        let elements = in_root(&rects, &argument.transform);
        let root: Arc<Tiles> = match &argument.root {
            Some(root) if root.storage.is_joined() => Arc::new(elements.map(|rect| root.storage.reach(rect))),
            _ => elements.clone(),
        };
        let used = are_larger(&elements, &rects, &argument.transform).then(OnceLock::new);
        let more = used.is_some() || !Arc::ptr_eq(&root, &elements) && root.iter().ne(elements.iter());
        // Tiles of one tiling are disjoint, and so are their elements, unless several indices are one element.
        let imaginary = (0..argument.transform.rank()).any(|dim| argument.transform.is_imaginary(dim));
        let may_overlap = argument.access >= Access::Write && (tiling.is_none() || imaginary);
        let overlap = if may_overlap { root.own_overlap().map(Box::new) } else { None };
        Self { more, used, tiling, overlap, ..Self::exact(rects, elements, root) }
    }

    /// The elements of its root that points use through this view, in boxes; a tile may have several.
    pub(super) fn used(&self, view: &Transform) -> &Arc<Tiles> {
        let used = self.used.as_ref();
        used.map_or(&self.elements, |used| {
            used.get_or_init(|| boxes_of(&self.rects, view).into_iter().collect::<Tiles>().into())
        })
    }

    /// For each of some tiles of the root that a locale has, the elements that points use, as boxes; `None` if points use all of these tiles.
    pub(super) fn joined(&self, (tiles, placement): (&Arc<Tiles>, &Placement), here: usize) -> Option<Joined> {
        let is_same = |of: &Arc<Tiles>| Arc::ptr_eq(of, tiles) || of.len() == 1 && of.rects() == tiles.rects();
        let mut known = self.joined.lock();
        if let Some((of, placed, joined)) = &*known
            && is_same(of)
            && placed == placement
        {
            return joined.clone();
        }
        let used = |tile: usize| -> Arc<Tiles> {
            let (rect, mut parts) = (tiles.rect(tile), Vec::new());
            self.root.for_each_overlapping(&rect, |_, part| parts.push(rect.intersection(part)));
            let none = || Tiles::one(Rect::of(Point::splat(rect.rank(), 0)));
            if parts.is_empty() { none().into() } else { parts.into_iter().collect::<Tiles>().joined().into() }
        };
        let here = placement.points_of(here);
        let joined: Joined = here.clone().map(used).collect();
        let all = here.zip(&*joined).all(|(tile, joined)| joined.are_all_of(&tiles.rect(tile)));
        // One tile keeps the list, so that launches with it are known to use the same elements.
        let joined = (!all || tiles.len() == 1).then_some(joined);
        *known = Some((tiles.clone(), placement.clone(), joined.clone()));
        joined
    }

    /// The key of a root after points on these locales wrote these tiles of an argument.
    pub(super) fn key(&self, argument: &Described, placement: &Placement) -> Option<Key> {
        self.tiling.as_ref().map(|tiling| Key {
            view: argument.transform.clone(),
            tiling: tiling.clone(),
            complete: self.rects.are_all_of(&Rect::of(argument.transform.extents())),
            placement: argument.locale.net.is_some().then(|| placement.clone()),
        })
    }
}

/// Tiles of a view as elements of its root.
pub(super) fn in_root(rects: &Arc<Tiles>, view: &Transform) -> Arc<Tiles> {
    if !view.is_transformed() {
        return rects.clone();
    }
    let grid = rects.grid().and_then(|grid| grid.through(view));
    Arc::new(grid.map_or_else(|| rects.map(|rect| view.root_rect(rect)), Tiles::from))
}

/// Returns `true` if boxes around the elements of tiles have other elements, too. This is so if a tile cuts an inner dimension of a
/// delinearized one.
fn are_larger(boxes: &Tiles, rects: &Tiles, view: &Transform) -> bool {
    view.is_delinearized() && boxes.iter().zip(rects.iter()).any(|(of, rect)| of.volume() > view.volume_of(&rect))
}

/// The elements of tiles of a view as boxes that have no others.
fn boxes_of(rects: &Tiles, view: &Transform) -> Vec<Rect> {
    let (mut boxes, mut rest): (Vec<Rect>, Vec<Rect>) = (Vec::new(), rects.iter().collect());
    while let Some(rect) = rest.pop() {
        let (of, extents) = (view.root_rect(&rect), rect.extents());
        let several = (0..view.rank()).filter(|dim| extents[*dim] > 1 && !view.is_imaginary(*dim));
        // The shortest side has the fewest parts: a column of a long tile is one box with steps. A single element is a box.
        match several.min_by_key(|dim| extents[*dim]).filter(|_| of.volume() > view.volume_of(&rect)) {
            Some(dim) => rest.extend(rect.along(dim)),
            None => boxes.push(of),
        }
    }
    boxes
}
