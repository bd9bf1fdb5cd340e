//! Programs of steps, and what one of many locales plans for them.

use layout_store::{Dim, ImageHint, Planner, Runtime, Store, StoreError, align, bloat, broadcast, image, read, write};

/// Tiles on each locale.
const TILES: usize = 4;
/// Elements of a tile along each dimension.
const SIDE: i64 = 8;
type Line = Store<f64, Dim<1>>;
type Grid = Store<f64, Dim<2>>;
type Cube = Store<f64, Dim<3>>;

/// A step of a program, of which the number is given.
pub type Step<'s> = Box<dyn Fn(usize) -> Result<(), StoreError> + 's>;
/// Makes the stores of a program on a runtime, and its step.
pub type Program = fn(&Runtime) -> Result<Step<'_>, StoreError>;

fn lines(rt: &Runtime) -> Result<[Line; 2], StoreError> {
    let stores = [rt.create(extent(rt))?, rt.create(extent(rt))?];
    stores.iter().try_for_each(|store: &Line| store.fill(1.0))?;
    Ok(stores)
}

fn extent(rt: &Runtime) -> i64 {
    SIDE * i64::try_from(rt.pieces()).unwrap_or(i64::MAX)
}

fn grids(rt: &Runtime) -> Result<[Grid; 2], StoreError> {
    let tiles = (rt.pieces() as f64).sqrt().round();
    #[expect(clippy::cast_possible_truncation, reason = "a small number")]
    let side = SIDE * tiles as i64;
    let stores = [rt.create([side, side])?, rt.create([side, side])?];
    stores.iter().try_for_each(|store: &Grid| store.fill(1.0))?;
    Ok(stores)
}

/// Each tile of one store from that of the other.
///
/// # Errors
///
/// Those of stores.
pub fn aligned(rt: &Runtime) -> Result<Step<'_>, StoreError> {
    let stores = lines(rt)?;
    Ok(Box::new(move |step| {
        let (from, to) = (&stores[step % 2], &stores[(step + 1) % 2]);
        let task = rt.task("aligned").args((read(from), write(to))).constrain(|(from, to)| align(from, to));
        task.launch(|_, _| ()).map(drop)
    }))
}

/// Each tile from that of the other store and an element on both sides.
///
/// # Errors
///
/// Those of stores.
pub fn stencil(rt: &Runtime) -> Result<Step<'_>, StoreError> {
    let stores = lines(rt)?;
    Ok(Box::new(move |step| {
        let (from, to) = (&stores[step % 2], &stores[(step + 1) % 2]);
        let task = rt.task("stencil").args((write(to), read(from)));
        task.constrain(|(to, from)| bloat(to, from, [1], [1])).launch(|_, _| ()).map(drop)
    }))
}

fn stencil_of_grids(rt: &Runtime) -> Result<Step<'_>, StoreError> {
    let stores = grids(rt)?;
    Ok(Box::new(move |step| {
        let (from, to) = (&stores[step % 2], &stores[(step + 1) % 2]);
        let task = rt.task("stencil of grids").args((write(to), read(from)));
        task.constrain(|(to, from)| bloat(to, from, [1, 1], [1, 1])).launch(|_, _| ()).map(drop)
    }))
}

/// Writes all but the border.
fn inner(rt: &Runtime) -> Result<Step<'_>, StoreError> {
    let stores = lines(rt)?;
    let last = extent(rt) - 1;
    Ok(Box::new(move |step| {
        let (from, to) = (&stores[step % 2], &stores[(step + 1) % 2]);
        let (to, from) = (to.slice(0, 1, last)?, from.slice(0, 1, last)?);
        let task = rt.task("inner").args((write(&to), read(&from)));
        task.constrain(|(to, from)| bloat(to, from, [1], [1])).launch(|_, _| ()).map(drop)
    }))
}

