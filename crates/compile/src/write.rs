//! Writes what was built: each file whole or not at all, and none before all could be written.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file of the build.
pub(super) struct Output {
    /// Its name in the output folder.
    pub(super) name: &'static str,
    pub(super) text: String,
}

/// Writes every file beside its place, then moves them there; the last one is moved last. A reader sees an old file
/// or a new one, never a part of one.
///
/// # Errors
/// Any IO error. Files that were moved before it stay.
pub(super) fn all(out_dir: &Path, outputs: &[Output]) -> io::Result<()> {
    fs::create_dir_all(out_dir)?;
    let mut staged = Staged(Vec::new());
    for output in outputs {
        staged.write(out_dir, output)?;
    }
    for (temporary, target) in staged.0.drain(..) {
        fs::rename(&temporary, &target).inspect_err(|_| {
            // The move failed, so the file is still there and nobody else knows its name.
            let _ = fs::remove_file(&temporary);
        })?;
    }
    sync_folder(out_dir)
}

/// Files that wait beside their places; what is not moved is removed.
struct Staged(Vec<(PathBuf, PathBuf)>);

impl Staged {
    fn write(&mut self, out_dir: &Path, output: &Output) -> io::Result<()> {
        // Two builds at once must not write one file.
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
        let temporary = out_dir.join(format!(".{}.{}-{unique}.tmp", output.name, process::id()));
        let mut file = File::options().write(true).create_new(true).open(&temporary)?;
        self.0.push((temporary, out_dir.join(output.name)));
        file.write_all(output.text.as_bytes())?;
        file.sync_all()
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        for (temporary, _) in &self.0 {
            // Best effort on the way out of a failure, which is what gets reported.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Makes the moves durable, where a folder can be opened.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
