//! Values as bytes, as they are sent from one process to another.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, collections::BTreeMap, string::String, sync::Arc, vec::Vec};
use core::any::type_name;
use core::cell::RefCell;
use core::marker::PhantomData;
use core::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroU128, NonZeroUsize,
};
use core::time::Duration;

use thiserror::Error;

use crate::leaf::{Leaf, leaf_bytes, leaf_from_bytes};
use crate::leaf_table::LeafTable;
use crate::path::{Path, Root};
use crate::record::{Access, AccessMut, Record, scalar};

/// A value that can be written as bytes, and read by another process of the same program.
///
/// All leaves are portable, and so is every struct with `#[derive(Record)]`: its leaves are written in declaration
/// order, without padding. Arrays, tuples, `Option`, `Result` and `Duration` of portable values are portable too, and
/// with feature `alloc` also `String`, `Vec`, `Box`, `Arc` and `BTreeMap`. Numbers keep the processor's byte order, so
/// all processes must run on processors with one byte order and one width of `usize`. Lists of values that take memory and have no
/// bytes, such as `Box<()>`, cannot be read: no bytes account for their memory.
///
/// # Examples
///
/// ```
/// use layout::record::Portable;
///
/// let mut bytes = Vec::new();
/// ("abc".to_owned(), vec![1_u16, 2]).write(&mut bytes);
/// assert_eq!(bytes.len(), 8 + 3 + 8 + 4); // each list after its length
/// assert_eq!(<(String, Vec<u16>)>::read(&mut &bytes[..])?, ("abc".to_owned(), vec![1, 2]));
/// # Ok::<(), layout::error::PortableError>(())
/// ```
///
/// An implementation for another type, part by part:
///
/// ```
/// use layout::error::PortableError;
/// use layout::record::Portable;
///
/// struct Named {
///     name: String,
///     values: Vec<f64>,
/// }
///
/// impl Portable for Named {
///     fn write(&self, to: &mut impl Extend<u8>) {
///         self.name.write(to);
///         self.values.write(to);
///     }
///     fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
///         Ok(Self { name: Portable::read(from)?, values: Portable::read(from)? })
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent to another locale: it is not `Portable`",
    note = "records, numbers, `bool`, `char`, `String`, `Vec`, `Option`, `Result`, tuples and arrays of them are; a struct of plain data becomes a \
            record by `#[derive(Clone, Copy, Record)]`; for another type implement `Portable`, which has two functions"
)]
pub trait Portable: Sized {
    /// Appends the bytes of the value.
    fn write(&self, to: &mut impl Extend<u8>);

    /// Reads a value from the start of `from`, and advances `from` to the bytes after it.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too few bytes, or if they are not a value. Reading allocates no more memory than
    /// the bytes account for.
    fn read(from: &mut &[u8]) -> Result<Self, PortableError>;
}

/// The reason why bytes are not a value.
///
/// # Examples
///
/// ```
/// use layout::record::Portable;
///
/// assert_eq!(bool::read(&mut &[2][..]).unwrap_err().to_string(), "bytes that are no value of `bool`");
/// assert_eq!(u32::read(&mut &[2][..]).unwrap_err().to_string(), "a value of `u32` has more bytes than there are");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PortableError {
    /// The bytes end before the value does.
    #[error("a value of `{0}` has more bytes than there are")]
    Short(&'static str),
    /// The bytes are not a value of this type.
    #[error("bytes that are no value of `{0}`")]
    Invalid(&'static str),
}

/// Takes the first `count` bytes, as bytes of a value of `T`.
fn take<'b, T>(from: &mut &'b [u8], count: usize) -> Result<&'b [u8], PortableError> {
    from.split_off(..count).ok_or_else(|| PortableError::Short(type_name::<T>()))
}

/// Writes a list: its length, and its values.
#[cfg(feature = "alloc")]
fn write_list<'a, T: Portable + 'a>(list: impl ExactSizeIterator<Item = &'a T>, to: &mut impl Extend<u8>) {
    list.len().write(to);
    list.for_each(|value| value.write(to));
}

