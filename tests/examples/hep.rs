//! `hep_event`

use support::program::{fails, stdout};

#[test]
fn hep_of_few_events() {
    let text = stdout("hep_event", &["3001"]);
    assert!(text.contains("Copies of events: 3001 with 20 leaves, 78 bytes without gaps"), "{text}");
    assert!(text.contains("Copies of events: 3001 with 100 leaves, 356 bytes without gaps"), "{text}");
    assert_eq!(text.matches(" GB/s ").count(), 7 + 5, "{text}");
    assert_eq!(text.matches(" of plain bytes").count(), 7 + 5, "{text}");
    assert_eq!(text.matches(" times as fast").count(), 4, "{text}");
    let bins: Vec<u32> = text
        .lines()
        .filter_map(|line| line.strip_prefix("  from "))
        .map(|line| line.split_whitespace().rev().find_map(|word| word.parse().ok()).unwrap())
        .collect();
    assert_eq!(bins.len(), 12);
    // Half of the events have the trigger, and the momenta of muons fall off with 20: those above 25 are `exp(-1.25)`.
    let chosen = f64::from(bins.iter().sum::<u32>()) / 3001.0;
    assert!((chosen - 0.5 * f64::exp(-1.25)).abs() < 0.03, "{chosen}");
    assert!(text.contains(&format!("of the {} of 3001 events", bins.iter().sum::<u32>())), "{text}");
    let last = text.lines().rfind(|line| line.starts_with("  from ")).unwrap();
    assert!(last.starts_with("  from 110 on  "), "{last}");
    // Missing energies fall off with 30; all above 110 are in the last.
    let first = f64::from(bins[0]) / 3001.0 / chosen;
    assert!((first - (1.0 - f64::exp(-1.0 / 3.0))).abs() < 0.09, "{first}");
}

#[test]
fn hep_of_one_event() {
    assert!(stdout("hep_event", &["1"]).contains("Copies of events: 1 with"));
}

#[test]
fn hep_of_wrong_arguments() {
    for number in ["0", "-1", "many", "", "4194305", "99999999999999999999"] {
        fails("hep_event", &[number], 2, &["1 to 4194304"]);
    }
}
