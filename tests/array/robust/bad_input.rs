//! Refusals: an error with the reason, the same on every locale, before anything is sent or written.

use layout::SoA;
use layout_array::{Array, ArrayError, Chunk, HaloArray, Scan, SparseArray};
use layout_domain::{
    Block, Cyclic, Domain, DomainError, DomainMap, PerLocale, Pick, Replicated, SparseDomain, Stencil, Targets,
    check_map,
};
use layout_store::{Dim, PartitionError, Runtime, StoreError, Sum, TaskBodyError, TileMut};
use support::locales::on_locales;

use super::builder;
use crate::{LOCALES, on};

/// A map of a program's own that is wrong: index 3 is owned by nobody, or by the first locale and by the last one.
#[derive(Debug)]
struct Wrong {
    locales: Vec<usize>,
    twice: bool,
}

impl DomainMap<1> for Wrong {
    fn locales(&self) -> &[usize] {
        &self.locales
    }

    fn owner(&self, [index]: [i64; 1], _: usize) -> Option<usize> {
        Some(if index < 3 { self.locales[0] } else { self.locales[self.locales.len() - 1] })
    }

    fn local(&self, locale: usize, domain: &Domain<1>) -> Vec<Domain<1>> {
        let low = Domain::from(i64::MIN..=if self.twice { 3 } else { 2 });
        let high = Domain::from(if self.twice { 3 } else { 4 }..=i64::MAX);
        let (first, last) = (self.locales[0], self.locales[self.locales.len() - 1]);
        let own = [(first, low), (last, high)].into_iter().filter(|(owner, _)| *owner == locale);
        own.map(|(_, range)| domain.intersect(&range)).filter(|part| !part.is_empty()).collect()
    }
}

/// A map that is right but for a part of the first locale which no domain has.
#[derive(Debug)]
struct Beyond(Block<1>);

impl DomainMap<1> for Beyond {
    fn locales(&self) -> &[usize] {
        self.0.locales()
    }

    fn owner(&self, index: [i64; 1], here: usize) -> Option<usize> {
        self.0.owner(index, here)
    }

    fn local(&self, locale: usize, domain: &Domain<1>) -> Vec<Domain<1>> {
        let mut parts = self.0.local(locale, domain);
        parts.extend((locale == 0).then(|| Domain::from(100..=101)));
        parts
    }
}

/// Which error is expected.
type Is = fn(&ArrayError) -> bool;

