//! Sparse arrays against maps of their elements.

use std::collections::BTreeMap;
use std::sync::Arc;

use layout::AoS;
use layout_array::{Array, ArrayError, SparseArray};
use layout_domain::{Block, BlockCyclic, Cyclic, Domain, DomainError, DomainMap, Replicated, SparseDomain, Targets};
use layout_store::{Builder, PartitionError, Runtime, StoreError, Sum, Traffic};
use support::locales::on_locales;
use support::random::Random;

const LOCALES: [usize; 5] = [1, 2, 3, 4, 6];
const MAPS: usize = 4;

type Map = Arc<dyn DomainMap<2> + Send + Sync>;
type Model = BTreeMap<[i64; 2], i64>;

fn builder(locales: usize) -> Builder {
    Runtime::builder().locales(locales).threads(1).pieces(2 * locales).min_chunk(1).whole_below(0)
}

fn all<const N: usize>(locales: usize) -> Targets<N> {
    Targets::all(locales).expect("locales")
}

/// Distributions of a domain: two of blocks, of which the second has whole rows, and two in turn.
fn map(number: usize, domain: &Domain<2>, locales: usize) -> Map {
    match number {
        0 => Arc::new(Block::over(domain, all(locales)).expect("a box")),
        1 => {
            let rows = Targets::grid([locales, 1], (0..locales).collect::<Vec<_>>()).expect("a grid");
            Arc::new(Block::over(domain, rows).expect("a box"))
        }
        2 => Arc::new(Cyclic::new([1, 0], all(locales))),
        _ => Arc::new(BlockCyclic::new([0, 0], [2, 3], all(locales)).expect("blocks")),
    }
}

/// With a stride that goes up, and one that goes down.
fn grid() -> Domain<2> {
    Domain::new([0..=22, 1..=9]).by([2, -1]).expect("strides")
}

fn some(random: &mut Random, count: usize) -> Vec<[i64; 2]> {
    (0..count).map(|_| grid().at(random.below(grid().len())).expect("an index")).collect()
}

/// The part of a list that one of the locales gives: one locale gives each entry, and two give every fifth.
fn part<T: Clone>(rt: &Runtime, list: &[T]) -> Vec<T> {
    let (here, locales) = (rt.locale(), rt.locales());
    let given = |at: usize| at % locales == here || at.is_multiple_of(5) && (at + 1) % locales == here;
    list.iter().enumerate().filter(|(at, _)| given(*at)).map(|(_, entry)| entry.clone()).collect()
}

/// The elements of a model in the order of the parent.
fn sorted(model: &Model) -> Vec<([i64; 2], i64)> {
    let mut all: Vec<_> = model.iter().map(|(index, value)| (*index, *value)).collect();
    all.sort_by_key(|([i, j], _)| (*i, -j));
    all
}

fn sent_since(rt: &Runtime, before: &mut Traffic) -> u64 {
    rt.fence().expect("a fence");
    let now = rt.traffic();
    now.bytes - core::mem::replace(before, now).bytes
}

