//! Projected: leaves stored as values of another type, by functions of the user.

use core::any::Any;
use core::fmt;
use core::marker::PhantomData;

use layout_core::{
    Address, BitRange, Codec, Element, Invariant, LayoutError, Leaf, LeafEntry, LeafKind, LeafNode, LeafPlace, LeafSet,
    LeafTable, Record, RecordLayout, Selection, Stored, StoredLeaves, ValueError, check_value, placement_of, sized,
};

use crate::sealed::{Rule, RulesSealed, StoredLayout};

/// A projection: two functions between a leaf's value and the value that is stored for it.
///
/// # Examples
///
/// ```
/// use layout::composed::{OfType, Projected, Projection};
/// use layout::prelude::*;
///
/// /// Angles in whole degrees.
/// struct Degrees;
///
/// impl Projection for Degrees {
///     type Value = f64;
///     type Stored = u16;
///     fn load(degrees: u16) -> f64 {
///         f64::from(degrees).to_radians()
///     }
///     fn store(radians: f64) -> u16 {
///         radians.to_degrees().round() as u16
///     }
/// }
///
/// let mut angles = alloc::<f64, Projected<SoA, OfType<Degrees>>, _>(3)?;
/// angles.set(1, core::f64::consts::PI);
/// assert_eq!(angles.mapping().blob_size(0), 6);
/// assert_eq!(angles.get(1), core::f64::consts::PI);
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no projection",
    note = "use `Cast<V, S>` of `layout::composed` between two types of numbers, or a type of your own that implements `Projection`"
)]
pub trait Projection: 'static {
    /// The type of the leaf.
    type Value: Leaf;
    /// The type of the stored value. Every bit pattern must be a value of it.
    type Stored: Leaf;

    /// Converts a stored value to the leaf's value.
    fn load(stored: Self::Stored) -> Self::Value;

    /// Converts the leaf's value to the stored value.
    fn store(value: Self::Value) -> Self::Stored;
}

/// Projects every leaf of the type [`P::Value`](Projection::Value), which must be a number, `bool` or `char`. Select
/// leaves of other types by [`AtPath`].
#[derive(Clone, Copy, Debug, Default)]
pub struct OfType<P>(Invariant<P>);

/// Projects the leaves that `S` selects; they must have the type [`P::Value`](Projection::Value).
#[derive(Clone, Copy, Debug, Default)]
pub struct AtPath<S, P>(Invariant<(S, P)>);

/// The rules of a [`Projected`] layout: they say which leaves of a record are projected, and by which projection. A
/// rule is [`OfType`] or [`AtPath`]; of a tuple of up to four rules, the first one that applies to a leaf is used.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which leaves of `{R}` to project",
    note = "use `OfType<P>` or `AtPath<S, P>` of `layout::composed`, or a tuple of them"
)]
pub trait Rules<R: Record>: RulesSealed<R> + Sized + 'static {
    /// For each leaf, the number of the rule that applies to it, or [`KEPT`] if none does.
    #[doc(hidden)]
    const RULES: &'static [u8];
    /// The types of each rule: that of its leaves, and that of their stored values.
    #[doc(hidden)]
    const TYPES: &'static [[LeafNode; 2]];
    /// Fails to compile if a rule does not fit the leaves that it selects.
    #[doc(hidden)]
    const CHECKED: ();

    // The functions of `Codec` with the same names, on the stored element; a single leaf is one lane.

    #[doc(hidden)]
    unsafe fn read_lanes<L: StoredLayout<R, Self>, T: Leaf, A: Address, const W: usize>(
        stored: In<R, Self, L, A>,
        leaf: usize,
    ) -> [T; W];

    #[doc(hidden)]
    #[track_caller]
    unsafe fn write_lanes<L: StoredLayout<R, Self>, T: Leaf, A: Address, const W: usize>(
        stored: In<R, Self, L, A>,
        leaf: usize,
        values: [T; W],
    );

    #[doc(hidden)]
    fn check_value<L: StoredLayout<R, Self>, T: Leaf>(frame: L::Frame, leaf: usize, value: T)
    -> Result<(), ValueError>;
}

/// The stored element of an element of `R` under the rules `M`.
type In<R, M, L, A> = Element<Stored<ProjectedLeaves<R, M>>, L, A>;

