//! The indices of a sparse array: those of this locale, and the distribution of all elements over locales.

use core::fmt;
use core::ops::Range;
use std::sync::{Arc, OnceLock};

use layout_core::Portable;
use layout_domain::{Domain, DomainError, DomainMap, Index, SparseDomain};
use layout_store::{Dim, Distribution, Point, Rect, Runtime, Store, Tiling};

use crate::positions::{self, SharedMap};
use crate::{ArrayError, agree};

/// A tile: the number of its elements, and the positions of its rows as start, end and step.
pub(super) type TileRows = (i64, i64, i64, i64);

/// The indices of a sparse array. Arrays that are zipped share them.
pub(super) struct Indices<const N: usize, I: Index> {
    pub(super) map: SharedMap<N, I>,
    /// The indices of this locale's elements.
    pub(super) own: SparseDomain<N, I>,
    /// The numbers of this locale's elements among all elements.
    pub(super) range: Range<usize>,
    /// The number of this locale's element at which each row starts, and last the number of elements. A row is the indices that differ only
    /// along the last dimension.
    pub(super) rows: Vec<usize>,
    /// The position of the first element of each tile, and its rows.
    pub(super) tile_rows: Arc<[(i64, TileRows)]>,
    /// The tiles of the elements, by position; `None` without elements.
    pub(super) tiling: Option<Arc<Tiling>>,
    pub(super) parts: Parts,
    /// The positions in the parent of all elements, once they are asked for.
    pub(super) places: OnceLock<Store<[i64; N], Dim<1>>>,
    /// The data for products with a vector, from the first product on.
    pub(super) columns: OnceLock<super::product::Columns>,
}

impl<const N: usize, I: Index> Indices<N, I> {
    /// The indices of a list that all locales have; nothing is sent.
    pub(super) fn of_list(rt: &Runtime, list: &SparseDomain<N, I>, map: SharedMap<N, I>) -> Result<Self, ArrayError> {
        positions::check(rt, list.parent(), &map)?;
        let mut of = vec![Vec::new(); rt.locales()];
        for index in list.iter() {
            let owner = owner(&map, index, of.len());
            of[owner.ok_or_else(|| DomainError::OwnedByNobody { index: index.map(Index::wide).to_vec() })?].push(index);
        }
        let mut own = SparseDomain::new(list.parent());
        let mut tiles = Vec::new();
        for (locale, indices) in of.into_iter().enumerate() {
            let mut part = SparseDomain::new(list.parent());
            part.insert(indices)?;
            tiles.push(tiles_of(rt, &part, &rows_of(&part)));
            if locale == rt.locale() {
                own = part;
            }
        }
        Self::new(rt, own, map, tiles)
    }

    /// The indices of each locale. The locales tell each other the number of their indices, and the rows.
    pub(super) fn of_parts(rt: &Runtime, own: SparseDomain<N, I>, map: SharedMap<N, I>) -> Result<Self, ArrayError> {
        let tiles = tiles_of(rt, &own, &rows_of(&own));
        let told = rt.task("tiles of a sparse array").over([rt.locales()])?;
        let tiles = told.map(move |_, ()| Ok(tiles.clone()))?.get()?;
        Self::new(rt, own, map, tiles)
    }

    fn new(
        rt: &Runtime,
        own: SparseDomain<N, I>,
        map: SharedMap<N, I>,
        tiles: Vec<Vec<TileRows>>,
    ) -> Result<Self, ArrayError> {
        let (mut starts, mut listed, mut tile_rows, mut at) = (vec![0], Vec::new(), Vec::new(), 0);
        for (locale, tiles) in tiles.into_iter().enumerate() {
            for tile in tiles {
                tile_rows.push((at, tile));
                listed.push((Rect::new([at].into(), [at + tile.0].into()), locale));
                at += tile.0;
            }
            starts.push(at);
        }
        let tiling = if at == 0 { None } else { rt.tiling([at].into(), &Distribution::tiles(listed))? };
        let first = usize::try_from(starts[rt.locale()]).unwrap_or(0);
        Ok(Self {
            map,
            range: first..first + own.len(),
            rows: rows_of(&own),
            own,
            tile_rows: tile_rows.into(),
            tiling,
            parts: Parts { starts: starts.into(), locales: (0..rt.locales()).collect() },
            places: OnceLock::new(),
            columns: OnceLock::new(),
        })
    }

