//! Positions of all particles after one time step: each layout through views, by hand, and in other crates.
//!
//! `cargo bench --bench move`; with `-- ratio`, only the ratios of views to hand-written loops.

#![expect(dead_code, reason = "the kernels of the n-body example are shared, and the updates are timed elsewhere")]

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
use kernels::{Particle, move_lanes, move_loop};
use layout::RecordLayout;
use peers::Peer;

struct Move;

impl Kernel for Move {
    const NAME: &str = "move";

    fn cases<L: RecordLayout<Particle> + Default, H: Hand>() -> [Case<L, H>; 2] {
        [
            Case { access: "loop", view: |view| move_loop(view), hand: |hand| hand.move_loop() },
            Case { access: "lanes", view: |view| move_lanes(view), hand: |hand| hand.move_lanes() },
        ]
    }

    fn peer(peer: &mut impl Peer) {
        peer.advance();
    }
}

fn main() {
    cases::run::<Move>();
}
