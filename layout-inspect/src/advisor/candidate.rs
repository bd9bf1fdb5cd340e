//! The data in one layout of a list.

use core::hint::black_box;
use core::marker::PhantomData;
use core::time::Duration;

use layout_core::{
    Blobs, Extents, LayoutList, LayoutTask, LeafSet, Linearization, Mapped, Mapping, Owned, Record, RecordLayout, View,
    ViewError, check_values, zeroed_for,
};

use super::fingerprint::Fingerprint;
use super::linearizations::LinearizationTask;
use super::{Clock, Kernel};
use crate::names::linearization_name;

/// The data in some layout, for the kernel `K`.
pub(super) trait Candidate<K> {
    /// The fingerprint of the kernel's results.
    fn fingerprint(&mut self, kernel: &K) -> Fingerprint;

    /// The time of `runs` consecutive runs, on data that is restored first if needed.
    fn turn(&mut self, kernel: &K, restore: bool, runs: u32) -> Duration;

    /// The number of allocated bytes.
    fn bytes(&self) -> usize;
}

/// The data in one of the layouts.
pub(super) type Held<'d, K> = Box<dyn Candidate<K> + 'd>;

/// Copies the data to layout number `layout` of the list `S`, with a linearization.
pub(super) struct Hold<'d, M: Mapping, B, K, S> {
    data: &'d View<M, B>,
    clock: Clock,
    layout: usize,
    types: PhantomData<fn(K, S)>,
}

impl<'d, M: Mapping, B, K, S> Hold<'d, M, B, K, S> {
    pub(super) fn new(data: &'d View<M, B>, clock: Clock, layout: usize) -> Self {
        Self { data, clock, layout, types: PhantomData }
    }
}

impl<'d, R, M, B, K, S> LinearizationTask<<M::Extents as Extents>::Array> for Hold<'d, M, B, K, S>
where
    R: Record,
    M: Mapping<Record = R>,
    B: Blobs,
    K: Kernel<R, M::Extents> + Clone,
    S: LayoutList<R>,
{
    /// The linearization as text, and the data.
    type Output = (String, Result<Held<'d, K>, ViewError>);

    fn run<Lin>(self, linearization: Lin) -> Self::Output
    where
        Lin: Linearization<<M::Extents as Extents>::Array> + Default,
    {
        let name = linearization_name(core::any::type_name::<Lin>());
        let hold = HoldIn { data: self.data, clock: self.clock, linearization, kernel: PhantomData };
        (name, S::run_nth(self.layout, hold))
    }
}

/// Copies the data to a layout, with the linearization `Lin`.
struct HoldIn<'d, M: Mapping, B, K, Lin> {
    data: &'d View<M, B>,
    clock: Clock,
    linearization: Lin,
    kernel: PhantomData<fn(K)>,
}

impl<'d, R, M, B, K, Lin> LayoutTask<R> for HoldIn<'d, M, B, K, Lin>
where
    R: Record,
    M: Mapping<Record = R>,
    B: Blobs,
    K: Kernel<R, M::Extents> + Clone,
    Lin: Linearization<<M::Extents as Extents>::Array>,
{
    type Output = Result<Held<'d, K>, ViewError>;

    fn run<L: RecordLayout<R> + Default>(self) -> Self::Output {
        let mapping =
            Mapped::<R, M::Extents, L, Lin>::with(self.data.mapping().extents(), L::default(), self.linearization)?;
        check_values(mapping, &LeafSet::all::<R>(), self.data)?;
        let view = zeroed_for(mapping, self.data)?;
        let mut held = InLayout { data: self.data, view, clock: self.clock };
        held.restore();
        Ok(Box::new(held))
    }
}

/// The data in the layout `L`, with the linearization `Lin`.
struct InLayout<'d, M: Mapping, B, L: RecordLayout<M::Record>, Lin: Linearization<<M::Extents as Extents>::Array>> {
    data: &'d View<M, B>,
    view: Owned<Mapped<M::Record, M::Extents, L, Lin>>,
    clock: Clock,
}

impl<M, B, L, Lin> InLayout<'_, M, B, L, Lin>
where
    M: Mapping,
    B: Blobs,
    L: RecordLayout<M::Record>,
    Lin: Linearization<<M::Extents as Extents>::Array>,
{
    fn restore(&mut self) {
        let copied = self.view.copy_from(self.data);
        assert!(copied.is_ok(), "both have the extents of the data");
    }
}

impl<M, B, L, Lin, K> Candidate<K> for InLayout<'_, M, B, L, Lin>
where
    M: Mapping,
    B: Blobs,
    L: RecordLayout<M::Record>,
    Lin: Linearization<<M::Extents as Extents>::Array>,
    K: Kernel<M::Record, M::Extents> + Clone,
{
    fn fingerprint(&mut self, kernel: &K) -> Fingerprint {
        self.restore();
        let mut kernel = kernel.clone();
        kernel.run(&mut self.view);
        Fingerprint::of(&self.view, kernel.result())
    }

    fn turn(&mut self, kernel: &K, restore: bool, runs: u32) -> Duration {
        if restore {
            self.restore();
        }
        let mut kernel = kernel.clone();
        let view = &mut self.view;
        self.clock.time(|| {
            for _ in 0..runs {
                // The compiler must assume that someone looks at the results, so it leaves out no run.
                black_box(&mut kernel).run(black_box(&mut *view));
            }
            black_box(&mut kernel);
        })
    }

    fn bytes(&self) -> usize {
        let mapping = self.view.mapping();
        mapping.layout().region_size(mapping.span())
    }
}
