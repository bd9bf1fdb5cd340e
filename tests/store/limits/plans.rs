//! The work of one locale for the plan of a launch does not grow with the number of locales.

use support::steps::{PROGRAMS, Program, planner};

use crate::{ALLOCATOR, alone};

/// Of a locale in the middle: allocations, their bytes, and boxes that are sent or received, of the first launches of a shape, with the
/// making of their stores, and of a launch like those before it.
fn costs(program: Program, locales: usize) -> [[usize; 3]; 2] {
    // Not at an end of a row of the grid of locales, and not on its diagonal, where a transposed tile is its own.
    let planner = planner(locales, locales / 2 + locales.isqrt() / 4).unwrap();
    let boxes = || {
        let launches = planner.launches();
        let messages = launches.iter().flat_map(|launch| launch.sends.iter().chain(&launch.receives));
        messages.map(|message| message.boxes.len()).sum::<usize>()
    };
    let before = ALLOCATOR.so_far();
    let step = program(planner.runtime()).unwrap();
    (0..6).for_each(|number| step(number).unwrap());
    let after = ALLOCATOR.so_far();
    let first = [after.0 - before.0, after.1 - before.1, boxes()];
    let costs = (6..12).map(|number| {
        let before = ALLOCATOR.so_far();
        step(number).unwrap();
        let after = ALLOCATOR.so_far();
        [after.0 - before.0, after.1 - before.1, boxes()]
    });
    [first, costs.min().unwrap()]
}

#[test]
fn a_launch_costs_one_of_many_locales_what_it_costs_one_of_few() {
    let _alone = alone();
    for (name, program, flat) in PROGRAMS {
        let few = costs(program, 64);
        let counts: &[usize] = if flat { &[1024, 65_536] } else { &[1024] };
        for (locales, many) in counts.iter().map(|locales| (locales, costs(program, *locales))) {
            for (when, few, many) in [("first", few[0], many[0]), ("later", few[1], many[1])] {
                println!("{name}, {when}: allocations, bytes, boxes {few:?} of 64 locales, {many:?} of {locales}");
                // Where values are new, each launch is planned anew, and one more is, which looks at them.
                let base = if name == "image of new values" { 600 } else { 300 };
                for [allocations, _, boxes] in [few, many] {
                    assert!(allocations <= base + 10 * boxes, "{name}, {when}: {allocations} for {boxes} boxes");
                }
                if !flat {
                    continue;
                }
                assert_eq!(few[2], many[2], "{name}, {when}: boxes");
                assert!((name == "aligned") == (many[2] == 0), "{name}, {when}: {} boxes", many[2]);
                for (few, many) in few.iter().zip(many) {
                    assert!(many * 10 <= few * 11, "{name}, {when}: {many} of {locales} locales, {few} of 64");
                }
            }
        }
    }
}
