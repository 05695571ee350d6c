//! Files of lines: opened for their owner only, distinguished by what they are, and read line by line.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, Read};
use std::path::Path;

/// The longest line in bytes: no queue of a writer takes a longer one.
const MAX_LINE_BYTES: u64 = 64 << 20;

pub(super) fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether the name still belongs to the open file. A name without a file doesn't.
#[cfg(unix)]
pub(super) fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((open.dev(), open.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the name still belongs to a file. Without inode numbers another file of the name isn't recognised.
#[cfg(not(unix))]
pub(super) fn is_same_file(_file: &File, path: &Path) -> io::Result<bool> {
    fs::exists(path)
}

/// Reads a line with its line break. Returns its length, 0 at the end.
pub(super) fn read_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    let length = lines.take(MAX_LINE_BYTES).read_until(b'\n', line)?;
    let is_whole = line.ends_with(b"\n") || (length as u64) < MAX_LINE_BYTES;
    if is_whole { Ok(length) } else { Err(io::Error::other("a line is longer than 64 MiB, which no audit line is")) }
}
