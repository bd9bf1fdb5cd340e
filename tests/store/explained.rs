//! `Launched::explain`: what is explained is what is sent, and has the reason that the program gave.

use layout_store::{
    Dim, Explanation, ImageHint, Launched, Reason, Runtime, Store, Sum, Unbound, align, align_axes, bloat, bloat_faces,
    bloat_periodic, broadcast, broadcast_axes, follow, image, read, reduce, scale, send, update, write,
};
use support::locales::on_locales;

const N: i64 = 48;

/// The report of a locale on a launch: the bytes that all locales send, the messages and bytes that this one sent, and the explanation.
type Told = (u64, [u64; 2], Vec<[u64; 6]>, Vec<String>);

/// The messages of `launch`, which begins and ends with a fence.
fn told(rt: &Runtime, launch: impl FnOnce() -> Launched) -> Told {
    rt.fence().unwrap();
    let before = rt.traffic();
    let launched = launch();
    rt.fence().unwrap();
    let (after, Explanation { exchanges, .. }) = (rt.traffic(), launched.explain());
    let numbers = exchanges.iter().map(|exchange| {
        let [sent, received] = [exchange.sent, exchange.received];
        let number = |number: usize| number as u64;
        let (argument, peer) = (number(exchange.argument), number(exchange.peer));
        [argument, peer, sent.messages, sent.bytes, received.messages, received.bytes]
    });
    let reasons = exchanges.iter().map(|exchange| exchange.reason.to_string());
    let sent = [after.messages - before.messages, after.bytes - before.bytes];
    (launched.exchanged(), sent, numbers.collect(), reasons.collect())
}

/// Asserts that what is explained adds up on 1 to 4 locales, and that each entry of an argument has the reason given for it.
fn adds_up(reasons: &[(u64, Reason)], program: fn(&Runtime, ()) -> Told) {
    for locales in 1..=4 {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(2 * locales).min_chunk(1).whole_below(0);
        let told = on_locales(builder, (), program).unwrap();
        let exchanged = told[0].0;
        assert_eq!(exchanged > 0, locales > 1, "{locales} locales");
        let flows = |me: usize| told[me].2.iter();
        assert_eq!((0..locales).flat_map(flows).map(|flow| flow[3]).sum::<u64>(), exchanged);
        for (me, (all, sent, numbers, given)) in told.iter().enumerate() {
            assert_eq!(*all, exchanged);
            let sums = [2, 3].map(|which: usize| numbers.iter().map(|flow| flow[which]).sum::<u64>());
            assert_eq!(sums, *sent, "locale {me} of {locales}");
            assert!(numbers.is_sorted());
            for ([argument, peer, sent @ .., from, bytes], given) in numbers.iter().zip(given) {
                let reason = reasons.iter().find(|(of, _)| of == argument).map(|(_, reason)| reason.to_string());
                assert_eq!(reason.as_ref(), Some(given));
                // The other locale tells the same.
                let back = flows(usize::try_from(*peer).unwrap()).find(|flow| flow[..2] == [*argument, me as u64]);
                let back = back.unwrap();
                assert_eq!((sent[..] == back[4..], [*from, *bytes] == back[2..4]), (true, true));
            }
        }
    }
}

/// A store whose elements are on all locales, and another one.
fn pair(rt: &Runtime) -> (Store<f64, Dim<2>>, Store<f64, Dim<2>>) {
    let (old, new) = (rt.create([N, N]).unwrap(), rt.create([N, N]).unwrap());
    old.fill(1.0).unwrap();
    new.fill(2.0).unwrap();
    (old, new)
}

#[test]
fn margins() {
    let source = |low: [i64; 2], high: [i64; 2]| Reason::Margin { source: 1, low: low.into(), high: high.into() };
    adds_up(&[(0, source([1, 2], [3, 0]))], |rt, ()| {
        let (old, new) = pair(rt);
        let task = rt.task("margin").args((read(&old), write(&new)));
        told(rt, || task.constrain(|(old, new)| bloat(new, old, [1, 2], [3, 0])).launch(|_, _| ()).unwrap())
    });
    adds_up(&[(0, source([0, 0], [4, 2]))], |rt, ()| {
        let (old, new) = pair(rt);
        let task = rt.task("faces").args((read(&old), write(&new)));
        told(rt, || {
            task.constrain(|(old, new)| bloat_faces(new, old, [0, 0], [4, 2], [2, 1])).launch(|_, _| ()).unwrap()
        })
    });
    adds_up(&[(0, source([1, 1], [1, 1]))], |rt, ()| {
        let (old, new) = pair(rt);
        let task = rt.task("ring").args((read(&old), write(&new)));
        told(rt, || task.constrain(|(old, new)| bloat_periodic(new, old, [1, 1], [1, 1])).launch(|_, _| ()).unwrap())
    });
}