#[test]
fn programs_agree_with_a_map() {
    for (locales, number) in LOCALES.into_iter().flat_map(|locales| (0..MAPS).map(move |number| (locales, number))) {
        let ran = on_locales(builder(locales), number, |rt, number| {
            let mut random = Random(7 + number as u64);
            let first: Vec<_> = some(&mut random, 12).into_iter().zip(100..).collect();
            let mut model = Model::new();
            for (index, value) in &first {
                model.entry(*index).and_modify(|before| *before = (*before).min(*value)).or_insert(*value);
            }
            let map_of = |number| map(number, &grid(), rt.locales());
            let own = part(rt, &first);
            let mut array: SparseArray<i64, 2, AoS> =
                SparseArray::from_entries(rt, &grid(), map_of(number), -1, own, i64::min).expect("an array");
            for step in 0..12 {
                let count = random.below(20);
                let list = some(&mut random, count);
                match random.below(7) {
                    0 | 1 => {
                        let before = model.len();
                        list.iter().for_each(|index| *model.entry(*index).or_insert(-1) += 0);
                        assert_eq!(array.insert(part(rt, &list)).expect("new elements"), model.len() - before);
                    }
                    2 => {
                        let before = model.len();
                        model.retain(|index, _| !list.contains(index));
                        assert_eq!(array.remove(part(rt, &list)).expect("fewer elements"), before - model.len());
                    }
                    3 => {
                        let there = list.iter().filter(|index| model.contains_key(*index));
                        let entries: Vec<_> = there.map(|index| (*index, 1000 * step + index[0])).collect();
                        model.extend(entries.iter().copied());
                        array.put_all(part(rt, &entries)).expect("elements");
                    }
                    4 => {
                        for index in list.into_iter().take(3) {
                            let put = array.put(index, step);
                            assert_eq!(put.is_ok(), model.contains_key(&index), "{index:?}: {put:?}");
                            model.entry(index).and_modify(|value| *value = step);
                        }
                    }
                    5 => {
                        model.iter_mut().for_each(|(index, value)| *value = 3 * *value + index[0] - index[1]);
                        let loop_ = array.update().for_each(|chunk, (mut view,)| {
                            for (k, [i, j]) in chunk.indices().iter().enumerate() {
                                assert_eq!(chunk.order([*i, *j]), Some(k));
                                view.set(k, 3 * view.get(k) + i - j);
                            }
                        });
                        loop_.expect("a loop");
                    }
                    _ => array.redistribute(map_of(random.below(MAPS))).expect("another distribution"),
                }
                let here = rt.locale();
                assert!(array.local().iter().all(|index| array.owner(index) == Some(here)));
                assert_eq!(array.len(), model.len());
                let index = some(&mut random, 1)[0];
                assert_eq!(array.get(index).expect("a value"), model.get(&index).copied().unwrap_or(-1), "{index:?}");
                assert_eq!(array.contains(index).expect("an answer"), model.contains_key(&index));
            }
            assert_eq!(array.to_vec().expect("elements"), sorted(&model));
            let last = rt.locales() - 1;
            let gathered = array.gather(last).expect("elements");
            assert_eq!(gathered, (rt.locale() == last).then(|| sorted(&model)));
            // Some of the same indices, in another parent, and one that is new.
            let mut others = SparseDomain::new(&Domain::new([0..=40, 0..=40]));
            others.insert(model.keys().take(3).copied().chain([[39, 40]])).expect("indices");
            model = others.iter().map(|index| (index, model.get(&index).copied().unwrap_or(-1))).collect();
            array.resize(&others).expect("other indices");
            assert_eq!(array.to_vec().expect("elements"), model.into_iter().collect::<Vec<_>>());
        });
        ran.expect("programs");
    }
}

/// Arrays of a list that all have are as those of its parts, and no message is sent for them.
#[expect(clippy::cast_possible_truncation, reason = "small numbers")]
#[test]
fn lists_that_all_have_send_nothing() {
    for (locales, number) in LOCALES.into_iter().flat_map(|locales| (0..MAPS).map(move |number| (locales, number))) {
        let ran = on_locales(builder(locales), number, |rt, number| {
            let list = some(&mut Random(3), 40);
            let mut indices = SparseDomain::new(&grid());
            indices.insert(list.iter().copied()).expect("indices");
            let map = map(number, &grid(), rt.locales());
            let mut before = rt.traffic();
            let array: SparseArray<i64, 2> = SparseArray::new(rt, &indices, map.clone(), 5).expect("an array");
            let other = array.like::<f64, AoS>(0.5).expect("an array");
            array
                .update()
                .zip(other.read())
                .for_each(|_, (mut a, b)| a.set(0, (b.get(0) * 16.0) as i64))
                .expect("a loop");
            assert_eq!(sent_since(rt, &mut before), 0);
            let parts: SparseArray<i64, 2> =
                SparseArray::from_entries(rt, &grid(), map, 5, part(rt, &list).into_iter().map(|at| (at, 5)), |a, _| a)
                    .expect("an array");
            assert_eq!((array.local(), array.len()), (parts.local(), parts.len()));
            // The first element of each chunk, and no other.
            let eights = array.to_vec().expect("elements").iter().filter(|(_, value)| *value == 8).count();
            let chunks = array.read().map(|_, _| Ok(())).expect("a loop").get().expect("chunks").len();
            assert_eq!(eights, chunks);
            assert!(chunks >= rt.locales());
        });
        ran.expect("programs");
    }
}

