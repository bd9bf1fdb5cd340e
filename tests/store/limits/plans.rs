//! What one locale plans for a launch does not grow with the number of locales.

use layout_store::{Dim, Planner, Runtime, Store, StoreError, align, bloat, read, write};

use crate::{ALLOCATOR, alone};

/// Tiles on each locale, and elements of each along each dimension.
const TILES: i64 = 4;
const SIDE: i64 = 8;

type Line = Store<f64, Dim<1>>;
type Grid = Store<f64, Dim<2>>;

/// A program: makes stores, and gives its step.
type Program = fn(&Runtime, i64) -> Result<Box<dyn Fn(usize) -> Result<(), StoreError> + '_>, StoreError>;

const PROGRAMS: [(&str, Program); 3] = [
    ("aligned", |rt, locales| {
        let stores: [Line; 2] = [rt.create(SIDE * TILES * locales)?, rt.create(SIDE * TILES * locales)?];
        stores[0].fill(1.0)?;
        Ok(Box::new(move |step| {
            let task = rt.task("aligned").args((read(&stores[step % 2]), write(&stores[1 - step % 2])));
            task.constrain(|(from, to)| align(from, to)).launch(|_, _| ()).map(drop)
        }))
    }),
    ("stencil", |rt, locales| {
        let stores: [Line; 2] = [rt.create(SIDE * TILES * locales)?, rt.create(SIDE * TILES * locales)?];
        stores[0].fill(1.0)?;
        Ok(Box::new(move |step| {
            let task = rt.task("stencil").args((read(&stores[step % 2]), write(&stores[1 - step % 2])));
            task.constrain(|(from, to)| bloat(to, from, [1], [1])).launch(|_, _| ()).map(drop)
        }))
    }),
    ("stencil of grids", |rt, locales| {
        let side = SIDE * (TILES * locales).isqrt();
        let stores: [Grid; 2] = [rt.create([side, side])?, rt.create([side, side])?];
        stores[0].fill(1.0)?;
        Ok(Box::new(move |step| {
            let task = rt.task("stencil").args((read(&stores[step % 2]), write(&stores[1 - step % 2])));
            task.constrain(|(from, to)| bloat(to, from, [1, 1], [1, 1])).launch(|_, _| ()).map(drop)
        }))
    }),
];

/// Of a locale in the middle: allocations, their bytes, and messages, of a launch like those before it.
fn cost(program: Program, locales: i64) -> [usize; 3] {
    let count = usize::try_from(locales).unwrap();
    let builder = Runtime::builder().locales(count).pieces(4 * count).min_chunk(1).whole_below(0);
    // Not at an end of a row of the grid of locales.
    let planner = Planner::new(builder, count / 2 + count.isqrt() / 2).unwrap();
    let step = program(planner.runtime(), locales).unwrap();
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
    for (name, program) in PROGRAMS {
        let [few, many] = [64, 1024].map(|locales| cost(program, locales));
        println!("{name}: allocations, bytes, messages {few:?} of 64 locales, {many:?} of 1024");
        assert_eq!(few[2], many[2], "{name}: messages");
        assert!((name == "aligned") == (many[2] == 0), "{name}: {} messages", many[2]);
        for (few, many) in few.iter().zip(many) {
            assert!(many * 10 <= few * 11, "{name}: {many} of 1024 locales, {few} of 64");
        }
    }
}
