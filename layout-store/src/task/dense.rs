//! One kernel for dense views, whose neighbors are neighbors in memory, and for strided ones.

/// Runs a kernel over views. If all of them have a stride of one in the last dimension, the kernel gets views with that stride in their
/// type; otherwise it gets the views unchanged.
///
/// The compiler vectorizes a loop along the last dimension only if it knows that stride. The kernel is compiled twice, and the choice is
/// made once for each tile. `return` and `?` in the kernel are those of the closure around it.
///
/// A view that is written is named with `mut`. All views are moved into the macro.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, dense, read, update};
///
/// let rt = Runtime::new()?;
/// let x: Store<f64, _> = rt.create_from_fn([10, 100], |index| index[1] as f64)?;
/// let y: Store<f64, _> = rt.create([10, 100])?;
/// y.fill(1.0)?;
/// rt.task("axpy").args((read(&x), update(&y))).align_all().launch(|_, (x, y)| {
///     dense!((x, mut y) => {
///         let [rows, columns] = y.extents();
///         x.assert_extents([rows, columns]);
///         for i in 0..rows {
///             for j in 0..columns {
///                 y.set([i, j], 2.0 * x.get([i, j]) + y.get([i, j]));
///             }
///         }
///     })
/// })?;
/// assert_eq!(y.get([9, 99])?, 199.0);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[macro_export]
macro_rules! dense {
    (($($views:tt)+) => $kernel:expr) => { $crate::dense!(@views [] [$($views)+] $kernel) };
    (@views [$($done:tt)*] [mut $view:ident $(, $($rest:tt)*)?] $kernel:expr) => {
        $crate::dense!(@views [$($done)* [(mut) $view]] [$($($rest)*)?] $kernel)
    };
    (@views [$($done:tt)*] [$view:ident $(, $($rest:tt)*)?] $kernel:expr) => {
        $crate::dense!(@views [$($done)* [() $view]] [$($($rest)*)?] $kernel)
    };
    (@views [$([($($mutable:tt)?) $view:ident])+] [] $kernel:expr) => {
        if $($view.has_unit_stride())&&+ {
            let ($($($mutable)? $view,)+) = ($($crate::__private::unit_stride($view),)+);
            $kernel
        } else {
            let ($($($mutable)? $view,)+) = ($($view,)+);
            $kernel
        }
    };
}
