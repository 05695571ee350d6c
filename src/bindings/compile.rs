//! The compiler, for `buildTools()`.

use std::path::PathBuf;

use napi_derive::napi;
use serde_json::json;

use super::options::read;
use crate::compile::{BuildOptions, BuildReport, Style, build, format_report};

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct JsBuildOptions {
    tools_dir: PathBuf,
    out_dir: Option<PathBuf>,
    #[serde(default)]
    modes: Vec<String>,
}

/// Builds a tool set. Returns `{ report, text }` as JSON text: the report, and the report for a terminal.
#[napi(catch_unwind)]
pub fn build_tools(options: String) -> napi::Result<String> {
    let options: JsBuildOptions = read(&options, "build options")?;
    let defaults = BuildOptions::new(options.tools_dir);
    let out_dir = options.out_dir.unwrap_or_else(|| defaults.out_dir.clone());
    let report = build(&BuildOptions { out_dir, modes: options.modes, ..defaults });
    Ok(told(&report))
}

fn told(report: &BuildReport) -> String {
    json!({ "report": report, "text": format_report(report, &Style::PLAIN) }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_is_a_report() {
        let options = json!({ "toolsDir": "no/such/folder" }).to_string();
        let told: serde_json::Value = serde_json::from_str(&build_tools(options).unwrap()).unwrap();
        assert_eq!(told["report"]["ok"], false);
        assert!(told["text"].as_str().unwrap().starts_with("error["), "{told}");
    }
}
