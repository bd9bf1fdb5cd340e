mod hand;
mod kernels;
use hand::*;
use kernels::*;
use layout::*;
use std::time::Instant;
fn seeds(n: usize) -> Vec<Particle> {
    let mut s = 1u64;
    let mut r = move || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 40) as f32 / (1u64 << 24) as f32
    };
    (0..n)
        .map(|_| Particle {
            pos: Vec3 { x: r(), y: r(), z: r() },
            vel: Vec3 { x: r() / 10., y: r() / 10., z: r() / 10. },
            mass: r() / 100.,
        })
        .collect()
}
fn t(mut f: impl FnMut(), reps: usize) -> f64 {
    let i = Instant::now();
    for _ in 0..reps {
        f()
    }
    i.elapsed().as_secs_f64() / reps as f64
}
fn run<L: RecordLayout<Particle> + Default, H: Hand>(name: &str) {
    let n = 16384;
    let p = seeds(n);
    let mut v = alloc_from_fn::<Particle, L, _>(n, |[i]| p[i]).unwrap();
    let mut h = H::new(&p);
    let mut m = [[f64::MAX; 8]; 1];
    for _ in 0..7 {
        let r = [
            t(|| update_loop(&mut v, 512), 1),
            t(|| h.update_loop(512), 1),
            t(|| update_lanes(&mut v, 2048), 1),
            t(|| h.update_lanes(2048), 1),
            t(|| move_loop(&mut v), 200),
            t(|| h.move_loop(), 200),
            t(|| move_lanes(&mut v), 200),
            t(|| h.move_lanes(), 200),
        ];
        for k in 0..8 {
            m[0][k] = m[0][k].min(r[k]);
        }
    }
    let same = v.to_vec() == h.particles(n);
    let m = m[0];
    println!(
        "{name:8} update loop {:.1}/{:.1} = {:.3}  lanes {:.1}/{:.1} = {:.3}   move loop {:.2}/{:.2} = {:.3}  lanes {:.2}/{:.2} = {:.3}  {same}",
        m[0] * 32e3,
        m[1] * 32e3,
        m[0] / m[1],
        m[2] * 8e3,
        m[3] * 8e3,
        m[2] / m[3],
        m[4] * 1e6,
        m[5] * 1e6,
        m[4] / m[5],
        m[6] * 1e6,
        m[7] * 1e6,
        m[6] / m[7]
    );
}
fn main() {
    run::<AoS, Vec<Particle>>("AoS");
    run::<SoA, Soa>("SoA");
    run::<SoASingle, Soa>("SoASingle");
    run::<AoSoA<8>, Vec<Block<8>>>("AoSoA8");
    run::<AoSoA<16>, Vec<Block<16>>>("AoSoA16");
    run::<AoSoA<32>, Vec<Block<32>>>("AoSoA32");
}
