//! `image_blur`

use image::{Rgba, RgbaImage};

use support::program::{fails, file, scratch, stdout};

/// The blur by definition: both directions of each blur, over a picture that goes on for ever with its outermost pixels.
fn blurred(picture: &RgbaImage, blurs: i64) -> RgbaImage {
    let (width, height) = (i64::from(picture.width()), i64::from(picture.height()));
    let border = 2 * blurs;
    let at = |i: i64, len: i64| u32::try_from(i.clamp(0, len - 1)).unwrap();
    let (wide, high) = (width + 2 * border, height + 2 * border);
    let mut rows: Vec<Vec<Rgba<u8>>> = (-border..height + border)
        .map(|y| (-border..width + border).map(|x| *picture.get_pixel(at(x, width), at(y, height))).collect())
        .collect();
    for _ in 0..blurs {
        for (dx, dy) in [(0, 1), (1, 0)] {
            let pixel = |x: i64, y: i64, channel: usize| {
                let tap = |k: i64| {
                    let x = usize::try_from((x + k * dx).clamp(0, wide - 1)).unwrap();
                    u32::from(rows[usize::try_from((y + k * dy).clamp(0, high - 1)).unwrap()][x].0[channel])
                };
                let sum = [(-2, 1), (-1, 4), (0, 6), (1, 4), (2, 1)].map(|(k, weight)| weight * tap(k));
                u8::try_from((sum.iter().sum::<u32>() + 8) / 16).unwrap()
            };
            rows = (0..high)
                .map(|y| (0..wide).map(|x| Rgba([0, 1, 2, 3].map(|channel| pixel(x, y, channel)))).collect())
                .collect();
        }
    }
    let border = usize::try_from(border).unwrap();
    RgbaImage::from_fn(picture.width(), picture.height(), |x, y| rows[y as usize + border][x as usize + border])
}

#[test]
fn blur_of_a_small_picture() {
    let byte = |number: u32| u8::try_from(number % 256).unwrap();
    for (width, height) in [(23, 9), (1, 1), (64, 2)] {
        let picture = RgbaImage::from_fn(width, height, |x, y| {
            Rgba([byte(x * 77 + y * 130), byte(x * x * 31 + y), byte(255 * (x + y)), byte(x * 90 + y * y * 40)])
        });
        let (from, to) = (scratch(&format!("{width}.png")), scratch(&format!("{width}-blurred.png")));
        picture.save(&from).unwrap();
        let text = stdout("image_blur", &[from.as_os_str(), to.as_os_str(), "2".as_ref()]);
        assert!(text.starts_with(&format!("{width} x {height} pixels, blurs: 2\n")), "{text}");
        assert!(text.contains("The same bytes in all layouts"), "{text}");
        assert!(image::open(&to).unwrap().into_rgba8() == blurred(&picture, 2));
    }
}

#[test]
fn blur_of_a_damaged_picture() {
    let harbor = std::fs::read(file("examples/image_blur/harbor.png")).unwrap();
    assert!(harbor.len() <= 1 << 16);
    let mut flipped = harbor.clone();
    flipped[harbor.len() / 2] ^= 4;
    // The name does not matter.
    let (plain, blurred) = (scratch("harbor"), scratch("of-harbor.png"));
    std::fs::write(&plain, &harbor).unwrap();
    assert!(stdout("image_blur", &[plain.as_os_str(), blurred.as_os_str(), "1".as_ref()]).contains("blurs: 1\n"));
    fails("image_blur", &[scratch("."), blurred], 1, &["give a PNG: this is a folder or a device"]);
    for (name, bytes) in [
        ("cut.png", &harbor[..harbor.len() / 2]),
        ("flipped.png", &flipped[..]),
        ("text.png", b"a text"),
        ("empty.png", b""),
    ] {
        let (from, to) = (scratch(name), scratch("never.png"));
        std::fs::write(&from, bytes).unwrap();
        fails("image_blur", &[&from, &to], 1, &[name]);
        assert!(!to.exists());
    }
    let kept = scratch("kept.jpg");
    std::fs::write(&kept, "kept").unwrap();
    fails("image_blur", &[&file("examples/image_blur/harbor.png"), &kept], 2, &["kept.jpg", "ends with .png"]);
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "kept");
    fails("image_blur", &[file("examples/image_blur/harbor.png"), scratch("missing/a.png")], 1, &["missing"]);
    assert!(stdout("image_blur", &["--help"]).contains("the PNG to read"));
    fails("image_blur", &[scratch("none.png"), scratch("never.png")], 1, &["none.png"]);
}

#[test]
fn blur_of_wrong_arguments() {
    for arguments in [
        &["a.png"][..],
        &["a.png", "b.png", "0"],
        &["a.png", "b.png", "33"],
        &["a.png", "b.png", "many"],
        &["a", "b", "2", "3"],
    ] {
        fails("image_blur", arguments, 2, &["PNG to read", "PNG to write", "1 to 32"]);
    }
}
