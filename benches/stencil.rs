//! The 5-point stencil over grids of `f32`: through views, by hand, and with `ndarray`.
//!
//! `cargo bench --bench stencil`; with `-- ratio`, only the ratios of views to hand-written loops. Those run on the
//! memory of the views, so that both find every number at the same address.

#[path = "kernels/ratio.rs"]
mod ratio;
#[path = "kernels/stencil.rs"]
mod stencil;

use core::hint::black_box;
use core::time::Duration;

use criterion::Criterion;
use layout::index::IntoExtents;
use layout::{AoS, ArrayExtents, Blobs, BlobsMut, Extents, MappingOf, SoA, Static, View, alloc_from_fn};
use ndarray::{Array2, Zip, s};

fn cell([i, j]: [usize; 2]) -> f32 {
    ((i * 31 + j * 17) % 97) as f32
}

/// Without slices of rows: every index is checked, as far as the compiler sees no way around it.
#[inline(never)]
fn flat(source: &[f32], target: &mut [f32], height: usize, width: usize) {
    assert!(source.len() == height * width && target.len() == height * width, "not a grid of that size");
    for i in 1..height - 1 {
        for j in 1..width - 1 {
            let k = i * width + j;
            target[k] = 0.2 * (source[k] + source[k - width] + source[k + width] + source[k - 1] + source[k + 1]);
        }
    }
}

#[inline(never)]
fn ndarray_indices(source: &Array2<f32>, target: &mut Array2<f32>) {
    let (height, width) = source.dim();
    assert_eq!(target.dim(), (height, width), "not a grid of that size");
    for i in 1..height - 1 {
        for j in 1..width - 1 {
            target[[i, j]] = 0.2
                * (source[[i, j]] + source[[i - 1, j]] + source[[i + 1, j]] + source[[i, j - 1]] + source[[i, j + 1]]);
        }
    }
}

#[inline(never)]
fn ndarray_zip(source: &Array2<f32>, target: &mut Array2<f32>) {
    let (height, width) = source.dim();
    let (last_row, last_column) = (height - 1, width - 1);
    Zip::from(target.slice_mut(s![1..last_row, 1..last_column]))
        .and(source.slice(s![1..last_row, 1..last_column]))
        .and(source.slice(s![..height - 2, 1..last_column]))
        .and(source.slice(s![2.., 1..last_column]))
        .and(source.slice(s![1..last_row, ..width - 2]))
        .and(source.slice(s![1..last_row, 2..]))
        .for_each(|to, at, above, below, left, right| *to = 0.2 * (at + above + below + left + right));
}

/// The expected values of the inner cells of a grid, and zeros around them.
fn expected(height: usize, width: usize) -> Vec<f32> {
    let mut all = vec![0.0; height * width];
    for i in 1..height - 1 {
        for j in 1..width - 1 {
            all[i * width + j] =
                0.2 * (cell([i, j]) + cell([i - 1, j]) + cell([i + 1, j]) + cell([i, j - 1]) + cell([i, j + 1]));
        }
    }
    all
}

fn values<M: MappingOf<f32, 2>>(view: &View<M, impl Blobs>) -> Option<&[f32]> {
    view.as_ref().into_slice()
}

fn values_mut<M: MappingOf<f32, 2>>(view: &mut View<M, impl BlobsMut>) -> Option<&mut [f32]> {
    view.as_mut().into_mut_slice()
}

fn fixed<const H: usize, const W: usize>(values: &[f32]) -> &[[f32; W]; H] {
    values.as_chunks().0.try_into().expect("a grid of that size")
}

fn fixed_mut<const H: usize, const W: usize>(values: &mut [f32]) -> &mut [[f32; W]; H] {
    values.as_chunks_mut().0.try_into().expect("a grid of that size")
}

fn static_extents<const H: usize, const W: usize>() -> ArrayExtents<usize, (Static<H>, Static<W>)> {
    Extents::from_array([H, W]).expect("its own extents")
}

/// Prints how the view compares with the loop by hand over the same memory.
fn ratio<X>(name: &str, extents: X, mut hand: impl FnMut(&[f32], &mut [f32]))
where
    X: IntoExtents<Extents: Extents<Index = usize, Rank = layout::Dim<2>, Array = [usize; 2]>>,
{
    let source = alloc_from_fn::<f32, SoA, _>(extents, cell).expect("memory for a grid");
    let mut target = source.clone();
    ratio::print(
        name,
        &mut target,
        |target| stencil::view(black_box(&source), black_box(target)),
        |target| {
            let from = values(black_box(&source)).expect("values in a row");
            hand(from, values_mut(black_box(target)).expect("values in a row"));
        },
    );
}

