//! Profiles as a table.

use core::cmp::Reverse;
use core::fmt::{self, Write};
use core::time::Duration;
use std::collections::HashMap;

use super::{Profile, ProfileEntry, ProfileTimes};

/// The names and the times of the rows of the program, and of those of the threads.
type Times = [(&'static str, [(&'static str, Duration); 4]); 2];

impl Profile {
    /// A table of one locale or several. Each row is a task in a range, with the points, times and relaid bytes of all these locales
    /// together; the tasks that took the longest come first. Then come the times of each locale.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Profile, Runtime, Store, read, write};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(0).profile(true);
    /// let profiles = builder.simulate(|rt| {
    ///     let [from, to]: [Store<f64, _>; 2] = [rt.create([100, 100])?, rt.create([100, 100])?];
    ///     from.fill(1.0)?;
    ///     let turned = from.transpose([1, 0])?;
    ///     let task = rt.task("transpose").args((read(&turned), write(&to))).align_all();
    ///     task.launch(|_, (from, mut to)| Ok(to.copy_from(&from)?))?;
    ///     rt.fence()?;
    ///     rt.profiles()
    /// })?;
    /// let profiles: Vec<Vec<Profile>> = profiles.into_iter().collect::<Result<_, _>>()?;
    /// let table = Profile::table(&profiles[0]);
    /// let transpose = table.lines().find(|line| line.contains("transpose")).unwrap_or_default();
    /// let figures: Vec<&str> = transpose.split_whitespace().collect();
    /// assert_eq!(figures[..3], ["transpose", "1", "2"]); // launches and points
    /// assert_eq!(figures[4], "40000"); // bytes: half of the elements are on the other locale
    /// assert!(table.contains("locale 0") && table.contains("locale 1"));
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn table<'p>(profiles: impl IntoIterator<Item = &'p Self>) -> String {
        let profiles: Vec<&Self> = profiles.into_iter().collect();
        let mut text = String::new();
        let Ok(()) = write_table(&profiles, &mut text) else { unreachable!("a text takes any text") };
        text
    }
}

/// The entries of all these profiles, each task in each range once.
fn entries(profiles: &[&Profile]) -> Vec<ProfileEntry> {
    let (mut entries, mut numbers) = (Vec::<ProfileEntry>::new(), HashMap::new());
    for entry in profiles.iter().flat_map(|profile| &profile.entries) {
        let number = *numbers.entry((&entry.range, &entry.task)).or_insert(entries.len());
        match entries.get_mut(number) {
            None => entries.push(entry.clone()),
            // All locales launch the same tasks, and each counts what all send.
            Some(sum) => {
                sum.points = sum.points.saturating_add(entry.points);
                sum.busy = sum.busy.saturating_add(entry.busy);
                sum.relaid = sum.relaid.saturating_add(entry.relaid);
            }
        }
    }
    entries.sort_by_key(|entry| Reverse(entry.busy));
    entries
}

fn write_table(profiles: &[&Profile], f: &mut String) -> fmt::Result {
    let mut rows = vec![
        ["range", "task", "launches", "points", "busy ms", "bytes sent", "strided", "bytes relaid", "single"]
            .map(str::to_owned),
    ];
    rows.extend(entries(profiles).iter().map(|entry| {
        [
            entry.range.join(" / "),
            entry.task.clone(),
            entry.launches.to_string(),
            entry.points.to_string(),
            format!("{:.3}", entry.busy.as_secs_f64() * 1e3),
            entry.exchanged.to_string(),
            entry.strided.to_string(),
            entry.relaid.to_string(),
            entry.single.clone(),
        ]
    }));
    let widths: Vec<usize> =
        (0..8).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    for row in rows {
        let mut line = String::new();
        for (column, (text, width)) in row.iter().zip(&widths).enumerate() {
            // Names to the left, numbers to the right.
            line += &if column < 2 { format!("{text:<width$}  ") } else { format!("{text:>width$}  ") };
        }
        line += &row[8];
        writeln!(f, "{}", line.trim_end())?;
    }
    for profile in profiles {
        for (who, rows) in times(&profile.times) {
            let sum = rows.iter().fold(Duration::ZERO, |sum, (_, time)| sum.saturating_add(*time));
            if profiles.len() > 1 {
                write!(f, "locale {}, ", profile.locale)?;
            }
            write!(f, "{who}, ms: {:.3}", sum.as_secs_f64() * 1e3)?;
            for (number, (row, time)) in rows.iter().enumerate() {
                write!(f, "{} {row} {:.3}", if number == 0 { " =" } else { " +" }, time.as_secs_f64() * 1e3)?;
            }
            writeln!(f)?;
        }
    }
    let dropped = profiles.iter().fold(0_usize, |sum, profile| sum.saturating_add(profile.dropped));
    if dropped > 0 {
        writeln!(f, "{dropped} more points are counted here, and not in the trace")?;
    }
    Ok(())
}

fn times(times: &ProfileTimes) -> Times {
    let program = [("program", times.program), ("plan", times.plan), ("image", times.image), ("wait", times.wait)];
    let threads =
        [("body", times.body), ("exchange", times.exchange), ("combine", times.combine), ("idle", times.idle)];
    [("program", program), ("threads", threads)]
}
