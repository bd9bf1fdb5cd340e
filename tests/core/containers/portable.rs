//! Values as bytes, there and back.

use core::fmt::Debug;
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::Arc;

use layout::Record;
use layout::error::PortableError;
use layout::record::{LeafTable, Portable};
use proptest::prelude::*;

use super::{Nested, Sample, Strict};

/// It is read as it was written, with what comes after it; and from fewer bytes not at all.
fn there_and_back<T: Portable + PartialEq + Debug>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    let size = bytes.len();
    bytes.push(7);
    let mut from = &bytes[..];
    assert_eq!(T::read(&mut from).as_ref(), Ok(value));
    assert_eq!(from, [7]);
    for shorter in 0..size {
        let told = T::read(&mut &bytes[..shorter]).unwrap_err();
        assert!(matches!(told, PortableError::Short(_)), "{value:?} of {shorter} bytes: {told}");
    }
    bytes.truncate(size);
    bytes
}

fn record<R: Sample>(seed: u16) {
    let value = R::sample(seed);
    let table = LeafTable::of::<R>();
    assert_eq!(there_and_back(&value).len(), table.packed());
    there_and_back(&[value; 2]);
    there_and_back(&Some(vec![value]));
}

proptest! {
    #[test]
    fn values_come_back(
        seed in any::<u16>(),
        text in "\\PC{0,9}",
        numbers in prop::collection::vec(any::<Option<i64>>(), 0..5),
        map in prop::collection::btree_map(any::<u8>(), "[a-c]{0,3}", 0..4),
        result in any::<Result<u128, (char, bool)>>(),
    ) {
        record::<Strict>(seed);
        record::<Nested>(seed);
        there_and_back(&(text.clone(), numbers.clone(), result));
        there_and_back(&[text.clone(), String::new()]);
        there_and_back(&(Box::new(seed), Arc::<[Option<i64>]>::from(numbers), Duration::new(seed.into(), 5)));
        there_and_back::<BTreeMap<u8, String>>(&map);
        there_and_back(&(1_u8, 2_i8, 3_f32, 4_f64, (), vec![(); 3], [text; 0]));
    }

    /// Whatever bytes come, there is a value or an error.
    #[test]
    fn other_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        type Value = (Option<bool>, Vec<Strict>, Result<String, Vec<Box<u8>>>);
        if let Ok(value) = <Vec<Vec<(bool, Strict)>>>::read(&mut &bytes[..]) {
            there_and_back(&value);
        }
        let _ = <Value>::read(&mut &bytes[..]);
    }
}

#[test]
fn what_is_no_value_is_named() {
    let told = |told: PortableError| told.to_string();
    assert_eq!(told(char::read(&mut &[0, 0xd8, 0, 0][..]).unwrap_err()), "bytes that are no value of `char`");
    let mut bytes = Vec::new();
    Strict::sample(1).write(&mut bytes);
    bytes[2] = 2;
    assert!(told(Strict::read(&mut &bytes[..]).unwrap_err()).ends_with("::Strict`"));
    let mut bytes = Vec::new();
    (u64::MAX, 1_000_000_000_u32).write(&mut bytes);
    assert!(told(Duration::read(&mut &bytes[..]).unwrap_err()).contains("Duration"));
    // A length that nobody has room for takes no room.
    let many = usize::MAX.to_ne_bytes();
    assert!(matches!(<Vec<u64>>::read(&mut &many[..]), Err(PortableError::Short(_))));
    assert!(matches!(<Vec<()>>::read(&mut &many[..]), Err(PortableError::Short(_))));
    assert!(matches!(String::read(&mut &many[..]), Err(PortableError::Short(_))));
    assert!(matches!(<Vec<Box<()>>>::read(&mut &many[..]), Err(PortableError::Short(_))));
}

/// Records that are generic, or have no leaves.
#[test]
fn records_of_any_form_are_portable() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Pair<T: Record>(T, [T; 2]);

    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Nothing([bool; 0]);

    assert_eq!(there_and_back(&Pair(1_u16, [2, 3])), [1_u16, 2, 3].map(u16::to_ne_bytes).concat());
    assert_eq!(
        there_and_back(&Pair(Pair(true, [false, true]), [Pair(false, [true; 2]); 2])),
        [1, 0, 1, 0, 1, 1, 0, 1, 1]
    );
    assert!(there_and_back(&Nothing([])).is_empty());
}
