use layout::{RecordSliceMut, SoA};

fn twice<'a>(view: RecordSliceMut<'a, f32, SoA>) -> [RecordSliceMut<'a, f32, SoA>; 2] {
    let _ = view.into_split_at(0, 2);
    [view, view]
}

fn main() {
    let _ = twice;
}
