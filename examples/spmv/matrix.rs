//! A sparse matrix, and a reader of the Matrix Market format: `coordinate real`, `general` or `symmetric`.

use core::error::Error;
use core::str::FromStr;

/// Compressed rows.
pub(crate) struct Matrix {
    pub(crate) size: i64,
    /// For each row, where its entries start and end.
    pub(crate) rows: Vec<[[i64; 1]; 2]>,
    pub(crate) columns: Vec<i64>,
    pub(crate) values: Vec<f64>,
}

impl Matrix {
    /// The matrix in the text of a file, which must be square.
    pub(crate) fn parse(text: &str) -> Result<Self, Box<dyn Error>> {
        let (head, rest) = text.split_once('\n').ok_or("an empty file")?;
        let symmetric = match head.split_whitespace().collect::<Vec<_>>()[..] {
            ["%%MatrixMarket", "matrix", "coordinate", "real" | "integer", form @ ("general" | "symmetric")] => {
                form == "symmetric"
            }
            _ => return Err(format!("`{head}`: allowed are real coordinate matrices, general or symmetric").into()),
        };
        let lines = (2..).zip(rest.lines());
        let mut lines = lines.filter(|(_, line)| !line.starts_with('%') && !line.trim().is_empty());
        let [height, width, count] = numbers::<usize>(lines.next().ok_or("a file without sizes")?)?;
        if height != width {
            return Err(format!("a matrix of {height} by {width}; it must be square").into());
        }
        let mut entries = Vec::new();
        for (number, line) in lines {
            let [row, column, value] = numbers::<f64>((number, line))?;
            let is_index = |number: f64| number >= 1.0 && number <= height as f64 && number.fract() == 0.0;
            let index = |number: f64| is_index(number).then(|| number as usize - 1);
            let (Some(row), Some(column)) = (index(row), index(column)) else {
                return Err(format!("line {number}: `{line}`: rows and columns are 1 to {height}").into());
            };
            if !value.is_finite() {
                return Err(format!("line {number}: `{line}`: entries are finite numbers").into());
            }
            entries.push((row, column, value));
            if symmetric && row != column {
                entries.push((column, row, value));
            }
        }
        let given = entries.iter().filter(|(row, column, _)| !symmetric || row >= column).count();
        if given != count {
            return Err(format!("entries: {given}, and the file says that there are {count}").into());
        }
        // A matrix with as many entries as rows is small enough for the memory, if the file is.
        if count < height {
            return Err(format!(
                "entries: {count}, rows: {height}: a positive definite matrix has entries in each row"
            )
            .into());
        }
        entries.sort_by_key(|(row, column, _)| (*row, *column));
        let starts = |row: usize| entries.partition_point(|entry| entry.0 < row) as i64;
        Ok(Self {
            size: height as i64,
            rows: (0..height).map(|row| [[starts(row)], [starts(row + 1)]]).collect(),
            columns: entries.iter().map(|entry| entry.1 as i64).collect(),
            values: entries.iter().map(|entry| entry.2).collect(),
        })
    }
}

/// The three numbers in a line, which has this number.
fn numbers<T: FromStr<Err: Error>>((number, line): (usize, &str)) -> Result<[T; 3], Box<dyn Error>> {
    let parsed: Result<Vec<T>, _> = line.split_whitespace().map(str::parse).collect();
    let numbers = parsed.map_err(|error| format!("line {number}: `{line}`: {error}"))?;
    numbers.try_into().map_err(|_| format!("line {number}: `{line}` has not three numbers").into())
}
