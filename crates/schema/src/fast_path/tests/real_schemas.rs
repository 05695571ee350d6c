//! Schemas from outside the project: the test suite of the drafts, and the parameters of real tools.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::FastPath;
use super::{CheckOutcome, FastAndFull, count, tape};
use crate::{CompileOptions, CompiledSchema, Formats};

/// A folder of the corpus; `None`, with a printed line, if it is absent.
pub(super) fn corpus(inside: &str) -> Option<PathBuf> {
    let named = std::env::var_os("TOOLGATE_CORPUS").map_or_else(|| PathBuf::from("../shared/corpus"), PathBuf::from);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(named).join(inside);
    if folder.exists() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "CI skips no test: the corpus has no `{inside}` (TOOLGATE_CORPUS)");
    println!("ignored: the corpus has no `{inside}`; set TOOLGATE_CORPUS to its folder");
    None
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

pub(super) fn texts(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    files(folder, &mut found);
    found.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn the_draft_suite_agrees() {
    let Some(folder) = corpus("json-schema-test-suite") else { return };
    for formats in [Formats::Assert, Formats::AsDeclared, Formats::from_names(["date", "uuid"]).unwrap()] {
        let options = CompileOptions { formats: formats.clone(), ..CompileOptions::default() };
        let [mut told, mut valid] = [0, 0];
        for text in texts(&folder.join("draft2020-12")) {
            let groups: Vec<Value> = serde_json::from_str(&text).unwrap();
            for group in groups {
                let schema = &group["schema"];
                let Some(quick) = FastPath::compile(&tape(&schema.to_string()), &formats) else { continue };
                let full = CompiledSchema::compile_with(schema, &options).map(CompiledSchema::without_fast_path);
                assert!(full.is_ok() || !quick.is_whole(), "{schema}");
                let Ok(full) = full else { continue };
                for test in group["tests"].as_array().unwrap() {
                    let value = tape(&test["data"].to_string());
                    let (is_told, is_valid) = (quick.check(value.root()).is_some(), full.is_valid(value.root()));
                    assert!(is_valid || !is_told, "{schema}: {test}");
                    told += usize::from(is_told);
                    valid += usize::from(is_valid);
                }
            }
        }
        println!("{told} of {valid} valid values recognized");
        assert!(3 * told > valid && told > 300, "{told} of {valid}");
    }
}

#[test]
fn real_tool_arguments_are_determined() {
    let Some(folder) = corpus("tools") else { return };
    let [mut whole, mut schemas] = [0, 0];
    let mut told = Vec::new();
    for text in texts(&folder) {
        for line in text.lines() {
            let tool: Value = serde_json::from_str(line).unwrap();
            schemas += 1;
            let Some(both) = FastAndFull::compile(&tool["parameters"]) else { continue };
            whole += usize::from(both.fast_path.is_whole());
            let Some(args) = tool.get("args") else { continue };
            for args in args.as_array().map_or(std::slice::from_ref(args), Vec::as_slice) {
                both.check(&args.to_string());
                told.push(both.complete(&args.to_string(), &[]));
            }
        }
    }
    let (quickly, slowly) = (count(&told, &CheckOutcome::FastPath), count(&told, &CheckOutcome::ValidatorOnly));
    println!("{whole} of {schemas} schemas supported; {quickly} of {} valid arguments recognized", quickly + slowly);
    assert!(quickly > 100 && quickly > 20 * slowly, "{quickly} {slowly}");
}