impl<R: Record, M: Rules<R>, L: RecordLayout<Stored<ProjectedLeaves<R, M>>>> StoredLayout<R, M> for L {}

/// No rule applies: the leaf is stored unchanged.
const KEPT: u8 = u8::MAX;

/// The rule that applies to leaf `leaf`. It is defined for every number, since the compiler also evaluates it for code that never runs.
#[inline(always)]
const fn rule<R: Record, M: Rules<R>>(leaf: usize) -> u8 {
    if leaf < M::RULES.len() { M::RULES[leaf] } else { KEPT }
}

/// Fails to compile for a projection whose stored type has bit patterns that are not values.
#[track_caller]
const fn assert_stored<P: Projection>() {
    assert!(P::Stored::ANY_BITS, "what a projection stores must be a type of which every bit pattern is a value");
}

impl<R: Record, P: Projection> Rule<R> for OfType<P> {
    type Projection = P;
    const CHECKED: () = {
        assert_stored::<P>();
        assert!(
            !matches!(P::Value::KIND, LeafKind::Other),
            "`OfType` is for numbers, `bool` and `char`: select leaves of other types by `AtPath`"
        );
    };
    const LEAVES: LeafSet = {
        let (table, mut set, mut leaf) = (LeafTable::of::<R>(), LeafSet::EMPTY, 0);
        while leaf < table.count() {
            if table.leaf(leaf).kind().is(P::Value::KIND) {
                set = set.with(leaf, 1);
            }
            leaf += 1;
        }
        set
    };
}

impl<R: Record, S: Selection<R::Origin>, P: Projection> Rule<R> for AtPath<S, P> {
    type Projection = P;
    const CHECKED: () = {
        assert_stored::<P>();
        let (table, mut leaf) = (LeafTable::of::<R>(), 0);
        while leaf < table.count() {
            assert!(
                !S::LEAVES.contains(table.origin(leaf))
                    || table.leaf(leaf).size() == size_of::<P::Value>()
                        && table.leaf(leaf).kind() as u8 == P::Value::KIND as u8,
                "a leaf that `AtPath` selects has another type than the projection's `Value`"
            );
            leaf += 1;
        }
    };
    const LEAVES: LeafSet = {
        let (table, mut set, mut leaf) = (LeafTable::of::<R>(), LeafSet::EMPTY, 0);
        while leaf < table.count() {
            if S::LEAVES.contains(table.origin(leaf)) {
                set = set.with(leaf, 1);
            }
            leaf += 1;
        }
        set
    };
}

macro_rules! rules {
    ([$($generics:tt)*] [$rules:ty] $($rule:ty = $number:literal),+) => {
        impl<R: Record, $($generics)*> RulesSealed<R> for $rules where $($rule: Rule<R>,)+ {}

        impl<R: Record, $($generics)*> Rules<R> for $rules
        where
            $($rule: Rule<R>,)+
        {
            const RULES: &'static [u8] = sized!(LeafTable::of::<R>().count(), N => {
                let (sets, mut rules) = ([$(<$rule as Rule<R>>::LEAVES),+], [KEPT; N]);
                let mut leaf = 0;
                while leaf < LeafTable::of::<R>().count() {
                    $(if rules[leaf] == KEPT && sets[$number].contains(leaf) {
                        rules[leaf] = $number;
                    })+
                    leaf += 1;
                }
                rules
            });
            const TYPES: &'static [[LeafNode; 2]] = &[$([
                LeafNode::of::<<By<R, $rule> as Projection>::Value>(),
                LeafNode::of::<<By<R, $rule> as Projection>::Stored>(),
            ]),+];
            const CHECKED: () = { $(let () = <$rule as Rule<R>>::CHECKED;)+ };

            // SAFETY (of what follows): the conditions are the caller's; the leaf is stored as the type that the table
            // of stored leaves has for it, under the rule that holds for it.

            #[inline]
            unsafe fn read_lanes<L: StoredLayout<R, Self>, T: Leaf, A: Address, const W: usize>(
                stored: In<R, Self, L, A>,
                leaf: usize,
            ) -> [T; W] {
                match rule::<R, Self>(leaf) {
                    // SAFETY: as said above.
                    $($number => unsafe { stored.read_lanes::<_, W>(leaf) }.map(|value| same(By::<R, $rule>::load(value))),)+
                    // SAFETY: as said above.
                    _ => unsafe { stored.read_lanes(leaf) },
                }
            }

            #[inline]
            unsafe fn write_lanes<L: StoredLayout<R, Self>, T: Leaf, A: Address, const W: usize>(
                stored: In<R, Self, L, A>,
                leaf: usize,
                values: [T; W],
            ) {
                match rule::<R, Self>(leaf) {
                    $($number => {
                        let values = values.map(|value| By::<R, $rule>::store(same(value)));
                        // SAFETY: as said above.
                        unsafe { stored.write_lanes(leaf, values) };
                    })+
                    // SAFETY: as said above.
                    _ => unsafe { stored.write_lanes(leaf, values) },
                }
            }

            fn check_value<L: StoredLayout<R, Self>, T: Leaf>(
                frame: L::Frame,
                leaf: usize,
                value: T,
            ) -> Result<(), ValueError> {
                match rule::<R, Self>(leaf) {
                    $($number => {
                        check_value::<Stored<ProjectedLeaves<R, Self>>, L, _>(frame, leaf, By::<R, $rule>::store(same(value)))
                    })+
                    _ => check_value::<Stored<ProjectedLeaves<R, Self>>, L, _>(frame, leaf, value),
                }
            }
        }
    };
}

