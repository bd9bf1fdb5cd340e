//! The data in one layout of a list.

use core::hint::black_box;
use core::marker::PhantomData;
use core::time::Duration;

use layout_core::{Blobs, LayoutTask, Mapped, Mapping, Owned, Record, RecordLayout, View, ViewError};

use super::fingerprint::Fingerprint;
use super::{Clock, Kernel};

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

/// Copies the data to a layout of the list.
pub(super) struct Hold<'d, M: Mapping, B, K> {
    data: &'d View<M, B>,
    clock: Clock,
    kernel: PhantomData<fn(K)>,
}

impl<'d, M: Mapping, B, K> Hold<'d, M, B, K> {
    pub(super) fn new(data: &'d View<M, B>, clock: Clock) -> Self {
        Self { data, clock, kernel: PhantomData }
    }
}

impl<'d, R, M, B, K> LayoutTask<R> for Hold<'d, M, B, K>
where
    R: Record,
    M: Mapping<Record = R>,
    B: Blobs,
    K: Kernel<R, M::Extents> + Clone,
{
    type Output = Result<Held<'d, K>, ViewError>;

    fn run<L: RecordLayout<R> + Default>(self) -> Self::Output {
        let view = self.data.map::<R, L>(|record| record)?;
        Ok(Box::new(InLayout { data: self.data, view, clock: self.clock }))
    }
}

/// The data in the layout `L`.
struct InLayout<'d, M: Mapping, B, L: RecordLayout<M::Record>> {
    data: &'d View<M, B>,
    view: Owned<Mapped<M::Record, M::Extents, L>>,
    clock: Clock,
}

impl<M, B, L> InLayout<'_, M, B, L>
where
    M: Mapping,
    B: Blobs,
    L: RecordLayout<M::Record>,
{
    fn restore(&mut self) {
        let copied = self.view.copy_from(self.data);
        assert!(copied.is_ok(), "both have the extents of the data");
    }
}

impl<M, B, L, K> Candidate<K> for InLayout<'_, M, B, L>
where
    M: Mapping,
    B: Blobs,
    L: RecordLayout<M::Record>,
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
