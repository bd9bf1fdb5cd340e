//! What is refused, and why.

use alloc::string::String;
use alloc::vec::Vec;

/// Why there is no such domain, distribution, or part of one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// A stride of zero.
    #[error("the stride of {range} is 0; a range goes on by 1 or more, or by -1 or less")]
    Stride {
        /// The range.
        range: String,
    },
    /// An index that the index type does not have.
    #[error("{what} of {of} is {index}, which a `{index_type}` does not hold")]
    Overflow {
        /// Which index it is.
        what: &'static str,
        /// The range.
        of: String,
        /// The index.
        index: i128,
        /// The index type.
        index_type: &'static str,
    },
    /// More indices were asked for than the range has.
    #[error("{range} has no {asked} indices at one end; it is {extent} long")]
    Interior {
        /// The range.
        range: String,
        /// How many indices were asked for.
        asked: i128,
        /// How many there are, from the lowest to the highest index, stride or not.
        extent: i128,
    },
    /// Indices of a range that are not those of another one, or not in its order.
    #[error("{part} is no part of {whole}: each of its indices must be one of them")]
    NotAPart {
        /// The range that is not a part.
        part: String,
        /// What it should be a part of.
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
    /// Two domains of unequal lengths, index by index.
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
    /// A slice that keeps another number of dimensions than its type says.
    #[error("a slice that keeps {kept} dimensions was asked for as one of {asked}")]
    Rank {
        /// How many dimensions are kept.
        kept: usize,
        /// How many the type says.
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
    /// No locale at all.
    #[error("no locale is given; a distribution needs one")]
    NoLocale,
    /// A grid of locales that is not the locales given.
    #[error("a grid of {shape:?} has {places} places, and {given} locales are given")]
    Grid {
        /// The grid.
        shape: Vec<usize>,
        /// Its places.
        places: usize,
        /// The locales.
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
        /// The locale whose halo it is.
        locale: usize,
        /// The neighbor.
        neighbor: usize,
        /// The indices that the halo shows.
        source_indices: String,
        /// The widths of the halo, in elements.
        halo: Vec<usize>,
    },
    /// A function of the program that gave no target locale.
    #[error("the mapper of a hashed distribution gave {given} for {key}; there are {count} target locales, from 0")]
    Mapper {
        /// The key.
        key: String,
        /// What it gave.
        given: usize,
        /// How many locales there are.
        count: usize,
    },
    /// A distribution that gives an index to two locales, or to one twice.
    #[error("index {index:?} lies in the local parts of locale {first} and of locale {second}; it must lie in one")]
    OwnedTwice {
        /// The index.
        index: Vec<i128>,
        /// A locale that has it.
        first: usize,
        /// Another one, or the same.
        second: usize,
    },
    /// A distribution that gives an index to nobody.
    #[error("index {index:?} lies in no locale's local part")]
    OwnedByNobody {
        /// The index.
        index: Vec<i128>,
    },
    /// A distribution whose two answers are not one.
    #[error("the owner of index {index:?} is {owner:?}, and it lies in the local part of locale {local}")]
    OtherOwner {
        /// The index.
        index: Vec<i128>,
        /// What `owner` says.
        owner: Option<usize>,
        /// What `local` says.
        local: usize,
    },
    /// A distribution whose grid of parts has other parts than it says of a locale alone.
    #[error("by the grid of parts locale {locale} has {grid}, and {local} as its local part")]
    OtherGrid {
        /// The locale.
        locale: usize,
        /// What `grid` says.
        grid: String,
        /// What `local` says.
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
