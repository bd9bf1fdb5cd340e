//! A transport for tests, between processes of one machine: Unix sockets in a folder.
//!
//! ```text
//! LOCALE     the socket on which a locale listens; those of higher numbers connect, and say theirs
//! frame      the length of a message, 8 bytes, and the message; all bits set: the locale leaves
//! ```
//!
//! Of each other locale there is a thread that reads what it sends, and one that writes what goes there, so that neither waits for the other.

use core::time::Duration;
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use layout_store::{Buffer, Inbox, Transport};

/// A locale that is this process.
pub struct Sockets {
    locale: usize,
    /// Of each other locale.
    peers: Vec<Option<Peer>>,
}

struct Peer {
    /// The sockets for messages to other locales, as long as this locale has not left.
    queue: Mutex<Option<Sender<Buffer>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    /// The sockets for messages from other locales, until a thread reads them.
    stream: Mutex<Option<UnixStream>>,
}

/// The message of a locale that leaves.
const LEAVES: [u8; 8] = [0xff; 8];
/// Others begin to listen within this time.
const PATIENCE: Duration = Duration::from_secs(20);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics in between")
}

impl Sockets {
    /// Joins so many locales, whose sockets are in a folder, once all are there.
    ///
    /// # Errors
    ///
    /// An error if a socket cannot be made, or another locale does not listen.
    pub fn join(folder: &Path, locale: usize, locales: usize) -> io::Result<Self> {
        let listener = UnixListener::bind(folder.join(locale.to_string()))?;
        let mut peers: Vec<Option<Peer>> = (0..locales).map(|_| None).collect();
        for (peer, place) in peers.iter_mut().enumerate().take(locale) {
            let mut stream = connect(&folder.join(peer.to_string()))?;
            stream.write_all(&(locale as u64).to_le_bytes())?;
            *place = Some(Peer::new(stream)?);
        }
        for _ in locale + 1..locales {
            let (mut stream, _) = listener.accept()?;
            let peer = usize::try_from(length(&mut stream)?).map_err(io::Error::other)?;
            peers[peer] = Some(Peer::new(stream)?);
        }
        Ok(Self { locale, peers })
    }
}

fn connect(path: &Path) -> io::Result<UnixStream> {
    let start = Instant::now();
    loop {
        match UnixStream::connect(path) {
            Err(_) if start.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(1)),
            result => return result,
        }
    }
}

/// The length of the next message.
fn length(stream: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    stream.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

impl Peer {
    fn new(stream: UnixStream) -> io::Result<Self> {
        let (sender, receiver) = channel();
        let mut to = stream.try_clone()?;
        // A peer that was lost is noticed by who reads.
        let writer = thread::spawn(move || drop(write(&mut to, &receiver)));
        let (queue, writer) = (Mutex::new(Some(sender)), Mutex::new(Some(writer)));
        Ok(Self { queue, writer, stream: Mutex::new(Some(stream)) })
    }
}

/// Writes all messages, and that there will be no more.
fn write(to: &mut UnixStream, messages: &Receiver<Buffer>) -> io::Result<()> {
    for message in messages {
        to.write_all(&(message.len() as u64).to_le_bytes())?;
        to.write_all(&message)?;
    }
    to.write_all(&LEAVES)
}

/// Delivers all that comes from a locale, until it leaves or is lost.
fn read(from: UnixStream, peer: usize, inbox: &Inbox) {
    let mut from = io::BufReader::new(from);
    loop {
        let message = length(&mut from).and_then(|length| {
            if length.to_le_bytes() == LEAVES {
                return Ok(None);
            }
            let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
            from.read_exact(&mut bytes).map(|()| Some(bytes))
        });
        match message {
            Ok(Some(bytes)) => inbox.deliver(bytes.into()),
            Ok(None) => return,
            Err(_) => return inbox.lost(peer),
        }
    }
}

impl Transport for Sockets {
    fn locale(&self) -> usize {
        self.locale
    }

    fn locales(&self) -> usize {
        self.peers.len()
    }

    fn open(&self, inbox: Inbox) {
        for (number, peer) in self.peers.iter().enumerate() {
            if let Some(stream) = peer.as_ref().and_then(|peer| lock(&peer.stream).take()) {
                let inbox = inbox.clone();
                thread::spawn(move || read(stream, number, &inbox));
            }
        }
    }

    fn send(&self, to: usize, message: Buffer) {
        if let Some(queue) = self.peers[to].as_ref().and_then(|peer| lock(&peer.queue).clone()) {
            // Nobody takes it from the queue of a locale that was lost.
            let _ = queue.send(message);
        }
    }

    fn close(&self) {
        self.peers.iter().flatten().for_each(|peer| drop(lock(&peer.queue).take()));
        for peer in self.peers.iter().flatten() {
            if let Some(writer) = lock(&peer.writer).take() {
                writer.join().expect("nobody panics there");
            }
        }
    }
}
