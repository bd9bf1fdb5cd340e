use layout::options::AlignTo;
use layout::{SoASingle, alloc};

fn main() {
    let _ = alloc::<f32, SoASingle<AlignTo<48>>, _>(4);
}
