//! Loops over arrays: the first array leads, all others follow.
//!
//! ```text
//! lead      the first array's parts, on their locales, cut for their threads, are the chunks of the loop
//! follow    each other array shows the elements at the same positions; elements on other locales are sent, many at a time
//! return    elements that a follower writes on another locale are written beside the leader, and assigned to their owners
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use layout_core::{Portable, Record, RecordLayout};
use layout_domain::{Domain, Index};
use layout_mappings::SoA;
use layout_store::{
    Argument, Arguments, Constraint, Dim, Future, Launched, Read, Reduction, Returned, Rule, Runtime, Store,
    StoreError, StoreRank, Task, TaskBodyError, TaskBuilder, TileMap, Tiling, Write, read, update, write,
};

use crate::aliased::{Used, aliased};
use crate::positions::indices_in;
use crate::{Array, ArrayError};

/// A loop over the elements of arrays. Further arrays can be zipped to it before it is launched.
///
/// [`Array::read`], [`Array::write`] and [`Array::update`] make it. The array that was named first *leads*: the loop runs where its
/// elements lie, as one task for each of its parts. The task body gets a view of the part of each array, in the layout of that array, and
/// the [`Chunk`], which tells the indices of the part. Arrays that *follow* have the same number of indices along each dimension; their
/// elements are matched by position, whatever their indices and distributions are.
///
/// Elements of followers that lie on other locales are sent in bulk, as [`Array::assign`] sends them. A follower that is written, and
/// whose elements lie on other locales, is written in memory beside the leader and then copied to its owners; to avoid this copy, let the
/// array that is written lead. Inside [`Runtime::local`] such a loop is refused, even if it would send nothing. If a task body of such a loop
/// fails, other elements of the follower are lost, too: all in the tiles that have elements which the body should have written.
///
/// # Examples
///
/// ```
/// use layout::array::Array;
/// use layout::domain::{Block, Domain, Targets};
/// use layout::store::{Runtime, Sum};
///
/// let rt = Runtime::builder().pieces(3).min_chunk(1).build()?;
/// let line = Domain::from(1..=100);
/// let map = Block::over(&line, Targets::all(1)?)?;
/// let x: Array<f64, 1> = Array::from_fn(&rt, &line, map.clone(), |[i]| i as f64)?;
/// let y: Array<f64, 1> = Array::new(&rt, &line, map)?;
/// y.write().zip(x.read()).for_each(|chunk, (mut y, x)| {
///     assert_eq!(chunk.domain().len(), y.len());
///     y.copy_from(&x)?;
///     Ok(y.update(|value| 2.0 * value))
/// })?;
/// let sum = y.read().reduce(Sum, |_, (y,)| Ok(y.values().sum::<f64>()))?;
/// assert_eq!(sum.get()?, 10_100.0);
///
/// let short: Array<f64, 1> = Array::filled(&rt, &Domain::from(1..=99), y.map().clone(), 0.0)?;
/// let error = y.update().zip(short.read()).for_each(|_, _| ()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "{1..=100} and {1..=99} have 100 and 99 indices along dimension 0; the lengths must be equal"
/// );
/// # Ok::<(), layout::array::ArrayError>(())
/// ```
#[must_use = "a loop does nothing before it is launched"]
pub struct Loop<A, const N: usize, I: Index = i64> {
    runtime: Runtime,
    name: Cow<'static, str>,
    arguments: A,
    constraints: Vec<Constraint>,
    /// The domain of the leader, and its parts.
    domain: Domain<N, I>,
    tiles: Option<Arc<Tiling>>,
    /// Makes the argument of the array that is written, if the array becomes a follower.
    follow: Option<Box<Follow<A>>>,
    /// The elements of each array.
    used: Vec<Used>,
    /// The calls before and after the launch of the loop, in order.
    before: Vec<Call>,
    after: Vec<Call>,
    /// The first error.
    error: Option<ArrayError>,
}

