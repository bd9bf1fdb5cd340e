//! Views whose uses are observed.

#[cfg(feature = "alloc")]
use core::num::NonZeroUsize;

use super::View;
use crate::blob::{Blobs, Observed, Observer};
#[cfg(feature = "alloc")]
use crate::blob::{Heat, Trace};
use crate::mapping::Mapping;

impl<M: Mapping, B: Blobs> View<M, B> {
    /// Attaches `observer` to this view: the observer sees each use of a leaf from now on.
    ///
    /// The mapping stays the same, so kernels run on the view unchanged, in parallel too. The leaves give no references
    /// and no slices, whose uses could not be seen. Observers nest.
    ///
    /// # Examples
    ///
    /// See [`Observer`].
    #[must_use]
    pub fn observe<O: Observer>(self, observer: O) -> View<M, Observed<B, O>> {
        // SAFETY: the blobs are the same.
        unsafe { View::trusted(self.mapping, Observed { blobs: self.blobs, observer }) }
    }

    /// Counts how often each leaf of this view is read and written from now on; see [`observe`](Self::observe).
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
    /// let uses = particles.observer().uses();
    /// println!("{uses}");
    /// let counts: Vec<_> = uses.leaves().iter().map(|leaf| (leaf.reads, leaf.writes)).collect();
    /// assert_eq!(counts, [(100, 100), (100, 0), (0, 0)]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn trace(self) -> View<M, Observed<B, Trace>> {
        self.observe(Trace::new::<M::Record>())
    }

    /// Counts how often each block of `block` bytes of this view is used from now on; see [`observe`](Self::observe).
    ///
    /// # Examples
    ///
    /// See [`Heat`].
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn heat_map(self, block: NonZeroUsize) -> View<M, Observed<B, Heat>> {
        let heat = Heat::new(&self.mapping, block);
        self.observe(heat)
    }
}

impl<M: Mapping, B: Blobs, O: Observer> View<M, Observed<B, O>> {
    /// The observer.
    pub fn observer(&self) -> &O {
        &self.blobs.observer
    }

    /// The observer, mutably, for example to restart its counts at zero.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.blobs.observer
    }

    /// Detaches the observer, and returns this view and the observer.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut traced = alloc::<f32, SoA, _>(3)?.trace();
    /// traced.set(1, 2.0);
    /// let (view, trace) = traced.unobserved();
    /// assert_eq!((view.get(1), trace.uses().leaves()[0].writes), (2.0, 1));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn unobserved(self) -> (View<M, B>, O) {
        let Observed { blobs, observer } = self.blobs;
        // SAFETY: the blobs are the same.
        (unsafe { View::trusted(self.mapping, blobs) }, observer)
    }
}
