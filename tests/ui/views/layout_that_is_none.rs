use layout::alloc;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Rows;

fn main() {
    let _ = alloc::<f32, Rows, _>(4);
}
