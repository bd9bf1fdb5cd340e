use layout::{AoS, AoSoA, Packed, Record, SoA, SoASingle, alloc, zip};

#[derive(Clone, Copy, Record)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: Vec3,
    bins: [f32; 4],
}

fn main() {
    let mut view = alloc::<Particle, SoASingle, _>([4, 8]).unwrap();
    let (mut pos, mut bins) = view.split((Particle::PATHS.pos, Particle::PATHS.bins));
    pos.at_mut([3, 7]).x.set(1.0);
    bins.at_mut([0, 1]).element_mut::<3>().set(2.0);
    let x = *view.at((3, 7)).pos.x.as_ref();
    assert_eq!(x, 1.0);

    let packed = alloc::<Particle, AoS<Packed>, _>([4, 8]).unwrap();
    let mut blocks = alloc::<Particle, AoSoA<8>, _>([4, 8]).unwrap();
    zip((&packed, &mut blocks)).for_each(|(from, mut to)| to.pos.y.set(from.pos.z.get()));
    let _ = alloc::<f32, SoA, _>(3).unwrap().slice((1..,)).for_each_lanes::<4>(|_| (), |_| ());
}
