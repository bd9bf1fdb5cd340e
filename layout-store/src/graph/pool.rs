//! A pool of nodes: a launch in a loop takes the nodes of an earlier launch, with the memory for their followers and for its body.

use std::sync::Arc;

use smallvec::SmallVec;

use super::bodies::{Bodies, Shared};
use super::node::{Body, Node, Nodes, Row};
use crate::sync::Mutex;

/// Lists of nodes, by their lengths, and memory for bodies.
pub(crate) struct Pool {
    kinds: Mutex<Kinds>,
    /// The largest number of nodes in all lists.
    most: usize,
    bodies: Bodies,
    /// Empty lists with memory, for nodes that go into the queue together.
    rooms: Mutex<Vec<NewNodes>>,
}

/// The nodes of an operation other than those of its points; usually few.
pub(crate) type NewNodes = SmallVec<[Arc<Node>; 4]>;

/// The number of lists that are kept: for operations, and for threads with the nodes that they made ready.
const ROOMS: usize = 16;

/// All lists, and the number of their nodes.
#[derive(Default)]
struct Kinds {
    list: Vec<Kind>,
    nodes: usize,
}

/// Lists of one length.
struct Kind {
    length: usize,
    lists: Vec<Nodes>,
    /// Usually the list that was used longest ago.
    next: usize,
}

/// The number of lists that are checked: a store that nobody uses may keep one.
const LOOKS: usize = 4;

impl Kind {
    /// A list that nobody has, renewed for a launch.
    fn free(
        &mut self,
        launch: u64,
        numbers: &mut impl ExactSizeIterator<Item = usize>,
        body: &Arc<dyn Body>,
    ) -> Option<Nodes> {
        let Self { lists, next, .. } = self;
        for _ in 0..lists.len().min(LOOKS) {
            let at = *next;
            *next = if at + 1 < lists.len() { at + 1 } else { 0 };
            // The list and its nodes are not shared. Most lists have one node.
            if let Some([first, others @ ..]) = lists[at].own()
                && others.iter_mut().all(|node| Arc::get_mut(node).is_some())
                && let Some(node) = Arc::get_mut(first)
                && let Some(number) = numbers.next()
            {
                let row = body.row();
                node.renew(launch, number, body.clone(), row);
                for (node, number) in others.iter_mut().filter_map(Arc::get_mut).zip(numbers) {
                    node.renew(launch, number, body.clone(), row);
                }
                return Some(lists[at].clone());
            }
        }
        None
    }
}

impl Kinds {
    /// Keeps a list, with at most `most` nodes in all.
    fn add(&mut self, nodes: &Nodes, most: usize) {
        if nodes.len() > most {
            return;
        }
        if self.nodes + nodes.len() > most {
            // These are usually of lengths that the program no longer launches.
            *self = Self::default();
        }
        self.nodes += nodes.len();
        let length = nodes.len();
        let at = self.list.iter().position(|kind| kind.length == length).unwrap_or_else(|| {
            self.list.push(Kind { length, lists: Vec::new(), next: 0 });
            self.list.len() - 1
        });
        let Kind { lists, next, .. } = &mut self.list[at];
        lists.insert(*next, nodes.clone());
        *next = (*next + 1) % lists.len();
    }
}

impl Pool {
    /// An empty pool of at most `most` nodes, and as many bodies.
    pub(super) fn new(most: usize) -> Self {
        Self { kinds: Mutex::default(), most, bodies: Bodies::new(most), rooms: Mutex::default() }
    }

