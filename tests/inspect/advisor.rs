//! The advisor: names the layout that is fastest where that is known, and tells results apart.
#![cfg(feature = "inspect")]

use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::Command;

use layout::bits::{BitPackedIntAoS, BitPackedIntSoA, Bits, KeepSign, Wrap};
use layout::choice::layouts;
use layout::composed::{ChangeType, Split};
use layout::inspect::{Advisor, Kernel};
use layout::prelude::*;
use layout::{Null, One, dyn_extents, path};

/// The output of the program in tests/programs/advisor, built with optimizations: in the tests' own profile, times say nothing.
#[cfg(not(miri))]
fn measured() -> String {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/advisor");
    let target_dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("advisor");
    let output = Command::new(env!("CARGO"))
        .current_dir(&crate_dir)
        .args(["run", "--release", "--target-dir"])
        .arg(&target_dir)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Four kernels, and the layouts of which one has to be the fastest.
#[test]
#[cfg(not(miri))]
fn names_the_fastest() {
    let text = measured();
    let fastest: [(&str, &[&str]); 4] = [
        // All columns but one, from end to end: an AoS loads the mass too, and takes numbers apart.
        ("move", &["SoA", "AoSoA<16>"]),
        // One column of 16.
        ("axpy", &["SoA", "Split<path!(Wide, hot), SoA, AoS>"]),
        // Records of a line each, at random: one miss, or eight.
        ("scatter", &["AoS"]),
        // Down the columns of a grid: one line for 16 elements, or one for each.
        ("columns", &["SoA, ColMajor"]),
    ];
    let sections: Vec<_> = text.split("== ").skip(1).collect();
    assert_eq!(sections.len(), fastest.len(), "{text}");
    for (section, (name, layouts)) in sections.iter().zip(fastest) {
        let mut lines = section.lines();
        assert_eq!(lines.next(), Some(name));
        // Where the machine is too noisy to tell, the fastest is among the equals, and the simplest of them is marked.
        let is_best = |line: &&str| line.ends_with("  best") || line.ends_with("  simplest");
        let equal = |line: &&str| line.contains("same") && (is_best(line) || line.ends_with("too noisy to tell"));
        let equals: Vec<_> = lines.filter(equal).map(|line| line.split("  ").next().unwrap()).collect();
        assert!(layouts.iter().any(|layout| equals.contains(layout)), "{section}");
        assert!(!section.contains("differs\n"), "{section}");
        let best = section.lines().find(is_best).and_then(|line| line.split("  ").next()).unwrap();
        let line = section.split_once("results:\n").expect("a line to write").1;
        match best.split_once(", ").filter(|(_, linearization)| ["ColMajor", "Tiled<8, 8>"].contains(linearization)) {
            Some(_) => assert!(line.starts_with(&format!("View::zeroed(Mapped::<f32, _, {best}>::new(")), "{section}"),
            None => assert!(line.starts_with("alloc::<") && line.contains(&format!(", {best}, _>(")), "{section}"),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Particle {
    pos: f64,
    vel: f64,
    id: u32,
}

/// Moves particles, and sums.
#[derive(Clone, Default)]
struct Step {
    calls: u32,
    sum: f64,
    result: bool,
}

impl<E: Extents> Kernel<Particle, E> for Step {
    fn run<M, B>(&mut self, view: &mut View<M, B>)
    where
        M: Mapping<Record = Particle, Extents = E>,
        B: BlobsMut,
    {
        self.calls += 1;
        view.for_each_mut(|mut p| {
            p.pos += p.vel.get() * f64::from(self.calls);
            self.sum += p.pos.get() + f64::from(p.id.get());
        });
    }

    fn result(&self) -> u64 {
        if self.result { self.sum.to_bits() } else { 0 }
    }
}

layouts! {
    struct Layouts of Particle = [
        AoS,
        SoA,
        One,
        ChangeType<SoA, f64, f32>,
        Split<path!(Particle, id), Null, SoA>,
        Null,
        AoSoA<8>,
    ];
}

fn particle(i: usize) -> Particle {
    Particle { pos: 0.1, vel: i as f64, id: 7 }
}

/// The values that differ in each layout.
fn differences(result: bool) -> Vec<(&'static str, Option<String>)> {
    let particles = alloc_from_fn::<Particle, AoS, _>(100, |[i]| particle(i)).unwrap();
    let before = particles.to_vec();
    let kernel = Step { result, ..Step::default() };
    let advice = Advisor::new(Layouts).budget(Duration::ZERO).advise(&particles, &kernel).unwrap();
    assert_eq!(particles.to_vec(), before);
    assert_eq!(advice.refused().len(), 1);
    assert_eq!((advice.refused()[0].layout, &advice.refused()[0].error), ("One", &ViewError::NotUnique));
    assert!(advice.to_string().contains("\nOne  ") && advice.to_string().contains("refused: "), "{advice}");
    assert!(advice.ranking().is_sorted_by(|a, b| a.ratio <= b.ratio));
    assert!(["AoS", "SoA", "AoSoA<8>"].contains(&advice.best().unwrap().layout) || !result);
    let used: Vec<_> = advice.uses().leaves().iter().map(|leaf| (leaf.reads, leaf.writes)).collect();
    assert_eq!(used, [(200, 100), (100, 0), (100, 0)]);
    let mut rows: Vec<_> = advice.ranking().iter().map(|row| (row.layout, row.differs.clone())).collect();
    rows.sort();
    rows
}

#[test]
fn results_are_compared() {
    let rows = differences(false);
    let name = |name: &str| Some(name.to_owned());
    let expected = [
        ("AoS", None),
        ("AoSoA<8>", None),
        ("ChangeType<SoA, f64, f32>", name("pos")),
        ("Null", name("pos")),
        ("SoA", None),
        ("Split<path!(Particle, id), Null, SoA>", name("id")),
    ];
    assert_eq!(rows, expected);
}

layouts! { struct Sums of Particle = [SoA, Split<path!(Particle, id), Null, SoA>]; }

/// A kernel that writes nothing to the leaf that is lost, but reads it.
#[test]
fn what_kernels_give_is_compared() {
    assert_eq!(differences(true)[1], ("AoSoA<8>", None));

    /// Sums without writing.
    #[derive(Clone, Default)]
    struct Sum(u64);

    impl Kernel<Particle> for Sum {
        fn run<M, B>(&mut self, view: &mut View<M, B>)
        where
            M: Mapping<Record = Particle, Extents = DynExtents<1>>,
            B: BlobsMut,
        {
            view.for_each(|p| self.0 += u64::from(p.id.get()));
        }

        fn result(&self) -> u64 {
            self.0
        }
    }

    let particles = alloc_from_fn::<Particle, SoA, _>(10, |[i]| Particle { id: 0, ..particle(i) }).unwrap();
    let advice = Advisor::new(Sums).budget(Duration::ZERO).advise(&particles, &Sum(5)).unwrap();
    assert!(advice.ranking().iter().all(|row| row.differs.is_none()), "zeros stay: {advice}");
    let particles = alloc_from_fn::<Particle, SoA, _>(10, |[i]| particle(i)).unwrap();
    let advice = Advisor::new(Sums).budget(Duration::ZERO).advise(&particles, &Sum(5)).unwrap();
    let lossy = advice.ranking().iter().find(|row| row.layout != "SoA").unwrap();
    assert_eq!(lossy.differs.as_deref(), Some("id"));
    assert_eq!(advice.line().unwrap(), "alloc::<Particle, SoA, _>(10)?");
}

/// Extents of two dimensions, one known by type; none at all; and a clock that stands still.
#[test]
fn extents_and_clocks() {
    let advisor = Advisor::new(Sums).budget(Duration::ZERO).clock(|| Duration::from_secs(1));
    let grid = alloc_from_fn::<Particle, AoS, _>(extents!(dyn 3, 4), |[i, j]| particle(i * j)).unwrap();
    let advice = advisor.advise(&grid, &Step::default()).unwrap();
    assert_eq!(advice.line().unwrap(), "alloc::<Particle, SoA, _>([3, 4])?");
    let soa = advice.ranking().iter().find(|row| row.layout == "SoA").unwrap();
    // 12 times 20 bytes, and what keeps columns apart.
    assert!((240..=640).contains(&soa.bytes), "{advice}");

    let none = alloc::<Particle, AoS, _>(0).unwrap();
    let advice = advisor.advise(&none, &Step::default()).unwrap();
    assert_eq!(advice.ranking().len(), 2);
    assert!(advice.ranking().iter().all(|row| row.differs.is_none()), "{advice}");
}

/// Sums each column into its first element.
#[derive(Clone)]
struct Columns;

impl<E: Extents<Array = [usize; 2]>> Kernel<Particle, E> for Columns {
    fn run<M, B>(&mut self, view: &mut View<M, B>)
    where
        M: Mapping<Record = Particle, Extents = E>,
        B: BlobsMut,
    {
        let mut sums = vec![0.0; view.extents()[1]];
        view.for_each_indexed(|[_, j], p| sums[j] += p.vel.get());
        view.for_each_indexed_mut(|[i, j], mut p| {
            if i == 0 {
                p.pos.set(sums[j]);
            }
        });
    }
}

/// Returns `true` if the results in this layout cannot be right: particles have positions that `f32` has not.
fn is_lossy(layout: &str) -> bool {
    layout.contains("Null") || layout.contains("ChangeType")
}

/// All layouts in all linearizations are ranked together, and results are compared by index.
#[test]
fn linearizations() {
    type Orders = (RowMajor, ColMajor, Tiled<4, 4>, Morton);
    let advisor = Advisor::new(Layouts).linearizations::<Orders>().budget(Duration::ZERO);
    let grid = alloc_from_fn::<Particle, AoS, _>([9, 15], |[i, j]| particle(16 * i + j)).unwrap();
    let advice = advisor.advise(&grid, &Columns).unwrap();
    assert_eq!(advice.ranking().len(), 6 * 4);
    for row in advice.ranking() {
        let lossy = is_lossy(row.layout);
        assert_eq!(row.differs.is_some(), lossy, "{} {}\n{advice}", row.layout, row.linearization);
    }
    let pairs: std::collections::BTreeSet<_> =
        advice.ranking().iter().map(|row| (row.layout, row.linearization.clone())).collect();
    assert_eq!(pairs.len(), 6 * 4, "each pair once");
    let text = advice.to_string();
    assert!(text.contains("\nSoA, Tiled<4, 4>  "), "{text}");
    assert!(text.contains("\nOne, Morton  ") && text.contains("\nOne  "), "{text}");
    // Elements by columns are compared with the same elements by rows, also where the data itself lies by columns.
    let columns = Mapped::<Particle, _, SoA, ColMajor>::new(extents!(dyn 9, dyn 15)).unwrap();
    let columns = View::from_fn(columns, |[i, j]| particle(16 * i + j)).unwrap();
    let advice = advisor.advise(&columns, &Columns).unwrap();
    assert!(advice.ranking().iter().all(|row| row.differs.is_some() == is_lossy(row.layout)), "{advice}");
}

/// A linearization that does not fit the extents is refused, and the others are ranked.
#[test]
fn linearizations_that_do_not_fit() {
    layouts! { struct Two of Particle = [AoS, SoA]; }
    // Morton order has positions for a square of 256 x 256 elements: one more than `u16` counts.
    let grid =
        alloc_from_fn::<Particle, AoS, _>(dyn_extents([2_u16, 200]).unwrap(), |[i, j]| particle(16 * i + j)).unwrap();
    let advisor = Advisor::new(Two).linearizations::<(ColMajor, Morton)>().budget(Duration::ZERO);
    let advice = advisor.advise(&grid, &Columns).unwrap();
    assert_eq!(advice.ranking().len(), 2);
    assert!(advice.ranking().iter().all(|row| row.linearization == "ColMajor" && row.differs.is_none()), "{advice}");
    let refused: Vec<_> = advice.refused().iter().map(|row| (row.layout, &row.linearization[..])).collect();
    assert_eq!(refused, [("AoS", "Morton"), ("SoA", "Morton")]);
    assert!(matches!(advice.refused()[0].error, ViewError::Extents(_)), "{:?}", advice.refused()[0].error);
    assert!(advice.line().unwrap().ends_with(", ColMajor>::new(extents!(dyn 2, dyn 200))?)?"), "{advice}");
    // No elements: nothing to take a first value from.
    let none = alloc::<Particle, AoS, _>([0, 4]).unwrap();
    let advice = advisor.advise(&none, &Columns).unwrap();
    assert_eq!(advice.ranking().len(), 4);
}

/// A layout that has too few bits for a value is refused, and the others are measured.
#[test]
fn values_that_do_not_fit() {
    type Ids<L> = Split<path!(Particle, id), L, SoA>;
    layouts! {
        struct Packed of Particle = [
            AoS,
            Ids<BitPackedIntSoA<Bits<4>>>,
            Ids<BitPackedIntSoA<Bits<7>>>,
            Split<path!(Particle, id), BitPackedIntAoS<Bits<3>>, AoS>,
            Ids<BitPackedIntSoA<Bits<4>, KeepSign, Wrap>>,
        ];
    }
    let of = |[i]: [usize; 1]| Particle { id: u32::try_from(i).unwrap(), ..particle(i) };
    let particles = alloc_from_fn::<Particle, AoS, _>(100, of).unwrap();
    let advice = Advisor::new(Packed).budget(Duration::ZERO).advise(&particles, &Step::default()).unwrap();
    let refused: Vec<_> = advice.refused().iter().map(|row| (row.layout, row.error.to_string())).collect();
    let expected = [
        ("Ids<BitPackedIntSoA<Bits<4>>>", "value 16 does not fit leaf `id`, which stores 0 to 15, at index [16]"),
        (
            "Split<path!(Particle, id), BitPackedIntAoS<Bits<3>>, AoS>",
            "value 8 does not fit leaf `id`, which stores 0 to 7, at index [8]",
        ),
        (
            "Ids<BitPackedIntSoA<Bits<4>, KeepSign, Wrap>>",
            "value 16 does not fit leaf `id`, which stores 0 to 15, at index [16]",
        ),
    ];
    assert_eq!(refused, expected.map(|(layout, error)| (layout, error.to_owned())));
    assert_eq!(advice.ranking().len(), 2);
    assert!(advice.ranking().iter().all(|row| row.differs.is_none()), "{advice}");
}

layouts! { struct Refused of Particle = [One]; }

#[test]
fn nothing_to_recommend() {
    let particles = alloc_from_fn::<Particle, AoS, _>(10, |[i]| particle(i)).unwrap();
    let advice = Advisor::new(Refused).advise(&particles, &Step::default()).unwrap();
    assert!(advice.ranking().is_empty() && advice.best().is_none() && advice.line().is_none());
    assert!(advice.to_string().ends_with("no layout of the list gives these results"), "{advice}");

    let constant = View::constant(Mapped::<Particle, _, One>::new(extents!(dyn 5)).unwrap(), particle(1)).unwrap();
    assert_eq!(Advisor::new(Sums).advise(&constant, &Step::default()).err(), Some(ViewError::NotUnique));
}
