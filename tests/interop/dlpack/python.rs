//! Tensors that NumPy takes, and arrays of NumPy, through `library.rs`, which Python loads. `LAYOUT_PYTHON` is the path of a Python with NumPy.

use std::env;
use std::process::Command;

const SCRIPT: &str = "
import ctypes, gc, sys, numpy as np
library = ctypes.CDLL(sys.argv[1])
api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
library.own_gray.restype = library.shared_red.restype = ctypes.c_void_p
library.owners.restype = ctypes.c_size_t
library.sum.restype = ctypes.c_int64
library.double.argtypes = [ctypes.c_void_p]
NAME, USED = b'dltensor_versioned', b'used_dltensor_versioned'

class Tensor:
    def __init__(self, pointer):
        self.pointer = pointer
    def __dlpack_device__(self):
        return (1, 0)
    def __dlpack__(self, **options):
        return api.PyCapsule_New(self.pointer, NAME, None)

i, j = np.mgrid[0:3, 0:4]
gray = np.from_dlpack(Tensor(library.own_gray()))
assert gray.dtype == np.float64 and gray.shape == (3, 4) and gray.strides == (64, 16) and gray.flags.writeable
assert (gray == 10 * i + j).all()
gray[1, 2] = -1
assert gray.sum() == (10 * i + j).sum() - 13
assert library.owners() == 1
reds = [np.from_dlpack(Tensor(library.shared_red())) for _ in range(3)]
assert library.owners() == 4 and not reds[0].flags.writeable and reds[0].dtype == np.float32
assert np.allclose(reds[0], i + j / 10) and reds[0].ctypes.data == reds[1].ctypes.data
del gray, reds
gc.collect()
assert library.owners() == 1

def take(array):
    capsule = array.__dlpack__(max_version=(1, 0))
    pointer = api.PyCapsule_GetPointer(capsule, NAME)
    api.PyCapsule_SetName(capsule, USED)
    return library.double(pointer)

numbers = np.arange(24).reshape(4, 6)
references = sys.getrefcount(numbers)
assert take(numbers[::-2, 1::2]) == 1
expected = np.arange(24).reshape(4, 6)
expected[::-2, 1::2] *= 2
assert (numbers == expected).all() and library.sum() == expected[::-2, 1::2].sum()
assert sys.getrefcount(numbers) == references
numbers.flags.writeable = False
assert take(numbers.T) == 0 and library.sum() == expected.sum()
assert take(numbers.astype('f8')) == -1 and take(numbers[0]) == -1
print('numpy', np.__version__, 'python', sys.version.split()[0])
";

#[test]
fn numpy_takes_tensors_and_gives_arrays() {
    let Some(python) = env::var_os("LAYOUT_PYTHON") else {
        return eprintln!("NumPy is not asked: `cargo xtask test \"arrays of Python\"` sets LAYOUT_PYTHON");
    };
    let this = env::current_exe().unwrap();
    let name = format!("{}dlpack_library{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let library = this.parent().unwrap().parent().unwrap().join("examples").join(name);
    assert!(library.exists(), "build it: cargo build -p layout-interop --features dlpack --example dlpack_library");
    let output = Command::new(python).args(["-W", "error", "-c", SCRIPT]).arg(&library).output().unwrap();
    let (text, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}{error}");
    eprint!("{text}");
}
