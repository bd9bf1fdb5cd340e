#!/usr/bin/env bash
# Instructions of each kernel over views, divided by those of the loop written by hand, counted by valgrind.
#
# Counts do not depend on what else the machine does. The target is x86-64-v3, since valgrind knows no AVX-512.
# A kernel's count is the difference between 3 repetitions and 1, so that set-up drops out.
#
# Fails where a kernel that has a limit exceeds it.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { apt-get update -qq && apt-get install -y -qq valgrind >/dev/null; }

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/counts"
export RUSTFLAGS="-Ctarget-cpu=x86-64-v3"
program=$(cargo bench --no-run --bench counts 2>&1 | sed -n 's/.*Executable.*(\(.*\))/\1/p')
[ -x "$program" ] || { echo "the counts program did not build" >&2; exit 1; }

count() { # KERNEL WHO REPETITIONS
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

failed=0
row() { # KERNEL LIMIT-IN-PERCENT ("-" for none)
    local view hand ratio verdict=""
    view=$(( ($(count "$1" view 3) - $(count "$1" view 1)) / 2 ))
    hand=$(( ($(count "$1" hand 3) - $(count "$1" hand 1)) / 2 ))
    ratio=$(( (view * 10000 + hand / 2) / hand ))
    if [ "$2" != - ] && [ "$ratio" -gt $(( $2 * 100 )) ]; then
        verdict="  EXCEEDS $2 %"
        failed=1
    fi
    printf '%-22s %12d %12d %6d.%02d %%%s\n' "$1" "$view" "$hand" $((ratio / 100)) $((ratio % 100)) "$verdict"
}

printf '%-22s %12s %12s %9s\n' kernel view hand ratio
for layout in AoS SoA AoSoA8 AoSoA16 AoSoA32; do
    for kernel in update_loop update_lanes move_loop move_lanes; do
        limit=-
        case $layout/$kernel in
        AoS/update_loop | SoA/*_loop | *oA*/update_lanes | SoA/move_lanes) limit=102 ;;
        esac
        row "$layout/$kernel" $limit
    done
done
row stencil/dynamic 102
row stencil/static 102
exit $failed
