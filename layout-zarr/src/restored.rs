//! The values of a restored checkpoint, beside its stores.

use std::path::PathBuf;

use std::collections::BTreeMap;

use layout_core::{Portable, Record};

use crate::error::ZarrError;
use crate::leaf::Leaf;
use crate::manifest::{METADATA, Value, check_leaves, missing};

/// A checkpoint that was restored: its number, and its values.
#[derive(Clone, Debug)]
pub struct Restored {
    pub(crate) folder: PathBuf,
    pub(crate) generation: u64,
    pub(crate) values: BTreeMap<String, Value>,
}

impl Restored {
    /// The number of the checkpoint.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The value of this name.
    ///
    /// # Errors
    ///
    /// An error if the checkpoint has no value of this name, or a value of another record. A record with the same leaves in another
    /// order is another one.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::Runtime;
    /// use layout_zarr::{Checkpoint, ZarrError};
    ///
    /// # let folder = std::env::temp_dir().join(format!("value-{}", std::process::id()));
    /// let rt = Runtime::new()?;
    /// Checkpoint::new(&folder).value("step", 12_u64).value("range", [-1.0, 1.5]).write(&rt)?;
    /// let found = Checkpoint::new(&folder).restore(&rt)?.expect("it was written");
    /// assert_eq!((found.value::<u64>("step")?, found.value("range")?), (12, [-1.0, 1.5]));
    /// assert!(matches!(found.value::<u32>("step"), Err(ZarrError::Record { .. })));
    /// # std::fs::remove_dir_all(&folder).expect("it is there");
    /// # Ok::<(), ZarrError>(())
    /// ```
    pub fn value<R: Record + Portable>(&self, name: &str) -> Result<R, ZarrError> {
        let value = self.values.get(name).ok_or_else(|| missing(&self.folder, "value", name, self.values.keys()))?;
        // The bytes of the leaves have no names.
        check_leaves(&self.folder, name, &value.leaves, &Leaf::all::<R>(), true)?;
        let wrong = || {
            let why = format!("the bytes of value `{name}` are no value of its record");
            ZarrError::damaged(&self.folder.join(METADATA), why)
        };
        let bytes = decoded(&value.bytes).ok_or_else(wrong)?;
        let mut rest = &bytes[..];
        let read = R::read(&mut rest).map_err(|_| wrong())?;
        if rest.is_empty() { Ok(read) } else { Err(wrong()) }
    }
}

/// The bytes of hexadecimal digits.
fn decoded(digits: &str) -> Option<Vec<u8>> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
    pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}