    pub(super) fn parent(&self) -> &Domain<N, I> {
        self.own.parent()
    }

    /// The number of elements of all locales.
    pub(super) fn len(&self) -> usize {
        self.parts.starts.last().map_or(0, |end| usize::try_from(*end).unwrap_or(0))
    }

    /// The numbers of this locale's elements that are in a tile.
    pub(super) fn in_tile(&self, rect: &Rect) -> Range<usize> {
        let place = |at: i64| usize::try_from(at).unwrap_or(0).saturating_sub(self.range.start).min(self.own.len());
        place(rect.lo()[0])..place(rect.hi()[0])
    }

    /// The numbers of this locale's rows that have some of its elements; a tile has whole rows.
    pub(super) fn rows_in(&self, elements: &Range<usize>) -> Range<usize> {
        let first = self.rows.partition_point(|start| *start < elements.start);
        first..self.rows.partition_point(|start| *start < elements.end).max(first)
    }

    /// The positions in the parent of all elements, in a store beside them.
    pub(super) fn places(self: &Arc<Self>, rt: &Runtime) -> Result<&Store<[i64; N], Dim<1>>, ArrayError> {
        self.stored(rt, &self.places, |indices, at| position(indices.parent(), indices.own.as_slice()[at]))
    }

    /// A store beside the elements, made once; `f` computes the value for each element of this locale.
    fn stored<'s, T: layout_core::Record>(
        self: &'s Arc<Self>,
        rt: &Runtime,
        once: &'s OnceLock<Store<T, Dim<1>>>,
        f: impl Fn(&Self, usize) -> T + Send + Sync + 'static,
    ) -> Result<&'s Store<T, Dim<1>>, ArrayError> {
        if let Some(store) = once.get() {
            return Ok(store);
        }
        let made = self.store_of(rt, f)?;
        Ok(once.get_or_init(|| made))
    }

    /// A store beside the elements; `f` computes the value for each element of this locale.
    pub(super) fn store_of<T: layout_core::Record>(
        self: &Arc<Self>,
        rt: &Runtime,
        f: impl Fn(&Self, usize) -> T + Send + Sync + 'static,
    ) -> Result<Store<T, Dim<1>>, ArrayError> {
        let (store, indices): (Store<T, _>, _) = (rt.create(self.len())?, self.clone());
        let task = rt.task("indices of a sparse array").args((layout_store::write(&store),));
        let cut = |tiling: &Arc<Tiling>| layout_store::Constraint::Cut { argument: 0, tiling: tiling.clone() }.into();
        task.constrain(|_| self.tiling.iter().map(cut).collect::<Vec<_>>()).launch(move |task, (mut view,)| {
            for (k, at) in indices.in_tile(&task.rect(0)).enumerate() {
                view.set(k, f(&indices, at));
            }
        })?;
        Ok(store)
    }

    /// Sends values to the owners of their indices. Each locale passes its own values and gets the values that all locales passed for its
    /// indices, in the order of locales.
    pub(super) fn to_owners<T>(
        rt: &Runtime,
        (parent, map): (&Domain<N, I>, &SharedMap<N, I>),
        values: impl IntoIterator<Item = ([I; N], T)>,
    ) -> Result<Vec<([I; N], T)>, ArrayError>
    where
        T: Portable + Send + Sync + 'static,
    {
        let mut lists: Vec<Vec<([i64; N], T)>> = (0..rt.locales()).map(|_| Vec::new()).collect();
        let mut stray = None;
        for (index, value) in values {
            let place = positions::position_of(parent, index);
            match (place, owner(map, index, lists.len())) {
                (Some(place), Some(owner)) => lists[owner].push((array_of(&place), value)),
                (place, _) if stray.is_none() => stray = Some((index.map(Index::wide).to_vec(), place.is_some())),
                _ => {}
            }
        }
        match agree::first(rt, stray)? {
            Some((index, true)) => return Err(DomainError::OwnedByNobody { index }.into()),
            Some((index, false)) => return Err(DomainError::NotInParent { index, domain: parent.to_string() }.into()),
            None => {}
        }
        let come = rt.exchange(lists)?.into_iter().flatten();
        Ok(come.filter_map(|(place, value)| Some((positions::index_at(parent, &place)?, value))).collect())
    }
}