/// A row of a locale is in one chunk, and chunks have all rows.
#[test]
fn chunks_have_whole_rows() {
    for (locales, number) in LOCALES.into_iter().flat_map(|locales| (0..MAPS).map(move |number| (locales, number))) {
        let ran = on_locales(builder(locales).pieces(5 * locales), number, |rt, number| {
            let mut indices = SparseDomain::new(&grid());
            indices.insert(some(&mut Random(11), 70)).expect("indices");
            let map = map(number, &grid(), rt.locales());
            let array: SparseArray<i64, 2> = SparseArray::new(rt, &indices, map, 0).expect("an array");
            let rows = array.read().map(|chunk, (view,)| {
                let of = |(indices, elements): (&[[i64; 2]], core::ops::Range<usize>)| {
                    assert_eq!(indices, &chunk.indices()[elements.clone()]);
                    assert!(elements.end <= view.len());
                    (usize::try_from(chunk.task().point()[0]).expect("a number"), indices.to_vec())
                };
                Ok(chunk.rows().map(of).collect::<Vec<_>>())
            });
            let rows: Vec<_> = rows.expect("a loop").get().expect("rows").into_iter().flatten().collect();
            let mut seen: Vec<[i64; 2]> = rows.iter().flat_map(|(_, row)| row.clone()).collect();
            let mut owners = BTreeMap::new();
            for (chunk, row) in &rows {
                assert!(row.iter().all(|index| index[0] == row[0][0]));
                let locale = array.owner(row[0]).expect("an owner");
                assert_eq!(owners.insert((locale, row[0][0]), *chunk), None, "two parts of a row of locale {locale}");
            }
            seen.sort_unstable();
            let mut expected: Vec<_> = indices.iter().collect();
            expected.sort_unstable();
            assert_eq!(seen, expected);
            let chunks = rows.iter().map(|(chunk, _)| *chunk).max().map_or(0, |last| last + 1);
            assert!(chunks > rt.locales(), "{chunks} chunks of {} locales", rt.locales());
        });
        ran.expect("programs");
    }
}

