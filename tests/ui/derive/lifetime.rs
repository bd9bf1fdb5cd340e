use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle<'a> {
    mass: [f32; 2],
    name: Name<'a>,
    of: &'a f32,
}

#[derive(Clone, Copy)]
struct Name<'a>(&'a str);

fn main() {}
