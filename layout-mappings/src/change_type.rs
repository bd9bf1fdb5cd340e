//! Change of type: leaves stored as another number type.

use layout_core::{Invariant, Leaf};

use crate::projected::{OfType, Projected, Projection};

/// The layout `L`, with every leaf of the number type `V` stored as the number type `S`, converted as by `as`.
///
/// For several types at once, use [`Projected`] with a tuple of rules of [`Cast`].
///
/// # Examples
///
/// ```
/// use layout::composed::{Cast, ChangeType, OfType, Projected};
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Sample { time: f64, channel: u32 }
///
/// let mut samples = alloc::<Sample, ChangeType<SoA, f64, f32>, _>(10)?;
/// samples.set(3, Sample { time: 0.1, channel: 7 });
/// assert_eq!(samples.mapping().blob_size(0), 40); // f32, and not f64
/// assert_eq!(samples.load(3), Sample { time: f64::from(0.1_f32), channel: 7 });
///
/// type Both = Projected<SoA, (OfType<Cast<f64, f32>>, OfType<Cast<u32, u8>>)>;
/// assert_eq!(alloc::<Sample, Both, _>(10)?.mapping().blob_size(1), 10);
/// # Ok::<(), ViewError>(())
/// ```
pub type ChangeType<L, V, S> = Projected<L, OfType<Cast<V, S>>>;

/// The [`Projection`] that stores numbers of type `V` as numbers of type `S`, converted as by `as`: floats to integers
/// saturate, integers to narrower integers wrap, and floats round to nearest even.
pub struct Cast<V, S>(Invariant<(V, S)>);

#[diagnostic::do_not_recommend]
impl<V: CastTo<S>, S: CastTo<V>> Projection for Cast<V, S> {
    type Value = V;
    type Stored = S;

    #[inline(always)]
    fn load(stored: S) -> V {
        stored.cast()
    }

    #[inline(always)]
    fn store(value: V) -> S {
        value.cast()
    }
}

/// Numbers that `as` converts to `T`: all integers up to 128 bits and all floats, in both directions.
pub trait CastTo<T>: Leaf {
    /// Converts the number to `T`.
    fn cast(self) -> T;
}

macro_rules! casts {
    ($from:ident: $($to:ident)*) => {$(
        impl CastTo<$to> for $from {
            #[allow(
                clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss,
                clippy::cast_possible_wrap, clippy::cast_lossless, clippy::unnecessary_cast,
                reason = "a cast is what was asked for"
            )]
            #[inline(always)]
            fn cast(self) -> $to {
                self as $to
            }
        }
    )*};
    ($($from:ident)*) => {
        $(casts! { $from: u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 })*
    };
}

casts! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 }
