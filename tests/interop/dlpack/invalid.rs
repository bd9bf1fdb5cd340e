//! Tensors that are no views, each of which is freed once.

use layout::interop::dlpack::{DlpackError, view_mut_of_tensor, view_of_tensor};
use layout::prelude::*;

use super::raw::{Freed, Managed, tensor};

const NUMBERS: [i32; 6] = [0, 1, 2, 3, 4, 5];

fn error(shape: &[i64], strides: Option<&[i64]>, change: impl FnOnce(&mut Managed)) -> DlpackError {
    let freed = Freed::default();
    let view = tensor(&freed, &NUMBERS, (shape, strides), change).and_then(view_mut_of_tensor::<i32, 1>);
    let error = view.map(|_| ()).unwrap_err();
    assert_eq!(freed.count(), 1, "{error}");
    error
}

#[test]
fn other_tensors_are_refused() {
    let text = |shape: &[i64], strides, change: fn(&mut Managed)| error(shape, strides, change).to_string();
    let one: &[i64] = &[6];
    let versions = text(one, None, |c| c.version = [2, 1]);
    assert_eq!(versions, "the tensor has version 2.1 of DLPack; versions 1.x are read");
    assert_eq!(text(one, None, |c| c.rank = -1), "the tensor is invalid: it has -1 dimensions and no shape");
    assert!(text(one, None, |c| c.shape = core::ptr::null_mut()).contains("no shape"));
    assert_eq!(text(one, None, |c| c.device = [2, 0]), "the tensor is on a device of type 2, not in main memory (1)");
    assert_eq!(text(one, None, |c| c.data_type = (2, 64, 1)), "the tensor has float64, and the view int32");
    assert_eq!(text(one, None, |c| c.data_type = (0, 32, 4)), "the tensor has int32 x 4, and the view int32");
    assert_eq!(text(one, None, |c| c.data_type = (9, 8, 1)), "the tensor has type 9 of 8 bits, and the view int32");
    assert_eq!(text(&[2, 3], None, |_| {}), "the tensor has shape [2, 3], and the view 1 dimension");
    assert_eq!(text(&[-6], None, |_| {}), "the tensor is invalid: an extent is negative");
    assert_eq!(
        text(one, None, |c| c.data = core::ptr::null_mut()),
        "the tensor is invalid: it has elements and no address"
    );
    assert_eq!(text(one, None, |c| c.flags = 1), "the tensor is read-only: use `view_of_tensor`");
    assert!(text(one, Some(&[0]), |_| {}).contains("share"), "{}", text(one, Some(&[0]), |_| {}));
    assert!(
        text(&[5], None, |c| c.byte_offset = 1).contains("no multiple of 4"),
        "{}",
        text(&[5], None, |c| c.byte_offset = 1)
    );
    let beyond = "the tensor is invalid: its strides reach beyond any memory";
    assert_eq!(text(&[i64::MAX], None, |_| {}), beyond);
    assert_eq!(text(&[3], Some(&[i64::MAX]), |_| {}), beyond);
    assert_eq!(text(&[3], Some(&[i64::MIN]), |_| {}), beyond);
    assert_eq!(text(&[1 << 40], Some(&[1 << 40]), |_| {}), beyond);
}

#[test]
fn shared_elements_and_no_elements_can_be_read() {
    let freed = Freed::default();
    let again = tensor(&freed, &NUMBERS, (&[4, 2], Some(&[0, 3])), |_| {}).unwrap();
    assert_eq!(view_of_tensor::<i32, 2>(again).unwrap().to_vec(), [0, 3, 0, 3, 0, 3, 0, 3]);
    let empty =
        tensor(&freed, &NUMBERS, (&[0, i64::MAX], Some(&[i64::MIN, i64::MAX])), |c| c.data = core::ptr::null_mut());
    assert!(view_of_tensor::<i32, 2>(empty.unwrap()).unwrap().is_empty());
    let wrong = tensor(&freed, &[1, 2], (&[5], None), |c| c.data_type = (6, 8, 1)).unwrap();
    assert!(matches!(
        view_of_tensor::<bool, 1>(wrong).err().unwrap(),
        DlpackError::View(ViewError::InvalidValue { .. })
    ));
    assert_eq!(freed.count(), 3);
}
