//! Rows, copied block by block.
//!
//! A block is as many neighbours as fit the first-level cache on both sides. In a block each field (or group of
//! fields) is copied by itself, which costs nothing there: the bytes that lie between are in the cache until their
//! own turn comes. Over a whole array the same order takes six times as long as a loop over records.
//!
//! Of large copies, a block is made in a buffer first, an image of the target's bytes, and then written past the
//! cache, whole lines at a time. The target has seven columns, say, and a processor can combine few streams of such
//! stores; from the buffer there is one at a time.

use core::slice;

use super::advance;
use super::image::{IMAGE, Image};
use super::places::{MAX_SEGMENTS, Segments, Side};
use super::plan::{Field, MAX_FIELDS, Plan, Work};
use super::shuffle::{self, MAX_TOGETHER, Spaced};
use super::stream::{self, LINE};

/// Bytes of a block.
const BLOCK: usize = 12 << 10;
/// Blocks start at multiples of this many positions, so that columns are cut where lines of the cache end.
const ALIGN: usize = 64;
/// How far ahead of a strip its columns are fetched, in bytes.
const AHEAD: usize = 512;

/// Where the segments of a field lie.
pub(super) type Spots = [*mut u8; MAX_SEGMENTS];

/// Memory for what is known of a block.
pub(super) struct Workspace {
    segments: Segments,
    to: [Spots; MAX_TOGETHER],
    from: [Spots; MAX_TOGETHER],
    image: Option<Image>,
    /// The number of elements of a strip, if there are strips.
    strip: Option<usize>,
}

/// A copy along rows.
pub(super) struct Blocks<'p> {
    pub(super) to: &'p dyn Side,
    pub(super) from: &'p dyn Side,
    pub(super) plan: &'p Plan,
    /// Whether to write past the cache.
    pub(super) past_cache: bool,
}

