//! The guide: one chapter in each module. The sidebar sorts the chapters by name; read them in this order:
//!
//! 1. [Getting started](getting_started): a record, a view, a kernel.
//! 1. [Records and leaves](records_and_leaves): fields, branches, leaves, and paths to them.
//! 1. [Layouts](layouts): every record layout, with its offsets in bytes.
//! 1. [Composed layouts](composed_layouts): layouts around other layouts.
//! 1. [Bit packing](bit_packing): integers and floats of any number of bits.
//! 1. [Linearizations and extents](linearizations_and_extents): extents, and the order of elements.
//! 1. [Views and slices](views_and_slices): slices, columns, whole records, copies.
//! 1. [Traversal and lanes](traversal_and_lanes): loops, zipped views, vectors of lanes.
//! 1. [Splitting, and several threads](splitting_and_parallel): disjoint parts, and several threads.
//! 1. [Containers](containers): vectors of records that grow.
//! 1. [Types in structs](types_in_structs): the names of types for fields of structs.
#![cfg_attr(feature = "inspect", doc = "1. [Seeing layouts](seeing_layouts): pictures, heat maps, the advisor.")]
#![cfg_attr(feature = "inspect", doc = "1. [Which layout?](which_layout): from measurements to a layout.")]
#![cfg_attr(
    feature = "domain",
    doc = "1. [Domains and distributions](domains): sets of indices, and which locale owns which."
)]
#![cfg_attr(
    feature = "store",
    doc = "1. [Stores and views of them](stores): arrays of records that are cut into tiles."
)]
#![cfg_attr(feature = "store", doc = "1. [Tasks, partitions and constraints](tasks): computations on tiles of stores.")]
#![cfg_attr(feature = "store", doc = "1. [Many locales](locales): one program on several processes.")]
#![cfg_attr(feature = "array", doc = "1. [Global arrays](arrays): stores over domains, whole-array expressions.")]
//! 1. [Bytes from outside](bytes_from_outside): files, devices and other languages, checked.
#![cfg_attr(
    all(feature = "arrow", feature = "dlpack", feature = "ndarray", feature = "npy"),
    doc = "1. [In and out](in_and_out): what you have, and how it becomes a view; conversions to other libraries."
)]
//! 1. [Shipping binaries](shipping_binaries): one binary for many machines.
//! 1. [Writing a layout](writing_a_layout): a record layout of your own.
#![cfg_attr(feature = "check", doc = "1. [Checking a layout](checking_a_layout): tests of its promises.")]
//! 1. [Writing a linearization](writing_a_linearization): an order of elements of your own.
//! 1. [Features](features): what each feature of the package adds.
//! 1. [Examples](examples): one line for each example.
//! 1. [Figures](figures): measurements, with their commands.
//! 1. [Other libraries](other_libraries): a comparison, feature by feature.
//! 1. [Coming from LLAMA](llama): each concept of LLAMA, and its name here.
//! 1. [Coming from mdspan](mdspan): names, and each of its tests.
//! 1. [Coming from soa_derive](soa_derive): each of its tests, and the same here.
//! 1. [Glossary](glossary): each term in a line.
//!
//! Every example is compiled and run by `cargo test --doc`.

#[doc = include_str!("guide/getting_started.md")]
#[doc = "\nNext: [Records and leaves](records_and_leaves)."]
pub mod getting_started {}

#[doc = include_str!("guide/records_and_leaves.md")]
#[doc = "\nNext: [Layouts](layouts)."]
pub mod records_and_leaves {}

#[doc = include_str!("guide/layouts.md")]
#[doc = "\nNext: [Composed layouts](composed_layouts)."]
pub mod layouts {}

#[doc = include_str!("guide/composed_layouts.md")]
#[doc = "\nNext: [Bit packing](bit_packing)."]
pub mod composed_layouts {}

#[doc = include_str!("guide/bit_packing.md")]
#[doc = "\nNext: [Linearizations and extents](linearizations_and_extents)."]
pub mod bit_packing {}

#[doc = include_str!("guide/linearizations_and_extents.md")]
#[doc = "\nNext: [Views and slices](views_and_slices)."]
pub mod linearizations_and_extents {}

#[doc = include_str!("guide/views_and_slices.md")]
#[doc = "\nNext: [Traversal and lanes](traversal_and_lanes)."]
pub mod views_and_slices {}

#[doc = include_str!("guide/traversal_and_lanes.md")]
#[doc = "\nNext: [Splitting, and several threads](splitting_and_parallel)."]
pub mod traversal_and_lanes {}

#[doc = include_str!("guide/splitting_and_parallel.md")]
#[doc = "\nNext: [Containers](containers)."]
pub mod splitting_and_parallel {}

#[doc = include_str!("guide/containers.md")]
#[doc = "\nNext: [Types in structs](types_in_structs)."]
pub mod containers {}

