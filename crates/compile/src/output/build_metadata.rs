//! Build time and commit of a tool set. Not part of its version.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::fmt::temporal::DateTimePrinter;

/// ISO 8601 in UTC, of seconds since 1970 or of now. Times outside of the years 0 to 9999, the range of the format, are
/// clamped to it.
pub(crate) fn timestamp(seconds: Option<i64>) -> String {
    const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
    const YEAR_0: DateTime = DateTime::constant(0, 1, 1, 0, 0, 0, 0);
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs().cast_signed());
    let since = SignedDuration::from_secs(seconds.unwrap_or_else(now));
    let at = EPOCH.saturating_add(since).max(YEAR_0);
    format!("{}.000Z", DateTimePrinter::new().precision(Some(0)).datetime_to_string(&at))
}

/// The checked-out commit of the git repository around a folder, read from git's own files. `None` outside git, before
/// the first commit, and if git stores its references in another format.
pub(crate) fn git_commit(folder: &Path) -> Option<String> {
    let folder = fs::canonicalize(folder).ok()?;
    let git = folder.ancestors().find_map(git_dir)?;
    // A linked worktree shares the branches of the main worktree.
    let common = first_line(&git.join("commondir")).map_or_else(|| git.clone(), |common| git.join(common));
    let mut value = first_line(&git.join("HEAD"))?;
    // A symbolic reference may refer to another one; git itself stops at five.
    for _ in 0..5 {
        let Some(name) = value.strip_prefix("ref:").map(|name| name.trim().to_owned()) else { break };
        value = first_line(&git.join(&name))
            .or_else(|| first_line(&common.join(&name)))
            .or_else(|| packed_reference(&common, &name))?;
    }
    let hash = matches!(value.len(), 40 | 64) && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    hash.then_some(value)
}

/// `.git` as a folder, or the folder that the file `.git` of a worktree or submodule names.
fn git_dir(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let named = first_line(&git)?;
    Some(folder.join(named.strip_prefix("gitdir:")?.trim()))
}

fn first_line(path: &Path) -> Option<String> {
    Some(crate::text::text_file::read_text(path).ok()?.lines().next()?.trim().to_owned())
}

fn packed_reference(common: &Path, name: &str) -> Option<String> {
    let text = crate::text::text_file::read_text(&common.join("packed-refs")).ok()?;
    let found = text.lines().filter_map(|line| line.split_once(' ')).find(|(_, reference)| *reference == name);
    found.map(|(hash, _)| hash.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_iso_8601() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, "2000-02-28T23:59:59.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_767_225_599, "2025-12-31T23:59:59.000Z"),
            (-1, "1969-12-31T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
            (i64::MAX, "9999-12-31T23:59:59.000Z"),
            (i64::MIN, "0000-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(timestamp(Some(seconds)), expected);
        }
    }

    const HASH: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn a_commit_is_found_in_loose_packed_and_linked_references() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a/tools/x", "");
        write("a/.git/HEAD", "ref: refs/heads/main\n");
        assert_eq!(git_commit(&root.path().join("a/tools")), None, "before the first commit");
        write("a/.git/packed-refs", &format!("# pack-refs with: peeled\n{HASH} refs/heads/main\n"));
        assert_eq!(git_commit(&root.path().join("a/tools")).as_deref(), Some(HASH));
        let loose = HASH.replace('0', "f");
        write("a/.git/refs/heads/main", &format!("{loose}\n"));
        assert_eq!(git_commit(&root.path().join("a/tools")), Some(loose.clone()));
        write("a/.git/worktrees/w/HEAD", "ref: refs/heads/main\n");
        write("a/.git/worktrees/w/commondir", "../..\n");
        write("w/.git", "gitdir: ../a/.git/worktrees/w\n");
        assert_eq!(git_commit(&root.path().join("w")), Some(loose));
        write("a/.git/worktrees/w/HEAD", HASH);
        assert_eq!(git_commit(&root.path().join("w")).as_deref(), Some(HASH));
        write("a/.git/worktrees/w/HEAD", "ref: refs/heads/.invalid");
        assert_eq!(git_commit(&root.path().join("w")), None);
    }
}
