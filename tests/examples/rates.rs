//! `stream` and `viewcopy`: each row is there, results are right, and wrong input is refused.

use support::program::{fails, stdout};

#[test]
fn stream() {
    let text = stdout("stream", &["1003"]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[1], ["copy", "mul", "add", "triad", "dot"], "{text}");
    assert_eq!(rows.len(), 2 + 6 + 1, "{text}");
    for row in &rows[2..8] {
        let rates = row[row.len() - 5..].iter().map(|rate| rate.parse::<f64>().unwrap());
        assert!(rates.filter(|rate| *rate > 0.0).count() == 5, "{text}");
    }
    assert!(text.ends_with("all results are right\n"), "{text}");
}

#[test]
fn viewcopy() {
    let text = stdout("viewcopy", &["301"]);
    assert_eq!(text.lines().filter(|line| line.contains(" -> ")).count(), 16, "{text}");
    assert!(text.starts_with("301 events of 12 leaves and 44 bytes"), "{text}");
    assert!(text.ends_with("all copies are right\n"), "{text}");
}

#[test]
fn wrong_numbers() {
    for (example, argument) in [("stream", "0"), ("viewcopy", "-1"), ("stream", "many")] {
        fails(example, &[argument], 2, &["ELEMENTS, a number above zero"]);
    }
}
