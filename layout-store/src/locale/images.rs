//! Images that are known, so that launches need not wait for values that did not change.

use core::any::TypeId;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::error::StoreError;
use crate::geometry::{Point, Rect, Transform};
use crate::partition::ImageHint;
use crate::sync::Mutex;

/// All that the image of a function depends on, but for its values.
#[derive(PartialEq, Eq)]
pub(crate) struct Image {
    /// How the function shows its root.
    pub(crate) of: Arc<Transform>,
    /// The function's record, and the rank of the range.
    pub(crate) types: TypeId,
    pub(crate) tiles: Box<[Rect]>,
    /// The extents of the range.
    pub(crate) range: Point,
    pub(crate) hint: ImageHint,
}

/// What the values of one tile point to.
#[derive(Clone)]
pub(crate) struct Reached {
    /// The smallest box around all that counts.
    pub(crate) bounds: Rect,
    /// The very elements, if they are wanted.
    pub(crate) runs: Option<Arc<[Rect]>>,
}

/// The images of a root that are known for its newest values, newest last.
#[derive(Default)]
pub(crate) struct Images(Mutex<Known>);

#[derive(Default)]
struct Known {
    images: VecDeque<(Image, Vec<Reached>)>,
    /// How often there were new values.
    version: u64,
}

/// So many are kept.
const MOST: usize = 4;

impl Images {
    /// Forgets all: there are new values.
    pub(crate) fn forget(&self) {
        let mut known = self.0.lock();
        known.images.clear();
        known.version += 1;
    }

    /// What each tile of an image reaches; what `find` says, if it is not known.
    pub(crate) fn reached(
        &self,
        image: Image,
        find: impl FnOnce() -> Result<Vec<Reached>, StoreError>,
    ) -> Result<Vec<Reached>, StoreError> {
        let version = {
            let known = self.0.lock();
            if let Some((_, reached)) = known.images.iter().find(|(known, _)| *known == image) {
                return Ok(reached.clone());
            }
            known.version
        };
        let reached = find()?;
        let mut known = self.0.lock();
        // Meanwhile another thread may have launched what writes.
        if known.version == version {
            if known.images.len() == MOST {
                known.images.pop_front();
            }
            known.images.push_back((image, reached.clone()));
        }
        Ok(reached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the image of a store of `extent` elements had to be found.
    fn is_found(images: &Images, extent: i64, meanwhile: impl FnOnce()) -> bool {
        let (of, range) = (Arc::new(Transform::identity([extent].into()).unwrap()), Point::from([extent]));
        let tiles = Box::new([Rect::of(range)]);
        let image = Image { of, types: TypeId::of::<i64>(), tiles, range, hint: ImageHint::MinMax };
        let mut found = false;
        let reached = images.reached(image, || {
            found = true;
            meanwhile();
            Ok(vec![Reached { bounds: Rect::of(range), runs: None }])
        });
        assert_eq!(reached.unwrap()[0].bounds, Rect::of(range));
        found
    }

    #[test]
    fn the_newest_images_are_known_until_there_are_new_values() {
        let images = Images::default();
        let asked = [1, 2, 3, 4, 1, 2, 5, 2, 3, 4, 5, 1];
        let found = asked.map(|extent| is_found(&images, extent, || ()));
        assert_eq!(found, [true, true, true, true, false, false, true, false, false, false, false, true]);
        images.forget();
        assert!(is_found(&images, 5, || ()));
        // Values that came while an image was looked for.
        assert!(is_found(&images, 6, || images.forget()));
        assert!(is_found(&images, 6, || ()));
        assert!(!is_found(&images, 6, || ()));
    }
}
