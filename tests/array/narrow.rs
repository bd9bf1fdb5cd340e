//! Arrays in narrow layouts, which do not store every value and in some of which elements share bytes, beside arrays in SoA.

use layout::bits::{BitPackedIntAoS, BitPackedIntSoA, Bits, KeepSign, Saturate, Wrap};
use layout::composed::ChangeType;
use layout::{RecordLayout, SoA, ViewError};
use layout_array::{Array, ArrayError, HaloArray, Replicas, Scan, SparseArray};
use layout_domain::{Block, Cyclic, Domain, Pick, Replicated, SparseDomain, Stencil, Targets};
use layout_store::{Max, Min, Runtime, StoreError, Sum};

use crate::maps::{MAPS, builder, map};
use crate::{LOCALES, on};

/// Seven bits: -64 to 63.
type Packed = BitPackedIntSoA<Bits<7>>;

/// The elements after each of some calls.
type Told = Vec<Vec<i64>>;

/// A program, which gets the number of locales and that of a distribution.
type Program = fn(&Runtime, (usize, usize)) -> Result<Told, ArrayError>;

/// Asserts that a program tells the same in narrow layouts as in SoA.
fn beside(narrow: &[Program], plain: Program) {
    for (locales, number) in LOCALES.into_iter().flat_map(|locales| (0..MAPS).map(move |number| (locales, number))) {
        let expected = on(builder(locales), (locales, number), plain);
        for (layout, program) in narrow.iter().enumerate() {
            let told = on(builder(locales), (locales, number), *program);
            assert_eq!(told, expected, "layout {layout}, map {number}, {locales} locales");
        }
    }
}

fn small([i, j]: [i64; 2]) -> i64 {
    (5 * i + 3 * j) % 7 - 3
}

/// All elements of a grid, by most calls of an array.
fn grids<L>(rt: &Runtime, (locales, number): (usize, usize)) -> Result<Told, ArrayError>
where
    L: RecordLayout<i64> + Default,
{
    let mut told = Vec::new();
    let grid = Domain::new([1..=5, -2..=4]);
    let (one, other) = (|| map(number, locales), || map((number + 1) % MAPS, locales));
    let mut a: Array<i64, 2, L> = Array::from_fn(rt, &grid, one()?, small)?;
    let mut b: Array<i64, 2, L> = Array::new(rt, &grid, other()?)?;
    b.assign(&a)?;
    told.push(b.to_vec()?);
    a.put([2, 0], 63)?;
    a.at_owner([3, 1], |value| value - 40)?;
    a.slice(&Domain::new([1..=5, -2..=4]).by([2, 3])?)?.fill(-64)?;
    told.extend([vec![a.get([2, 0])?, a.get([3, 1])?, a.get([1, 1])?], a.to_vec()?]);
    b.update().zip(a.read()).for_each(|_, (mut b, a)| {
        let [rows, columns] = b.extents();
        (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j])).for_each(|at| b.set(at, (b.get(at) + a.get(at)) / 2));
    })?;
    told.push(b.to_vec()?);
    // A follower is written, too.
    a.read().zip(b.write()).for_each(|_, (a, mut b)| Ok(b.copy_from(&a)?))?;
    told.push(b.to_vec()?);
    b.map_from(&a, |value| value / 2)?;
    told.push(b.to_vec()?);
    b.rotate_from(&a, [1, 2])?;
    told.push(b.to_vec()?);
    a.swap(&mut b)?;
    a.redistribute(other()?)?;
    a.resize(&Domain::new([2..=5, -1..=3]))?;
    told.push(a.to_vec()?);
    let sums = [a.sum()?.get()?, b.pick::<1>([Pick::Index(2), Pick::All])?.sum()?.get()?];
    told.push(sums.to_vec());
    b.transpose([1, 0])?.fill_from_fn(|[j, i]| small([j, i]) * 2)?;
    let own = b.read_local(|parts| parts.iter().map(|(part, view)| i64::from(part.len() == view.len())).min());
    told.push(vec![own?.unwrap_or(1)]);
    b.update_local(|parts| parts.into_iter().for_each(|(_, mut view)| view.update(|value| value - 1)))?;
    told.push(b.to_vec()?);

    for scan in
        [Scan::inclusive(Sum), Scan::exclusive(Sum), Scan::inclusive(Sum).along(0), Scan::exclusive(Sum).along(1)]
    {
        b.fill_from_fn(small)?;
        let c: Array<i64, 2, L> = Array::new(rt, &grid, other()?)?;
        c.scan_from(&b, scan)?;
        told.push(c.to_vec()?);
    }

    let last = rt.locales() - 1;
    let mut text = Vec::new();
    b.write_text(last, &mut text)?;
    let c: Array<i64, 2, L> = Array::new(rt, &grid, one()?)?;
    c.read_text(last, &mut text.as_slice())?;
    told.push(c.to_vec()?);

    let product: Array<i64, 2, L> = Array::new(rt, &Domain::new([1..=5, 1..=5]), one()?)?;
    product.matmul_from(&b, &b.transpose([1, 0])?)?;
    told.push(product.to_vec()?);
    Ok(told)
}

