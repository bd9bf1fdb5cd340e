//! The advisor: it measures in which layout a kernel is fastest, on the user's own data.

mod advice;
mod candidate;
mod fingerprint;
mod timing;

use core::marker::PhantomData;
use core::time::Duration;
use std::time::Instant;

use layout_core::{Blobs, BlobsMut, DynExtents, Extents, LayoutList, Mapping, Record, RowMajor, View, ViewError};

pub use advice::{Advice, Ranked, Refused};
use candidate::{Held, Hold};
use fingerprint::Fingerprint;

/// The computation to optimize: a function on a view of `R` in any layout.
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
///         M: Mapping<Record = Particle, Extents = DynExtents<1>, Linearization = RowMajor>,
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
    /// Runs the computation. It is called many times, on the same data in different layouts.
    ///
    /// Uses are counted in one run. So the kernel must take no references to leaves, whose uses could not be counted.
    fn run<M, B>(&mut self, view: &mut View<M, B>)
    where
        M: Mapping<Record = R, Extents = E, Linearization = RowMajor>,
        B: BlobsMut;

    /// The result of a run beside the values it wrote to the view, for instance the bits of a sum. It should be the
    /// same in every layout.
    fn result(&self) -> u64 {
        0
    }
}

/// Runs a kernel in each layout of a [list](layout_core::layouts), on the user's data, and ranks the layouts.
///
/// Layouts run in turns, so that other work of the machine slows all of them alike. A layout is judged by its least
/// disturbed rounds: by the time that a quarter of its rounds stay below. The fastest layout runs twice in each round,
/// from separate memory. The difference between these two, and between the two halves of the rounds, is the noise:
/// layouts that differ by less are equals, and the simplest of them is recommended. Each turn starts from the same data
/// and the same state of the kernel.
///
/// All layouts hold their data at the same time, so there must be memory for one copy for each layout, and one more.
///
/// # Examples
///
/// See [`Kernel`].
#[derive(Clone, Debug)]
pub struct Advisor<S> {
    budget: Duration,
    clock: Clock,
    layouts: PhantomData<fn() -> S>,
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
        Self { budget: Duration::from_secs(2), clock: Clock::Wall, layouts: PhantomData }
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

    /// Runs the kernel on `data` in each layout.
    ///
    /// `data` is not changed. Results are compared with those that the kernel computes in the layout of `data`.
    ///
    /// # Errors
    ///
    /// Returns an error if the data cannot be copied in its own layout: there is not enough memory, or elements share bytes.
    pub fn advise<R, M, B, K>(&self, data: &View<M, B>, kernel: &K) -> Result<Advice, ViewError>
    where
        R: Record,
        M: Mapping<Record = R, Layout: Default>,
        B: Blobs,
        K: Kernel<R, M::Extents> + Clone,
        S: LayoutList<R>,
    {
        // One run under trace comes first, in the layout of the data.
        let mut copy = data.map::<R, M::Layout>(|record| record)?.trace();
        let mut traced = kernel.clone();
        traced.run(&mut copy);
        let (copy, trace) = copy.unobserved();
        let uses = trace.uses();
        let reference = Fingerprint::of(&copy, traced.result());
        let writes = uses.leaves().iter().any(|leaf| leaf.writes > 0);

        let mut candidates: Vec<(usize, Held<'_, K>)> = Vec::new();
        let mut refused = Vec::new();
        for (number, layout) in S::NAMES.iter().enumerate() {
            match S::run_nth(number, Hold::new(data, self.clock)) {
                Ok(candidate) => candidates.push((number, candidate)),
                Err(error) => refused.push(Refused { layout, error }),
            }
        }
        let differs = |(_, candidate): &mut (usize, Held<'_, K>)| {
            candidate.fingerprint(kernel).difference(&reference).map(|place| match place {
                fingerprint::Difference::Leaf(number) => R::TREE.leaf_name(number).to_string(),
                fingerprint::Difference::Result => String::from("the result"),
            })
        };
        let differences: Vec<_> = candidates.iter_mut().map(differs).collect();
        let times = timing::measure(&mut candidates, kernel, writes, self.budget, |fastest| {
            S::run_nth(fastest, Hold::new(data, self.clock)).ok()
        });

        let rows = candidates.iter().zip(differences).enumerate().map(|(i, ((number, candidate), differs))| Ranked {
            layout: S::NAMES[*number],
            time: times.runs[i],
            ratio: times.ratios[i],
            bytes: candidate.bytes(),
            differs,
            number: *number,
        });
        let extents = data.extents();
        Ok(Advice::new::<R>(extents.as_ref(), rows.collect(), refused, uses, times.noise, times.rounds))
    }
}
