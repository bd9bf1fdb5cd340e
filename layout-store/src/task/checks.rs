//! Checks before a launch, and the claims of its points.

use core::cmp::Reverse;
use std::sync::Arc;

use smallvec::SmallVec;

use super::plan::{Described, Plan};
use crate::error::StoreError;
use crate::geometry::{Grid, MOST_BOXES, Rect, maximal};
use crate::graph::Tiles;
use crate::locale::{Claim, Owners, Root};
use crate::memory::{Form, StoreTarget};
use crate::partition::{Access, Placement};

/// The claims of a launch. Returns an error if elements that are read are unwritten, tiles that are written overlap, or two arguments lead
/// to an element that is written.
///
/// An argument that contributes to a reduction claims nothing: its task bodies do not use the store.
pub(super) fn claims(
    task: &str,
    arguments: &[Described],
    plan: &Plan,
    placement: &Placement,
) -> Result<SmallVec<[Claim; 3]>, StoreError> {
    let (mut claims, mut numbers) = (SmallVec::<[Claim; 3]>::new(), SmallVec::<[usize; 4]>::new());
    for (number, argument) in arguments.iter().enumerate() {
        let Some(root) = &argument.root else {
            // Emitted elements lie on the locale of the point that emitted them.
            if let Some(colors) = argument.manual.as_ref().map(|manual| manual.tiling.colors())
                && Rect::of(colors) != plan.domain
            {
                let domain = plan.domain.into();
                return Err(StoreError::Manual { task: task.to_owned(), argument: number, domain, colors });
            }
            // Two arguments may have been emitted on different locales, and a mapper may name others.
            let elsewhere =
                |there: &Placement| (0..there.count()).any(|point| there.locale(point) != placement.locale(point));
            if argument.manual.is_some() && argument.placement.as_ref().is_some_and(elsewhere) {
                return Err(StoreError::EmittedElsewhere { task: task.to_owned(), argument: number });
            }
            continue;
        };
        let part = &plan.parts[number];
        root.check(task, Some(number), argument.access != Access::Read)?;
        argument.order.iter().try_for_each(|order| order.check(task, (number, argument), root))?;
        let reads = argument.access != Access::Write;
        if reads {
            let unwritten = match &part.asked {
                Some(asked) => asked.unwritten,
                None => {
                    let uses = root.uses.lock();
                    uses.unwritten(part.elements.hull()).and_then(|_| match &part.faces {
                        // Corners that points do not use may be unwritten.
                        Some(faces) if !part.more => faces.iter().find_map(|tiles| uses.unwritten_of(tiles)),
                        _ => uses.unwritten_of(part.used(&argument.transform)),
                    })
                }
            };
            if let Some(rect) = unwritten {
                return Err(StoreError::Uninitialized {
                    task: task.to_owned(),
                    argument: Some(number),
                    rect: rect.into(),
                });
            }
        }
        if argument.access == Access::Reduce {
            continue;
        }
        let write = argument.access >= Access::Write;
        if write {
            let imaginary = |dim: &usize| {
                argument.transform.is_imaginary(*dim) && part.rects.iter().any(|rect| rect.extents()[*dim] > 1)
            };
            if let Some(dim) = (0..argument.transform.rank()).find(imaginary) {
                return Err(StoreError::Promoted { task: task.to_owned(), argument: number, dim });
            }
            if let Some((first, second, rect)) = part.overlap.as_deref().copied() {
                let whole = Rect::of(argument.transform.extents());
                if part.rects.iter().all(|rect| rect == whole) {
                    return Err(StoreError::WrittenWhole { task: task.to_owned(), argument: number });
                }
                let colors = Box::new([first, second].map(|number| plan.domain.nth(number)));
                return Err(StoreError::Overlap { task: task.to_owned(), argument: number, colors, rect: rect.into() });
            }
        }
        check_memory(task, number, root, |form| {
            if let Some(asked) = &part.asked {
                return asked.largest;
            }
            if write {
                return largest_written(form, root, &part.root, placement);
            }
            let tiles = &part.root;
            if is_far_from_limit(form, root, tiles, 1) {
                return None;
            }
            // The elements that a point reads lie in one instance.
            let box_of = |point: usize| (placement.locale(point), form.size(tiles.rect(point)));
            (0..tiles.len()).map(box_of).max_by_key(|(locale, needed)| (*needed, Reverse(*locale)))
        })?;
        // A writer of a box has all of the box afterwards, and elements that share bytes are sent together.
        let only = !write && !argument.is_joined();
        let (runs, faces) = (part.runs.clone().filter(|_| only), part.faces.clone().filter(|_| only));
        // Boxes in which all is written need not be told apart from what the points write there.
        let is_new = || !part.more || root.uses.lock().unwritten(part.elements.hull()).is_some();
        let wrote = (!reads && is_new()).then(|| part.used(&argument.transform).clone());
        // Other elements in the boxes stay as they are, so the writer needs them.
        let access = (reads || part.more, write);
        let asked = part.asked.clone();
        let claim = Claim { runs, faces, wrote, asked, ..Claim::new(root, part.root.clone(), access) };
        for (earlier, other) in claims.iter().zip(&numbers) {
            if !Arc::ptr_eq(&earlier.root, &claim.root) || !(write || earlier.write) {
                continue;
            }
            if let Some((at, there, rect)) = claim.tiles.overlap(&earlier.tiles) {
                let (written, other, first, second) =
                    if write { (number, *other, at, there) } else { (*other, number, there, at) };
                let colors = Box::new([first, second].map(|number| plan.domain.nth(number)));
                return Err(StoreError::Aliased { task: task.to_owned(), written, other, colors, rect: rect.into() });
            }
        }
        claims.push(claim);
        numbers.push(number);
    }
    Ok(claims)
}

