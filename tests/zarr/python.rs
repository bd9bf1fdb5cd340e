//! Checkpoints and views that zarr-python reads, and groups of arrays that it wrote.

use std::env;
use std::path::Path;
use std::process::Command;

use layout::{AoS, AoSoA, ColMajor, DynExtents, Mapped, Owned, Record, RowMajor, SoA, alloc, alloc_from_fn, step};
use layout_store::{Distribution, Runtime, Store, write};
use layout_zarr::{Checkpoint, ZarrError, read_zarr, read_zarr_into, write_zarr, write_zarr_chunked};
use support::processes::Folder;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Event {
    time: f64,
    at: [f32; 2],
    kind: u8,
    good: bool,
    count: i64,
    id: u128,
}

/// Says of each array what a program of another language sees.
const SCRIPT: &str = "
import sys, zarr, numpy
group = zarr.open_group(sys.argv[1], mode='r')
print('zarr', zarr.__version__, 'numpy', numpy.__version__)
layout = group.attrs['layout']
print(sorted(layout['stores']), layout['values']['step']['bytes'])
events = group['events']
for name in sorted(name for name, _ in events.arrays()):
    array = events[name]
    values = array[:]
    print(name, array.dtype, array.shape, array.chunks, array.attrs['leaf'], array.attrs['type'], values.sum(dtype=float), values[3, 4].tolist())
print('scalar', group['scalar']['value'][()], group['empty']['value'].shape)
";

/// The output of a script of the Python that `LAYOUT_PYTHON` names; `None` if it names none.
fn python(script: &str, folder: &Path) -> Option<String> {
    let Some(python) = env::var_os("LAYOUT_PYTHON") else {
        eprintln!("zarr-python is not asked: `cargo xtask test Zarr` sets LAYOUT_PYTHON");
        return None;
    };
    let output = Command::new(python).args(["-W", "error", "-c", script]).arg(folder).output().unwrap();
    let (text, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}{error}");
    Some(text.into_owned())
}

#[test]
fn python_reads_what_was_written() {
    let folder = Folder::new("python");
    let rt = Runtime::builder().threads(1).pieces(6).min_chunk(1).build().unwrap();
    let events: Store<Event, layout::Dim<2>, AoSoA<4>> =
        rt.create_distributed([5, 7], &Distribution::Tiles([2, 7].into())).unwrap();
    let task = rt.task("events").args((write(&events),));
    task.launch(|task, (mut tile,)| {
        let origin = task.origin::<2>(0)[0] * 7;
        for at in 0..tile.extents()[0] * 7 {
            let count = i64::try_from(origin + at).unwrap();
            tile.set(
                [at / 7, at % 7],
                Event { time: 0.5, at: [1.0, 2.0], kind: 3, good: true, count, id: 1 << 120 | 5 },
            );
        }
    })
    .unwrap();
    let scalar: Store<f64, _> = rt.create_from([], &[-2.5]).unwrap();
    let empty: Store<u16, _> = rt.create([0, 3]).unwrap();
    Checkpoint::new(&folder.0)
        .store("events", &events)
        .store("scalar", &scalar)
        .store("empty", &empty)
        .value("step", 258_u16)
        .write(&rt)
        .unwrap();
    let Some(text) = python(SCRIPT, &folder.0.join("000001")) else { return };
    let mut lines = text.lines();
    println!("{}", lines.next().unwrap());
    let expected = [
        "['empty', 'events', 'scalar'] 0201",
        "at.0 float32 (5, 7) (2, 7) at[0] f32 35.0 1.0",
        "at.1 float32 (5, 7) (2, 7) at[1] f32 70.0 2.0",
        "count int64 (5, 7) (2, 7) count i64 595.0 25",
        "good bool (5, 7) (2, 7) good bool 35.0 True",
        "id uint8 (5, 7, 16) (2, 7, 16) id u128 210.0 [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]",
        "kind uint8 (5, 7) (2, 7) kind u8 105.0 3",
        "time float64 (5, 7) (2, 7) time f64 17.5 0.5",
        "scalar -2.5 (0, 3)",
    ];
    assert!(lines.eq(expected), "{text}");
}

/// Reads views, and writes groups in the forms that zarr-python has.
const VIEWS: &str = "
import os, sys, zarr, numpy as np
from zarr.codecs import BytesCodec, Crc32cCodec
path = lambda name: os.path.join(sys.argv[1], name)
print('zarr', zarr.__version__, 'numpy', np.__version__)
group = zarr.open_group(path('events'), mode='r')
i, j = np.mgrid[0:5, 0:7]
expected = {'time': i + j / 2, 'at.0': i, 'at.1': j, 'kind': i * j % 7, 'good': (i + j) % 3 == 0, 'count': 7 * i + j}
for name, values in expected.items():
    assert group[name].chunks == (2, 3) and (group[name][:] == values).all(), name
