//! The `layout` crate under other names.

/// A crate that hands `layout` on.
pub(crate) mod physics {
    pub(crate) extern crate layout as data;
}
extern crate layout as renamed;

#[derive(Clone, Copy, renamed::Record)]
#[record(crate = renamed)]
struct Vec3<T: renamed::Record> {
    x: T,
    y: T,
    z: T,
}

#[derive(Clone, Copy, renamed::Record)]
#[record(crate = "crate::renamed::physics::data")]
struct Particle {
    pos: Vec3<f64>,
    kind: Kind,
}

#[derive(Clone, Copy, renamed::Record)]
#[record(crate = renamed, columns)]
struct Hit<T: renamed::columns::Columns> {
    energy: T,
    #[record(leaf)]
    place: [f32; 3],
    #[record(as = [u16; 2])]
    word: u32,
}

#[derive(Clone, Copy, bytemuck::NoUninit, bytemuck::CheckedBitPattern, renamed::Record)]
#[record(leaf, crate = physics::data)]
#[repr(transparent)]
struct Kind(u8);

#[test]
fn another_name_is_taken() {
    assert_eq!(<Particle as renamed::Record>::TREE.leaves(), 4);
    assert_eq!(<Hit<u8> as renamed::Record>::TREE.leaves(), 4);
}
