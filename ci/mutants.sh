#!/usr/bin/env bash
# Small changes of meaning (mutations), each of which must make a test fail. By hand, room by room, and again: what was found in a
# run before is not run again. All mutations of a room are in one build (ci/mutants), so that one takes as long as its tests:
# a second or two, and a minute or two if it survives.
#
#   ci/mutants.sh ROOM
#
# Results lie in target/mutants/ROOM: `survivors.txt` is the list of those that survived, and `left_out.txt` of those that cannot be
# branches of a program, most of them in constants; one of these goes by itself, in a minute or more:
#
#   cargo mutants --workspace --file FILE --re 'LINE:COLUMN' --test-package PACKAGE -- --test TEST
set -euo pipefail
cd "$(dirname "$0")/.."

core=(-p layout-dsl --all-features --test)
store=(-p layout-store -p layout-store-tests --lib --test store --test planner --test indirect --test instances --test limits --test orders --test emitted)
room=${1:?"one of: container copy walk view mapping mappings domain array geometry graph partition locale order"}
case $room in
    container) files=('layout-core/src/container/**' layout-core/src/view/fill.rs layout-core/src/blob/heap.rs)
               tests=("${core[@]}" containers) ;;
    copy) files=('layout-core/src/view/copy/**')
          tests=("${core[@]}" copy --test edges) ;;
    walk) files=(layout-core/src/view/{walk,rows,elements,cursor,iterate,zip,lanes,lanes_at,opened,partial}.rs
                 'layout-core/src/view/interleaved/**' 'layout-core/src/view/parallel/**')
          tests=(-p layout-core --lib "${core[@]}" views --test parts --test walks --test lanes --test two_runs --test edges --test containers
                 --test mapped_walks) ;;
    view) files=(layout-core/src/view/{access,atomic,bulk,bytes,column,index,mod,observe,own,raw,slice,split}.rs)
          tests=("${core[@]}" views --test parts --test bytes --test instruments --test bad_input --test bit_packed) ;;
    mapping) files=('layout-core/src/mapping/**' 'layout-core/src/linearization/**' 'layout-core/src/extents/**')
             tests=(-p layout-core --lib -p layout-dsl --all-features --test places --test views --test parts --test bytes
                    --test mappings --test bit_packed --test mapped_walks --test compositions_input --test bad_input) ;;
    mappings) files=('layout-mappings/src/**')
              tests=("${core[@]}" places --test mappings --test bit_packed --test compositions --test compositions_input
                     --test composition_orders --test composed_walks --test llama_oracle) ;;
    domain) files=('layout-domain/src/**')
            tests=(-p layout-domain -p layout-array --test domains --test maps --test sparse --test chapel_oracle) ;;
    array) files=('layout-array/src/**')
           tests=(-p layout-array --test array --test chapel_oracle) ;;
    geometry | graph | partition | locale) files=("layout-store/src/$room/**") tests=("${store[@]}") ;;
    order) files=(layout-store/src/task/order.rs) tests=("${store[@]}") ;;
    *) echo "no such room: $room" >&2; exit 2 ;;
esac

cargo mutants --version > /dev/null 2>&1 || cargo install cargo-mutants --locked
work=target/mutants/$room
mkdir -p "$work"
globs=()
for file in "${files[@]}"; do globs+=(--file "$file"); done
cargo mutants --workspace "${globs[@]}" --list --json > "$work/list.json"
# Fewer random programs: what survives is worth a run with all of them.
LAYOUT_STORE_CASES=${LAYOUT_STORE_CASES:-20} nice cargo run --release --manifest-path ci/mutants/Cargo.toml \
    --target-dir target/mutants/tool -- "$work" "$work/list.json" "${tests[@]}"