/// Products with vectors of any distribution are those of loops over all elements.
#[test]
fn products_agree_with_loops() {
    let cases = LOCALES.into_iter().flat_map(|locales| (0..MAPS).map(move |number| (locales, number)));
    for (locales, number) in cases {
        let ran = on_locales(builder(locales), number, |rt, number| {
            let (matrix, locales) = (grid(), rt.locales());
            let [rows, columns] = *matrix.dims();
            let list: Vec<_> = some(&mut Random(5), 30).into_iter().zip(1..).collect();
            let a: SparseArray<i64, 2> =
                SparseArray::from_entries(rt, &matrix, map(number, &matrix, locales), 0, part(rt, &list), i64::max)
                    .expect("a matrix");
            let entries = a.to_vec().expect("elements");
            let block = |range| Block::over(&Domain::new([range]), all(locales)).expect("a box");
            let cyclic = Cyclic::new([0], all(locales));
            for turn in 0..2 {
                let x: Array<i64, 1> = match turn {
                    0 => Array::from_fn(rt, &Domain::new([columns]), block(columns), |[j]| 7 * j + 1),
                    _ => Array::from_fn(rt, &Domain::new([columns]), cyclic.clone(), |[j]| 7 * j + 1),
                }
                .expect("a vector");
                let y: Array<i64, 1, AoS> = match turn {
                    0 => Array::new(rt, &Domain::new([rows]), cyclic.clone()),
                    _ => Array::new(rt, &Domain::new([rows]), block(rows)),
                }
                .expect("a vector");
                for _ in 0..2 {
                    a.multiply(&x, &y).expect("a product");
                    let expected = rows.iter().map(|row| {
                        entries
                            .iter()
                            .filter(|(at, _)| at[0] == row)
                            .map(|(at, value)| value * (7 * at[1] + 1))
                            .sum::<i64>()
                    });
                    assert_eq!(y.to_vec().expect("elements"), expected.collect::<Vec<_>>());
                }
                // The product is added, also to every second element of another vector.
                let once = y.to_vec().expect("elements");
                a.multiply_onto(&x, &y).expect("a product");
                assert_eq!(y.to_vec().expect("elements"), once.iter().map(|sum| 2 * sum).collect::<Vec<_>>());
                let long = Domain::from(0..2 * once.len() as i64);
                let wide: Array<i64, 1> = Array::filled(rt, &long, cyclic.clone(), 1).expect("a vector");
                let every = wide.slice(&long.by([2]).expect("a stride")).expect("a slice");
                a.multiply_onto(&x, &every).expect("a product");
                let expected = once.iter().flat_map(|sum| [1 + sum, 1]).collect::<Vec<_>>();
                assert_eq!(wide.to_vec().expect("elements"), expected);
                // Of each row the largest value of any element, in place of a sum.
                a.multiply_by(&x, &y, layout_store::Max, |a, _| a).expect("a product");
                let most = rows.iter().map(|row| entries.iter().filter(|(at, _)| at[0] == row).map(|(_, a)| *a).max());
                let most: Vec<_> = most.map(|most| most.unwrap_or(i64::MIN)).collect();
                assert_eq!(y.to_vec().expect("elements"), most);
                // Elements of the result lie where they did.
                rt.fence().expect("a fence");
                let mut before = rt.traffic();
                y.update().for_each(|_, (mut y,)| y.update(|y| y / 2)).expect("a loop");
                assert_eq!(sent_since(rt, &mut before), 0);
            }
        });
        ran.expect("programs");
    }
}

/// A product brings the elements of the vector that a locale lacks and names, once, and again when they were written.
#[test]
fn products_send_what_is_needed() {
    for locales in LOCALES {
        let ran = on_locales(builder(locales), (), |rt, ()| {
            let line = Domain::from(0..60_i64);
            let matrix = Domain::new([line.dims()[0]; 2]);
            let mut random = Random(9);
            let list: Vec<_> = (0..150).map(|_| ([random.below(60) as i64, random.below(60) as i64], 1)).collect();
            let rows = map(1, &matrix, rt.locales());
            let a: SparseArray<i64, 2> =
                SparseArray::from_entries(rt, &matrix, rows, 0, part(rt, &list), |a, _| a).expect("a matrix");
            let block = Block::over(&line, all(rt.locales())).expect("a box");
            let x: Array<i64, 1> = Array::filled(rt, &line, block.clone(), 1).expect("a vector");
            let y: Array<i64, 1> = Array::new(rt, &line, block).expect("a vector");
            // Locales ask each other for elements when these were written in a new way, and then know what to send.
            for _ in 0..2 {
                a.multiply(&x, &y).expect("a product");
                x.fill(2).expect("a fill");
            }
            a.multiply(&x, &y).expect("a product");
            let (mut before, mut all_sent) = (rt.traffic(), Vec::new());
            sent_since(rt, &mut before);
            for written in [false, true, true] {
                if written {
                    x.fill(2).expect("a fill");
                }
                a.multiply(&x, &y).expect("a product");
                all_sent.push(sent_since(rt, &mut before));
            }
            let lacks = |locale: usize| {
                let columns = list.iter().filter(|([i, _], _)| x.owner([*i]) == Some(locale)).map(|([_, j], _)| *j);
                let columns: std::collections::BTreeSet<i64> = columns.collect();
                columns.into_iter().filter(|j| x.owner([*j]) == Some(rt.locale())).count() as u64
            };
            let gives: u64 = (0..rt.locales()).filter(|locale| *locale != rt.locale()).map(lacks).sum();
            assert_eq!(all_sent, [0, 8 * gives, 8 * gives]);
            assert!(rt.locales() == 1 || gives > 0);
        });
        ran.expect("programs");
    }
}

