//! The file's place: created for its owner only, never behind a symbolic link, and the same file all the time.

use crate::store::error::StoreError;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The suffixes of the lock files: who waits, and who writes.
pub(super) const LOCK_FILES: [&str; 2] = ["-queue", "-turn"];

/// What identifies the file and its write-ahead log as long as they are not replaced. Without inode numbers (Windows) a
/// file that is open can't be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity {
    file: u128,
    /// `None` if there is no log.
    log: Option<u128>,
}

impl FileIdentity {
    /// The identity of what is at `path` now.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        let metadata = fs::symlink_metadata(path)?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let file = identify(&metadata);
        let log = fs::symlink_metadata(beside(path, "-wal")).ok().map(|log| identify(&log));
        Ok(Self { file, log })
    }

    /// Whether `earlier`, taken while the file was open, is of the same file and log.
    pub(super) fn is_same_file(&self, earlier: &Self) -> bool {
        self.file == earlier.file && (earlier.log.is_none() || self.log == earlier.log)
    }
}

#[cfg(unix)]
fn identify(metadata: &fs::Metadata) -> u128 {
    use std::os::unix::fs::MetadataExt;
    (u128::from(metadata.dev()) << 64) | u128::from(metadata.ino())
}

#[cfg(not(unix))]
fn identify(_metadata: &fs::Metadata) -> u128 {
    0
}

/// The path of a file that `SQLite` keeps beside the session file.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Creates the file readable and writable by its owner only, if it does not exist; `SQLite` gives the files beside it
/// the same permissions. Wider permissions of existing files are corrected. Refuses symbolic links.
pub(super) fn prepare(path: &Path) -> Result<(), StoreError> {
    let failure = |what: String| StoreError::Failed(format!("`{}` {what}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(failure(format!("can't be made: there is no directory `{}`", folder.display())));
    }
    let suffixes = ["", "-wal", "-shm"].into_iter().chain(LOCK_FILES);
    for existing in suffixes.map(|suffix| beside(path, suffix)) {
        match fs::symlink_metadata(&existing) {
            Ok(metadata) => check_existing(&existing, &metadata)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failure(format!("can't be used: {error}"))),
        }
    }
    let is_read_only = |metadata: fs::Metadata| metadata.permissions().readonly();
    if fs::symlink_metadata(path).is_ok_and(is_read_only) {
        return Err(failure("can't be written to".to_owned()));
    }
    create(path).map_err(|error| failure(format!("can't be made: {error}")))
}

/// Creates the file if it does not exist. An existing one is not opened: closing it again would give up the locks on it
/// of every other store of this process (POSIX, `fcntl`), and another process would take it for unused.
fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created.map(drop),
    }
}

/// Refuses a path that is not a regular file. Creates and changes nothing.
pub(super) fn require_file(path: &Path) -> Result<(), StoreError> {
    let failure = |what: &str| StoreError::Failed(format!("`{}` {what}", path.display()));
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(metadata) if metadata.is_symlink() => Err(failure("is a symbolic link; name the file itself")),
        Ok(_) => Err(failure("is not a regular file; name a file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(failure("does not exist")),
        Err(error) => Err(failure(&format!("can't be read: {error}"))),
    }
}

/// Whether there is a write-ahead log with content: of another process, or of one that has crashed.
pub(super) fn has_log(path: &Path) -> bool {
    fs::symlink_metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0)
}

fn check_existing(path: &Path, metadata: &fs::Metadata) -> Result<(), StoreError> {
    let failure = |what: &str| StoreError::Failed(format!("`{}` {what}", path.display()));
    if metadata.is_dir() {
        return Err(failure("is a directory; name a file"));
    }
    if metadata.is_symlink() {
        return Err(failure("is a symbolic link; name the file itself"));
    }
    if !metadata.is_file() {
        return Err(failure("is not a regular file; name a file"));
    }
    restrict_mode(path, metadata).map_err(|error| {
        failure(&format!("is accessible to other users, and its mode can't be changed to 0600: {error}"))
    })
}