/// Arrays that must not change, and what is refused of them.
fn refused(rt: &Runtime) -> Result<Vec<String>, ArrayError> {
    let locales = rt.locales();
    let targets = || Targets::<1>::all(locales);
    let line = Domain::from(0..=9);
    let ten: Vec<i64> = (0..10).collect();
    let block = Block::over(&line, targets()?)?;
    let cyclic = || Ok::<_, DomainError>(Cyclic::new([0], targets()?));
    let a: Array<i64, 1> = Array::from_fn(rt, &line, block.clone(), |[i]| i)?;
    let b: Array<i64, 1> = Array::from_fn(rt, &Domain::from(5..=14), cyclic()?, |[i]| i - 5)?;
    let short: Array<i64, 1> = Array::from_fn(rt, &Domain::from(0..=8), cyclic()?, |[i]| i)?;
    let unwritten: Array<i64, 1> = Array::new(rt, &line, cyclic()?)?;
    let each: Array<i64, 1> =
        Array::from_fn(rt, &Domain::from(0..locales as i64), PerLocale::new(targets()?), |[i]| i)?;
    let ring = |width| Ok::<_, DomainError>(Stencil::new(Block::over(&line, targets()?)?, [width]).periodic());
    let halo: HaloArray<i64, 1> = HaloArray::from_fn(rt, &line, ring(1)?, |[i]| i)?;
    let wrong = |twice| Wrong { locales: (0..locales).collect(), twice };
    let more = || Ok::<_, DomainError>(Cyclic::new([0], Targets::all(locales + 1)?));
    let none = Domain::from(3..3);
    let create = |domain: &Domain<1>, map: Box<dyn DomainMap<1> + Send + Sync>| -> Result<(), ArrayError> {
        Array::<i64, 1>::new(rt, domain, map).map(drop)
    };
    let target: Is = |error| matches!(error, ArrayError::Store(StoreError::Partition(PartitionError::Target { .. })));
    let copies: Is = |error| matches!(error, ArrayError::Store(StoreError::Partition(PartitionError::Copies)));
    let lengths: Is = |error| matches!(error, ArrayError::Domain(DomainError::Lengths { .. }));
    let index: Is = |error| matches!(error, ArrayError::Index { .. });
    let twice: Is = |error| matches!(error, ArrayError::Domain(DomainError::OwnedTwice { index, .. }) if *index == [3]);
    let nobody: Is = |error| matches!(error, ArrayError::Domain(DomainError::OwnedByNobody { index }) if *index == [3]);
    let beyond: Is = |error| matches!(error, ArrayError::Domain(DomainError::OwnedByNobody { .. }));
    let outside: Is = |error| matches!(error, ArrayError::Domain(DomainError::Outside { locale: 0, .. }));
    let values: Is = |error| matches!(error, ArrayError::Values { needed: 10, .. });
    let unlike: Is = |error| matches!(error, ArrayError::Unlike { .. });
    let rank: Is = |error| matches!(error, ArrayError::Domain(DomainError::Rank { .. }));
    let wide: Is = |error| matches!(error, ArrayError::Domain(DomainError::Halo { .. }));
    let leads: Is = |error| matches!(error, ArrayError::HaloLeads);
    let aliased: Is = |error| matches!(error, ArrayError::Store(StoreError::Aliased { .. }));
    let never: Is = |error| matches!(error, ArrayError::Store(StoreError::Uninitialized { .. }));
    let locale: Is = |error| matches!(error, ArrayError::Store(StoreError::NoLocale { .. }));
    let overflow: Is = |error| matches!(error, ArrayError::Domain(DomainError::Overflow { .. }));

    let (mut a_too, mut halo_too) = (a.clone(), halo.clone());
    let (mut short_too, mut each_too, mut cut) = (short.clone(), each.clone(), a.reindex(&Domain::from(20..=29))?);
    let mut other_halo: HaloArray<i64, 1> = HaloArray::from_fn(rt, &line, Stencil::new(block.clone(), [1]), |[i]| i)?;
    let narrow = Domain::<1, u8>::from(250..=255);
    let narrow_blocks = Stencil::new(Block::over(&narrow, targets()?)?, [1]);
    rt.fence()?;
    let before = rt.traffic();
    let mut told = Vec::new();
    let mut case = |what: &str, is: Is, result: Result<(), ArrayError>| {
        told.push(match (result, rt.fence()) {
            (Err(error), Ok(())) if is(&error) => format!("{what}: {error}"),
            other => format!("WRONG {what}: {other:?}"),
        });
        if rt.traffic() != before {
            told.push(format!("WRONG {what}: {:?} was sent, and before {before:?}", rt.traffic()));
        }
    };
    case("a map over more locales", target, create(&line, Box::new(more()?)));
    case("such a map for no index", target, create(&none, Box::new(more()?)));
    case("a map with copies", copies, create(&line, Box::new(Replicated::new(targets()?))));
    case("an index owned twice", twice, create(&line, Box::new(wrong(true))));
    case("an index owned twice, under another position", twice, create(&Domain::from(2..=4), Box::new(wrong(true))));
    case("an index of nobody", nobody, create(&Domain::from(1..=9).by([-1])?, Box::new(wrong(false))));
    case("the same, on demand", nobody, check_map(&wrong(false), &line).map_err(ArrayError::from));
    case("a part that no domain has", outside, create(&line, Box::new(Beyond(block.clone()))));
    case("the same, on demand", outside, check_map(&Beyond(block.clone()), &line).map_err(ArrayError::from));
    case("fewer values", values, Array::<i64, 1>::from_values(rt, &line, block.clone(), &ten[1..]).map(drop));
    case("more values", values, Array::<i64, 1>::from_values(rt, &line, cyclic()?, &[0; 11]).map(drop));
    case("an index before", index, a.get([-1]).map(drop));
    case("an index to put", index, a.put([10], 1));
    case("an index to change", index, a.slice(&line.by([2])?)?.at_owner([1], |value| value + 1));
    case("a shorter follower", lengths, a.update().zip(short.read()).for_each(|_, _| ()).map(drop));
    case("a shorter follower that is written", lengths, a.read().zip(short.write()).for_each(|_, _| ()).map(drop));
    case("a shorter leader", lengths, short.write().zip(b.read()).zip(a.read()).for_each(|_, _| ()).map(drop));
    case("a shorter source", lengths, a.assign(&short));
    case("other indices, fewer", lengths, a.reindex(&Domain::from(0..=8)).map(drop));
    case("to exchange with a shorter one", lengths, a_too.swap(&mut short_too));
    case("to exchange halos of which one is periodic", unlike, halo_too.swap(&mut other_halo));
    case("all dimensions, as two", rank, a.pick::<2>([Pick::All]).map(drop));
    case("a halo wider than the array", wide, HaloArray::<i64, 1>::new(rt, &line, ring(11)?).map(drop));
    case(
        "a halo beyond the index type",
        overflow,
        HaloArray::<i64, 1, SoA, u8>::new(rt, &narrow, narrow_blocks).map(drop),
    );
    case("a loop led by a halo", leads, halo.read_halo().zip(a.write()).for_each(|_, _| ()).map(drop));
    case("a part of itself", aliased, a.slice(&Domain::from(1..=9))?.assign(&a.slice(&Domain::from(0..=8))?));
    case("elements that nobody wrote", never, unwritten.to_vec().map(drop));
    case("a source that nobody wrote", never, a.assign(&unwritten));
    case("a follower that nobody wrote", never, a.update().zip(unwritten.read()).for_each(|_, _| ()).map(drop));
    case("a locale that there is not", locale, a.gather(locales).map(drop));
    case("a map over more locales, for an array", target, a_too.redistribute(more()?));
    case("a wrong map, for an array", twice, a_too.redistribute(wrong(true)));
    case("more indices than locales", beyond, each_too.resize(&Domain::from(0..=locales as i64)));
    case("a view, beyond what it shows", beyond, cut.resize(&Domain::from(20..=31)));
    let kept = [a.to_vec()?, b.to_vec()?, a_too.to_vec()?, halo.to_vec()?, halo_too.to_vec()?];
    let kept = kept.iter().all(|kept| *kept == ten) && short.to_vec()? == ten[..9] && short_too.to_vec()? == ten[..9];
    let each_kept = each_too.domain() == each.domain() && each_too.to_vec()? == each.to_vec()?;
    if !kept || !each_kept || a_too.map().locales() != a.map().locales() || cut.to_vec()? != ten {
        told.push("WRONG: arrays have changed".to_owned());
    }
    Ok(told)
}

