//! Programs that run on simulated and on real ranks, with the arguments of kernels: `stencil` and `heat`; and `messages` and `fences`, which
//! measure.

use std::process::ExitCode;

use prk::Kernel;

mod fences;
mod heat;
mod messages;
#[expect(dead_code, reason = "it is a program with a `main` of its own")]
#[path = "../../../examples/prk/stencil.rs"]
mod stencil;

const PROGRAMS: [(&str, &Kernel); 4] = [
    ("stencil", &stencil::KERNEL),
    ("heat", &heat::KERNEL),
    ("messages", &messages::KERNEL),
    ("fences", &fences::KERNEL),
];

/// Runs the program that the first argument names.
pub fn program(arguments: &[String]) -> ExitCode {
    let named = arguments.split_first().and_then(|(given, rest)| {
        let (_, kernel) = PROGRAMS.iter().find(|(name, _)| name == given)?;
        Some((kernel, rest))
    });
    match named {
        Some((kernel, rest)) => prk::given(kernel, rest),
        None => prk::refused("no such program", "stencil|heat|messages|fences <arguments>"),
    }
}

/// A rank that SimGrid starts.
#[cfg(feature = "simgrid")]
mod rank {
    // SAFETY: `rank.c` has these functions, with these types, and they may be called at any time.
    unsafe extern "C" {
        safe fn rank_begins();
        safe fn rank_ends();
        safe fn rank_computes(operations: f64);
    }

    // SAFETY: a library has no other `main`.
    #[unsafe(no_mangle)]
    extern "C" fn main() -> core::ffi::c_int {
        rank_begins();
        let _ = prk::COUNTER.set(|operations| rank_computes(operations));
        // The arguments are those of the simulator. Its last one is the platform; those of the program follow.
        let simulator = std::env::args().skip_while(|argument| !argument.ends_with(".xml"));
        let _ = super::program(&simulator.skip(1).collect::<Vec<_>>());
        rank_ends();
        0
    }
}