assert group['id'][4, 6, :2].tolist() == [34, 1] and group.attrs['layout']['chunk'] == [2, 3]
part = zarr.open_group(path('part'), mode='r')
assert (part['at.1'][:] == j[::-2, 1:6]).all() and part['at.1'].dtype == 'f4'
assert zarr.open_group(path('scalar'), mode='r')['value'][()] == -2.5
assert zarr.open_array(path('scalar/value'), mode='r').shape == ()
assert zarr.open_group(path('empty'), mode='r')['value'].shape == (0, 3)

def write(name, values, **more):
    zarr.create_array(path(name), data=values, **{'compressors': None, **more})
zarr.create_group(path('cells'))
write('cells/heat', (i + j / 2).astype('f8'), chunks=(4, 3))
write('cells/on', j % 2 == 1, chunks=(1, 7), compressors=Crc32cCodec())
write('cells/more', np.zeros(3), chunks=(1,))
zarr.create_group(path('other'))
write('other/heat', (i + j / 2).astype('f8'), chunks=(2, 9), serializer=BytesCodec(endian='big'), chunk_key_encoding={'name': 'v2', 'separator': '.'})
# A chunk of the fill value has no file.
on = zarr.create_array(path('other/on'), shape=(5, 7), dtype='?', chunks=(5, 1), compressors=None, fill_value=True)
on[:, ::2] = False
assert not os.path.exists(path('other/on/c/0/1'))
write('alone', np.arange(12, dtype='i4').reshape(3, 4), chunks=(2, 2))
write('zstd', np.zeros(3), chunks=(3,), compressors='auto')
write('sharded', np.zeros(4), chunks=(2,), shards=(4,))
nan = zarr.create_array(path('nan'), shape=(6,), dtype='f4', chunks=(4,), compressors=None, fill_value=float('nan'))
";

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Cell {
    heat: f64,
    on: bool,
}

#[test]
fn views_and_arrays_of_python() {
    let folder = Folder::new("python-views");
    let path = |name: &str| folder.0.join(name);
    let event = |[i, j]: [usize; 2]| {
        let number = 7 * i + j;
        let (kind, good) = (u8::try_from(i * j % 7).unwrap(), (i + j) % 3 == 0);
        let (count, id) = (i64::try_from(number).unwrap(), 256 + number as u128);
        Event { time: i as f64 + j as f64 / 2.0, at: [i as f32, j as f32], kind, good, count, id }
    };
    let events = alloc_from_fn::<Event, AoSoA<4>, _>([5, 7], event).unwrap();
    write_zarr_chunked(&events, path("events"), [2, 3]).unwrap();
    write_zarr(&events.slice((step(.., -2), 1..6)), path("part")).unwrap();
    write_zarr(&alloc_from_fn::<f64, SoA, _>([], |_| -2.5).unwrap(), path("scalar")).unwrap();
    write_zarr(&alloc::<u16, SoA, _>([0, 3]).unwrap(), path("empty")).unwrap();

    let Some(text) = python(VIEWS, &folder.0) else { return };
    println!("{}", text.trim());
    let expected = alloc_from_fn::<Cell, AoS, _>([5, 7], |[i, j]| Cell { heat: event([i, j]).time, on: j % 2 == 1 });
    let expected = expected.unwrap();
    for name in ["cells", "other"] {
        let read: Owned<Mapped<Cell, DynExtents<2>, SoA, ColMajor>> = read_zarr(path(name), 1 << 20).unwrap();
        assert!(read == expected, "{name}");
        let mut again = alloc::<Cell, AoSoA<8>, _>([5, 7]).unwrap();
        read_zarr_into(&mut again, path(name)).unwrap();
        assert!(again == expected, "{name}");
    }
    let alone: Owned<Mapped<i32, DynExtents<2>, AoS>> = read_zarr(path("alone"), 48).unwrap();
    assert_eq!(alone.to_vec(), (0..12).collect::<Vec<_>>());
    let nan: Owned<Mapped<f32, DynExtents<1>, AoS>> = read_zarr(path("nan"), 24).unwrap();
    assert!(nan.len() == 6 && nan.values().all(f32::is_nan));
    for name in ["zstd", "sharded"] {
        let error = read_zarr::<f64, DynExtents<1>, SoA, RowMajor>(path(name), 1 << 20).map(|_| ()).unwrap_err();
        assert!(matches!(error, ZarrError::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains("write it without compression"), "{error}");
    }
}