#[test]
fn wrong_input_is_refused_alike_on_all_locales() {
    for locales in LOCALES {
        let told = on_locales(builder(locales, 2), (), |rt, ()| refused(rt).map_err(|error| error.to_string()));
        let told: Vec<_> = told.expect("programs");
        let first = told[0].as_ref().expect("no other error");
        let wrong: Vec<_> = first.iter().filter(|told| told.starts_with("WRONG")).collect();
        assert!(wrong.is_empty(), "{locales} locales: {wrong:#?}");
        for other in &told[1..] {
            let other = other.as_ref().expect("no other error");
            let differ = first.iter().zip(other).find(|(one, other)| one != other);
            assert_eq!((differ, other.len()), (None, first.len()), "on {locales} locales, errors differ");
        }
    }
}

/// Calls of several launches whose sources are written in part: nothing of the target is written before the call is refused.
fn half_written(rt: &Runtime, (): ()) -> Result<Vec<String>, ArrayError> {
    let targets = || Targets::<1>::all(rt.locales());
    let line = Domain::from(0..=9);
    let block = Block::over(&line, targets()?)?;
    let half: Array<i64, 1> = Array::new(rt, &line, block.clone())?;
    half.slice(&Domain::from(0..=4))?.fill(1)?;
    let (tall, wide) = (Domain::new([0..10, 0..300]), Domain::new([0..300, 0..10]));
    let rows = |domain: &Domain<2>| {
        Block::over(domain, Targets::grid([rt.locales(), 1], (0..rt.locales()).collect::<Vec<_>>())?)
    };
    let filled = |domain: &Domain<2>| Array::<i64, 2>::filled(rt, domain, rows(domain)?, 1);
    let (one, other) = (filled(&tall)?, filled(&wide)?);
    let few: Array<i64, 2> = Array::new(rt, &tall, rows(&tall)?)?;
    few.slice(&Domain::new([0..10, 0..260]))?.fill(1)?;
    let few_rows: Array<i64, 2> = Array::new(rt, &wide, rows(&wide)?)?;
    few_rows.slice(&Domain::new([0..260, 0..10]))?.fill(1)?;
    let long: Array<i64, 1> = Array::new(rt, &Domain::from(0..300), Cyclic::new([0], targets()?))?;
    long.slice(&Domain::from(0..260))?.fill(1)?;
    let ones: Array<i64, 1> = Array::filled(rt, &Domain::from(0..300), Cyclic::new([0], targets()?), 1)?;
    let square = Domain::new([0..10, 0..10]);
    let mut few_indices = SparseDomain::new(&square);
    few_indices.insert([[0, 0], [3, 9], [7, 1]])?;
    let sparse: SparseArray<i64, 2> = SparseArray::new(rt, &few_indices, rows(&square)?, 1)?;
    let ring = Stencil::new(Block::over(&line, targets()?)?, [1]).periodic();
    let halo: HaloArray<i64, 1> = HaloArray::filled(rt, &line, ring.clone(), 7)?;
    // A halo array of which one end is unwritten, beside boundary values.
    let open: HaloArray<i64, 1> = HaloArray::new(rt, &line, ring)?;
    [-1, 10].iter().try_for_each(|at| open.expanded().put([*at], 7))?;
    open.slice(&Domain::from(1..=9))?.fill(5)?;

    let sevens: Array<i64, 1> = Array::filled(rt, &line, Cyclic::new([0], targets()?), 7)?;
    let counts: Array<u64, 1> = Array::filled(rt, &line, Cyclic::new([0], targets()?), 7)?;
    let product: Array<i64, 2> = Array::filled(rt, &square, rows(&square)?, 7)?;
    let mut told = Vec::new();
    let mut case = |what: &str, result: Result<(), ArrayError>| {
        if !matches!(result, Err(ArrayError::Store(StoreError::Uninitialized { .. }))) {
            told.push(format!("{what}: {result:?}"));
        }
        let edges = [-1, 10].map(|at| open.expanded().get([at]));
        let kept = sevens.to_vec()? == [7; 10]
            && counts.to_vec()? == [7; 10]
            && product.to_vec()? == [7; 100]
            && halo.expanded().to_vec()? == [7; 12]
            && matches!(edges, [Ok(7), Ok(7)]);
        if !kept {
            told.push(format!("{what}: elements were written"));
            [&sevens, halo.expanded()].iter().try_for_each(|array| array.fill(7))?;
            counts.fill(7)?;
            product.fill(7)?;
            [-1, 10].iter().try_for_each(|at| open.expanded().put([*at], 7))?;
        }
        Ok::<_, ArrayError>(())
    };
    case("counts", counts.bincount_from(&half, |value| value))?;
    case("a rotation", sevens.rotate_from(&half, [5]))?;
    case("a rotation the other way", sevens.rotate_from(&half, [-7]))?;
    case("a shift", sevens.shift_from(&half, [-1], 0))?;
    case("a product with a matrix", product.matmul_from(&few, &other))?;
    case("a product of a matrix", product.matmul_from(&one, &few_rows))?;
    case("a product with a vector", sevens.matvec_from(&one, &long))?;
    case("a product of a matrix with a vector", sevens.matvec_from(&few, &ones))?;
    case("a sparse product", sparse.multiply(&half, &sevens))?;
    case("a scan", sevens.scan_from(&half, Scan::inclusive(Sum)))?;
    case("an exchange", sevens.clone().slice(&line)?.swap(&mut half.clone()))?;
    case("a halo", open.update_halo())?;
    case("a function of elements", sevens.map_from(&half, |value| value))?;
    case("a loop that writes a follower", half.read().zip(sevens.update()).for_each(|_, _| ()).map(drop))?;
    Ok(told)
}

