//! Views become tensors and views again, at the same addresses.

use core::ptr::NonNull;
use std::sync::Arc;

use layout::interop::dlpack::{
    DlpackError, DlpackTensor, into_tensor, share_tensor, view_mut_of_tensor, view_of_tensor,
};
use layout::prelude::*;
use layout::{ColMajor, Owned, Packed, PaddedRows, Strided};
use layout::{Dim, DynExtents};

use super::raw::{Freed, Managed, tensor};

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Hit {
    charge: f64,
    at: [i32; 2],
    good: bool,
}

fn hit([i, j]: [usize; 2]) -> Hit {
    Hit {
        charge: 10.0 * i as f64 + j as f64,
        at: [i32::try_from(i).unwrap(), -i32::try_from(j).unwrap()],
        good: i == j,
    }
}

/// The tensor as C sees it.
fn raw(tensor: &DlpackTensor) -> &Managed {
    // SAFETY: a tensor is one pointer, by its `repr(transparent)`.
    let pointer = unsafe { core::mem::transmute_copy::<DlpackTensor, NonNull<Managed>>(tensor) };
    // SAFETY: it points to a struct of C, which is there as long as the tensor.
    unsafe { pointer.as_ref() }
}

fn mapped<L: RecordLayout<Hit> + Default, Lin: layout::Linearization<[usize; 2]> + Default>()
-> Owned<Mapped<Hit, DynExtents<2>, L, Lin>> {
    View::from_fn(Mapped::new(DynExtents::<2>::new([3, 5]).unwrap()).unwrap(), hit).unwrap()
}

#[test]
fn leaves_keep_their_address_and_strides() {
    fn check<L: RecordLayout<Hit> + Default, Lin: layout::Linearization<[usize; 2]> + Default>(strides: [[i64; 2]; 3]) {
        let view = mapped::<L, Lin>();
        let expected = view.to_vec();
        macro_rules! leaf {
            ($path:expr, $T:ty, $of:expr, $strides:expr, $data_type:expr) => {
                let view = view.clone();
                let address = view.as_ptr($path).addr();
                let tensor = into_tensor(view, $path).unwrap();
                assert_eq!((tensor.shape(), tensor.strides()), (&[3, 5][..], Some(&$strides[..])));
                let c = raw(&tensor);
                assert_eq!((c.version, c.flags, c.device, c.rank, c.byte_offset), ([1, 0], 0, [1, 0], 2, 0));
                assert_eq!((c.data.addr(), c.data_type), (address, $data_type));
                let again = view_mut_of_tensor::<$T, 2>(tensor).unwrap();
                assert_eq!(again.as_ptr(layout::paths::<$T>()).addr(), address);
                assert_eq!(again.to_vec(), expected.iter().map($of).collect::<Vec<$T>>());
            };
        }
        leaf!(Hit::PATHS.charge, f64, |hit: &Hit| hit.charge, strides[0], (2, 64, 1));
        leaf!(Hit::PATHS.at.element::<1>(), i32, |hit: &Hit| hit.at[1], strides[1], (0, 32, 1));
        leaf!(Hit::PATHS.good, bool, |hit: &Hit| hit.good, strides[2], (6, 8, 1));
    }
    check::<SoA, RowMajor>([[5, 1]; 3]);
    check::<SoA, ColMajor>([[1, 3]; 3]);
    check::<SoA, PaddedRows<8>>([[8, 1]; 3]);
    // 24 bytes.
    check::<AoS, RowMajor>([[15, 3], [30, 6], [120, 24]]);
}

#[test]
fn slices_have_strides_of_their_own() {
    let view = Arc::new(mapped::<SoA, RowMajor>());
    let heap = alloc_from_fn::<f64, AoS, _>(15, |[i]| i as f64).unwrap().into_blobs().into_inner();
    let numbers = View::from_bytes(
        Mapped::<f64, _, AoS, _>::with(
            DynExtents::<2>::new([3, 2]).unwrap(),
            AoS::default(),
            Strided::<Dim<2>>::new(14, [-5, -2]),
        )
        .unwrap(),
        heap,
    );
    let tensor = share_tensor(Arc::new(numbers.unwrap()), layout::paths::<f64>()).unwrap();
    assert_eq!((tensor.shape(), tensor.strides(), tensor.is_read_only()), (&[3, 2][..], Some(&[-5, -2][..]), true));
    let again = view_of_tensor::<f64, 2>(tensor).unwrap();
    assert_eq!(again.to_vec(), [14.0, 12.0, 9.0, 7.0, 4.0, 2.0]);

    let tensors = [(); 3].map(|()| share_tensor(view.clone(), Hit::PATHS.charge).unwrap());
    assert_eq!(Arc::strong_count(&view), 4);
    let addresses = tensors.each_ref().map(|tensor| raw(tensor).data.addr());
    assert_eq!(addresses, [view.as_ptr(Hit::PATHS.charge).addr(); 3]);
    let [a, b, c] = tensors;
    assert_eq!(view_mut_of_tensor::<f64, 2>(a).err().unwrap(), DlpackError::ReadOnly);
    let shared = view_of_tensor::<f64, 2>(b).unwrap();
    drop(view);
    drop(c);
    assert_eq!(shared.get([2, 4]), 24.0);
}