/// All elements of a line, by calls for one dimension.
fn lines<L>(rt: &Runtime, (locales, number): (usize, usize)) -> Result<Told, ArrayError>
where
    L: RecordLayout<i64> + RecordLayout<u64> + Default,
{
    let mut told = Vec::new();
    let line = Domain::from(-4..=12);
    let a: Array<i64, 1, L> = Array::from_fn(rt, &line, map(number, locales)?, |[i]| 7 * i % 17)?;
    a.sort_by(|one, other| other.cmp(one))?;
    told.push(a.to_vec()?);
    let counts: Array<u64, 1, L> = Array::new(rt, &Domain::from(-17..=17), map(number, locales)?)?;
    counts.bincount_from(&a, |value| value)?;
    told.push(counts.to_vec()?.into_iter().map(|count| count as i64).collect());

    let grid = Domain::new([line.dims()[0], line.dims()[0]]);
    let matrix: Array<i64, 2, L> = Array::from_fn(rt, &grid, map(number, locales)?, small)?;
    let y: Array<i64, 1, L> = Array::new(rt, &line, map(number, locales)?)?;
    let x: Array<i64, 1, L> = Array::new(rt, &line, map(number, locales)?)?;
    x.map_from(&a, |value| value % 3 - 1)?;
    y.matvec_from(&matrix, &x)?;
    told.push(y.to_vec()?);

    let entries = [([-4, 3], 2), ([0, 0], -3), ([0, 12], 1), ([11, -4], 5)];
    let own = entries.into_iter().filter(|_| rt.locale() == 0);
    let sparse: SparseArray<i64, 2> = SparseArray::from_entries(rt, &grid, map(number, locales)?, 0, own, |a, _| a)?;
    sparse.multiply(&x, &y)?;
    told.push(y.to_vec()?);
    sparse.multiply_onto_by(&x, &y, Max, |a, x| a + x)?;
    sparse.multiply_onto_by(&x, &y, Min, |a, x| a + x + 9)?;
    told.push(y.to_vec()?);

    let blocks = Block::over(&grid, Targets::all(locales)?)?;
    let halo: HaloArray<i64, 2, L> = HaloArray::from_fn(rt, &grid, Stencil::new(blocks, [1, 2]).periodic(), small)?;
    halo.update_halo()?;
    let out: Array<i64, 2, L> = Array::new(rt, &grid, halo.map().clone())?;
    out.write().zip(halo.read_halo()).for_each(|_, (mut out, halo)| {
        let [rows, columns] = out.extents();
        for [i, j] in (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j])) {
            out.set(
                [i, j],
                halo.get([i, j + 2]) + halo.get([i + 2, j + 2]) + halo.get([i + 1, j]) + halo.get([i + 1, j + 4]),
            );
        }
    })?;
    told.push(out.to_vec()?);
    Ok(told)
}

#[test]
fn all_calls_agree_with_plain_layouts() {
    beside(&[grids::<Packed>, grids::<BitPackedIntAoS<Bits<7>>>, grids::<ChangeType<SoA, i64, i8>>], grids::<SoA>);
    beside(&[lines::<Packed>, lines::<ChangeType<SoA, i64, i8>>], lines::<SoA>);
}

/// The elements of a sparse array.
fn sparse<L>(rt: &Runtime, (locales, number): (usize, usize)) -> Result<Told, ArrayError>
where
    L: RecordLayout<i64> + Default,
{
    let grid = Domain::new([-4..=12, -4..=12]);
    let own = (-4..=12).map(|i| ([i, 3 * i % 5], i)).filter(|([i, _], _)| i % locales as i64 == rt.locale() as i64);
    let mut a: SparseArray<i64, 2, L> = SparseArray::from_entries(rt, &grid, map(number, locales)?, 7, own, |a, _| a)?;
    a.put([4, 2], 60)?;
    a.insert([[3, 0], [0, 12]])?;
    a.remove([[-4, -2]])?;
    a.update().for_each(|chunk, (mut a,)| {
        for (k, [i, j]) in chunk.indices().iter().enumerate() {
            a.set(k, a.get(k) - (i + j));
        }
    })?;
    a.redistribute(map((number + 1) % MAPS, locales)?)?;
    let values =
        |a: &SparseArray<i64, 2, L>| Ok::<_, ArrayError>(a.to_vec()?.into_iter().map(|(_, value)| value).collect());
    let dense: Array<i64, 2, L> = Array::from_fn(rt, &grid, map(number, locales)?, small)?;
    Ok(vec![values(&a)?, values(&a.sample(&dense, 0)?)?])
}

