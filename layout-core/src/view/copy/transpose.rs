//! Transposes in registers, between vectors that hold one or two records and vectors that hold one word of each record.

use super::each::Spaced;
use super::vector::Vector;

/// Transposes four rows of four values of four bytes, in each lane.
#[cfg_attr(not(unoptimized), inline(always))]
fn in_lanes<V: Vector>([a, b, c, d]: [V; 4]) -> [V; 4] {
    let ([ab, ab_high], [cd, cd_high]) = (a.unpack_4(b), c.unpack_4(d));
    let ([first, second], [third, fourth]) = (ab.unpack_8(cd), ab_high.unpack_8(cd_high));
    [first, second, third, fourth]
}

/// Joins the lower halves and the upper halves of values of eight bytes.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn joined<V: Vector>(low: V, high: V) -> [V; 2] {
    let [even, odd] = low.unpack_4(high);
    even.weave_lanes(odd)
}

/// Splits values of eight bytes into their lower halves and their upper halves.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn halves<V: Vector>(first: V, second: V) -> [V; 2] {
    let [even, odd] = first.split_lanes(second);
    let [first, second] = even.unpack_4(odd);
    first.unpack_4(second)
}

/// Transposes words of four bytes of eight rows (see [`rows_of`]) to columns.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn to_columns_4<V: Vector>([a, b, c, d, e, f, g, h]: [V; 8]) -> [V; 8] {
    let ([a, b, c, d], [e, f, g, h]) = (in_lanes([a, b, c, d]), in_lanes([e, f, g, h]));
    let ([a, e], [b, f], [c, g], [d, h]) = (a.split_lanes(e), b.split_lanes(f), c.split_lanes(g), d.split_lanes(h));
    [a, b, c, d, e, f, g, h]
}

/// Transposes eight columns to rows.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn to_rows_4<V: Vector>([a, b, c, d, e, f, g, h]: [V; 8]) -> [V; 8] {
    let ([a, e], [b, f], [c, g], [d, h]) = (a.weave_lanes(e), b.weave_lanes(f), c.weave_lanes(g), d.weave_lanes(h));
    let ([a, b, c, d], [e, f, g, h]) = (in_lanes([a, b, c, d]), in_lanes([e, f, g, h]));
    [a, b, c, d, e, f, g, h]
}

/// Transposes words of eight bytes of four rows (see [`rows_of`]) to columns.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn to_columns_8<V: Vector>([a, b, c, d]: [V; 4]) -> [V; 4] {
    let ([a, b], [c, d]) = (a.unpack_8(b), c.unpack_8(d));
    let ([a, c], [b, d]) = (a.split_lanes(c), b.split_lanes(d));
    [a, b, c, d]
}

/// Transposes four columns to rows.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn to_rows_8<V: Vector>([a, b, c, d]: [V; 4]) -> [V; 4] {
    let ([a, c], [b, d]) = (a.weave_lanes(c), b.weave_lanes(d));
    let ([a, b], [c, d]) = (a.unpack_8(b), c.unpack_8(d));
    [a, b, c, d]
}

/// The addresses of the records that each row of a transpose starts with. In a vector of two records, the second record
/// is `values` records after the first, where `values` is the number of values in a lane.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn rows_of<V: Vector>(records: Spaced, values: usize) -> [(*mut u8, *mut u8); 8] {
    let low = records.eight();
    let high = if V::RECORDS == 1 { low } else { records.from(8).eight() };
    core::array::from_fn(|row| match (V::RECORDS, values) {
        (1, _) => (low[row], low[row]),
        (_, 4) if row < 4 => (low[row], low[row + 4]),
        (_, 4) => (high[row - 4], high[row]),
        _ => (low[(row + row / 2 * 2) % 8], low[(row + row / 2 * 2 + 2) % 8]),
    })
}

/// Transposes four leaves of one byte each, of four vectors of records of one word each, to columns.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn to_columns_1<V: Vector>(records: [V; 4]) -> [V; 4] {
    let [a, b, c, d] = records.map(V::quarters);
    let ([ab, ab_odd], [cd, cd_odd]) = (a.split_quarters(b), c.split_quarters(d));
    let ([first, third], [second, fourth]) = (ab.split_lanes(cd), ab_odd.split_lanes(cd_odd));
    [first, second, third, fourth]
}

/// Transposes four columns of bytes to records.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn to_rows_1<V: Vector>([first, second, third, fourth]: [V; 4]) -> [V; 4] {
    let ([ab, cd], [ab_odd, cd_odd]) = (first.weave_lanes(third), second.weave_lanes(fourth));
    let ([a, b], [c, d]) = (ab.weave_quarters(ab_odd), cd.weave_quarters(cd_odd));
    [a, b, c, d].map(V::unquartered)
}