#[test]
fn whole_arguments() {
    adds_up(&[(0, Reason::Whole)], |rt, ()| {
        let (old, new) = pair(rt);
        let task = rt.task("all").args((read(&old), write(&new)));
        told(rt, || task.constrain(|(old, _)| broadcast(old)).launch(|_, _| ()).unwrap())
    });
    // Points are given, and tiles of one argument.
    adds_up(&[(0, Reason::Whole)], |rt, ()| {
        let (old, new) = pair(rt);
        let rows = new.partition_by_tiling([N / 4, N]).unwrap();
        let task = rt.task("given").args((read(&old), write(&rows)));
        told(rt, || task.launch(|_, _| ()).unwrap())
    });
    adds_up(&[(0, Reason::OnePoint(None))], |rt, ()| {
        let (old, new) = pair(rt);
        let task = rt.task("one").args((read(&old), write(&new)));
        told(rt, || task.single().launch(|_, _| ()).unwrap())
    });
}

#[test]
fn the_runtime_says_why_there_is_one_point() {
    let found = on_locales(Runtime::builder().locales(2).threads(1).whole_below(0), (), |rt, ()| {
        let (old, new) = pair(rt);
        // The points of a first launch are on both locales.
        let rows = old.partition_by_tiling([N / 2, N]).unwrap();
        rt.task("rows").args((write(&rows),)).launch(|_, (mut rows,)| rows.fill(3.0)).unwrap();
        let task = rt.task("few").args((read(&old), write(&new)));
        let launched = task.constrain(|(old, _)| broadcast(old)).launch(|_, _| ()).unwrap();
        let [exchange] = &launched.explain().exchanges[..] else { panic!("one argument, and one peer") };
        assert!(launched.single().is_some());
        assert_eq!(exchange.reason, Reason::OnePoint(launched.single().cloned()));
    });
    found.unwrap();
}

#[test]
fn other_tiles() {
    adds_up(&[(0, Reason::Tiles)], |rt, ()| {
        let (old, new) = pair(rt);
        let turned = old.transpose([1, 0]).unwrap();
        let task = rt.task("transpose").args((read(&turned), write(&new)));
        told(rt, || task.constrain(|(old, new)| align(new, old)).launch(|_, _| ()).unwrap())
    });
    adds_up(&[(0, Reason::Tiles)], |rt, ()| {
        let (old, _) = pair(rt);
        let columns = old.partition_by_tiling([N, 5]).unwrap();
        let task = rt.task("columns").args((read(&columns),));
        told(rt, || task.launch(|_, _| ()).unwrap())
    });
}

#[test]
fn what_follows() {
    let follows = |argument| (argument, Reason::Follows { source: 2 });
    adds_up(&[follows(0), follows(1)], |rt, ()| {
        let (old, new) = pair(rt);
        let half: Store<f64, Dim<2>> = rt.create([N / 2, N]).unwrap();
        let task = rt.task("follow").args((read(&old), read(&new), write(&half)));
        let task =
            task.constrain(|(old, new, half)| [align_axes(half, old, [(1, 0)]), follow(half, new, |tile| *tile)]);
        told(rt, || task.launch(|_, _| ()).unwrap())
    });
    adds_up(&[(0, Reason::Follows { source: 1 })], |rt, ()| {
        let (old, _) = pair(rt);
        let half: Store<f64, Dim<2>> = rt.create([N / 2, N]).unwrap();
        let rows = old.partition_by_tiling([N / 12, N]).unwrap();
        rt.task("rows").args((write(&rows),)).launch(|_, (mut rows,)| rows.fill(3.0)).unwrap();
        let turned = old.transpose([1, 0]).unwrap();
        let task = rt.task("scale").args((read(&turned), write(&half)));
        // Rows of this are columns of what was written.
        let task = task.constrain(|(turned, half)| [scale([2, 1], half, turned), broadcast_axes(half, [1])]);
        told(rt, || task.launch(|_, _| ()).unwrap())
    });
}

