//! What one locale plans for a launch does not grow with the number of locales.

use support::steps::{PROGRAMS, Program, planner};

use crate::{ALLOCATOR, alone};

/// Of a locale in the middle: allocations, their bytes, and messages, of a launch like those before it.
fn cost(program: Program, locales: usize) -> [usize; 3] {
    // Not at an end of a row of the grid of locales.
    let planner = planner(locales, locales / 2 + locales.isqrt() / 2).unwrap();
    let step = program(planner.runtime()).unwrap();
    (0..6).for_each(|number| step(number).unwrap());
    drop(planner.launches());
    let costs = (6..12).map(|number| {
        let before = ALLOCATOR.so_far();
        step(number).unwrap();
        let after = ALLOCATOR.so_far();
        let messages = planner.launches().iter().map(|launch| launch.sends.len() + launch.receives.len()).sum();
        [after.0 - before.0, after.1 - before.1, messages]
    });
    costs.min().unwrap()
}

#[test]
fn a_launch_costs_one_of_many_locales_what_it_costs_one_of_few() {
    let _alone = alone();
    for (name, program, _) in PROGRAMS.into_iter().filter(|(.., flat)| *flat) {
        let [few, many] = [64, 1024].map(|locales| cost(program, locales));
        println!("{name}: allocations, bytes, messages {few:?} of 64 locales, {many:?} of 1024");
        assert_eq!(few[2], many[2], "{name}: messages");
        assert!((name == "aligned") == (many[2] == 0), "{name}: {} messages", many[2]);
        for (few, many) in few.iter().zip(many) {
            assert!(many * 10 <= few * 11, "{name}: {many} of 1024 locales, {few} of 64");
        }
    }
}
