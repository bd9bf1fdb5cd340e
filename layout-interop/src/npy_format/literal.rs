//! Python literals: the header of a `.npy` file is a dictionary with strings, numbers, tuples and lists.

use core::fmt;

/// A literal value.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A string without escapes. It may have quotes of one kind, single or double ones.
    Text(String),
    /// An integer.
    Number(i64),
    /// `True` or `False`.
    Bool(bool),
    /// `(1, 2)`.
    Tuple(Vec<Literal>),
    /// `[1, 2]`.
    List(Vec<Literal>),
    /// `{'a': 1}`.
    Dict(Vec<(String, Literal)>),
}

/// The largest nesting depth; NumPy does not write deeper literals.
const DEEPEST: usize = 64;

impl Literal {
    /// Parses a text that is exactly one literal.
    ///
    /// # Errors
    ///
    /// Returns the reason, as the rest of a sentence, if the text is not one literal.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rest = Rest { bytes: text.as_bytes(), at: 0 };
        let literal = rest.literal(0)?;
        match rest.peek() {
            None => Ok(literal),
            Some(_) => Err(rest.unexpected("the end")),
        }
    }

    /// The value of a dictionary for a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Dict(entries) = self else { return None };
        entries.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }
}

/// Writes the literal as NumPy does.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, values: &[Self]| {
            values.iter().enumerate().try_for_each(|(at, value)| write!(f, "{}{value}", if at > 0 { ", " } else { "" }))
        };
        let text = |f: &mut fmt::Formatter<'_>, text: &str| {
            let quote = if text.contains('\'') { '"' } else { '\'' };
            write!(f, "{quote}{text}{quote}")
        };
        match self {
            Self::Text(value) => text(f, value),
            Self::Number(number) => write!(f, "{number}"),
            Self::Bool(value) => f.write_str(if *value { "True" } else { "False" }),
            Self::Tuple(values) => {
                f.write_str("(")?;
                list(f, values)?;
                f.write_str(if values.len() == 1 { ",)" } else { ")" })
            }
            Self::List(values) => {
                f.write_str("[")?;
                list(f, values)?;
                f.write_str("]")
            }
            Self::Dict(entries) => {
                f.write_str("{")?;
                entries.iter().try_for_each(|(key, value)| {
                    text(f, key)?;
                    write!(f, ": {value}, ")
                })?;
                f.write_str("}")
            }
        }
    }
}

