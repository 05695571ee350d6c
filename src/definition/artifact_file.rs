//! An artifact's file, read in parts: what a start needs at once, the rest meanwhile.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;

use parking_lot::RwLock;

/// An open artifact. Where another file takes its place, this one is still read to its end.
#[derive(Debug)]
pub(super) struct ArtifactFile {
    /// Closed once all has been read.
    file: RwLock<Option<File>>,
    bytes: u64,
    text: OnceLock<Result<String, String>>,
}

impl ArtifactFile {
    pub(super) fn open(path: &Path) -> io::Result<Arc<Self>> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        Ok(Arc::new(Self { file: RwLock::new(Some(file)), bytes, text: OnceLock::new() }))
    }

    /// How long it was when it was opened.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A part of it, by itself.
    pub(super) fn bytes_of(&self, range: &Range<u64>) -> io::Result<Vec<u8>> {
        let guard = self.file.read();
        let Some(file) = guard.as_ref() else {
            return self.part(range).map(|part| part.as_bytes().to_vec()).map_err(io::Error::other);
        };
        let length = usize::try_from(range.end.saturating_sub(range.start)).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        read_exact_at(file, &mut bytes, range.start)?;
        Ok(bytes)
    }

    /// The same, as text.
    pub(super) fn text_of(&self, range: &Range<u64>) -> io::Result<String> {
        String::from_utf8(self.bytes_of(range)?).map_err(io::Error::other)
    }

    /// A part of it, from the whole, which is read once.
    pub(super) fn part(&self, range: &Range<u64>) -> Result<&str, String> {
        part(self.text()?, range)
    }

    /// Reads all of it beside what goes on: nobody may find it changed later.
    pub(super) fn read_ahead(self: &Arc<Self>) {
        let this = Arc::clone(self);
        // Without a thread it is read when somebody asks.
        let _ = thread::Builder::new().name("toolgate-artifact".to_owned()).spawn(move || this.text().is_ok());
    }

    fn text(&self) -> Result<&str, String> {
        let text = self.text.get_or_init(|| {
            let text = self.whole().map_err(|problem| problem.to_string());
            self.file.write().take();
            text
        });
        text.as_deref().map_err(Clone::clone)
    }

    fn whole(&self) -> io::Result<String> {
        let text = self.text_of(&(0..self.bytes))?;
        let guard = self.file.read();
        let bytes = guard.as_ref().map_or(Ok(self.bytes), |file| file.metadata().map(|now| now.len()))?;
        if bytes == self.bytes { Ok(text) } else { Err(io::Error::other("the file was changed while it was read")) }
    }
}

fn part<'t>(text: &'t str, range: &Range<u64>) -> Result<&'t str, String> {
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    text.get(place(range.start)..place(range.end)).ok_or_else(|| "it ends too early".to_owned())
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