/// Reads a list that [`write_list`] wrote.
#[cfg(feature = "alloc")]
fn read_list<T: Portable, C: FromIterator<T>>(from: &mut &[u8]) -> Result<C, PortableError> {
    let count = usize::read(from)?;
    // Each value has at least one byte, or takes no memory; others are refused, as `Portable` says.
    let most = if size_of::<T>() > 0 { from.len() } else { u32::MAX as usize };
    if count > most {
        return Err(PortableError::Short(type_name::<C>()));
    }
    (0..count).map(|_| T::read(from)).collect()
}

/// [`Portable::write`] for every record.
#[doc(hidden)]
#[inline]
pub fn write_record<R: Record>(record: &R, to: &mut impl Extend<u8>) {
    let writer = Writer { to: &RefCell::new((0, to)), record: PhantomData };
    record.store::<_, Root<R>>(&mut R::bind(writer));
}

/// [`Portable::read`] for every record.
#[doc(hidden)]
#[inline]
pub fn read_record<R: Record>(from: &mut &[u8]) -> Result<R, PortableError> {
    let table = LeafTable::of::<R>();
    let bytes = take::<R>(from, table.packed())?;
    let accepts = |leaf: usize| table.leaf(leaf).accepts(&bytes[table.packed_size(leaf)..]);
    if !table.any_bits() && !(0..table.count()).all(accepts) {
        return Err(PortableError::Invalid(type_name::<R>()));
    }
    Ok(load_from(&|leaf, size| &bytes[table.packed_size(leaf)..][..size]))
}

/// An access that appends the leaves of a record to bytes.
struct Writer<'w, R, W> {
    /// The number of the next leaf, and the bytes that it is appended to.
    to: &'w RefCell<(usize, &'w mut W)>,
    record: PhantomData<R>,
}

copied!([R, W] Writer<'_, R, W>);

impl<R: Record, W> Access for Writer<'_, R, W> {
    type Record = R;
    type Value<T: Leaf> = T;

    unsafe fn read_further<P: Path<Root = R, Type: Leaf>>(self, _: usize) -> P::Type {
        unreachable!("a record that is stored is not read")
    }
}

impl<R: Record, W: Extend<u8>> AccessMut for Writer<'_, R, W> {
    #[inline]
    unsafe fn write_further<P: Path<Root = R, Type: Leaf>>(self, leaves: usize, value: P::Type) {
        let (next, to) = &mut *self.to.borrow_mut();
        assert_eq!(P::LEAF + leaves, *next, "a record stores its leaves one after another");
        *next += 1;
        to.extend(leaf_bytes(&value).iter().copied());
    }
}

scalar!([R: Record, W] Writer<'_, R, W>);

/// Reads the leaves of a record from bytes that are values of them: `bytes` gives those of a leaf, by its number and size.
#[cfg_attr(not(unoptimized), inline(always))]
pub(crate) fn load_from<'b, R: Record>(bytes: &impl Fn(usize, usize) -> &'b [u8]) -> R {
    R::load::<_, Root<R>>(&R::bind(Reader { bytes, record: PhantomData }))
}

/// The access of [`load_from`].
struct Reader<'f, R, F> {
    bytes: &'f F,
    record: PhantomData<R>,
}

copied!([R, F] Reader<'_, R, F>);

impl<'b, R: Record, F: Fn(usize, usize) -> &'b [u8]> Access for Reader<'_, R, F> {
    type Record = R;
    type Value<T: Leaf> = T;

    #[inline]
    unsafe fn read_further<P: Path<Root = R, Type: Leaf>>(self, leaves: usize) -> P::Type {
        let value = leaf_from_bytes((self.bytes)(P::LEAF + leaves, size_of::<P::Type>()));
        value.unwrap_or_else(|| unreachable!("bytes of a leaf are a value"))
    }
}

