//! Distributions of the tests of expressions, by number, so that programs of any locale make the same ones.

use layout_domain::{
    AnyAxis, Block, BlockCyclic, Cyclic, Dimensional, Domain, DomainError, DomainMap, StridedRange, Targets,
};
use layout_store::{Builder, Runtime};

/// The number of distributions.
pub(crate) const MAPS: usize = 4;

pub(crate) type Map<const N: usize> = Box<dyn DomainMap<N> + Send + Sync>;

/// Two tiles for each locale.
pub(crate) fn builder(locales: usize) -> Builder {
    Runtime::builder().locales(locales).threads(1).pieces(2 * locales).min_chunk(1).whole_below(0)
}

/// A distribution over so many locales. Indices of blocks are from -4 to 12: of a smaller domain, some locales have none.
pub(crate) fn map<const N: usize>(number: usize, locales: usize) -> Result<Map<N>, DomainError> {
    let targets = Targets::<N>::all(locales)?;
    Ok(match number {
        0 => Box::new(Block::over(&Domain::new([StridedRange::from(-4..=12); N]), targets)?),
        1 => Box::new(Cyclic::new([1; N], targets)),
        2 => Box::new(BlockCyclic::new([0; N], [2; N], targets)?),
        _ => {
            let mut axes = [AnyAxis::cyclic(3); N];
            for (dim, axis) in axes.iter_mut().enumerate().skip(1) {
                *axis = if dim == 1 { AnyAxis::block(-4..=12)? } else { AnyAxis::block_cyclic(1, 3)? };
            }
            Box::new(Dimensional::of(axes, targets))
        }
    })
}
