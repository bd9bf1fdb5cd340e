//! Contributions to stores: the locales that combine them, and the nodes that do it.

use std::borrow::Cow;
use std::sync::Arc;

use super::arguments::{By, Combine, MakeBody};
use super::checks::{check_memory, largest_written};
use super::constrain::Rule;
use super::enqueue::enlist_points;
use super::launcher::Launcher;
use super::part::Part;
use super::plan::{Cut, Described, MOST_LAUNCHES, Plan};
use crate::error::StoreError;
use crate::geometry::{Rect, Transform};
use crate::graph::{Edge, Node, Nodes, Tiles};
use crate::locale::{
    Claim, Exchanged, Locale, Order, Outbound, Owners, Purpose, Root, copies, deliver, enlist, settle, transfers,
};
use crate::partition::{Access, Constraint, Placement, Tiling};

/// The locales that combine contributions, for each argument that gets some: the locales of the tiles that are given, or of the launch that
/// last wrote all of it, tile by tile, or, without such a launch, the locales of a task that would only update the store.
///
/// One locale combines everything if there is no other, if elements share bytes, or if the argument has delinearized dimensions, in which
/// no tile is a box.
pub(super) fn owners_of(
    task: &str,
    launcher: &Arc<Launcher>,
    arguments: &[Described],
    plan: &Plan,
    placement: &Placement,
) -> Result<Vec<Arc<Owners>>, StoreError> {
    let mut owners = Vec::new();
    for ((argument, described), part) in (0..).zip(arguments).zip(&plan.parts) {
        let Some(root) = described.root.as_ref().filter(|_| described.access == Access::Reduce) else { continue };
        let boxes = part.root.clone();
        let (tiles, placed) = match tiles_of(task, launcher, (described, root), part)? {
            Some((tiles, placed)) => (plan.cut(&tiles, boxes.hull()), placed),
            None => (Tiles::one(*boxes.hull()).into(), Placement::first(1)),
        };
        check_memory(task, argument as usize, root, |form| {
            // A record of contributions is not larger than a record in the store.
            let contributed = |point: usize| {
                let elements = usize::try_from(part.rects.rect(point).volume()).unwrap_or(usize::MAX);
                (placement.locale(point), elements.saturating_mul(root.element))
            };
            let most = (0..boxes.len()).map(contributed).max_by_key(|(_, bytes)| *bytes);
            let written = largest_written(form, root, &tiles, &placed);
            most.into_iter().chain(written).max_by_key(|(_, bytes)| *bytes)
        })?;
        let (rects, view, here) = (part.rects.clone(), described.transform.clone(), launcher.locale.number);
        let (store, element, ran) = (root.id, root.packed(), placement.clone());
        let joined = part.joined((&tiles, &placed), here);
        let owned =
            Owners { argument, store, element, rects, view, boxes, joined, ran, here, tiles, placement: placed };
        owners.push(Arc::new(owned));
    }
    Ok(owners)
}

/// The tiles of the locales that combine contributions, and their places; `None` if one locale combines all.
fn tiles_of(
    task: &str,
    launcher: &Arc<Launcher>,
    (argument, root): (&Described, &Arc<Root>),
    part: &Part,
) -> Result<Option<(Arc<Tiles>, Placement)>, StoreError> {
    let locale = &launcher.locale;
    if locale.net.is_none() || argument.is_joined() || !argument.transform.shows_boxes() {
        return Ok(None);
    }
    let rank = argument.transform.rank();
    let is_cut = |tiling: &&Arc<Tiling>| tiling.placement().is_some() && tiling.colors().len() == rank;
    if let Some(tiling) = argument.owners.as_ref().filter(is_cut) {
        let transform = argument.transform.clone();
        let (extents, elements) = (transform.extents(), transform.footprint().volume());
        let cut = Constraint::Cut { argument: 0, tiling: tiling.clone() };
        let (tiles, placed) = tiles_alone(task, launcher, (root, transform), &[cut.into()])?;
        // The tiles of a distribution are disjoint; several indices of a view may be one element.
        let all = tiles.iter().map(|tile| tile.volume()).sum::<i64>() == elements;
        if all && extents.product() == Some(elements) {
            return Ok(Some((tiles, placed)));
        }
    }
    let found = match root.written_together(part.root.hull()) {
        Some(known) => known,
        None => tiles_alone(task, launcher, (root, Transform::shared(root.extents())?), &[])?,
    };
    Ok(Some(found).filter(|(tiles, _)| tiles.are_all_of(tiles.hull()) && tiles.hull().covers(part.root.hull())))
}

/// The tiles of a task that would only update a view of a root, and the locales of its points.
fn tiles_alone(
    task: &str,
    launcher: &Arc<Launcher>,
    (root, transform): (&Arc<Root>, Arc<Transform>),
    rules: &[Rule],
) -> Result<(Arc<Tiles>, Placement), StoreError> {
    let (locale, root) = (root.locale.clone(), root.clone());
    let (call, access) = ("update", Access::Update);
    let alone = [Described {
        locale,
        root: Some(root),
        transform,
        access,
        call,
        manual: None,
        placement: None,
        order: None,
        target: None,
        owners: None,
    }];
    let plan = Plan::of(task, launcher, &alone, &Cut::Auto(rules), None)?;
    Ok((plan.parts[0].root.clone(), plan.placement(task, &alone, None, &launcher.locale)?))
}