    /// Memory for the body of `nodes` nodes, at least one, whose time is counted in `row`; it must be filled before they start.
    pub(crate) fn place<B: Body + 'static>(&self, nodes: usize, row: Row) -> Arc<Shared<B>> {
        self.bodies.place(nodes, row)
    }

    /// The nodes of a launch with these numbers and one body.
    pub(crate) fn take(
        &self,
        launch: u64,
        mut numbers: impl ExactSizeIterator<Item = usize>,
        body: &Arc<dyn Body>,
    ) -> Nodes {
        let length = numbers.len();
        if length == 0 {
            return Nodes::from(Vec::new());
        }
        let mut kinds = self.kinds.lock();
        let known = kinds.list.iter_mut().find(|kind| kind.length == length);
        if let Some(nodes) = known.and_then(|kind| kind.free(launch, &mut numbers, body)) {
            return nodes;
        }
        let nodes: Nodes = numbers.map(|number| Node::new(launch, number, body.clone())).collect();
        kinds.add(&nodes, self.most);
        nodes
    }

    /// A node of a launch.
    pub(crate) fn one(&self, launch: u64, number: usize, body: &Arc<dyn Body>) -> Arc<Node> {
        self.take(launch, core::iter::once(number), body)[0].clone()
    }

    /// An empty list, with the memory of an earlier one if there is one.
    pub(super) fn room(&self) -> NewNodes {
        self.rooms.lock().pop().unwrap_or_default()
    }

    /// Makes room for more nodes.
    pub(crate) fn make_room(&self, nodes: &mut NewNodes, more: usize) {
        if nodes.len() + more > nodes.capacity() && !nodes.spilled() {
            let mut room = self.room();
            room.append(nodes);
            room.reserve(more);
            *nodes = room;
        }
    }

    /// Keeps the memory of a list.
    pub(super) fn keep_room(&self, mut nodes: NewNodes) {
        if nodes.spilled() {
            nodes.clear();
            let mut rooms = self.rooms.lock();
            if rooms.len() < ROOMS {
                rooms.push(nodes);
            }
        }
    }

    /// A node of a launch with a body of its own.
    pub(crate) fn alone(&self, launch: u64, number: usize, body: impl Body + 'static) -> Arc<Node> {
        let place = self.place(1, body.row());
        place.fill(body);
        let body: Arc<dyn Body> = place;
        self.one(launch, number, &body)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fault::Cause;
    use super::*;
    use crate::geometry::Point;

    struct Nothing;

    impl Body for Nothing {
        fn run(&self, _: usize) -> Result<(), Cause> {
            Ok(())
        }

        fn label(&self, _: usize) -> (String, Point) {
            (String::new(), Point::EMPTY)
        }
    }

    fn address(nodes: &Nodes) -> *const Node {
        Arc::as_ptr(&nodes[0])
    }

    #[test]
    fn nodes_are_taken_again_when_nobody_has_them() {
        let (pool, body): (_, Arc<dyn Body>) = (Pool::new(6), Arc::new(Nothing));
        let first = pool.take(1, 0..2, &body);
        let kept = first[1].clone();
        let (at, second) = (address(&first), pool.take(2, 0..2, &body));
        assert_ne!(at, address(&second), "the first list is in use");
        drop(first);
        assert_ne!(at, address(&pool.take(3, 0..2, &body)), "so is a node of it");
        assert!(kept.released());
        kept.run(&mut SmallVec::new());
        drop(kept);
        let again = pool.take(4, 5..7, &body);
        assert_eq!((at, again[1].order), (address(&again), (4, 6)));
        assert!(!again[1].is_done() && again[1].released());
    }

    #[test]
    fn room_for_nodes_is_used_again() {
        let (pool, body): (_, Arc<dyn Body>) = (Pool::new(16), Arc::new(Nothing));
        let node = pool.one(1, 0, &body);
        let mut nodes: NewNodes = (0..2).map(|_| node.clone()).collect();
        pool.make_room(&mut nodes, 2);
        assert!(!nodes.spilled() && nodes.len() == 2, "few need none");
        pool.make_room(&mut nodes, 60);
        nodes.extend((0..60).map(|_| node.clone()));
        let at = nodes.as_ptr();
        pool.keep_room(nodes);
        let mut nodes: NewNodes = core::iter::once(node).collect();
        pool.make_room(&mut nodes, 61);
        assert_eq!((nodes.as_ptr(), nodes.len()), (at, 1));
    }

    #[test]
    fn there_is_room_for_so_many_nodes() {
        let (pool, body): (_, Arc<dyn Body>) = (Pool::new(4), Arc::new(Nothing));
        // The references of the pool, and of this test.
        let is_kept = |nodes: &Nodes| match nodes {
            Nodes::One(node) => Arc::strong_count(node) == 2,
            Nodes::Many(list) => Arc::strong_count(list) == 2,
        };
        let [first, second] = [1, 2].map(|launch| pool.take(launch, 0..2, &body));
        assert_eq!([&first, &second].map(is_kept), [true, true]);
        assert!(!is_kept(&pool.take(3, 0..5, &body)));
        // Any free list is found.
        let [first, second] = [(4, second), (5, first)].map(|(launch, free)| {
            let at = address(&free);
            drop(free);
            let again = pool.take(launch, 0..2, &body);
            assert_eq!(address(&again), at);
            again
        });
        // The pool is full, and lists of another length take its place.
        let third = pool.take(6, 0..3, &body);
        assert_eq!([&first, &second, &third].map(is_kept), [false, false, true]);
    }

    /// Keeps something alive.
    struct Holds<T>(T, #[expect(dead_code, reason = "held")] Arc<()>);

    impl<T: Send + Sync> Body for Holds<T> {
        fn run(&self, number: usize) -> Result<(), Cause> {
            if number == 1 { Err(super::super::fault::TaskBodyError::new("the second point").into()) } else { Ok(()) }
        }

        fn label(&self, number: usize) -> (String, Point) {
            (format!("point {number}"), Point::EMPTY)
        }
    }

    #[test]
    fn what_a_body_holds_goes_with_the_last_of_its_nodes() {
        let (pool, held) = (Pool::new(8), Arc::new(()));
        let place = pool.place(3, Row::Combine);
        place.fill(Holds(1_u8, held.clone()));
        let body: Arc<dyn Body> = place.clone();
        assert_eq!((body.row(), body.label(2).0.as_str()), (Row::Combine, "point 2"));
        let nodes = pool.take(1, 0..3, &body);
        for (number, node) in nodes.iter().enumerate() {
            assert_eq!(Arc::strong_count(&held), 2, "node {number} is not done");
            assert!(node.released());
            let fault = node.run(&mut SmallVec::new());
            assert_eq!(fault.is_some(), number == 1);
        }
        assert_eq!((Arc::strong_count(&held), body.label(2).0.as_str()), (1, ""));
    }

    #[test]
    fn places_are_used_again_by_bodies_of_their_type() {
        let bodies = Bodies::new(3);
        let of = |nodes| bodies.place::<Holds<u8>>(nodes, Row::Body);
        let first = of(1);
        let second = of(2);
        assert!(!Arc::ptr_eq(&first, &second), "the first is in use");
        second.done();
        let third = of(1);
        assert!(!Arc::ptr_eq(&second, &third), "one of its nodes is not done");
        second.done();
        assert!(Arc::ptr_eq(&second, &of(1)));
        // There is memory for three, so they are removed before one of another type comes.
        third.done();
        let other = bodies.place::<Holds<u16>>(1, Row::Body);
        assert!(!Arc::ptr_eq(&third, &of(1)));
        other.done();
        assert!(Arc::ptr_eq(&other, &bodies.place::<Holds<u16>>(1, Row::Body)));
    }
}
