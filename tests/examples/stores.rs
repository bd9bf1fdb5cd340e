//! The examples of stores and arrays: `cavity`, `distributed_sort`, `game_of_life`, `heat`, `matmul`, `spmv`, `histogram`, `migrate`,
//! `pagerank`, `particles`, `stores_tour`. Each checks its result itself.

use support::program::{fails, file, run, scratch, stdout};

#[test]
fn cavity_draws_its_flow() {
    let path = scratch("cavity.png");
    let text = stdout("cavity", &[path.as_os_str(), "30".as_ref()]);
    for layout in ["AoS", "SoA", "AoSoA<16>"] {
        assert!(text.lines().any(|line| line.trim().starts_with(&format!("{layout} ")) && line.contains(" of views")));
    }
    // Three locales have a third each: of each of both cuts, a row of 128 cells goes each way.
    assert!(text.contains(&format!("locales: 3; they send each other {} bytes a step", 2 * 2 * 128 * 36)), "{text}");
    assert!(text.contains(" of the lid's speed; published is -0.2109\n"), "{text}");
    assert!(text.contains("the flow still changes: published is that after 30000 steps or more\n"), "{text}");
    let picture = image::open(&path).unwrap().into_rgb8();
    // A scale of 16 pixels is beside it.
    assert_eq!(picture.dimensions(), (512 + 8 + 16, 512));
    let bright = |x, y| picture.get_pixel(x, y).0.iter().map(|color| u32::from(*color)).sum::<u32>();
    assert!(bright(256, 0) > 2 * bright(256, 256), "the lid moves, and the middle rests");
    assert_eq!([0, 511].map(|y| bright(530, y)), [765, 0], "from the speed of the lid to none");
    // A folder that is not there, and an argument that is no number.
    let none = scratch("missing/cavity.png");
    fails("cavity", &[none.as_os_str(), "1".as_ref()], 1, &["cavity.png"]);
    let output = run("cavity", &[none.as_os_str()]);
    assert!(output.stdout.is_empty(), "the file is refused before the work: {output:?}");
    for number in ["many", "0"] {
        fails("cavity", &[path.as_os_str(), number.as_ref()], 2, &["the number of steps, 1 or more"]);
    }
    // A name of another format, before all else.
    let output = run("cavity", &["picture"]);
    assert!(output.stdout.is_empty() && output.status.code() == Some(2), "{output:?}");
}

#[test]
fn game_of_life_is_as_by_hand() {
    let path = scratch("life/game_of_life.png");
    let text = stdout("game_of_life", &[path.as_os_str(), "60".as_ref()]);
    assert!(text.contains("generations: 60, of 96 by 160 cells on 4 locales, as by hand: "), "{text}");
    // Around a block of 48 by 80 lie 260 cells of two bytes.
    for locale in 0..4 {
        assert!(text.contains(&format!("locale {locale} sends 520 bytes in ")), "{text}");
    }
    let picture = image::open(&path).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), (800, 480));
    assert!(picture.pixels().filter(|pixel| pixel.0[0] == 255).count() > 50 * 25, "cells live");
    assert_eq!(picture.get_pixel(790, 470).0, [20, 24, 44], "no cell lived there");
    fails("game_of_life", &[path.join("of a file.png").as_os_str(), "1".as_ref()], 1, &["game_of_life"]);
    fails("game_of_life", &["life.jpg"], 2, &["life.jpg: give a name that ends with .png"]);
    fails("game_of_life", &[path.as_os_str(), "many".as_ref()], 2, &["the number of generations"]);
}

#[test]
fn heat_draws_what_it_computed() {
    let folder = scratch("heat");
    let _ = std::fs::remove_dir_all(&folder);
    let text = stdout("heat", &[folder.as_os_str(), "40".as_ref()]);
    assert!(text.contains("steps: 40, points: 257 by 257"), "{text}");
    let last = image::open(folder.join("heat_00040.png")).unwrap().to_rgb8();
    assert_eq!(last.dimensions(), (915, 823));
    // A point is three pixels wide, beside a margin. The longest wave has one half along columns and two along rows: hot above, cold below.
    let point = |x: u32, y: u32| last.get_pixel(12 + 3 * x + 1, 40 + 3 * y + 1).0;
    let (above, below) = (point(128, 48), point(180, 192));
    assert!(above[0] > above[2] && below[2] > below[0], "{above:?} {below:?}");
    assert_eq!(point(0, 0), [255; 3]);
    assert_eq!(last.get_pixel(11, 39).0, [0; 3], "a frame around the plate");
    // The bar goes from hot to cold.
    let bar = [41, 425, 808].map(|y| last.get_pixel(12 + 771 + 12 + 10, y).0);
    assert!(bar[0][0] > bar[0][2] && bar[1].iter().all(|part| *part > 250) && bar[2][2] > bar[2][0], "{bar:?}");
    // All pictures have one scale: the numbers beside the bar are those of the first picture.
    let first = image::open(folder.join("heat_00000.png")).unwrap().to_rgb8();
    let numbers = |picture| image::imageops::crop_imm(picture, 820, 40, 95, 771).to_image();
    assert!(numbers(&first) == numbers(&last));
    // Ten steps have no four equal parts.
    let folder = folder.join("of ten");
    stdout("heat", &[folder.as_os_str(), "10".as_ref()]);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 5);
    // A folder in a file.
    let none = folder.join("heat_00010.png/folder");
    fails("heat", &[none.as_os_str(), "10".as_ref()], 1, &["heat_00010.png"]);
    for number in ["ten", "0"] {
        fails("heat", &[folder.as_os_str(), number.as_ref()], 2, &["the number of steps, 1 or more"]);
    }
}

