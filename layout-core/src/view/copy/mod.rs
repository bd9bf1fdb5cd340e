//! Copies of all elements from one view to another, whatever their layouts.
//!
//! ```text
//! whole rows     leaves that lie one after another on both sides: each is one piece of memory
//! blocks         the rest, some 8 KiB at a time: runs as they are, records to columns by transposes in registers
//! records        element by element, through slots: where leaves have no address, or runs or rows are short
//! ```
//!
//! What is done for a leaf follows from where the mappings say that it lies: how far apart neighbours lie on either
//! side, whether others lie beside it, where runs end. No layout is known by its type.

mod block;
mod image;
mod pairs;
mod places;
mod plan;
mod shuffle;
mod stream;

use core::any::Any;
use core::marker::PhantomData;

use block::Blocks;
use pairs::{Pairs, Same};
use places::Mapped;
use plan::{MAX_FIELDS, Plan};

use super::opened::Opened;
use super::walk::{Elements, Rows, Walk};
use super::zip::{Zip, try_zip};
use super::{ArrayOf, View};
use crate::blob::{Address, Blobs, BlobsMut};
use crate::error::ZipError;
use crate::extents::Extents;
use crate::mapping::{Mapping, RecordLayout};
use crate::tree::LeafTable;

/// Copies to a target of at least so many bytes are written past the cache.
const LARGE: usize = 8 << 20;
/// Shorter runs and rows are copied record by record.
const SHORT: usize = 8;

/// Two views opened together, the first to be written and the second to be read.
type Both<'t, 'f, M, A, N, B> = (Opened<&'t mut (), M, A>, Opened<&'f (), N, B>);

/// Copies some rows, or of each only the elements from the first number on, as many as the second says.
type CopyPart<'f, A> = &'f (dyn Fn(Rows<A>, usize, usize) + Sync);

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// Copies all elements of `source`, whose layout may be another.
    ///
    /// # Errors
    ///
    /// Where the extents differ; nothing is written then.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let aos = alloc_from_fn::<[u32; 2], AoS, _>(100, |[i]| [i as u32, 7])?;
    /// let mut soa = alloc::<[u32; 2], SoA, _>(100)?;
    /// assert!(soa.copy_from(&aos).is_ok());
    /// assert_eq!(soa, aos);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn copy_from<N, C>(&mut self, source: &View<N, C>) -> Result<(), ZipError>
    where
        N: Mapping<Record = M::Record, Extents: Extents<Array = ArrayOf<M>>>,
        C: Blobs,
    {
        copy::<Same, _, _, _, _>(try_zip((self, source))?);
        Ok(())
    }
}

/// Whether every leaf of both mappings lies at an address, as plain bytes of its value.
const fn are_addressed<M: Mapping, N: Mapping>() -> bool {
    true
}

fn copy<P, M, A, N, B>(zip: Zip<Both<'_, '_, M, A, N, B>>)
where
    P: Pairs<M::Record, N::Record>,
    M: Mapping,
    A: Address,
    N: Mapping<Extents: Extents<Array = ArrayOf<M>>>,
    B: Address,
{
    match Copy::<P, M, A, N, B>::of(&zip) {
        Some(copy) => copy.parts(|rows, copy_part| copy_part(rows, 0, rows.row_len())),
        None => zip.for_each(|(mut to, from)| P::copy(&mut to, &from)),
    }
}

/// A copy by rows and blocks.
struct Copy<P, M: Mapping, A, N: Mapping, B> {
    to: (Elements<M>, Mapped<M, A>),
    from: (Elements<N>, Mapped<N, B>),
    rows: Rows<ArrayOf<M>>,
    past_cache: bool,
    pairs: PhantomData<fn() -> P>,
}

impl<P, M, A, N, B> Copy<P, M, A, N, B>
where
    P: Pairs<M::Record, N::Record>,
    M: Mapping,
    A: Address,
    N: Mapping<Extents: Extents<Array = ArrayOf<M>>>,
    B: Address,
{
    /// The copy between these views, unless it had better be done record by record.
    fn of(zip: &Zip<Both<'_, '_, M, A, N, B>>) -> Option<Self> {
        if const { !are_addressed::<M, N>() || M::Layout::RUN < SHORT || N::Layout::RUN < SHORT } {
            return None;
        }
        let (to, from) = &zip.walk;
        let (to_mapping, from_mapping) = (to.elements.mapping, from.elements.mapping);
        let extents = to_mapping.extents().array();
        let one = same_positions(&to_mapping, &from_mapping);
        let rows = if one { Rows::new(extents, zip.rows.nest(), true) } else { zip.rows };
        let strided = Elements::<M>::STRIDED && Elements::<N>::STRIDED;
        if !(one || strided) || rows.row_len() < SHORT || to_mapping.slots() < 2 || from_mapping.slots() < 2 {
            return None;
        }
        let table = LeafTable::of::<M::Record>();
        let bytes = (0..P::COUNT).map(|pair| table.leaf(P::pair(pair).0).size()).sum::<usize>();
        let (to_step, from_step) = if one { (1, 1) } else { (to.elements.step, from.elements.step) };
        Some(Self {
            to: (to.elements, Mapped { address: to.address, frame: to.frame, step: to_step }),
            from: (from.elements, Mapped { address: from.address, frame: from.frame, step: from_step }),
            rows,
            past_cache: bytes.saturating_mul(rows.left() * rows.row_len()) >= LARGE,
            pairs: PhantomData,
        })
    }

    /// Copies all rows, in parts that `divide` makes of them.
    fn parts(&self, divide: impl Fn(Rows<ArrayOf<M>>, CopyPart<'_, ArrayOf<M>>)) {
        let table = LeafTable::of::<M::Record>();
        for first in (0..P::COUNT).step_by(MAX_FIELDS) {
            let mut pairs = (first..P::COUNT.min(first + MAX_FIELDS)).map(|pair| {
                let (to, from) = P::pair(pair);
                (to, from, table.leaf(to).size())
            });
            // SAFETY: the sides are of views that are opened, and whose mappings have two positions or more.
            let plan = unsafe { Plan::new(&self.to.1, &self.from.1, &mut pairs) };
            let blocks = Blocks { to: &self.to.1, from: &self.from.1, plan: &plan, past_cache: self.past_cache };
            divide(self.rows, &|mut rows, first, len| {
                let mut workspace = blocks.workspace();
                while let Some((index, _)) = rows.next() {
                    let to = advance(self.to.0.row(index).0, first, self.to.1.step);
                    let from = advance(self.from.0.row(index).0, first, self.from.1.step);
                    // SAFETY: the positions are those of elements of the row.
                    unsafe { blocks.row(&mut workspace, to, from, len) };
                }
                if self.past_cache {
                    stream::finish();
                }
            });
        }
    }
}

/// Whether both mappings give each index the same position, and no position below their number is left out.
fn same_positions<M: Mapping, N: Mapping>(to: &M, from: &N) -> bool {
    let (ours, theirs) = (to.linearization(), from.linearization());
    let ours: &dyn Any = &ours;
    let extents = to.extents();
    ours.downcast_ref::<N::Linearization>() == Some(&theirs)
        && extents.volume() == Some(to.slots())
        && to.slots() == from.slots()
}

/// The position `len` steps further.
#[inline(always)]
fn advance(flat: usize, len: usize, step: isize) -> usize {
    flat.wrapping_add_signed(step.wrapping_mul(len.cast_signed()))
}