rules!([P: Projection] [OfType<P>] OfType<P> = 0);
rules!([S: Selection<R::Origin>, P: Projection] [AtPath<S, P>] AtPath<S, P> = 0);
rules!([U0: 'static] [(U0,)] U0 = 0);
rules!([U0: 'static, U1: 'static] [(U0, U1)] U0 = 0, U1 = 1);
rules!([U0: 'static, U1: 'static, U2: 'static] [(U0, U1, U2)] U0 = 0, U1 = 1, U2 = 2);
rules!([U0: 'static, U1: 'static, U2: 'static, U3: 'static] [(U0, U1, U2, U3)] U0 = 0, U1 = 1, U2 = 2, U3 = 3);

/// The layout `L` with converted leaves: leaves to which a rule of `M` applies are stored as [`Projection::Stored`],
/// and all others unchanged.
///
/// # Examples
///
/// See [`Projection`], and [`ChangeType`](crate::ChangeType) for the usual case.
pub struct Projected<L, M> {
    inner: L,
    rules: Invariant<M>,
}

impl<L, M> Projected<L, M> {
    /// Makes a projection around the layout `inner`.
    pub const fn new(inner: L) -> Self {
        Self { inner, rules: PhantomData }
    }
}

/// The leaves that are stored in place of those of `R` under the rules `M`.
pub struct ProjectedLeaves<R, M>(Invariant<(R, M)>);

impl<R: Record, M: Rules<R>> ProjectedLeaves<R, M> {
    /// Lists the stored leaf for each leaf, at most `N`.
    const fn table<const N: usize>() -> LeafTable<[LeafEntry; N]> {
        let (all, mut table, mut leaf) = (LeafTable::of::<R>(), LeafTable::<[LeafEntry; N]>::EMPTY, 0);
        while leaf < all.count() {
            let stored = match rule::<R, M>(leaf) {
                KEPT => all.leaf(leaf),
                rule => M::TYPES[rule as usize][1],
            };
            table.append(stored, all.origin(leaf));
            leaf += 1;
        }
        table
    }
}

impl<R: Record, M: Rules<R>> StoredLeaves for ProjectedLeaves<R, M> {
    type Of = R;
    const TABLE: &'static LeafTable = sized!(LeafTable::of::<R>().count(), N => Self::table::<N>());
}

/// The projection of a rule.
type By<R, U> = <U as Rule<R>>::Projection;
/// Converts a value to the type `B`, which is known to be its own type.
#[inline(always)]
fn same<A: Leaf, B: Leaf>(value: A) -> B {
    match (&value as &dyn Any).downcast_ref::<B>() {
        Some(value) => *value,
        None => panic!("a rule projects `{}`, and not `{}`", core::any::type_name::<A>(), core::any::type_name::<B>()),
    }
}

/// Returns an error if a leaf has another type than its rule.
fn check_types<R: Record, M: Rules<R>>() -> Result<(), LayoutError> {
    let table = LeafTable::of::<R>();
    for leaf in (0..table.count()).filter(|leaf| rule::<R, M>(*leaf) != KEPT) {
        // Standard types were compared at compile time; types of the user are compared here.
        let (given, wanted) = (table.leaf(leaf), M::TYPES[rule::<R, M>(leaf) as usize][0]);
        if given.type_id() != wanted.type_id() {
            let (given, wanted) = (given.type_name(), wanted.type_name());
            return Err(LayoutError::Projection { leaf: R::TREE.leaf_name(leaf), given, wanted });
        }
    }
    Ok(())
}

// SAFETY: the inner layout promises the same for what is stored, each leaf for one of the record's.
unsafe impl<R, L, M> RecordLayout<R> for Projected<L, M>
where
    R: Record,
    M: Rules<R>,
    L: RecordLayout<Stored<ProjectedLeaves<R, M>>>,
{
    placement_of!(L; Stored<ProjectedLeaves<R, M>>; this => this.inner; CHECKED: M::CHECKED; check: check_types::<R, M>()?);
    type Codec = Self;
    const PLACES: &'static [LeafPlace] = L::PLACES;

    #[inline(always)]
    fn base(frame: L::Frame, leaf: usize) -> usize {
        L::base(frame, leaf)
    }
}

// SAFETY: the inner layout promises the same for what is stored; a projection's value is made of bytes that may be anything.
unsafe impl<R, L, M> Codec<R, Self> for Projected<L, M>
where
    R: Record,
    M: Rules<R>,
    L: RecordLayout<Stored<ProjectedLeaves<R, M>>>,
{
    const COMPUTED: &'static LeafSet = &{
        let (mut set, mut leaf) = (*<L::Codec as Codec<Stored<ProjectedLeaves<R, M>>, L>>::COMPUTED, 0);
        while leaf < LeafTable::of::<R>().count() {
            if rule::<R, M>(leaf) != KEPT {
                set = set.with(leaf, 1);
            }
            leaf += 1;
        }
        set
    };
    const REFUSES: &'static LeafSet = <L::Codec as Codec<Stored<ProjectedLeaves<R, M>>, L>>::REFUSES;

    // SAFETY (of what follows): the conditions are the caller's.

    #[inline]
    unsafe fn read<T: Leaf, A: Address>(element: Element<R, Self, A>, leaf: usize) -> T {
        // SAFETY: as said above; one element lies in a run.
        let [value] = unsafe { M::read_lanes::<L, T, A, 1>(element.inside(), leaf) };
        value
    }

    #[inline]
    unsafe fn write<T: Leaf, A: Address>(element: Element<R, Self, A>, leaf: usize, value: T) {
        // SAFETY: as said above; one element lies in a run.
        unsafe { M::write_lanes::<L, T, A, 1>(element.inside(), leaf, [value]) };
    }

    #[inline]
    unsafe fn read_lanes<T: Leaf, A: Address, const W: usize>(element: Element<R, Self, A>, leaf: usize) -> [T; W] {
        // SAFETY: as said above.
        unsafe { M::read_lanes::<L, T, A, W>(element.inside(), leaf) }
    }

    #[inline]
    unsafe fn write_lanes<T: Leaf, A: Address, const W: usize>(
        element: Element<R, Self, A>,
        leaf: usize,
        values: [T; W],
    ) {
        // SAFETY: as said above.
        unsafe { M::write_lanes::<L, T, A, W>(element.inside(), leaf, values) };
    }

    unsafe fn is_valid<A: Address>(element: Element<R, Self, A>, leaf: usize) -> bool {
        // A projection makes a value from any bytes.
        // SAFETY: as said above.
        rule::<R, M>(leaf) != KEPT || unsafe { element.inside::<Stored<ProjectedLeaves<R, M>>, L>().is_valid(leaf) }
    }

    fn bits_of(frame: L::Frame, position: L::Position, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        L::Codec::bits_of(frame, position, leaf, each);
    }

    fn check_value<T: Leaf>(frame: L::Frame, leaf: usize, value: T) -> Result<(), ValueError> {
        M::check_value::<L, T>(frame, leaf, value)
    }
}

of_parts!([L, M] Projected<L, M> { inner: L; rules });

impl<L: fmt::Debug, M> fmt::Debug for Projected<L, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Projected<{:?}, _>", self.inner)
    }
}
