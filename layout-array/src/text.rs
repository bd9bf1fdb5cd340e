//! Text: one locale writes or reads the elements in the order of the domain.

use core::fmt::Display;
use core::str::FromStr;
use std::io;

use layout_core::{Record, RecordLayout, ViewError, check_records};
use layout_domain::{Cyclic, Domain, Index, StridedRange, Targets};
use layout_mappings::SoA;
use layout_store::{Dim, Runtime, StoreRank};

use crate::{Array, ArrayError, agree, positions};

/// The number of bytes of elements for which the locale that writes or reads has memory at once.
const WINDOW: usize = 1 << 20;

/// The most bytes of the text of an element that is read.
const MOST: usize = 1 << 16;

/// The number of characters of the text of an element that an error shows.
const SHOWN: usize = 64;

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> Array<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    /// Waits for the elements and writes them as text, in the order of the domain, on one locale; the writers of other locales are not
    /// used. A row of the last dimension is a line, in which spaces separate elements; an empty line separates planes.
    ///
    /// The locale receives the elements in windows of at most 1 MiB, or of one index along the first dimension, and has memory for one
    /// window.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::{Array, ArrayError};
    /// use layout::domain::{Block, Cyclic, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let texts = Runtime::builder().locales(2).threads(1).whole_below(0).simulate(|rt| {
    ///     let grid = Domain::new([1..=2, 1..=3]);
    ///     let a: Array<i32, 2> =
    ///         Array::from_fn(rt, &grid, Cyclic::new([1, 1], Targets::all(2)?), |[i, j]| (10 * i + j) as i32)?;
    ///     let mut text = Vec::new();
    ///     a.write_text(0, &mut text)?;
    ///     let b: Array<i32, 2> = Array::new(rt, &grid, Block::over(&grid, Targets::all(2)?)?)?;
    ///     b.read_text(0, &mut text.as_slice())?;
    ///     assert_eq!(b.to_vec()?, [11, 12, 13, 21, 22, 23]);
    ///     Ok(String::from_utf8(text).expect("digits"))
    /// })?;
    /// let texts = texts.into_iter().collect::<Result<Vec<_>, ArrayError>>()?;
    /// assert_eq!(texts, ["11 12 13\n21 22 23\n", ""]);
    /// # Ok::<(), ArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`to_vec`](Self::to_vec), and [`ArrayError::Text`], on all locales, if the writer fails.
    pub fn write_text(&self, locale: usize, to: &mut impl io::Write) -> Result<(), ArrayError>
    where
        R: Display,
    {
        let shape = self.domain.shape();
        let mut written = 0;
        let mut outcome = Ok(());
        let mut gathered = Ok(());
        for window in self.windows()? {
            // An error is known to that locale alone, and the others go on with the next window; nothing is written after a hole.
            let values = match window.store.gather(locale) {
                Ok(values) => values.filter(|_| gathered.is_ok()),
                Err(error) => {
                    gathered = gathered.and(Err(error.into()));
                    None
                }
            };
            for value in values.into_iter().flatten() {
                written += 1;
                // The number of dimensions that end with this element.
                let mut length = 1;
                let ends = shape.iter().rev().take_while(|side| {
                    length *= **side;
                    written % length == 0
                });
                let after = match ends.count() {
                    _ if written == self.domain.len() => "\n",
                    0 => " ",
                    ends if ends >= 2 && N >= 3 => "\n\n",
                    _ => "\n",
                };
                outcome = outcome.and_then(|()| write!(to, "{value}{after}"));
            }
        }
        agree::outcome(&self.runtime(), gathered)?;
        let rt = self.runtime();
        if rt.locale() == locale {
            outcome = outcome.and_then(|()| to.flush());
        }
        tell(&rt, locale, outcome.map_err(|error| error.to_string()))
    }

    /// Reads all elements from text on one locale, in the order of the domain, separated by white space, and sends each to its owner; the
    /// readers of other locales are not used. Text after the last element stays in the reader, except for the one character of white space
    /// that ends the element.
    ///
    /// The locale has memory for one window, as in [`write_text`](Self::write_text), and for the text of one element.
    ///
    /// # Errors
    ///
    /// [`ArrayError::Text`], on all locales, if the text ends early, an element has more than 64 KiB of text or cannot be parsed, the layout
    /// refuses it, or the reader fails; the error names the element and shows the start of its text. Elements of earlier windows
    /// may have been written.
    pub fn read_text(&self, locale: usize, from: &mut impl io::BufRead) -> Result<(), ArrayError>
    where
        R: FromStr<Err: Display>,
    {
        let rt = self.runtime();
        let mut read = 0;
        for window in self.windows()? {
            let map = Cyclic::new([I::default(); N], Targets::grid([1; N], [locale])?);
            // If elements shared bytes, one locale would write all of them, and not the one that has the values.
            let aside: Array<R, N, SoA, I> = Array::new(&rt, &window.domain, map)?;
            let mut outcome = Ok(());
            let mut values = Vec::new();
            if rt.locale() == locale {
                for index in window.domain.iter() {
                    match value(from) {
                        Ok(value) => values.push(value),
                        Err(why) => {
                            outcome = Err(format!("element {read}, at {:?}: {why}", index.map(Index::wide)));
                            break;
                        }
                    }
                    read += 1;
                }
                let named = |error| match error {
                    ViewError::Value { index, error } => {
                        let number = index.as_ref()[0].cast_unsigned();
                        let index = window.domain.iter().nth(number).map(|index| index.map(Index::wide));
                        let index = index.unwrap_or_else(|| unreachable!("there is a value for each index"));
                        format!("element {}, at {index:?}: {error}", read - values.len() + number)
                    }
                    error => error.to_string(),
                };
                outcome = outcome.and_then(|()| check_records::<R, L>(&values).map_err(named));
            }
            tell(&rt, locale, outcome)?;
            // Other locales own no element of `aside` and have no values.
            aside.put_all(&values)?;
            window.assign(&aside)?;
        }
        Ok(())
    }

    /// Parts of the array, in order.
    fn windows(&self) -> Result<Vec<Self>, ArrayError> {
        // Without dimensions there is one element.
        let Some(rows) = self.domain.dims().first().map(StridedRange::len) else { return Ok(vec![self.clone()]) };
        let row = (self.domain.len().checked_div(rows).unwrap_or(0)).saturating_mul(size_of::<R>()).max(1);
        let step = (WINDOW / row).max(1);
        let window = |low: usize| {
            let mut dims = self.domain.shape().map(|side| StridedRange::from(0..side));
            dims[0] = StridedRange::from(low..(low + step).min(rows));
            self.slice(&positions::indices_of(&self.domain, &Domain::new(dims).with_type()?)?)
        };
        if self.domain.is_empty() { Ok(Vec::new()) } else { (0..rows).step_by(step).map(window).collect() }
    }
}

