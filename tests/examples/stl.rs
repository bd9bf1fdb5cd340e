//! `memmap_stl`

use core::f64::consts::TAU;

use support::program::{fails, file, scratch, stdout};

/// The gear: an outline of four points a tooth, with a bore of as many points, extruded.
struct Gear {
    area: f64,
    volume: f64,
}

impl Gear {
    /// 14 teeth; radii of tips, roots and bore; the height.
    fn new() -> Self {
        let (teeth, tip, root, bore, height) = (14.0, 10.0, 8.0, 3.0, 4.0);
        // Neighbors on the outline: their radii, and the part of a pitch between them.
        let sides = [(root, tip, 0.2), (tip, tip, 0.3), (tip, root, 0.2), (root, root, 0.3)];
        let (mut face, mut girth) = (0.0, 0.0);
        for (a, b, part) in sides {
            let (sin, cos) = f64::sin_cos(TAU * part / teeth);
            let distance = |a: f64, b: f64| (a * a + b * b - 2.0 * a * b * cos).sqrt();
            face += teeth * (a * b - bore * bore) * sin / 2.0;
            girth += teeth * (distance(a, b) + distance(bore, bore));
        }
        Self { area: 2.0 * face + height * girth, volume: height * face }
    }
}

#[test]
fn stl_of_a_gear() {
    let text = stdout::<&str>("memmap_stl", &[]);
    assert_eq!(stdout("memmap_stl", &[file("examples/memmap_stl/gear.stl")]), text);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.iter().map(|line| line[0]).collect::<Vec<_>>(), ["triangles", "area", "volume", "centroid"]);
    let number = |line: usize, word: usize| lines[line][word].parse::<f64>().unwrap();
    assert_eq!(number(0, 1), 448.0);
    // The file has its coordinates as `f32`, and four digits are printed.
    let Gear { area, volume } = Gear::new();
    assert!((number(1, 1) - area).abs() < 1e-3, "{text} {area}");
    assert!((number(2, 1) - volume).abs() < 1e-3, "{text} {volume}");
    for (word, coordinate) in [20.0, -5.0, 3.0].into_iter().enumerate() {
        assert!((number(3, word + 1) - coordinate).abs() < 1e-3, "{text}");
    }
}

/// A file of triangles, without normals.
fn stl(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(u32::try_from(triangles.len()).unwrap().to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.as_flattened().iter().flat_map(|coordinate| coordinate.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

/// A body whose centroid is not that of its surface: a corner of a cube, cut off, away from the origin.
#[test]
fn stl_of_a_tetrahedron() {
    let [o, x, y, z] = [[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [1.0, 3.0, 3.0], [1.0, 2.0, 4.0]];
    let path = scratch("tetrahedron.stl");
    std::fs::write(&path, stl(&[[o, y, x], [o, x, z], [o, z, y], [x, y, z]])).unwrap();
    let text = stdout("memmap_stl", &[&path]);
    assert!(text.ends_with("\nvolume    0.1667\ncentroid  1.2500 2.2500 3.2500\n"), "{text}");
    // A surface without an inside.
    std::fs::write(&path, stl(&[[o, x, y], [o, y, x]])).unwrap();
    fails("memmap_stl", &[&path], 1, &["tetrahedron.stl", "no volume"]);
}

#[test]
fn stl_that_is_damaged() {
    let gear = std::fs::read(file("examples/memmap_stl/gear.stl")).unwrap();
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = gear.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        changed
    };
    let text = b"solid gear\n  facet normal 0 0 1\n".repeat(10);
    // The third coordinate of the second corner of triangle 7.
    let infinite = with(84 + 7 * 50 + 12 + 12 + 8, &f32::NEG_INFINITY.to_le_bytes());
    let cases: [(&str, &[u8], &[&str]); 9] = [
        ("empty.stl", b"", &["0 bytes", "at least 84"]),
        ("short.stl", &gear[..83], &["83 bytes", "at least 84"]),
        ("cut.stl", &gear[..gear.len() - 1], &["448 triangles", "22484 bytes", "84 and 50 each", "has 22483"]),
        ("long.stl", &[&gear[..], &[0]].concat(), &["448 triangles", "22484 bytes", "has 22485"]),
        ("count.stl", &with(80, &u32::MAX.to_le_bytes()), &["4294967295 triangles", "214748364834 bytes", "has 22484"]),
        ("none.stl", &[0; 84], &["no triangles"]),
        ("text.stl", &text, &["text file", "`solid`", "binary"]),
        ("short-text.stl", b"solid", &["text file"]),
        ("infinite.stl", &infinite, &["corner 1 of triangle 7", "z: -inf", "finite"]),
    ];
    for (name, bytes, parts) in cases {
        let path = scratch(name);
        std::fs::write(&path, bytes).unwrap();
        fails("memmap_stl", &[&path], 1, &[&[name], parts].concat());
    }
    fails("memmap_stl", &[scratch("missing.stl")], 1, &["missing.stl"]);
    fails("memmap_stl", &[std::env::temp_dir()], 1, &["give a file; this is a folder or a device"]);
    fails("memmap_stl", &["a.stl", "b.stl"], 2, &["one file"]);
}

/// A binary file may start with the word that text files start with.
#[test]
fn stl_that_only_looks_like_text() {
    let mut gear = std::fs::read(file("examples/memmap_stl/gear.stl")).unwrap();
    gear[..5].copy_from_slice(b"solid");
    let path = scratch("solid.stl");
    std::fs::write(&path, gear).unwrap();
    assert!(stdout("memmap_stl", &[path]).starts_with("triangles 448\n"));
}