impl<const N: usize, I: Index> fmt::Debug for Indices<N, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { map, own, .. } = self;
        write!(f, "{} of {} by {map:?}, {} of them here", self.len(), self.parent(), own.len())
    }
}

/// The distribution of elements by position, in the order of locales.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    /// The position of each locale's first element, and last the number of all elements.
    starts: Arc<[i64]>,
    locales: Arc<[usize]>,
}

impl DomainMap<1> for Parts {
    fn locales(&self) -> &[usize] {
        &self.locales
    }

    fn owner(&self, [position]: [i64; 1], _: usize) -> Option<usize> {
        let past = self.starts.partition_point(|start| *start <= position);
        past.checked_sub(1).filter(|locale| *locale < self.locales.len())
    }

    fn local(&self, locale: usize, domain: &Domain<1>) -> Vec<Domain<1>> {
        let ends = self.starts.get(locale).zip(self.starts.get(locale + 1));
        let own = ends.map(|(from, to)| domain.intersect(&Domain::from(*from..*to)));
        own.into_iter().filter(|own| !own.is_empty()).collect()
    }
}

/// The owner of an index; `None` if the distribution gives none of so many locales.
fn owner<const N: usize, I: Index>(map: &SharedMap<N, I>, index: [I; N], locales: usize) -> Option<usize> {
    map.owner(index, 0).filter(|owner| *owner < locales)
}

/// The position of an index of the parent.
pub(super) fn position<const N: usize, I: Index>(parent: &Domain<N, I>, index: [I; N]) -> [i64; N] {
    positions::position_of(parent, index).map_or([0; N], |place| array_of(&place))
}

fn array_of<const N: usize>(place: &Point) -> [i64; N] {
    core::array::from_fn(|dim| place[dim])
}

/// The start of each row, and last the number of indices.
fn rows_of<const N: usize, I: Index>(own: &SparseDomain<N, I>) -> Vec<usize> {
    let indices = own.as_slice();
    let starts = (0..indices.len()).filter(|at| *at == 0 || indices[at - 1][..N - 1] != indices[*at][..N - 1]);
    starts.chain([indices.len()]).collect()
}

/// The indices of a locale, cut between rows into tiles for its threads.
fn tiles_of<const N: usize, I: Index>(rt: &Runtime, own: &SparseDomain<N, I>, rows: &[usize]) -> Vec<TileRows> {
    let most = rt.pieces().div_ceil(rt.locales());
    let count = most.min(own.len() / rt.min_chunk().max(1)).max(1);
    // A tile ends with the row in which an even share ends.
    let mut ends: Vec<usize> =
        (1..=count).map(|tile| rows[rows.partition_point(|row| *row < own.len() * tile / count)]).collect();
    ends.dedup();
    let mut from = 0;
    let tile = |to: usize| {
        // Without dimensions, the only index is a row.
        let row = |at: usize| position(own.parent(), own.as_slice()[at]).first().copied().unwrap_or(0);
        let starts = &rows[rows.partition_point(|row| *row < from)..rows.partition_point(|row| *row < to)];
        let apart = starts.windows(2).map(|pair| row(pair[1]) - row(pair[0])).fold(0, gcd);
        let tile = (length(from..to), row(from), row(to - 1) + 1, apart.max(1));
        from = to;
        tile
    };
    ends.into_iter().filter(|end| *end > 0).map(tile).collect()
}

pub(super) fn length(range: Range<usize>) -> i64 {
    i64::try_from(range.len()).unwrap_or(i64::MAX)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
