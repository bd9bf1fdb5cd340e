//! The calls of the MPI library: all unsafe code of the crate.
//!
//! Every call needs the one [`Library`] of this process, a lock, so threads make calls one at a time, as `MPI_THREAD_SERIALIZED` asks.
//! Every error code is checked: the communicators of this file return errors and do not end the job.

use core::ffi::{CStr, c_int};
use core::mem::{MaybeUninit, forget, take};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use layout_store::Buffer;
use mpi::ffi;

/// The one tag of all messages: what they are is in their headers.
const TAG: c_int = 0;

/// An error that a call of the library returned, in its words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{call}: {why}")]
pub struct CallError {
    call: &'static str,
    why: String,
}

/// Says what a call returned.
fn check(call: &'static str, returned: c_int) -> Result<(), CallError> {
    if i64::from(returned) == i64::from(ffi::MPI_SUCCESS) {
        return Ok(());
    }
    let mut text = [0; 4096];
    let mut length = 0;
    // SAFETY: the text has more than MPI_MAX_ERROR_STRING bytes, and both pointers are those of variables.
    let told = unsafe { ffi::MPI_Error_string(returned, text.as_mut_ptr(), &raw mut length) };
    let why = if told == returned || length == 0 { format!("error {returned}") } else { words(&text) };
    Err(CallError { call, why })
}

/// The text before the first zero.
fn words(text: &[core::ffi::c_char]) -> String {
    let bytes: Vec<u8> = text.iter().map(|byte| byte.to_ne_bytes()[0]).collect();
    CStr::from_bytes_until_nul(&bytes).map(|text| text.to_string_lossy().trim_end().to_owned()).unwrap_or_default()
}

/// A value that the library fills in.
fn filled<T>(call: &'static str, zero: T, fill: impl FnOnce(*mut T) -> c_int) -> Result<T, CallError> {
    let mut value = zero;
    check(call, fill(&raw mut value))?;
    Ok(value)
}

/// The library, which no other thread of this process calls meanwhile.
pub(crate) struct Library {
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());
/// The number of open communicators: while one is open, this process must not exit with success.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// All processes of the job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) rank: usize,
    pub(crate) size: usize,
    /// `true` if several threads may call the library, one at a time.
    pub(crate) threads: bool,
}

