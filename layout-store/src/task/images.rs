//! Images that are known, so that launches need not wait for values that did not change.

use core::any::TypeId;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::error::StoreError;
use crate::partition::ImageHint;
use crate::rect::Rect;
use crate::sync::Mutex;
use crate::transform::Transform;

/// All that the image of a function depends on, but for its values.
#[derive(PartialEq, Eq)]
pub(super) struct Image {
    /// How the function shows its root.
    pub(super) of: Arc<Transform>,
    /// The function's record, and the rank of the range.
    pub(super) types: TypeId,
    pub(super) tiles: Box<[Rect]>,
    pub(super) hint: ImageHint,
}

/// The images of a root that are known for its newest values, newest last.
#[derive(Default)]
pub(crate) struct Images(Mutex<Known>);

#[derive(Default)]
struct Known {
    images: VecDeque<(Image, Vec<Rect>)>,
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

    /// The boxes of an image; what `find` says, if it is not known.
    pub(super) fn bounds_of(
        &self,
        image: Image,
        find: impl FnOnce() -> Result<Vec<Rect>, StoreError>,
    ) -> Result<Vec<Rect>, StoreError> {
        let version = {
            let known = self.0.lock();
            if let Some((_, bounds)) = known.images.iter().find(|(known, _)| *known == image) {
                return Ok(bounds.clone());
            }
            known.version
        };
        let bounds = find()?;
        let mut known = self.0.lock();
        // Meanwhile another thread may have launched what writes.
        if known.version == version {
            if known.images.len() == MOST {
                known.images.pop_front();
            }
            known.images.push_back((image, bounds.clone()));
        }
        Ok(bounds)
    }
}