/// Tells all locales the outcome of one locale; the outcomes of the other locales are ignored.
fn tell(rt: &Runtime, locale: usize, outcome: Result<(), String>) -> Result<(), ArrayError> {
    let there: Array<u8, 1> = Array::new(rt, &Domain::from(0..=0), Cyclic::new([0], Targets::of([locale])?))?;
    let told = there.write().named("outcome").map(move |_, (mut there,)| {
        there.set(0, 0);
        Ok(outcome.clone())
    })?;
    told.get()?.into_iter().collect::<Result<(), _>>().map_err(|why| ArrayError::Text { locale, why })
}

/// The next value in a text.
fn value<R: FromStr<Err: Display>>(from: &mut impl io::BufRead) -> Result<R, String> {
    let mut word = Vec::new();
    loop {
        let bytes = match from.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.to_string()),
        };
        let ended = bytes.is_empty();
        let mut used = 0;
        let mut over = ended;
        // One byte more than an element may have is enough to know.
        for byte in bytes.iter().take(MOST + 1) {
            used += 1;
            match (byte.is_ascii_whitespace(), word.is_empty()) {
                (true, true) => {}
                (true, false) => {
                    over = true;
                    break;
                }
                (false, _) => word.push(*byte),
            }
        }
        from.consume(used);
        if word.len() > MOST {
            let start = String::from_utf8_lossy(&word[..SHOWN]);
            return Err(format!("`{start}...` has more than {MOST} bytes; white space separates elements"));
        }
        if over {
            break;
        }
    }
    match str::from_utf8(&word) {
        Ok("") => Err("the text ends".into()),
        Ok(word) => word.parse().map_err(|error| {
            let more = if word.chars().nth(SHOWN).is_some() { "..." } else { "" };
            format!("`{word:.SHOWN$}{more}`: {error}")
        }),
        Err(error) => Err(error.to_string()),
    }
}
