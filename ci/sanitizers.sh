#!/usr/bin/env bash
# The tests under AddressSanitizer, and with struct layouts randomised; needs a nightly toolchain. The standard library is
# used as it is, so that memory errors are found in this workspace and its tests only. Then a small run of the store's
# threads under valgrind's DRD, which looks for races; needs valgrind.
#
# Without the compile-fail tests, whose messages are pinned for the stable compiler, and without those that compile or
# run something of their own.
set -euo pipefail
cd "$(dirname "$0")/.."
tests=(--lib --test derive --test fields --test columns --test mappings --test mapped_walks --test compositions --test composition_orders --test composed_walks --test compositions_input --test views --test parts --test walks --test parallel --test lanes --test two_runs --test copy --test copy_layouts --test attack --test bad_input --test llama_oracle --test lanes_type)
target=$(rustc -vV | sed -n 's/^host: //p')

# Those of stores: all but the models, which are no memory, and the compile-fail tests.
store=(--lib --test store --test bounded)

run() { # NAME RUSTFLAGS
    printf '\n== %s\n' "$1"
    CARGO_TARGET_DIR="target/$1" RUSTFLAGS="$2" cargo +nightly test -p layout-dsl --features rayon,check --target "$target" "${tests[@]}"
    CARGO_TARGET_DIR="target/$1" RUSTFLAGS="$2" cargo +nightly test -p layout-store -p layout-store-tests --target "$target" "${store[@]}"
    CARGO_TARGET_DIR="target/$1" RUSTFLAGS="$2" cargo +nightly test -p layout-interop --features arrow,dlpack --target "$target" --test interop_arrow --test interop_dlpack
}

# Leaks are no memory errors, and tests/mappings/mappings.rs leaks lists on purpose: a mapping is `Copy` and lives for ever.
export ASAN_OPTIONS=detect_leaks=0
# Copies are done by other instructions on other processors: by those of this one here.
run address-sanitizer "-Zsanitizer=address -Ctarget-cpu=native"
run randomized-layout "-Zrandomize-layout"

printf '\n== DRD\n'
built() { # NAME PACKAGE..
    local name=$1
    shift
    # Valgrind knows no AVX-512.
    CARGO_TARGET_DIR=target/drd RUSTFLAGS="-Ctarget-cpu=x86-64-v3 --cfg drd" cargo test "$@" --test "$name" --no-run --message-format=json |
        sed -n 's/.*"executable":"\([^"]*'"$name"'-[^"]*\)".*/\1/p'
}
program=$(built drd -p layout-store-tests)
drd() {
    valgrind --tool=drd --error-exitcode=1 --num-callers=40 --suppressions=ci/drd.supp "$program" "$@"
}
drd
{ drd --race 2>&1 || true; } | grep -Eq '(at|by) 0x.*race::unordered' || { echo "DRD does not see a race"; exit 1; }

# Of the races that DRD sees in the standard library's threads, none is in a view.
walks=$(CARGO_PROFILE_TEST_DEBUG=line-tables-only built two_runs -p layout-processor-tests)
valgrind --tool=drd --num-callers=40 "$walks" --exact elements_of_other_threads_are_not_read >target/drd/two_runs.txt 2>&1
grep -q '1 passed' target/drd/two_runs.txt
if grep -A40 Conflicting target/drd/two_runs.txt | grep -Eq '(at|by) 0x.*[(]((lanes_at|partial|words|walk)[.]rs|.*layout-core/src/view/)'; then
    cat target/drd/two_runs.txt
    exit 1
fi
