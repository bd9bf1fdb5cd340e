//! CPU seconds to compile a crate with a large record and a kernel over each of its leaves, by layout.
//!
//! The kernels are those of LLAMA's comptime example: for each leaf a function with a loop over all elements that sets it.
//! Optimized (release), dependencies compiled before.

use core::fmt::Write;
use std::fs;
use std::process::Command;

use crate::generated::Generated;
use crate::limits::{BY_AOS, GROWTH, LARGE_LEAVES, LARGE_SECONDS, SECONDS_AT_100};
use crate::report::{Outcome, PASSED, Result};
use crate::shell::{output, root};

/// Layouts of the table that have no limit of their own.
const OTHERS: [&str; 4] = [
    "Split<path!(Event, group0), SoA, SoA, FusedBlobs>",
    "Split<path!(Event, group0), SoA, Split<path!(Event, group1), AoSoA<8>, Null>>",
    "Bytesplit<SoA>",
    "ChangeType<SoA, f64, f32>",
];

/// The types of the ten leaves of a group.
const TYPES: [&str; 10] = ["f32", "f64", "i32", "u8", "u16", "i64", "f32", "f64", "u32", "i16"];

/// The number of further looks at a layout over its limits.
const LOOKS: usize = 4;

/// Checks the layouts that have limits, at 100 and 400 leaves.
pub(crate) fn limits() -> Result {
    if cpu_seconds_of_children().is_none() {
        return Ok(Outcome::Skipped("CPU times are read from /proc/self/stat, which is not here".into()));
    }
    let kernels = Kernels::new("at")?;
    let mut broken = Vec::new();
    let mut aos = 0.0;
    println!("{:<40} {:>10} {:>10} {:>10} {:>10}", "layout", "100 leaves", "400 leaves", "400 by 100", "by AoS");
    for (layout, growth) in GROWTH {
        let (mut few, mut many) = (kernels.seconds(100, layout)?, kernels.seconds(400, layout)?);
        for _ in 0..LOOKS {
            if many <= growth * few && few <= SECONDS_AT_100 && (many <= BY_AOS * aos || layout == "AoS") {
                break;
            }
            // Another look: other programs take half of a core that runs two threads, for seconds.
            few = few.min(kernels.seconds(100, layout)?);
            many = many.min(kernels.seconds(400, layout)?);
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
    let large = kernels.seconds_of(&large())?;
    println!("{LARGE_LEAVES} leaves in groups of groups of ten, SoA, one kernel over three leaves: {large:.2}");
    if large > LARGE_SECONDS {
        broken.push(format!("{LARGE_LEAVES} leaves: {large:.2} s, and {LARGE_SECONDS} are allowed"));
    }
    let arrow = round_trip()?;
    println!("{LARGE_LEAVES} leaves to a record batch of Arrow and back: {arrow:.2}");
    if arrow > LARGE_SECONDS {
        broken.push(format!("{LARGE_LEAVES} leaves with Arrow: {arrow:.2} s, and {LARGE_SECONDS} are allowed"));
    }
    if broken.is_empty() { PASSED } else { Err(broken.join("; ")) }
}

/// Prints all layouts at 20, 100 and 400 leaves, without limits; `form` is that of the kernels: `at`, `each` (over the slots of
/// the whole record) or `field` (over the view of the leaf).
pub(crate) fn table(form: &str) -> core::result::Result<(), String> {
    let kernels = Kernels::new(form)?;
    println!("{:<77} {:>10} {:>10} {:>10} {:>10}", "layout", "20 leaves", "100 leaves", "400 leaves", "400 by 100");
    for layout in GROWTH.map(|(layout, _)| layout).into_iter().chain(OTHERS) {
        let [few, some, many] = [20, 100, 400].map(|leaves| kernels.seconds(leaves, layout));
        let (few, some, many) = (few?, some?, many?);
        println!("{layout:<77} {few:>10.2} {some:>10.2} {many:>10.2} {:>10.2}", many / some);
    }
    Ok(())
}

/// The crate that is compiled.
struct Kernels<'f> {
    generated: Generated,
    form: &'f str,
}

impl<'f> Kernels<'f> {
    /// Makes the crate, and compiles what it depends on.
    fn new(form: &'f str) -> core::result::Result<Self, String> {
        let kernels = Self { generated: Generated::new("compile-time", "lib.rs", "")?, form };
        kernels.seconds(20, "SoA")?;
        Ok(kernels)
    }

    /// The CPU seconds to compile it with so many leaves, and a kernel over each.
    fn seconds(&self, leaves: usize, layout: &str) -> core::result::Result<f64, String> {
        self.seconds_of(&self.source(leaves, layout))
    }

    /// The CPU seconds (user and system) to compile this source.
    fn seconds_of(&self, source: &str) -> core::result::Result<f64, String> {
        self.generated.write(source)?;
        let before = cpu_seconds_of_children().ok_or("CPU times are read from /proc/self/stat, which is not here")?;
        self.generated.build()?;
        Ok(cpu_seconds_of_children().unwrap_or(0.0) - before)
    }

    /// A record of `leaves` leaves in groups of ten, as a detector event or a lattice cell has them, and the kernels.
    fn source(&self, leaves: usize, layout: &str) -> String {
        let groups = leaves / 10;
        let mut text = "use layout::{composed::*, *};\n".to_owned();
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

/// A record of many leaves in groups of groups of ten, as an event of a large detector has them, a view, and a kernel over
/// three leaves.
fn large() -> String {
    let (mut text, groups) = ("use layout::*;\n".to_owned(), LARGE_LEAVES.div_ceil(10));
    let mut record = |name: &str, fields: String| {
        writeln!(text, "#[derive(Clone, Copy, Record)] pub struct {name} {{ {fields}}}").expect("to memory");
    };
    for group in 0..groups {
        let leaf = |(leaf, of): (usize, &&str)| format!("pub leaf{leaf}: {of}, ");
        record(&format!("G{group}"), TYPES.iter().take(LARGE_LEAVES - 10 * group).enumerate().map(leaf).collect());
    }
    for outer in 0..groups.div_ceil(10) {
        let inner = 10 * outer..groups.min(10 * outer + 10);
        record(&format!("H{outer}"), inner.map(|group| format!("pub g{group}: G{group}, ")).collect());
    }
    record("Event", (0..groups.div_ceil(10)).map(|outer| format!("pub h{outer}: H{outer}, ")).collect());
    text + "pub type Events = Owned<Mapped<Event, extents!(type dyn), SoA>>;
        pub fn make(len: usize) -> Result<Events, ViewError> { alloc(len) }
        pub fn kernel(events: &mut Events) {
            for i in 0..events.len() {
                let mut event = events.at_mut(i);
                let sum = event.h0.g3.leaf0.get() + event.h7.g70.leaf6.get();
                event.h14.g147.leaf0.set(sum);
            }
        }"
}

/// The CPU seconds to compile that record with a round trip over a record batch of Arrow, which is then run.
fn round_trip() -> core::result::Result<f64, String> {
    let interop = root().join("layout-interop");
    let more = format!("\n[dependencies.layout-interop]\npath = {interop:?}\nfeatures = [\"arrow\"]\n");
    let kernels = Kernels { generated: Generated::new("compile-time-arrow", "main.rs", &more)?, form: "at" };
    kernels.seconds_of("fn main() {}")?;
    let main = "
        fn main() -> Result<(), Box<dyn std::error::Error>> {
            use layout_interop::arrow::{Arrays, Nulls, as_view, from_batch, into_batch};
            let mut events = make(100)?;
            kernel(&mut events);
            let batch = into_batch(RecordVec::from_view(events), Arrays::Fields)?;
            let view = as_view::<Event>(&batch, Nulls::Reject)?;
            let copy = from_batch::<Event, AoS>(&batch, Nulls::Reject)?;
            assert_eq!((view.len(), copy.len()), (100, 100));
            Ok(())
        }";
    let seconds = kernels.seconds_of(&(large() + main))?;
    output(&mut Command::new(kernels.generated.program()))?;
    Ok(seconds)
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
