//! Velocities of some particles after one time step: each layout through views, by hand, and in other crates.
//!
//! `cargo bench --bench nbody`; with `-- ratio`, only the ratios of views to hand-written loops.

#![expect(dead_code, reason = "the kernels of the n-body example are shared, and the moves are timed elsewhere")]

#[path = "kernels/cases.rs"]
mod cases;
#[path = "../examples/nbody/hand.rs"]
mod hand;
#[path = "../examples/nbody/kernels.rs"]
mod kernels;
#[path = "kernels/peers.rs"]
mod peers;
#[path = "kernels/ratio.rs"]
mod ratio;

use cases::{Case, Kernel};
use hand::{Hand, widths};
use kernels::{Particle, UNROLL, update_lanes, update_loop};
use layout::{RecordLayout, most_lanes};
use peers::Peer;

/// The particles whose velocities are updated, from the positions of all.
const OUTER: usize = if cfg!(debug_assertions) { 32 } else { 256 };

/// Lanes of an update: two of the machine's vectors.
const LANES: usize = 2 * most_lanes::<Particle>();

struct Update;

impl Kernel for Update {
    const NAME: &str = "nbody";

    fn cases<L: RecordLayout<Particle> + Default, H: Hand + 'static>() -> Vec<Case<L, H>> {
        let plain = |hand: &mut H| hand.update_loop(OUTER);
        let plain = Case { access: "loop", view: |view| update_loop(view, OUTER), hand: Box::new(plain) };
        let lanes = widths::<H>().map(|width| Case {
            access: width.name,
            view: |view| update_lanes::<LANES, UNROLL, _, _>(view, OUTER),
            hand: Box::new(move |hand| (width.update)(hand, OUTER)),
        });
        [plain].into_iter().chain(lanes).collect()
    }

    fn peer(peer: &mut impl Peer) {
        peer.update(OUTER);
    }
}

fn main() {
    cases::run::<Update>();
}
