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
use hand::Hand;
use kernels::{Particle, VECTORS, W, update_lanes, update_loop};
use layout::RecordLayout;
use peers::Peer;

/// The particles whose velocities are updated, from the positions of all.
const OUTER: usize = if cfg!(debug_assertions) { 32 } else { 256 };

struct Update;

impl Kernel for Update {
    const NAME: &str = "nbody";

    fn cases<L: RecordLayout<Particle> + Default, H: Hand>() -> [Case<L, H>; 2] {
        [
            Case { access: "loop", view: |view| update_loop(view, OUTER), hand: |hand| hand.update_loop(OUTER) },
            Case {
                access: "lanes",
                view: |view| update_lanes::<{ VECTORS * W }, _, _>(view, OUTER),
                hand: |hand| hand.update_lanes::<VECTORS>(OUTER),
            },
        ]
    }

    fn peer(peer: &mut impl Peer) {
        peer.update(OUTER);
    }
}

fn main() {
    cases::run::<Update>();
}
