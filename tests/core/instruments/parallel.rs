//! Counts of parallel loops, in pools of one thread and of four.

use layout::author::Apart;
use layout::composed::{Bytesplit, Split};
use layout::path;
use layout::prelude::*;

use super::model::{Model, blocks};
use super::{Event, event};

fn check<L: RecordLayout<Event, Sharing = Apart> + Default>() {
    const LEN: usize = 2500;
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for block in blocks() {
            let mut view = alloc_from_fn::<Event, L, _>(LEN, |[i]| event(i)).unwrap().heat_map(block).trace();
            let mut model = Model::new(view.mapping(), block);
            pool.install(|| {
                view.par_for_each_mut(|mut slots| {
                    slots.time += 1;
                    slots.counts.at_mut(2).set(3);
                });
                view.par_for_each(|slots| {
                    let _ = slots.total.get();
                });
                view.slice_mut((100..2000,))
                    .par_for_each_lanes_mut::<8>(|mut lanes| lanes.total += 1, |mut s| s.total += 1);
            });
            (0..LEN).for_each(|i| model.read(i, [1, 5]));
            (0..LEN).for_each(|i| model.write(i, [1, 4]));
            (100..2000).for_each(|i| model.read(i, [5]));
            (100..2000).for_each(|i| model.write(i, [5]));
            model.check_uses(&view.observer().uses());
            model.check_heat(view.unobserved().0.observer());
        }
    }
}

#[test]
fn loops() {
    check::<AoS>();
    check::<SoA>();
    check::<AoSoA<16>>();
    check::<Split<path!(Event, counts), AoS<Packed>, SoA>>();
    check::<Bytesplit<SoA>>();
}
