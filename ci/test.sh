#!/usr/bin/env bash
# The tests as .ci/run and the README run them, and the checks around them. Everything that is needed beyond Rust is
# installed here.
set -euo pipefail
cd "$(dirname "$0")/.."
step() { printf '\n== %s\n' "$*"; }

step "tests"
cargo test --workspace --all-features

step "formatting"
cargo fmt --all --check

step "clippy"
cargo clippy --workspace --all-targets --all-features -- -D warnings

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features

step "no_std: no feature, and each feature alone"
cargo build -p layout-core -p layout-mappings --no-default-features
for feature in std alloc rayon half wide serde store; do
    cargo check -p layout-dsl --no-default-features --features "$feature"
done

step "the minimum supported Rust version"
ci/msrv.sh