/// Elements of dense arrays come to sparse indices: those of the parent's distribution without a message.
#[test]
fn samples_agree_with_loops() {
    for (locales, number) in LOCALES.into_iter().flat_map(|locales| (0..MAPS).map(move |number| (locales, number))) {
        let ran = on_locales(builder(locales), number, |rt, number| {
            let mut indices = SparseDomain::new(&grid());
            indices.insert(some(&mut Random(21), 25)).expect("indices");
            let a: SparseArray<i64, 2> =
                SparseArray::new(rt, &indices, map(number, &grid(), rt.locales()), 0).expect("an array");
            for other in 0..MAPS {
                let map = map(other, &grid(), rt.locales());
                let dense: Array<i64, 2> = Array::from_fn(rt, &grid(), map.clone(), |_| 0).expect("an array");
                // Locales ask each other for elements when these were written in a new way, and then know what to send.
                for _ in 0..2 {
                    a.sample(&dense, -1).expect("a sample");
                    dense.fill_from_fn(|[i, j]| 100 * i + j).expect("elements");
                }
                rt.fence().expect("a fence");
                let mut before = rt.traffic();
                let sampled = a.sample(&dense, -1).expect("a sample");
                a.write().zip(sampled.read()).for_each(|_, (mut a, b)| Ok(a.copy_from(&b)?)).expect("a loop");
                let sent = sent_since(rt, &mut before);
                let gives =
                    |index: &[i64; 2]| dense.owner(*index) == Some(rt.locale()) && a.owner(*index) != Some(rt.locale());
                assert_eq!(sent, 8 * indices.iter().filter(gives).count() as u64, "{number} of {other}");
                assert!(sent == 0 || other != number);
                let expected: Vec<_> = indices.iter().map(|[i, j]| ([i, j], 100 * i + j)).collect();
                assert_eq!(a.to_vec().expect("elements"), expected);
                assert_eq!(sampled.get([1 + 1, 9]).expect("a value"), if indices.contains([2, 9]) { 209 } else { -1 });
            }
        });
        ran.expect("programs");
    }
}

/// A locale has memory for its own elements, however many the others have.
#[test]
fn memory_is_for_own_elements() {
    let ran = on_locales(builder(4), (), |rt, ()| {
        let matrix = Domain::new([0..1_000_000_i64, 0..1_000_000]);
        let rows = map(1, &matrix, 4);
        // Most elements lie on locale 1, none on locale 3.
        let own = (0..4000_i64).map(|k| ([250_000 * (k * k % 8).min(2) / 2 + k, 31 * k], k));
        let own: Vec<_> = own.filter(|([i, _], _)| i % 4 == rt.locale() as i64).collect();
        let a: SparseArray<i64, 2> = SparseArray::from_entries(rt, &matrix, rows, 0, own, |a, _| a).expect("a matrix");
        rt.fence().expect("a fence");
        let memory = rt.memory().of(a.store()).expect("a store of it");
        let own = a.local().len();
        assert!(memory.total() <= 8 * own + 256, "{memory:?} for {own} elements");
        assert!(rt.memory().charged <= 8 * own + 1024, "{:?}", rt.memory());
        (own as u64, a.len() as u64)
    });
    let ran = ran.expect("programs");
    let (most, all) = (ran.iter().map(|(own, _)| *own).max().expect("locales"), ran[0].1);
    assert_eq!(ran.iter().map(|(own, _)| *own).sum::<u64>(), all);
    assert_eq!((all, ran[3].0), (4000, 0));
    assert!(most > all / 2);
}

