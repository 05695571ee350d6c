//! An artifact's file, read in parts: what a start needs at once, the rest meanwhile.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// An open artifact. Where another file takes its place, this one is still read to its end.
#[derive(Debug)]
pub(super) struct ArtifactFile {
    file: File,
    bytes: u64,
}

impl ArtifactFile {
    pub(super) fn open(path: &Path) -> io::Result<Arc<Self>> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        Ok(Arc::new(Self { file, bytes }))
    }

    /// How long it was when it was opened.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A part of it.
    pub(super) fn bytes_of(&self, range: &Range<u64>) -> io::Result<Vec<u8>> {
        let length = usize::try_from(range.end.saturating_sub(range.start)).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        read_exact_at(&self.file, &mut bytes, range.start)?;
        Ok(bytes)
    }

    /// The same, as text.
    pub(super) fn text_of(&self, range: &Range<u64>) -> io::Result<String> {
        String::from_utf8(self.bytes_of(range)?).map_err(io::Error::other)
    }

    /// The same, where the file still is as long as it was.
    pub(super) fn unchanged_text_of(&self, range: &Range<u64>) -> io::Result<String> {
        let text = self.text_of(range)?;
        let is_unchanged = self.file.metadata()?.len() == self.bytes;
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
