//! Reads ranges of an artifact's file, so that startup does not wait for the parts that are needed later.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// An open artifact. If another file replaces it, the open file stays readable.
#[derive(Debug)]
pub(super) struct ArtifactFile {
    file: File,
    byte_length: u64,
}

impl ArtifactFile {
    pub(super) fn open(path: &Path) -> io::Result<Arc<Self>> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        Ok(Arc::new(Self { file, byte_length: bytes }))
    }

    /// The file's length in bytes when it was opened.
    pub(super) const fn byte_length(&self) -> u64 {
        self.byte_length
    }

    /// Reads a range of the file.
    pub(super) fn read_bytes(&self, range: &Range<u64>) -> io::Result<Vec<u8>> {
        let length = usize::try_from(range.end.saturating_sub(range.start)).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        read_exact_at(&self.file, &mut bytes, range.start)?;
        Ok(bytes)
    }

    /// Reads a range of the file as text.
    pub(super) fn read_text(&self, range: &Range<u64>) -> io::Result<String> {
        String::from_utf8(self.read_bytes(range)?).map_err(io::Error::other)
    }

    /// Reads a range of the file as text, if the file's length has not changed.
    pub(super) fn read_unchanged_text(&self, range: &Range<u64>) -> io::Result<String> {
        let text = self.read_text(range)?;
        let is_unchanged = self.file.metadata()?.len() == self.byte_length;
        if is_unchanged { Ok(text) } else { Err(io::Error::other("the file was changed while it was read")) }
    }
}

#[cfg(not(windows))]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = bytes.split_at_mut(read).1;
        at += read as u64;
    }
    Ok(())
}
