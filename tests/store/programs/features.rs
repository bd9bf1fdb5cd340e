//! How often what was tested.

use std::collections::BTreeMap;
use std::sync::Mutex;

static COUNTS: Mutex<BTreeMap<&str, usize>> = Mutex::new(BTreeMap::new());

pub(super) fn count(feature: &'static str) {
    *COUNTS.lock().unwrap().entry(feature).or_default() += 1;
}

/// Prints how often each feature occurred, and asserts that each did `least` times.
pub(super) fn check(features: &[&str], least: usize) {
    let counts = COUNTS.lock().unwrap();
    counts.iter().for_each(|(feature, count)| println!("{count:8} {feature}"));
    for feature in features {
        let count = counts.get(feature).copied().unwrap_or_default();
        assert!(count >= least, "{feature}: {count} times, and {least} are the least");
    }
}
