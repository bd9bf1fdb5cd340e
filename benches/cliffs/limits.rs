//! The limit of each class: the time of the walk divided by the time of the loop by hand. Every limit above the goal has its reason.
//!
//! Limits hold for AMD (Zen 5) and Intel (Sapphire Rapids), with AVX-512 and built for x86-64-v3.

/// The goal of every class, and the limit of a class without one of its own.
const GOAL: f64 = 1.10;

/// `true` if the target has loads and stores of any words of a vector, which groups of lanes over records use.
const MASKED: bool = cfg!(target_feature = "avx512f");

/// The limit of a `for` loop over blocks: elements one by one, and by hand vectors.
const FOR: f64 = if MASKED { 20.0 } else { 12.0 };

/// Words, all of which the name of a class has; the limit of the class; and the reason why it is above the goal. The first that fits
/// holds.
const OWN: &[(&[&str], f64, &str)] = &[
    (&["records", "2 f32", "each by itself"], 3.5, "by hand, records whose leaves do not meet are not taken apart"),
    (
        &["records", "3 f32", "each by itself"],
        if MASKED { 4.2 } else { 2.3 },
        "by hand, records whose leaves do not meet are not taken apart; on Intel 2.1",
    ),
    (
        &["records", "each by itself", "lanes 16"],
        if MASKED { 13.0 } else { GOAL },
        "as below, on Intel; on AMD 9: use 8 lanes for records of seven words",
    ),
    (
        &["records", "each by itself"],
        if MASKED { 8.0 } else { GOAL },
        "leaf by leaf; by hand, vectors of AVX-512 over records that are not taken apart; on Intel 6",
    ),
    (&["records", "2 f64 and 4 f32"], 1.5, "by eight lanes, and without AVX-512, leaf by leaf"),
    (
        &["records", "padding"],
        if MASKED { 1.4 } else { GOAL },
        "leaf by leaf, since padding is not stored; on AMD as fast as by hand",
    ),
    (&["records", "4 f64"], if MASKED { GOAL } else { 1.6 }, "without AVX-512 leaf by leaf"),
    (&["records of 7 f32", "lanes 16"], if MASKED { 3.6 } else { GOAL }, "as below, on Intel; on AMD 1.85"),
    (
        &["records of 7 f32"],
        if MASKED { 1.85 } else { GOAL },
        "leaf by leaf: seven places in vectors of AVX-512 are more masks than there are registers for",
    ),
    (
        &["records", "4 f32", "lanes 8"],
        if MASKED { 2.2 } else { GOAL },
        "half a register of AVX-512, which the loop by hand fills: Zen 5 adds twice as fast in whole ones, Zen 4 does not",
    ),
    (
        &["records", "2 f32", "lanes 8"],
        if MASKED { 2.0 } else { 1.5 },
        "half a register of AVX-512, as above; without it, eight shuffles of the transpose before a store, by hand four",
    ),
    (&["records", "3 f32", "lanes 8"], if MASKED { 2.0 } else { GOAL }, "half a register of AVX-512, as above"),
    (&["records", "2 f32"], 1.5, "the compiler makes eight shuffles of the transpose before a store, by hand four"),
    (&["records", "4 f32", "lanes 16"], 1.6, "32 words of each kind: registers are spilled"),
    (&["records", "3 f64", "lanes 16"], 2.1, "48 words of each group: registers are spilled"),
    (
        &["records", "f64 and 2 f32"],
        1.3,
        "leaves of two sizes, so that vectors are not rotated before they are blended",
    ),
    (&["leaves", "masked"], 4.5, "a call for each access to a rest of eleven elements; by hand a whole block"),
    (&["leaves"], 2.6, "by hand blocks of 16, with which columns and blocks of 8 are compared too"),
    (&["single for", "AoSoA8"], FOR, "each step asks whether a block ends, so the compiler makes no vectors"),
    (&["single for", "AoSoA16"], FOR, "as above"),
    (&["single for", "AoSoA32"], FOR, "as above"),
    (&["single lanes", "1003"], 1.5, "a rest of elements one by one; by hand, the last block is whole"),
    (
        &["single", "AoSoA8"],
        if MASKED { 1.35 } else { 1.6 },
        "each block asks how many vectors it is, and whether it is whole; of one source, from build to build 1.0 to 1.5",
    ),
    (
        &["single", "AoSoA16"],
        if MASKED { 2.1 } else { 1.2 },
        "as above; on Intel the compiler fills half a register of AVX-512, and the loop by hand all of it",
    ),
    (&["single", "AoSoA32"], if MASKED { 2.0 } else { GOAL }, "as above"),
    (&["pairs masked", "AoS"], if MASKED { 1.6 } else { 1.3 }, "a rest of eleven elements, by masks or one by one"),
    (
        &["pairs masked", "AoSoA32"],
        if MASKED { 1.75 } else { 1.9 },
        "each group asks where its block is; on AMD with AVX-512 1.2",
    ),
    (
        &["pairs masked", "AoSoA8"],
        if MASKED { 1.85 } else { 1.7 },
        "groups of two blocks, by hand one of eight each; a rest of eleven elements in two parts",
    ),
    (
        &["pairs masked"],
        if MASKED { 1.25 } else { 1.5 },
        "each group asks whether it is whole; a rest of eleven elements",
    ),
    (
        &["pairs plain", "AoSoA8"],
        1.9,
        "each block asks how many vectors it is, and whether the views overlap; on AMD 1.45",
    ),
    (
        &["pairs plain", "AoSoA16"],
        if MASKED { 2.7 } else { 1.45 },
        "as above; on Intel the compiler fills half a register of AVX-512, and the loop by hand all of it",
    ),
    (&["pairs plain", "AoSoA32"], if MASKED { 2.2 } else { 1.25 }, "as above; on AMD as fast as by hand"),
    (&["halves lanes 8", "SoA"], 1.8, "half a register of AVX-512, which the loop by hand fills"),
    (&["halves lanes 8", "AoSoA8"], 1.5, "groups that lie in two blocks are collected from both"),
    (&["halves"], 1.35, "pieces of blocks, and checks that the halves do not overlap, once a walk"),
    (
        &["short rows", "SoA"],
        2.9,
        "each row checks that columns do not overlap, which takes as long as some 16 elements",
    ),
    (&["short rows, 1"], 2.8, "a walk for each element"),
    (&["short rows, 2"], 1.75, "a walk for two elements"),
    (&["short rows, 4"], 1.75, "a walk for four elements"),
    (&["short rows"], 1.5, "a walk for each row"),
    (&["stencil zip, lanes"], 1.45, "eight views are set up for each row of 64"),
    (&["stencil zip, masked lanes"], 1.45, "as above"),
    (&["zip AoSoA16"], 1.75, "as below"),
    (&["zip AoSoA8"], 1.75, "rows start within blocks, at another lane in each of the views"),
    (&["zip SoA"], 1.4, "eight views are set up for each row of 64"),
    (&["slice with get SoA"], 1.8, "the order of a slice's dimensions is known at run time only; see `index range`"),
    (
        &["slice with get AoSoA8"],
        1.25,
        "the order of a slice's dimensions is known at run time only; see `index range`",
    ),
    (&["border SoA"], 2.3, "without AVX-512 the compiler does not pack rows with a border"),
    (&["border AoS"], 1.25, "the test for the border stays in the loop"),
    (&["by index SoA"], 1.2, "checks of addresses for each plane"),
    (
        &["pairs lanes 16", "AoSoA8"],
        1.75,
        "groups of AVX-512 that are put together from two blocks, by hand one of eight each",
    ),
    (&["pairs lanes 16"], 1.3, "a rest of eleven elements, one by one"),
    (&["column, lanes 8"], 5.0, "one chain of additions, in half a register; see 64 lanes"),
    (&["column, lanes 16"], 2.4, "one chain of additions; see 64 lanes"),
    (&["column, lanes 32"], 1.5, "two chains of additions; see 64 lanes"),
];

/// The limit of the class of this name.
pub(crate) fn of(name: &str) -> f64 {
    // "AoS" is no word of "AoSoA8".
    let name = words(name);
    let has = |part: &&str| {
        let part = words(part);
        name.windows(part.len()).any(|window| window == part)
    };
    let own = OWN.iter().find(|(parts, _, _)| parts.iter().all(has));
    own.map_or(GOAL, |(_, limit, _)| *limit)
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}
