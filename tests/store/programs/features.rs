//! The features of random programs, and how often each is tested.

use std::collections::BTreeMap;
use std::sync::Mutex;

use proptest::test_runner::Config;

/// So many programs, or as many as the environment asks for.
pub(crate) fn cases(number: u32) -> Config {
    let percent = std::env::var("LAYOUT_STORE_CASES").ok().and_then(|percent| percent.parse().ok()).unwrap_or(100);
    Config { failure_persistence: None, ..Config::with_cases((number * percent / 100).max(1)) }
}

static COUNTS: Mutex<BTreeMap<&str, usize>> = Mutex::new(BTreeMap::new());

pub(crate) fn count(feature: &'static str) {
    *COUNTS.lock().unwrap().entry(feature).or_default() += 1;
}

/// Prints how often each feature occurred, and asserts that each did `least` times.
pub(crate) fn check(features: &[&str], least: usize) {
    let counts = COUNTS.lock().unwrap();
    counts.iter().for_each(|(feature, count)| println!("{count:8} {feature}"));
    for feature in features {
        let count = counts.get(feature).copied().unwrap_or_default();
        assert!(count >= least, "{feature}: {count} times, and {least} are the least");
    }
}