/// A mistake of one locale is refused by all locales, and nothing is changed.
#[test]
fn bad_input_is_refused_everywhere() {
    for locales in LOCALES {
        let ran = on_locales(builder(locales), (), |rt, ()| {
            let mut indices = SparseDomain::new(&grid());
            indices.insert([[0, 1], [10, 5], [22, 9]]).expect("indices");
            let map = map(0, &grid(), rt.locales());
            let mut a: SparseArray<i64, 2> = SparseArray::new(rt, &indices, map.clone(), 4).expect("an array");
            let before: Vec<_> = indices.iter().map(|index| (index, 4)).collect();
            let last = rt.locale() + 1 == rt.locales();

            let error = a.put([10, 6], 1).expect_err("an absent index");
            assert_eq!(
                error.to_string(),
                "index [10, 6] is not one of the 3 of the sparse array; `insert` it before it is written"
            );
            let entries = [([0, 1], 9)].into_iter().chain(last.then_some(([0, 2], 1)));
            let error = a.put_all(entries).expect_err("an absent index");
            assert!(matches!(&error, ArrayError::Absent { index, count: 3 } if *index == [0, 2]), "{error}");
            for index in [[1, 1], [0, 10]] {
                // Between two indices, and beyond.
                let given = [[0, 3]].into_iter().chain(last.then_some(index));
                let error = a.insert(given.clone()).expect_err("a stray index");
                assert!(matches!(error, ArrayError::Domain(DomainError::NotInParent { .. })), "{error}");
                let error = a.remove([[0, 1]].into_iter().chain(given)).expect_err("a stray index");
                assert!(matches!(error, ArrayError::Domain(DomainError::NotInParent { .. })), "{error}");
                let refused = [a.get(index).map(drop), a.put(index, 1), a.contains(index).map(drop)];
                assert!(refused.iter().all(|result| matches!(result, Err(ArrayError::Index { .. }))), "{refused:?}");
            }
            assert_eq!(a.to_vec().expect("elements"), before);

            let same: SparseArray<i64, 2> = SparseArray::new(rt, &indices, map.clone(), 4).expect("an array");
            let error = a.update().zip(same.read()).for_each(|_, _| ()).expect_err("other indices");
            assert!(matches!(error, ArrayError::OtherIndices), "{error}");
            let copies = Replicated::new(all(rt.locales()));
            let error = SparseArray::<i64, 2>::new(rt, &indices, copies, 0).expect_err("copies");
            assert!(matches!(error, ArrayError::Store(StoreError::Partition(PartitionError::Copies))), "{error}");
            let beyond = Block::over(&grid(), Targets::all(rt.locales() + 1).expect("locales")).expect("a box");
            let error = SparseArray::<i64, 2>::new(rt, &indices, beyond, 0).expect_err("a locale that there is not");
            assert!(
                matches!(error, ArrayError::Store(StoreError::Partition(PartitionError::Target { .. }))),
                "{error}"
            );

            let line = |len: i64| {
                let line = Domain::from(0..len);
                let map = Cyclic::new([0], Targets::all(rt.locales()).expect("locales"));
                Array::<i64, 1>::filled(rt, &line, map, 3).expect("a vector")
            };
            let (x, y) = (line(9), line(12));
            for (x, y) in [(&y, &x), (&x, &line(11)), (&line(8), &y)] {
                let error = a.multiply(x, y).expect_err("other lengths");
                assert!(matches!(error, ArrayError::Domain(DomainError::Lengths { .. })), "{error}");
            }
            let square = Domain::new([0..5_i64, 0..5]);
            let mut none =
                SparseArray::<i64, 2>::new(rt, &SparseDomain::new(&square), Cyclic::new([0, 0], all_targets(rt)), 7)
                    .expect("an array");
            let z = line(5);
            let error = none.multiply(&z, &z).expect_err("one vector");
            assert!(matches!(error, ArrayError::Overlap { .. }), "{error}");
            assert_eq!(z.to_vec().expect("elements"), [3; 5]);

            // No elements at all.
            assert!(none.is_empty() && none.to_vec().expect("no elements").is_empty());
            assert_eq!(none.get([1, 1]).expect("a value"), 7);
            assert_eq!(none.read().reduce(Sum, |_, (view,)| Ok(view.len())).expect("a loop").get().expect("a sum"), 0);
            none.multiply(&line(5), &z).expect("a product");
            assert_eq!(z.to_vec().expect("elements"), [0; 5]);
            assert_eq!(none.insert([[1, 1], [4, 4]]).expect("new elements"), 2);
            assert_eq!(none.remove([[1, 1], [4, 4], [2, 2]]).expect("fewer elements"), 2);
            assert!(none.is_empty());
        });
        ran.expect("programs");
    }
}

