//! `stream` and `viewcopy`: each row is there, results are right, and wrong input is refused.

use support::program::{fails, stdout};

#[test]
fn stream() {
    let text = stdout("stream", &["1003"]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(text.starts_with("GB/s, one thread, three arrays of 8024 bytes\n"), "{text}");
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
    assert!(text.starts_with("events: 301, of 12 leaves and 44 bytes each"), "{text}");
    assert!(text.ends_with("all copies are right\n"), "{text}");
}

#[test]
fn wrong_numbers() {
    for (example, most) in [("stream", 268_435_456), ("viewcopy", 67_108_864)] {
        for argument in ["0", "-1", "many", &(most + 1).to_string()] {
            fails(example, &[argument], 2, &[&format!("ELEMENTS, 1 to {most}")]);
        }
    }
}
