//! A locale that is far behind the others.

use core::time::Duration;
use std::thread::sleep;
use std::time::Instant;

use layout_store::{Mapper, Runtime, Store, read, update, write};
use support::locales::{LIMIT, on_locales};

use crate::{ALLOCATOR, alone};

/// 64 KiB of each store are on a locale.
const PART: i64 = 8192;
const LAUNCHES: i64 = 1000;
const WINDOW: usize = 1 << 20;
/// At least so much comes in advance, however fast the two locales are.
const ADVANCE: usize = WINDOW / 4;
/// Nodes of 2000 launches on each locale, of 3 KiB: what was sent is five times as much.
const OVERHEAD: usize = 13 << 20;

/// The most bytes of messages that were not taken, and of memory that is kept for others.
fn program(rt: &Runtime, (): ()) -> (usize, usize) {
    let (from, to): (Store<i64, _>, Store<i64, _>) = (rt.create(2 * PART).unwrap(), rt.create(2 * PART).unwrap());
    from.fill(0).unwrap();
    to.fill(0).unwrap();
    let (first, second) = (from.slice(0, 0, PART).unwrap(), to.slice(0, PART, 2 * PART).unwrap());
    let [here, there] = [0, 1].map(|locale| Mapper::new(move |_, _, _| locale));
    rt.fence().unwrap();
    // The only thread of that locale.
    let slow = rt.task("slow").over([1]).unwrap().mapped(&there);
    slow.launch(|_, ()| sleep(Duration::from_millis(400))).unwrap();
    let mut most = (0, 0);
    for _ in 0..LAUNCHES {
        rt.task("count")
            .args((update(&first),))
            .single()
            .mapped(&here)
            .launch(|_, (mut x,)| x.update(|x| x + 1))
            .unwrap();
        let task = rt.task("follow").args((read(&first), write(&second))).single().mapped(&there);
        task.launch(|_, (from, mut to)| Ok(to.copy_from(&from)?)).unwrap();
        let memory = rt.memory();
        most = (most.0.max(memory.messages), most.1.max(memory.buffers));
    }
    let launched = Instant::now();
    while rt.locale() == 1 && most.0 < ADVANCE && launched.elapsed() < LIMIT {
        sleep(Duration::from_micros(100));
        most.0 = most.0.max(rt.memory().messages);
    }
    rt.fence().unwrap();
    assert_eq!(to.get([PART]).unwrap(), LAUNCHES);
    most
}

#[test]
fn a_locale_that_sleeps_gets_no_more_than_a_window() {
    let _alone = alone();
    let builder = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(0);
    let before = ALLOCATOR.forget();
    let most = on_locales(builder, (), program).unwrap();
    let peak = ALLOCATOR.peak() - before;
    println!("at most {most:?} bytes of messages and buffers, {peak} allocated; {} were sent", LAUNCHES * 8 * PART);
    assert!(most.iter().all(|(messages, buffers)| *messages.max(buffers) <= WINDOW + 4096), "{most:?}");
    // Those that came and wait, and those whose memory is kept.
    assert!(peak <= 4 * 8 * PART as usize + 2 * WINDOW + OVERHEAD, "{peak}");
    assert!(most[1].0 >= ADVANCE, "nothing came in advance: {most:?}");
}
