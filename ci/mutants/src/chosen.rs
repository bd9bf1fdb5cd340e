
/// Returns `true` if the environment chooses this mutant; writes its number to a file if the environment names one.
#[doc(hidden)]
#[allow(warnings, reason = "it becomes a part of crates with any lints")]
pub fn mutant(number: usize) -> bool {
    extern crate std;
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
    use std::{env, fs::OpenOptions, io::Write};
    const RECORDS: usize = usize::MAX;
    const NONE: usize = usize::MAX - 1;
    /// The mutant and one, or zero before somebody asked.
    static CHOSEN: AtomicUsize = AtomicUsize::new(0);
    static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
    let mut chosen = CHOSEN.load(Relaxed);
    if chosen == 0 {
        let number = env::var("MUTANT").ok().map(|number| number.parse::<usize>().unwrap() + 1);
        let otherwise = if env::var_os("MUTANTS_REACHED").is_some() { RECORDS } else { NONE };
        chosen = number.unwrap_or(otherwise);
        CHOSEN.store(chosen, Relaxed);
    }
    if chosen == RECORDS && !REACHED[number].load(Relaxed) && !REACHED[number].swap(true, Relaxed) {
        let mut file = OpenOptions::new().append(true).create(true).open(env::var_os("MUTANTS_REACHED").unwrap()).unwrap();
        file.write_all(std::format!("{number}\n").as_bytes()).unwrap();
    }
    chosen == number + 1
}
