//! The chain of audit files: it goes on over rotations, restarts and processes, and shows each line that was touched.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use toolgate::json::HashKey;
use toolgate::observe::audit::audit_file::Rotation;
use toolgate::observe::audit::installation_key::InstallationKey;
use toolgate::observe::audit::rotated_files::with_rotated;
use toolgate::observe::audit::verification::{ChainReport, verify};
use toolgate::observe::audit::writer::WriterSink;
use toolgate::observe::audit::{AuditHealth, AuditKey, AuditSink};

fn key() -> AuditKey {
    AuditKey::new(b"of this installation").unwrap()
}

fn open(path: &Path, rotation: Option<Rotation>) -> WriterSink {
    WriterSink::chained_file(path, rotation, Arc::new(InstallationKey::known(key()))).unwrap()
}

fn rotation(max_bytes: u64, compress: bool) -> Option<Rotation> {
    Some(Rotation { max_bytes, keep: usize::MAX, compress, max_age: None })
}

fn write(sink: &WriterSink, numbers: std::ops::Range<usize>) {
    numbers.for_each(|n| sink.write(format!("{{\"n\":{n}}}")));
    sink.flush();
    assert_eq!(sink.health(), AuditHealth::default());
}

fn verified(path: &Path) -> ChainReport {
    verify(&with_rotated(path).unwrap(), &key()).unwrap()
}

/// The report of lines that are as they were written.
fn whole(lines: u64) -> ChainReport {
    ChainReport { verified: lines, first: Some(1), last: Some(lines), ..ChainReport::default() }
}

fn new_path() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    (folder, path)
}

#[test]
fn two_processes_that_rotate_one_file_make_one_chain() {
    for compress in [false, true] {
        let (_folder, path) = new_path();
        // Two sinks are as two processes: each opens the file, and locks belong to what was opened.
        let sinks: Vec<_> = (0..2).map(|_| open(&path, rotation(20_000, compress))).collect();
        thread::scope(|scope| sinks.iter().for_each(|sink| drop(scope.spawn(|| write(sink, 0..2_000)))));
        assert!(with_rotated(&path).unwrap().len() > 5);
        drop(sinks);
        // The threads that compress files may still rename them.
        let report = loop {
            match verify(&with_rotated(&path).unwrap(), &key()) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                report => break report.unwrap(),
            }
        };
        assert_eq!(report, whole(4_000));
    }
}

#[test]
fn the_chain_goes_on_after_a_restart() {
    let (_folder, path) = new_path();
    for start in 0..5 {
        // Each opens the files of the one before: with lines, or just rotated and compressed.
        write(&open(&path, rotation(200, start % 2 == 0)), start * 5..start * 5 + 5);
    }
    assert_eq!(verified(&path), whole(25));
    fs::remove_file(&path).unwrap();
    write(&open(&path, None), 0..1);
    let report = verified(&path);
    assert_eq!((report.problem_count, report.first), (0, Some(1)));
}

#[test]
fn the_chain_goes_on_in_the_file_after_another_program_renamed_it() {
    let (folder, path) = new_path();
    let sinks = [open(&path, None), open(&path, None)];
    write(&sinks[0], 0..3);
    write(&sinks[1], 0..3);
    let renamed = folder.path().join("renamed");
    fs::rename(&path, &renamed).unwrap();
    write(&sinks[0], 0..3);
    write(&sinks[1], 0..3);
    assert_eq!(verify(&[renamed, path.clone()], &key()).unwrap(), whole(12));
    let alone = verified(&path);
    assert_eq!((alone.verified, alone.first, alone.problem_count), (6, Some(7), 0), "a file is verified by itself");
}

#[test]
fn a_torn_line_is_left_out_and_the_chain_goes_on() {
    let (_folder, path) = new_path();
    let other = open(&path, None);
    write(&other, 0..3);
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"torn\":").unwrap();
    write(&other, 3..5);
    write(&open(&path, None), 5..7);
    assert_eq!(verified(&path), ChainReport { incomplete: 1, ..whole(7) });
}

#[test]
fn lines_of_a_version_without_chain_come_before_it() {
    let (_folder, path) = new_path();
    fs::write(&path, "{\"old\":1}\n{\"old\":2}\n").unwrap();
    write(&open(&path, None), 0..3);
    assert_eq!(verified(&path), ChainReport { before: 2, ..whole(3) });
}

