use layout::{AoS, Mapped, View, extents};

fn main() {
    let bytes = [0_u8; 4];
    let mapping = Mapped::<u8, _, AoS>::new(extents!(dyn 4)).unwrap();
    let mut view = View::from_bytes(mapping, &bytes[..]).unwrap();
    view.set(1, 7);
}
