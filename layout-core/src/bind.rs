//! Construction of slots: an access is copied to each leaf.
//!
//! In memory, a struct of slots is an array with one access for each leaf, since slots hold nothing else. So it is made
//! by filling memory, and not field by field. A kernel uses some of the slots, and LLVM must remove all others, anew in
//! each kernel. If LLVM looks at each slot, N kernels over N leaves cost N² slots.
//!
//! 1. Up to 16 accesses are written one by one.
//! 2. More accesses are copied from one block of accesses. LLVM's pass SROA cuts the slots that a kernel uses out of the struct; the memory
//!    between them is written and never read, and is removed as a whole: N/16 copies instead of N.
//! 3. The block must stay whole meanwhile: if SROA cuts the block, it also cuts every copy of the block, and so all
//!    slots. SROA does not touch memory that is read at an unknown offset. The offset here is a variable, `zero`, whose
//!    value SROA itself substitutes. The next pass (EarlyCSE) then replaces the reads of a kernel by the values that
//!    were written to the block, before any pass looks at loops.
//! 4. EarlyCSE compares addresses by their form. So the block is written by one copy, and SROA divides that copy in the
//!    same way as the copies that read the block: by offsets from the start, and not by offsets from an access.

use core::mem::MaybeUninit;

use crate::record::Record;
use crate::tree::Node;

/// The number of accesses that the slots of `R` hold.
pub(crate) struct Held<R>(R);

impl<R: Record> Held<R> {
    pub(crate) const COUNT: usize = held(R::TREE);
    /// The number of accesses in a block, chosen so that there are at most 64 blocks.
    const BLOCK: usize = if Self::COUNT <= 1024 { 16 } else { MOST };
}

/// The most accesses in a block; a record has at most 4096 leaves.
pub(crate) const MOST: usize = 64;

const fn held(node: &Node) -> usize {
    match node {
        // The slots of an array make the slots of an element on request.
        Node::Leaf(_) | Node::Array { .. } => 1,
        Node::Branch { fields, .. } => {
            let (mut count, mut i) = (0, 0);
            while i < fields.len() {
                count += held(fields[i].node());
                i += 1;
            }
            count
        }
        Node::List(..) => 0,
    }
}

/// Writes the accesses of the slots of `R`, from `first` on.
///
/// # Safety
///
/// There is room for as many, and `zero` is 0.
#[inline(always)]
pub(crate) unsafe fn fill<R: Record, A: Copy>(first: *mut A, access: A, zero: &usize) {
    let (mut written, mut block) = (MaybeUninit::<[A; MOST]>::uninit(), MaybeUninit::<[A; MOST]>::uninit());
    let (written, block) = (written.as_mut_ptr().cast::<A>(), block.as_mut_ptr().cast::<A>());
    each!(I if I < Held::<R>::BLOCK => {
        // SAFETY: the block has room for as many accesses.
        unsafe { written.wrapping_add(I).copy_from_nonoverlapping(&raw const access, 1) };
    });
    // SAFETY: both have room for as many, which are written.
    unsafe { block.copy_from_nonoverlapping(written, const { Held::<R>::BLOCK }) };
    let block = block.wrapping_add(*zero);
    each!(I if I * Held::<R>::BLOCK < Held::<R>::COUNT => {
        let rest = Held::<R>::COUNT - I * Held::<R>::BLOCK;
        let len = if rest < Held::<R>::BLOCK { rest } else { Held::<R>::BLOCK };
        // SAFETY: there is room for as many accesses, and the block has them.
        unsafe { first.wrapping_add(I * Held::<R>::BLOCK).copy_from_nonoverlapping(block, len) };
    });
}

/// Runs `$do` for each of these constant numbers for which the constant condition holds; without a list, for the numbers below 64.
macro_rules! each {
    ($i:ident if $condition:expr => $do:block) => {
        each!($i if $condition => $do;
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
            32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63)
    };
    ($i:ident if $condition:expr => $do:block; $($number:literal)+) => {$({
        const $i: usize = $number;
        if const { $condition } $do
    })+};
}
pub(crate) use each;
