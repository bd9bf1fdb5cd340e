//! One driver for all distributions, in the manner of Chapel's robust suite: every topic, of every distribution, over every space of
//! indices, on every number of locales, against lists of indices and the owners that definitions say.

mod assignment;
mod bad_input;
mod changes;
mod compositions;
mod elements;
mod iteration;
mod memory;
mod spaces;
mod spreads;
mod views;

use core::cell::RefCell;
use core::fmt::{Debug, Display};
use std::collections::BTreeSet;

use layout_array::{Array, ArrayError};
use layout_domain::{Domain, Index, StridedRange};
use layout_store::{Builder, Dim, Runtime, StoreRank, Traffic};
use support::locales::on_locales;

use crate::LOCALES;
use spaces::{Space, domain_of};
use spreads::Spread;

const LINE: &str = "a line";

/// So many tiles of each locale, as far as there are elements.
fn builder(locales: usize, tiles: usize) -> Builder {
    crate::builder(locales).pieces(tiles * locales)
}

/// The check of each space and its distributions. `Q` is one less than `N`.
trait Topic {
    const NAME: &'static str;
    /// The number of tiles into which a locale cuts the elements of one box.
    const TILES: usize = 2;

    /// All locales do this, and each checks what it sees: a check that fails is noted, so that all go on to do the same.
    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank;
}

/// A space on a locale.
struct Case<'a, const N: usize, I: Index> {
    rt: &'a Runtime,
    space: Space<N, I>,
    topic: &'static str,
    failures: &'a RefCell<Vec<String>>,
}

/// So many failures of a locale are told.
const TOLD: usize = 5;

impl<const N: usize, I: Index> Case<'_, N, I> {
    /// Notes that something does not hold of a distribution.
    fn check(&self, spread: &str, holds: bool, what: impl FnOnce() -> String) {
        let mut failures = self.failures.borrow_mut();
        if !holds && failures.len() < TOLD {
            let Self { rt, space, topic, .. } = self;
            let (here, locales) = (rt.locale(), rt.locales());
            failures.push(format!(
                "{topic}, {spread}, {} {}, locale {here} of {locales}: {}",
                space.name,
                space.domain,
                what()
            ));
        }
    }

    /// Notes that two values are not equal.
    fn equal<T: Debug + PartialEq<U>, U: Debug>(&self, spread: &str, what: impl Display, found: T, expected: U) {
        let holds = found == expected;
        self.check(spread, holds, || format!("{what}: {found:?}, and not {expected:?}"));
    }

    /// Runs a closure, and returns its value and the traffic of this locale in the meantime.
    fn sent<T>(&self, f: impl FnOnce() -> Result<T, ArrayError>) -> Result<(T, Traffic), ArrayError> {
        self.rt.fence()?;
        let before = self.rt.traffic();
        let result = f()?;
        self.rt.fence()?;
        let after = self.rt.traffic();
        let (messages, bytes) = (after.messages - before.messages, after.bytes - before.bytes);
        Ok((result, Traffic { messages, bytes }))
    }

    /// Distributions in pairs, of so many that lead and so many that follow: all, of a line on three locales; of other spaces some
    /// on each number of locales, so that all meet on some.
    fn pairs(&self, leads: usize, follows: usize) -> impl Iterator<Item = (usize, usize)> + use<N, I> {
        let locales = self.rt.locales();
        let all = self.space.name == LINE && locales == 3;
        let (first, each) = if all { (0, follows) } else { (2 * locales, 2) };
        (0..leads).flat_map(move |lead| (first..first + each.min(follows)).map(move |at| (lead, (lead + at) % follows)))
    }

    /// Notes that this locale did not send what it was to send where elements of so many bytes go from tiles to tiles: of those
    /// that change their locale all bytes, and one message at most to each locale, since these arrays are small.
    fn sends(
        &self,
        spread: &str,
        what: impl Display,
        sent: Traffic,
        size: u64,
        moves: impl Iterator<Item = [Tile; 2]>,
    ) {
        let here = self.rt.locale();
        let (mut elements, mut receivers) = (0, BTreeSet::new());
        for [_, to] in moves.filter(|[from, to]| from.0 == here && to.0 != here) {
            elements += 1;
            receivers.insert(to.0);
        }
        self.equal(spread, format_args!("bytes sent {what}"), sent.bytes, size * elements);
        let most = receivers.len() as u64;
        self.check(spread, sent.messages <= most, || format!("{} messages sent {what}, of {most}", sent.messages));
    }
}

