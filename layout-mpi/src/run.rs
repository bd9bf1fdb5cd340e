//! Programs that run alone, or on all ranks of a job.

use core::any::Any;
use core::iter::successors;
use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::env;
use std::fs;
use std::panic::catch_unwind;
use std::thread::{available_parallelism, sleep};

use layout_store::{Builder, Runtime, StoreError, Transport};

use crate::calls::Library;
use crate::end::{Code, end_job};
use crate::error::MpiError;
use crate::launcher::{Launched, SIMULATED};
use crate::profile;
use crate::transport::Mpi;

/// The settings of [`Runtime::builder`], except that the ranks of one machine divide its processors among them: each rank has
/// `processors / ranks` threads, and at least one. A rank that the launcher bound to fewer processors has one thread for each of these.
/// Ranks that SimGrid simulates have one thread together, so each has [`threads(0)`](Builder::threads).
#[must_use]
pub fn builder() -> Builder {
    if env::var_os(SIMULATED).is_some() {
        return Runtime::builder().threads(0);
    }
    // A shell of Slurm tells its steps, too.
    match Launched::here(|name| env::var(name).ok()).and_then(|_| ranks_here()) {
        None | Some(0 | 1) => Runtime::builder(),
        Some(ranks) => {
            let here = available_parallelism().map_or(1, usize::from);
            Runtime::builder().threads(share(here, processors_of_launcher(), ranks))
        }
    }
}

/// The number of threads of one of `ranks` ranks, which may use `here` processors. Its launcher may use `all`, if it bound the rank to some
/// of them.
fn share(here: usize, all: Option<usize>, ranks: usize) -> usize {
    all.map_or(here / ranks, |all| (all / ranks).min(here)).max(1)
}

/// The number of processors that the launcher of this process may use, if they are not those of this process. The launcher is the nearest
/// parent with other processors: a script or a container between the two is bound as this process is.
fn processors_of_launcher() -> Option<usize> {
    let entry = |process: &str, name: &str| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        Some(status.lines().find_map(|line| line.strip_prefix(name))?.trim().to_owned())
    };
    let own = entry("self", "Cpus_allowed:")?;
    let parents = successors(entry("self", "PPid:"), |process| entry(process, "PPid:"));
    let mask = parents.map_while(|process| entry(&process, "Cpus_allowed:")).find(|mask| *mask != own)?;
    let bits = |digit: char| digit.to_digit(16).unwrap_or(0).count_ones() as usize;
    Some(mask.chars().map(bits).sum())
}

/// Runs a program on one locale for each rank, with the settings of [`builder`]; see [`run_with`].
///
/// # Errors
///
/// As [`run_with`].
///
/// # Panics
///
/// As [`run_with`].
pub fn run<T>(program: impl FnOnce(&Runtime) -> T) -> Result<T, MpiError> {
    run_with(builder(), program)
}

/// Runs a program on one locale for each rank of the job, and returns the result of this rank. A process that was not started by a launcher
/// such as `mpirun` runs the program on one locale.
///
/// The first call that needs MPI starts it, with `MPI_THREAD_SERIALIZED`. MPI ends when the process ends, so a process may call this
/// function several times.
///
/// If the environment variable `LAYOUT_PROFILE` names a file, the program runs with a [profile](Builder::profile). At its end, rank 0 prints
/// the [table](layout_store::Profile::table) of all ranks on standard error: the launches, times and bytes sent of each task. It writes
/// their [trace](layout_store::Profile::trace) to the file, which Perfetto shows as a timeline of all ranks. A later call of this function in
/// the process replaces the file.
///
/// # Errors
///
/// [`MpiError::Store`] for an error of the runtime, as from [`Builder::run_over`]; [`MpiError::Call`] if MPI does not start;
/// [`MpiError::Launcher`] if the launcher belongs to another MPI library than the one that the program was built for.
///
/// # Panics
///
/// Panics if the program panics and there is one rank. With several ranks, a panic of the program ends the job.
pub fn run_with<T>(builder: Builder, program: impl FnOnce(&Runtime) -> T) -> Result<T, MpiError> {
    let Some(file) = profile::asked() else { return run_on_ranks(builder, program) };
    let ran = run_on_ranks(builder.profile(true), |rt| {
        let result = program(rt);
        profile::report(rt, &file).map(|()| result)
    });
    Ok(ran??)
}

