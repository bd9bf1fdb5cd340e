//! Arguments of tasks, and tuples of them.

use std::sync::Arc;

use super::plan::{Described, Plan};
use crate::error::StoreError;
use crate::geometry::{Point, Rect};
use crate::graph::{Body, Cause, Edge, Node, Row};
use crate::locale::{Owners, Parts, Places, Root, place_of};
use crate::memory::Region;
use crate::partition::Placement;

/// An argument of a task. [`read`](crate::read), [`write`](crate::write), [`update`](crate::update), [`reduce`](crate::reduce),
/// [`emit`](crate::emit), [`emitted`](crate::emitted), [`send`](crate::send) and [`value`](crate::value) make arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no argument of a task",
    note = "give `read(&store)`, `write(&store)`, `update(&store)` or `reduce(&store, op)`; `emit(&unbound)`, `emitted(&unbound)` or \
            `send(&unbound)`; or `value(&future)`"
)]
pub trait Argument: Send + Sync + sealed::Sealed + 'static {
    /// The type that the closure gets for the argument.
    type Given<'a>;
    /// The type by which constraints name the argument.
    type Handle<'a>;
    /// The state that is held while a task body runs.
    #[doc(hidden)]
    type Held<'r>;

    #[doc(hidden)]
    fn describe(&self) -> Result<Described, StoreError>;
    #[doc(hidden)]
    fn handle(&self, number: usize) -> Self::Handle<'_>;
    /// Makes room for the contributions of the task bodies.
    #[doc(hidden)]
    fn prepare(&mut self, points: Placed<'_>) {
        let _ = points;
    }
    /// Makes a point wait for the values, other than elements, that it takes from earlier launches.
    #[doc(hidden)]
    fn follow(&self, point: Following<'_>) {
        let _ = point;
    }
    /// Takes hold of the data of a task body: in an instance, or in the memory of all elements.
    #[doc(hidden)]
    fn hold<'r>(&'r self, rect: &Rect, at: At<'r>) -> Result<Self::Held<'r>, Cause>;
    #[doc(hidden)]
    fn give<'a>(held: &'a mut Self::Held<'_>) -> Result<Self::Given<'a>, Cause>;
    /// The bytes of the copy that was made because the memory of the store has another order of dimensions.
    #[doc(hidden)]
    fn relaid(held: &Self::Held<'_>) -> usize {
        let _ = held;
        0
    }
    /// Keeps the contributions of task body `number`.
    #[doc(hidden)]
    fn keep(&self, held: Self::Held<'_>, number: usize) -> Result<(), Cause> {
        let _ = (held, number);
        Ok(())
    }
    /// The work that combines the contributions to this argument, which has this number, when all task bodies are done.
    #[doc(hidden)]
    fn combine(&mut self, plan: &Plan, number: u32, owners: &Combiners) -> Option<Combine> {
        let _ = (plan, number, owners);
        None
    }
}

/// The work after the task bodies of a launch: it combines their contributions, in the order of colors.
#[doc(hidden)]
pub struct Combine {
    /// The contributions.
    pub(crate) parts: Arc<dyn Parts>,
    pub(crate) by: By,
}

/// The locales that combine the contributions of points to stores, for each argument.
#[doc(hidden)]
pub struct Combiners(pub(super) Vec<Arc<Owners>>);

/// A function that is told a node.
pub(crate) type Told = Box<dyn FnOnce(&Arc<Node>)>;

/// Makes the body of combining nodes from the number of the node of the first tile, and, if no locale has the whole store, from the places
/// of tiles.
pub(crate) type MakeBody = Box<dyn FnOnce(usize, Option<Places>) -> Arc<dyn Body>>;

/// The locales that combine contributions.
pub(crate) enum By {
    /// Every locale, in one node; `node` is told this node.
    All { body: Arc<dyn Body>, node: Told },
    /// The owners of the elements that change, in one node for each of their tiles.
    Owners { root: Arc<Root>, owners: Arc<Owners>, body: MakeBody },
}

/// The instances that have the elements of a point.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct At<'r> {
    /// The places of each argument; empty if the memory of all elements is meant.
    pub(super) places: &'r [Option<Places>],
    pub(super) point: usize,
}

impl<'r> At<'r> {
    /// The number of the point.
    pub(super) fn number(self) -> usize {
        self.point
    }

    /// The place of one argument.
    fn of(self, argument: usize) -> Self {
        Self { places: self.places.get(argument..=argument).unwrap_or_default(), point: self.point }
    }

    /// The instance of the only argument.
    pub(super) fn region(self) -> Option<&'r Region> {
        Some(&place_of(self.places.first()?.as_ref()?, self.point)?.region)
    }
}

/// The locales of the points of a launch.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Placed<'r>(pub(super) &'r Placement);

impl<'r> Placed<'r> {
    /// The number of points.
    pub(super) fn count(self) -> usize {
        self.0.count()
    }

    /// The locale of each point.
    pub(super) fn placement(self) -> &'r Placement {
        self.0
    }
}

/// A point that waits for earlier launches.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Following<'r>(pub(super) &'r Arc<Node>);