#[test]
fn nothing_is_written_by_a_call_that_is_refused() {
    for locales in LOCALES {
        for told in on(builder(locales, 2), (), half_written) {
            assert!(told.is_empty(), "{locales} locales: {told:#?}");
        }
    }
}

/// Calls whose sources belong to another runtime: nothing of the target is written before the call is refused.
fn of_another_runtime(rt: &Runtime, (): ()) -> Result<Vec<String>, ArrayError> {
    let other = Runtime::builder().threads(1).build()?;
    let (line, square) = (Domain::from(0..=9), Domain::new([0..10, 0..10]));
    let cyclic = |rt: &Runtime| Ok::<_, DomainError>(Cyclic::new([0], Targets::all(rt.locales())?));
    let rows = |rt: &Runtime| {
        let locales: Vec<usize> = (0..rt.locales()).collect();
        Block::over(&square, Targets::grid([rt.locales(), 1], locales)?)
    };
    let diagonal = |rt: &Runtime| -> Result<SparseArray<i64, 2>, ArrayError> {
        let mut indices = SparseDomain::new(&square);
        indices.insert((0..10).map(|i| [i, i]))?;
        SparseArray::new(rt, &indices, rows(rt)?, 1)
    };
    let ones = |rt: &Runtime| Array::<i64, 1>::filled(rt, &line, cyclic(rt)?, 1);
    let matrix = |rt: &Runtime| Array::<i64, 2>::filled(rt, &square, rows(rt)?, 1);
    let (x, theirs) = (ones(rt)?, ones(&other)?);
    let (a, their_matrix) = (matrix(rt)?, matrix(&other)?);
    let (sparse, their_sparse) = (diagonal(rt)?, diagonal(&other)?);

    let block = Block::over(&line, Targets::all(rt.locales())?)?;
    let sevens: Array<i64, 1> = Array::filled(rt, &line, block.clone(), 7)?;
    let counts: Array<u64, 1> = Array::filled(rt, &line, block, 7)?;
    let product: Array<i64, 2> = Array::filled(rt, &square, rows(rt)?, 7)?;
    // An array without columns, and one without rows: a product of them reads nothing.
    let (narrow, flat) = (Domain::new([0..10, 0..0]), Domain::new([0..0, 0..10]));
    let narrow: Array<i64, 2> = Array::new(rt, &narrow, rows(rt)?)?;
    let flat: Array<i64, 2> = Array::new(&other, &flat, rows(&other)?)?;
    let mut told = Vec::new();
    let mut case = |what: &str, result: Result<(), ArrayError>| {
        if !matches!(result, Err(ArrayError::Store(StoreError::Foreign { .. }))) {
            told.push(format!("{what}: {result:?}"));
        }
        if sevens.to_vec()? != [7; 10] || counts.to_vec()? != [7; 10] || product.to_vec()? != [7; 100] {
            told.push(format!("{what}: elements were written"));
            sevens.fill(7)?;
            counts.fill(7)?;
            product.fill(7)?;
        }
        Ok::<_, ArrayError>(())
    };
    case("counts", counts.bincount_from(&theirs, |value| value))?;
    case("a table", x.read().zip(sevens.update()).broadcast(&theirs).for_each(|_, _| ()).map(drop))?;
    case("a product of a matrix", sevens.matvec_from(&their_matrix, &x))?;
    case("a product with a vector", sevens.matvec_from(&a, &theirs))?;
    case("a product of one matrix", product.matmul_from(&their_matrix, &a))?;
    case("a product with another matrix", product.matmul_from(&a, &their_matrix))?;
    case("a product that reads nothing", product.matmul_from(&narrow, &flat))?;
    case("a sparse product with a vector", sparse.multiply(&theirs, &sevens))?;
    case("a product of a sparse matrix", their_sparse.multiply(&theirs, &sevens))?;
    case("a sparse product onto a vector", sparse.multiply_onto(&theirs, &sevens))?;
    case("a shift", sevens.shift_from(&theirs, [1], 0))?;
    case("a shift of all elements", sevens.shift_from(&theirs, [10], 0))?;
    case("a rotation", sevens.rotate_from(&theirs, [3]))?;
    case("a scan", sevens.scan_from(&theirs, Scan::inclusive(Sum)))?;
    case("an assignment", sevens.assign(&theirs))?;
    case("a function of elements", sevens.map_from(&theirs, |value| value))?;
    let sets = |_: Chunk<'_, 1>, (mut to, mut theirs): (TileMut<'_, i64, Dim<1>>, TileMut<'_, i64, Dim<1>>)| {
        to.fill(0);
        theirs.fill(0);
    };
    case("a loop that writes a follower", sevens.write().zip(theirs.write()).for_each(sets).map(drop))?;
    case("a loop that updates a follower", sevens.write().zip(theirs.update()).for_each(sets).map(drop))?;
    if theirs.to_vec()? != [1; 10] {
        told.push("elements of the other runtime were written".to_owned());
    }
    Ok(told)
}

