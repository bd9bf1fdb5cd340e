//! What there is to copy for each element, found out once from where the mappings place its leaves.

use super::places::Side;
use super::shuffle;

/// The most leaves in a plan; records with more are copied so many leaves at a time.
pub(super) const MAX_FIELDS: usize = 64;

/// Where a leaf lies at position 0.
#[derive(Clone, Copy)]
struct Spot {
    blob: Option<usize>,
    bytes: *mut u8,
}

impl Spot {
    const NONE: Self = Self { blob: None, bytes: core::ptr::null_mut() };

    /// Whether `next` lies `size` bytes further in the same blob.
    fn is_before(self, next: Self, size: usize) -> bool {
        self.blob == next.blob && self.bytes.addr().checked_add(size) == Some(next.bytes.addr())
    }
}

/// One leaf, or several that lie side by side on both sides.
#[derive(Clone, Copy)]
pub(super) struct Field {
    /// The number of the leaf on each side; of the first, if there are several.
    pub(super) to: usize,
    pub(super) from: usize,
    /// The size of all of them in bytes.
    pub(super) size: usize,
    /// The distance between neighbours in bytes.
    pub(super) to_stride: isize,
    pub(super) from_stride: isize,
    pub(super) work: Work,
    /// How many fields, from this one on, are copied together.
    pub(super) group: usize,
}

impl Field {
    /// How many fields are copied at once in a block; `None` if whole rows are.
    pub(super) fn together(&self) -> Option<usize> {
        match self.work {
            Work::Row => None,
            Work::Run | Work::Each => Some(1),
            Work::Gather | Work::Scatter => Some(shuffle::together(self.size)),
        }
    }
}

/// How a field is copied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// A whole row is one piece of memory on both sides.
    Row,
    /// Neighbours in one run lie one after another on both sides.
    Run,
    /// Value by value.
    Each,
    /// From values side by side in each element to a column each.
    Gather,
    /// The other way round.
    Scatter,
}

/// The fields to copy.
pub(super) struct Plan {
    fields: [Field; MAX_FIELDS],
    len: usize,
    /// Bytes of an element in fields that are not copied by whole rows.
    pub(super) block_bytes: usize,
}

impl Plan {
    /// The plan for these pairs of leaves, each with its size; no more than [`MAX_FIELDS`].
    ///
    /// # Safety
    ///
    /// The records have these leaves. The mappings have two positions or more, as do their runs; the views are
    /// borrowed.
    pub(super) unsafe fn new(
        to: &dyn Side,
        from: &dyn Side,
        pairs: &mut dyn Iterator<Item = (usize, usize, usize)>,
    ) -> Self {
        let none = Field { to: 0, from: 0, size: 0, to_stride: 0, from_stride: 0, work: Work::Each, group: 1 };
        let mut plan = Self { fields: [none; MAX_FIELDS], len: 0, block_bytes: 0 };
        let mut spots = [(Spot::NONE, Spot::NONE); MAX_FIELDS];
        // Where runs have no end, what lies side by side at one position does so at all.
        let endless = to.is_endless() && from.is_endless();
        for (to_leaf, from_leaf, size) in pairs {
            // SAFETY: the conditions are the caller's.
            let (to_spot, to_stride) = unsafe { probe(to, to_leaf) };
            // SAFETY: as above.
            let (from_spot, from_stride) = unsafe { probe(from, from_leaf) };
            if let Some(last) = plan.len.checked_sub(1).filter(|_| endless) {
                let (field, (last_to, last_from)) = (&mut plan.fields[last], spots[last]);
                if (field.to_stride, field.from_stride) == (to_stride, from_stride)
                    && last_to.is_before(to_spot, field.size)
                    && last_from.is_before(from_spot, field.size)
                {
                    field.size += size;
                    continue;
                }
            }
            spots[plan.len] = (to_spot, from_spot);
            plan.fields[plan.len] =
                Field { to: to_leaf, from: from_leaf, size, to_stride, from_stride, work: Work::Each, group: 1 };
            plan.len += 1;
        }
        plan.choose(&spots, to.is_endless(), from.is_endless());
        plan
    }

    /// The fields, in the order of the pairs.
    pub(super) fn fields(&self) -> &[Field] {
        &self.fields[..self.len]
    }

    /// Chooses how each field is copied.
    fn choose(&mut self, spots: &[(Spot, Spot)], to_endless: bool, from_endless: bool) {
        let mut k = 0;
        while k < self.len {
            let field = self.fields[k];
            let size = field.size.cast_signed();
            let (to_column, from_column) = (field.to_stride == size, field.from_stride == size);
            let (work, group) = match (to_column, from_column) {
                (true, true) if to_endless && from_endless => (Work::Row, 1),
                (true, true) => (Work::Run, 1),
                (true, false) if from_endless => (Work::Gather, self.neighbours(k, spots, |(_, from)| from)),
                (false, true) if to_endless => (Work::Scatter, self.neighbours(k, spots, |(to, _)| to)),
                _ => (Work::Each, 1),
            };
            let together = shuffle::together(field.size);
            let grouped = together > 0 && group >= together;
            let (work, group) = match work {
                Work::Gather | Work::Scatter if !grouped => (Work::Each, 1),
                work => (work, group),
            };
            for field in &mut self.fields[k..k + group] {
                field.work = work;
                if work != Work::Row {
                    self.block_bytes += field.size;
                }
            }
            self.fields[k].group = group;
            k += group;
        }
    }

    /// How many fields from `first` on are of one size and lie side by side on one side, equally far from their
    /// neighbours.
    fn neighbours(&self, first: usize, spots: &[(Spot, Spot)], side: impl Fn((Spot, Spot)) -> Spot) -> usize {
        let one = self.fields[first];
        let alike = |k: usize| {
            let field = self.fields[k];
            (field.size, field.to_stride, field.from_stride) == (one.size, one.to_stride, one.from_stride)
                && side(spots[k - 1]).is_before(side(spots[k]), one.size)
        };
        1 + (first + 1..self.len).take_while(|k| alike(*k)).count()
    }
}

/// Where leaf `leaf` lies at position 0, and the distance in bytes to the next element of a row.
///
/// # Safety
///
/// As [`Plan::new`].
unsafe fn probe(side: &dyn Side, leaf: usize) -> (Spot, isize) {
    let mut spots = [core::ptr::null_mut(); 2];
    // SAFETY: the conditions are the caller's.
    unsafe { side.spots(&[0, 1], leaf, &mut spots) };
    let [bytes, next] = spots;
    let distance = next.addr().wrapping_sub(bytes.addr()).cast_signed();
    (Spot { blob: side.blob(&[0], leaf), bytes }, distance.wrapping_mul(side.step()))
}