#[doc = include_str!("guide/types_in_structs.md")]
#[cfg_attr(feature = "inspect", doc = "\nNext: [Seeing layouts](seeing_layouts).")]
#[cfg_attr(all(not(feature = "inspect"), feature = "domain"), doc = "\nNext: [Domains and distributions](domains).")]
#[cfg_attr(
    not(any(feature = "inspect", feature = "domain")),
    doc = "\nNext: [Bytes from outside](bytes_from_outside)."
)]
pub mod types_in_structs {}

#[cfg(feature = "inspect")]
#[doc = include_str!("guide/seeing_layouts.md")]
#[doc = "\nNext: [Which layout?](which_layout)."]
pub mod seeing_layouts {}

#[cfg(feature = "inspect")]
#[doc = include_str!("guide/which_layout.md")]
#[cfg_attr(feature = "domain", doc = "\nNext: [Domains and distributions](domains).")]
#[cfg_attr(not(feature = "domain"), doc = "\nNext: [Bytes from outside](bytes_from_outside).")]
pub mod which_layout {}

#[cfg(feature = "domain")]
#[doc = include_str!("guide/domains.md")]
#[doc = include_str!("guide/domain_maps.svg")]
#[cfg_attr(feature = "store", doc = "\nNext: [Stores and views of them](stores).")]
#[cfg_attr(not(feature = "store"), doc = "\nNext: [Bytes from outside](bytes_from_outside).")]
pub mod domains {}

#[cfg(feature = "store")]
#[doc = include_str!("guide/stores.md")]
#[doc = "\nNext: [Tasks, partitions and constraints](tasks)."]
pub mod stores {}

#[cfg(feature = "store")]
#[doc = include_str!("guide/tasks.md")]
#[doc = "\nNext: [Many locales](locales)."]
pub mod tasks {}

#[cfg(feature = "store")]
#[doc = include_str!("guide/locales.md")]
#[cfg_attr(feature = "array", doc = "\nNext: [Global arrays](arrays).")]
#[cfg_attr(not(feature = "array"), doc = "\nNext: [Bytes from outside](bytes_from_outside).")]
pub mod locales {}

#[cfg(feature = "array")]
#[doc = include_str!("guide/arrays.md")]
#[doc = "\nNext: [Bytes from outside](bytes_from_outside)."]
pub mod arrays {}

#[doc = include_str!("guide/bytes_from_outside.md")]
#[cfg_attr(
    all(feature = "arrow", feature = "dlpack", feature = "ndarray", feature = "npy"),
    doc = "\nNext: [In and out](in_and_out)."
)]
#[cfg_attr(
    not(all(feature = "arrow", feature = "dlpack", feature = "ndarray", feature = "npy")),
    doc = "\nNext: [Shipping binaries](shipping_binaries)."
)]
pub mod bytes_from_outside {}

#[cfg(all(feature = "arrow", feature = "dlpack", feature = "ndarray", feature = "npy"))]
#[doc = include_str!("guide/in_and_out.md")]
#[doc = ""]
#[doc = include_str!("guide/events.svg")]
#[doc = ""]
#[doc = include_str!("guide/flow.svg")]
#[doc = "\nNext: [Shipping binaries](shipping_binaries)."]
pub mod in_and_out {}

#[doc = include_str!("guide/shipping_binaries.md")]
#[doc = "\nNext: [Writing a layout](writing_a_layout)."]
pub mod shipping_binaries {}

#[doc = include_str!("guide/writing_a_layout.md")]
#[cfg_attr(feature = "check", doc = "\nNext: [Checking a layout](checking_a_layout).")]
#[cfg_attr(not(feature = "check"), doc = "\nNext: [Writing a linearization](writing_a_linearization).")]
pub mod writing_a_layout {}

#[cfg(feature = "check")]
#[doc = include_str!("guide/checking_a_layout.md")]
#[doc = "\nNext: [Writing a linearization](writing_a_linearization)."]
pub mod checking_a_layout {}

#[doc = include_str!("guide/writing_a_linearization.md")]
#[doc = "\nNext: [Features](features)."]
pub mod writing_a_linearization {}

#[doc = include_str!("guide/features.md")]
#[doc = "\nNext: [Examples](examples)."]
pub mod features {}

#[doc = include_str!("guide/examples.md")]
#[doc = "\nNext: [Figures](figures)."]
pub mod examples {}

#[doc = include_str!("guide/figures.md")]
#[doc = "\nNext: [Other libraries](other_libraries)."]
pub mod figures {}

#[doc = include_str!("guide/other_libraries.md")]
#[doc = "\nNext: [Coming from LLAMA](llama)."]
pub mod other_libraries {}

#[doc = include_str!("guide/llama.md")]
#[doc = "\nNext: [Coming from mdspan](mdspan)."]
pub mod llama {}

#[doc = include_str!("guide/mdspan.md")]
#[doc = "\nNext: [Coming from soa_derive](soa_derive)."]
pub mod mdspan {}

#[doc = include_str!("guide/soa_derive.md")]
#[doc = "\nNext: [Glossary](glossary)."]
pub mod soa_derive {}

#[doc = include_str!("guide/glossary.md")]
#[cfg_attr(feature = "store", doc = include_str!("guide/glossary_of_stores.md"))]
pub mod glossary {}
