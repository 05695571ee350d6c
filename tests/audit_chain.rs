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
use toolgate::observe::audit::reading::{AuditReader, group};
use toolgate::observe::audit::rotated_files;
use toolgate::observe::audit::selection::{LineFilter, LineSelection};
use toolgate::observe::audit::verification::{ChainReport, verify};
use toolgate::observe::audit::writer::WriterSink;
use toolgate::observe::audit::{AuditHealth, AuditKey, AuditSink};

fn key() -> AuditKey {
    AuditKey::new(b"of this installation").unwrap()
}

fn open(path: &Path, rotation: impl Into<Option<Rotation>>) -> WriterSink {
    WriterSink::chained_file(path, rotation.into(), Arc::new(InstallationKey::known(key()))).unwrap()
}

fn rotation(max_bytes: u64, compress: bool) -> Rotation {
    Rotation { max_bytes, keep: usize::MAX, compress, max_age: None }
}

fn write(sink: &WriterSink, numbers: std::ops::Range<usize>) {
    numbers.for_each(|n| sink.write(format!("{{\"n\":{n}}}")));
    sink.flush();
    assert_eq!(sink.health(), AuditHealth::default());
}

fn verified(path: &Path) -> ChainReport {
    verify(AuditReader::with_rotated(path).unwrap(), &key()).unwrap()
}

fn verified_in_order(files: &[PathBuf]) -> ChainReport {
    verify(AuditReader::in_order(files), &key()).unwrap()
}

/// The audit file after its rotated files.
fn files_of(path: &Path) -> Vec<PathBuf> {
    let rotated = rotated_files::list(path).unwrap().into_iter().map(|file| file.path);
    rotated.chain([path.to_owned()]).collect()
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
        assert!(files_of(&path).len() > 5);
        drop(sinks);
        // The threads that compress files may still rename them.
        assert_eq!(verified(&path), whole(4_000));
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
    assert_eq!(verified_in_order(&[renamed, path.clone()]), whole(12));
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
        problems_after(|lines| lines.insert(2, "no JSON".to_owned())),
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
    let mut files = files_of(&path);
    let removed = files.remove(2);
    let report = verified_in_order(&files);
    assert_eq!(report.problem_count, 1, "{report:?}");
    assert_eq!((report.problems[0].file.clone(), report.problems[0].line), (files[2].clone(), 1));
    assert!(report.problems[0].problem.contains("missing before line"), "{report:?}");
    // As many files as wanted may be gone at the beginning: they are no longer kept.
    let kept = verified_in_order(&[&[removed], &files[2..]].concat());
    assert_eq!(kept.problem_count, 0, "{kept:?}");
}

#[test]
fn another_key_verifies_no_line() {
    let (_folder, path) = new_path();
    write(&open(&path, None), 0..3);
    let report = verify(AuditReader::in_order(&[path]), &AuditKey::new(b"of another").unwrap()).unwrap();
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
    let report =
        verify(AuditReader::in_order(std::slice::from_ref(&path)), &AuditKey::of_installation(stored).unwrap())
            .unwrap();
    assert_eq!(report, whole(3));

    let unknown = Arc::new(InstallationKey::pending());
    unknown.stop_waiting();
    let sink = WriterSink::chained_file(&path, None, Arc::clone(&unknown)).unwrap();
    write(&sink, 3..4);
    unknown.set_from_store(stored);
    write(&sink, 4..5);
    let report = verify(AuditReader::in_order(&[path]), &AuditKey::of_installation(stored).unwrap()).unwrap();
    assert_eq!((report.verified, report.problem_count, report.problems[0].line), (4, 1, 4));
}

#[test]
fn lines_are_verified_while_they_are_written_and_rotated() {
    let (_folder, path) = new_path();
    let sink = open(&path, rotation(2_000, true));
    write(&sink, 0..10);
    thread::scope(|scope| {
        let writer = scope.spawn(|| write(&sink, 10..3_000));
        while !writer.is_finished() {
            let report = verified(&path);
            assert_eq!((report.first, report.problem_count), (Some(1), 0), "{report:?}");
        }
    });
    assert_eq!(verified(&path), whole(3_000));
}

#[test]
fn files_are_grouped_by_the_audit_file_that_they_belong_to() {
    let (folder, path) = new_path();
    let other = folder.path().join("other.jsonl");
    write(&open(&path, rotation(400, false)), 0..20);
    write(&open(&other, None), 0..3);
    let rotated = files_of(&path);
    let counts = |files: &[PathBuf]| -> Vec<(PathBuf, u64)> {
        let groups = group(files).unwrap().into_iter();
        groups.map(|(base, lines)| (base, verify(lines, &key()).unwrap().verified)).collect()
    };
    let all: Vec<_> = rotated.iter().chain([&other]).cloned().collect();
    assert_eq!(counts(&all), [(path.clone(), 20), (other, 3)]);
    let alone = verified_in_order(&rotated[..2]).verified;
    assert_eq!(counts(&[rotated[1].clone(), rotated[0].clone()]), [(path, alone)]);
    assert!(group(&[folder.path().join("absent.jsonl")]).is_err());
}

#[test]
fn lines_are_selected_by_session_call_and_time_in_batches() {
    let (_folder, path) = new_path();
    let sink = open(&path, rotation(400, true));
    let line = |minute: u32, rest: &str| format!("{{\"at\":\"2026-01-01T00:{minute:02}:00.000Z\"{rest}}}");
    for minute in 0..10 {
        sink.write(line(minute, &format!(",\"sessionId\":\"s{}\",\"callId\":\"c{minute}\"", minute % 2)));
    }
    sink.write(line(10, ",\"sessionId\":\"s0\",\"callId\":\"n1\",\"parentCallId\":\"c4\""));
    sink.write(line(11, ",\"event\":\"registry_loaded\""));
    sink.flush();
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"at\":").unwrap();
    let minutes = |filter: LineFilter| -> Vec<String> {
        let mut selection = LineSelection::new(AuditReader::with_rotated(&path).unwrap(), filter);
        let mut found = Vec::new();
        while let Some(batch) = selection.next_batch(1).unwrap() {
            assert_eq!(batch.lines().count(), 1);
            found.push(batch.get(21..23).unwrap_or_default().to_owned());
        }
        assert_eq!(selection.incomplete(), 1);
        found
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(minutes(LineFilter::default()).len(), 12);
    assert_eq!(minutes(LineFilter { call_id: some("c4"), ..LineFilter::default() }), ["04", "10"]);
    assert_eq!(
        minutes(LineFilter { session_id: some("s1"), since: some("2026-01-01T00:05:00.000Z"), call_id: None }),
        ["05", "07", "09"]
    );
    assert_eq!(minutes(LineFilter { session_id: some("s1"), call_id: some("c4"), since: None }), [""; 0]);
}
