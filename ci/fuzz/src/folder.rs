//! A folder of files, one of which an input replaces.
//!
//! ```text
//! input: the number of the file, with the high bit set if the checksum is to be the right one; the bytes of the file
//! ```

use std::fs;
use std::path::{Path, PathBuf};

const SIGNED: u8 = 0x80;

/// A folder, and the bytes of all files in it.
pub struct Files {
    root: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
}

/// A folder in memory, if the system has one.
#[must_use]
pub fn new_folder(name: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = parent.join(format!("layout-fuzz-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

impl Files {
    /// All files in a folder.
    #[must_use]
    pub fn of(root: &Path) -> Self {
        let (mut files, mut folders) = (Vec::new(), vec![root.to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = fs::read(&path).unwrap();
                    files.push((path, bytes));
                }
            }
        }
        files.sort();
        assert!(files.len() < usize::from(SIGNED));
        Self { root: root.to_owned(), files }
    }

    /// The folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The inputs that change nothing; of chunks without their checksum.
    #[must_use]
    pub fn valid(&self) -> Vec<Vec<u8>> {
        let input = |(number, (path, bytes)): (usize, &(PathBuf, Vec<u8>))| {
            let number = u8::try_from(number).unwrap() | SIGNED;
            let end = if is_json(path) { bytes.len() } else { bytes.len() - 4 };
            [&[number], &bytes[..end]].concat()
        };
        self.files.iter().enumerate().map(input).collect()
    }

    /// Calls `read` while one file is another one.
    pub fn with(&self, input: &[u8], read: impl FnOnce(&Path)) {
        let Some((number, bytes)) = input.split_first() else { return };
        let (path, original) = &self.files[usize::from(number & !SIGNED) % self.files.len()];
        let mut bytes = bytes.to_vec();
        if number & SIGNED != 0 {
            sign(path, &mut bytes);
        }
        fs::write(path, bytes).unwrap();
        read(&self.root);
        fs::write(path, original).unwrap();
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// Sets the checksum: after the bytes of a chunk, or in the text of a manifest.
fn sign(path: &Path, bytes: &mut Vec<u8>) {
    const KEY: &[u8] = b"\"checksum\": \"";
    if !is_json(path) {
        bytes.extend(crc32c::crc32c(bytes).to_le_bytes());
    } else if let Some(at) = bytes.windows(KEY.len()).position(|window| window == KEY)
        && let Some(digits) = bytes.get_mut(at + KEY.len()..at + KEY.len() + 8)
    {
        digits.copy_from_slice(b"00000000");
        let sum = format!("{:08x}", crc32c::crc32c(bytes));
        bytes[at + KEY.len()..][..8].copy_from_slice(sum.as_bytes());
    }
}