#[test]
fn scalars_and_empty_views_are_tensors() {
    let tensor = into_tensor(alloc_from_fn::<i16, SoA, _>([], |_| 7).unwrap(), layout::paths::<i16>()).unwrap();
    assert_eq!((tensor.shape(), tensor.strides()), (&[][..], Some(&[][..])));
    assert_eq!(view_of_tensor::<i16, 0>(tensor).unwrap().get([]), 7);
    let tensor = into_tensor(alloc::<i16, SoA, _>([3, 0]).unwrap(), layout::paths::<i16>()).unwrap();
    assert!(raw(&tensor).data.is_null());
    assert_eq!(view_mut_of_tensor::<i16, 2>(tensor).unwrap().extents(), [3, 0]);
    let vec: RecordVec<u8, SoA> = (0..9).collect();
    let tensor = into_tensor(vec.into_view(), layout::paths::<u8>()).unwrap();
    assert_eq!(view_of_tensor::<u8, 1>(tensor).unwrap().to_vec(), (0..9).collect::<Vec<u8>>());
}

#[test]
fn tensors_are_freed_once() {
    let freed = Freed::default();
    let numbers: Vec<i32> = (0..24).collect();
    drop(tensor(&freed, &numbers, (&[4, 6], None), |_| {}).unwrap());
    assert_eq!(freed.count(), 1);

    let made = tensor(&freed, &numbers, (&[4, 6], None), |_| {}).unwrap();
    let address = raw(&made).data.addr();
    let mut view = view_mut_of_tensor::<i32, 2>(made).unwrap();
    assert_eq!((view.get([3, 5]), view.as_ptr(layout::paths::<i32>()).addr()), (23, address));
    view.set([3, 5], -1);
    assert_eq!((view.get([3, 5]), freed.count()), (-1, 1));
    drop(view);
    assert_eq!(freed.count(), 2);

    // Backwards, by steps, from the byte at an offset on; the memory has no element outside.
    let view = tensor(&freed, &numbers, (&[2, 3], Some(&[-12, 2])), |c| c.byte_offset = 4 * 12);
    let view = view_of_tensor::<i32, 2>(view.unwrap()).unwrap();
    assert_eq!(view.to_vec(), [12, 14, 16, 0, 2, 4]);
    drop(view);
    assert_eq!(freed.count(), 3);

    // Given away and taken back.
    let pointer = tensor(&freed, &numbers, (&[24], None), |_| {}).unwrap().into_raw();
    assert_eq!(freed.count(), 3);
    // SAFETY: the tensor is the one that was given away.
    drop(unsafe { DlpackTensor::from_raw(pointer) }.unwrap());
    assert_eq!(freed.count(), 4);
    // Without a deleter nothing is freed, and nothing breaks.
    let mut context = core::ptr::null_mut();
    drop(tensor(&freed, &numbers, (&[24], None), |c| (c.deleter, context) = (None, c.context)).unwrap());
    assert!(freed.count() == 4 && !context.is_null());
}

#[test]
fn views_that_are_no_tensors_are_refused() {
    let error = |result: Result<DlpackTensor, DlpackError>| result.unwrap_err();
    assert_eq!(error(into_tensor(mapped::<AoSoA<4>, RowMajor>(), Hit::PATHS.charge)), DlpackError::NotStrided);
    // 17 bytes are no multiple of 8.
    assert_eq!(error(into_tensor(mapped::<AoS<Packed>, RowMajor>(), Hit::PATHS.charge)), DlpackError::NotStrided);
    let morton = mapped::<SoA, layout::Morton>();
    assert_eq!(error(into_tensor(morton, Hit::PATHS.charge)), DlpackError::NotStrided);
    let letters = error(into_tensor(alloc::<char, SoA, _>(3).unwrap(), layout::paths::<char>()));
    assert_eq!(
        letters.to_string(),
        "DLPack has no type for `char`: copy the leaf to a view of integers, floats or `bool`"
    );
    #[derive(Clone, Copy, Record)]
    struct Odd {
        tag: u8,
        value: u32,
    }
    let one = View::zeroed(Mapped::<Odd, _, AoS<Packed>>::new(extents!(dyn 1)).unwrap()).unwrap();
    assert_eq!(error(into_tensor(one, Odd::PATHS.value)), DlpackError::Unaligned { needed: 4 });
}
