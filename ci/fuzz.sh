#!/usr/bin/env bash
# Fuzz targets of what the library reads from outside: `ci/fuzz.sh [--address] [SECONDS [TARGET...]]`, 60 seconds for each target if nothing
# else is said. `--address` adds AddressSanitizer, for the views that are made over bytes of others: its build takes several times longer.
# Needs a nightly toolchain, a C++ compiler and `cargo install cargo-fuzz`.
#
# Targets begin with valid files, which they make themselves. What libFuzzer finds on the way stays in target/fuzz/corpus, and an input that
# fails in target/fuzz/artifacts. `cargo +nightly fuzz run --fuzz-dir ci/fuzz -s none TARGET FILE` runs that input alone.
set -euo pipefail
cd "$(dirname "$0")/.."
sanitizer=none
if [[ ${1:-} == --address ]]; then
    sanitizer=address
    shift
fi
seconds=${1:-60}
shift || true
targets=("$@")
if ((${#targets[@]} == 0)); then
    targets=(npy npz arrow_batches arrow_file zarr_group checkpoint dlpack)
fi
command -v cargo-fuzz >/dev/null || { echo "cargo-fuzz is missing: cargo install cargo-fuzz"; exit 1; }

# With one set of features, dependencies are compiled once.
features=()
if [[ " ${targets[*]} " =~ \ (zarr_group|checkpoint)\  ]]; then
    features=(--features zarr)
fi
# The two builds do not replace each other.
export CARGO_TARGET_DIR="$PWD/target/fuzz/$sanitizer"
# The mappings of a test are leaked on purpose, and readers of other crates keep caches.
export ASAN_OPTIONS=detect_leaks=0
for target in "${targets[@]}"; do
    printf '\n== %s\n' "$target"
    corpus="target/fuzz/corpus/$target" artifacts="target/fuzz/artifacts/$target/"
    mkdir -p "$corpus" "$artifacts"
    # Allocations are limited by the allocator of the targets (ci/fuzz/src/limited.rs).
    cargo +nightly fuzz run --fuzz-dir ci/fuzz -s "$sanitizer" "${features[@]}" "$target" "$corpus" -- \
        -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=20 -artifact_prefix="$artifacts" -print_final_stats=1
done