/// Makes the argument of an array that follows a leader with these parts and lies elsewhere: memory beside the leader. The calls copy the
/// elements that the loop reads to this memory, and the written ones to their owners.
type Follow<A> = dyn FnOnce(&Runtime, &Option<Arc<Tiling>>) -> Result<(A, [Call; 2]), ArrayError>;
type Call = Box<dyn FnOnce() -> Result<(), ArrayError>>;

/// The chunk of a loop that a task body runs for.
#[derive(Clone, Copy)]
pub struct Chunk<'a, const N: usize, I: Index = i64> {
    domain: Domain<N, I>,
    task: &'a Task,
}

impl<const N: usize, I: Index> Chunk<'_, N, I> {
    /// The indices of the leader at which the views have elements, in order.
    #[must_use]
    pub fn domain(&self) -> &Domain<N, I> {
        &self.domain
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> &Task {
        self.task
    }
}

/// Tuples of arguments to which one more can be appended.
pub trait Append<B> {
    /// The tuple with the appended argument.
    type Appended: Arguments;

    #[doc(hidden)]
    fn append(self, one: B) -> Self::Appended;
}

macro_rules! append {
    ($($($name:ident)+;)+) => {$(
        impl<$($name: Argument,)+ Last: Argument> Append<Last> for ($($name,)+) {
            type Appended = ($($name,)+ Last,);

            #[allow(non_snake_case, reason = "names of types")]
            fn append(self, one: Last) -> Self::Appended {
                let ($($name,)+) = self;
                ($($name,)+ one,)
            }
        }
    )+};
}

append! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
}

/// The argument of an array that is read.
pub(crate) type ReadOf<R, const N: usize, L> = (Read<R, Dim<N>, L>,);
/// The argument of an array that is written.
pub(crate) type WriteOf<R, const N: usize, L, const UPDATE: bool> = (Write<R, Dim<N>, L, UPDATE>,);

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> Array<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    /// A loop that reads the elements.
    pub fn read(&self) -> Loop<ReadOf<R, N, L>, N, I> {
        Loop::of(self, &self.store, ((read(&self.store),), false), None)
    }

    /// A loop that writes all elements, without reading old values.
    pub fn write(&self) -> Loop<WriteOf<R, N, L, false>, N, I> {
        self.written(write, |_, _| Ok(()))
    }

    /// A loop that reads and writes the elements.
    pub fn update(&self) -> Loop<WriteOf<R, N, L, true>, N, I> {
        self.written(update, |aside, (from, tiles)| copy((aside, &tiles), from))
    }

    /// A loop that writes. `argument` makes its argument; `begin` copies the elements that the loop reads to memory beside the leader.
    #[expect(clippy::type_complexity, reason = "functions of stores, each named in one place")]
    fn written<const UPDATE: bool>(
        &self,
        argument: fn(&Store<R, Dim<N>, L>) -> Write<R, Dim<N>, L, UPDATE>,
        begin: fn(&Store<R, Dim<N>, L>, (&Store<R, Dim<N>, L>, Option<Arc<Tiling>>)) -> Result<(), ArrayError>,
    ) -> Loop<WriteOf<R, N, L, UPDATE>, N, I> {
        let (store, tiles) = (self.store.clone(), self.tiles.clone());
        let follow: Box<Follow<_>> = Box::new(move |rt, lead| {
            let aside: Store<R, Dim<N>, L> = rt.create(store.extents())?.into_rank()?;
            let given = (argument(&aside),);
            let (from, to, lead) = (store.clone(), aside.clone(), lead.clone());
            let before = move || {
                if to.runtime().is_local() {
                    // Without this check the loop would be refused only after it has written.
                    let (operation, what) = ("task `assign`".to_owned(), "elements");
                    let store = Some(from.number());
                    return Err(StoreError::NotLocal { operation, what, argument: None, store }.into());
                }
                begin(&to, (&from, lead))
            };
            let after = move || copy((&store, &tiles), &aside);
            Ok((given, [Box::new(before), Box::new(after)]))
        });
        Loop::of(self, &self.store, ((argument(&self.store),), true), Some(follow))
    }
}

