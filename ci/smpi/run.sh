#!/usr/bin/env bash
# Scaling past this machine: programs of layout on ranks that SimGrid simulates, beside a stencil in C. README.md explains the figures.
#
#   ci/smpi/run.sh              computation at a rate that is measured once on this machine
#   ci/smpi/run.sh measured     computation as it is measured in the simulation; for a machine where nothing else runs
#
# MOST=64 simulates 64 ranks at most (4096), ORDER=2048 a smaller grid (8192), ITERATIONS=5 fewer iterations (10).
set -euo pipefail
cd "$(dirname "$0")"
mode=${1:-rates} most=${MOST:-4096} order=${ORDER:-8192} iterations=${ITERATIONS:-10} tile=192
work=$(realpath -m "${CARGO_TARGET_DIR:-../../target}/smpi")
[[ $mode == rates || $mode == measured ]] || { echo "smpi: measured, or nothing" >&2; exit 2; }

for tool in smpicc:libsimgrid-dev smpirun:libsimgrid-dev mpicc.openmpi:libopenmpi-dev mpirun.openmpi:openmpi-bin; do
    command -v "${tool%:*}" > /dev/null || missing+=" ${tool#*:}"
done
if [[ -n ${missing:-} ]]; then
    echo "smpi: install$missing, and libclang-dev (Debian packages)" >&2
    exit 2
fi

# --- Build ---

# The crate for SimGrid, whose communicators are values of a running program, and whose header differs in two places.
version=0.2.4
cargo fetch --quiet
for crate in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/mpi-sys-$version; do :; done
[[ -d $crate ]] || { echo "smpi: there is no mpi-sys $version among the crates that cargo has fetched" >&2; exit 2; }
rm -rf "$work/mpi-sys"
mkdir -p "$work"
cp -r "$crate" "$work/mpi-sys"
sed -i 's/^extern const MPI_Comm RSMPI_COMM_\(WORLD\|SELF\);/extern MPI_Comm RSMPI_COMM_\1;/' "$work/mpi-sys/src/rsmpi.h"
sed -i 's/^const MPI_Comm RSMPI_COMM_\(WORLD\|SELF\) = .*/MPI_Comm RSMPI_COMM_\1;/' "$work/mpi-sys/src/rsmpi.c"
cat >> "$work/mpi-sys/src/rsmpi.c" <<'C'

/* RSMPI_COMM_SELF is not set: a rank has none before it runs. */
__attribute__((constructor)) static void communicators(void) {
  RSMPI_COMM_WORLD = MPI_COMM_WORLD;
}
C
sed -i 's/\.header("src\/rsmpi\.h")/&.blocklist_function("MPI_Comm_spawn_multiple")/' "$work/mpi-sys/build.rs"
cat >> "$work/mpi-sys/src/lib.rs" <<'RUST'

pub const MPI_SUCCESS: u32 = 0;

extern "C" {
    pub fn MPI_Comm_spawn_multiple(
        count: std::ffi::c_int,
        commands: *mut *mut std::ffi::c_char,
        arguments: *mut *mut *mut std::ffi::c_char,
        processes: *const std::ffi::c_int,
        infos: *const MPI_Info,
        root: std::ffi::c_int,
        comm: MPI_Comm,
        intercomm: *mut MPI_Comm,
        errors: *mut std::ffi::c_int,
    ) -> std::ffi::c_int;
}
RUST

export RUSTFLAGS="-C target-cpu=native" CARGO_INCREMENTAL=0
flags=(-O3 -march=native -Wall -Wextra)
smpicc -DSIMULATED -DSMPI_NO_OVERRIDE_MALLOC "${flags[@]}" stencil.c -o "$work/stencil.so" -lm
mpicc.openmpi "${flags[@]}" stencil.c -o "$work/stencil" -lm
cc -c -fPIC "${flags[@]}" rank.c -o "$work/rank.o"
MPICC=mpicc.openmpi cargo build --quiet --release --bin real --target-dir "$work/real"
MPICC=smpicc cargo rustc --quiet --release --lib --crate-type cdylib --features simgrid --target-dir "$work/simulated" \
    --config "patch.crates-io.mpi-sys.path='$work/mpi-sys'" -- -C "link-arg=$work/rank.o" -C link-arg=-lsimgrid 2> "$work/log" ||
    { cat "$work/log" >&2; exit 1; }
