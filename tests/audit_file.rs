//! The audit file: rotation under load, files that other processes rename, torn lines, what is kept.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use toolgate::observe::audit::audit_file::Rotation;
use toolgate::observe::audit::rotated_files::{self, RotatedFile};
use toolgate::observe::audit::writer::WriterSink;
use toolgate::observe::audit::{AuditHealth, AuditSink};

fn text(file: &RotatedFile) -> String {
    let mut text = String::new();
    let opened = File::open(&file.path).unwrap();
    if file.compressed {
        GzDecoder::new(opened).read_to_string(&mut text).unwrap();
    } else {
        (&opened).read_to_string(&mut text).unwrap();
    }
    text
}

/// The lines of all files, the oldest first.
fn all_lines(path: &Path) -> Vec<String> {
    let mut content: String = rotated_files::list(path).unwrap().iter().map(text).collect();
    content.push_str(&fs::read_to_string(path).unwrap());
    content.lines().map(str::to_owned).collect()
}

fn eventually(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the rotated files are compressed, and no partial one is left.
fn compressed(path: &Path) {
    eventually("compressed", || {
        let is_partial = |name: &str| name.contains("partial");
        let folder = fs::read_dir(path.parent().unwrap()).unwrap();
        rotated_files::list(path).unwrap().iter().all(|file| file.compressed)
            && !folder.into_iter().any(|entry| is_partial(entry.unwrap().file_name().to_str().unwrap()))
    });
}

fn rotation(max_bytes: u64) -> Rotation {
    Rotation { max_bytes, keep: usize::MAX, ..Rotation::default() }
}

fn write(sink: &WriterSink, lines: &[&str]) {
    for line in lines {
        sink.write((*line).to_owned());
    }
    sink.flush();
}

#[test]
fn rotation_under_load_loses_no_line_and_keeps_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    // Two sinks are as two processes: each opens the file, and locks belong to what was opened.
    let sinks: Vec<_> = (0..2).map(|_| Arc::new(WriterSink::file(&path, Some(rotation(20_000))).unwrap())).collect();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let sink = Arc::clone(&sinks[writer % 2]);
            thread::spawn(move || (0..5_000).for_each(|n| sink.write(format!("{writer} {n}"))))
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    for sink in &sinks {
        sink.flush();
        assert_eq!(sink.health(), AuditHealth::default());
    }
    compressed(&path);
    let lines = all_lines(&path);
    for writer in 0..4 {
        let prefix = format!("{writer} ");
        let numbers: Vec<usize> =
            lines.iter().filter_map(|line| line.strip_prefix(&prefix)).map(|n| n.parse().unwrap()).collect();
        assert_eq!(numbers, (0..5_000).collect::<Vec<_>>(), "writer {writer}");
    }
    assert_eq!(lines.len(), 20_000);
    let files = rotated_files::list(&path).unwrap();
    assert!(files.len() > 5, "{}", files.len());
    // The other process may add one line between the check of the size and the write.
    let largest = files.iter().map(|file| text(file).len()).max().unwrap();
    assert!(largest <= 20_000 + "3 4999\n".len(), "{largest}");
}

#[test]
fn a_line_is_never_split_and_a_larger_one_has_its_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let sink = WriterSink::file(&path, Some(Rotation { compress: false, ..rotation(10) })).unwrap();
    write(&sink, &["1234", "1234", "longer than ten bytes", "1"]);
    let texts: Vec<_> = rotated_files::list(&path).unwrap().iter().map(text).collect();
    assert_eq!(texts, ["1234\n1234\n", "longer than ten bytes\n"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "1\n");
}

#[test]
fn an_old_file_is_rotated_with_the_next_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let max_age = Some(Duration::from_nanos(1));
    let sink = WriterSink::file(&path, Some(Rotation { max_age, compress: false, ..rotation(1 << 20) })).unwrap();
    write(&sink, &["1"]);
    thread::sleep(Duration::from_millis(20));
    write(&sink, &["2"]);
    let texts: Vec<_> = rotated_files::list(&path).unwrap().iter().map(text).collect();
    assert_eq!((texts, fs::read_to_string(&path).unwrap()), (vec!["1\n".to_owned()], "2\n".to_owned()));
}

#[test]
fn the_newest_files_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let sink = WriterSink::file(&path, Some(Rotation { keep: 2, ..rotation(1) })).unwrap();
    write(&sink, &["1", "2", "3", "4", "5"]);
    eventually("two files", || rotated_files::list(&path).unwrap().len() == 2);
    compressed(&path);
    assert_eq!(all_lines(&path), ["3", "4", "5"]);
}

#[test]
fn what_an_ended_process_left_is_compressed_with_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    fs::write(folder.path().join("audit.jsonl.000007"), "old\n").unwrap();
    fs::write(folder.path().join("audit.jsonl.000007.gz.partial"), "half of a compressed file").unwrap();
    let sink = WriterSink::file(&path, Some(rotation(1 << 20))).unwrap();
    write(&sink, &["new"]);
    compressed(&path);
    assert_eq!(all_lines(&path), ["old", "new"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_another_process_renamed_or_removed_is_opened_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (path, moved) = (folder.path().join("audit.jsonl"), folder.path().join("audit.jsonl.moved"));
    let sink = WriterSink::file(&path, None).unwrap();
    write(&sink, &["1"]);
    fs::rename(&path, &moved).unwrap();
    write(&sink, &["2"]);
    assert_eq!((fs::read_to_string(&moved).unwrap(), fs::read_to_string(&path).unwrap()), ("1\n".into(), "2\n".into()));
    fs::remove_file(&path).unwrap();
    write(&sink, &["3"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "3\n");
}

#[test]
fn a_torn_line_does_not_spoil_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    fs::write(&path, "whole\nto").unwrap();
    let sink = WriterSink::file(&path, None).unwrap();
    write(&sink, &["1", "2"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "whole\nto\n1\n2\n");
}
