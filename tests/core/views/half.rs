//! Leaves of 16-bit floats.

use half::{bf16, f16};
use layout::{Lanes, Record, RecordLayout, SoA, alloc_from_fn};

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

#[test]
fn lanes_are_those_of_single_values() {
    let values = [1.5_f32, -2.25, 0.0, f32::INFINITY, 7.0];
    let (a, b) = (values.map(f16::from_f32), f16::from_f32(3.0));
    let lanes = Lanes::from_array(a);
    for (i, a) in a.into_iter().enumerate() {
        assert_eq!((lanes + b)[i].to_bits(), (a + b).to_bits());
        assert_eq!((lanes - b)[i].to_bits(), (a - b).to_bits());
        assert_eq!((lanes * Lanes::splat(b))[i].to_bits(), (a * b).to_bits());
        assert_eq!((b / lanes)[i].to_bits(), (b / a).to_bits());
        assert_eq!((-lanes)[i].to_bits(), (-a).to_bits());
        assert_eq!(lanes.abs()[i].to_f32(), a.to_f32().abs());
        assert_eq!(lanes.simd_lt(b)[i], a < b);
    }
    let lanes = Lanes::from_array(values.map(bf16::from_f32));
    assert_eq!((lanes % bf16::from_f32(2.0))[0], bf16::from_f32(1.5));
    assert!((lanes - lanes).sum().is_nan());
}
