//! Short names of types that own records, with a default for the layout.

use crate::{DynExtents, Mapped, Owned, RecordVec, SoA};

/// A view that owns its memory, in row-major order, with `N` dimensions whose extents are known at run time.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// struct Simulation {
///     heat: ViewOf<f64, 2>,
///     weights: ViewOf<f32>, // one dimension
///     pixels: ViewOf<[u8; 3], 2, AoS>,
/// }
/// let simulation = Simulation { heat: alloc([64, 64])?, weights: alloc(100)?, pixels: alloc([4, 4])? };
/// assert_eq!(simulation.heat.get([63, 63]), 0.0);
/// assert_eq!((simulation.weights.len(), simulation.pixels.len()), (100, 16));
/// # Ok::<(), ViewError>(())
/// ```
pub type ViewOf<R, const N: usize = 1, L = SoA> = Owned<Mapped<R, DynExtents<N>, L>>;

/// A vector of records, in `SoA` unless another layout is given.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Particle { pos: [f32; 2], mass: f32 }
///
/// #[derive(Default)]
/// struct Cloud {
///     particles: VecOf<Particle>,
///     alive: VecOf<bool, AoS>,
/// }
/// let mut cloud = Cloud::default();
/// cloud.particles.push(Particle { pos: [0.0; 2], mass: 2.0 });
/// cloud.alive.push(true);
/// assert_eq!(cloud.particles.at(0).mass.get(), 2.0);
/// ```
pub type VecOf<R, L = SoA> = RecordVec<R, L>;