#[test]
fn nothing_is_written_from_arrays_of_another_runtime() {
    for locales in LOCALES {
        for told in on(builder(locales, 2), (), of_another_runtime) {
            assert!(told.is_empty(), "{locales} locales: {told:#?}");
        }
    }
}

/// A body that fails on one locale is told of everywhere, and what it was to write is well once it is written anew.
#[test]
fn a_body_that_fails_is_told_everywhere() {
    for locales in LOCALES {
        let told = on_locales(builder(locales, 1), (), |rt, ()| {
            let line = Domain::from(0..=11);
            let cyclic = Cyclic::new([0], Targets::all(rt.locales()).expect("locales"));
            let blocks = Block::over(&line, Targets::all(rt.locales()).expect("locales")).expect("a box");
            let a: Array<i64, 1> = Array::filled(rt, &line, cyclic, 1).expect("an array");
            let b: Array<i64, 1> = Array::filled(rt, &line, blocks, 2).expect("an array");
            let failing = a.update().zip(b.read()).named("failing").for_each(|chunk, (mut a, b)| {
                if chunk.domain().contains([7]) {
                    return Err(TaskBodyError::new("no seven"));
                }
                Ok(a.copy_from(&b)?)
            });
            failing.expect("a launch");
            let fence = rt.fence().map_err(|error| error.to_string());
            let seven = a.get([7]).map_err(|error| error.to_string());
            a.fill(5).expect("a fill");
            (fence, seven, a.to_vec().map_err(|error| error.to_string()), rt.fence().map_err(|error| error.to_string()))
        });
        for (fence, seven, all, after) in told.expect("programs") {
            let error = fence.expect_err("a body failed");
            assert!(error.starts_with("task `failing` failed at point") && error.ends_with(": no seven"), "{error}");
            assert_eq!(seven, Err(error));
            assert_eq!((all, after), (Ok(vec![5; 12]), Ok(())));
        }
    }
}