/// The problems after the lines of a file were touched: `(line in the file, problem)`.
fn problems_after(touch: impl FnOnce(&mut Vec<String>)) -> Vec<(u64, String)> {
    let (_folder, path) = new_path();
    write(&open(&path, None), 0..6);
    let mut lines: Vec<String> = fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
    touch(&mut lines);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let report = verified(&path);
    assert_eq!(report.problem_count, report.problems.len() as u64);
    report.problems.into_iter().map(|found| (found.line, found.problem)).collect()
}

fn found(problems: &[(u64, &str)]) -> Vec<(u64, String)> {
    problems.iter().map(|(line, problem)| (*line, (*problem).to_owned())).collect()
}

#[test]
fn each_touched_line_is_found_and_named() {
    assert_eq!(problems_after(|_| {}), found(&[]));
    let changed = found(&[(3, "line 3 of the chain was changed")]);
    assert_eq!(problems_after(|lines| lines[2] = lines[2].replace("\"n\":2", "\"n\":9")), changed);
    let other_hash = format!(",\"chain\":\"{}\"}}", "0".repeat(32));
    let cut = |line: &str| line.split(",\"chain\"").next().unwrap().to_owned();
    assert_eq!(problems_after(|lines| lines[2] = cut(&lines[2]) + &other_hash), changed);
    assert_eq!(
        problems_after(|lines| drop(lines.remove(2))),
        found(&[(3, "line 3 of the chain is missing before line 4")])
    );
    assert_eq!(
        problems_after(|lines| drop(lines.drain(1..4))),
        found(&[(2, "lines 2 to 4 of the chain are missing before line 5")])
    );
    assert_eq!(
        problems_after(|lines| drop(lines.remove(0))),
        found(&[(1, "the lines of the file before line 2 of the chain are missing")])
    );
    assert_eq!(
        problems_after(|lines| lines.insert(2, lines[1].clone())),
        found(&[(3, "line 2 of the chain is repeated or was moved: it comes after line 2")])
    );
    assert_eq!(
        problems_after(|lines| lines.insert(2, "{\"n\":77}".to_owned())),
        found(&[(3, "the line has no place in the chain: it was added, or written while the key was unknown")])
    );
    assert_eq!(
        problems_after(|lines| lines.swap(2, 3)),
        found(&[
            (3, "line 3 of the chain is missing before line 4"),
            (4, "line 3 of the chain is repeated or was moved: it comes after line 4"),
        ])
    );
    assert_eq!(
        problems_after(|lines| lines[0] = "{\"n\":0}".to_owned()),
        found(&[
            (1, "1 lines from here on have no place in the chain"),
            (2, "the lines of the file before line 2 of the chain are missing"),
        ])
    );
}

#[test]
fn a_file_that_is_missing_between_others_is_found() {
    let (_folder, path) = new_path();
    write(&open(&path, rotation(200, false)), 0..20);
    let mut files = with_rotated(&path).unwrap();
    let removed = files.remove(2);
    let report = verify(&files, &key()).unwrap();
    assert_eq!(report.problem_count, 1, "{report:?}");
    assert_eq!((report.problems[0].file.clone(), report.problems[0].line), (files[2].clone(), 1));
    assert!(report.problems[0].problem.contains("missing before line"), "{report:?}");
    // As many files as wanted may be gone at the beginning: they are no longer kept.
    let kept = verify(&[&[removed], &files[2..]].concat(), &key()).unwrap();
    assert_eq!(kept.problem_count, 0, "{kept:?}");
}

#[test]
fn another_key_verifies_no_line() {
    let (_folder, path) = new_path();
    write(&open(&path, None), 0..3);
    let report = verify(&[path], &AuditKey::new(b"of another").unwrap()).unwrap();
    assert_eq!((report.verified, report.problem_count), (0, 3));
}

#[test]
fn lines_wait_for_the_key_of_the_store() {
    let (_folder, path) = new_path();
    let pending = Arc::new(InstallationKey::pending());
    let sink = WriterSink::chained_file(&path, None, Arc::clone(&pending)).unwrap();
    sink.write("{\"n\":0}".to_owned());
    let stored = HashKey::new([7; 16]);
    pending.set_from_store(stored);
    write(&sink, 1..3);
    let report = verify(&[path.clone()], &AuditKey::of_installation(stored).unwrap()).unwrap();
    assert_eq!(report, whole(3));

    let unknown = Arc::new(InstallationKey::pending());
    unknown.stop_waiting();
    let sink = WriterSink::chained_file(&path, None, Arc::clone(&unknown)).unwrap();
    write(&sink, 3..4);
    unknown.set_from_store(stored);
    write(&sink, 4..5);
    let report = verify(&[path], &AuditKey::of_installation(stored).unwrap()).unwrap();
    assert_eq!((report.verified, report.problem_count, report.problems[0].line), (4, 1, 4));
}
