//! Files that NumPy reads, and files that NumPy wrote. `LAYOUT_PYTHON` is the path of a Python that has NumPy, which
//! `cargo xtask test "arrays of Python"` provides.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use half::f16;
use layout::interop::npy::{NpyError, map_npy, read_npy, read_npz, write_npy, write_npz};
use layout::prelude::*;
use layout::{ColMajor, DynExtents, Packed};
use support::processes::Folder;

use super::records::{Sample, Star};

/// The record, its values by number, and where to find files.
const START: &str = "
import sys, os, numpy as np
folder = sys.argv[1]
def path(name): return os.path.join(folder, name)
pos = [('x', 'f8'), ('y', 'f4')]
star = [('kind', 'u1'), ('pos', pos), ('known', '?'), ('grid', 'u2', (3, 2)), ('light', 'f2')]
packed = np.dtype(star)
def fill(stars):
    numbers = np.arange(stars.size).reshape(stars.shape)
    stars['kind'] = numbers % 251
    stars['pos']['x'] = numbers % 251 + 0.5
    stars['pos']['y'] = -(numbers % 251)
    stars['known'] = numbers % 3 == 1
    stars['grid'] = 100 * (numbers % 251)[..., None, None] + np.array([[0, 1], [10, 11], [20, 21]])
    stars['light'] = numbers % 251 / 2
    return stars
";

/// Every file that Rust wrote has the type, the order and the values that it should have.
const CHECK: &str = "
def check(name, dtype, fortran=False):
    array = np.load(path(name), allow_pickle=False)
    expected = fill(np.zeros((4, 5), packed))
    assert array.dtype == dtype, (name, array.dtype, dtype)
    assert array.dtype.itemsize == dtype.itemsize, (name, array.dtype.itemsize, dtype.itemsize)
    assert [array.dtype.fields[key][1] for key in array.dtype.names] == [dtype.fields[key][1] for key in dtype.names], name
    assert np.isfortran(array) == fortran and array.shape == (4, 5), name
    for key in packed.names:
        assert (array[key] == expected[key]).all(), (name, key)
    return array

offsets = dict(names=['kind', 'pos', 'known', 'grid', 'light'], formats=['u1', np.dtype(pos), '?', ('u2', (3, 2)), 'f2'],
               offsets=[0, 8, 20, 22, 34], itemsize=40)
check('packed.npy', packed)
check('soa.npy', packed)
check('blocks.npy', packed)
check('parts.npy', packed)
check('columns.npy', packed, fortran=True)
check('aligned.npy', np.dtype(offsets))
flat = np.load(path('flat.npy'))
assert flat.dtype == np.dtype({'names': ['a', 'b', 'c'], 'formats': ['u1', 'f8', 'u2']}, align=True), flat.dtype
assert flat['b'].tolist() == [0.5, 1.5, 2.5]

pairs = np.load(path('pairs.npy'))
assert pairs.dtype == np.dtype('f2') and pairs.shape == (3, 2) and pairs.tolist() == [[0, 0.5], [1, 1.5], [2, 2.5]]
assert np.load(path('scalar.npy')).shape == () and np.load(path('scalar.npy'))['kind'] == 7
assert np.load(path('empty.npy')).shape == (0, 3)

expected = fill(np.zeros((4, 5), packed))
for name, fortran in [('soa.npz', False), ('columns.npz', True)]:
    archive = np.load(path(name), allow_pickle=False)
    leaves = ['kind', 'pos.x', 'pos.y', 'known'] + [f'grid[{i}][{j}]' for i in range(3) for j in range(2)] + ['light']
    assert archive.files == leaves, archive.files
    assert (archive['pos.x'] == expected['pos']['x']).all() and archive['pos.x'].dtype == np.dtype('f8')
    assert (archive['known'] == expected['known']).all() and archive['known'].dtype == np.dtype('?')
    assert all((archive[f'grid[{i}][{j}]'] == expected['grid'][..., i, j]).all() for i in range(3) for j in range(2))
    assert all(np.isfortran(archive[key]) == fortran for key in archive.files)