fn all_targets(rt: &Runtime) -> Targets<2> {
    Targets::all(rt.locales()).expect("locales")
}

/// The owner alone knows of a task that failed; all locales return its error, and go on.
#[test]
fn a_body_that_fails_is_told_on_all_locales() {
    for locales in LOCALES {
        let ran = on_locales(builder(locales), (), |rt, ()| {
            let list = some(&mut Random(3), 40);
            let mut indices = SparseDomain::new(&grid());
            indices.insert(list.iter().copied()).expect("indices");
            let map = map(1, &grid(), rt.locales());
            let fail = |array: &SparseArray<i64, 2>| {
                let here = array.local().contains(list[7]);
                array.fill(5).expect("a fill");
                let failing = array.update().named("failing").for_each(move |_, _| {
                    if here { Err(layout_store::TaskBodyError::new("no seven")) } else { Ok(()) }
                });
                failing.expect("a launch");
            };
            let mut array: SparseArray<i64, 2> = SparseArray::new(rt, &indices, map.clone(), 5).expect("an array");
            let is_told = |error: Option<ArrayError>| {
                assert!(matches!(&error, Some(ArrayError::Store(StoreError::Failed(_)))), "{error:?}");
            };
            fail(&array);
            is_told(array.get(list[7]).err());
            is_told(array.to_vec().err());
            is_told(array.gather(0).err());
            is_told(array.redistribute(map.clone()).err());
            is_told(array.insert([grid().at(1).expect("an index"), grid().at(2).expect("an index")]).err());
            assert!(rt.fence().is_err());
            array.fill(6).expect("a fill");
            assert_eq!(array.get(list[7]).expect("an element"), 6);
            array.redistribute(map).expect("values");
            assert!(array.to_vec().expect("elements").iter().all(|(_, value)| *value == 6));
            rt.fence().expect("no error");
        });
        ran.expect("programs");
    }
}

/// A body that fails takes away the elements of its own chunk, and no other ones, on any number of locales.
#[test]
fn elements_of_other_bodies_are_kept() {
    for locales in LOCALES {
        let ran = on_locales(builder(locales), (), |rt, ()| {
            let rows = Domain::new([0..=11, 0..=0]);
            let mut every = SparseDomain::new(&rows);
            every.insert(rows).expect("indices");
            let blocks = Block::over(&rows, all_targets(rt)).expect("a box");
            let array: SparseArray<i64, 2> = SparseArray::new(rt, &every, blocks, 5).expect("an array");
            let failing = array.update().for_each(|chunk, _| match chunk.order([0, 0]) {
                Some(_) => Err(layout_store::TaskBodyError::new("no")),
                None => Ok(()),
            });
            failing.expect("a launch");
            assert_eq!(array.get([11, 0]).expect("an element of another body"), 5);
            assert!(array.get([0, 0]).is_err());
            assert!(rt.fence().is_err());
        });
        ran.expect("programs");
    }
}

