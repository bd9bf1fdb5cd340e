//! Explanations: the messages of a launch, with reasons.

use core::fmt;
use std::collections::BTreeMap;

use super::plan::Described;
use super::report::Launched;
use crate::geometry::Point;
use crate::locale::{Passed, Traffic};
use crate::partition::{Access, Partition, Single, TileMap};

/// The elements and contributions that a locale sends and receives for a launch, with reasons; see [`Launched::explain`].
///
/// Its `Display` has one line for each entry of `exchanges`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// An entry for each argument and peer, in the order of the arguments and then of the locales.
    pub exchanges: Vec<Exchange>,
}

/// The elements of one argument, or contributions to them, that a locale sends to another one and receives from it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exchange {
    /// The number of the argument.
    pub argument: usize,
    /// The number of the store, by which errors and [`StoreMemory`](crate::StoreMemory) name it.
    pub store: u64,
    /// The other locale.
    pub peer: usize,
    /// The messages to that locale.
    pub sent: Traffic,
    /// The messages from that locale.
    pub received: Traffic,
    /// The reason why points need elements that their locale lacks.
    pub reason: Reason,
}

/// The reason why points of a launch need elements of an argument that their locale lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The launch has one point, which gets the whole argument. If the runtime chose one point, its reason.
    OnePoint(Option<Single>),
    /// Every point gets the whole argument: [`broadcast`](crate::broadcast()), or no constraint cuts it.
    Whole,
    /// The tiles of the argument differ from those that were written, or their points run on other locales.
    Tiles,
    /// Tiles have a margin around those of another argument: [`bloat`](crate::bloat()),
    /// [`bloat_periodic`](crate::bloat_periodic), [`bloat_faces`](crate::bloat_faces).
    Margin {
        /// The number of the other argument.
        source: usize,
        /// The width of the margin below, for each dimension.
        low: Point,
        /// The width of the margin above, for each dimension.
        high: Point,
    },
    /// Tiles follow those of another argument: [`align_axes`](crate::align_axes), [`scale`](crate::scale),
    /// [`follow`](crate::follow()).
    Follows {
        /// The number of the other argument.
        source: usize,
    },
    /// Tiles have the elements to which values of another argument point: [`image`](crate::image).
    Image {
        /// The number of the other argument.
        source: usize,
    },
    /// Contributions are combined with the newest elements, by the locales that have those: [`reduce`](crate::reduce).
    Combined,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnePoint(None) => write!(f, "the launch has one point"),
            Self::OnePoint(Some(single)) => write!(f, "the launch has one point: {single}"),
            Self::Whole => write!(f, "every point gets the whole argument"),
            Self::Tiles => write!(f, "its tiles were written on other locales, or by other tiles"),
            Self::Margin { source, low, high } => {
                write!(f, "its tiles are those of argument {source} with a margin of {low} below and {high} above")
            }
            Self::Follows { source } => write!(f, "its tiles follow those of argument {source}"),
            Self::Image { source } => write!(f, "its tiles have what the values of argument {source} point to"),
            Self::Combined => write!(f, "contributions are combined with its elements"),
        }
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { argument, store, peer, sent, received, reason } = self;
        write!(f, "argument {argument} (store {store}): ")?;
        let flows = [(sent, "to"), (received, "from")].into_iter().filter(|(flow, _)| flow.messages > 0);
        for (flow, way) in flows {
            let plural = if flow.messages == 1 { "" } else { "s" };
            write!(f, "{} bytes {way} locale {peer} in {} message{plural}, ", flow.bytes, flow.messages)?;
        }
        write!(f, "because {reason}")
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.exchanges.is_empty() {
            return writeln!(f, "no elements are sent or received");
        }
        self.exchanges.iter().try_for_each(|exchange| writeln!(f, "{exchange}"))
    }
}

impl Reason {
    /// The reason why points may need elements of an argument with this partition.
    pub(super) fn of(argument: &Described, partition: &Partition) -> Self {
        match partition {
            _ if argument.access == Access::Reduce => Self::Combined,
            Partition::Whole => Self::Whole,
            Partition::Tiles(_) => Self::Tiles,
            Partition::Image { function, .. } => Self::Image { source: *function },
            Partition::Follows { source, map, .. } => match map {
                TileMap::Bloat { low, high } | TileMap::Wrap { low, high } | TileMap::Faces { low, high, .. } => {
                    let margin = |widths: &[i64]| widths.iter().copied().collect();
                    Self::Margin { source: *source, low: margin(low), high: margin(high) }
                }
                _ => Self::Follows { source: *source },
            },
        }
    }
}

impl Launched {
    /// The elements and contributions that this locale sends and receives for the launch, with the constraint that causes each message.
    ///
    /// The messages are those that [`Runtime::traffic`](crate::Runtime::traffic) counts; of a launch within a closure that uses elements of
    /// a store, small messages that would otherwise travel together are one here, and go one by one. The bytes that all locales send add up to
    /// [`exchanged`](Self::exchanged) and the [contributions](crate::reduce) to stores, which `exchanged` leaves out. Values of futures,
    /// questions about images, and elements that points [`send`](crate::send) each other are left out.
    ///
    /// The time grows with the number of messages of this locale. A launch that nobody explains costs nothing more.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Reason, Runtime, Store, StoreError, bloat, read, write};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1).min_chunk(1).whole_below(0);
    /// let explained = builder.simulate(|rt| {
    ///     let old: Store<f64, _> = rt.create_from_fn(8, |at| at[0] as f64)?;
    ///     let new: Store<f64, _> = rt.create(8)?;
    ///     let task = rt.task("smooth").args((read(&old), write(&new)));
    ///     let launched = task.constrain(|(old, new)| bloat(new, old, [1], [2])).launch(|_, (_, mut new)| new.fill(0.0))?;
    ///     Ok::<_, StoreError>(launched.explain())
    /// });
    /// let explained = explained?.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// // Locale 0 has elements 0 to 3, and needs 4 and 5.
    /// let exchange = &explained[0].exchanges[0];
    /// assert_eq!((exchange.argument, exchange.peer), (0, 1));
    /// assert_eq!((exchange.sent.bytes, exchange.received.bytes), (8, 16));
    /// assert_eq!(exchange.reason, Reason::Margin { source: 1, low: [1].into(), high: [2].into() });
    /// assert_eq!(
    ///     explained[0].to_string(),
    ///     "argument 0 (store 0): 8 bytes to locale 1 in 1 message, 16 bytes from locale 1 in 1 message, \
    ///      because its tiles are those of argument 1 with a margin of [1] below and [2] above\n"
    /// );
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn explain(&self) -> Explanation {
        let mut flows: BTreeMap<(usize, usize, u64), [Traffic; 2]> = BTreeMap::new();
        for Passed { argument, store, peer, sent, messages, bytes } in self.exchanged.messages() {
            let flow = &mut flows.entry((argument, peer, store)).or_default()[usize::from(!sent)];
            flow.messages += messages;
            flow.bytes += bytes;
        }
        let one_point = || Reason::OnePoint(self.plan.single.clone());
        let exchange = |((argument, peer, store), [sent, received]): ((usize, usize, u64), [Traffic; 2])| {
            let reason = self.plan.reasons.get(argument).cloned().unwrap_or_else(one_point);
            Exchange { argument, store, peer, sent, received, reason }
        };
        Explanation { exchanges: flows.into_iter().map(exchange).collect() }
    }
}
