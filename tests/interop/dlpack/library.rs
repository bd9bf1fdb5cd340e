//! A library that Python loads, to hand tensors to NumPy and to take arrays of NumPy.

use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};

use layout::interop::dlpack::{DlpackTensor, into_tensor, share_tensor, view_mut_of_tensor, view_of_tensor};
use layout::prelude::*;
use layout::{DynExtents, Owned};

#[derive(Clone, Copy, Record)]
struct Pixel {
    red: f32,
    count: u32,
    gray: f64,
}

type Image = Owned<Mapped<Pixel, DynExtents<2>, AoS>>;

fn image() -> Image {
    alloc_from_fn::<Pixel, AoS, _>([3, 4], |[i, j]| Pixel {
        red: i as f32 + j as f32 / 10.0,
        count: 7,
        gray: 10.0 * i as f64 + j as f64,
    })
    .unwrap()
}

static SHARED: LazyLock<Arc<Image>> = LazyLock::new(|| Arc::new(image()));

fn given(tensor: DlpackTensor) -> *mut c_void {
    tensor.into_raw().as_ptr()
}

/// A tensor of its own, that may be written.
#[unsafe(no_mangle)]
extern "C" fn own_gray() -> *mut c_void {
    given(into_tensor(image(), Pixel::PATHS.gray).unwrap())
}

/// A read-only tensor of a view that the library keeps.
#[unsafe(no_mangle)]
extern "C" fn shared_red() -> *mut c_void {
    given(share_tensor(SHARED.clone(), Pixel::PATHS.red).unwrap())
}

/// The number of owners of that view.
#[unsafe(no_mangle)]
extern "C" fn owners() -> usize {
    Arc::strong_count(&SHARED)
}

static LAST: AtomicI64 = AtomicI64::new(0);

/// Takes an array of 64-bit integers, doubles its elements if it may be written, and frees it. `sum` gives the sum. Returns an error as -1.
///
/// # Safety
///
/// The address is that of a tensor that the caller gives away.
#[unsafe(no_mangle)]
unsafe extern "C" fn double(tensor: *mut c_void) -> i32 {
    let Some(tensor) = NonNull::new(tensor) else { return -1 };
    // SAFETY: the condition is the caller's.
    let Ok(tensor) = (unsafe { DlpackTensor::from_raw(tensor) }) else { return -1 };
    if tensor.is_read_only() {
        let Ok(view) = view_of_tensor::<i64, 2>(tensor) else { return -1 };
        LAST.store(view.values().sum(), Ordering::Relaxed);
        return 0;
    }
    let Ok(mut view) = view_mut_of_tensor::<i64, 2>(tensor) else { return -1 };
    view.update(|value| 2 * value);
    LAST.store(view.values().sum(), Ordering::Relaxed);
    1
}

/// The sum of the last array.
#[unsafe(no_mangle)]
extern "C" fn sum() -> i64 {
    LAST.load(Ordering::Relaxed)
}
