//! Views and containers give their memory back, in every layout.

use layout::{Jagged, Record, RecordLayout, RecordVec, alloc};
use support::counting::Counting;
use support::layouts::{VisitLayout, each_layout};

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Particle {
    pos: [f32; 3],
    charge: i8,
    mass: f64,
}

struct Grow;

impl VisitLayout<Particle> for Grow {
    fn visit<L: RecordLayout<Particle> + Default>(&mut self) {
        let name = core::any::type_name::<L>();
        let before = ALLOCATOR.live_here();
        for count in [0, 1, 63, 64, 65, 1000] {
            let mut vec = RecordVec::<Particle, L>::new();
            (0..100).cycle().take(count).for_each(|charge| vec.push(Particle { charge, ..Particle::default() }));
            let twin = vec.clone();
            vec.retain(|particle| particle.charge % 3 == 0);
            vec.shrink_to_fit();
            let shrunk = ALLOCATOR.live_here();
            vec.reserve(5000);
            let reserved = ALLOCATOR.live_here();
            assert!(reserved >= shrunk + 4000 * 21, "{name}: {reserved} bytes, {shrunk} before");
            vec.shrink_to_fit();
            assert!(ALLOCATOR.live_here() <= shrunk, "{name}: {} bytes, {shrunk} before", ALLOCATOR.live_here());
            vec.extend(twin.iter().map(|particle| particle.load()));
            drop(twin);
            vec.clear();
            drop(vec);
            assert_eq!(ALLOCATOR.live_here(), before, "{name}, {count}");
            let view = alloc::<Particle, L, _>([count, 2]).unwrap();
            assert!(count == 0 || ALLOCATOR.live_here() >= before + 2 * count.cast_signed() * 21, "{name}");
            drop(view.clone());
            drop(view);
            assert_eq!(ALLOCATOR.live_here(), before, "{name}, a view of {count}");
        }
        let mut jagged = Jagged::<Particle, L>::new();
        (0..50).for_each(|row| jagged.push_list((0..row).map(|_| Particle::default())));
        jagged.clear();
        drop(jagged);
        assert_eq!(ALLOCATOR.live_here(), before, "{name}, jagged");
    }
}

#[test]
fn memory_is_given_back() {
    each_layout(&mut Grow);
}