/// Returns an error for a launch that would send something, inside a scope that allows no message; the same error on all locales.
pub(super) fn check_local(
    task: &str,
    arguments: &[Described],
    (claims, owners): (&[Claim], &[Arc<Owners>]),
    (placement, tells): (&Placement, bool),
) -> Result<(), StoreError> {
    let store = |argument: usize| Some(arguments[argument].root.as_ref()?.id);
    let refused = |argument: Option<usize>, what: &'static str| {
        let store = argument.map_or_else(|| (0..arguments.len()).find_map(store), store);
        Err(StoreError::NotLocal { operation: format!("task `{task}`"), what, argument, store })
    };
    let numbers = (0..arguments.len()).filter(|number| arguments[*number].claims());
    if let Some((number, _)) = numbers.zip(claims).find(|(_, claim)| claim.is_sent(placement)) {
        return refused(Some(number), "elements");
    }
    for owners in owners {
        let argument = owners.argument as usize;
        if arguments[argument].root.as_ref().is_some_and(|root| owners.are_sent(root)) {
            return refused(Some(argument), "contributions");
        }
    }
    // The receivers are not known before the launch runs.
    if arguments.iter().any(|argument| ["send", "store"].contains(&argument.call)) {
        return refused(None, "what its points emit");
    }
    if tells {
        return refused(None, "the values of its points");
    }
    Ok(())
}

/// The locale that needs most memory for tiles that are written, and the bytes; `None` if there is surely enough memory.
pub(super) fn largest_written(
    form: &Form,
    root: &Root,
    tiles: &Tiles,
    placement: &Placement,
) -> Option<(usize, usize)> {
    let points = placement.most_points();
    // With a few tiles on each locale, the boxes around them are not larger.
    if points <= MOST_BOXES && is_far_from_limit(form, root, tiles, points) {
        return None;
    }
    let needed = |locale: usize| {
        let boxes = maximal(placement.points_of(locale).map(|point| tiles.rect(point)));
        boxes.iter().fold(0, |sum: usize, rect| sum.saturating_add(form.size(*rect)))
    };
    (0..placement.locales())
        .map(|locale| (locale, needed(locale)))
        .max_by_key(|(locale, needed)| (*needed, Reverse(*locale)))
}

/// Returns `true` if this number of tiles takes far less memory than a locale may use, so that the exact number does not matter.
fn is_far_from_limit(form: &Form, root: &Root, tiles: &Tiles, points: usize) -> bool {
    let most = |grid: &Grid| form.size(grid.largest()).saturating_mul(points);
    let limit = root.locale.budget.least_limit();
    tiles.grid().is_some_and(|grid| most(grid) <= limit - limit / 16)
}

/// Returns an error if a store would take more memory than the locale with the smallest limit may use: all locales refuse the same launches.
/// `needed` returns the locale that needs most, and the bytes.
pub(super) fn check_memory(
    task: &str,
    argument: usize,
    root: &Root,
    needed: impl FnOnce(&Form) -> Option<(usize, usize)>,
) -> Result<(), StoreError> {
    let (Some(divided), limit) = (root.divided(), root.locale.budget.least_limit()) else { return Ok(()) };
    if limit == usize::MAX || divided.form.target() != StoreTarget::Main {
        return Ok(());
    }
    match needed(&divided.form) {
        Some((locale, needed)) if needed > limit => {
            let task = task.to_owned();
            Err(StoreError::PartTooLarge { task, argument, store: root.id, locale, needed, limit })
        }
        _ => Ok(()),
    }
}