#[test]
fn wrong_arguments_are_answered_by_a_usage() {
    for (example, part) in [
        ("cavity", "the number of steps"),
        ("distributed_sort", "the number of locales, 1 to 64"),
        ("game_of_life", "the number of generations"),
        ("heat", "a folder for pictures"),
        ("histogram", "give a PNG"),
        ("matmul", "the side of the matrices, 1 or more"),
        ("migrate", "no arguments"),
        ("particles", "the number of particles"),
        ("spmv", "a matrix in the Matrix Market format"),
        ("stores_tour", "no arguments"),
    ] {
        assert!(stdout(example, &["--help"]).contains(part), "{example}");
        fails(example, &["-x"], 2, &[part]);
        assert!(!std::path::Path::new("-x").exists() && !std::path::Path::new("--help").exists(), "{example}");
    }
    for (example, argument) in [
        ("distributed_sort", "0"),
        ("distributed_sort", "65"),
        ("matmul", "0"),
        ("matmul", "many"),
        ("migrate", "x"),
        ("particles", "0"),
        ("particles", "many"),
        ("stores_tour", "x"),
    ] {
        fails(example, &[argument], 2, &["give "]);
    }
    fails("histogram", &[scratch("missing.png")], 1, &["missing.png"]);
}

#[test]
fn spmv_of_a_matrix_and_of_files_that_are_none() {
    let text = stdout("spmv", &[file("examples/spmv/gr_30_30.mtx")]);
    assert!(text.contains("900 by 900, entries: 7744") && text.contains("locale 1 sends 480 bytes"), "{text}");
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let broken = [
        ("", "an empty file"),
        ("%%MatrixMarket matrix array real general\n2 2\n", "allowed are real coordinate matrices"),
        (&format!("{head}2 3 1\n1 1 1\n"), "must be square"),
        (&format!("{head}2 2 1\n1 3 1\n"), "rows and columns are 1 to 2"),
        (&format!("{head}2 2 2\n1 1 1\n"), "entries: 1, and the file says that there are 2"),
        (&format!("{head}2 2 1\n1 1 one\n"), ": line 3: `1 1 one`: invalid float"),
        (&format!("{head}% a comment\n2 2 1\n\n1 1.5 1\n"), ": line 5: `1 1.5 1`: rows and columns are 1 to 2"),
        (&format!("{head}2 2 1\n1 1 nan\n"), ": line 3: `1 1 nan`: entries are finite numbers"),
        // Sizes for which there is neither the time nor the memory.
        (&format!("{head}{0} {0} 1\n0 1 1\n", i64::MAX), "rows and columns are 1 to 9223372036854775807"),
        (&format!("{head}{0} {0} 1\n1 1 1\n", i64::MAX), "entries: 1, rows: 9223372036854775807"),
        // A matrix that is not positive definite, one that is singular, and one whose products overflow.
        (&format!("{head}2 2 2\n1 1 1\n2 2 -1\n"), "the matrix is not positive definite"),
        (&format!("{head}2 2 2\n1 1 1\n2 1 0\n"), "no solution after 1 steps: the matrix is not symmetric"),
        (&format!("{head}2 2 2\n1 1 1e300\n2 2 1\n"), "no solution after 0 steps"),
    ];
    for (number, (text, part)) in broken.into_iter().enumerate() {
        let name = format!("broken{number}.mtx");
        let path = scratch(&name);
        std::fs::write(&path, text).unwrap();
        // The last three are files in order.
        let parts: &[&str] = if number < 10 { &[&name, part] } else { &[part] };
        fails("spmv", &[path], 1, parts);
    }
    fails("spmv", &[scratch("missing.mtx")], 1, &["missing.mtx"]);
}