/// [`run_with`], without a profile.
fn run_on_ranks<T>(builder: Builder, program: impl FnOnce(&Runtime) -> T) -> Result<T, MpiError> {
    let Some(launched) = Launched::here(|name| env::var(name).ok()) else {
        return Ok(builder.run(program)?);
    };
    let library = Library::lock();
    let world = library.start()?;
    if launched.count.is_some_and(|told| told != world.size) {
        let (launcher, told) = (launched.launcher, launched.count.unwrap_or(0));
        return Err(MpiError::Launcher { launcher, told, library: library.version(), found: world.size });
    }
    drop(library);
    if world.size == 1 {
        return Ok(builder.run(program)?);
    }
    run_over(builder, Mpi::join(world.size)?, program)
}

/// As [`run_with`], over a transport between the ranks.
///
/// # Errors
///
/// [`MpiError::Store`] with an error of the runtime.
#[doc(hidden)] // For tests of transports that lose something.
pub fn run_over<T>(
    builder: Builder,
    transport: impl Transport,
    program: impl FnOnce(&Runtime) -> T,
) -> Result<T, MpiError> {
    let (rank, ranks) = (transport.locale(), format!("rank {} of {}", transport.locale(), transport.locales()));
    let mut standing = None;
    let ran = builder.run_over(transport, |rt| {
        standing = Some(rt.standing());
        catch_unwind(AssertUnwindSafe(|| program(rt))).unwrap_or_else(|panic| {
            let text = text(&*panic);
            end_job(Code::Panicked, &format!("{ranks} panicked: {text}; {}", rt.standing()))
        })
    });
    match ran {
        Ok(result) => Ok(result),
        Err(error @ (StoreError::BadMessage { .. } | StoreError::NeverCame { .. } | StoreError::Gone { .. })) => {
            // All ranks are told the same: one of them says so.
            let speaker = if let StoreError::BadMessage { locale, .. } = error { locale } else { 0 };
            if rank != speaker {
                sleep(Duration::from_secs(1));
            }
            let stands = standing.map(|standing| format!("; {standing}")).unwrap_or_default();
            end_job(Code::Lost, &format!("{ranks}: {error}{stands}"))
        }
        Err(error) => Err(error.into()),
    }
}

/// The number of ranks on this machine, if the launcher tells it.
fn ranks_here() -> Option<usize> {
    let names = ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"];
    names.iter().find_map(|name| count(&env::var(name).ok()?))
}

/// The number that a text begins with: Slurm tells `4(x2),3` of four ranks on each of two machines and three on another one.
fn count(told: &str) -> Option<usize> {
    told.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

/// The text of a panic.
fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a text".into())
}

#[cfg(test)]
mod tests {
    use super::{count, share};

    #[test]
    fn ranks_of_a_machine_come_first() {
        let told = ["4", "4(x2)", "16(x2),3", "", "x4"];
        assert_eq!(told.map(count), [Some(4), Some(4), Some(16), None, None]);
    }

    #[test]
    fn ranks_share_processors_or_have_those_they_are_bound_to() {
        // Not bound: 16 processors for two ranks, and two for four.
        assert_eq!((share(16, None, 2), share(2, None, 4)), (8, 1));
        // Two ranks with one core each, four with half of the machine in pairs, and four with a quarter each.
        assert_eq!((share(1, Some(16), 2), share(8, Some(16), 4), share(8, Some(32), 4)), (1, 4, 8));
    }
}
