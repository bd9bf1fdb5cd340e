//! Arrays as text, which one locale writes and reads.

use std::io::{self, Read as _};

use layout::bits::{BitPackedIntSoA, Bits};
use layout_array::Array;
use layout_domain::{Block, BlockCyclic, Cyclic, Domain, Targets};
use layout_store::Runtime;

use crate::{LOCALES, builder, on};

/// Rows are lines, and planes are apart, whatever locale has which element and which one writes.
#[test]
fn text_is_in_the_order_of_the_domain() {
    for locales in LOCALES {
        let texts = on(builder(locales), locales, |rt, locales| {
            let writer = locales - 1;
            let space = Domain::new([0..=1, 0..=2, 5..=6]);
            let map = BlockCyclic::new([0, 0, 5], [1, 2, 1], Targets::grid([1, locales, 1], locales_to(locales))?)?;
            let a: Array<i64, 3> = Array::from_fn(rt, &space, map, |[i, j, k]| 100 * i + 10 * j + k)?;
            let mut text = Vec::new();
            a.write_text(writer, &mut text)?;
            // Rows that go down, in another type of index.
            let line = Domain::<1, i16>::from(1..=5).by([-2])?;
            let b: Array<f32, 1, layout::SoA, i16> =
                Array::from_fn(rt, &line, Cyclic::new([0], Targets::all(locales)?), |[i]| f32::from(i) / 2.0)?;
            b.write_text(writer, &mut text)?;
            let none: Array<f32, 1> = Array::new(rt, &Domain::from(0..0), Cyclic::new([0], Targets::all(locales)?))?;
            none.write_text(writer, &mut text)?;
            Ok(String::from_utf8(text).expect("digits"))
        });
        let expected = "5 6\n15 16\n25 26\n\n105 106\n115 116\n125 126\n2.5 1.5 0.5\n";
        for (locale, text) in texts.into_iter().enumerate() {
            assert_eq!(text, if locale == locales - 1 { expected } else { "" }, "locale {locale} of {locales}");
        }
    }
}

fn locales_to(count: usize) -> Vec<usize> {
    (0..count).collect()
}

/// Written text is read into another distribution, and in windows.
#[test]
fn text_comes_back() {
    for locales in LOCALES {
        let same = on(builder(locales), locales, |rt, locales| {
            // More than three windows.
            let grid = Domain::new([-3..=700, 0..=600]);
            let a: Array<f64, 2> = Array::from_fn(rt, &grid, Cyclic::new([0, 0], Targets::all(locales)?), |[i, j]| {
                (i * 7 + j) as f64 / 4.0
            })?;
            let mut text = Vec::new();
            a.write_text(0, &mut text)?;
            text.extend_from_slice(b"rest");
            let b: Array<f64, 2> = Array::new(rt, &grid, Block::over(&grid, Targets::all(locales)?)?)?;
            let mut reader = text.as_slice();
            b.read_text(0, &mut reader)?;
            assert_eq!(reader, if rt.locale() == 0 { b"rest" } else { b"rest".as_slice() });
            Ok(a.to_vec()? == b.to_vec()?)
        });
        assert!(same.into_iter().all(|same| same), "{locales} locales");
    }
}

/// A writer or reader that fails does so on all locales, with the same words, and the runtime goes on.
#[test]
fn what_fails_on_one_locale_is_told_to_all() {
    for locales in LOCALES {
        let errors = on(builder(locales), locales, |rt, locales| {
            let line = Domain::from(4..=9);
            let a: Array<u8, 1> = Array::filled(rt, &line, Block::over(&line, Targets::all(locales)?)?, 7)?;
            let mut full = [0_u8; 3];
            let errors = [
                a.write_text(locales - 1, &mut full.as_mut_slice()),
                a.read_text(0, &mut b"1 2 x 4 5 6".as_slice()),
                a.read_text(0, &mut b"1 2 3 4 500 6".as_slice()),
                a.read_text(0, &mut b" 1\n2\t3  ".as_slice()),
                a.read_text(locales, &mut b"1 2 3 4 5 6".as_slice()),
            ];
            let errors = errors.map(|error| error.expect_err("an error").to_string());
            assert_eq!(a.to_vec()?, [7; 6]);
            let blocks = Block::over(&line, Targets::all(locales)?)?;
            let small: Array<u8, 1, BitPackedIntSoA<Bits<4>>> = Array::filled(rt, &line, blocks, 7)?;
            let refused = small.read_text(0, &mut b"1 2 3 4 16 6".as_slice()).expect_err("an error").to_string();
            let why = "value 16 does not fit leaf `u8`, which stores 0 to 15";
            assert_eq!(refused, format!("text on locale 0: element 4, at [8]: {why}"));
            assert_eq!(small.to_vec()?, [7; 6]);
            small.read_text(0, &mut b"1 2 3 4 15 6".as_slice())?;
            assert_eq!(small.to_vec()?, [1, 2, 3, 4, 15, 6]);
            Ok(errors.to_vec())
        });
        for errors in errors {
            assert_eq!(errors[0], format!("text on locale {}: failed to write whole buffer", locales - 1));
            assert_eq!(errors[1], "text on locale 0: element 2, at [6]: `x`: invalid digit found in string");
            let large = "text on locale 0: element 4, at [8]: `500`: number too large to fit in target type";
            assert_eq!(errors[2], large);
            assert_eq!(errors[3], "text on locale 0: element 3, at [7]: the text ends");
            assert!(errors[4].contains(&locales.to_string()), "{}", errors[4]);
        }
    }
}

