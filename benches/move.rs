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
use hand::{Hand, widths};
use kernels::{Particle, move_lanes, move_loop};
use layout::{RecordLayout, most_lanes};
use peers::Peer;

struct Move;

impl Kernel for Move {
    const NAME: &str = "move";

    fn cases<L: RecordLayout<Particle> + Default, H: Hand + 'static>() -> Vec<Case<L, H>> {
        let plain = Case { access: "loop", view: |view| move_loop(view), hand: Box::new(H::move_loop) };
        // One vector at a time: a move has no use for two.
        let lanes = widths::<H>().into_iter().step_by(2).map(|width| Case {
            access: width.name,
            view: |view| move_lanes::<{ most_lanes::<Particle>() }, _, _>(view),
            hand: Box::new(width.shift),
        });
        [plain].into_iter().chain(lanes).collect()
    }

    fn peer(peer: &mut impl Peer) {
        peer.advance();
    }
}

fn main() {
    cases::run::<Move>();
}
