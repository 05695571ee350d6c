//! When and from which commit a tool set was built. Not part of its version.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// ISO 8601 in UTC, from seconds since 1970 or from now.
pub(super) fn timestamp(seconds: Option<i64>) -> String {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs().cast_signed());
    // Years 0 to 9999, which is what the format can say.
    let seconds = seconds.unwrap_or_else(now).clamp(-62_167_219_200, 253_402_300_799);
    let (day, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, date) = civil(day);
    format!("{year:04}-{month:02}-{date:02}T{:02}:{:02}:{:02}.000Z", time / 3600, time / 60 % 60, time % 60)
}

/// Year, month and day of the Gregorian calendar from days since 1970-01-01, counted in eras of 400 years that begin
/// on 1 March.
fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let date = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, date)
}

/// The commit that is checked out around a folder, read from git's own files. Absent outside git, before the first
/// commit, and where git keeps its references in another form.
pub(super) fn commit(folder: &Path) -> Option<String> {
    let folder = fs::canonicalize(folder).ok()?;
    let git = folder.ancestors().find_map(git_dir)?;
    // In a linked worktree the branches are kept with the main one.
    let common = line(&git.join("commondir")).map_or_else(|| git.clone(), |common| git.join(common));
    let mut value = line(&git.join("HEAD"))?;
    // A reference may name another one; git itself stops at five.
    for _ in 0..5 {
        let Some(name) = value.strip_prefix("ref:").map(|name| name.trim().to_owned()) else { break };
        value = line(&git.join(&name)).or_else(|| line(&common.join(&name))).or_else(|| packed(&common, &name))?;
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
    let named = line(&git)?;
    Some(folder.join(named.strip_prefix("gitdir:")?.trim()))
}

fn line(path: &Path) -> Option<String> {
    Some(super::file::text(path).ok()?.lines().next()?.trim().to_owned())
}

fn packed(common: &Path, name: &str) -> Option<String> {
    let text = super::file::text(&common.join("packed-refs")).ok()?;
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
        assert_eq!(commit(&root.path().join("a/tools")), None, "before the first commit");
        write("a/.git/packed-refs", &format!("# pack-refs with: peeled\n{HASH} refs/heads/main\n"));
        assert_eq!(commit(&root.path().join("a/tools")).as_deref(), Some(HASH));
        let loose = HASH.replace('0', "f");
        write("a/.git/refs/heads/main", &format!("{loose}\n"));
        assert_eq!(commit(&root.path().join("a/tools")), Some(loose.clone()));
        write("a/.git/worktrees/w/HEAD", "ref: refs/heads/main\n");
        write("a/.git/worktrees/w/commondir", "../..\n");
        write("w/.git", "gitdir: ../a/.git/worktrees/w\n");
        assert_eq!(commit(&root.path().join("w")), Some(loose));
        write("a/.git/worktrees/w/HEAD", HASH);
        assert_eq!(commit(&root.path().join("w")).as_deref(), Some(HASH));
        write("a/.git/worktrees/w/HEAD", "ref: refs/heads/.invalid");
        assert_eq!(commit(&root.path().join("w")), None);
    }
}