/// The rest of the text, which is not parsed yet.
struct Rest<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Rest<'_> {
    /// The next byte that is not blank.
    fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    /// Takes the next byte if it is this one.
    fn takes(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }

    fn unexpected(&mut self, expected: &str) -> String {
        let at = self.at;
        match self.peek() {
            Some(found) => {
                format!("its header has `{}` at byte {at}, where {expected} is expected", found.escape_ascii())
            }
            None => format!("its header ends where {expected} is expected"),
        }
    }

    fn literal(&mut self, depth: usize) -> Result<Literal, String> {
        if depth == DEEPEST {
            return Err(format!("its header is nested deeper than {DEEPEST}"));
        }
        match self.peek() {
            Some(b'\'' | b'"') => self.text().map(Literal::Text),
            Some(b'(') => self.list(b')', depth).map(|(values, comma)| match <[Literal; 1]>::try_from(values) {
                // Parentheses around one value.
                Ok([value]) if !comma => value,
                Ok(one) => Literal::Tuple(one.into()),
                Err(values) => Literal::Tuple(values),
            }),
            Some(b'[') => self.list(b']', depth).map(|(values, _)| Literal::List(values)),
            Some(b'{') => self.dict(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'T') if self.word("True") => Ok(Literal::Bool(true)),
            Some(b'F') if self.word("False") => Ok(Literal::Bool(false)),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let is = self.bytes[self.at..].starts_with(word.as_bytes());
        self.at += if is { word.len() } else { 0 };
        is
    }

    fn text(&mut self) -> Result<String, String> {
        let quote = self.bytes[self.at];
        let from = self.at + 1;
        let rest = &self.bytes[from..];
        let end = rest.iter().position(|byte| *byte == quote).ok_or("its header has a text without an end")?;
        self.at = from + end + 1;
        let text = &rest[..end];
        if text.contains(&b'\\') {
            return Err("its header has a text with an escape".to_owned());
        }
        // The cuts are at ASCII characters of a valid text.
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    fn number(&mut self) -> Result<Literal, String> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().skip(1).position(|byte| !byte.is_ascii_digit()).map_or(rest.len(), |end| end + 1);
        let text = String::from_utf8_lossy(&rest[..end]);
        let number =
            text.parse().map_err(|_| format!("its header has `{text}`, which is no number that fits 64 bits"))?;
        self.at += end;
        // Python 2 marked large numbers.
        self.at += usize::from(self.bytes.get(self.at) == Some(&b'L'));
        Ok(Literal::Number(number))
    }

    /// Parses values up to `end`; returns whether a comma follows the last one.
    fn list(&mut self, end: u8, depth: usize) -> Result<(Vec<Literal>, bool), String> {
        self.at += 1;
        let (mut values, mut comma) = (Vec::new(), true);
        while !self.takes(end) {
            if !comma {
                return Err(self.unexpected("a comma"));
            }
            values.push(self.literal(depth + 1)?);
            comma = self.takes(b',');
        }
        Ok((values, comma))
    }

    fn dict(&mut self, depth: usize) -> Result<Literal, String> {
        self.at += 1;
        let (mut entries, mut comma) = (Vec::new(), true);
        while !self.takes(b'}') {
            if !comma {
                return Err(self.unexpected("a comma"));
            }
            let Some(b'\'' | b'"') = self.peek() else { return Err(self.unexpected("a key")) };
            let key = self.text()?;
            if !self.takes(b':') {
                return Err(self.unexpected("a colon"));
            }
            entries.push((key, self.literal(depth + 1)?));
            comma = self.takes(b',');
        }
        Ok(Literal::Dict(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_read() {
        let texts = [
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }",
            "{'descr': [('pos', [('x', '<f4'), ('y', '<f4')], (2, 3)), ('', '|V4')], 'fortran_order': True, 'shape': (), }",
            "[(), (7,), (1, -2), [], {}]",
        ];
        for text in texts {
            assert_eq!(Literal::parse(text).unwrap().to_string(), text);
        }
        let spaced = Literal::parse(" { \"shape\" : ( 5L , ) , 'n' : (8) }\n ").unwrap();
        assert_eq!(spaced.get("shape"), Some(&Literal::Tuple(vec![Literal::Number(5)])));
        assert_eq!((spaced.get("n"), spaced.get("m")), (Some(&Literal::Number(8)), None));
        assert_eq!(Literal::Number(1).get("shape"), None);
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        let refused = [
            ("", "its header ends where a value is expected"),
            ("{'a': 1", "its header ends where a comma is expected"),
            ("{'a' 1}", "its header has `1` at byte 5, where a colon is expected"),
            ("{1: 1}", "its header has `1` at byte 1, where a key is expected"),
            ("(1 2)", "its header has `2` at byte 3, where a comma is expected"),
            ("'a", "its header has a text without an end"),
            ("'a\\n'", "its header has a text with an escape"),
            ("99999999999999999999", "its header has `99999999999999999999`, which is no number that fits 64 bits"),
            ("-", "its header has `-`, which is no number that fits 64 bits"),
            ("1 2", "its header has `2` at byte 2, where the end is expected"),
            ("Tru", "its header has `T` at byte 0, where a value is expected"),
            ("\u{7f}", "its header has `\\x7f` at byte 0, where a value is expected"),
            (&deep, "its header is nested deeper than 64"),
        ];
        for (text, why) in refused {
            assert_eq!(Literal::parse(text).unwrap_err(), why, "{text}");
        }
    }
}
