//! The places that LLAMA gives to every leaf at every index, against those of the layouts here.
//!
//! LLAMA 0.6 printed `tests/oracle/llama/mapping.json`. More records of the same form are read from every JSON file of
//! the folder that `LLAMA_ORACLE_DIR` names.

use std::path::{Path, PathBuf};

use layout::error::ExtentsError;
use layout::index::{IndexArray, Rank};
use layout::options::{DecreasingAlignment, LeafAligned, MinPadding};
use layout::{
    Aligned, AoS, AoSoA, ArrayExtents, ColMajor, Dim, Extents, Linearization, Mapped, Mapping, Morton, Packed, Place,
    Record, RecordLayout, RowMajor, SoA, SoASingle,
};
use serde_json::Value;
use support::indices::indices;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Vec3 {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle {
    pos: Vec3,
    mass: f32,
    vel: Vec3,
    flags: [bool; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Vec2 {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct ParticleUnaligned {
    id: u16,
    pos: Vec2,
    mass: f64,
    flags: [bool; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Mixed {
    a: u8,
    b: f64,
    c: u16,
    d: [i32; 3],
}

/// The places in a record of the oracle, or in a mapping here.
#[derive(Debug, PartialEq)]
struct Places {
    blob_sizes: Vec<usize>,
    /// For each index in row-major order, for each leaf: blob and byte offset.
    places: Vec<Vec<[usize; 2]>>,
}

/// A record of the oracle.
struct Case<'a> {
    id: &'a str,
    record: &'a str,
    mapping: &'a str,
    linearization: &'a str,
    extents: Vec<usize>,
    expected: Places,
}

impl<'a> Case<'a> {
    /// The case that an object of the right form describes.
    fn of(object: &'a Value) -> Option<Self> {
        let text = |name: &str| object.get(name)?.as_str();
        let place = |place: &Value| <[usize; 2]>::try_from(numbers(place)?).ok();
        let leaves = |leaves: &Value| leaves.as_array()?.iter().map(place).collect::<Option<Vec<_>>>();
        Some(Self {
            id: text("id")?,
            record: text("record")?,
            mapping: text("mapping")?,
            linearization: text("linearization")?,
            extents: numbers(object.get("extents")?)?,
            expected: Places {
                blob_sizes: numbers(object.get("blob_sizes")?)?,
                places: object.get("places")?.as_array()?.iter().map(leaves).collect::<Option<_>>()?,
            },
        })
    }

    /// The places of the mapping of the same name; `None` where there is none.
    fn ours(&self) -> Option<Result<Places, ExtentsError>> {
        match self.record {
            "Particle" => self.of_record::<Particle>(),
            "ParticleUnaligned" => self.of_record::<ParticleUnaligned>(),
            "Mixed" => self.of_record::<Mixed>(),
            _ => None,
        }
    }

    fn of_record<R: Record>(&self) -> Option<Result<Places, ExtentsError>> {
        match self.mapping {
            "aos_aligned" => self.of_layout::<R, AoS>(),
            "aos_packed" => self.of_layout::<R, AoS<Packed>>(),
            "aos_min_padding" => self.of_layout::<R, AoS<Aligned, MinPadding>>(),
            "aos_decreasing_alignment" => self.of_layout::<R, AoS<Aligned, DecreasingAlignment>>(),
            "soa_multi_blob" => self.of_layout::<R, SoA>(),
            "soa_single_blob_packed" => self.of_layout::<R, SoASingle<Packed>>(),
            "soa_single_blob_aligned" => self.of_layout::<R, SoASingle<LeafAligned>>(),
            "aosoa_packed_1" => self.of_layout::<R, AoSoA<1, Packed>>(),
            "aosoa_packed_2" => self.of_layout::<R, AoSoA<2, Packed>>(),
            "aosoa_packed_3" => self.of_layout::<R, AoSoA<3, Packed>>(),
            "aosoa_packed_4" => self.of_layout::<R, AoSoA<4, Packed>>(),
            "aosoa_packed_8" => self.of_layout::<R, AoSoA<8, Packed>>(),
            "aosoa_packed_16" => self.of_layout::<R, AoSoA<16, Packed>>(),
            _ => None,
        }
    }

    fn of_layout<R: Record, L: RecordLayout<R> + Default>(&self) -> Option<Result<Places, ExtentsError>> {
        match self.extents.len() {
            0 => self.of_rank::<R, L, Dim<0>>(),
            1 => self.of_rank::<R, L, Dim<1>>(),
            2 => self.of_rank::<R, L, Dim<2>>(),
            3 => self.of_rank::<R, L, Dim<3>>(),
            4 => self.of_rank::<R, L, Dim<4>>(),
            _ => None,
        }
    }

    fn of_rank<R: Record, L: RecordLayout<R> + Default, D: Rank>(&self) -> Option<Result<Places, ExtentsError>> {
        match self.linearization {
            "row_major" => Some(self.of_linearization::<R, L, D, RowMajor>()),
            "col_major" => Some(self.of_linearization::<R, L, D, ColMajor>()),
            "morton" => Some(self.of_linearization::<R, L, D, Morton>()),
            _ => None,
        }
    }

    fn of_linearization<R, L, D, Lin>(&self) -> Result<Places, ExtentsError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        D: Rank,
        Lin: Linearization<D::Array> + Default,
    {
        let mut extents = D::Array::ZERO;
        extents.as_mut().copy_from_slice(&self.extents);
        let extents = ArrayExtents::<usize, D::Dynamic<usize>>::from_array(extents)?;
        Ok(Places::of(&Mapped::<R, _, L, Lin>::new(extents)?))
    }
}

impl Places {
    fn of<M: Mapping>(mapping: &M) -> Self {
        let extents = mapping.extents().array();
        let place = |index, leaf| {
            let Place { blob, offset } = mapping.place_of(index, leaf);
            [blob, offset]
        };
        let leaves = M::Record::TREE.leaves();
        Self {
            blob_sizes: (0..M::Layout::BLOBS).map(|blob| mapping.blob_size(blob)).collect(),
            places: indices(extents)
                .into_iter()
                .map(|index| (0..leaves).map(|leaf| place(index, leaf)).collect())
                .collect(),
        }
    }
}

fn numbers(value: &Value) -> Option<Vec<usize>> {
    value.as_array()?.iter().map(|number| usize::try_from(number.as_u64()?).ok()).collect()
}

/// The results of the cases so far.
#[derive(Default)]
struct Tally {
    agree: usize,
    skipped: Vec<String>,
    differ: Vec<String>,
    larger_blobs: usize,
}

impl Tally {
    /// Adds the records of a file; one that is no list has none.
    fn add(&mut self, file: &Path) {
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let Some(objects) = value.as_array() else { return };
        for (number, object) in objects.iter().enumerate() {
            let Some(case) = Case::of(object) else {
                self.skipped.push(format!("record {number} of {}", file.display()));
                continue;
            };
            match case.ours() {
                None => self.skipped.push(format!("{} ({})", case.id, case.linearization)),
                Some(Ok(ours)) if ours.agrees_with(&case.expected) => {
                    self.agree += 1;
                    self.larger_blobs += usize::from(ours.blob_sizes != case.expected.blob_sizes);
                }
                Some(ours) => self.differ.push(difference(&case, ours)),
            }
        }
    }
}

impl Places {
    /// Returns `true` if all places are the same, and blobs at least as large: a larger one ends in padding.
    fn agrees_with(&self, expected: &Self) -> bool {
        self.places == expected.places
            && self.blob_sizes.len() == expected.blob_sizes.len()
            && self.blob_sizes.iter().zip(&expected.blob_sizes).all(|(ours, theirs)| ours >= theirs)
    }
}

/// The first difference of a case.
fn difference(case: &Case<'_>, ours: Result<Places, ExtentsError>) -> String {
    let ours = match ours {
        Ok(ours) => ours,
        Err(error) => return format!("{}: {error}", case.id),
    };
    let expected = &case.expected;
    let first = ours.places.iter().zip(&expected.places).enumerate().find(|(_, (ours, theirs))| ours != theirs);
    let Some((element, (ours, theirs))) = first else {
        return format!(
            "{}: {} elements in blobs of {:?}, expected {} in {:?}",
            case.id,
            ours.places.len(),
            ours.blob_sizes,
            expected.places.len(),
            expected.blob_sizes
        );
    };
    format!("{}: element {element} lies at {ours:?}, expected {theirs:?}", case.id)
}

/// The JSON files of a folder, in order.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files
}

#[test]
fn places_are_those_of_llama() {
    let mut tally = Tally::default();
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/llama/mapping.json");
    tally.add(&bundled);
    assert_eq!(tally.agree + tally.differ.len(), 317, "records of {}", bundled.display());
    let unknown = &tally.skipped;
    assert!(unknown.is_empty(), "records, mappings or linearizations with no counterpart: {unknown:?}");

    if let Some(folder) = std::env::var_os("LLAMA_ORACLE_DIR") {
        for file in json_files(Path::new(&folder)) {
            tally.add(&file);
        }
    }

    let Tally { agree, skipped, differ, larger_blobs } = tally;
    let records = agree + skipped.len() + differ.len();
    println!("mapping: {records} records, {agree} agree, {} skipped", skipped.len());
    let shown = differ.iter().take(5).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(differ.is_empty(), "{} records differ, the first:\n{shown}", differ.len());
    if larger_blobs > 0 {
        eprintln!("{larger_blobs} of them ask for larger blobs than LLAMA, for the same places");
    }
}