/// The permissions of the group and of others.
#[cfg(unix)]
const OTHER_USERS: u32 = 0o077;

/// Takes the permissions of other users away, with a warning.
#[cfg(unix)]
fn restrict_mode(path: &Path, metadata: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode() & 0o7777;
    if mode & OTHER_USERS == 0 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    let earlier = format!("{mode:04o}");
    tracing::warn!(file = %path.display(), mode = %earlier, "the session file was accessible to other users; its mode is 0600 now");
    Ok(())
}

#[cfg(not(unix))]
fn restrict_mode(_path: &Path, _metadata: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use std::collections::BTreeSet;

    use super::*;

    fn message(result: Result<(), StoreError>) -> String {
        if let Err(StoreError::Failed(message)) = result { message } else { panic!("it is accepted") }
    }

    /// The locks of this process on a file. Other tests lock at the same time, and a reading of a list that changes can contain
    /// a lock twice, or leave it out: several are united.
    #[cfg(target_os = "linux")]
    fn locks_on(path: &Path) -> BTreeSet<String> {
        use std::os::unix::fs::MetadataExt;
        let inode = format!(":{} ", fs::metadata(path).unwrap().ino());
        let process = format!(" {} ", std::process::id());
        let readings = (0..5).map(|_| fs::read_to_string("/proc/locks").unwrap());
        let locks = readings.flat_map(|list| list.lines().map(str::to_owned).collect::<Vec<_>>());
        let own = locks.filter(|line| line.contains(&inode) && line.contains(&process));
        own.filter_map(|line| line.split_once(": ").map(|(_number, lock)| lock.to_owned())).collect()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_locks_of_another_store_of_the_process_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.sqlite");
        prepare(&path).unwrap();
        let open = rusqlite::Connection::open(&path).unwrap();
        open.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (n); INSERT INTO t VALUES (1)").unwrap();
        let locks = locks_on(&path);
        assert_ne!(locks, BTreeSet::new(), "an open connection locks the file");
        prepare(&path).unwrap();
        assert_eq!(locks_on(&path), locks);
    }

    #[test]
    fn only_a_regular_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        assert!(message(require_file(&path)).ends_with("does not exist"));
        fs::write(&path, "").unwrap();
        assert_eq!(require_file(&path), Ok(()));
        assert!(message(require_file(folder.path())).ends_with("is not a regular file; name a file"));
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            assert!(message(require_file(&link)).ends_with("is a symbolic link; name the file itself"));
        }
    }

    #[test]
    fn an_empty_log_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        assert!(!has_log(&path));
        fs::write(beside(&path, "-wal"), "").unwrap();
        assert!(!has_log(&path));
        fs::write(beside(&path, "-wal"), "x").unwrap();
        assert!(has_log(&path));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_and_its_log_have_identities_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        let at = |path: &Path| FileIdentity::at(path).unwrap();
        fs::write(&one, "").unwrap();
        fs::write(&other, "").unwrap();
        assert_eq!(at(&one), at(&one));
        assert!(!at(&one).is_same_file(&at(&other)));
        let without_log = at(&one);
        fs::write(beside(&one, "-wal"), "x").unwrap();
        assert!(at(&one).is_same_file(&without_log), "a log that has begun");
        assert!(!without_log.is_same_file(&at(&one)), "a log that is gone");
        let metadata = fs::metadata(&one).unwrap();
        let [device, inode] =
            [std::os::unix::fs::MetadataExt::dev(&metadata), std::os::unix::fs::MetadataExt::ino(&metadata)];
        assert_eq!(identify(&metadata), (u128::from(device) << 64) + u128::from(inode));
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_of_a_file_of_its_owner_stays() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        fs::write(&path, "").unwrap();
        for (before, after) in [(0o600, 0o600), (0o400, 0o400), (0o604, 0o600), (0o640, 0o600), (0o777, 0o600)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
            restrict_mode(&path, &fs::metadata(&path).unwrap()).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, after, "{before:o}");
        }
    }
}
