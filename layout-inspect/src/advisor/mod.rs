//! The advisor: it measures in which layout a kernel is fastest, on the user's own data.

mod advice;
mod candidate;
mod fingerprint;
mod linearizations;
mod timing;

use core::marker::PhantomData;
use core::time::Duration;
use std::time::Instant;

use layout_core::{Blobs, BlobsMut, DynExtents, Extents, LayoutList, Mapping, Record, RowMajor, View, ViewError};

pub use advice::{Advice, Ranked, Refused};
use candidate::{Held, Hold};
use fingerprint::Fingerprint;
pub use linearizations::{LinearizationList, LinearizationTask};

/// The computation to optimize: a function on a view of `R` in any layout and any linearization.
///
/// `E` is the type of the data's extents; by default one dimension, as [`alloc(n)`](layout_core::alloc()) makes.
///
/// # Examples
///
/// ```
/// use layout::choice::layouts;
/// use layout::inspect::{Advisor, Kernel};
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, Record)]
/// struct Particle { pos: f32, vel: f32, mass: f32 }
///
/// /// Moves all particles.
/// #[derive(Clone)]
/// struct Move { dt: f32 }
///
/// impl Kernel<Particle> for Move {
///     fn run<M, B>(&mut self, particles: &mut View<M, B>)
///     where
///         M: Mapping<Record = Particle, Extents = DynExtents<1>>,
///         B: BlobsMut,
///     {
///         particles.for_each_mut(|mut p| p.pos += p.vel.get() * self.dt);
///     }
/// }
///
/// layouts! { struct Layouts of Particle = [AoS, SoA, AoSoA<16>]; }
///
/// let particle = |[i]: [usize; 1]| Particle { pos: 0.0, vel: i as f32, mass: 1.0 };
/// let particles = alloc_from_fn::<Particle, AoS, _>(500, particle)?;
/// let advice = Advisor::new(Layouts).budget(std::time::Duration::from_millis(20)).advise(&particles, &Move { dt: 0.1 })?;
/// println!("{advice}");
///
/// assert_eq!(advice.ranking().len(), 3);
/// assert!(advice.ranking().iter().all(|row| row.differs.is_none()));
/// assert!(advice.line().unwrap().starts_with("alloc::<Particle, "));
/// assert_eq!(advice.uses().leaves()[2].reads, 0); // no need of `mass`
/// # Ok::<(), ViewError>(())
/// ```
pub trait Kernel<R: Record, E: Extents = DynExtents<1>> {
    /// Runs the computation. It is called many times, on the same data in different layouts. A turn is up to 65,536 runs, each on the
    /// results of the run before it. The data are restored before a turn, not before each run.
    ///
    /// Uses are counted in one run. So the kernel must take no references to leaves, whose uses could not be counted. The data of a
    /// kernel that writes nothing in that run are restored only once.
    fn run<M, B>(&mut self, view: &mut View<M, B>)
    where
        M: Mapping<Record = R, Extents = E>,
        B: BlobsMut;

    /// The result of a run beside the values it wrote to the view, for instance the bits of a sum. It should be the
    /// same in every layout. A sum of floats over [`for_each`](View::for_each) depends on the order of the elements, which the
    /// linearization determines: round it before it is returned, or do without it.
    fn result(&self) -> u64 {
        0
    }
}

/// Runs a kernel in each layout of a [list](layout_core::layouts), on the user's data, and ranks the layouts.
///
/// [`linearizations`](Self::linearizations) makes it try each layout in several linearizations.
///
/// Layouts run in turns, so that other work of the machine slows all of them alike. A layout is judged by its least
/// disturbed rounds: by the time that a quarter of its rounds stay below. The fastest layout runs twice in each round,
/// from separate memory. The difference between these two, and between the two halves of the rounds, is the noise:
/// layouts that differ by less are equals, and the simplest of them is recommended. Each turn starts from the same data
/// and the same state of the kernel.
///
/// All candidates hold their data at the same time, so there must be memory for one copy for each layout in each linearization,
/// and for two more.
///
/// # Examples
///
/// See [`Kernel`].
#[derive(Clone, Debug)]
pub struct Advisor<S, O = (RowMajor,)> {
    budget: Duration,
    clock: Clock,
    lists: PhantomData<fn() -> (S, O)>,
}

/// The clock that times are measured with.
#[derive(Clone, Copy, Debug)]
enum Clock {
    Wall,
    Own(fn() -> Duration),
}

impl Clock {
    /// Measures the time of `work`.
    fn time(self, work: impl FnOnce()) -> Duration {
        match self {
            Self::Wall => {
                let start = Instant::now();
                work();
                start.elapsed()
            }
            Self::Own(now) => {
                let start = now();
                work();
                now().saturating_sub(start)
            }
        }
    }
}

impl<S> Advisor<S> {
    /// Makes an advisor for these layouts, which [`layouts!`](layout_core::layouts) makes. It takes about two seconds.
    #[must_use]
    pub fn new(layouts: S) -> Self {
        // The list is a type; its value only names it.
        let _ = layouts;
        Self { budget: Duration::from_secs(2), clock: Clock::Wall, lists: PhantomData }
    }
}

