#!/usr/bin/env bash
# Small changes of meaning (mutations), each of which must make a test fail. By hand: hours of CPU time, in rooms that can be
# run one by one, and again: what was found in a run before is not run again.
#
#   ci/mutants.sh ROOM [arguments of cargo mutants, such as --shard 0/4]
#
# `geometry` and `graph` are rooms of the store: each is built as a package of its own with the rooms below it, and tested by
# the tests that are in it, in a few seconds a mutation.
#
# Results lie in target/mutants/ROOM/mutants.out: `missed.txt` is the list of those that survived.
set -euo pipefail
cd "$(dirname "$0")/.."

room=${1:?"one of: container copy walk view mapping mappings geometry graph"}
shift
case $room in
    container) files=('layout-core/src/container/**' layout-core/src/view/fill.rs layout-core/src/blob/heap.rs)
               tests=(containers) ;;
    copy) files=('layout-core/src/view/copy/**')
          tests=(copy edges) ;;
    walk) files=(layout-core/src/view/{walk,rows,elements,cursor,iterate,zip,lanes,lanes_at,opened}.rs
                 'layout-core/src/view/parallel/**')
          tests=(views parts walks edges) ;;
    view) files=(layout-core/src/view/{access,atomic,bulk,bytes,column,index,instrument,mod,own,raw,slice,split}.rs)
          tests=(views parts bytes instruments bad_input) ;;
    mapping) files=('layout-core/src/mapping/**' 'layout-core/src/linearization/**' 'layout-core/src/extents/**')
             tests=(views mappings mapped_walks bad_input) ;;
    mappings) files=('layout-mappings/src/**')
              tests=(mappings bit_packed compositions composition_orders composed_walks llama_oracle) ;;
    geometry) rooms=(geometry) ;;
    graph) rooms=(geometry graph) ;;
    *) echo "no such room: $room" >&2; exit 2 ;;
esac

if [[ -v rooms ]]; then
    folder=target/mutants/$room/package
    rm -rf "$folder" && mkdir -p "$folder/src"
    cp -r layout-store/src/sync.rs "${rooms[@]/#/layout-store/src/}" "$folder/src"
    {
        echo '#![allow(warnings)]'
        printf 'mod %s;\n' sync "${rooms[@]}"
    } > "$folder/src/lib.rs"
    cat > "$folder/Cargo.toml" << END
[package]
name = "room"
version = "0.0.0"
edition = "2024"
[dependencies]
layout-core = { path = "$PWD/layout-core", features = ["std"] }
parking_lot = "0.12"
rayon = "1.12"
smallvec = "1.15"
thiserror = "2.0"
[dev-dependencies]
proptest = "1.12"
[profile.test]
debug = 0
[workspace]
END
    cp Cargo.lock "$folder"
    # `boxes` is tested here; the other files of `geometry` are by the tests of the store.
    # Survivors of `graph` that change costs and no result: in tiles.rs up to how many boxes are looked through one by one; in uses.rs
    # of how many uses each tile looks for its own (`order`), and when done uses are looked for (`push`).
    [[ $room == graph ]] && files=(src/graph/{overlaps,pool,tiles,uses,written}.rs) || files=(src/geometry/{boxes,marks,runs}.rs)
    globs=()
    for file in "${files[@]}"; do globs+=(--file "$file"); done
    exec cargo mutants --dir "$folder" "${globs[@]}" --output "target/mutants/$room" --iterate --timeout 60 --no-shuffle \
        --gitignore=false "$@" -- --lib
fi

cargo mutants --version > /dev/null 2>&1 || cargo install cargo-mutants --locked
only=()
for test in "${tests[@]}"; do only+=(--test "$test"); done
globs=()
for file in "${files[@]}"; do globs+=(--file "$file"); done
# A mutation may loop for ever: the limit is for the tests alone.
exec cargo mutants --workspace "${globs[@]}" --output "target/mutants/$room" --iterate --baseline=skip --timeout 60 \
    --no-shuffle --test-package layout-dsl --all-features "$@" -- "${only[@]}"
