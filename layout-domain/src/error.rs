//! The errors of domains and distributions.

use alloc::string::String;
use alloc::vec::Vec;

/// The reason why a domain, a distribution, or a part of one cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// A stride of zero.
    #[error("the stride of {range} is 0; a range goes on by 1 or more, or by -1 or less")]
    Stride {
        /// The range.
        range: String,
    },
    /// An index outside the index type.
    #[error("{what} of {of} is {index}, which a `{index_type}` does not hold")]
    Overflow {
        /// The role of the index.
        what: &'static str,
        /// The range.
        of: String,
        /// The index.
        index: i128,
        /// The index type.
        index_type: &'static str,
    },
    /// A number of indices that is greater than the extent of the range.
    #[error("{range} has no {asked} indices at one end; it is {extent} long")]
    Interior {
        /// The range.
        range: String,
        /// The number of indices that were asked for.
        asked: i128,
        /// The number of indices from the lowest to the highest bound; the stride is ignored.
        extent: i128,
    },
    /// Indices of a range that another range does not have, or not in its order.
    #[error("{part} is no part of {whole}: each of its indices must be one of them")]
    NotAPart {
        /// The range that is not a part.
        part: String,
        /// The range of which it should be a part.
        whole: String,
    },
    /// An index of a sparse domain that its parent does not have.
    #[error("index {index:?} is not in {domain}, whose indices a sparse domain has some of")]
    NotInParent {
        /// The index.
        index: Vec<i128>,
        /// The parent.
        domain: String,
    },
    /// Two domains that are walked together and have unequal lengths.
    #[error("{domain} and {other} have {len} and {other_len} indices along dimension {dim}; the lengths must be equal")]
    Lengths {
        /// The dimension.
        dim: usize,
        /// One domain.
        domain: String,
        /// Its length along the dimension.
        len: usize,
        /// The other domain.
        other: String,
        /// The other domain's length.
        other_len: usize,
    },
    /// A pick that keeps another number of dimensions than its type says.
    #[error("a slice that keeps {kept} dimensions was asked for as one of {asked}")]
    Rank {
        /// The number of dimensions that are kept.
        kept: usize,
        /// The number of dimensions of the type.
        asked: usize,
    },
    /// A bounding box without indices.
    #[error("the bounding box {bounds} has no index along dimension {dim}; blocks need one")]
    EmptyBox {
        /// The box.
        bounds: String,
        /// The dimension.
        dim: usize,
    },
    /// A block of no indices.
    #[error("blocks of 0 indices along dimension {dim}; a block has 1 or more")]
    BlockSize {
        /// The dimension.
        dim: usize,
    },
    /// A distribution without locales.
    #[error("no locale is given; a distribution needs one")]
    NoLocale,
    /// A grid whose number of places differs from the number of locales.
    #[error("a grid of {shape:?} has {places} places, and {given} locales are given")]
    Grid {
        /// The grid.
        shape: Vec<usize>,
        /// The number of places.
        places: usize,
        /// The number of locales.
        given: usize,
    },
    /// A locale that is given twice.
    #[error("locale {locale} is given twice; each locale has one place in the grid")]
    Duplicate {
        /// The locale.
        locale: usize,
    },
    /// A halo that reaches beyond a neighbor.
    #[error(
        "locale {locale} needs {source_indices} for its halo, which locale {neighbor} has only in part: \
         the halo {halo:?} is wider than the neighbor's block; use fewer locales, or a narrower halo"
    )]
    Halo {
        /// The locale that has the halo.
        locale: usize,
        /// The neighbor.
        neighbor: usize,
        /// The indices that the halo shows.
        source_indices: String,
        /// The widths of the halo, in elements.
        halo: Vec<usize>,
    },
    /// A number of a mapper function that is not the number of a target locale.
    #[error("the mapper of a hashed distribution gave {given} for {key}; there are {count} target locales, from 0")]
    Mapper {
        /// The key.
        key: String,
        /// The number that the mapper returned.
        given: usize,
        /// The number of target locales.
        count: usize,
    },
    /// A distribution that gives an index to two locales, or twice to one.
    #[error("index {index:?} lies in the local parts of locale {first} and of locale {second}; it must lie in one")]
    OwnedTwice {
        /// The index.
        index: Vec<i128>,
        /// A locale that has the index.
        first: usize,
        /// Another locale, or the same one.
        second: usize,
    },
    /// A distribution that gives an index to no locale.
    #[error("index {index:?} lies in no locale's local part")]
    OwnedByNobody {
        /// The index.
        index: Vec<i128>,
    },
    /// A distribution whose `owner` and `local` contradict each other.
    #[error("the owner of index {index:?} is {owner:?}, and it lies in the local part of locale {local}")]
    OtherOwner {
        /// The index.
        index: Vec<i128>,
        /// The result of `owner`.
        owner: Option<usize>,
        /// The locale with the index in its result of `local`.
        local: usize,
    },
    /// A distribution whose `grid` and `local` contradict each other.
    #[error("by the grid of parts locale {locale} has {grid}, and {local} as its local part")]
    OtherGrid {
        /// The locale.
        locale: usize,
        /// The parts of `grid`.
        grid: String,
        /// The result of `local`.
        local: String,
    },
    /// A distribution with a local part that is not in the domain.
    #[error("locale {locale} has {part}, which is no part of {domain}")]
    Outside {
        /// The locale.
        locale: usize,
        /// Its part.
        part: String,
        /// The domain.
        domain: String,
    },
}
