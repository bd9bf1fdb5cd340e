//! Values of the points of a launch, and their combination.

use core::ops::Range;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use layout_core::{Portable, PortableError};

use crate::graph::Cause;
use crate::locale::{Gathered, Part};
use crate::sync::Mutex;

/// The values of points.
pub(super) struct Values<T, U, C, F> {
    /// The values of points of this locale, by their numbers.
    pub(super) own: Arc<Mutex<Parts<T>>>,
    /// The values of points of other locales.
    pub(super) come: Mutex<Parts<T>>,
    /// The codecs for messages to other locales; `None` if values stay.
    pub(super) travel: Option<(Codec<T>, Codec<U>)>,
    /// Combines the values of some points, in their order.
    pub(super) combine: C,
    /// Makes the result from the values of all points.
    pub(super) finish: F,
    pub(super) result: Arc<OnceLock<U>>,
    /// Returns the number of bytes of the result.
    pub(super) bytes: fn(&U) -> usize,
}

pub(super) type Parts<T> = BTreeMap<usize, Part<T>>;

/// Functions that convert a value to bytes and back.
pub(super) struct Codec<T> {
    write: fn(&T, &mut Vec<u8>),
    read: fn(&mut &[u8]) -> Result<T, PortableError>,
}

impl<T: Portable> Codec<T> {
    pub(super) fn new() -> Self {
        Self { write: |value, to| value.write(to), read: T::read }
    }
}

impl<T, U, C, F> Values<T, U, C, F>
where
    C: Fn(Parts<T>, usize) -> Vec<Part<T>>,
{
    /// Takes the values of a range of points that are here, combined.
    fn taken(&self, points: &Range<usize>, count: usize) -> Vec<Part<T>> {
        let mut taken = BTreeMap::new();
        for parts in [&*self.own, &self.come] {
            let mut parts = parts.lock();
            while let Some(first) = parts.range(points.clone()).next().map(|(first, _)| *first) {
                taken.extend(parts.remove_entry(&first));
            }
        }
        (self.combine)(taken, count)
    }

    fn codecs(&self) -> &(Codec<T>, Codec<U>) {
        self.travel.as_ref().unwrap_or_else(|| unreachable!("what stays is not sent"))
    }

    fn write_parts<'p>(&self, parts: impl ExactSizeIterator<Item = &'p Part<T>>, message: &mut Vec<u8>) -> usize
    where
        T: 'p,
    {
        let (codec, _) = self.codecs();
        let count = parts.len();
        count.write(message);
        parts.for_each(|part| part.write(codec.write, message));
        count * size_of::<T>()
    }
}

impl<T, U, C, F> Gathered for Values<T, U, C, F>
where
    T: Clone + Send + Sync + 'static,
    U: Clone + Send + Sync + 'static,
    C: Fn(Parts<T>, usize) -> Vec<Part<T>> + Send + Sync,
    F: Fn(Vec<Part<T>>) -> Option<U> + Send + Sync,
{
    fn stays(&self) -> bool {
        self.travel.is_none()
    }

    fn fold(&self, count: usize) {
        let own = core::mem::take(&mut *self.own.lock());
        let parts = (self.combine)(own, count);
        self.own.lock().extend(parts.into_iter().map(|part| (part.first, part)));
    }

    fn own(&self, message: &mut Vec<u8>) -> usize {
        self.write_parts(self.own.lock().values(), message)
    }

    fn take(&self, points: Range<usize>, count: usize, message: &mut Vec<u8>) -> usize {
        self.write_parts(self.taken(&points, count).iter(), message)
    }

    fn put(&self, parts: &mut &[u8]) -> Result<(), Cause> {
        let (codec, _) = self.codecs();
        for _ in 0..usize::read(parts)? {
            let part = Part::read(codec.read, parts)?;
            self.come.lock().insert(part.first, part);
        }
        Ok(())
    }

    fn finish(&self, count: usize) {
        if let Some(result) = (self.finish)(self.taken(&(0..count), count)) {
            let _ = self.result.set(result);
        }
    }

    fn result(&self, message: &mut Vec<u8>) -> usize {
        let (_, codec) = self.codecs();
        let result = self.result.get();
        result.is_some().write(message);
        result.map_or(0, |result| {
            (codec.write)(result, message);
            (self.bytes)(result)
        })
    }

    fn told(&self, result: &mut &[u8]) -> Result<(), Cause> {
        let (_, codec) = self.codecs();
        if bool::read(result)? {
            let _ = self.result.set((codec.read)(result)?);
        }
        Ok(())
    }
}