impl Blocks<'_> {
    /// Memory for [`row`](Self::row), which takes longer to set up than a short row takes to copy.
    pub(super) fn workspace(&self) -> Workspace {
        let spots = [[core::ptr::null_mut(); MAX_SEGMENTS]; MAX_TOGETHER];
        let has_image = self.past_cache && self.plan.block_bytes > 0 && self.most() * self.plan.block_bytes <= IMAGE;
        Workspace {
            segments: Segments::NONE,
            to: spots,
            from: spots,
            image: has_image.then(Image::empty),
            strip: self.strip(),
        }
    }

    /// The most elements of a block.
    fn most(&self) -> usize {
        let most = (BLOCK / self.plan.block_bytes).max(ALIGN / 4);
        if most > ALIGN { most / ALIGN * ALIGN } else { most }
    }

    /// Copies the `len` elements of a row from these positions on.
    ///
    /// # Safety
    ///
    /// All elements are of the views, which are borrowed, the target mutably; the plan was made for both sides.
    pub(super) unsafe fn row(&self, workspace: &mut Workspace, to_flat: usize, from_flat: usize, len: usize) {
        let fields = self.plan.fields();
        let mut spots = [core::ptr::null_mut(); 2];
        for field in fields.iter().filter(|field| field.work == Work::Row && len > 0) {
            // SAFETY: the conditions are the caller's.
            unsafe { self.to.spots(&[to_flat], field.to, &mut spots[..1]) };
            // SAFETY: as above.
            unsafe { self.from.spots(&[from_flat], field.from, &mut spots[1..]) };
            let [to, from] = spots;
            // SAFETY: neighbours lie one after another on both sides, as far as the row goes: these are the bytes of
            // their leaves, and the leaves of two views of which one is borrowed mutably do not overlap.
            unsafe { self.bytes(from, to, len * field.size) };
        }
        if self.plan.block_bytes == 0 {
            return;
        }
        let most = self.most();
        let mut done = 0;
        while done < len {
            let to_flat = advance(to_flat, done, self.to.step());
            let from_flat = advance(from_flat, done, self.from.step());
            if let Some(strip) = workspace.strip
                && to_flat.is_multiple_of(ALIGN)
            {
                // SAFETY: the conditions are the caller's.
                let elements = unsafe { self.strips(workspace, to_flat, from_flat, len - done, strip) };
                if elements > 0 {
                    done += elements;
                    continue;
                }
            }
            let most = if most.is_multiple_of(ALIGN) { most - to_flat % ALIGN } else { most };
            self.divide(&mut workspace.segments, to_flat, from_flat, most.min(len - done));
            // SAFETY: the segments are of elements of the row.
            if self.past_cache && unsafe { self.lines(&workspace.segments, len - done) } {
                done += workspace.segments.elements;
                continue;
            }
            // SAFETY: the segments are of elements of the row.
            unsafe { self.block(workspace, len - done) };
            done += workspace.segments.elements;
        }
    }

    /// The number of elements of a strip, if neighbours lie equally far apart on both sides all along, and are records
    /// without gaps in the target.
    ///
    /// As few as fill whole lines.
    fn strip(&self) -> Option<usize> {
        let bytes = self.plan.block_bytes;
        let mut fields = self.plan.fields().iter();
        let records = self.to.is_endless()
            && self.from.is_endless()
            && fields.all(|field| field.to_stride == bytes.cast_signed());
        let strip = if bytes.is_multiple_of(4) { LINE / 4 } else { LINE };
        (self.past_cache && records && strip * bytes <= IMAGE / 2).then_some(strip)
    }

    /// Copies as many of the `len` elements from these positions on as fill strips of `strip` elements, past the cache;
    /// gives their number.
    ///
    /// A strip is a short block. What is found out about a block is found out once, for the first: the others lie the
    /// same number of bytes further each. The processor sees a steady stream from every column, and works on a strip
    /// while the one before is on the way; a block takes a fifth longer, since it reads and writes in turn.
    ///
    /// # Safety
    ///
    /// As [`row`](Self::row).
    unsafe fn strips(
        &self,
        workspace: &mut Workspace,
        to_flat: usize,
        from_flat: usize,
        len: usize,
        strip: usize,
    ) -> usize {
        let Workspace { segments, to, from, image, .. } = workspace;
        let Some(image) = image.as_mut().filter(|_| len >= strip) else { return 0 };
        self.divide(segments, to_flat, from_flat, strip);
        // SAFETY: the conditions are the caller's.
        if !unsafe { self.has_image(segments, &mut to[0], image) } {
            return 0;
        }
        let mut spots = [[core::ptr::null_mut(); 2]; MAX_FIELDS];
        // Fields of which whole rows are copied have no place in the image.
        let fields = self.plan.fields().iter().zip(&mut spots).enumerate();
        for (k, (field, [to, from])) in fields.filter(|(_, (field, _))| field.work != Work::Row) {
            // SAFETY: as above.
            unsafe { self.to.spots(&[to_flat], field.to, slice::from_mut(to)) };
            image.translate(k, slice::from_mut(to));
            // SAFETY: as above.
            unsafe { self.from.spots(&[from_flat], field.from, slice::from_mut(from)) };
        }
        image.ahead.clear();
        let (mut groups, mut count) = ([(0, 0); MAX_FIELDS], 0);
        self.groups(|first, together| {
            groups[count] = (first, together);
            count += 1;
        });
        let strips = len / strip;
        for _ in 0..strips {
            for (first, together) in groups.iter().copied().take(count) {
                for (j, [place, source]) in spots[first..first + together].iter().enumerate() {
                    stream::fetch(source.wrapping_add(AHEAD));
                    (to[j][0], from[j][0]) = (*place, *source);
                }
                // SAFETY: the places are those of the fields in the strip; in the image, those of the bytes that are
                // written to them.
                unsafe { copy_fields(&self.plan.fields()[first], &[strip], from, to) };
            }
            // SAFETY: it has a place for all bytes of the strip, which are filled now.
            unsafe { image.write() };
            image.advance(strip);
            for (field, [_, source]) in self.plan.fields().iter().zip(&mut spots) {
                *source = source.wrapping_offset(field.from_stride.wrapping_mul(strip.cast_signed()));
            }
        }
        strips * strip
    }

    /// Calls `f` with the number of the first of each fields that are copied together, and how many they are.
    fn groups(&self, mut f: impl FnMut(usize, usize)) {
        let fields = self.plan.fields();
        let mut k = 0;
        while k < fields.len() {
            let group = fields[k].group;
            if let Some(together) = fields[k].together() {
                firsts(k, group, together).for_each(|first| f(first, together));
            }
            k += group;
        }
    }

    /// Copies bytes, past the cache if that is wanted.
    ///
    /// # Safety
    ///
    /// As [`stream::copy`].
    unsafe fn bytes(&self, from: *const u8, to: *mut u8, len: usize) {
        if self.past_cache {
            // SAFETY: the conditions are the caller's.
            unsafe { stream::copy(from, to, len, &mut stream::Ahead::none()) };
        } else {
            // SAFETY: as above.
            unsafe { to.copy_from_nonoverlapping(from, len) };
        }
    }

    /// Divides the `most` elements of a row from these positions on, or some of them, into segments.
    fn divide(&self, segments: &mut Segments, mut to_flat: usize, mut from_flat: usize, most: usize) {
        (segments.count, segments.elements) = (0, 0);
        while segments.elements < most && segments.count < MAX_SEGMENTS {
            let len = self.from.reach(from_flat, self.to.reach(to_flat, most - segments.elements));
            segments.to[segments.count] = to_flat;
            segments.from[segments.count] = from_flat;
            segments.lens[segments.count] = len;
            segments.count += 1;
            segments.elements += len;
            to_flat = advance(to_flat, len, self.to.step());
            from_flat = advance(from_flat, len, self.from.step());
        }
    }

    /// Whether the segments fill bytes of the target without gaps; the image then has a place for each.
    ///
    /// # Safety
    ///
    /// The segments are of elements of the views, which are borrowed.
    unsafe fn has_image(&self, segments: &Segments, spots: &mut Spots, image: &mut Image) -> bool {
        image.clear();
        for (k, field) in self.plan.fields().iter().enumerate().filter(|(_, field)| field.work != Work::Row) {
            let flats = &segments.to[..segments.count];
            // SAFETY: the conditions are the caller's.
            unsafe { self.to.spots(flats, field.to, spots) };
            if !self.to.blob(flats, field.to).is_some_and(|blob| image.add(k, field, segments, blob, spots)) {
                return false;
            }
        }
        image.place(segments.elements * self.plan.block_bytes)
    }

    /// Copies the segments line by line, if each field of each fills whole lines of the target.
    ///
    /// # Safety
    ///
    /// As [`row`](Self::row), for the elements of the segments.
    unsafe fn lines(&self, segments: &Segments, left: usize) -> bool {
        let fields = self.plan.fields();
        let lens = &segments.lens[..segments.count];
        let fills =
            |field: &Field| field.work == Work::Run && lens.iter().all(|len| (len * field.size).is_multiple_of(LINE));
        if !fields.iter().filter(|field| field.work != Work::Row).all(fills) {
            return false;
        }
        let mut ahead = stream::Ahead::none();
        // SAFETY: the conditions are the caller's.
        unsafe { self.look_ahead(segments, left - segments.elements, &mut ahead) };
        let (mut to, mut from) = ([core::ptr::null_mut(); MAX_SEGMENTS], [core::ptr::null_mut(); MAX_SEGMENTS]);
        for field in fields.iter().filter(|field| field.work != Work::Row) {
            // SAFETY: the conditions are the caller's.
            unsafe { self.to.spots(&segments.to[..segments.count], field.to, &mut to) };
            // Of a part of the leaves, the runs may fill lines though blocks of the target do not.
            if !to[..segments.count].iter().all(|to| to.addr().is_multiple_of(LINE)) {
                // Fields before this one are copied again.
                return false;
            }
            // SAFETY: as above.
            unsafe { self.from.spots(&segments.from[..segments.count], field.from, &mut from) };
            for ((len, from), to) in lens.iter().zip(&from).zip(&to) {
                // SAFETY: neighbours of a segment lie one after another on both sides.
                unsafe { stream::lines(*from, *to, len * field.size / LINE, &mut ahead) };
            }
        }
        true
    }

    /// Adds what of the source is read for the block after the segments, of at most `left` elements.
    ///
    /// # Safety
    ///
    /// As [`row`](Self::row).
    unsafe fn look_ahead(&self, segments: &Segments, left: usize, ahead: &mut stream::Ahead) {
        let elements = segments.elements.min(left);
        if elements == 0 {
            return;
        }
        let first = advance(segments.from[0], segments.elements, self.from.step());
        let flats = [first, advance(first, elements - 1, self.from.step())];
        let mut spots = [core::ptr::null_mut(); 2];
        for field in self.plan.fields().iter().filter(|field| field.work != Work::Row) {
            // SAFETY: the conditions are the caller's.
            unsafe { self.from.spots(&flats, field.from, &mut spots) };
            let [first, last] = spots.map(|spot| spot.addr());
            let (first, last) = (first.min(last), first.max(last));
            if last - first <= 4 * BLOCK {
                ahead.add(first, last + field.size);
            }
        }
    }

    /// Copies all fields of the workspace's segments.
    ///
    /// # Safety
    ///
    /// As [`row`](Self::row), for the elements of the segments.
    unsafe fn block(&self, workspace: &mut Workspace, left: usize) {
        let Workspace { segments, to, from, image, .. } = workspace;
        // SAFETY: the conditions are the caller's.
        let mut image =
            image.as_mut().and_then(|image| unsafe { self.has_image(segments, &mut to[0], image) }.then_some(image));
        self.groups(|first, together| {
            let fields = &self.plan.fields()[first..];
            // Records are found by their first field.
            let (records_to, records_from) = (fields[0].work == Work::Scatter, fields[0].work == Work::Gather);
            for j in 0..if records_to { 1 } else { together } {
                let to = &mut to[j][..segments.count];
                // SAFETY: the conditions are the caller's.
                unsafe { self.to.spots(&segments.to[..segments.count], fields[j].to, to) };
                if let Some(image) = &mut image {
                    image.translate(first + j, to);
                }
            }
            for j in 0..if records_from { 1 } else { together } {
                let from = &mut from[j][..segments.count];
                // SAFETY: as above.
                unsafe { self.from.spots(&segments.from[..segments.count], fields[j].from, from) };
            }
            // SAFETY: the places are those of the fields in the segments; in the image, those of the bytes that are
            // written to them.
            unsafe { copy_fields(&fields[0], &segments.lens[..segments.count], from, to) };
        });
        if let Some(image) = image {
            image.ahead.clear();
            // SAFETY: as above.
            unsafe { self.look_ahead(segments, left - segments.elements, &mut image.ahead) };
            // SAFETY: it has a place for all bytes of the segments, which are filled now.
            unsafe { image.write() };
        }
    }
}

