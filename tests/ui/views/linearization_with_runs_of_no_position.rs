use layout::prelude::*;

/// Rows in reverse, in runs of no position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Reverse;

// SAFETY: none, which is what the compiler says.
unsafe impl Linearization<[usize; 1]> for Reverse {
    const INNER: Option<usize> = Some(0);
    const UNIQUE: Option<bool> = Some(true);
    const EXHAUSTIVE: bool = false;
    const STRIDED: bool = false;
    const RUN: usize = 0;

    fn span(&self, [n]: [usize; 1]) -> Option<usize> {
        Some(n + 1)
    }

    fn position(&self, [n]: [usize; 1], [i]: [usize; 1]) -> usize {
        n - i
    }
}

fn main() {
    let _ = Mapped::<u32, _, AoS, Reverse>::new(extents!(dyn 100));
}
