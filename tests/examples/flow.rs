//! `lattice_boltzmann`

use support::program::{fails, run, scratch, stdout};

const LAYOUTS: [&str; 5] = ["AoS", "SoA", "AoSoA<16>", "AoSoA<64>", "NumbersApart"];

/// The fastest cell after so many steps, as a part of the inflow's speed: the method as in a textbook, in `f64`.
fn fastest(height: i32, width: i32, steps: usize) -> f64 {
    const DIRECTIONS: [(i32, i32, f64); 9] = [
        (0, 0, 16.0),
        (0, 1, 4.0),
        (1, 0, 4.0),
        (0, -1, 4.0),
        (-1, 0, 4.0),
        (1, 1, 1.0),
        (1, -1, 1.0),
        (-1, -1, 1.0),
        (-1, 1, 1.0),
    ];
    let equilibrium = |density: f64, [u, v]: [f64; 2]| {
        DIRECTIONS.map(|(r, c, weight)| {
            let along = f64::from(r) * u + f64::from(c) * v;
            density * weight / 36.0 * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (u * u + v * v))
        })
    };
    let moments = |f: &[f64; 9]| {
        let density: f64 = f.iter().sum();
        let sum = |part: fn(&(i32, i32, f64)) -> i32| {
            f.iter().zip(&DIRECTIONS).map(|(f, direction)| f * f64::from(part(direction))).sum::<f64>() / density
        };
        (density, [sum(|d| d.0), sum(|d| d.1)])
    };
    let (speed, radius) = (0.1, f64::from(height) / 14.0);
    let rate = 1.0 / (3.0 * speed * 2.0 * radius / 150.0 + 0.5);
    let place = |i: i32, j: i32| usize::try_from(i.rem_euclid(height) * width + j).unwrap();
    let wall = |i: i32, j: i32| {
        let (down, right) = (f64::from(i) - f64::from(height) / 2.0, f64::from(j) - f64::from(width) / 5.0);
        down * down + right * right < radius * radius
    };
    let inflow = equilibrium(1.0, [0.0, speed]);
    let mut cells = vec![equilibrium(1.0, [0.02, speed]); place(height - 1, width - 1) + 1];
    for _ in 0..steps {
        let mut next = cells.clone();
        for (i, j) in (0..height).flat_map(|i| (0..width).map(move |j| (i, j))) {
            // What comes in at the left is given; what comes in at the right is what the last cell had.
            let streamed: [f64; 9] = core::array::from_fn(|k| match (DIRECTIONS[k].0, j - DIRECTIONS[k].1) {
                (_, ..0) => inflow[k],
                (r, column) => cells[place(i - r, column.min(width - 1))][k],
            });
            next[place(i, j)] = if wall(i, j) {
                [0, 3, 4, 1, 2, 7, 8, 5, 6].map(|k: usize| streamed[k])
            } else {
                let (density, velocity) = moments(&streamed);
                let goal = equilibrium(density, velocity);
                core::array::from_fn(|k| streamed[k] + rate * (goal[k] - streamed[k]))
            };
        }
        cells = next;
    }
    cells.iter().map(|f| moments(f).1).map(|[u, v]| u.hypot(v)).fold(0.0, f64::max) / speed
}

fn printed_fastest(text: &str) -> f64 {
    let (_, after) = text.split_once("the fastest cell has ").unwrap();
    after.split_once(' ').unwrap().0.parse().unwrap()
}

#[test]
fn flow_on_a_small_grid() {
    // Widths that are multiples of the lanes and of the blocks, and widths that are not.
    for (height, width, steps) in [(16, 64, 60), (13, 39, 45), (8, 8, 3)] {
        let numbers = [height, width].map(|n| n.to_string());
        let text = stdout(
            "lattice_boltzmann",
            &["--height", &numbers[0], "--width", &numbers[1], "--steps", &steps.to_string()],
        );
        assert!(text.contains(&format!("steps: {steps}, cells: [{height}, {width}]")), "{text}");
        let names: Vec<_> = text
            .lines()
            .filter(|line| line.ends_with(" of blocks"))
            .map(|line| line.split_whitespace().next().unwrap())
            .collect();
        assert_eq!(names, LAYOUTS);
        let expected = fastest(height, width, steps);
        assert!((printed_fastest(&text) - expected).abs() < 1e-3, "{text} {expected}");
    }
}

#[test]
fn flow_as_a_picture() {
    let path = scratch("flow.png");
    let arguments = ["--height", "28", "--width", "60", "--steps", "20", "--layout", "AoSoA<16>", "--picture"];
    let text = stdout("lattice_boltzmann", &[&arguments.map(AsRef::as_ref)[..], &[path.as_os_str()]].concat());
    // The layout alone, and no loops by hand.
    let lines: Vec<_> = text.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(lines, ["million", "AoSoA<16>", "The"], "{text}");
    assert!((printed_fastest(&text) - fastest(28, 60, 20)).abs() < 1e-3, "{text}");
    let picture = image::open(&path).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), (60, 28));
    assert_eq!(picture.get_pixel(12, 14).0, [206, 208, 214], "the cylinder");
    let colors: std::collections::HashSet<_> = picture.pixels().collect();
    assert!(colors.len() > 50, "{} colors", colors.len());
}

#[test]
fn flow_of_wrong_arguments() {
    for arguments in [
        &["--steps", "0"][..],
        &["--steps", "many"],
        &["--steps"],
        &["--height", "7"],
        &["--width", "4097"],
        &["--picture", "flow.png"],
        &["--layout", "SoA", "--picture", "flow.jpg"],
        &["--frobnicate"],
        &["many"],
    ] {
        fails("lattice_boltzmann", arguments, 2, &["--height", "--width", "8 to 4096", "1 to 1000000", "--layout"]);
    }
    fails("lattice_boltzmann", &["--steps", "0"], 2, &["--steps takes a whole number from 1 to 1000000, not `0`: "]);
    let help = stdout("lattice_boltzmann", &["--help"]);
    assert!(help.contains("8 to 4096") && LAYOUTS.iter().all(|layout| help.contains(layout)), "{help}");
    fails("lattice_boltzmann", &["--picture", "flow.png"], 2, &["--picture draws one layout, and --layout is missing"]);
    assert_eq!(run("lattice_boltzmann", &["--layout", "SoAoS"]).stdout, b"", "no heading of a table");
    // So few cells that the numbers grow without end.
    let unstable = ["--height", "8", "--width", "8", "--steps", "3000", "--layout", "SoA"];
    fails("lattice_boltzmann", &unstable, 1, &["not stable", "a larger --height, or fewer --steps"]);
    let small = ["--height", "8", "--width", "8", "--steps", "1", "--layout"];
    fails(
        "lattice_boltzmann",
        &[&small[..], &["SoAoS"]].concat(),
        2,
        &["no layout `SoAoS`", "AoS, SoA", "NumbersApart"],
    );
    let picture = scratch("missing/flow.png");
    let arguments =
        [&small.map(AsRef::as_ref)[..], &["SoA".as_ref(), "--picture".as_ref(), picture.as_os_str()]].concat();
    fails("lattice_boltzmann", &arguments, 1, &["flow.png"]);
    assert_eq!(run("lattice_boltzmann", &arguments).stdout, b"", "the file is refused before the work");
}