/// Copies the elements of a store to another one, by the tiles of the other one.
pub(crate) fn copy<R, const N: usize, K, L>(
    (to, tiles): (&Store<R, Dim<N>, L>, &Option<Arc<Tiling>>),
    from: &Store<R, Dim<N>, K>,
) -> Result<(), ArrayError>
where
    R: Record,
    K: RecordLayout<R> + Default,
    L: RecordLayout<R> + Default,
    Dim<N>: StoreRank,
{
    if to.shares_bytes() && to.number() == from.number() && !to.overlaps(from) {
        // No task writes a part of such a store and reads another part.
        let aside: Store<R, Dim<N>, SoA> = to.runtime().create(to.extents())?.into_rank()?;
        copy((&aside, tiles), from)?;
        return copy((to, tiles), &aside);
    }
    let task = to.runtime();
    let task = task.task("assign").args((write(to), read(from))).constrain(|_| aligned(tiles, 2));
    task.launch(|_, (mut to, from)| Ok(to.copy_from(&from)?))?;
    Ok(())
}

/// The constraints that cut the first of `count` arguments into these tiles and align all others with it.
pub(crate) fn aligned(tiles: &Option<Arc<Tiling>>, count: usize) -> Vec<Rule> {
    let lead = tiles.iter().map(|tiling| Constraint::Cut { argument: 0, tiling: tiling.clone() });
    lead.chain((1..count).map(|other| Constraint::Align(0, other))).map(Rule::from).collect()
}

impl<A: Arguments, const N: usize, I: Index> Loop<A, N, I> {
    /// A loop over one array, which reads or writes these of its elements.
    fn of<R, L>(
        array: &Array<R, N, L, I>,
        elements: &Store<R, Dim<N>, L>,
        (arguments, write): (A, bool),
        follow: Option<Box<Follow<A>>>,
    ) -> Self
    where
        R: Record,
        L: RecordLayout<R> + Default,
        Dim<N>: StoreRank,
    {
        let (domain, tiles) = (array.domain, array.tiles.clone());
        let lead = tiles.iter().map(|tiling| Constraint::Cut { argument: 0, tiling: tiling.clone() }).collect();
        let (name, runtime, used) = ("loop".into(), array.runtime(), vec![Used::of(elements, write)]);
        let (before, after) = (Vec::new(), Vec::new());
        Self { runtime, name, arguments, constraints: lead, domain, tiles, follow, used, before, after, error: None }
    }

    /// A loop over an array that follows another one, and is read with a margin around each part. `wider` is an array that has the elements
    /// of `array` and those of the margin; `map` maps a part of `array` to the part of `wider`.
    pub(crate) fn around<R, L>(array: &Array<R, N, L, I>, wider: &Array<R, N, L, I>, map: TileMap) -> Self
    where
        R: Record,
        L: RecordLayout<R> + Default,
        Dim<N>: StoreRank,
        A: From<ReadOf<R, N, L>>,
    {
        let around = Self::of(array, &wider.store, (A::from((read(&wider.store),)), false), None);
        // This loop cannot lead, since its parts overlap.
        let constraints = vec![Constraint::Follow { source: 0, follower: 0, map }];
        Self { constraints, ..around }
    }

