//! The tiles of an argument for the points of a launch.

use std::sync::Arc;

use super::plan::Described;
use crate::geometry::{Rect, Runs, Transform};
use crate::graph::Tiles;
use crate::locale::{Asked, Faces, Reach};
use crate::partition::{Access, Tiling};

/// The tiles of an argument that the points get.
pub(crate) struct Part {
    /// The tiles, in indices of the store that was given.
    pub(crate) rects: Arc<Tiles>,
    /// The elements of its root.
    pub(crate) elements: Arc<Tiles>,
    /// These elements, and all that share bytes with them.
    pub(crate) root: Arc<Tiles>,
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
}

impl Part {
    /// The elements that the points of this locale reach through an image.
    pub(super) fn reached(reach: &Reach, asked: Asked) -> Self {
        let Reach { rects, elements, runs } = reach;
        let (rects, elements, root, runs) = (rects.clone(), elements.clone(), elements.clone(), runs.clone());
        Self { rects, elements, root, tiling: None, overlap: None, runs, faces: None, asked: Some(asked.into()) }
    }

    /// All elements of the argument.
    pub(super) fn whole(argument: &Described) -> Self {
        match &argument.root {
            Some(root) if argument.transform.is_identity() => {
                let tiles = root.tiles();
                let (rects, elements, root) = (tiles.clone(), tiles.clone(), tiles.clone());
                Self { rects, elements, root, tiling: None, overlap: None, runs: None, faces: None, asked: None }
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
        // Tiles of one tiling are disjoint, and so are their elements, unless several indices are one element.
        let imaginary = (0..argument.transform.rank()).any(|dim| argument.transform.is_imaginary(dim));
        let may_overlap = argument.access >= Access::Write && (tiling.is_none() || imaginary);
        let overlap = if may_overlap { root.own_overlap().map(Box::new) } else { None };
        Self { rects, elements, root, tiling, overlap, runs: None, faces: None, asked: None }
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
