//! Messages of locales about their programs, as bytes.

use core::any::type_name;

use layout_core::{Portable, PortableError};

use super::history::{Order, Trail};
use crate::error::StoreError;
use crate::graph::TaskError;

/// A message of one [`Council`](super::council::Council) to another one.
#[derive(Clone, Debug)]
pub(super) enum Control {
    /// All locales of a subtree are at this fence, with the first error of their tasks.
    Up(Order, Option<TaskError>),
    /// All locales are at the fence, with the first error of all.
    Down(Option<TaskError>),
    /// The program stands still.
    Still(Still),
    /// A question: is your latest report still true?
    Confirm { round: u64 },
    /// The number of the latest report, if it is still true.
    Confirmed { round: u64, report: Option<u64> },
    /// A question: which operations did you do? Stop until you are told to go on.
    Recall { round: u64 },
    /// The latest operations.
    Recalled { trail: Trail },
    /// A question: which operation has this number?
    Quote { number: u64 },
    /// The text of that operation.
    Quoted { text: String },
    /// Go on; or, if this report is still true, the program waits for itself.
    Resume { round: u64, in_vain: Option<u64> },
    /// A message came from another operation than the one that has the same number on this locale.
    Differs,
    /// No locale can go on.
    End(End),
}

/// The state of a program that cannot go on by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Still {
    /// The number of this report; the first one is 1.
    pub(super) report: u64,
    /// The latest operation.
    pub(super) at: Order,
    pub(super) stand: Stand,
    pub(super) counts: Counts,
}

/// The event for which a program waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// Other locales come to a fence.
    Fence,
    /// Tasks finish.
    Waits,
    /// Tasks finish, while the program is in a closure that uses elements.
    Uses,
}

/// The messages of one locale that may wake a program: those of operations and fences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Counted before the message is sent.
    pub(super) sent: u64,
    /// Counted after everything is ready that the message makes ready.
    pub(super) received: u64,
}

/// The reason why no locale can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// See [`StoreError::Diverged`].
    Diverged { operation: u64, exact: bool, locales: [usize; 2], did: Box<[String; 2]> },
    /// The program of this locale panicked.
    Panicked(usize),
    /// This locale was lost.
    Gone(usize),
    /// Bytes came to this locale that are not a message, for this reason.
    BadMessage(usize, String),
    /// A message never came; the text says where all locales wait.
    NeverCame(String),
}

impl From<End> for StoreError {
    fn from(end: End) -> Self {
        match end {
            End::Diverged { operation, exact, locales, did } => Self::Diverged { operation, exact, locales, did },
            End::Panicked(locale) => Self::Panicked { locale },
            End::Gone(locale) => Self::Gone { locale },
            End::BadMessage(locale, why) => Self::BadMessage { locale, why },
            End::NeverCame(waits) => Self::NeverCame { waits },
        }
    }
}

impl Portable for Order {
    fn write(&self, to: &mut impl Extend<u8>) {
        (self.number, self.hash).write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        Ok(Self { number: Portable::read(from)?, hash: Portable::read(from)? })
    }
}

impl Portable for Trail {
    fn write(&self, to: &mut impl Extend<u8>) {
        self.number.write(to);
        self.hashes.write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let trail = Self { number: Portable::read(from)?, hashes: Portable::read(from)? };
        let fits = trail.number < u64::MAX && trail.hashes.len() as u64 <= trail.number + 1;
        if fits { Ok(trail) } else { Err(PortableError::Invalid(type_name::<Self>())) }
    }
}

impl Portable for Still {
    fn write(&self, to: &mut impl Extend<u8>) {
        (self.report, self.at, self.stand as u8, self.counts.sent, self.counts.received).write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let (report, at, stand, sent, received) = Portable::read(from)?;
        let stand = match stand {
            0_u8 => Stand::Fence,
            1 => Stand::Waits,
            2 => Stand::Uses,
            _ => return Err(PortableError::Invalid(type_name::<Self>())),
        };
        Ok(Self { report, at, stand, counts: Counts { sent, received } })
    }
}

impl Portable for End {
    fn write(&self, to: &mut impl Extend<u8>) {
        match self {
            Self::Diverged { operation, exact, locales, did } => {
                (0_u8, *operation, *exact, *locales).write(to);
                did.write(to);
            }
            Self::Panicked(locale) => (1_u8, *locale).write(to),
            Self::Gone(locale) => (2_u8, *locale).write(to),
            Self::BadMessage(locale, why) => (3_u8, *locale, why.clone()).write(to),
            Self::NeverCame(waits) => (4_u8, waits.clone()).write(to),
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        Ok(match u8::read(from)? {
            0 => {
                let (operation, exact, locales, did) = Portable::read(from)?;
                Self::Diverged { operation, exact, locales, did }
            }
            1 => Self::Panicked(Portable::read(from)?),
            2 => Self::Gone(Portable::read(from)?),
            3 => Self::BadMessage(Portable::read(from)?, Portable::read(from)?),
            4 => Self::NeverCame(Portable::read(from)?),
            _ => return Err(PortableError::Invalid(type_name::<Self>())),
        })
    }
}

impl Portable for Control {
    fn write(&self, to: &mut impl Extend<u8>) {
        match self {
            Self::Up(at, fault) => {
                (0_u8, *at).write(to);
                fault.write(to);
            }
            Self::Down(fault) => {
                1_u8.write(to);
                fault.write(to);
            }
            Self::Still(still) => {
                2_u8.write(to);
                still.write(to);
            }
            Self::Confirm { round } => (3_u8, *round).write(to),
            Self::Confirmed { round, report } => (4_u8, *round, *report).write(to),
            Self::Recall { round } => (5_u8, *round).write(to),
            Self::Recalled { trail } => {
                6_u8.write(to);
                trail.write(to);
            }
            Self::Quote { number } => (7_u8, *number).write(to),
            Self::Quoted { text } => {
                8_u8.write(to);
                text.write(to);
            }
            Self::Resume { round, in_vain } => (9_u8, *round, *in_vain).write(to),
            Self::Differs => 10_u8.write(to),
            Self::End(end) => {
                11_u8.write(to);
                end.write(to);
            }
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        Ok(match u8::read(from)? {
            0 => Self::Up(Portable::read(from)?, Portable::read(from)?),
            1 => Self::Down(Portable::read(from)?),
            2 => Self::Still(Portable::read(from)?),
            3 => Self::Confirm { round: Portable::read(from)? },
            4 => Self::Confirmed { round: Portable::read(from)?, report: Portable::read(from)? },
            5 => Self::Recall { round: Portable::read(from)? },
            6 => Self::Recalled { trail: Portable::read(from)? },
            7 => Self::Quote { number: Portable::read(from)? },
            8 => Self::Quoted { text: Portable::read(from)? },
            9 => Self::Resume { round: Portable::read(from)?, in_vain: Portable::read(from)? },
            10 => Self::Differs,
            11 => Self::End(Portable::read(from)?),
            _ => return Err(PortableError::Invalid(type_name::<Self>())),
        })
    }
}

impl Control {
    /// The message of these bytes; an error if bytes are left.
    pub(super) fn from_bytes(mut bytes: &[u8]) -> Result<Self, PortableError> {
        let control = Self::read(&mut bytes)?;
        if bytes.is_empty() { Ok(control) } else { Err(PortableError::Invalid(type_name::<Self>())) }
    }
}