/// A text that has no white space, as data that is no text, is not read to its end, and an error shows its start.
#[test]
fn elements_of_any_length_are_refused() {
    for locales in LOCALES {
        let told = on(builder(locales), locales, |rt, locales| {
            let line = Domain::from(4..=9);
            let a: Array<u8, 1> = Array::filled(rt, &line, Block::over(&line, Targets::all(locales)?)?, 7)?;
            let told = |text: &mut dyn io::BufRead| {
                let mut text = text;
                a.read_text(0, &mut text).expect_err("an error").to_string()
            };
            let most = "x".repeat(1 << 16);
            let endless = io::Cursor::new("1 ").chain(io::repeat(b'0'));
            let told = vec![
                told(&mut io::BufReader::new(endless)),
                told(&mut format!("1 {most}x 3").as_bytes()),
                told(&mut format!("1 {most} 3").as_bytes()),
                told(&mut format!("1 {} 3", "ü".repeat(65)).as_bytes()),
                told(&mut format!("1 {} 3", "ü".repeat(64)).as_bytes()),
            ];
            assert_eq!(a.to_vec()?, [7; 6]);
            // Zeros count, and white space does not.
            let (zeros, spaces) = ("0".repeat((1 << 16) - 1), " ".repeat(1 << 17));
            a.read_text(0, &mut format!("{spaces}{zeros}1{spaces}2 3 4 5 6").as_bytes())?;
            assert_eq!(a.to_vec()?, [1, 2, 3, 4, 5, 6]);
            Ok(told)
        });
        let at = "text on locale 0: element 1, at [5]: ";
        let (start, why) = ("x".repeat(64), "invalid digit found in string");
        let limit = "has more than 65536 bytes; white space separates elements";
        let expected = [
            format!("{at}`{}...` {limit}", "0".repeat(64)),
            format!("{at}`{start}...` {limit}"),
            format!("{at}`{start}...`: {why}"),
            format!("{at}`{}...`: {why}", "ü".repeat(64)),
            format!("{at}`{}`: {why}", "ü".repeat(64)),
        ];
        assert!(told.iter().all(|told| *told == expected), "{told:?}");
    }
}

/// The writers of other locales are not used: nothing of them is called.
#[test]
fn writers_of_other_locales_are_left_alone() {
    struct Calls(usize);

    impl io::Write for Calls {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += 1;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0 += 1;
            Ok(())
        }
    }

    for locales in LOCALES {
        let calls = on(builder(locales), locales, |rt, locales| {
            let line = Domain::from(0..=5);
            let a: Array<i64, 1> = Array::filled(rt, &line, Cyclic::new([0], Targets::all(locales)?), 1)?;
            let mut calls = Calls(0);
            a.write_text(locales - 1, &mut calls)?;
            Ok(calls.0)
        });
        assert!(calls[locales - 1] > 0 && calls[..locales - 1].iter().all(|calls| *calls == 0), "{calls:?}");
    }
}

/// A distribution may have fewer locales than there are.
#[test]
fn a_locale_without_elements_writes_those_of_others() {
    let texts = on(Runtime::builder().locales(3).threads(2), 0_usize, |rt, _| {
        let line = Domain::from(0..=3);
        let a: Array<i64, 1> = Array::from_fn(rt, &line, Block::over(&line, Targets::of([0, 1])?)?, |[i]| i)?;
        let mut text = Vec::new();
        a.write_text(2, &mut text)?;
        Ok(text)
    });
    assert_eq!(texts, [b"".to_vec(), b"".to_vec(), b"0 1 2 3\n".to_vec()]);
}