/// The blocks of the parent are so many that no list of them fits in memory.
#[test]
fn blocks_of_the_parent_take_no_memory() {
    for locales in [1, 4] {
        let ran = on_locales(builder(locales), (), |rt, ()| {
            let matrix = Domain::new([0..1_000_000, 0..1_000_000]);
            let blocks = || BlockCyclic::new([0, 0], [2, 3], all_targets(rt)).expect("blocks");
            let own = (rt.locale() == 0).then_some(([3, 5], 1));
            let mut array: SparseArray<i64, 2> =
                SparseArray::from_entries(rt, &matrix, blocks(), 0, own, |a, _| a).expect("an array");
            assert_eq!(array.to_vec().expect("elements"), [([3, 5], 1)]);
            let mut few = SparseDomain::new(&matrix);
            few.insert([[3, 5], [999_999, 0]]).expect("indices");
            array.resize(&few).expect("two elements");
            array.redistribute(BlockCyclic::new([1, 1], [3, 2], all_targets(rt)).expect("blocks")).expect("a move");
            assert_eq!(array.to_vec().expect("elements"), [([3, 5], 1), ([999_999, 0], 0)]);
            let other: SparseArray<i64, 2> = SparseArray::new(rt, &few, blocks(), 7).expect("an array");
            assert_eq!(other.get([999_999, 0]).expect("an element"), 7);

            // The distribution of a view of a small array with the same blocks.
            let small = Domain::new([0..6, 0..6]);
            let small: Array<i64, 2> = Array::filled(rt, &small, blocks(), 0).expect("an array");
            let turned = small.transpose([1, 0]).expect("a view").map().clone();
            let other: SparseArray<i64, 2> = SparseArray::new(rt, &few, turned, 7).expect("an array");
            assert_eq!(other.get([999_999, 0]).expect("an element"), 7);
            let shown = small.reindex(&Domain::new([1..=6, 1..=6])).expect("a view").map().clone();
            let mut few = SparseDomain::new(&Domain::new([2..=4, 1..=6]));
            few.insert([[2, 6], [4, 1]]).expect("indices");
            let mut other: SparseArray<i64, 2> = SparseArray::new(rt, &few, shown.clone(), 7).expect("an array");
            assert_eq!(other.owner([2, 6]), small.owner([1, 5]));
            assert_eq!(other.to_vec().expect("elements"), [([2, 6], 7), ([4, 1], 7)]);
            // The view has no row 7.
            let mut more = SparseDomain::new(&Domain::new([2..=7, 1..=6]));
            more.insert([[2, 6]]).expect("an index");
            let error = SparseArray::<i64, 2>::new(rt, &more, shown, 7).map(drop).expect_err("rows of nobody");
            assert!(matches!(error, ArrayError::Domain(DomainError::OwnedByNobody { .. })), "{error}");
            other.redistribute(blocks()).expect("a move");

            // A dimension of so many blocks that no list of them fits in memory, either.
            let line = Domain::from(0..1_i64 << 40);
            let blocks = |start| BlockCyclic::new([start], [64], all(rt.locales())).expect("blocks");
            let own = (rt.locale() == 0).then_some(([3 << 30], 1.0));
            let mut array: SparseArray<f64, 1> =
                SparseArray::from_entries(rt, &line, blocks(0), 0.0, own, |a, _| a).expect("an array");
            assert_eq!(array.get([3 << 30]).expect("an element"), 1.0);
            array.redistribute(blocks(9)).expect("a move");
            assert_eq!(array.to_vec().expect("elements"), [([3 << 30], 1.0)]);
        });
        ran.expect("programs");
    }
}