impl Library {
    pub(crate) fn lock() -> Self {
        Self { _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Starts the library, if nobody has; it ends with this process.
    pub(crate) fn start(&self) -> Result<World, CallError> {
        static STARTED: OnceLock<Result<World, CallError>> = OnceLock::new();
        STARTED.get_or_init(|| self.start_once()).clone()
    }

    fn start_once(&self) -> Result<World, CallError> {
        // SAFETY: it may be called at any time, and fills in a variable.
        let started = filled("MPI_Initialized", 0, |flag| unsafe { ffi::MPI_Initialized(flag) })?;
        // SAFETY: a constant of the library.
        let serialized = unsafe { ffi::RSMPI_THREAD_SERIALIZED };
        let level = if started == 0 {
            let level = filled("MPI_Init_thread", 0, |level| {
                // SAFETY: nobody has called it; it takes no arguments of the program, and fills in a variable.
                unsafe { ffi::MPI_Init_thread(null_mut(), null_mut(), serialized, level) }
            })?;
            // SAFETY: `end` may be called when the process exits. Where it cannot be, the launcher tells that the job was not ended.
            let _ = unsafe { libc::atexit(end) };
            level
        } else {
            // SAFETY: the library is started, and fills in a variable.
            filled("MPI_Query_thread", 0, |level| unsafe { ffi::MPI_Query_thread(level) })?
        };
        let world = world();
        // SAFETY: the library is started, and fills in a variable.
        let rank = filled("MPI_Comm_rank", 0, |rank| unsafe { ffi::MPI_Comm_rank(world, rank) })?;
        // SAFETY: as above.
        let size = filled("MPI_Comm_size", 0, |size| unsafe { ffi::MPI_Comm_size(world, size) })?;
        let [rank, size] = [rank, size].map(|number| usize::try_from(number).unwrap_or(0));
        Ok(World { rank, size, threads: level >= serialized })
    }

    /// The name and the version of the library.
    pub(crate) fn version(&self) -> String {
        let (mut text, mut length) = ([0; 16384], 0);
        // SAFETY: the text has more than MPI_MAX_LIBRARY_VERSION_STRING bytes, and the call may be made at any time.
        let told = unsafe { ffi::MPI_Get_library_version(text.as_mut_ptr(), &raw mut length) };
        let text = if told == 0 { words(&text) } else { String::new() };
        text.split([',', '\n']).next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// A communicator of the first ranks, each of which calls this.
    pub(crate) fn join(&self, ranks: usize) -> Result<Communicator, CallError> {
        let ranks: Vec<c_int> = (0..c_int::try_from(ranks).unwrap_or(c_int::MAX)).collect();
        // SAFETY: the library is started, and fills in a variable.
        let all = filled("MPI_Comm_group", null_group(), |group| unsafe { ffi::MPI_Comm_group(world(), group) })?;
        let count = c_int::try_from(ranks.len()).unwrap_or(c_int::MAX);
        let mut group = filled("MPI_Group_incl", all, |group| {
            // SAFETY: so many ranks are at that address, and the group is that of all ranks.
            unsafe { ffi::MPI_Group_incl(all, count, ranks.as_ptr(), group) }
        })?;
        let joined = filled("MPI_Comm_create_group", world(), |joined| {
            // SAFETY: the group is one of ranks of the communicator, and fills in a variable.
            unsafe { ffi::MPI_Comm_create_group(world(), group, TAG, joined) }
        })?;
        // SAFETY: nobody uses the group any more.
        check("MPI_Group_free", unsafe { ffi::MPI_Group_free(&raw mut group) })?;
        // SAFETY: a constant of the library.
        let returned = unsafe { ffi::RSMPI_ERRORS_RETURN };
        // SAFETY: the communicator is new.
        check("MPI_Comm_set_errhandler", unsafe { ffi::MPI_Comm_set_errhandler(joined, returned) })?;
        OPEN.fetch_add(1, Ordering::SeqCst);
        Ok(Communicator(joined))
    }

    /// Sends a message in pieces of at most so many bytes; a last piece that is shorter ends it.
    pub(crate) fn send(
        &self,
        Communicator(by): &Communicator,
        to: usize,
        message: Buffer,
        piece: usize,
    ) -> Result<Sending, CallError> {
        let to = c_int::try_from(to).unwrap_or(c_int::MAX);
        let mut sending = Sending { requests: Requests::default(), message };
        for at in (0..=sending.message.len()).step_by(piece) {
            let bytes = &sending.message[at..sending.message.len().min(at.saturating_add(piece))];
            let count = c_int::try_from(bytes.len()).unwrap_or(c_int::MAX);
            let request = filled("MPI_Isend", no_request(), |request| {
                // SAFETY: so many bytes are at that address, and stay there: `Sending` has the message, which nobody changes, until the
                // library is done with it.
                unsafe { ffi::MPI_Isend(bytes.as_ptr().cast(), count, byte(), to, TAG, *by, request) }
            })?;
            sending.requests.push(request);
        }
        Ok(sending)
    }

    /// The next message that comes, or a piece of one, if there is one, and its sender: nobody else gets it.
    pub(crate) fn receive(&self, Communicator(by): &Communicator) -> Result<Option<(usize, Receiving)>, CallError> {
        let (mut came, mut message) = (0, MaybeUninit::uninit());
        // The library does not set all fields.
        let mut status = MaybeUninit::<ffi::MPI_Status>::zeroed();
        // SAFETY: the communicator is open, and variables are filled in.
        let returned =
            unsafe { ffi::MPI_Improbe(any(), TAG, *by, &raw mut came, message.as_mut_ptr(), status.as_mut_ptr()) };
        check("MPI_Improbe", returned)?;
        if came == 0 {
            return Ok(None);
        }
        // SAFETY: it is a struct of integers, of which all bytes are initialized.
        let from = unsafe { status.assume_init_ref() }.MPI_SOURCE;
        let count = filled("MPI_Get_count", 0, |count| {
            // SAFETY: as above.
            unsafe { ffi::MPI_Get_count(status.as_ptr(), byte(), count) }
        })?;
        let mut bytes = Vec::<u8>::with_capacity(usize::try_from(count).unwrap_or(0));
        let request = filled("MPI_Imrecv", no_request(), |request| {
            // SAFETY: so many bytes have room at that address, and stay there: `Receiving` has them until the library is done with
            // them. The message came, and is received here alone.
            unsafe { ffi::MPI_Imrecv(bytes.as_mut_ptr().cast(), count, byte(), message.as_mut_ptr(), request) }
        })?;
        Ok(Some((usize::try_from(from).unwrap_or(0), Receiving { request: Some(request), bytes })))
    }

    /// Moves a request on, and gives its status if it is done.
    fn test(&self, request: &mut ffi::MPI_Request) -> Result<Option<MaybeUninit<ffi::MPI_Status>>, CallError> {
        let (mut done, mut status) = (0, MaybeUninit::uninit());
        // SAFETY: the request is under way or done, and variables are filled in.
        check("MPI_Test", unsafe { ffi::MPI_Test(request, &raw mut done, status.as_mut_ptr()) })?;
        Ok((done != 0).then_some(status))
    }

    /// Tells the others how many messages this rank has sent to each rank, when it sends no more.
    pub(crate) fn meet(&self, Communicator(by): &Communicator, sent: &[u64]) -> Result<Meeting, CallError> {
        let mut meeting = Meeting { requests: Requests::default(), sent: sent.into(), to_us: vec![0] };
        let (from, to) = (meeting.sent.as_ptr().cast(), meeting.to_us.as_mut_ptr().cast());
        let request = filled("MPI_Ireduce_scatter_block", no_request(), |request| {
            // SAFETY: there is a number for each rank at one address, and room for one at the other. Both stay there: `Meeting` has them until
            // the library is done with them.
            unsafe { ffi::MPI_Ireduce_scatter_block(from, to, 1, number(), sum(), *by, request) }
        })?;
        meeting.requests.push(request);
        Ok(meeting)
    }

    /// Ends a communicator, which each of its ranks calls.
    pub(crate) fn leave(&self, Communicator(mut by): Communicator) -> Result<(), CallError> {
        OPEN.fetch_sub(1, Ordering::SeqCst);
        // SAFETY: nobody uses it any more, since it was given away.
        check("MPI_Comm_free", unsafe { ffi::MPI_Comm_free(&raw mut by) })
    }
}

/// Ends the job: all its processes. It does not wait for long for a thread that calls the library.
pub(crate) fn abort(code: u8) -> ! {
    for _ in 0..100 {
        match ALONE.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(core::time::Duration::from_millis(1)),
            _held => {
                // SAFETY: the library is started.
                unsafe { ffi::MPI_Abort(world(), c_int::from(code)) };
                break;
            }
        }
    }
    // The launcher ends the others where a process ends without ending the library.
    // SAFETY: it may be called at any time.
    unsafe { libc::_exit(c_int::from(code)) }
}

/// Ends the library when the process ends, unless it ends in the middle of something: then the launcher ends the job.
extern "C" fn end() {
    if OPEN.load(Ordering::SeqCst) > 0 {
        return;
    }
    let _library = Library::lock();
    let mut ended = 0;
    // SAFETY: it may be called at any time, and fills in a variable.
    let told = unsafe { ffi::MPI_Finalized(&raw mut ended) };
    if told == 0 && ended == 0 {
        // SAFETY: the library was started by this process, is not ended, and nobody calls it any more.
        let _ = unsafe { ffi::MPI_Finalize() };
    }
}

/// Some ranks that send each other messages.
pub(crate) struct Communicator(ffi::MPI_Comm);

// SAFETY: what it names is not of a thread; the library is called by one thread at a time, whichever.
unsafe impl Send for Communicator {}
// SAFETY: as above.
unsafe impl Sync for Communicator {}

/// The requests that the library works on.
#[derive(Default)]
pub(crate) struct Requests {
    first: Option<ffi::MPI_Request>,
    others: Vec<ffi::MPI_Request>,
}

// SAFETY: as for `Communicator`.
unsafe impl Send for Requests {}

impl Requests {
    fn push(&mut self, request: ffi::MPI_Request) {
        if self.first.is_none() {
            self.first = Some(request);
        } else {
            self.others.push(request);
        }
    }

    fn is_empty(&self) -> bool {
        self.first.is_none() && self.others.is_empty()
    }

    /// Moves on what the library does, and says whether all of it is done.
    pub(crate) fn are_done(&mut self, library: &Library) -> Result<bool, CallError> {
        while let Some(request) = self.first.as_mut().or(self.others.last_mut()) {
            if library.test(request)?.is_none() {
                return Ok(false);
            }
            if self.first.take().is_none() {
                self.others.pop();
            }
        }
        Ok(true)
    }
}

/// A meeting of all ranks after they have sent all their messages.
pub(crate) struct Meeting {
    requests: Requests,
    /// The number of messages from this rank to each rank.
    sent: Vec<u64>,
    /// The number of messages from all ranks to this one.
    to_us: Vec<u64>,
}

impl Meeting {
    /// Moves it on; if all ranks have come, gives the number of messages, or pieces of messages, that they have sent to this rank.
    pub(crate) fn came(&mut self, library: &Library) -> Result<Option<u64>, CallError> {
        Ok(if self.requests.are_done(library)? { self.to_us.first().copied() } else { None })
    }
}

impl Drop for Meeting {
    fn drop(&mut self) {
        if !self.requests.is_empty() {
            // The library reads one and writes the other.
            forget((take(&mut self.sent), take(&mut self.to_us)));
        }
    }
}

/// A message that the library sends, with its bytes.
pub(crate) struct Sending {
    requests: Requests,
    message: Buffer,
}

impl Sending {
    /// The number of its pieces that are not known to be sent: all of them at first.
    pub(crate) fn pieces(&self) -> usize {
        usize::from(self.requests.first.is_some()) + self.requests.others.len()
    }

    /// Moves it on, and says whether it is sent.
    pub(crate) fn is_done(&mut self, library: &Library) -> Result<bool, CallError> {
        self.requests.are_done(library)
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        if !self.requests.is_empty() {
            // The library reads it.
            forget(take(&mut self.message));
        }
    }
}

/// A message, or a piece of one, that the library receives, and room for its bytes.
pub(crate) struct Receiving {
    request: Option<ffi::MPI_Request>,
    bytes: Vec<u8>,
}

// SAFETY: as for `Communicator`.
unsafe impl Send for Receiving {}

impl Receiving {
    /// Moves it on, and says whether it has come.
    pub(crate) fn is_done(&mut self, library: &Library) -> Result<bool, CallError> {
        let Some(request) = &mut self.request else { return Ok(true) };
        let Some(status) = library.test(request)? else { return Ok(false) };
        let count = filled("MPI_Get_count", 0, |count| {
            // SAFETY: the library filled the status in.
            unsafe { ffi::MPI_Get_count(status.as_ptr(), byte(), count) }
        })?;
        self.request = None;
        let count = usize::try_from(count).unwrap_or(0).min(self.bytes.capacity());
        // SAFETY: the library has written so many bytes, for which there is room, and is done with them.
        unsafe { self.bytes.set_len(count) };
        Ok(true)
    }

    /// The bytes, if they have come.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        if self.request.is_none() { take(&mut self.bytes) } else { Vec::new() }
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        if self.request.is_some() {
            // The library writes there.
            forget(take(&mut self.bytes));
        }
    }
}

fn world() -> ffi::MPI_Comm {
    // SAFETY: a constant of the library.
    unsafe { ffi::RSMPI_COMM_WORLD }
}

fn byte() -> ffi::MPI_Datatype {
    // SAFETY: a constant of the library.
    unsafe { ffi::RSMPI_UINT8_T }
}

fn number() -> ffi::MPI_Datatype {
    // SAFETY: a constant of the library.
    unsafe { ffi::RSMPI_UINT64_T }
}

fn sum() -> ffi::MPI_Op {
    // SAFETY: a constant of the library.
    unsafe { ffi::RSMPI_SUM }
}

fn any() -> c_int {
    // SAFETY: a constant of the library.
    unsafe { ffi::RSMPI_ANY_SOURCE }
}

fn no_request() -> ffi::MPI_Request {
    // SAFETY: a constant of the library.
    unsafe { ffi::RSMPI_REQUEST_NULL }
}

fn null_group() -> ffi::MPI_Group {
    // SAFETY: a constant of the library.
    unsafe { ffi::RSMPI_GROUP_NULL }
}