    /// Gives the loop a name, which shows in errors, profiles and explanations.
    pub fn named(self, name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Zips this loop with another array: views show the elements at the same positions. Zips take up to eight arrays.
    ///
    /// The launch is refused if the other array has another number of indices along a dimension.
    pub fn zip<B, J: Index>(self, other: Loop<(B,), N, J>) -> Loop<A::Appended, N, I>
    where
        B: Argument,
        A: Append<B>,
    {
        let Self { runtime, name, arguments, mut constraints, domain, tiles, mut used, .. } = self;
        let (mut before, mut after, mut error) = (self.before, self.after, self.error);
        error = error.or(other.error).or_else(|| domain.same_shape(&other.domain).err().map(ArrayError::from));
        let margin = other.constraints.into_iter().find_map(margin);
        if let (Some(TileMap::Bloat { high, .. } | TileMap::Faces { high, .. }), Some(lead)) = (&margin, &tiles) {
            let stepped = (0..N).find(|dim| high[*dim] > 0 && lead.has_steps(*dim));
            error = error.or_else(|| stepped.map(|dim| ArrayError::HaloSteps { dim }));
        }
        constraints.push(match margin {
            Some(map) => Constraint::Follow { source: 0, follower: A::COUNT, map },
            None => Constraint::Align(0, A::COUNT),
        });
        let (mut argument, mut elements) = (other.arguments.0, other.used);
        let foreign = runtime != other.runtime;
        elements.iter_mut().for_each(|used| used.foreign = foreign);
        if let (Some(follow), None) = (other.follow, &error)
            && tiles != other.tiles
        {
            match follow(&runtime, &tiles) {
                Ok(((aside,), [bring, bring_back])) => {
                    argument = aside;
                    elements.iter_mut().for_each(|used| used.aside = true);
                    before.push(bring);
                    after.push(bring_back);
                }
                Err(other) => error = Some(other),
            }
        }
        used.append(&mut elements);
        let arguments = arguments.append(argument);
        Loop { runtime, name, arguments, constraints, domain, tiles, follow: None, used, before, after, error }
    }

    /// Adds a whole array as a table: every chunk sees all elements of it.
    ///
    /// Each locale that runs chunks receives the elements of the table that it lacks and keeps them until a task writes the table: the next
    /// loop sends nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Block, Cyclic, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let (line, colors) = (Domain::from(0..=4), Domain::from(0..=2));
    /// let pixels: Array<u8, 1> = Array::from_values(&rt, &line, Block::over(&line, Targets::all(1)?)?, &[2, 0, 1, 2, 2])?;
    /// let palette: Array<u8, 1> = Array::from_values(&rt, &colors, Cyclic::new([0], Targets::all(1)?), &[10, 20, 30])?;
    /// pixels.update().broadcast(&palette).for_each(|_, (mut pixels, palette)| {
    ///     pixels.update(|color| palette.get(usize::from(color)))
    /// })?;
    /// assert_eq!(pixels.to_vec()?, [30, 10, 20, 30, 30]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn broadcast<S, const M: usize, K, J>(self, table: &Array<S, M, K, J>) -> Loop<A::Appended, N, I>
    where
        S: Record,
        K: RecordLayout<S> + Default,
        J: Index,
        Dim<M>: StoreRank,
        A: Append<Read<S, Dim<M>, K>>,
    {
        let Self { runtime, name, arguments, mut constraints, domain, tiles, mut used, before, after, error, .. } =
            self;
        constraints.push(Constraint::Broadcast { argument: A::COUNT, axes: None });
        let mut one = Used::of(&table.store, false);
        one.foreign = runtime != table.runtime();
        used.push(one);
        let arguments = arguments.append(read(&table.store));
        Loop { runtime, name, arguments, constraints, domain, tiles, follow: None, used, before, after, error }
    }

    /// Launches the loop, and returns at once. The task body gets the chunk and a tuple of views, one of each array.
    ///
    /// # Errors
    ///
    /// Returns an error if the shapes of arrays differ, elements that are read are unwritten, or two arrays show the same elements and one
    /// of them is written; the last one is [`StoreError::Aliased`](layout_store::StoreError::Aliased) on any number of locales. Errors of
    /// the task body are returned by the next fence, and by calls that wait for the elements that the loop writes.
    pub fn for_each<F, T>(self, body: F) -> Result<Launched, ArrayError>
    where
        F: for<'a> Fn(Chunk<'a, N, I>, A::Given<'a>) -> T + Send + Sync + 'static,
        T: Returned,
    {
        let domain = self.domain;
        self.launched(move |task, given| body(chunk(&domain, task), given))
    }

    /// Launches the loop and returns a future: each task body returns a value, and the values are combined in the order of chunks.
    ///
    /// # Errors
    ///
    /// The errors of [`for_each`](Self::for_each). Errors of the task body are returned by the future and by the next fence.
    pub fn reduce<F, T, O>(self, op: O, body: F) -> Result<Future<T>, ArrayError>
    where
        F: for<'a> Fn(Chunk<'a, N, I>, A::Given<'a>) -> Result<T, TaskBodyError> + Send + Sync + 'static,
        T: Portable + Clone + Send + Sync + 'static,
        O: Reduction<T>,
    {
        let domain = self.domain;
        self.reduced(op, move |task, given| body(chunk(&domain, task), given))
    }

    /// Launches the loop and returns a future of the values that the task bodies return, in the order of chunks.
    ///
    /// # Errors
    ///
    /// The errors of [`reduce`](Self::reduce).
    pub fn map<F, T>(self, body: F) -> Result<Future<Vec<T>>, ArrayError>
    where
        F: for<'a> Fn(Chunk<'a, N, I>, A::Given<'a>) -> Result<T, TaskBodyError> + Send + Sync + 'static,
        T: Portable + Clone + Send + Sync + 'static,
    {
        let domain = self.domain;
        self.mapped(move |task, given| body(chunk(&domain, task), given))
    }

    /// [`for_each`](Self::for_each) with the task instead of its chunk.
    pub(crate) fn launched<F, T>(self, body: F) -> Result<Launched, ArrayError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> T + Send + Sync + 'static,
        T: Returned,
    {
        self.launch(|task| task.launch(body))
    }

    /// [`reduce`](Self::reduce) with the task instead of its chunk.
    pub(crate) fn reduced<F, T, O>(self, op: O, body: F) -> Result<Future<T>, ArrayError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> Result<T, TaskBodyError> + Send + Sync + 'static,
        T: Portable + Clone + Send + Sync + 'static,
        O: Reduction<T>,
    {
        self.launch(|task| task.reduce(op, body))
    }

    /// [`map`](Self::map) with the task instead of its chunk.
    pub(crate) fn mapped<F, T>(self, body: F) -> Result<Future<Vec<T>>, ArrayError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> Result<T, TaskBodyError> + Send + Sync + 'static,
        T: Portable + Clone + Send + Sync + 'static,
    {
        self.launch(|task| task.map(body))
    }

    /// Records an error, unless the loop has one already.
    pub(crate) fn refused(self, error: Option<ArrayError>) -> Self {
        Self { error: self.error.or(error), ..self }
    }

    /// Launches the loop, unless it has an error.
    fn launch<T>(self, launch: impl FnOnce(TaskBuilder<'_, A>) -> Result<T, StoreError>) -> Result<T, ArrayError> {
        let Self { runtime, name, arguments, constraints, tiles, used, before, after, error, .. } = self;
        let leads = |constraint: &Constraint| !matches!(constraint, Constraint::Follow { follower: 0, .. });
        let error = error.or_else(|| (!constraints.iter().all(leads)).then_some(ArrayError::HaloLeads));
        // The launch refuses such an array, too; but elements that a follower writes aside come back by a launch after the loop.
        let foreign = || Some((name.to_string(), used.iter().position(|used| used.foreign)?));
        let error = error.or_else(|| foreign().map(|(task, argument)| StoreError::Foreign { task, argument }.into()));
        let error = error.or_else(|| Some(aliased(&name, &used, &tiles, &constraints)?.into()));
        if let Some(error) = error {
            return Err(error);
        }
        before.into_iter().try_for_each(|bring| bring())?;
        let rules = constraints.into_iter().map(Rule::from);
        let launched = launch(runtime.task(name).args(arguments).constrain(|_| rules))?;
        after.into_iter().try_for_each(|bring| bring())?;
        Ok(launched)
    }
}

/// The chunk of a task.
fn chunk<'a, const N: usize, I: Index>(domain: &Domain<N, I>, task: &'a Task) -> Chunk<'a, N, I> {
    Chunk { domain: indices_in(domain, &task.rect(0)), task }
}

/// The margin with which an array is read, if it has one.
fn margin(constraint: Constraint) -> Option<TileMap> {
    match constraint {
        Constraint::Follow { map, .. } => Some(map),
        _ => None,
    }
}
