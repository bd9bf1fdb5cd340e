//! Known images, which spare launches the wait for values that did not change.

use core::any::TypeId;
use std::collections::VecDeque;
use std::sync::Arc;

use layout_core::{Portable, PortableError};

use super::asked::{Asked, Reach};
use crate::geometry::{Point, Rect, RunList, Transform};
use crate::graph::Tiles;
use crate::partition::{ImageHint, Placement};
use crate::sync::Mutex;

/// Everything on which the image of a function depends, except its values.
pub(crate) struct Image {
    /// The transform from the function to its root.
    pub(crate) of: Arc<Transform>,
    /// The types of the function's record and of the rank of the range.
    pub(crate) types: TypeId,
    pub(crate) tiles: Arc<Tiles>,
    /// The extents of the range.
    pub(crate) range: Point,
    pub(crate) hint: ImageHint,
    /// The locales of the points, if each locale knows only its own points; `None` if all locales know all points.
    pub(crate) placement: Option<Placement>,
}

impl PartialEq for Image {
    fn eq(&self, other: &Self) -> bool {
        let same_tiles = || match (self.tiles.grid(), other.tiles.grid()) {
            (Some(one), Some(other)) => one == other,
            _ => self.tiles.iter().eq(other.tiles.iter()),
        };
        (&self.of, self.types, self.range, self.hint) == (&other.of, other.types, other.range, other.hint)
            && self.placement == other.placement
            && same_tiles()
    }
}

/// The elements to which the values of one tile point.
#[derive(Clone)]
pub(crate) struct Reached {
    /// The smallest box around the elements, by the hint.
    pub(crate) bounds: Rect,
    /// The exact elements, if they are needed.
    pub(crate) runs: Option<Arc<RunList>>,
}

/// The elements that points reach through an image, by the numbers of points: of all points, or of those of this locale.
pub(crate) struct Reaches {
    pub(crate) points: Vec<(usize, Reached)>,
    /// The elements in views of stores, by the number of the store, with the values on which locales agreed when they asked each other.
    within: Mutex<Vec<Within>>,
}

type Within = (u64, Arc<Transform>, Arc<Reach>, Asked);

impl Portable for Reached {
    fn write(&self, to: &mut impl Extend<u8>) {
        self.bounds.write(to);
        self.runs.write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        Ok(Self { bounds: Portable::read(from)?, runs: Portable::read(from)? })
    }
}

impl Reaches {
    pub(crate) fn new(points: Vec<(usize, Reached)>) -> Self {
        Self { points, within: Mutex::default() }
    }

    /// The elements in a view of a store, if locales asked each other for them before.
    pub(crate) fn within(&self, store: u64, view: &Arc<Transform>) -> Option<(Arc<Reach>, Asked)> {
        let within = self.within.lock();
        let (_, _, reach, asked) = within.iter().find(|(of, seen, ..)| *of == store && seen == view)?;
        Some((reach.clone(), asked.clone()))
    }

    /// Keeps the elements in a view of a store.
    pub(crate) fn keep_within(&self, store: u64, view: &Arc<Transform>, reach: &Arc<Reach>, asked: &Asked) {
        let mut within = self.within.lock();
        if within.len() == MOST {
            within.remove(0);
        }
        within.push((store, view.clone(), reach.clone(), asked.agreed()));
    }
}

/// The known images of the newest values of a root, the newest last.
#[derive(Default)]
pub(crate) struct Images(Mutex<Known>);

#[derive(Default)]
struct Known {
    images: VecDeque<(Image, Arc<Reaches>)>,
    /// The number of times that the values changed.
    version: u64,
}

/// The number of images that are kept.
const MOST: usize = 4;

impl Images {
    /// Forgets all images, since there are new values.
    pub(crate) fn forget(&self) {
        let mut known = self.0.lock();
        known.images.clear();
        known.version += 1;
    }

    /// The number of times that the values changed.
    pub(crate) fn version(&self) -> u64 {
        self.0.lock().version
    }

    /// The elements that points reach through an image, if they are known; otherwise the version of the values for which to find them.
    pub(crate) fn known(&self, image: &Image) -> Result<Arc<Reaches>, u64> {
        let known = self.0.lock();
        let reaches = known.images.iter().find(|(known, _)| known == image);
        reaches.map(|(_, reaches)| reaches.clone()).ok_or(known.version)
    }

    /// Keeps the elements that points reach, which were found for a version of the values.
    pub(crate) fn keep(&self, image: Image, reaches: &Arc<Reaches>, version: u64) {
        let mut known = self.0.lock();
        // Another thread may have launched a writer meanwhile.
        if known.version == version {
            if known.images.len() == MOST {
                known.images.pop_front();
            }
            known.images.push_back((image, reaches.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `true` if the image of a store of `extent` elements had to be found.
    fn is_found(images: &Images, extent: i64, meanwhile: impl FnOnce()) -> bool {
        let (of, range) = (Arc::new(Transform::identity([extent].into()).unwrap()), Point::from([extent]));
        let tiles = Tiles::one(Rect::of(range)).into();
        let image = Image { of, types: TypeId::of::<i64>(), tiles, range, hint: ImageHint::MinMax, placement: None };
        match images.known(&image) {
            Ok(reaches) => {
                assert_eq!(reaches.points[0].1.bounds, Rect::of(range));
                false
            }
            Err(version) => {
                meanwhile();
                let reached = Reached { bounds: Rect::of(range), runs: None };
                images.keep(image, &Arc::new(Reaches::new(vec![(0, reached)])), version);
                true
            }
        }
    }

    #[test]
    fn the_newest_images_are_known_until_there_are_new_values() {
        let images = Images::default();
        let asked = [1, 2, 3, 4, 1, 2, 5, 2, 3, 4, 5, 1];
        let found = asked.map(|extent| is_found(&images, extent, || ()));
        assert_eq!(found, [true, true, true, true, false, false, true, false, false, false, false, true]);
        images.forget();
        assert!(is_found(&images, 5, || ()));
        // Values that came while an image was searched for.
        assert!(is_found(&images, 6, || images.forget()));
        assert!(is_found(&images, 6, || ()));
        assert!(!is_found(&images, 6, || ()));
    }
}
