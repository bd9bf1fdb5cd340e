//! Options with numbers.

use lexopt::ValueExt;

/// The number after an option. The error says what was given and what is allowed.
pub(crate) fn number(
    arguments: &mut lexopt::Parser,
    option: &str,
    least: usize,
    most: usize,
) -> Result<usize, lexopt::Error> {
    let allowed = || format!("{option} takes a whole number from {least} to {most}");
    let given = arguments.value().map_err(|_| format!("{}, and none was given", allowed()))?.string()?;
    let number = given.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("{}, not `{given}`", allowed()).into())
}
