//! The reference programs in C, built from the public sources of the Parallel Research Kernels.
//!
//! The environment variable `PRK_DIR` names a checkout of them. Of each kernel, the program of one process (`SERIAL`) is built there and,
//! if there is an `mpicc`, the program of ranks (`MPI1`); each with `-O3 -march=native`, and once more with `-ffast-math`. The checkout is
//! only read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::processes::MPI;

/// The sources of a kernel, and its arguments.
pub(crate) struct Reference {
    /// The source in the folder of each family.
    sources: [&'static str; 2],
    /// Those of the kernel as arguments of a program, which may be one of ranks.
    arguments: fn(&[usize], bool) -> Vec<String>,
}

/// The programs that are built of each kernel, in the order of the columns of the table.
pub(crate) const COLUMNS: [&str; 4] = ["SERIAL", "fast-math", "MPI1", "fast-math"];

/// The settings that the makefiles of the kernels have by default.
const SETTINGS: [&str; 14] = [
    "-DBOFFSET=12",
    "-DDEFAULTBLOCK=32",
    "-DDOUBLE=1",
    "-DLOOPGEN=0",
    "-DMAXLENGTH=2000000",
    "-DMKL=0",
    "-DRADIUS=2",
    "-DRESTRICT_KEYWORD=0",
    "-DSCRAMBLE=1",
    "-DSTAR=1",
    "-DSTATIC_ALLOCATION=0",
    "-DSYNCHRONOUS=0",
    "-DTESTDENSE=0",
    "-DVERBOSE=0",
];

fn words(arguments: &[usize], _: bool) -> Vec<String> {
    arguments.iter().map(usize::to_string).collect()
}

impl Reference {
    pub(crate) const NSTREAM: Self = Self { sources: ["Nstream/nstream.c"; 2], arguments: words };
    pub(crate) const STENCIL: Self = Self {
        sources: ["Stencil/stencil.c"; 2],
        // The radius is a setting.
        arguments: |arguments, ranks| words(&arguments[..2], ranks),
    };
    pub(crate) const TRANSPOSE: Self = Self { sources: ["Transpose/transpose.c"; 2], arguments: words };
    pub(crate) const DGEMM: Self = Self {
        sources: ["DGEMM/dgemm.c"; 2],
        // A program of ranks also asks whether to multiply in blocks.
        arguments: |arguments, ranks| [words(arguments, ranks), vec!["1".to_owned(); usize::from(ranks)]].concat(),
    };
    pub(crate) const SPARSE: Self = Self { sources: ["Sparse/sparse.c"; 2], arguments: words };
    pub(crate) const P2P: Self = Self { sources: ["Synch_p2p/p2p.c"; 2], arguments: words };
    pub(crate) const PIC: Self = Self {
        sources: ["PIC/pic.c", "PIC-static/pic.c"],
        // As those of `pic::problem`.
        arguments: |arguments, ranks| {
            [words(&arguments[..3], ranks), ["1", "1", "SINUSOIDAL"].map(str::to_owned).to_vec()].concat()
        },
    };
}

/// A program that was built.
pub(crate) struct Program {
    path: PathBuf,
    /// `true` for a program of ranks.
    ranks: bool,
    arguments: fn(&[usize], bool) -> Vec<String>,
}

/// The sources, if there are any.
pub(crate) struct Checkout(Option<PathBuf>);

impl Checkout {
    /// The checkout that `PRK_DIR` names. Without one, says so.
    pub(crate) fn of_environment() -> Self {
        let Some(folder) = std::env::var_os("PRK_DIR").map(PathBuf::from) else {
            println!("no reference programs: PRK_DIR names no checkout of github.com/ParRes/Kernels");
            return Self(None);
        };
        let there = folder.join("include/par-res-kern_general.h").is_file();
        if !there {
            println!("no reference programs: PRK_DIR is {}, which has no sources of the kernels", folder.display());
        }
        Self(there.then_some(folder))
    }

    /// Builds the programs of a kernel, by [`COLUMNS`]. A program that does not build is left out, after a line that says why.
    pub(crate) fn programs(&self, reference: &Reference) -> [Option<Program>; COLUMNS.len()] {
        [(false, false), (false, true), (true, false), (true, true)].map(|(ranks, fast)| {
            let built = build(self.0.as_ref()?, reference, ranks, fast);
            let path = built.map_err(|error| println!("{error}")).ok()??;
            Some(Program { path, ranks, arguments: reference.arguments })
        })
    }
}

/// Builds a program; `None` if it is one of ranks, and there is no `mpicc`.
fn build(folder: &Path, reference: &Reference, ranks: bool, fast: bool) -> Result<Option<PathBuf>, String> {
    let (family, compiler) = if ranks { ("MPI1", "mpicc") } else { ("SERIAL", "cc") };
    let source = reference.sources[usize::from(ranks)];
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prk");
    let name = source.rsplit('/').next().unwrap_or(source).trim_end_matches(".c");
    let path = to.join(format!("{family}-{name}{}", if fast { "-fast" } else { "" }));
    fs::create_dir_all(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    let mut command = Command::new(compiler);
    command.args(["-O3", "-march=native", "-std=gnu11", "-w"]).args(fast.then_some("-ffast-math")).args(SETTINGS);
    command.arg(if ranks { "-DMPI" } else { "-DSERIAL" }).arg("-I").arg(folder.join("include"));
    command.arg(folder.join(family).join(source));
    command.args(["wtime.c", "random_draw.c"].map(|shared| folder.join("common").join(shared)));
    command.args(ranks.then(|| folder.join("common/MPI_bail_out.c"))).arg("-lm").arg("-o").arg(&path);
    match command.output() {
        Ok(output) if output.status.success() => Ok(Some(path)),
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            Err(format!("{family}/{source} does not build: {}", errors.lines().next().unwrap_or_default()))
        }
        Err(_) if ranks => Ok(None),
        Err(error) => Err(format!("{family}/{source} does not build: {compiler}: {error}")),
    }
}

impl Program {
    /// Runs the program on so many ranks, with the arguments of the kernel, and returns its rate; `None` if it runs on one process only, or
    /// its solution does not validate.
    pub(crate) fn rate(&self, ranks: usize, arguments: &[usize]) -> Option<f64> {
        let mut command = if self.ranks {
            let mut command = Command::new("mpirun");
            command.args(["-n", &ranks.to_string()]).arg(&self.path).envs(MPI);
            command
        } else if ranks == 1 {
            Command::new(&self.path)
        } else {
            return None;
        };
        command.args((self.arguments)(arguments, self.ranks));
        let output = command.stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let rate = text.lines().find_map(|line| line.strip_prefix("Rate (")?.split_once("): "))?.1;
        let rate = rate.split_whitespace().next()?.parse().ok()?;
        text.contains("Solution validates").then_some(rate)
    }
}