real=$work/real/release/real
export RANK_LIBRARY=$work/simulated/release/libsimulated.so

# 4096 machines, each with one processor of 10 Gflop/s and a link of 12.5 GB/s and 1 us.
cat > "$work/platform.xml" <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node" suffix="" radical="0-4095" speed="10Gf" bw="12.5GBps" lat="1us"/>
</platform>
XML
printf 'node%d\n' {0..4095} > "$work/hosts"

# --- Runs ---

# The seconds of an iteration, in the output of a program that validates.
seconds() {
    grep -q '^Solution validates' "$1" || { cat "$1" >&2; echo "smpi: a program does not validate" >&2; exit 1; }
    sed -n 's/.*Avg time (s): *//p' "$1"
}

# RANKS PROGRAM...: the seconds of an iteration on simulated ranks.
simulated() {
    local ranks=$1 measures=yes
    shift
    [[ $mode == measured ]] || measures=no
    smpirun -np "$ranks" -platform "$work/platform.xml" -hostfile "$work/hosts" --log=root.thresh:error \
        --cfg=smpi/host-speed:10Gf --cfg=smpi/simulate-computation:$measures --cfg=smpi/test:0 \
        --cfg=smpi/async-small-thresh:65536 "$@" > "$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
    seconds "$work/out"
}

# REPEATS RANKS PROGRAM...: the seconds of an iteration on real ranks, the best of so many runs. Ranks have no threads of their own, as in the
# simulation.
real() {
    local repeats=$1 ranks=$2
    shift 2
    for ((i = 0; i < repeats; i++)); do
        SMPI_GLOBAL_SIZE=$ranks OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
            OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none \
            mpirun.openmpi -n "$ranks" "$@" > "$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
        seconds "$work/out"
    done | sort -g | head -n 1
}

calc() { awk "BEGIN { printf(\"%.6g\", ($1)) }"; }

# The costs of one program: of an operation, by its real run on one rank; of a task, by runs with little to compute, whose computation is that
# of the run in C on one rank; of a message, by how much longer steps take with four more of them, on 2 ranks, less what their tasks take on
# one; of a message about the program, by fences on 2 ranks, of which each is two. A message of the C program is what its exchange takes.
small=96 c_program=("$work/stencil") r_program=("$real" stencil) h_program=("$real" heat) m_program=("$real" messages)
operations() { # FLOPS ORDER RIM: of an iteration
    calc "$1 * ($2 - $3) ^ 2"
}
large=$(operations 19 "$order" 4)
c_real=("$(real 5 1 "${c_program[@]}" "$iterations" "$order")" "$(real 5 2 "${c_program[@]}" "$iterations" "$order")")
r_real=("$(real 5 1 "${r_program[@]}" "$iterations" "$order")" "$(real 5 2 "${r_program[@]}" "$iterations" "$order")")
h_real=("$(real 5 1 "${h_program[@]}" "$iterations" "$order")" "$(real 5 2 "${h_program[@]}" "$iterations" "$order")")
c_operation=$(calc "${c_real[0]} / $large") r_operation=$(calc "${r_real[0]} / $large")
h_operation=$(calc "${h_real[0]} / $(operations 7 "$order" 2)")
positive() { calc "($1) > 0 ? $1 : 0"; }
c_small=("$(real 15 1 "${c_program[@]}" 200 $small)" "$(real 30 2 "${c_program[@]}" 200 $small)")
r_small=("$(real 15 1 "${r_program[@]}" 200 $small)" "$(real 30 2 "${r_program[@]}" 200 $small)")
task=$(positive "(${r_small[0]} - ${c_small[0]}) / 2")
c_message=$(positive "${c_small[1]} - ${c_small[0]} / 2") r_exchange=$(positive "${r_small[1]} - ${c_small[0]} / 2 - 2 * $task")
more() { # REPEATS RANKS: what four more grids add to a step
    calc "$(real "$1" "$2" "${m_program[@]}" 200 5 $small) - $(real "$1" "$2" "${m_program[@]}" 200 1 $small)"
}
r_message=$(positive "($(more 30 2) - $(more 15 1)) / 4")
r_word=$(positive "($(real 30 2 "$real" fences 1000) - $(real 15 1 "$real" fences 1000)) / 2")

