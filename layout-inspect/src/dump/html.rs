//! The picture as an HTML page.

use core::fmt::Write;

use super::picture::Picture;
use super::svg;
use crate::names::Escaped;

pub(super) fn page(picture: &Picture) -> String {
    let title = Escaped(&picture.title);
    // The boxes of the leaf under the pointer stay, and all others fade.
    let mut highlights = String::new();
    for leaf in 0..picture.leaves.len().min(64) {
        let _ = writeln!(highlights, "svg:has(.l{leaf}:hover) g:not(.l{leaf}){{opacity:.25}}");
    }
    format!(
        r#"<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>
:root{{color-scheme:light dark}}
body{{margin:1em;font-family:{font}}}
svg{{max-width:100%;height:auto}}
{highlights}</style></head><body>
{svg}</body></html>
"#,
        font = crate::palette::FONT,
        svg = svg::draw(picture),
    )
}
