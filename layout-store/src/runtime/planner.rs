//! Planners: they compute the messages of a program on any number of locales.

use super::{Builder, Runtime};
use crate::error::StoreError;
use crate::locale::PlannedLaunch;

/// One of any number of locales that plans its messages, and does nothing else.
///
/// A program that runs on the planner's [`runtime`](Self::runtime) creates stores and launches tasks as on [`Builder::simulate`]; the
/// planner computes the messages of each launch by the same code. No task body is called, no store has memory, and no other locale exists:
/// a program for 1024 locales can be planned on one thread, for one locale or a few of them. The plans of two locales agree: what one sends
/// to the other is what the other receives from it, message by message and box by box.
///
/// [`Runtime::fence`] returns at once. Calls that wait for elements or values ([`Store::get`](crate::Store::get),
/// [`Store::update`](crate::Store::update), [`Future::get`](crate::Future::get), a [store](crate::Unbound::store) of emitted elements)
/// return [`StoreError::OnlyPlanned`]. So do launches with [`image`](crate::image) constraints, unless
/// [`Store::assume`](crate::Store::assume) gives the values. Contributions to reductions, values of futures, and elements that tasks send
/// or ask for by index are not planned, since they are not elements of stores that a launch reads.
///
/// # Examples
///
/// The messages of one step of a stencil on 1024 locales:
///
/// ```
/// use layout::store::{Planner, Runtime, Store, bloat, read, write};
///
/// let planner = Planner::new(Runtime::builder().locales(1024).pieces(1024).min_chunk(1), 17)?;
/// let rt = planner.runtime();
/// let (old, new): (Store<f64, _>, Store<f64, _>) = (rt.create(1 << 30)?, rt.create(1 << 30)?); // 16 GiB, and no memory
/// old.fill(1.0)?;
/// rt.task("mean")
///     .args((write(&new), read(&old)))
///     .constrain(|(new, old)| bloat(new, old, [1], [1]))
///     .launch(|_, (mut new, _)| new.fill(0.0))?;
/// let launches = planner.launches();
/// assert_eq!((launches[0].task.as_str(), launches[0].sends.len()), ("fill", 0));
/// let step = &launches[1];
/// let sent: Vec<_> = step.sends.iter().map(|sent| (sent.peer, sent.boxes[0].to_string(), sent.bytes)).collect();
/// let first = 17 << 20; // of the elements of locale 17
/// let last = first + (1 << 20) - 1;
/// assert_eq!(sent, [(16, format!("[{first}]..[{}]", first + 1), 8), (18, format!("[{last}]..[{}]", last + 1), 8)]);
/// assert!(step.receives.iter().map(|message| message.peer).eq([16, 18]));
/// assert!(old.get([0]).unwrap_err().to_string().starts_with("this call waits for what tasks compute"));
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub struct Planner {
    runtime: Runtime,
}

impl Planner {
    /// Creates a planner for locale `locale` of the locales of `builder`. All operations must come from the thread that calls this.
    ///
    /// # Errors
    ///
    /// The errors of [`Builder::simulate`]. Returns an error, too, if there is no such locale.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Planner, Runtime};
    ///
    /// let error = Planner::new(Runtime::builder().locales(4), 4).err().unwrap().to_string();
    /// assert_eq!(error, "locale 4 of 4 is asked for; locales are numbered from 0");
    /// ```
    pub fn new(builder: Builder, locale: usize) -> Result<Self, StoreError> {
        Ok(Self { runtime: builder.planning(locale)? })
    }

    /// The runtime on which the program creates stores and launches tasks.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The launches since the last call, in order.
    #[must_use]
    pub fn launches(&self) -> Vec<PlannedLaunch> {
        let locale = &self.runtime.launcher.locale;
        locale.planned.as_ref().map_or_else(Vec::new, |planned| planned.take(locale.number))
    }
}
