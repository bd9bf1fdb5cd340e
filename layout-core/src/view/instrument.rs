//! Views whose uses are counted.

use core::num::NonZeroUsize;

use super::View;
use crate::blob::{Blobs, Heat, Heated, Traced, Uses};
use crate::mapping::Mapping;

impl<M: Mapping, B: Blobs> View<M, B> {
    /// This view, which counts how often each leaf is read and written from now on.
    ///
    /// The mapping stays: kernels run on it as they are, in parallel too. Its leaves give no references and no slices,
    /// which could not be counted. Traces and heat maps nest.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: f32, vel: f32, mass: f32 }
    ///
    /// let mut particles = alloc::<Particle, AoS, _>(100)?.trace();
    /// particles.for_each_mut(|mut p| p.pos += p.vel.get());
    /// println!("{}", particles.uses());
    /// let counts: Vec<_> = particles.uses().leaves().iter().map(|leaf| (leaf.reads, leaf.writes)).collect();
    /// assert_eq!(counts, [(100, 100), (100, 0), (0, 0)]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn trace(self) -> View<M, Traced<B>> {
        // SAFETY: the blobs are the same.
        unsafe { View::trusted(self.mapping, Traced::new::<M::Record>(self.blobs)) }
    }

    /// This view, which counts how often each block of `block` bytes is used from now on; else as
    /// [`trace`](Self::trace).
    ///
    /// # Examples
    ///
    /// See [`Heat`].
    #[must_use]
    pub fn heat_map(self, block: NonZeroUsize) -> View<M, Heated<B>> {
        let blobs = Heated::new(self.blobs, &self.mapping, block);
        // SAFETY: the blobs are the same.
        unsafe { View::trusted(self.mapping, blobs) }
    }
}

impl<M: Mapping, B: Blobs> View<M, Traced<B>> {
    /// How often each leaf was used; see [`trace`](View::trace).
    pub fn uses(&self) -> Uses {
        self.blobs.uses::<M::Record>()
    }

    /// Counts from zero again.
    pub fn reset_uses(&mut self) {
        self.blobs.reset();
    }

    /// This view, which counts no more.
    #[must_use]
    pub fn untraced(self) -> View<M, B> {
        // SAFETY: the blobs are the same.
        unsafe { View::trusted(self.mapping, self.blobs.blobs) }
    }
}

impl<M: Mapping, B: Blobs> View<M, Heated<B>> {
    /// How often each block of bytes was used; see [`heat_map`](View::heat_map).
    pub fn heat(&self) -> &Heat {
        self.blobs.heat()
    }

    /// This view, which counts no more.
    #[must_use]
    pub fn unheated(self) -> View<M, B> {
        // SAFETY: the blobs are the same.
        unsafe { View::trusted(self.mapping, self.blobs.blobs) }
    }
}