/// Copies a field, or some that go together, from and to these places, in segments of these lengths.
///
/// # Safety
///
/// The places are those of values as the field says: readable and initialized, or writable.
unsafe fn copy_fields(field: &Field, lens: &[usize], from: &[Spots; MAX_TOGETHER], to: &[Spots; MAX_TOGETHER]) {
    let Field { work, size, to_stride, from_stride, .. } = *field;
    match work {
        Work::Row => {}
        // SAFETY: neighbours of a segment lie one after another on both sides.
        Work::Run => unsafe { shuffle::runs(size, &from[0], &to[0], lens) },
        Work::Each => {
            for ((len, from), to) in lens.iter().zip(&from[0]).zip(&to[0]) {
                let from = Spaced { first: from.cast_const(), stride: from_stride };
                // SAFETY: the values are those of the field in the elements of the segment.
                unsafe { shuffle::each(size, from, Spaced { first: *to, stride: to_stride }, *len) };
            }
        }
        // SAFETY: as above, and the fields lie side by side in the source.
        Work::Gather => unsafe { shuffle::gather(size, from_stride, from, to, lens) },
        // SAFETY: as above, and the fields lie side by side in the target.
        Work::Scatter => unsafe { shuffle::scatter(size, to_stride, from, to, lens) },
    }
}

/// The first of each `together` of the `count` fields from `first` on; the last of them may overlap others.
fn firsts(first: usize, count: usize, together: usize) -> impl Iterator<Item = usize> {
    (0..count.div_ceil(together)).map(move |k| first + (k * together).min(count - together))
}
