//! Stores of emitted elements: the boxes of all points, put together. Elements stay on the locales on which they were emitted.

use std::sync::Arc;

use layout_core::{Portable, Record, RecordLayout};

use super::agree::first_error;
use super::arguments::{Argument, At, By, Combine, Combiners, Following, Once, sealed};
use super::builder::TaskBuilder;
use super::elements::Elements;
use super::emit::{Emission, Kept, List, Lists, Own, OwnList, Unbound, emit};
use super::emitted::Emitted;
use super::plan::{Described, Plan};
use crate::error::StoreError;
use crate::geometry::{Point, Rect, StoreRank};
use crate::graph::{Body, Cause, Engine, Node};
use crate::locale::{Locale, Parts};
use crate::memory::Form;
use crate::sync::Mutex;

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Unbound<R, D, L> {
    /// Waits for the task that emits to this unbound store, and returns the elements.
    pub(crate) fn elements(&self) -> Result<Elements<R, D, L>, StoreError> {
        Engine::check_outside()?;
        let emission = self.inner.emission()?;
        let Kept::Own(lists) = &emission.kept else { return self.collected()?.elements() };
        let lists = lists.clone();
        let mut asked = self.inner.asked.lock();
        let is_first = !asked.in_store;
        if is_first {
            let (taken, whole) = (!asked.by_point, !Form::is_possible::<R, L>());
            let boxes =
                Arc::new(Boxes { locale: self.launcher().locale.clone(), lists, sizes: Mutex::default(), whole });
            let bind = Bind { target: self.clone(), emission, taken, boxes };
            TaskBuilder::new(self.launcher(), "bind".into()).args((bind,)).launch(|_, _| ())?;
            asked.in_store = true;
        }
        drop(asked);
        let node = self.inner.bound.lock().clone().ok_or(StoreError::Unbound)?;
        let done = self.launcher().locale.wait_for(&node);
        if is_first {
            // A locale may have no memory for its part. All of them return that error, now and later.
            let refused = first_error(self.launcher(), done.as_ref().err().cloned())?;
            self.inner.asked.lock().refused = refused;
        }
        if let Some(error) = self.inner.asked.lock().refused.clone() {
            return Err(error);
        }
        done?;
        self.inner.elements.get().cloned().ok_or(StoreError::Unbound)
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Unbound<R, D, L> {
    /// Elements that were sent to points, as if each point had emitted the elements that it received.
    fn collected(&self) -> Result<Self, StoreError> {
        let _one_at_a_time = self.inner.asked.lock();
        if let Some(collected) = self.inner.collected.get() {
            return Ok(collected.clone());
        }
        let collected = Self::new(self.launcher());
        let args = (Emitted::of(self, self.inner.emission()?), emit(&collected));
        TaskBuilder::new(self.launcher(), "collect".into())
            .args(args)
            .launch(|_, (sent, to)| to.take(sent.to_vec()))?;
        Ok(self.inner.collected.get_or_init(|| collected).clone())
    }
}

/// The size of the box that a point emitted.
#[derive(Clone, Copy, Default)]
struct Size {
    extents: Option<Point>,
    count: usize,
}

/// The elements that all points emitted. Each locale knows the sizes of all, and has only its own elements.
struct Boxes<R> {
    locale: Arc<Locale>,
    lists: Arc<Lists<R>>,
    /// The sizes of the points of other locales.
    sizes: Mutex<Vec<(usize, Size)>>,
    /// `true` if each locale gets all elements, because elements share bytes.
    whole: bool,
}

impl<R: Record> Boxes<R> {
    fn sizes(&self) -> Vec<Size> {
        let size = |own: &Own<R>| {
            let list = own.list.lock();
            Size { extents: list.extents, count: list.elements.values.len() }
        };
        let mut sizes: Vec<Size> = self.lists.0.iter().map(size).collect();
        self.sizes.lock().iter().for_each(|(number, size)| sizes[*number] = *size);
        sizes
    }
}

impl<R: Record> Parts for Boxes<R> {
    /// Writes the size and, if all locales get all elements, the elements.
    fn give(&self, number: usize, _: usize, message: &mut Vec<u8>) -> usize {
        let list = self.lists.0[number].list.lock();
        let elements = &list.elements.values;
        (list.extents, elements.len()).write(message);
        let bytes = size_of::<i64>() * list.extents.map_or(1, |extents| extents.len());
        if !self.whole {
            return bytes;
        }
        elements.write(message);
        bytes + size_of_val(&elements[..])
    }

    fn put(&self, number: usize, told: &mut &[u8]) -> Result<(), Cause> {
        let (extents, count) = Portable::read(told)?;
        if self.whole {
            let list = List { extents, elements: Vec::read(told)? };
            *self.lists.0[number].list.lock() = OwnList::new(list, &self.locale)?;
        } else {
            self.sizes.lock().push((number, Size { extents, count }));
        }
        Ok(())
    }
}

/// The argument of the task that makes the store.
struct Bind<R, D, L> {
    target: Unbound<R, D, L>,
    emission: Emission<R>,
    boxes: Arc<Boxes<R>>,
    /// `true` if no other task takes the elements.
    taken: bool,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> sealed::Sealed for Bind<R, D, L> {}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Argument for Bind<R, D, L> {
    type Given<'a> = ();
    type Handle<'a> = ();
    type Held<'r> = ();

    fn describe(&self) -> Result<Described, StoreError> {
        self.emission.describe("store", &self.target.launcher().locale)
    }

    fn handle(&self, _: usize) {}

    fn follow(&self, point: Following<'_>) {
        self.emission.follow(point);
    }

    fn hold(&self, _: &Rect, _: At<'_>) -> Result<(), Cause> {
        Ok(())
    }

    fn give((): &mut ()) -> Result<(), Cause> {
        Ok(())
    }

    fn combine(&mut self, _: &Plan, _: u32, _: &Combiners) -> Option<Combine> {
        let (target, boxes, domain, taken) =
            (self.target.inner.clone(), self.boxes.clone(), self.emission.domain, self.taken);
        let (root, placement) = (target.launcher.locale.next_root(), self.emission.placement.clone());
        let parts = boxes.clone();
        let work = move || {
            let (extents, rects) = together(D::RANK, domain, &boxes.sizes())?;
            let elements = Elements::<R, D, L>::new_in(&target.launcher.locale, extents, root, &|_, here| {
                // The program that asks for the store agrees.
                here.map_or(Ok(()), Err)
            })?;
            elements.write_boxes((&rects, &placement), boxes.whole, |number| {
                let mut list = boxes.lists.0[number].list.lock();
                if taken { list.elements.take() } else { list.elements.values.clone() }
            })?;
            // Handles exist, since the target is in use.
            elements.root.take_up();
            let _ = target.elements.set(elements);
            Ok(())
        };
        let body: Arc<dyn Body> = Arc::new(Once { what: "bind emitted elements", work });
        let shared = self.target.inner.clone();
        let node = move |node: &Arc<Node>| *shared.bound.lock() = Some(node.clone());
        Some(Combine { parts, by: By::All { body, node: Box::new(node) } })
    }
}

/// The extents of the store of all boxes, and the place of the box of each point in it.
fn together(rank: Option<usize>, domain: Rect, parts: &[Size]) -> Result<(Point, Vec<Rect>), StoreError> {
    let bound = || parts.iter().find_map(|part| part.extents.map(|extents| extents.len()));
    let rank = rank.or_else(bound).unwrap_or(1);
    if rank == 0 {
        let emitted = parts.iter().filter(|part| part.extents.is_some()).count();
        if (parts.len(), emitted) != (1, 1) {
            return Err(StoreError::EmittedScalar { points: parts.len(), emitted });
        }
    }
    let extents_of = |part: &Size| match part.extents {
        None if rank == 1 => i64::try_from(part.count).ok().map(|extent| Point::from([extent])),
        extents => extents,
    };
    let grid = domain.rank() == rank;
    let color = |number: usize, dim: usize| match (grid, dim) {
        (true, _) => usize::try_from(domain.nth(number)[dim] - domain.lo()[dim]).unwrap_or(0),
        (false, 0) => number,
        (false, _) => 0,
    };
    // For each dimension, the length of the boxes of each color.
    let mut sizes: Vec<Vec<Option<i64>>> = (0..rank)
        .map(|dim| vec![None; if grid { usize::try_from(domain.extents()[dim]).unwrap_or(0) } else { parts.len() }])
        .collect();
    for (number, part) in parts.iter().enumerate() {
        let Some(extents) = extents_of(part) else { continue };
        if extents.len() != rank {
            return Err(StoreError::Rank { given: extents.len(), expected: rank });
        }
        for (dim, sizes) in sizes.iter_mut().enumerate() {
            let expected = *sizes[color(number, dim)].get_or_insert(extents[dim]);
            if expected != extents[dim] {
                return Err(StoreError::Emitted { point: domain.nth(number), extents, dim, expected });
            }
        }
    }
    // The start of the boxes of each color, and last the end of all.
    let starts: Vec<Vec<i64>> = sizes
        .iter()
        .map(|sizes| {
            let ends = sizes.iter().scan(0, |end, size| {
                *end += size.unwrap_or(0);
                Some(*end)
            });
            core::iter::once(0).chain(ends).collect()
        })
        .collect();
    let mut boxes = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        let corner = |after: usize| (0..rank).map(|dim| starts[dim][color(number, dim) + after]).collect();
        let place = Rect::new(corner(0), corner(1));
        if extents_of(part).is_none() && !place.is_empty() {
            let (extents, expected) = (Point::splat(rank, 0), place.extents()[0]);
            return Err(StoreError::Emitted { point: domain.nth(number), extents, dim: 0, expected });
        }
        boxes.push(place);
    }
    Ok((starts.iter().map(|starts| starts[starts.len() - 1]).collect(), boxes))
}