assert np.load(path('only.npz'))['arr_0'].tolist() == [0, 1, 2]
";

/// Files in the forms that NumPy writes.
const WRITE: &str = "
stars = fill(np.zeros((4, 5), packed))
np.save(path('np_packed.npy'), stars)
np.save(path('np_fortran.npy'), np.asfortranarray(stars))
np.save(path('np_aligned.npy'), fill(np.zeros((4, 5), np.dtype(star, align=True))))
np.save(path('np_big.npy'), fill(np.zeros((4, 5), packed.newbyteorder('>'))))
np.save(path('np_reordered.npy'), fill(np.zeros((4, 5), np.dtype(star[::-1]))))
np.save(path('np_padded.npy'), fill(np.zeros((4, 5), np.dtype(offsets))))
np.save(path('np_slice.npy'), fill(np.zeros((4, 5), packed))[::-1, 1::2])
np.save(path('np_scalar.npy'), stars[1, 2])
np.save(path('np_empty.npy'), stars[:0])
np.save(path('np_pairs.npy'), np.arange(6, dtype='f2').reshape(3, 2) / 2)
def leaves(stars):
    columns = {'kind': stars['kind'], 'pos.x': stars['pos']['x'], 'pos.y': stars['pos']['y'], 'known': stars['known'], 'light': stars['light']}
    columns.update({f'grid[{i}][{j}]': stars['grid'][..., i, j] for i in range(3) for j in range(2)})
    return columns
np.savez(path('np.npz'), more=np.zeros(3), **leaves(stars))
np.savez_compressed(path('np_compressed.npz'), **leaves(stars))
np.savez(path('np_big.npz'), **{key: column.astype(column.dtype.newbyteorder('>')) for key, column in leaves(stars).items()})
np.savez(path('np_fortran.npz'), **{key: np.asfortranarray(column) for key, column in leaves(stars).items()})
np.savez(path('np_only.npz'), np.arange(3, dtype='u1'))
np.save(path('np_object.npy'), np.array([{}, None], dtype=object), allow_pickle=True)
mapped = np.lib.format.open_memmap(path('np_mapped.npy'), mode='w+', dtype=packed, shape=(4, 5))
fill(mapped)
mapped.flush()
print('numpy', np.__version__, 'python', sys.version.split()[0])
";

/// Writes what Python reads.
fn write(folder: &Path) {
    let file = |name: &str| fs::File::create(folder.join(name)).unwrap();
    let star = |[i, j]: [usize; 2]| Star::sample(5 * i + j);
    write_npy(&alloc_from_fn::<Star, AoS<Packed>, _>([4, 5], star).unwrap(), file("packed.npy")).unwrap();
    write_npy(&alloc_from_fn::<Star, AoS, _>([4, 5], star).unwrap(), file("aligned.npy")).unwrap();
    write_npy(&alloc_from_fn::<Star, AoSoA<8>, _>([4, 5], star).unwrap(), file("blocks.npy")).unwrap();
    let soa = alloc_from_fn::<Star, SoA, _>([4, 5], star).unwrap();
    write_npy(&soa, file("soa.npy")).unwrap();
    write_npz(&soa, file("soa.npz")).unwrap();
    let columns = View::from_fn(Mapped::<Star, _, SoA, ColMajor>::new(extents!(dyn 4, dyn 5)).unwrap(), star).unwrap();
    write_npy(&columns, file("columns.npy")).unwrap();
    write_npz(&columns, file("columns.npz")).unwrap();
    // A part of a view, backwards.
    let back = alloc_from_fn::<Star, SoA, _>([4, 9], |[i, j]| star([3 - i, j / 2])).unwrap();
    write_npy(&back.slice((step(.., -1), step(.., 2))), file("parts.npy")).unwrap();

    #[derive(Clone, Copy, Record)]
    struct Flat {
        a: u8,
        b: f64,
        c: u16,
    }
    let flat = alloc_from_fn::<Flat, AoS, _>(3, |[i]| Flat { a: 1, b: [0.5, 1.5, 2.5][i], c: 2 }).unwrap();
    write_npy(&flat, file("flat.npy")).unwrap();
    write_npy(&alloc_from_fn::<[f16; 2], SoA, _>(3, |[i]| Sample::sample(i)).unwrap(), file("pairs.npy")).unwrap();
    write_npy(&alloc_from_fn::<Star, SoA, _>([], |_| Star::sample(7)).unwrap(), file("scalar.npy")).unwrap();
    write_npy(&alloc::<Star, SoA, _>([0, 3]).unwrap(), file("empty.npy")).unwrap();
    write_npz(&alloc_from_fn::<u8, SoA, _>(3, |[i]| u8::sample(i)).unwrap(), file("only.npz")).unwrap();
}

