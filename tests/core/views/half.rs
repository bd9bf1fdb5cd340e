//! Leaves of 16-bit floats.

use half::{bf16, f16};
use layout::{Record, RecordLayout, SoA, alloc_from_fn};

use support::for_layouts;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Weight {
    value: f16,
    moment: [bf16; 2],
    step: u8,
}

fn weight(n: u8) -> Weight {
    let x = f32::from(n);
    Weight { value: f16::from_f32(x), moment: [bf16::from_f32(x), bf16::from_f32(-x)], step: n }
}

#[test]
fn half_floats_are_leaves() {
    fn check<L: RecordLayout<Weight> + Default>() {
        let mut view = alloc_from_fn::<Weight, L, _>(21, |[i]| weight(u8::try_from(i).unwrap())).unwrap();
        view.at_mut(4).value += f16::from_f32(0.5);
        view.at_mut(4).moment.at_mut(1).set(bf16::ONE);
        assert_eq!(
            view.load(4),
            Weight { value: f16::from_f32(4.5), moment: [bf16::from_f32(4.0), bf16::ONE], step: 4 }
        );
        view.for_each_lanes_mut::<8>(
            |mut slots| slots.value.set(slots.value.get() + f16::ONE),
            |mut slots| slots.value += f16::ONE,
        );
        assert_eq!(view.load(20).value, f16::from_f32(21.0));
    }
    for_layouts!(check);
    let view = alloc_from_fn::<Weight, SoA, _>(3, |_| weight(1)).unwrap();
    assert_eq!(view.column(Weight::PATHS.value), Some(&[f16::ONE; 3][..]));
}