/// The elements of replicas.
fn replicas<L>(rt: &Runtime, (locales, _): (usize, usize)) -> Result<Told, ArrayError>
where
    L: RecordLayout<i64> + Default,
{
    let line = Domain::from(1..=9);
    let array: Array<i64, 1> = Array::from_fn(rt, &line, Cyclic::new([1], Targets::all(locales)?), |[i]| i)?;
    let replicas: Replicas<i64, 1, L> = Replicas::filled(rt, &line, Replicated::new(Targets::all(locales)?), 0)?;
    replicas.assign(&array)?;
    replicas.update(|locale, part, mut view| {
        part.iter().enumerate().for_each(|(k, [i])| view.set(k, view.get(k) + 10 * locale as i64 + i));
    })?;
    replicas.update_local(|parts| parts.into_iter().for_each(|(_, mut view)| view.set(0, -1)))?;
    (0..locales).map(|locale| replicas.replica(locale).expect("a target").to_vec()).collect()
}

/// A kind of array that several locales write is refused on several locales if elements share bytes.
#[test]
fn shared_bytes_stay_on_one_locale() {
    beside(&[sparse::<ChangeType<SoA, i64, i8>>], sparse::<SoA>);
    beside(&[replicas::<ChangeType<SoA, i64, i8>>], replicas::<SoA>);
    fn refused(rt: &Runtime, (program, given): (Program, (usize, usize))) -> Result<String, ArrayError> {
        Ok(program(rt, given).expect_err("shared bytes").to_string())
    }
    let all: [(Program, Program, &str); 2] =
        [(sparse::<Packed>, sparse::<SoA>, "sparse arrays"), (replicas::<Packed>, replicas::<SoA>, "replicas")];
    for (packed, plain, what) in all {
        for number in 0..MAPS {
            assert_eq!(on(builder(1), (1, number), packed), on(builder(1), (1, number), plain), "map {number}");
        }
        for locales in [2, 3] {
            for told in on(builder(locales), (packed, (locales, 0)), refused) {
                assert!(
                    told.starts_with(&format!("{what} on {locales} locales in a layout in which elements share bytes"))
                );
            }
        }
    }
}

/// Layouts get results only: identities, sums of parts, and totals need not fit.
#[test]
fn results_alone_have_to_fit() {
    fn products<L>(rt: &Runtime, (locales, number): (usize, usize)) -> Result<Told, ArrayError>
    where
        L: RecordLayout<i64> + Default,
    {
        let mut told = Vec::new();
        let line = Domain::from(0..3);
        let square = Domain::new([line.dims()[0], line.dims()[0]]);
        let one = (rt.locale() == 0).then_some(([1, 0], -4));
        let a: SparseArray<i64, 2> = SparseArray::from_entries(rt, &square, map(number, locales)?, 0, one, |a, _| a)?;
        let x: Array<i64, 1> = Array::filled(rt, &line, map(number, locales)?, 0)?;
        let y: Array<i64, 1, L> = Array::filled(rt, &line, map(number, locales)?, -9)?;
        a.multiply_onto_by(&x, &y, Max, |a, x| a + x)?;
        told.push(y.to_vec()?);
        // Each row has an element.
        let own = (rt.locale() == 0).then_some([([0, 1], 5), ([1, 1], -5), ([2, 2], 0), ([2, 0], 3)]);
        let own = own.into_iter().flatten();
        let all: SparseArray<i64, 2> = SparseArray::from_entries(rt, &square, map(number, locales)?, 0, own, |a, _| a)?;
        all.multiply_by(&x, &y, Min, |a, x| a + x)?;
        told.push(y.to_vec()?);
        all.multiply_by(&x, &y, Max, |a, x| a + x)?;
        told.push(y.to_vec()?);

        let wide = Domain::new([0..1, 0..600]);
        let sides: Array<i64, 2> =
            Array::from_fn(rt, &wide, map(number, locales)?, |[_, j]| if j < 300 { 1 } else { -1 })?;
        let ones: Array<i64, 1> = Array::filled(rt, &Domain::from(0..600), map(number, locales)?, 1)?;
        let zero: Array<i64, 1, L> = Array::new(rt, &Domain::from(0..1), map(number, locales)?)?;
        zero.matvec_from(&sides, &ones)?;
        told.push(zero.to_vec()?);
        let column: Array<i64, 2> = Array::filled(rt, &Domain::new([0..600, 0..1]), map(number, locales)?, 1)?;
        let product: Array<i64, 2, L> = Array::new(rt, &Domain::new([0..1, 0..1]), map(number, locales)?)?;
        product.matmul_from(&sides, &column)?;
        told.push(product.to_vec()?);

        let steps: Array<i64, 1> =
            Array::from_values(rt, &Domain::from(0..6), map(number, locales)?, &[-60, 0, 50, 50, 0, 0])?;
        let sums: Array<i64, 1, L> = Array::new(rt, &Domain::from(0..6), map(number, locales)?)?;
        sums.scan_from(&steps, Scan::inclusive(Sum))?;
        told.push(sums.to_vec()?);
        Ok(told)
    }
    let packed = [
        products::<Packed>,
        products::<BitPackedIntSoA<Bits<7>, KeepSign, Wrap>>,
        products::<BitPackedIntSoA<Bits<7>, KeepSign, Saturate>>,
        products::<ChangeType<SoA, i64, i8>>,
    ];
    beside(&packed, products::<SoA>);
    let told = on(builder(2), (2, 0), products::<SoA>);
    assert_eq!(
        told[0],
        [vec![-9, -4, -9], vec![5, -5, 0], vec![5, -5, 3], vec![0], vec![0], vec![-60, -60, -10, 40, 40, 40]]
    );
    // Totals of tiles of floats that are stored as integers, which saturate.
    for locales in LOCALES {
        on(builder(locales), locales, |rt, locales| {
            let (line, block) = (Domain::from(0..6), Block::over(&Domain::from(0..6), Targets::all(locales)?)?);
            let a: Array<f64, 1> = Array::from_values(rt, &line, block.clone(), &[-100.0, 0.0, 90.0, 90.0, 0.0, 0.0])?;
            let b: Array<f64, 1, ChangeType<SoA, f64, i8>> = Array::new(rt, &line, block)?;
            b.scan_from(&a, Scan::inclusive(Sum))?;
            assert_eq!(b.to_vec()?, [-100.0, -100.0, -10.0, 80.0, 80.0, 80.0]);
            Ok(())
        });
    }
}