/// Writes the inner elements of a cube, and each of its faces by a launch of its own.
fn faces(rt: &Runtime) -> Result<Step<'_>, StoreError> {
    let tiles = (rt.pieces() as f64).cbrt().round();
    #[expect(clippy::cast_possible_truncation, reason = "a small number")]
    let side = SIDE * tiles as i64;
    let stores: [Cube; 2] = [rt.create([side; 3])?, rt.create([side; 3])?];
    stores.iter().try_for_each(|store| store.fill(1.0))?;
    Ok(Box::new(move |step| {
        let (from, to) = (&stores[step % 2], &stores[(step + 1) % 2]);
        let inner = |store: &Cube| store.slice(0, 1, side - 1)?.slice(1, 1, side - 1)?.slice(2, 1, side - 1);
        let task = rt.task("faces").args((write(&inner(to)?), read(&inner(from)?)));
        task.constrain(|(to, from)| bloat(to, from, [1; 3], [1; 3])).launch(|_, _| ())?;
        for dim in 0..3 {
            to.slice(dim, 0, 1)?.fill(0.0)?;
            to.slice(dim, side - 1, side)?.fill(0.0)?;
        }
        Ok(())
    }))
}

fn transpose(rt: &Runtime) -> Result<Step<'_>, StoreError> {
    let stores = grids(rt)?;
    Ok(Box::new(move |step| {
        let (from, to) = (&stores[step % 2], &stores[(step + 1) % 2]);
        to.copy_from(&from.transpose([1, 0])?)
    }))
}

/// All read one small store, which is written anew each time.
fn shared(rt: &Runtime) -> Result<Step<'_>, StoreError> {
    let [line, _] = lines(rt)?;
    let few: Line = rt.create(8)?;
    Ok(Box::new(move |_| {
        few.fill(1.0)?;
        let task = rt.task("shared").args((write(&line), read(&few))).constrain(|(_, few)| broadcast(few));
        task.launch(|_, _| ()).map(drop)
    }))
}

/// Values that point to their own elements and the next ones, and who reads what they point to.
fn pointers(rt: &Runtime) -> Result<(Line, Store<i64, Dim<1>>), StoreError> {
    let (line, which): (Line, Store<i64, _>) = (rt.create(extent(rt))?, rt.create(extent(rt))?);
    let last = extent(rt) - 1;
    which.assume(move |at| last.min(at[0] + 1));
    which.fill(0)?;
    Ok((line, which))
}

fn look(rt: &Runtime, line: &Line, which: &Store<i64, Dim<1>>) -> Result<(), StoreError> {
    let task = rt.task("look").args((read(which), read(line)));
    task.constrain(|(which, line)| image(which, line, ImageHint::MinMax)).launch(|_, _| ()).map(drop)
}

/// Reads what values point to, which stay the same.
fn image_of_the_same(rt: &Runtime) -> Result<Step<'_>, StoreError> {
    let (line, which) = pointers(rt)?;
    Ok(Box::new(move |_| {
        line.fill(1.0)?;
        look(rt, &line, &which)
    }))
}

/// Reads what values point to that are new each time.
fn image_of_others(rt: &Runtime) -> Result<Step<'_>, StoreError> {
    let (line, which) = pointers(rt)?;
    Ok(Box::new(move |_| {
        line.fill(1.0)?;
        which.fill(0)?;
        look(rt, &line, &which)
    }))
}

/// The programs, and whether what one locale does may not grow with the number of locales.
pub const PROGRAMS: [(&str, Program, bool); 9] = [
    ("aligned", aligned, true),
    ("stencil", stencil, true),
    ("stencil of grids", stencil_of_grids, true),
    ("all but the border", inner, true),
    ("transposed", transpose, true),
    ("image of the same values", image_of_the_same, true),
    ("image of new values", image_of_others, true),
    ("inner and faces", faces, false),
    ("one store read by all", shared, false),
];

/// A planner for one of so many locales, each with four tiles.
///
/// # Errors
///
/// Those of planners.
pub fn planner(locales: usize, locale: usize) -> Result<Planner, StoreError> {
    let builder = Runtime::builder().locales(locales).pieces(TILES * locales).min_chunk(1).whole_below(0);
    Planner::new(builder, locale)
}
