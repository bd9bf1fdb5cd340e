#!/usr/bin/env bash
# What can be checked of the minimum supported Rust version without that toolchain: no dependency of the library asks
# for a newer one, and clippy knows of no newer standard library item in use. With the toolchain, it builds too.
set -euo pipefail
cd "$(dirname "$0")/.."
msrv=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

older_or_equal() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }
cargo metadata --format-version 1 --all-features --filter-platform x86_64-unknown-linux-gnu >/dev/null
while read -r name version; do
    asks=$(cargo info --offline "$name@$version" 2>/dev/null | sed -n 's/^rust-version: \([0-9.]*\).*/\1/p')
    if [ -n "$asks" ] && ! older_or_equal "$asks" "$msrv"; then
        echo "$name $version asks for Rust $asks, and Cargo.toml promises $msrv" >&2
        exit 1
    fi
done < <(cargo tree -p layout-dsl --all-features -e normal --prefix none --format '{p}' |
    sed -n 's/^\([^ ]*\) v\([^ ]*\).*/\1 \2/p' | grep -v '^layout-' | sort -u)

cargo clippy -p layout-core -p layout-mappings -p layout-derive -p layout-dsl --all-features -- -D clippy::incompatible_msrv

if rustup toolchain list 2>/dev/null | grep -q "^$msrv"; then
    cargo "+$msrv" check -p layout-dsl --all-features
else
    echo "no toolchain $msrv here: checked dependencies and standard library items only"
fi
