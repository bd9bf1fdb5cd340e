//! The largest constants: sizes that cannot be are refused, or do not compile (`tests/ui`).

use layout::bits::{BitPackedIntAoS, BitPackedIntSoA, Bits};
use layout::composed::{Bytesplit, Split};
use layout::options::AlignTo;
use layout::prelude::*;
use layout::{Linearization, Morton, PaddedRows, RecordLayout, Tiled, path};

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Pair {
    a: u64,
    b: bool,
}

/// Returns `true` if there is a mapping of so many elements; if there is, too few bytes are refused.
fn is_mapped<L, K>(extents: [usize; 2]) -> bool
where
    L: RecordLayout<Pair> + Default,
    K: Linearization<[usize; 2]> + Default,
{
    let extents = DynExtents::<2>::new(extents).unwrap();
    let Ok(mapping) = Mapped::<Pair, _, L, K>::new(extents) else { return false };
    let needed = mapping.layout().region_size(mapping.span());
    assert!(isize::try_from(needed).is_ok());
    let empty = extents.array().contains(&0);
    let view = View::from_bytes(mapping, vec![0; 4096]);
    assert!(needed <= 4096 || view.is_err());
    if let Ok(mut view) = view {
        view.for_each_mut(|mut pair| pair.store(Pair { a: 1, b: true }));
        view.for_each(|pair| assert_eq!(pair.load(), Pair { a: 1, b: true }));
    }
    assert!(empty || needed > 0);
    true
}

#[test]
fn linearizations() {
    const MAX: usize = usize::MAX;
    for extents in [[0, MAX >> 1], [1, 1], [2, 3], [1 << 20, 1 << 20], [1 << 33, 1 << 33], [1, MAX >> 1], [MAX >> 1, 1]]
    {
        let small = extents[0].checked_mul(extents[1]).is_some_and(|volume| volume <= 1 << 50);
        assert_eq!(is_mapped::<SoA, RowMajor>(extents), small);
        assert_eq!(is_mapped::<AoS<Packed>, ColMajor>(extents), small);
        let empty = extents.contains(&0);
        assert_eq!(is_mapped::<SoA, PaddedRows<{ 1 << 62 }>>(extents), empty);
        assert!(!is_mapped::<SoA, PaddedRows<MAX>>(extents));
        assert_eq!(is_mapped::<AoSoA<8>, Tiled<{ 1 << 32 }, { 1 << 32 }>>(extents), empty);
        assert_eq!(is_mapped::<AoSoA<8>, Tiled<MAX, 1>>(extents), empty);
        assert!(!is_mapped::<SoASingle<Packed>, Morton>([1, 1 << 40]));
    }
}

#[test]
fn layouts() {
    for extents in [[0, 1], [1, 1], [1, 1 << 30], [1 << 30, 1 << 30]] {
        let small = extents[0] * extents[1] <= 1 << 40;
        let empty = extents.contains(&0);
        // A block of so many lanes, and lines as long as that, fit no memory.
        assert_eq!(is_mapped::<AoSoA<{ 1 << 40 }>, RowMajor>(extents), empty || small);
        assert_eq!(is_mapped::<AoSoA<{ 1 << 60 }>, RowMajor>(extents), empty);
        assert_eq!(is_mapped::<SoASingle<AlignTo<{ 1 << 63 }>>, RowMajor>(extents), empty);
        assert_eq!(is_mapped::<SoASingle<AlignTo<{ 1 << 40 }>>, RowMajor>(extents), empty || small);
        assert!(is_mapped::<Split<path!(Pair, b), AoSoA<{ 1 << 30 }>, SoA>, RowMajor>(extents) == (empty || small));
        assert!(is_mapped::<Bytesplit<AoSoA<{ 1 << 30 }>>, RowMajor>(extents) == (empty || small));
    }
    let wide = Mapped::<u64, _, BitPackedIntSoA<Bits<{ u32::MAX }>>>::new(extents!(dyn 1));
    assert!(wide.is_err());
    assert!(Mapped::<u64, _, BitPackedIntAoS<Bits<64>>>::new(extents!(dyn 1 << 58)).is_err());
}
