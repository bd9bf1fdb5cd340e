//! Tensors of any type, shape and strides over a piece of memory: views with the elements that the strides say, or an error. Each tensor
//! is freed once.
#![no_main]

use arbitrary::Arbitrary;
use layout::Dim;
use layout::index::{IndexArray, IntoIndex, Rank};
use layout::interop::dlpack::{view_mut_of_tensor, view_of_tensor};
// For its allocator.
use layout_fuzz as _;
use libfuzzer_sys::fuzz_target;

#[path = "../../../tests/interop/dlpack/raw.rs"]
mod raw;

/// The numbers of the memory, and the first one that a tensor has.
const COUNT: usize = 512;
const FIRST: usize = 256;

#[derive(Arbitrary, Debug)]
struct Tensor {
    shape: Vec<Extent>,
    strides: Option<[Stride; 3]>,
    other_type: Option<(u8, u8, u16)>,
    device: Option<i32>,
    version: Option<u32>,
    no_address: bool,
    no_shape: bool,
    rank: Option<i32>,
    read_only: bool,
    byte_offset: u64,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Extent {
    Small(u8),
    Any(i64),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Stride {
    Small(i8),
    Any(i64),
}

impl Tensor {
    /// The extents and the strides in elements, one for each dimension.
    fn numbers(&self) -> (Vec<i64>, Option<Vec<i64>>) {
        let shape = self.shape.iter().take(3).map(|extent| match *extent {
            Extent::Small(extent) => i64::from(extent % 6),
            Extent::Any(extent) => extent,
        });
        let shape: Vec<i64> = shape.collect();
        let stride = |stride: &Stride| match *stride {
            Stride::Small(stride) => i64::from(stride),
            Stride::Any(stride) => stride,
        };
        (shape.clone(), self.strides.map(|strides| strides[..shape.len()].iter().map(stride).collect()))
    }
}

/// The places of all elements, from the first one on, row by row; `None` if one is not in the memory.
fn places(shape: &[i64], strides: &[i64]) -> Option<Vec<usize>> {
    let dims = || shape.iter().zip(strides);
    let reach = |side: i128| -> Option<i128> {
        dims().try_fold(0_i128, |sum, (extent, stride)| {
            let step = i128::from(*extent - 1).checked_mul(i128::from(*stride))?;
            sum.checked_add(if step.signum() == side { step } else { 0 })
        })
    };
    if shape.iter().any(|extent| *extent < 0) {
        return None;
    }
    if shape.contains(&0) {
        return Some(Vec::new());
    }
    let count = shape.iter().try_fold(1_i128, |count, extent| count.checked_mul(i128::from(*extent)))?;
    let all = reach(-1)? >= -(FIRST as i128) && reach(1)? < (COUNT - FIRST) as i128;
    // An element at many indices is no fault, but takes long.
    if !all || count > 4096 {
        return None;
    }
    let place = |number: i128| {
        let (mut rest, mut place) = (number, FIRST as i128);
        for (extent, stride) in shape.iter().zip(strides).rev() {
            place += rest % i128::from(*extent) * i128::from(*stride);
            rest /= i128::from(*extent);
        }
        usize::try_from(place).unwrap()
    };
    Some((0..count).map(place).collect())
}

fn check<const N: usize>(given: &Tensor, numbers: &[i32])
where
    [usize; N]: IndexArray<Dim = Dim<N>, Strides = [isize; N]> + IntoIndex<usize, Dim<N>, Array = [usize; N]>,
    Dim<N>: Rank<Array = [usize; N]>,
{
    let (shape, strides) = given.numbers();
    let freed = raw::Freed::default();
    let tensor = || {
        raw::tensor(&freed, numbers, (&shape, strides.as_deref()), |tensor| {
            tensor.data = tensor.data.wrapping_byte_add(4 * FIRST);
            if let Some(kind) = given.device {
                tensor.device[0] = kind;
            }
            if let Some(version) = given.version {
                tensor.version[0] = version;
            }
            if let Some(other) = given.other_type {
                tensor.data_type = other;
            }
            if given.no_address {
                tensor.data = core::ptr::null_mut();
            }
            if given.no_shape {
                tensor.shape = core::ptr::null_mut();
            }
            if let Some(rank) = given.rank.filter(|rank| *rank < 0) {
                tensor.rank = rank;
            }
            // Whole elements, within the memory before the first one.
            let back = 4 * (given.byte_offset % FIRST as u64);
            tensor.data = if tensor.data.is_null() {
                tensor.data
            } else {
                tensor.data.wrapping_byte_sub(usize::try_from(back).unwrap())
            };
            tensor.byte_offset = back;
            tensor.flags = u64::from(given.read_only);
        })
    };
    let row_major = || {
        let strides = |from| shape[from..].iter().fold(1_i64, |product, extent| product.saturating_mul(*extent));
        (1..=shape.len()).map(strides).collect::<Vec<i64>>()
    };
    let places = places(&shape, strides.as_ref().unwrap_or(&row_major()));
    let mut made = 1;
    if let Ok(tensor) = tensor()
        && let Ok(view) = view_of_tensor::<i32, N>(tensor)
    {
        assert_eq!(view.extents().map(|extent| i64::try_from(extent).unwrap()), shape[..]);
        // Not by `values`, which goes through memory in any order.
        for (number, place) in places.iter().flatten().enumerate() {
            let mut rest = number;
            let mut index = [0; N];
            for (at, extent) in index.iter_mut().zip(view.extents()).rev() {
                (*at, rest) = (rest % extent, rest / extent);
            }
            assert_eq!(view.get(index), numbers[*place]);
        }
    }
    // Only a tensor whose elements are in the memory may be written.
    if let Some(places) = &places {
        made += 1;
        if let Ok(tensor) = tensor()
            && let Ok(mut view) = view_mut_of_tensor::<i32, N>(tensor)
        {
            let mut distinct = places.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert!(distinct.len() == places.len() && !given.read_only);
            view.fill(5);
            assert!(view.values().all(|value| value == 5));
        }
    }
    assert_eq!(freed.count(), made);
}

fuzz_target!(|given: Tensor| {
    let numbers: Vec<i32> = (0..).take(COUNT).collect();
    check::<0>(&given, &numbers);
    check::<1>(&given, &numbers);
    check::<2>(&given, &numbers);
    check::<3>(&given, &numbers);
});
