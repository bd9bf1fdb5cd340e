//! Results of rounding depend on the number of pieces, and on nothing else.

use layout_store::{Builder, Runtime};
use proptest::prelude::*;
use support::delaying::delaying;
use support::joined::polled;
use support::rounding::{Step, run};

use crate::programs::features::cases;

fn step() -> impl Strategy<Value = Step> {
    (0..3_usize, 0..3_usize, 0..2_usize).prop_map(|(what, from, on)| Step::of(what, from, on))
}

fn builder(pieces: usize, locales: usize, threads: usize) -> Builder {
    Runtime::builder().locales(locales).threads(threads).pieces(pieces).min_chunk(1).whole_below(0)
}

proptest! {
    #![proptest_config(cases(60))]

    /// The same bits on any number of locales and threads, however messages come.
    #[test]
    fn results_are_the_same_to_the_last_bit(
        extent in 1..90_i64,
        steps in prop::collection::vec(step(), 1..8),
        pieces in 1..12_usize,
        seed in any::<u64>(),
    ) {
        let program = |rt: &Runtime| run(rt, (extent, &steps)).unwrap();
        let alone = builder(pieces, 1, 1).run(program).unwrap();
        for locales in 1..=6 {
            let threads = (locales + pieces) % 4;
            for found in builder(pieces, locales, threads).simulate(program).unwrap() {
                prop_assert_eq!(&found, &alone, "on {} locales of {} threads", locales, threads);
            }
        }
        let locales = 2 + pieces % 5;
        let threads = 2 * usize::from(extent % 2 == 1);
        for found in builder(pieces, locales, threads).simulate_over(delaying(locales, seed), program).unwrap() {
            prop_assert_eq!(&found, &alone, "on {} locales of {} threads, with messages that come late", locales, threads);
        }
        for found in builder(pieces, locales, 0).simulate_over(polled(locales), program).unwrap() {
            prop_assert_eq!(&found, &alone, "on {} locales that bring their messages themselves", locales);
        }
    }
}