scalar!(['b, R: Record, F: Fn(usize, usize) -> &'b [u8]] Reader<'_, R, F>);

macro_rules! portable_records {
    ($($record:ty),+ $(,)?) => {$(
        impl Portable for $record {
            #[inline]
            fn write(&self, to: &mut impl Extend<u8>) {
                write_record(self, to);
            }

            #[inline]
            fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
                read_record(from)
            }
        }
    )+};
}

portable_records!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, bool, char);
portable_records!(NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize);
portable_records!(NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize);
#[cfg(feature = "half")]
portable_records!(half::f16, half::bf16);

macro_rules! portable_tuples {
    ($(($($value:ident)*))+) => {$(
        #[allow(non_snake_case, unused_variables, reason = "values are named as their types, and there may be none")]
        impl<$($value: Portable),*> Portable for ($($value,)*) {
            fn write(&self, to: &mut impl Extend<u8>) {
                let ($($value,)*) = self;
                $($value.write(to);)*
            }

            fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
                Ok(($($value::read(from)?,)*))
            }
        }
    )+};
}

portable_tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

impl<T: Portable, const N: usize> Portable for [T; N] {
    fn write(&self, to: &mut impl Extend<u8>) {
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let mut error = None;
        let values = [(); N].map(|()| match error {
            None => T::read(from).map_err(|why| error = Some(why)).ok(),
            Some(_) => None,
        });
        match error {
            None => Ok(values.map(|value| value.unwrap_or_else(|| unreachable!("each was read")))),
            Some(error) => Err(error),
        }
    }
}

impl<T: Portable> Portable for Option<T> {
    fn write(&self, to: &mut impl Extend<u8>) {
        self.is_some().write(to);
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        bool::read(from)?.then(|| T::read(from)).transpose()
    }
}

impl<T: Portable, E: Portable> Portable for Result<T, E> {
    fn write(&self, to: &mut impl Extend<u8>) {
        self.is_ok().write(to);
        match self {
            Ok(value) => value.write(to),
            Err(error) => error.write(to),
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        Ok(if bool::read(from)? { Ok(T::read(from)?) } else { Err(E::read(from)?) })
    }
}

impl Portable for Duration {
    fn write(&self, to: &mut impl Extend<u8>) {
        (self.as_secs(), self.subsec_nanos()).write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let (seconds, nanos) = <(u64, u32)>::read(from)?;
        if nanos >= 1_000_000_000 {
            return Err(PortableError::Invalid(type_name::<Self>()));
        }
        Ok(Self::new(seconds, nanos))
    }
}

#[cfg(feature = "alloc")]
mod lists {
    use super::*;

    impl Portable for String {
        fn write(&self, to: &mut impl Extend<u8>) {
            self.len().write(to);
            to.extend(self.bytes());
        }

        fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
            let count = usize::read(from)?;
            let text = core::str::from_utf8(take::<Self>(from, count)?);
            text.map(Into::into).map_err(|_| PortableError::Invalid(type_name::<Self>()))
        }
    }

    macro_rules! portable_lists {
        ($($list:ident),+) => {$(
            impl<T: Portable> Portable for $list<[T]> {
                fn write(&self, to: &mut impl Extend<u8>) {
                    write_list(self.iter(), to);
                }

                fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
                    read_list(from)
                }
            }

            impl<T: Portable> Portable for $list<T> {
                fn write(&self, to: &mut impl Extend<u8>) {
                    T::write(self, to);
                }

                fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
                    T::read(from).map(Self::new)
                }
            }
        )+};
    }

    portable_lists!(Box, Arc);

    impl<T: Portable> Portable for Vec<T> {
        fn write(&self, to: &mut impl Extend<u8>) {
            write_list(self.iter(), to);
        }

        fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
            read_list(from)
        }
    }

    impl<K: Portable + Ord, V: Portable> Portable for BTreeMap<K, V> {
        fn write(&self, to: &mut impl Extend<u8>) {
            self.len().write(to);
            for (key, value) in self {
                key.write(to);
                value.write(to);
            }
        }

        fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
            read_list::<(K, V), _>(from)
        }
    }
}