fn grid<const H: usize, const W: usize>(criterion: &mut Criterion) {
    let zero = |_: [usize; 2]| 0.0;
    let wanted = expected(H, W);
    if ratio::wanted() {
        ratio(&format!("stencil {W} dynamic"), [H, W], |from, to| stencil::hand_rows(from, to, black_box(W)));
        ratio(&format!("stencil {W} static"), static_extents::<H, W>(), |from, to| {
            stencil::hand_static::<H, W>(fixed(from), fixed_mut(to));
        });
    }

    let mut group = criterion.benchmark_group(format!("stencil/{W}"));
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));

    let source = alloc_from_fn::<f32, SoA, _>([H, W], cell).expect("memory for a grid");
    let mut target = alloc_from_fn::<f32, SoA, _>([H, W], zero).expect("memory for a grid");
    stencil::view(&source, &mut target);
    assert!(target.to_vec() == wanted, "dynamic extents");
    group.bench_function("view dynamic SoA", |b| b.iter(|| stencil::view(black_box(&source), black_box(&mut target))));

    // By hand on the memory of the views, which is aligned as theirs.
    target.fill(0.0);
    let (from, to) = (values(&source).expect("values in a row"), values_mut(&mut target).expect("values in a row"));
    stencil::hand_rows(from, to, W);
    assert!(to == wanted, "rows by hand");
    group.bench_function("hand rows", |b| {
        b.iter(|| stencil::hand_rows(black_box(from), black_box(&mut *to), black_box(W)));
    });
    to.fill(0.0);
    flat(from, to, H, W);
    assert!(to == wanted, "flat index by hand");
    group.bench_function("hand flat index", |b| {
        b.iter(|| flat(black_box(from), black_box(&mut *to), black_box(H), black_box(W)));
    });
    to.fill(0.0);
    stencil::hand_static::<H, W>(fixed(from), fixed_mut(to));
    assert!(to == wanted, "static extents by hand");
    group.bench_function("hand static", |b| {
        b.iter(|| stencil::hand_static::<H, W>(black_box(fixed(from)), black_box(fixed_mut(to))));
    });
    drop((source, target));

    let source = alloc_from_fn::<f32, SoA, _>(static_extents::<H, W>(), cell).expect("memory for a grid");
    let mut target = alloc_from_fn::<f32, SoA, _>(static_extents::<H, W>(), zero).expect("memory for a grid");
    stencil::view(&source, &mut target);
    assert!(target.to_vec() == wanted, "static extents");
    group.bench_function("view static SoA", |b| b.iter(|| stencil::view(black_box(&source), black_box(&mut target))));
    drop((source, target));

    let source = alloc_from_fn::<f32, AoS, _>([H, W], cell).expect("memory for a grid");
    let mut target = alloc_from_fn::<f32, AoS, _>([H, W], zero).expect("memory for a grid");
    stencil::view(&source, &mut target);
    assert!(target.to_vec() == wanted, "an AoS of one leaf");
    group.bench_function("view dynamic AoS", |b| b.iter(|| stencil::view(black_box(&source), black_box(&mut target))));
    drop((source, target));

    // The part of a grid with a halo that is not the halo: a slice, whose rows do not follow one another.
    let padded = [H + 2, W + 2];
    let source = alloc_from_fn::<f32, SoA, _>(padded, |[i, j]| cell([i.saturating_sub(1), j.saturating_sub(1)]));
    let source = source.expect("memory for a grid");
    let mut target = alloc_from_fn::<f32, SoA, _>(padded, zero).expect("memory for a grid");
    let source = source.slice((1..=H, 1..=W));
    let mut target = target.slice_mut((1..=H, 1..=W));
    stencil::view(&source, &mut target);
    assert!(target.to_vec() == wanted, "a slice");
    group.bench_function("view slice", |b| b.iter(|| stencil::view(black_box(&source), black_box(&mut target))));

    let source = Array2::from_shape_fn((H, W), |(i, j)| cell([i, j]));
    let mut target = Array2::zeros((H, W));
    ndarray_indices(&source, &mut target);
    assert!(target.iter().eq(&wanted), "ndarray by index");
    group.bench_function("ndarray index", |b| {
        b.iter(|| ndarray_indices(black_box(&source), black_box(&mut target)));
    });
    target.fill(0.0);
    ndarray_zip(&source, &mut target);
    assert!(target.iter().eq(&wanted), "ndarray by shifted slices");
    group.bench_function("ndarray zip", |b| b.iter(|| ndarray_zip(black_box(&source), black_box(&mut target))));
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    if cfg!(debug_assertions) {
        grid::<64, 64>(&mut criterion);
    } else {
        grid::<256, 256>(&mut criterion);
        grid::<4096, 4096>(&mut criterion);
    }
    criterion.final_summary();
}
