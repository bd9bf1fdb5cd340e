use core::marker::PhantomData;

use layout::Record;

#[derive(Clone, Copy, Record)]
struct Length<U: 'static> {
    value: f32,
    #[record(skip)]
    unit: PhantomData<fn() -> U>,
}

fn main() {}
