//! Making slots: an access, copied to each leaf.
//!
//! A struct of slots is, in memory, an array of one access for each leaf, since that is all that slots hold. So it is made
//! by filling memory, and not field by field: by blocks of 1, 2, 4, ... accesses, of which each is two of the block before.
//! LLVM makes stores of single words of that, once for each record and access, and removes those that a kernel does not
//! use.
//!
//! 1. The first copy is made word by word. Copied as a whole, it is a move of some words from one place in memory for
//!    each leaf, and each move is cut by LLVM in each kernel: 400 kernels over 400 leaves (SoA) took 44 G instructions of
//!    rustc, and take 27.
//! 2. A loop that fills the first block is faster still to compile (20 G), and hides the block from the passes that find
//!    `memset` and equal strides; with `opt-level = "s"` it stays a loop in some kernels.

use core::mem::MaybeUninit;

use crate::path::Path;
use crate::record::Record;
use crate::tree::Node;

/// The number of accesses that the slots of `R` hold.
struct Held<R>(R);

impl<R: Record> Held<R> {
    const COUNT: usize = held(R::TREE);
}

const fn held(node: &Node) -> usize {
    match node {
        // The slots of an array make those of its elements when they are asked for.
        Node::Leaf(_) | Node::Array { .. } => 1,
        Node::Branch { fields, .. } => {
            let (mut count, mut i) = (0, 0);
            while i < fields.len() {
                count += held(fields[i].node());
                i += 1;
            }
            count
        }
        Node::List(_) => 0,
    }
}

/// A word of an access: a pointer keeps what it may reach, and all else has as many bytes.
type Word = MaybeUninit<*const ()>;

/// The slots of the place `P` of the element that `access` reaches.
#[inline(always)]
pub(crate) fn bind<R: Record, A: Copy, P: Path<Type = R>>(access: A) -> R::Slots<A, P> {
    const {
        let (size, align) = (size_of::<R::Slots<A, P>>(), align_of::<R::Slots<A, P>>());
        assert!(size == Held::<R>::COUNT * size_of::<A>(), "slots hold accesses and markers, and nothing else");
        assert!(size == 0 || align == align_of::<A>(), "slots hold accesses and markers, and nothing else");
    }
    let mut slots = MaybeUninit::<R::Slots<A, P>>::uninit();
    let first = slots.as_mut_ptr().cast::<A>();
    let mut copy = MaybeUninit::<A>::uninit();
    if const { align_of::<A>() == align_of::<Word>() && size_of::<A>() <= 8 * size_of::<Word>() } {
        words!(A, copy, access; 0 1 2 3 4 5 6 7);
    } else {
        copy.write(access);
    }
    blocks!(R, first, copy; 1 2 4 8 16 32 64 128 256 512 1024 2048 4096);
    // SAFETY: `Record` promises that slots are made of the slots of the fields, and of markers, which have no bytes. So
    // each byte is one of an access: the size leaves no room for padding. As many accesses are written.
    unsafe { slots.as_ptr().read() }
}

/// Copies an access, word by word.
macro_rules! words {
    ($access:ident, $to:ident, $from:ident; $($word:literal)+) => {$(
        if const { $word * size_of::<Word>() < size_of::<$access>() } {
            let from = (&raw const $from).cast::<Word>().wrapping_add($word);
            let to = $to.as_mut_ptr().cast::<Word>().wrapping_add($word);
            // SAFETY: the size is a multiple of the alignment, which is a word's: the access has that word.
            let word = unsafe { from.read() };
            // SAFETY: as above.
            unsafe { to.write(word) };
        }
    )+};
}
use words;

/// Writes a block of so many accesses if their number has that bit, and goes on with a block of twice as many.
macro_rules! blocks {
    ($record:ident, $first:ident, $block:ident; $size:literal $($more:literal)*) => {
        if const { Held::<$record>::COUNT & $size != 0 } {
            let place = $first.wrapping_add(const { Held::<$record>::COUNT & ($size - 1) });
            // SAFETY: slots have room for as many accesses, and before this block lie the smaller ones.
            unsafe { core::ptr::write(place.cast(), $block) };
        }
        if const { Held::<$record>::COUNT >= 2 * $size } {
            let block = [$block, $block];
            blocks!($record, $first, block; $($more)*);
        }
    };
    // A record has at most 4096 leaves.
    ($record:ident, $first:ident, $block:ident;) => {
        let _ = $block;
    };
}
use blocks;
