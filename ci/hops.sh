#!/usr/bin/env bash
# How far a reader walks in a debugger for one value: the functions of this repository that `view.at(i).mass.get()` enters,
# step by step, in a build without optimization. Needs gdb.
#
# Prints the number of hops (functions entered), of files and of traits for AoS, SoA and AoSoA<8>, then the items of the
# contract of layouts and the lines of core and mappings. With a layout as argument, its hops one by one.
#
# Fails if a layout has another number than is expected, so that what ARCHITECTURE.md says of them stays true; the goal is 15. SoA
# asks for the number of positions with its padding, AoSoA for the block.
set -euo pipefail
shown=${1:-}
declare -A expected=([AoS]=15 [SoA]=20 ['AoSoA<8>']=17)
root=$(cd "$(dirname "$0")/.." && pwd)
command -v gdb >/dev/null || { echo "hops: gdb is not installed" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR=${HOPS_TARGET:-$work/target}

mkdir -p "$work/src"
cat > "$work/Cargo.toml" <<TOML
[package]
name = "hops"
version = "0.0.0"
edition = "2024"

[dependencies]
layout-dsl = { path = "$root", default-features = false, features = ["alloc"] }

[workspace]
TOML
cp "$root/Cargo.lock" "$work/Cargo.lock"
cat > "$work/src/main.rs" <<'RUST'
use layout::prelude::*;

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Vec3 { x: f32, y: f32, z: f32 }

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Particle { pos: Vec3, vel: Vec3, mass: f32 }

macro_rules! walks {
    ($($name:ident $layout:ty),+) => {$(
        #[inline(never)]
        fn $name(view: &Owned<Mapped<Particle, extents!(type dyn), $layout>>, i: usize) -> f32 {
            view.at(i).mass.get()
        }
    )+};
}

walks! { walked_aos AoS, walked_soa SoA, walked_aosoa AoSoA<8> }

fn main() {
    fn view<L: RecordLayout<Particle> + Default>() -> Owned<Mapped<Particle, extents!(type dyn), L>> {
        alloc_from_fn(100, |_| Particle { mass: 2.0, ..Particle::default() }).unwrap()
    }
    let value = match std::env::args().nth(1).as_deref() {
        Some("AoS") => walked_aos(&view(), 42),
        Some("SoA") => walked_soa(&view(), 42),
        _ => walked_aosoa(&view(), 42),
    };
    assert_eq!(value, 2.0);
}
RUST
(cd "$work" && cargo build --quiet)

cat > "$work/step.py" <<'PYTHON'
import os, re, subprocess
import gdb

root, shown = os.environ["HOPS_ROOT"], os.environ["HOPS_SHOWN"]
gdb.execute("set pagination off")
gdb.execute("set debuginfod enabled off")
for name in "aos", "soa", "aosoa":
    gdb.execute(f"break hops::walked_{name}", to_string=True)
gdb.execute("run", to_string=True)

def short(name):
    """Without the hash that tells the instances of a generic function apart."""
    return re.sub(r"17h[0-9a-f]{16}E$", "", name)

def frames():
    frame, found = gdb.newest_frame(), []
    while frame is not None and frame.is_valid():
        function = frame.function()
        found.append((function, frame.find_sal()))
        if function is not None and (function.name or "").startswith("hops::walked_"):
            return found[::-1]
        frame = frame.older()
    return None

def name_of(function):
    return function.linkage_name or function.name or "" if function is not None else ""

hops, seen, before = [], set(), []
while True:
    gdb.execute("step", to_string=True)
    stack = frames()
    if stack is None:
        break
    stack = [(name_of(function), place) for function, place in stack]
    # What is on the stack now and was not before: one function may follow another within a line.
    same = 0
    while same < min(len(before), len(stack)) and before[same] == stack[same][0]:
        same += 1
    for depth in range(max(same, 1), len(stack)):
        name, place = stack[depth]
        file = place.symtab.filename if place.symtab is not None else ""
        # A reader goes through a function once.
        if file.startswith(root) and short(name) not in seen:
            seen.add(short(name))
            hops.append((name, file[len(root) + 1:], depth))
    before = [name for name, _ in stack]

names = subprocess.run(["c++filt"], input="\n".join(h[0] for h in hops), text=True, capture_output=True).stdout.splitlines()
files = {h[1] for h in hops}
traits = set()
for name in names:
    traits.update(re.findall(r" as ([A-Za-z0-9_:]+)", name.split(">::")[0] if name.startswith("<") else ""))
if shown:
    for (_, file, depth), name in zip(hops, names):
        print("  " * depth + re.sub(r"::h[0-9a-f]{16}$", "", name)[:150], " ", file)
print(f"HOPS {len(hops)} {len(files)} {len(traits)}")
gdb.execute("kill", to_string=True)
PYTHON

failed=0
for layout in ${shown:-AoS SoA 'AoSoA<8>'}; do
    counts=$(HOPS_ROOT="$root" HOPS_SHOWN="$shown" gdb -nx -batch -x "$work/step.py" --args "$CARGO_TARGET_DIR/debug/hops" "$layout" 2>/dev/null)
    [ -n "$shown" ] && grep -v '^HOPS' <<<"$counts"
    read -r _ hops files traits < <(grep '^HOPS' <<<"$counts") || { echo "hops: gdb cannot run the program" >&2; exit 2; }
    printf '%-10s %3d hops in %2d files and %2d traits' "$layout" "$hops" "$files" "$traits"
    if ((hops != expected[$layout])); then printf '   %d are expected' "${expected[$layout]}"; failed=1; fi
    echo
done

# Items are what stands one level deep between the braces of the trait.
items() { # FILE TRAIT
    awk -v trait="pub unsafe trait $2<" 'index($0, trait) == 1 { inside = 1 } inside && /^}/ { exit }
        inside && /^    (type|const|fn|unsafe fn) / { items += 1 } END { print items + 0 }' "$root/$1"
}
printf 'contract   %3d items of placement, %d of codecs\n' \
    "$(items layout-core/src/mapping/layout.rs RecordLayout)" "$(items layout-core/src/mapping/codec.rs Codec 2>/dev/null || echo 0)"
printf 'traits     %3d in core, %d in mappings\n' \
    "$(cd "$root" && git ls-files 'layout-core/src/*.rs' | xargs grep -hE '^ *pub (unsafe )?trait ' | wc -l)" \
    "$(cd "$root" && git ls-files 'layout-mappings/src/*.rs' | xargs grep -hE '^ *pub (unsafe )?trait ' | wc -l)"
printf 'lines    %5d of core and mappings\n' \
    "$(cd "$root" && git ls-files 'layout-core/src/*.rs' 'layout-mappings/src/*.rs' | xargs cat | wc -l)"
exit $failed
