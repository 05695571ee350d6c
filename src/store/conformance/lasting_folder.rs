//! Folders that last as long as the process: the thread of a store may use its file after the test.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Deletes the folder when its standard input closes: when this process ends, however it ends.
const KEEPER: &str = r#"cat > /dev/null; rm -rf "$1""#;

/// The folder of all folders.
struct Root {
    path: PathBuf,
    /// Holds the pipe that the keeper reads.
    _keeper: Child,
}

/// Makes a folder.
pub(super) fn make() -> PathBuf {
    static ROOT: OnceLock<Root> = OnceLock::new();
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let folder = ROOT.get_or_init(new_root).path.join(NEXT.fetch_add(1, Ordering::Relaxed).to_string());
    std::fs::create_dir(&folder).unwrap();
    folder
}

fn new_root() -> Root {
    let path = tempfile::tempdir().unwrap().keep();
    let mut keeper = Command::new("sh");
    keeper.args(["-c", KEEPER, "keeper"]).arg(&path).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    Root { path, _keeper: keeper.spawn().unwrap() }
}
