//! CPU seconds to compile a crate with a large record and a kernel over each of its leaves, by layout.
//!
//! The kernels are those of LLAMA's comptime example: for each leaf a function with a loop over all elements that sets it.
//! Optimised (release), dependencies compiled before.

use core::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::limits::{BY_AOS, GROWTH, SECONDS_AT_100};
use crate::report::{Outcome, PASSED, Result};
use crate::shell::{output, root, target};

/// Layouts of the table that have no limit of their own.
const OTHERS: [&str; 4] = [
    "Split<path!(Event, group0), SoA, SoA, FusedBlobs>",
    "Split<path!(Event, group0), SoA, Split<path!(Event, group1), AoSoA<8>, Null>>",
    "Bytesplit<SoA>",
    "ChangeType<SoA, f64, f32>",
];

/// The types of the ten leaves of a group.
const TYPES: [&str; 10] = ["f32", "f64", "i32", "u8", "u16", "i64", "f32", "f64", "u32", "i16"];

/// Checks the layouts that have limits, at 100 and 400 leaves.
pub(crate) fn limits() -> Result {
    if cpu_seconds_of_children().is_none() {
        return Ok(Outcome::Skipped("CPU times are read from /proc/self/stat, which is not here".into()));
    }
    let generated = Generated::new("at")?;
    let mut broken = Vec::new();
    let mut aos = 0.0;
    println!("{:<40} {:>10} {:>10} {:>10} {:>10}", "layout", "100 leaves", "400 leaves", "400 by 100", "by AoS");
    for (layout, growth) in GROWTH {
        let (mut few, mut many) = (generated.seconds(100, layout)?, generated.seconds(400, layout)?);
        if many > growth * few || few > SECONDS_AT_100 || many > BY_AOS * aos && layout != "AoS" {
            // Another look: the machine may be busy.
            few = few.min(generated.seconds(100, layout)?);
            many = many.min(generated.seconds(400, layout)?);
        }
        if layout == "AoS" {
            aos = many;
        }
        println!("{layout:<40} {few:>10.2} {many:>10.2} {:>10.2} {:>10.2}", many / few, many / aos);
        if few > SECONDS_AT_100 {
            broken.push(format!("{layout}: {few:.2} s at 100 leaves, and {SECONDS_AT_100} s are allowed"));
        }
        if many > growth * few {
            broken.push(format!(
                "{layout}: 400 leaves take {:.2} times as long as 100, and {growth} is allowed",
                many / few
            ));
        }
        if many > BY_AOS * aos {
            broken.push(format!("{layout}: {:.2} times as long as AoS, and {BY_AOS} is allowed", many / aos));
        }
    }
    if broken.is_empty() { PASSED } else { Err(broken.join("; ")) }
}

/// Prints all layouts at 20, 100 and 400 leaves, without limits; `form` is that of the kernels: `at`, `each` (over the slots of
/// the whole record) or `field` (over the view of the leaf).
pub(crate) fn table(form: &str) -> core::result::Result<(), String> {
    let generated = Generated::new(form)?;
    println!("{:<77} {:>10} {:>10} {:>10} {:>10}", "layout", "20 leaves", "100 leaves", "400 leaves", "400 by 100");
    for layout in GROWTH.map(|(layout, _)| layout).into_iter().chain(OTHERS) {
        let [few, some, many] = [20, 100, 400].map(|leaves| generated.seconds(leaves, layout));
        let (few, some, many) = (few?, some?, many?);
        println!("{layout:<77} {few:>10.2} {some:>10.2} {many:>10.2} {:>10.2}", many / some);
    }
    Ok(())
}

/// A crate that is written anew for each measurement.
struct Generated<'f> {
    folder: PathBuf,
    form: &'f str,
}

impl<'f> Generated<'f> {
    /// Makes the crate, and compiles what it depends on.
    fn new(form: &'f str) -> core::result::Result<Self, String> {
        let folder = target().join("compile-time");
        let manifest = format!(
            "[package]\nname = \"generated\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
             layout-dsl = {{ path = {:?} }}\n\n[workspace]\n",
            root()
        );
        let write =
            |path: &Path, text: &str| fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()));
        fs::create_dir_all(folder.join("src")).map_err(|error| format!("{}: {error}", folder.display()))?;
        write(&folder.join("Cargo.toml"), &manifest)?;
        fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))
            .map_err(|error| format!("Cargo.lock: {error}"))?;
        let generated = Self { folder, form };
        generated.seconds(20, "SoA")?;
        Ok(generated)
    }

    /// The CPU seconds (user and system) to compile it with so many leaves.
    fn seconds(&self, leaves: usize, layout: &str) -> core::result::Result<f64, String> {
        let source = self.folder.join("src/lib.rs");
        fs::write(&source, self.source(leaves, layout)).map_err(|error| format!("{}: {error}", source.display()))?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(&self.folder).args(["rustc", "--release", "--lib", "--target-dir", "target"]);
        let before = cpu_seconds_of_children().ok_or("CPU times are read from /proc/self/stat, which is not here")?;
        output(&mut command)?;
        Ok(cpu_seconds_of_children().unwrap_or(0.0) - before)
    }

    /// A record of `leaves` leaves in groups of ten, as a detector event or a lattice cell has them, and the kernels.
    fn source(&self, leaves: usize, layout: &str) -> String {
        let groups = leaves / 10;
        let mut text = "use layout::*;\n".to_owned();
        for group in 0..groups {
            let leaf = |(leaf, of): (usize, &&str)| format!("pub leaf{leaf}: {of}, ");
            let fields: String = TYPES.iter().enumerate().map(leaf).collect();
            writeln!(text, "#[derive(Clone, Copy, Record)] pub struct Group{group} {{ {fields}}}").expect("to memory");
        }
        let fields: String = (0..groups).map(|group| format!("pub group{group}: Group{group}, ")).collect();
        writeln!(text, "#[derive(Clone, Copy, Record)] pub struct Event {{ {fields}}}").expect("to memory");
        writeln!(text, "pub type Events = Owned<Mapped<Event, extents!(type dyn), {layout}>>;").expect("to memory");
        for group in 0..groups {
            for (leaf, of) in TYPES.iter().enumerate() {
                let body = match self.form {
                    "each" => format!("events.for_each_mut(|mut e| e.group{group}.leaf{leaf}.set(1 as {of}));"),
                    "field" => format!(
                        "events.field_mut(Event::PATHS.group{group}.leaf{leaf}).for_each_mut(|mut v| v.set(1 as {of}));"
                    ),
                    _ => format!(
                        "for i in 0..events.len() {{ events.at_mut(i).group{group}.leaf{leaf}.set(1 as {of}); }}"
                    ),
                };
                writeln!(text, "pub fn kernel_{group}_{leaf}(events: &mut Events) {{ {body} }}").expect("to memory");
            }
        }
        text
    }
}

/// The CPU seconds of all processes that this one has waited for.
fn cpu_seconds_of_children() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in parentheses, may have spaces; after it, the state is field 3, and `cutime` and `cstime` are 16 and 17.
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks = fields.get(13)?.parse::<f64>().ok()? + fields.get(14)?.parse::<f64>().ok()?;
    // Linux counts in hundredths of a second.
    Some(ticks / 100.0)
}