impl<'r> Following<'r> {
    /// The node of the point.
    pub(super) fn node(self) -> &'r Arc<Node> {
        self.0
    }

    /// The number of the point.
    pub(super) fn number(self) -> usize {
        self.0.order.1
    }

    /// Makes the point wait for a node, and fail if that node failed.
    pub(super) fn after(self, first: &Node) {
        self.0.after(first, Edge::Data);
    }
}

/// Work after a launch, as the body of one node.
pub(crate) struct Once<F> {
    pub(crate) what: &'static str,
    pub(crate) work: F,
}

impl<F: Fn() -> Result<(), Cause> + Send + Sync> Body for Once<F> {
    fn run(&self, _: usize) -> Result<(), Cause> {
        crate::graph::caught(|| (self.work)())
    }

    fn row(&self) -> Row {
        Row::Combine
    }

    fn label(&self, _: usize) -> (String, Point) {
        (self.what.to_owned(), Point::EMPTY)
    }
}

/// The arguments of a task: a tuple of zero to eight arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no arguments of a task",
    note = "give a tuple of one to eight of `read(&store)`, `write(&store)` and the like: `(read(&a), write(&b))`; of one, \
            `(read(&a),)`"
)]
pub trait Arguments: Send + Sync + sealed::Sealed + 'static {
    /// The tuple of views that the closure gets.
    type Given<'a>;
    /// The tuple of names of the arguments in constraints.
    type Handles<'a>;
    #[doc(hidden)]
    type Held<'r>;
    /// A list of the descriptions of all arguments.
    #[doc(hidden)]
    type Described: AsRef<[Described]>;
    /// The number of arguments.
    const COUNT: usize;

    #[doc(hidden)]
    fn describe(&self) -> Result<Self::Described, StoreError>;
    #[doc(hidden)]
    fn handles(&self) -> Self::Handles<'_>;
    #[doc(hidden)]
    fn prepare(&mut self, points: Placed<'_>);
    #[doc(hidden)]
    fn follow(&self, point: Following<'_>);
    #[doc(hidden)]
    fn hold<'r>(&'r self, rects: &[Rect], at: At<'r>) -> Result<Self::Held<'r>, Cause>;
    #[doc(hidden)]
    fn give<'a>(held: &'a mut Self::Held<'_>) -> Result<Self::Given<'a>, Cause>;
    #[doc(hidden)]
    fn relaid(held: &Self::Held<'_>) -> usize;
    #[doc(hidden)]
    fn keep(&self, held: Self::Held<'_>, number: usize) -> Result<(), Cause>;
    #[doc(hidden)]
    fn combine(&mut self, plan: &Plan, owners: &Combiners) -> Vec<Combine>;
}

macro_rules! arguments {
    ($($count:literal: ($($a:ident $n:tt),*);)+) => {$(
        impl<$($a: Argument),*> sealed::Sealed for ($($a,)*) {}

        #[allow(unused_variables, unused_mut, clippy::unused_unit, reason = "there may be no argument")]
        impl<$($a: Argument),*> Arguments for ($($a,)*) {
            type Given<'a> = ($($a::Given<'a>,)*);
            type Handles<'a> = ($($a::Handle<'a>,)*);
            type Held<'r> = ($($a::Held<'r>,)*);
            type Described = [Described; $count];
            const COUNT: usize = $count;

            fn describe(&self) -> Result<Self::Described, StoreError> {
                Ok([$(self.$n.describe()?,)*])
            }

            fn handles(&self) -> Self::Handles<'_> {
                ($(self.$n.handle($n),)*)
            }

            fn prepare(&mut self, points: Placed<'_>) {
                $(self.$n.prepare(points);)*
            }

            fn follow(&self, point: Following<'_>) {
                $(self.$n.follow(point);)*
            }

            fn hold<'r>(&'r self, rects: &[Rect], at: At<'r>) -> Result<Self::Held<'r>, Cause> {
                Ok(($(self.$n.hold(&rects[$n], at.of($n))?,)*))
            }

            fn give<'a>(held: &'a mut Self::Held<'_>) -> Result<Self::Given<'a>, Cause> {
                Ok(($($a::give(&mut held.$n)?,)*))
            }

            fn relaid(held: &Self::Held<'_>) -> usize {
                0 $(+ $a::relaid(&held.$n))*
            }

            fn keep(&self, held: Self::Held<'_>, number: usize) -> Result<(), Cause> {
                $(self.$n.keep(held.$n, number)?;)*
                Ok(())
            }

            fn combine(&mut self, plan: &Plan, owners: &Combiners) -> Vec<Combine> {
                let mut combines = Vec::new();
                $(combines.extend(self.$n.combine(plan, $n, owners));)*
                combines
            }
        }
    )+};
}

arguments! {
    0: ();
    1: (A 0);
    2: (A 0, B 1);
    3: (A 0, B 1, C 2);
    4: (A 0, B 1, C 2, D 3);
    5: (A 0, B 1, C 2, D 3, E 4);
    6: (A 0, B 1, C 2, D 3, E 4, F 5);
    7: (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    8: (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
}

pub(super) mod sealed {
    pub trait Sealed {}
}