c() { RANK_OPERATION=$c_operation RANK_MESSAGE=$c_message simulated "$1" "$work/stencil.so" "$iterations" "$2"; }
r() { RANK_OPERATION=$r_operation RANK_TASK=$task RANK_MESSAGE=$r_message RANK_WORD=$r_word simulated "$1" "$RANK_LIBRARY" stencil "$iterations" "$2"; }
h() { RANK_OPERATION=$h_operation RANK_TASK=$task RANK_MESSAGE=$r_message RANK_WORD=$r_word simulated "$1" "$RANK_LIBRARY" heat "$iterations" "$2"; }

echo "Figures of more than 2 ranks are SIMULATED, by SimGrid $(smpirun -version 2>&1 | grep -o '[0-9.]*' | head -n 1): 10 Gflop/s, 12.5 GB/s, 1 us."
if [[ $mode == measured ]]; then
    echo "Computation is measured in the simulation, where all ranks share one processor."
else
    echo "Computation, by real runs: stencil.c $(calc "1e-6 / $c_operation") MFlops/s and $(calc "1e6 * $c_message") us a message;" \
        "prk_stencil $(calc "1e-6 / $r_operation") MFlops/s, $(calc "1e6 * $task") us a task, $(calc "1e6 * $r_message") us a message (and $(calc "1e6 * $r_exchange") us if it is the only one of a step), $(calc "1e6 * $r_word") us one of a fence;" \
        "heat $(calc "1e-6 / $h_operation") MFlops/s."
fi

echo
echo "Iterations of a grid of $order by $order points, in milliseconds, and parallel efficiency:"
echo
echo "| ranks | stencil.c | real | efficiency | prk_stencil | real | efficiency | heat | real | efficiency |"
echo "|---|---|---|---|---|---|---|---|---|---|"
fails=0
for ((ranks = 1; ranks <= 1024 && ranks <= most; ranks *= 2)); do
    line="| $ranks |"
    for program in c r h; do
        now=$($program $ranks "$order")
        ((ranks > 1)) || declare "${program}_one=$now"
        one=${program}_one was=${program}_real[$ranks-1] shown=
        efficiency=$(calc "${!one} / $now / $ranks")
        declare "${program}_efficiency=$efficiency"
        if ((ranks <= 2)); then
            shown=$(calc "1e3 * ${!was}")
            # Simulated and real memory differ, so that they agree within a third.
            awk "BEGIN { exit !(${!was} / $now < 1.5 && $now / ${!was} < 1.5) }" || { echo "smpi: $program on $ranks ranks takes $now s, and really ${!was} s" >&2; fails=1; }
        fi
        line+=" $(calc "1e3 * $now") | $shown | $(calc "int(1000 * $efficiency + 0.5) / 10") % |"
    done
    echo "$line"
done

echo
echo "Iterations of $tile by $tile points a rank, in milliseconds, and parallel efficiency:"
echo
echo "| ranks | stencil.c | efficiency | prk_stencil | efficiency | heat | efficiency |"
echo "|---|---|---|---|---|---|---|"
for ((side = 1; side * side <= most; side *= 2)); do
    ranks=$((side * side)) line="| $((side * side)) |"
    for program in c r h; do
        # Arrays of 4096 ranks in one process would need more memory than most machines have.
        if [[ $program == r ]] && ((ranks > 1024)); then
            line+=" | |"
            continue
        fi
        now=$($program $ranks $((side * tile)))
        ((ranks > 1)) || declare "${program}_one=$now"
        one=${program}_one
        line+=" $(calc "1e3 * $now") | $(calc "int(1000 * ${!one} / $now + 0.5) / 10") % |"
    done
    echo "$line"
done
exit $fails