/// Adds nodes that collect and combine contributions to the graph; returns the last of the nodes that every locale has. `task` has the
/// order, the name and the points of the launch.
pub(super) fn combine_all(
    locale: &Arc<Locale>,
    task: (Order, &Cow<'static, str>, &Rect),
    after: Vec<Combine>,
    (placement, points_here): (&Placement, &Nodes),
    (number, out, exchanged): (&mut usize, &mut Outbound, &mut Exchanged),
) -> Option<Arc<Node>> {
    let (mut last, order) = (None, task.0);
    for Combine { parts, by } in after {
        let owners = if let By::Owners { owners, .. } = &by { Some(&**owners) } else { None };
        let come = deliver(locale, task, (&parts, owners), (placement, points_here), (number, &mut out.nodes));
        match by {
            By::All { body, node } => {
                let all = locale.engine.nodes.one(order.number, *number, &body);
                *number += 1;
                if locale.planned.is_none() {
                    locale.engine.count(1);
                    points_here.iter().for_each(|first| all.after(first, Edge::Data));
                    come.iter().for_each(|(_, first)| all.after(first, Edge::Data));
                    out.nodes.push(all.clone());
                }
                node(&all);
                last = Some(all);
            }
            By::Owners { root, owners, body } => {
                combine(&root, order, (&owners, body), (points_here, &come), (number, out, exchanged));
            }
        }
    }
    last
}

/// Adds nodes that combine contributions to the graph: one for each tile of this locale. A node runs after the points here that contribute
/// to its tile, and after the contributions of other locales came.
fn combine(
    root: &Arc<Root>,
    order: Order,
    (owners, body): (&Arc<Owners>, MakeBody),
    (points_here, come): (&Nodes, &[(usize, Arc<Node>)]),
    (number, out, exchanged): (&mut usize, &mut Outbound, &mut Exchanged),
) {
    let (locale, Owners { argument, tiles, placement, .. }) = (&root.locale, &**owners);
    if locale.net.is_some() {
        exchanged.contributes(owners);
    }
    let mut claim = Claim::new(root, tiles.clone(), (true, true));
    root.images.forget();
    let claims = core::slice::from_mut(&mut claim);
    for (root, moves) in settle(locale, claims, (placement, Purpose::Combined)) {
        copies(locale, order, &root, moves, (*number, &mut out.nodes));
    }
    // Contributions are combined with the newest version of the elements.
    transfers(locale, order, [(*argument, &claim)], placement, (out, exchanged));
    let first = *number;
    *number += tiles.len();
    let most = if locale.planned.is_some() { 0 } else { tiles.len() };
    let here = placement.points_of(locale.number).take(most);
    let body = body(first, claim.places.clone());
    let nodes = locale.engine.nodes.take(order.number, here.clone().map(|tile| first + tile), &body);
    if nodes.is_empty() {
        out.unused.push(body);
    }
    locale.engine.count(nodes.len());
    for (tile, node) in here.zip(&*nodes) {
        let rect = tiles.rect(tile);
        let wants = |point: usize| owners.is_one() || owners.boxes.rect(point).overlaps(&rect);
        let here = points_here.iter().map(|node| (node.order.1, node));
        let all = here.chain(come.iter().map(|(point, node)| (*point, node)));
        all.filter(|(point, _)| wants(*point)).for_each(|(_, first)| node.after(first, Edge::Data));
    }
    match &owners.joined {
        None => enlist_points(&[claim], (&nodes, first), locale, placement),
        Some(joined) => {
            let after = root.uses.lock().newest();
            if locale.net.is_some() || locale.planned.is_some() {
                root.tiles_written(&claim.tiles, placement, claim.places.as_ref());
            }
            for (node, boxes) in nodes.iter().zip(&**joined).filter(|(_, boxes)| !boxes.hull().is_empty()) {
                enlist(&[Claim::new(root, boxes.clone(), (true, true))], &Nodes::One(node.clone()));
            }
            if locale.net.is_some() {
                root.uses.lock().note_elsewhere(after, &claim.tiles, (placement, locale.number));
            }
        }
    }
    out.nodes.extend(nodes.iter().cloned());
    root.divided().into_iter().for_each(|divided| divided.sweep(&locale.budget));
}

impl Plan {
    /// The part of disjoint tiles in a box. The next launch of this plan gets the same list, and finds what was computed for it.
    fn cut(&self, tiles: &Arc<Tiles>, rect: &Rect) -> Arc<Tiles> {
        if rect.covers(tiles.hull()) {
            return tiles.clone();
        }
        let mut known = self.cut.lock();
        if let Some((.., cut)) = known.iter().find(|(of, by, _)| Arc::ptr_eq(of, tiles) && by == rect) {
            return cut.clone();
        }
        let cut = Arc::new(tiles.within(rect));
        if known.len() == MOST_LAUNCHES {
            known.remove(0);
        }
        known.push((tiles.clone(), *rect, cut.clone()));
        cut
    }
}
