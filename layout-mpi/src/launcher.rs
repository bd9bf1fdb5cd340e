//! The launcher that started this process, by the environment.

/// The processes that were started together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Launched {
    /// The launcher that started the processes.
    pub(crate) launcher: &'static str,
    /// The number of processes, if the launcher tells it.
    pub(crate) count: Option<usize>,
}

/// The variable by which SimGrid tells how many ranks it simulates, in one process.
pub(crate) const SIMULATED: &str = "SMPI_GLOBAL_SIZE";

/// The variables by which launchers tell how many processes they started, or that they did.
///
/// A process inherits the variables of a launcher around its own: of `mpirun -n 1` around a script that calls `mpiexec -n 2`. So the largest
/// number counts, and each process is not taken for one that was started alone. Without a number, the first variable that is there counts.
const TOLD: [(&str, &str, bool); 6] = [
    ("OMPI_COMM_WORLD_SIZE", "the `mpirun` of Open MPI", true),
    ("PMI_SIZE", "the `mpiexec` of MPICH, or one like it,", true),
    ("SLURM_STEP_NUM_TASKS", "srun", true),
    (SIMULATED, "the `smpirun` of SimGrid", true),
    ("PMIX_RANK", "a launcher of PMIx", false),
    ("PMI_RANK", "a launcher of PMI", false),
];

impl Launched {
    /// The processes of which this is one; `None` where it was started alone.
    pub(crate) fn here(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let told = TOLD.iter().filter_map(|(name, launcher, counts)| {
            let text = variable(name)?;
            Some(Self { launcher, count: counts.then(|| text.parse().ok()).flatten() })
        });
        let told = told.reduce(|one, other| if other.count > one.count { other } else { one });
        told.filter(|launched| launched.count != Some(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_launchers_tell() {
        let here = |told: &'static [(&str, &str)]| {
            let launched = Launched::here(|name| {
                let (_, value) = told.iter().find(|(known, _)| *known == name)?;
                Some((*value).to_owned())
            });
            launched.map(|launched| (launched.launcher, launched.count))
        };
        assert_eq!(here(&[]), None);
        assert_eq!(here(&[("PMI_SIZE", "1")]), None, "one process needs no library");
        assert_eq!(here(&[("PMI_SIZE", "4"), ("PMI_RANK", "2")]).unwrap().1, Some(4));
        let open = here(&[("PMIX_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "3")]).unwrap();
        assert_eq!(open, ("the `mpirun` of Open MPI", Some(3)));
        assert_eq!(here(&[("PMIX_RANK", "0")]), Some(("a launcher of PMIx", None)));
        assert_eq!(here(&[(SIMULATED, "64")]), Some(("the `smpirun` of SimGrid", Some(64))));
        assert_eq!(here(&[("SLURM_STEP_NUM_TASKS", "x")]), Some(("srun", None)));
        let within = here(&[("OMPI_COMM_WORLD_SIZE", "1"), ("PMIX_RANK", "0"), ("PMI_SIZE", "4"), ("PMI_RANK", "0")]);
        assert_eq!(within.unwrap().1, Some(4), "a launcher of one process around another launcher");
        assert_eq!(here(&[("OMPI_COMM_WORLD_SIZE", "1"), ("PMIX_RANK", "0"), ("PMI_SIZE", "1")]), None);
    }
}
