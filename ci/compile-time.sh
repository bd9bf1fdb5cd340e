#!/usr/bin/env bash
# CPU seconds to compile a crate with a record of 20, 100 and 400 leaves and a kernel over each leaf, by layout.
#
# The kernels are those of LLAMA's comptime example: for each leaf a function with a loop over all elements that sets it.
# With a word after the script's name, other kernels: `each` (for_each_mut over the slots of the whole record) or `field`
# (for_each_mut over the view of the leaf), without limits.
#
# Optimised (release), dependencies compiled before. Fails above 3 s at 100 leaves, where 400 leaves take more than 5
# times as long as 100, or more than twice as long as AoS.
set -euo pipefail
form=${1:-at}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR="$work/target"

mkdir -p "$work/src"
cat > "$work/Cargo.toml" <<EOF
[package]
name = "generated"
version = "0.0.0"
edition = "2024"

[dependencies]
layout-dsl = { path = "$root" }

[workspace]
EOF
cp "$root/Cargo.lock" "$work/Cargo.lock"

# A record of LEAVES leaves in groups of ten, as a detector event or a lattice cell has them, and for each leaf a
# kernel: a loop over all elements that changes it.
generate() { # LEAVES LAYOUT
    local leaves=$1 layout=$2 group leaf type types=(f32 f64 i32 u8 u16 i64 f32 f64 u32 i16)
    {
        echo "use layout::*;"
        for ((group = 0; group < leaves / 10; group++)); do
            echo "#[derive(Clone, Copy, Record)] pub struct Group$group {"
            for ((leaf = 0; leaf < 10; leaf++)); do echo "    pub leaf$leaf: ${types[$leaf]},"; done
            echo "}"
        done
        echo "#[derive(Clone, Copy, Record)] pub struct Event {"
        for ((group = 0; group < leaves / 10; group++)); do echo "    pub group$group: Group$group,"; done
        echo "}"
        echo "pub type Events = Owned<Mapped<Event, extents!(type dyn), $layout>>;"
        for ((group = 0; group < leaves / 10; group++)); do
            for ((leaf = 0; leaf < 10; leaf++)); do
                type=${types[$leaf]}
                echo "pub fn kernel_${group}_$leaf(events: &mut Events) {"
                case $form in
                at) echo "    for i in 0..events.len() { events.at_mut(i).group$group.leaf$leaf.set(1 as $type); }" ;;
                each) echo "    events.for_each_mut(|mut e| e.group$group.leaf$leaf.set(1 as $type));" ;;
                field) echo "    events.field_mut(Event::PATHS.group$group.leaf$leaf).for_each_mut(|mut v| v.set(1 as $type));" ;;
                *) echo "unknown form '$form': at, each or field" >&2; exit 2 ;;
                esac
                echo "}"
            done
        done
    } > "$work/src/lib.rs"
}

# CPU seconds (user and system) of a command, in hundredths.
cpu() {
    local TIMEFORMAT='%U %S' out
    out=$( { time "$@" >/dev/null 2>"$work/errors"; } 2>&1 ) || { cat "$work/errors" >&2; exit 1; }
    awk '{ printf "%d", ($1 + $2) * 100 + 0.5 }' <<<"$out"
}

generate 20 SoA
(cd "$work" && cargo build --release >/dev/null 2>"$work/errors") || { cat "$work/errors" >&2; exit 1; }

failed=0
layouts=(
    AoS SoA 'AoSoA<8>'
    'Split<path!(Event, group0), SoA, AoS>' 'Split<path!(Event, group0), SoA, SoA, FusedBlobs>'
    'Split<path!(Event, group0), SoA, Split<path!(Event, group1), AoSoA<8>, Null>>'
    'Byteswap<AoS>' 'Bytesplit<SoA>' 'ChangeType<SoA, f64, f32>'
)
printf '%-77s %10s %10s %10s %10s %10s\n' layout "20 leaves" "100 leaves" "400 leaves" "400 by 100" "by AoS"
for layout in "${layouts[@]}"; do
    times=()
    for leaves in 20 100 400; do
        generate "$leaves" "$layout"
        times+=("$(cd "$work" && cpu cargo rustc --release --lib)")
    done
    ratio=$(( times[2] * 100 / times[1] ))
    [ "$layout" = AoS ] && aos=${times[2]}
    by_aos=$(( times[2] * 100 / aos ))
    printf '%-77s %7d.%02d %7d.%02d %7d.%02d %7d.%02d %7d.%02d' "$layout" \
        $((times[0] / 100)) $((times[0] % 100)) $((times[1] / 100)) $((times[1] % 100)) \
        $((times[2] / 100)) $((times[2] % 100)) $((ratio / 100)) $((ratio % 100)) \
        $((by_aos / 100)) $((by_aos % 100))
    if ((by_aos > 200)); then printf '   EXCEEDS twice AoS'; failed=1; fi
    if [ "$form" = at ] && ((times[1] > 300 || ratio > 500)); then printf '   EXCEEDS 3 s at 100 or 5 times'; failed=1; fi
    echo
done
exit $failed