/// A locale, and the number of one of its parts.
type Tile = (usize, usize);

/// The tile of each element of an array that has one for each of its parts, row by row; of a part of an array with a halo, each
/// element may come by itself.
fn tiles_of<R, L, const N: usize, I: Index>(spread: &Spread<N, I>, array: &Array<R, N, L, I>) -> Vec<Tile>
where
    Dim<N>: StoreRank,
{
    let parts: Vec<_> = (0..LOCALES[LOCALES.len() - 1]).map(|locale| array.local(locale)).collect();
    let tile = |(number, index)| {
        let has = |parts: &Vec<Domain<N, I>>| parts.iter().position(|part| part.contains(index));
        let (locale, part) =
            parts.iter().enumerate().find_map(|(locale, parts)| Some((locale, has(parts)?))).expect("an owner");
        (locale, if spread.stencil.is_some() { number } else { part })
    };
    array.domain().iter().enumerate().map(tile).collect()
}

/// Checks a topic everywhere.
fn everywhere<T: Topic>() {
    for locales in LOCALES {
        let told = on_locales(builder(locales, T::TILES), (), |rt, ()| all_spaces::<T>(rt));
        let told = told.unwrap_or_else(|error| panic!("{} on {locales} locales: {error}", T::NAME));
        let failures: Vec<String> = told.into_iter().flatten().collect();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}

fn all_spaces<T: Topic>(rt: &Runtime) -> Vec<String> {
    let failures = RefCell::new(Vec::new());
    let locales = rt.locales();
    let count = i64::try_from(locales).expect("a small number");

    let line = Space::new(LINE, Domain::from(-3..=9), [(-3, 1, 13)], locales);
    one::<T, 1, 0, i64>(rt, &failures, line);

    let mut each = Space::new("an index a locale", Domain::from(0..count), [(0, 1, count)], locales);
    each.spreads.push(spreads::per_locale(locales));
    one::<T, 1, 0, i64>(rt, &failures, each);

    let grid = Space::new("a grid", Domain::new([1..=5, 0..=5]), [(1, 1, 5), (0, 1, 6)], locales);
    one::<T, 2, 1, i64>(rt, &failures, grid);

    let cube = Space::new("a cube", Domain::new([1..=3, -1..=2, 5..=6]), [(1, 1, 3), (-1, 1, 4), (5, 1, 2)], locales);
    one::<T, 3, 2, i64>(rt, &failures, cube);

    let range = |low: i64, high: i64, by: i128| StridedRange::from(low..=high).by(by).expect("a stride");
    let strided = Domain::new([range(0, 13, 3).align(1), range(-7, 4, 2).align(-6)]);
    one::<T, 2, 1, i64>(rt, &failures, Space::new("a strided grid", strided, [(1, 3, 5), (-6, 2, 6)], locales));

    let far = 12_345_679;
    let down = Domain::<2, i32>::new([far..=far + 9, -far..=-far + 9]).by([-2, 3]).expect("strides");
    let sides = [(i64::from(far) + 9, -2, 5), (-i64::from(far), 3, 4)];
    one::<T, 2, 1, i32>(rt, &failures, Space::new("a grid that goes down, of i32", down, sides, locales));

    let bytes = Domain::<1, u8>::from(200..=255).by([-7]).expect("a stride");
    one::<T, 1, 0, u8>(rt, &failures, Space::new("a line of u8", bytes, [(255, -7, 8)], locales));

    let sides = [(0, 1, 2), (-5, 1, 2), (9, -1, 2), (i16::MAX.into(), -4, 3)];
    one::<T, 4, 3, i16>(rt, &failures, Space::new("four dimensions of i16", domain_of(sides), sides, locales));

    let none = Domain::new([1..5, 3..3]);
    one::<T, 2, 1, i64>(rt, &failures, Space::new("no index", none, [(1, 1, 4), (3, 1, 0)], locales));

    failures.into_inner()
}

fn one<T: Topic, const N: usize, const Q: usize, I: Index>(
    rt: &Runtime,
    failures: &RefCell<Vec<String>>,
    space: Space<N, I>,
) where
    Dim<N>: StoreRank,
    Dim<Q>: StoreRank,
{
    let case = Case { rt, space, topic: T::NAME, failures };
    if let Err(error) = T::check::<N, Q, I>(&case) {
        case.check("some distribution", false, || error.to_string());
    }
}