#[test]
fn histogram_of_the_harbor() {
    let text = stdout::<&str>("histogram", &[]);
    // The bins of each color are a column without gaps.
    assert_eq!(text.lines().filter(|line| line.starts_with("  232.. ")).count(), 3, "{text}");
    assert!(["red", "green", "blue"].iter().all(|channel| text.lines().any(|line| line == *channel)), "{text}");
}

#[test]
fn pages_are_ranked() {
    let text = stdout::<&str>("pagerank", &[]);
    for line in [
        "pages: 256, links: 940",
        "on 1 locale, steps: 33, as the serial loop; bytes sent: 0 for the links, 0 for the first step, 0 for the last",
        // 409 ranks that links to pages of other locales name, and 192 bytes for two sums.
        "on 4 locales, steps: 33, as the serial loop; bytes sent: 17568 for the links, 8254 for the first step, 3464 for the last",
        "  page   2: 0.087120",
        "  page   0: 0.081017",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}: {text}");
    }
    let text = stdout("pagerank", &["speed", "300"]);
    assert!(text.contains("pages: 300") && text.contains("the serial loop"), "{text}");
    let help = stdout("pagerank", &["--help"]);
    for wrong in [&["speed", "none"][..], &["speed", "0"], &["speed", "4194305"], &["-x"], &["a", "b"]] {
        let output = run("pagerank", wrong);
        assert!(output.status.code() == Some(2) && output.stderr == help.as_bytes(), "{output:?}");
    }
    assert!(help.starts_with("pagerank: ") && help.contains("speed [PAGES]"), "{help}");
    for (number, (text, part)) in [
        ("", "a file without links"),
        ("1 two\n", "line 1: `1 two`: a link is two numbers"),
        ("1 2 3\n", "line 1: `1 2 3`: a link is two numbers"),
        ("# a link\n\n67108864 0\n", "line 3: `67108864 0`: a link is two numbers of pages, 0 to 67108863"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("links{number}.txt");
        let path = scratch(&name);
        std::fs::write(&path, text).unwrap();
        fails("pagerank", &[path], 1, &[&name, part]);
    }
    fails("pagerank", &[scratch("missing-links.txt")], 1, &["missing-links.txt"]);
}

#[test]
fn particles_migrate() {
    let text = stdout::<&str>("migrate", &[]);
    assert!(text.contains("locales: 1; all particles are where they should be; 0 went to another locale"), "{text}");
    assert!(text.contains("locales: 4; all particles are where they should be; "), "{text}");
}

#[test]
fn particles_by_tiles() {
    let text = stdout("particles", &["300"]);
    assert!(text.contains("bit by bit the same as in one loop: true"), "{text}");
    // More than there can be: an error, and no panic.
    assert_eq!(run("particles", &[&usize::MAX.to_string()]).status.code(), Some(1));
}

#[test]
fn tour() {
    let text = stdout::<&str>("stores_tour", &[]);
    assert!(
        text.contains("grid.transpose([1, 0])\n    extents [4, 3], Transpose(axes: [1, 0])\n      0 10 20"),
        "{text}"
    );
}

#[test]
fn distributed_sort_shares_out_stars() {
    let text = stdout("distributed_sort", &[] as &[&str]);
    assert!(text.starts_with("200000 stars of 8 bytes, by magnitude, locales: 4\n"), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains(" merged ")).count(), 4, "{text}");
    let ratio = |before: &str| {
        let rest = text.split_once(before).map_or("", |(_, rest)| rest);
        rest.split(' ').next().and_then(|number| number.parse::<f64>().ok()).expect(before)
    };
    // With four samples of each of four tiles a share is 2 at most. Three of four stars change their locale, and few go twice.
    assert!((1.0..2.0).contains(&ratio("the largest share is ")), "{text}");
    let (sent, moved) = (ratio("of an equal one\n"), ratio(" bytes were sent; "));
    assert!((0.7 * 1_600_000.0..0.8 * 1_600_000.0).contains(&moved) && (0.8..1.5).contains(&(sent / moved)), "{text}");
    assert!(text.contains("up to magnitude 13.") && !text.contains("up to magnitude 1324"), "{text}");
    assert!(text.ends_with("by the stable sort of the standard library\n"), "{text}");
}

#[test]
fn matmul_sends_rows_and_columns() {
    let text = stdout("matmul", &["128"]);
    let bytes = |name: &str| {
        let line = text.lines().find(|line| line.contains(name)).expect(name);
        let words: Vec<&str> = line.split_whitespace().collect();
        words[words.len() - 3].parse::<u64>().expect(line)
    };
    // Of each matrix, a block from the one neighbor in the row or column; or all rows of others.
    assert_eq!(bytes("square blocks"), 4 * 2 * 64 * 64 * 8, "{text}");
    assert_eq!(bytes("blocks of rows"), 4 * 96 * 128 * 8, "{text}");
    assert!(text.ends_with("all are what three loops give\n"), "{text}");
}