/// A value that the layout refuses is an error of the call, and takes no other element with it.
#[test]
fn refused_values_change_nothing() {
    for locales in LOCALES {
        let told = on(builder(locales), locales, |rt, locales| {
            let line = Domain::from(0..9_i64);
            let block = || Block::over(&line, Targets::all(locales)?);
            let mut told = Vec::new();
            let mut case = |what: &str, result: Result<(), ArrayError>| match result {
                Err(ArrayError::Store(StoreError::View(ViewError::Value { .. }))) => {}
                result => told.push(format!("{what}: {result:?}")),
            };
            let a: Array<i64, 1, Packed> = Array::filled(rt, &line, block()?, 5)?;
            let from: Array<i64, 1, Packed> = Array::filled(rt, &line, block()?, 6)?;
            case("put", a.put([3], 1000));
            case("fill", a.fill(64));
            case("fill of a slice", a.slice(&Domain::from(2..=4))?.fill(-65));
            case("fill of the store", a.store().fill(1000).map_err(ArrayError::from));
            case("shift_from", a.shift_from(&from, [2], 1000));
            case("filled", Array::<i64, 1, Packed>::filled(rt, &line, block()?, 1000).map(drop));
            let values = [0, 0, 0, 0, 0, 0, 0, 0, 70];
            case("from_values", Array::<i64, 1, Packed>::from_values(rt, &line, block()?, &values).map(drop));

            rt.fence()?;
            let kept = a.to_vec()?;
            if kept != [5; 9] {
                told.push(format!("{kept:?}"));
            }
            Ok(told)
        });
        assert!(told.iter().all(Vec::is_empty), "{locales} locales: {told:#?}");
    }
}

/// The value of absent indices is not stored until there is a new element. Sparse arrays share no bytes on several locales.
#[test]
fn refused_values_change_nothing_of_sparse_arrays() {
    let told = on(builder(1), (), |rt, ()| {
        let line = Domain::from(0..9_i64);
        let mut a: SparseArray<i64, 1, Packed> = SparseArray::from_entries(
            rt,
            &line,
            Block::over(&line, Targets::all(1)?)?,
            1000,
            [([1], 11), ([2], 12)],
            |a, _| a,
        )?;
        let mut others = SparseDomain::new(&line);
        others.insert([[1], [2], [5]])?;
        let refused = [
            a.insert([[3]]).map(drop),
            a.resize(&others),
            a.put([1], 64),
            a.put_all([([1], 3), ([2], 1000)]),
            a.fill(64),
        ];
        let is_right = |result: &_| matches!(result, Err(ArrayError::Store(StoreError::View(ViewError::Value { .. }))));
        assert!(refused.iter().all(is_right), "{refused:?}");
        rt.fence()?;
        Ok((a.to_vec()?, a.get([5])?))
    });
    assert_eq!(told, [(vec![([1], 11), ([2], 12)], 1000)]);
}
