//! Tells the crate, as `cfg(unoptimized)`, that it is compiled without optimization.
//!
//! Such builds inline what is marked `inline(always)`, and simplify nothing. So the bodies of walks and copies are marked only in builds with
//! optimization: without, they would be in machine code two to four times, and programs take twice as long to compile.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(unoptimized)");
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimized");
    }
}
