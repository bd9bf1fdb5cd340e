//! Names, in the form in which they are displayed.

use core::fmt::{self, Write};

/// Text escaped for XML and HTML, between tags and in attributes.
pub(crate) struct Escaped<T>(pub(crate) T);

impl<T: fmt::Display> fmt::Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Escape<'a, 'b>(&'a mut fmt::Formatter<'b>);

        impl Write for Escape<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                for c in text.chars() {
                    match c {
                        '&' => self.0.write_str("&amp;")?,
                        '<' => self.0.write_str("&lt;")?,
                        '>' => self.0.write_str("&gt;")?,
                        '"' => self.0.write_str("&quot;")?,
                        '\'' => self.0.write_str("&#39;")?,
                        '\n' | '\t' => self.0.write_char(c)?,
                        // XML has no way to write other control characters.
                        c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => self.0.write_char('\u{fffd}')?,
                        c => self.0.write_char(c)?,
                    }
                }
                Ok(())
            }
        }

        write!(Escape(f), "{}", self.0)
    }
}

/// The name of a type without its modules: `Vec3<f32>`.
pub(crate) fn short(type_name: &str) -> String {
    let mut short = String::new();
    let mut start = 0;
    for c in type_name.chars() {
        if c == ':' {
            // The text before the colon is a module.
            short.truncate(start);
        } else {
            short.push(c);
            if !(c.is_alphanumeric() || c == '_') {
                start = short.len();
            }
        }
    }
    short
}

/// The start of the names of the types whose last arguments are 0 if they are left out.
const TILED: &str = "layout_core::linearization::tiled::Tiled<";

/// The name of the type of a linearization, as a program writes it: `Tiled<8, 8>` has six more sizes, which are 0.
pub(crate) fn linearization_name(type_name: &str) -> String {
    let mut name = short(type_name);
    while let Some(start) = name.strip_suffix(", 0>").filter(|_| type_name.starts_with(TILED)) {
        name = format!("{start}>");
    }
    name
}

/// Formats an array index, or extents: `[3, 4]`.
pub(crate) fn list(numbers: &[usize]) -> String {
    format!("{numbers:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(Escaped("a<b> & \"c\" 'd'\u{1}").to_string(), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;\u{fffd}");
    }

    #[test]
    fn short_names() {
        assert_eq!(short("f32"), "f32");
        assert_eq!(short("a::b::Vec3<core::option::Option<x::Y>>"), "Vec3<Option<Y>>");
        assert_eq!(short("[a::B; 3]"), "[B; 3]");
        assert_eq!(short("(a::B, c::d::E)"), "(B, E)");
        assert_eq!(linearization_name(core::any::type_name::<layout_core::Tiled<8, 10>>()), "Tiled<8, 10>");
        assert_eq!(linearization_name("a::Turned<3, 0>"), "Turned<3, 0>");
        assert_eq!(linearization_name("a::b::Morton"), "Morton");
    }
}
