#!/usr/bin/env bash
# Bytes of constant data and relocations for each leaf of a record, by layout, in a release binary.
#
# The program makes a view, writes an element, checks all leaves and copies to SoA: it uses the tables of its record and
# layout at run time. Compared are records of 33 leaves and of 129, for which tables have 64 and 256 entries: nearly
# twice the record's length, which is the most. What a program has anyway, and what it has for each type, cancels out.
#
# Fails above 110 bytes or 4 relocations a leaf. Of these, 32 bytes and 2 relocations are the field's name and place
# (`FieldNode`). A codegen unit that uses a constant has a copy of it, so the program is one unit.
set -euo pipefail
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

[profile.release]
codegen-units = 1

[workspace]
EOF
cp "$root/Cargo.lock" "$work/Cargo.lock"

generate() { # LEAVES LAYOUT
    local leaf types=(f32 f64 i32 bool u16 char f32 f64 u32 i16)
    {
        echo "use layout::prelude::*; use layout::*;"
        echo "#[derive(Clone, Copy, Record)] struct Event {"
        for ((leaf = 0; leaf < $1; leaf++)); do echo "    f$leaf: ${types[$((leaf % 10))]},"; done
        echo "}"
        echo "fn main() -> Result<(), ViewError> {"
        echo "    let len = std::env::args().count();"
        echo "    let mut view = alloc::<Event, $2, _>(len)?;"
        echo "    view.for_each_mut(|mut e| e.f0.set(1.0));"
        echo "    let mut copy = alloc::<Event, SoA, _>(len)?;"
        echo "    copy.copy_from(&view).ok();"
        echo "    println!(\"{} {:?}\", copy.at(0).f0.get(), view.mapping().place_of([0], len));"
        echo "    Ok(())"
        echo "}"
    } > "$work/src/main.rs"
}

# Bytes of constants, and relocations, of the binary.
measure() { # LEAVES LAYOUT
    generate "$@"
    (cd "$work" && cargo build --release >/dev/null 2>"$work/errors") || { cat "$work/errors" >&2; exit 1; }
    readelf -SW "$work/target/release/generated" | awk '
        function number(hex,  i, n) { for (i = 1; i <= length(hex); i++) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
        { sub(/^ *\[ *[0-9]+\]/, "") }
        $1 == ".rodata" || $1 == ".data.rel.ro" { data += number($5) }
        $1 == ".rela.dyn" { relocations = number($5) / 24 }
        END { print data, relocations }'
}

failed=0
printf '%-40s %15s %20s\n' layout "bytes a leaf" "relocations a leaf"
for layout in AoS SoA 'AoSoA<8>' 'Split<path!(Event, f0), SoA, AoS>' 'ChangeType<SoA, f64, f32>'; do
    few=($(measure 33 "$layout"))
    many=($(measure 129 "$layout"))
    bytes=$(( (many[0] - few[0]) / 96 )) relocations=$(( (many[1] - few[1]) * 10 / 96 ))
    printf '%-40s %15d %18d.%d' "$layout" "$bytes" $((relocations / 10)) $((relocations % 10))
    if ((bytes > 110 || relocations > 40)); then printf '   EXCEEDS 110 bytes or 4 relocations'; failed=1; fi
    echo
done
exit $failed
