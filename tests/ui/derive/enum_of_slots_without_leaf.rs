use layout::prelude::*;

#[derive(Clone, Copy, Record)]
enum Menu { Slots, Columns }

fn main() {
    let _ = Menu::Slots;
}