impl<S, O> Advisor<S, O> {
    /// Tries each layout in each linearization of the list `P`, in place of [`RowMajor`] alone: a tuple such as
    /// `(RowMajor, ColMajor, Tiled<8, 8>, Morton)`. All pairs are ranked together, and a linearization that does not fit
    /// the extents is [refused](Advice::refused).
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    ///
    /// use layout::inspect::{Advisor, Kernel};
    /// use layout::choice::layouts;
    /// use layout::prelude::*;
    ///
    /// /// Sums each column.
    /// #[derive(Clone)]
    /// struct Columns;
    ///
    /// impl Kernel<f32, DynExtents<2>> for Columns {
    ///     fn run<M: Mapping<Record = f32, Extents = DynExtents<2>>, B: BlobsMut>(&mut self, grid: &mut View<M, B>) {
    ///         let [height, width] = grid.extents();
    ///         for j in 0..width {
    ///             let sum = (1..height).map(|i| grid.get([i, j])).sum();
    ///             grid.set([0, j], sum);
    ///         }
    ///     }
    /// }
    ///
    /// layouts! { struct Layouts of f32 = [SoA, AoSoA<16>]; }
    ///
    /// let grid = alloc_from_fn::<f32, SoA, _>([48, 48], |[i, j]| (i * j) as f32)?;
    /// let advisor = Advisor::new(Layouts).linearizations::<(RowMajor, ColMajor, Tiled<8, 8>, Morton)>();
    /// let advice = advisor.budget(Duration::from_millis(20)).advise(&grid, &Columns)?;
    /// assert_eq!(advice.ranking().len(), 2 * 4);
    /// assert!(advice.ranking().iter().all(|row| row.differs.is_none()));
    /// assert!(advice.ranking().iter().any(|row| (row.layout, &row.linearization[..]) == ("SoA", "ColMajor")));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn linearizations<P>(self) -> Advisor<S, P> {
        Advisor { budget: self.budget, clock: self.clock, lists: PhantomData }
    }

    /// Sets the approximate time of all rounds together. There are at least seven rounds.
    #[must_use]
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the clock, in place of the wall clock. On a machine that does other work, the CPU time of this thread tells
    /// more, unless the kernel has threads of its own.
    #[must_use]
    pub fn clock(mut self, now: fn() -> Duration) -> Self {
        self.clock = Clock::Own(now);
        self
    }

    /// Runs the kernel on `data` in each layout, with each linearization.
    ///
    /// `data` is not changed. Results are compared with those that the kernel computes in the layout of `data`.
    ///
    /// # Errors
    ///
    /// Returns an error if the data cannot be copied in its own layout: there is not enough memory, or elements share bytes.
    ///
    /// # Panics
    ///
    /// Panics if the kernel panics, also because it writes a value that a layout of the list refuses, such as a bit-packed one.
    pub fn advise<R, M, B, K>(&self, data: &View<M, B>, kernel: &K) -> Result<Advice, ViewError>
    where
        R: Record,
        M: Mapping<Record = R, Layout: Default>,
        B: Blobs,
        K: Kernel<R, M::Extents> + Clone,
        S: LayoutList<R>,
        O: LinearizationList<<M::Extents as Extents>::Array>,
    {
        // One run under trace comes first, in the layout of the data.
        let mut copy = data.map::<R, M::Layout>(|record| record)?.trace();
        let mut traced = kernel.clone();
        traced.run(&mut copy);
        let (copy, trace) = copy.unobserved();
        let uses = trace.uses();
        let reference = Fingerprint::of(&copy, traced.result());
        let writes = uses.leaves().iter().any(|leaf| leaf.writes > 0);

        let hold = |[order, layout]: [usize; 2]| O::run_nth(order, Hold::<_, _, K, S>::new(data, self.clock, layout));
        let (mut candidates, mut names, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for number in (0..S::NAMES.len()).flat_map(|layout| (0..O::COUNT).map(move |order| [order, layout])) {
            let layout = S::NAMES[number[1]];
            match hold(number) {
                (linearization, Ok(candidate)) => {
                    candidates.push(candidate);
                    names.push((number, layout, linearization));
                }
                (linearization, Err(error)) => refused.push(Refused { layout, linearization, error }),
            }
        }
        let differs = |candidate: &mut Held<'_, K>| {
            candidate.fingerprint(kernel).difference(&reference).map(|place| match place {
                fingerprint::Difference::Leaf(number) => R::TREE.leaf_name(number).to_string(),
                fingerprint::Difference::Result => String::from("the result"),
            })
        };
        let differences: Vec<_> = candidates.iter_mut().map(differs).collect();
        let times =
            timing::measure(&mut candidates, kernel, writes, self.budget, |fastest| hold(names[fastest].0).1.ok());

        let rows = names.into_iter().zip(differences).enumerate();
        let rows = rows.map(|(i, ((number, layout, linearization), differs))| Ranked {
            layout,
            linearization,
            time: times.runs[i],
            ratio: times.ratios[i],
            bytes: candidates[i].bytes(),
            differs,
            number,
        });
        let extents = data.extents();
        Ok(Advice::new::<R>(extents.as_ref(), rows.collect(), refused, uses, times.noise, times.rounds))
    }
}