/// Domains of more indices than a store has, at once; periodic arrays without elements; distributions of locales that are not there.
#[test]
fn domains_at_the_limits() {
    #[derive(Debug)]
    struct Elsewhere;

    impl DomainMap<1> for Elsewhere {
        fn locales(&self) -> &[usize] {
            &[0]
        }

        fn owner(&self, _: [i64; 1], _: usize) -> Option<usize> {
            Some(7)
        }

        fn local(&self, _: usize, domain: &Domain<1>) -> Vec<Domain<1>> {
            vec![*domain]
        }
    }

    let rt = Runtime::builder().threads(1).build().expect("a runtime");
    let all = Targets::all(1).expect("a locale");
    let keys = Domain::<1, u64>::new([0..=u64::MAX]);
    let block = Block::over(&keys, all.clone()).expect("a box");
    let sparse = SparseArray::<f64, 1, SoA, u64>::new(&rt, &SparseDomain::new(&keys), block, 0.0);
    assert!(matches!(sparse.err(), Some(ArrayError::Domain(_))));
    let most = Domain::<1>::from(i64::MIN..=i64::MAX);
    let block = Block::over(&most, all.clone()).expect("a box");
    assert!(matches!(Array::<u8, 1>::new(&rt, &most, block).err(), Some(ArrayError::Domain(_))));

    let block = Block::over(&Domain::from(1..=4), all).expect("a box");
    let halo = HaloArray::<i64, 1>::new(&rt, &Domain::from(1..1), Stencil::new(block, [1]).periodic());
    halo.expect("an array").update_halo().expect("no element");

    let mut few = SparseDomain::new(&Domain::from(1..=9));
    few.insert([[2]]).expect("an index");
    let error = SparseArray::<i64, 1>::new(&rt, &few, Elsewhere, 0).err();
    assert!(matches!(error, Some(ArrayError::Domain(DomainError::OwnedByNobody { .. }))), "{error:?}");
}
