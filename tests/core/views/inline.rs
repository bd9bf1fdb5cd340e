//! Views without a heap: inline memory, borrowed bytes, static extents.

use layout::{AoS, AoSoA, Inline, Mapped, Packed, Record, Region, SoA, SoASingle, View, ViewError, extents, zip};

use support::cell::Vec3;

/// A view of a leaf, branch and array that uses only `core`, through all that changes elements.
macro_rules! exercise {
    ($layout:ty, $bytes:expr) => {{
    type Tile = Mapped<Body, extents!(type 3, 4), $layout>;
        let mut tile = View::<Tile, Region<Inline<{ $bytes }>>>::inline(Mapped::new(extents!(3, 4)).unwrap()).unwrap();
        assert_eq!((tile.extents(), tile.len()), ([3, 4], 12));
        assert!(tile.iter().all(|slots| slots.load() == Body { pos: vec3(0.0), tag: 0, heat: [0; 2] }));

        tile.for_each_indexed_mut(|[i, j], mut slots| {
            slots.tag.set(u8::try_from(4 * i + j).unwrap());
            slots.heat.at_mut(j % 2).set(100);
        });
        tile.field_mut(Body::PATHS.pos).fill(vec3(1.0));
        tile.slice_mut((1, layout::step(.., 2))).update(|body| Body { tag: body.tag + 100, ..body });
        let (mut low, mut high) = tile.split_at(1, 2).unwrap();
        low.at_mut([0, 0]).pos.x += 1.0;
        high.at_mut([2, 1]).pos.y += 2.0;

        // Moved as a plain value, with its elements.
        let mut copy = tile.clone();
        copy.fill(Body { pos: vec3(9.0), tag: 9, heat: [9; 2] });
        let moved = core::hint::black_box(tile);
        assert_eq!(moved.load([0, 0]), Body { pos: Vec3 { x: 2.0, y: 1.0, z: 1.0 }, tag: 0, heat: [100, 0] });
        assert_eq!(moved.load([1, 2]), Body { pos: vec3(1.0), tag: 106, heat: [100, 0] });
        assert_eq!(moved.load([2, 3]).pos, Vec3 { x: 1.0, y: 3.0, z: 1.0 });
        assert_ne!(moved, copy);
        zip((&moved, &mut copy)).for_each(|(from, mut to)| to.store(from.load()));
        assert_eq!(moved, copy);
    }};
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Body {
    pos: Vec3,
    tag: u8,
    heat: [u16; 2],
}

fn vec3(x: f32) -> Vec3 {
    Vec3 { x, y: x, z: x }
}

#[test]
fn inline_views_are_whole_views() {
    exercise!(AoS, AoS::<layout::Aligned>::region_bytes::<Body>(12));
    exercise!(AoS<Packed>, AoS::<Packed>::region_bytes::<Body>(12));
    exercise!(SoA, SoA::<layout::options::BlobPerLeaf>::region_bytes::<Body>(12));
    exercise!(SoASingle, SoASingle::<layout::options::AlignTo<64>>::region_bytes::<Body>(12));
    exercise!(
        SoASingle<layout::options::LeafAligned>,
        SoASingle::<layout::options::LeafAligned>::region_bytes::<Body>(12)
    );
    exercise!(AoSoA<4>, AoSoA::<4>::region_bytes::<Body>(12));
    exercise!(AoSoA<5, Packed>, AoSoA::<5, Packed>::region_bytes::<Body>(12));
}

#[test]
fn too_few_bytes_are_refused() {
    const BYTES: usize = AoS::<Packed>::region_bytes::<Body>(4);
    let mapping = Mapped::<Body, _, AoS<Packed>>::new(extents!(4)).unwrap();
    assert!(View::<_, Region<Inline<BYTES>>>::inline(mapping).is_ok());
    let error = View::<_, Region<Inline<{ BYTES - 1 }>>>::inline(mapping).err();
    assert_eq!(error, Some(ViewError::BlobSize { blob: 0, given: BYTES - 1, needed: BYTES }));
}

#[test]
fn bytes_on_the_stack_are_views() {
    let mut bytes = [0; 24];
    let mapping = Mapped::<[u16; 3], _, AoS<Packed>>::new(extents!(u8: dyn 4)).unwrap();
    let mut view = View::from_bytes(mapping, &mut bytes[..]).unwrap();
    view.set(3, [1, 2, 0x0304]);
    assert_eq!(bytes[18..], [[1, 0], [2, 0], [4, 3]].map(|b: [u8; 2]| u16::from_le_bytes(b).to_ne_bytes()).concat_6());
    assert_eq!(View::from_bytes(mapping, &bytes[..]).unwrap().load(3), [1, 2, 0x0304]);
    assert!(View::from_bytes(mapping, &bytes[..23]).is_err());
}

/// The bytes of three numbers.
trait Concat {
    fn concat_6(self) -> [u8; 6];
}

impl Concat for [[u8; 2]; 3] {
    fn concat_6(self) -> [u8; 6] {
        let [[a, b], [c, d], [e, f]] = self;
        [a, b, c, d, e, f]
    }
}
