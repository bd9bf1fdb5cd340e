//! `bitpack`

use support::program::stdout;

/// The bytes of each field are as many as its bits, and fields without error are those that have none.
#[test]
fn table() {
    let text = stdout("bitpack", &[""; 0]);
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    let bits = [("count", 12), ("cell", 18), ("quality", 3), ("saturated", 1), ("energy", 16), ("time", 15)];
    assert_eq!(rows.len(), bits.len() + 1, "{text}");
    for (row, (name, bits)) in rows.iter().zip(bits) {
        assert_eq!(row[..3], [name, &bits.to_string(), &(100_000 * bits / 8 + 15).to_string()], "{text}");
        assert_eq!(row[5] == "exact", bits != 16 && bits != 15, "{text}");
    }
    assert!(rows[4].ends_with(&["of", "the", "energy"]) && rows[5].ends_with(&["ns"]), "{text}");
    let all: usize = bits.iter().map(|(_, bits)| 100_000 * bits / 8 + 15).sum();
    assert_eq!(rows[bits.len()][..3], ["all", &all.to_string(), "1600000"], "{text}");
}