#[test]
fn images() {
    for hint in [ImageHint::Precise, ImageHint::MinMax] {
        let reasons = [(1, Reason::Image { source: 0 })];
        let program = match hint {
            ImageHint::Precise => |rt: &Runtime, ()| pointed_to(rt, ImageHint::Precise),
            _ => |rt: &Runtime, ()| pointed_to(rt, ImageHint::MinMax),
        };
        adds_up(&reasons, program);
    }
}

/// A launch that reads what others point to, which they know from an earlier one.
fn pointed_to(rt: &Runtime, hint: ImageHint) -> Told {
    let far: Store<i64, _> = rt.create_from_fn(N, |at| (at[0] * 7 + N / 2) % N).unwrap();
    let values: Store<f64, _> = rt.create(N).unwrap();
    let look = || {
        values.fill(1.0).unwrap();
        rt.fence().unwrap();
        let task = rt.task("look").args((read(&far), read(&values)));
        task.constrain(|(far, values)| image(far, values, hint)).launch(|_, _| ()).unwrap()
    };
    // Locales ask each other until nothing is new.
    (0..4).for_each(|_| drop(look()));
    told(rt, look)
}

/// Contributions are explained, and are none of the elements that are exchanged.
#[test]
fn contributions() {
    for locales in 1..=4 {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(2 * locales).min_chunk(1).whole_below(0);
        let told = on_locales(builder, (), |rt, ()| {
            let sums: Store<f64, _> = rt.create(N).unwrap();
            sums.fill(1.0).unwrap();
            // The first launch finds its elements where they are, the second one on one locale.
            [false, true].map(|moved| {
                if moved {
                    rt.task("all").args((update(&sums),)).single().launch(|_, _| ()).unwrap();
                }
                let task = rt.task("sum").over([6]).unwrap().args((reduce(&sums, Sum),));
                told(rt, || task.launch(|task, (mut sums,)| sums.reduce(0, task.point()[0] as f64)).unwrap())
            })
        });
        let told = told.unwrap();
        for (me, launches) in told.iter().enumerate() {
            for (exchanged, sent, numbers, reasons) in launches {
                assert_eq!(*exchanged, 0);
                let sums = [2, 3].map(|which: usize| numbers.iter().map(|flow| flow[which]).sum::<u64>());
                assert_eq!(sums, *sent, "locale {me} of {locales}");
                assert!(reasons.iter().all(|reason| *reason == Reason::Combined.to_string()));
            }
            let others = locales - 1;
            assert_eq!(launches[0].2.len(), others);
            assert_eq!(launches[1].2.len(), if me == 0 { others } else { 1 });
        }
        let all = |launch: usize| told.iter().map(|launches| launches[launch].1[1]).sum::<u64>();
        let bytes = 8 * N.unsigned_abs();
        let away = 6 - 6_u64.div_ceil(locales as u64);
        assert_eq!(all(1), away * bytes, "{locales} locales");
    }
}

#[test]
fn nothing_is_sent_that_is_there() {
    let builder = Runtime::builder().locales(2).threads(1).min_chunk(1).whole_below(0);
    let told = on_locales(builder, (), |rt, ()| {
        let (old, new) = pair(rt);
        let launch = || rt.task("same").args((read(&old), write(&new))).align_all().launch(|_, _| ()).unwrap();
        launch();
        let next: Unbound<i64> = rt.unbound();
        let sends = rt.task("send").over([2]).unwrap().args((send(&next),));
        let sends = sends.launch(|task, (mut to,)| to.push([1 - task.point()[0]], 5)).unwrap();
        rt.fence().unwrap();
        assert_eq!(sends.exchanged(), 16);
        [launch().explain().to_string(), sends.explain().to_string()]
    });
    let nothing = || "no elements are sent or received\n".to_owned();
    assert_eq!(told.unwrap(), [0; 2].map(|_| [nothing(), nothing()]));
}

support::with_processes!();