/// Reads what Python wrote.
fn read(folder: &Path) {
    let file = |name: &str| fs::read(folder.join(name)).unwrap();
    let expected: Vec<Star> = (0..20).map(Star::sample).collect();
    let read = |name: &str| {
        read_npy::<Star, DynExtents<2>, SoA, RowMajor>(&file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    for name in ["packed", "fortran", "aligned", "big", "reordered", "padded", "mapped"] {
        assert_eq!(read(&format!("np_{name}.npy")).to_vec(), expected, "{name}");
    }
    for name in ["np.npz", "np_compressed.npz", "np_big.npz", "np_fortran.npz"] {
        let read = read_npz::<Star, DynExtents<2>, AoSoA<8>, ColMajor>(&file(name), 1 << 20);
        assert_eq!(read.unwrap_or_else(|error| panic!("{name}: {error}")).to_vec(), expected, "{name}");
    }
    let slice = read("np_slice.npy");
    assert_eq!((slice.extents(), slice.load([0, 1])), ([4, 2], Star::sample(18)));
    assert_eq!(
        read_npy::<Star, DynExtents<0>, SoA, RowMajor>(&file("np_scalar.npy")).unwrap().load([]),
        Star::sample(7)
    );
    assert_eq!(read("np_empty.npy").extents(), [0, 5]);
    let pairs = read_npy::<[f16; 2], DynExtents<1>, AoS, RowMajor>(&file("np_pairs.npy")).unwrap();
    assert_eq!(pairs.load(2), <[f16; 2]>::sample(2));
    assert_eq!(read_npz::<u8, DynExtents<1>, AoS, RowMajor>(&file("np_only.npz"), 3).unwrap().to_vec(), [0, 1, 2]);

    let (packed, fortran) = (file("np_packed.npy"), file("np_fortran.npy"));
    let mapped = map_npy::<Star, DynExtents<2>, AoS<Packed>, RowMajor>(&packed).unwrap();
    assert_eq!(mapped.to_vec(), expected);
    assert_eq!(map_npy::<Star, DynExtents<2>, AoS<Packed>, ColMajor>(&fortran).unwrap().to_vec(), expected);
    let big = file("np_big.npy");
    let big = map_npy::<Star, DynExtents<2>, AoS<Packed>, RowMajor>(&big).err().unwrap();
    assert!(matches!(big, NpyError::Dtype { .. }), "{big}");
    let object = read_npy::<u8, DynExtents<1>, AoS, RowMajor>(&file("np_object.npy")).err().unwrap();
    assert_eq!(object.to_string(), "this is no .npy file: type `|O` has no known size");
}

#[test]
fn numpy_reads_and_writes_the_same_files() {
    let Some(python) = env::var_os("LAYOUT_PYTHON") else {
        return eprintln!("NumPy is not asked: `cargo xtask test \"arrays of Python\"` sets LAYOUT_PYTHON");
    };
    let folder = Folder::new("npy");
    write(&folder.0);
    let script = [START, CHECK, WRITE].concat();
    let output = Command::new(python).args(["-W", "error", "-c", &script]).arg(&folder.0).output().unwrap();
    let (text, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}{error}");
    eprint!("{text}");
    read(&folder.0);
}
