//! Writes the build's files atomically: each file whole or not at all, and none before all are staged.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file of the build.
pub(crate) struct OutputFile {
    /// Its name in the output folder.
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

/// Writes every file under a temporary name in `out_dir`, then renames them in the order of `outputs`. A reader sees
/// the old file or the new one, never a part.
///
/// # Errors
/// Any IO error. Files that were renamed before it stay.
pub(crate) fn write_all(out_dir: &Path, outputs: &[OutputFile]) -> io::Result<()> {
    fs::create_dir_all(out_dir)?;
    let mut staged = StagedFiles(Vec::new());
    for output in outputs {
        staged.write(out_dir, output)?;
    }
    for (temporary, target) in staged.0.drain(..) {
        fs::rename(&temporary, &target).inspect_err(|_| {
            // `drain` took the entry, so `Staged` would not remove the file.
            let _ = fs::remove_file(&temporary);
        })?;
    }
    sync_folder(out_dir)
}

/// Temporary files with their targets; removed on drop unless renamed.
struct StagedFiles(Vec<(PathBuf, PathBuf)>);

impl StagedFiles {
    fn write(&mut self, out_dir: &Path, output: &OutputFile) -> io::Result<()> {
        // Concurrent builds must not share a temporary file.
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
        let temporary = out_dir.join(format!(".{}.{}-{unique}.tmp", output.name, process::id()));
        let mut file = File::options().write(true).create_new(true).open(&temporary)?;
        self.0.push((temporary, out_dir.join(output.name)));
        file.write_all(output.text.as_bytes())?;
        file.sync_all()
    }
}

impl Drop for StagedFiles {
    fn drop(&mut self) {
        for (temporary, _) in &self.0 {
            // Best effort: the failure that led here is reported instead.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Makes the renames durable, on systems that can open a folder.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
