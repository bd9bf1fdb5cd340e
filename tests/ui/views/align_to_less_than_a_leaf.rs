use layout::options::AlignTo;
use layout::{SoASingle, alloc};

fn main() {
    let _ = alloc::<f64, SoASingle<AlignTo<4>>, _>(4);
}
