//! The compiler, for `buildTools()`, `compileTool()` and the commands. A build does not block the JavaScript thread.

use std::collections::BTreeMap;
use std::path::PathBuf;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use napi_derive::napi;
use serde_json::json;

use super::options::parse_json;
use crate::compile::{
    BuildOptions, Colour, Compilation, NonJsonValue, SchemaModule, SourcesOfBuild, Style, WriteMode, compile,
    compile_tool_text, format_findings, format_report,
};
use crate::json::suggest;

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct JsBuildOptions {
    tools_dir: PathBuf,
    out_dir: Option<PathBuf>,
    sources: Option<SourcesOfBuild>,
    #[serde(default)]
    modes: Vec<String>,
    #[serde(default)]
    providers: Vec<String>,
    services: Option<Vec<String>>,
    #[serde(default)]
    schema_modules: BTreeMap<String, SchemaModule>,
    #[serde(default)]
    writing: JsWriting,
}

/// The style of a report; members are named like the command-line options (`--color`).
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct JsStyle {
    color: bool,
    width: usize,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum JsWriting {
    #[default]
    Files,
    Nothing,
}

impl From<JsBuildOptions> for (BuildOptions, WriteMode) {
    fn from(options: JsBuildOptions) -> Self {
        let JsBuildOptions { tools_dir, out_dir, sources, modes, providers, services, schema_modules, writing } =
            options;
        let defaults = BuildOptions::new(tools_dir);
        let out_dir = out_dir.unwrap_or_else(|| defaults.out_dir.clone());
        let writing = match writing {
            JsWriting::Files => WriteMode::Files,
            JsWriting::Nothing => WriteMode::Nothing,
        };
        (BuildOptions { out_dir, sources, modes, schema_modules, providers, services, ..defaults }, writing)
    }
}

/// A build on a thread of Node's pool.
pub struct BuildTask {
    options: BuildOptions,
    writing: WriteMode,
}

impl Task for BuildTask {
    type Output = Compilation;
    type JsValue = NativeBuild;

    fn compute(&mut self) -> napi::Result<Compilation> {
        Ok(compile(&self.options, self.writing))
    }

    fn resolve(&mut self, _: Env, compiled: Compilation) -> napi::Result<NativeBuild> {
        Ok(NativeBuild(compiled))
    }
}

/// Builds a tool set. `options` is JSON text.
#[napi(catch_unwind, ts_return_type = "Promise<NativeBuild>")]
pub fn build_tools(options: String) -> napi::Result<AsyncTask<BuildTask>> {
    let options: JsBuildOptions = parse_json(&options, "build options")?;
    let (options, writing) = options.into();
    Ok(AsyncTask::new(BuildTask { options, writing }))
}

/// Compiles a definition, given as the JSON text of an object and a list of the values that JSON can't express,
/// `[{ pointer, what }]`. Returns the compiled tool as JSON text.
#[napi(catch_unwind)]
pub fn compile_tool(definition: String, broken: String) -> napi::Result<String> {
    let broken: Vec<NonJsonValue> = parse_json(&broken, "broken values")?;
    Ok(json!(compile_tool_text(&definition, &broken)).to_string())
}

/// The compilation of a definition on a thread of Node's pool.
pub struct CompileToolTask {
    definition: String,
    broken: Vec<NonJsonValue>,
}

impl Task for CompileToolTask {
    type Output = String;
    type JsValue = String;

    fn compute(&mut self) -> napi::Result<String> {
        Ok(json!(compile_tool_text(&self.definition, &self.broken)).to_string())
    }

    fn resolve(&mut self, _: Env, compiled: String) -> napi::Result<String> {
        Ok(compiled)
    }
}

/// As `compileTool`, without blocking the JavaScript thread.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn compile_tool_async(definition: String, broken: String) -> napi::Result<AsyncTask<CompileToolTask>> {
    let broken: Vec<NonJsonValue> = parse_json(&broken, "broken values")?;
    Ok(AsyncTask::new(CompileToolTask { definition, broken }))
}

/// The result of a build.
#[napi]
pub struct NativeBuild(Compilation);

#[napi]
impl NativeBuild {
    /// The report, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn report(&self) -> String {
        json!(self.0.report).to_string()
    }

    /// The report for a terminal. `style` is JSON text.
    #[napi(catch_unwind)]
    pub fn format(&self, style: String) -> napi::Result<String> {
        Ok(format_report(&self.0.report, &parse_style(&style)?))
    }

    /// The findings only, without the line about the build's result.
    #[napi(catch_unwind)]
    pub fn findings(&self, style: String) -> napi::Result<String> {
        Ok(format_findings(&self.0.report, &parse_style(&style)?))
    }

    /// The artifact as JSON text; `None` if there are errors.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn artifact(&self) -> Option<String> {
        self.0.artifact.as_ref().and_then(|artifact| artifact.to_line_format().ok())
    }

    /// The digest of each tool's handler sources, by tool, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn handlers(&self) -> String {
        json!(self.0.handler_digests).to_string()
    }

    /// The imports of each handler, by tool folder: `{ file, module }`, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn imports(&self) -> String {
        json!(self.0.imports()).to_string()
    }

    /// The source files of schema modules.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn module_files(&self) -> Vec<String> {
        self.0.module_files().iter().map(|path| path.to_string_lossy().into_owned()).collect()
    }
}

fn parse_style(style: &str) -> napi::Result<Style> {
    let JsStyle { color, width } = parse_json(style, "style of a report")?;
    Ok(Style { colour: if color { Colour::Ansi } else { Colour::Never }, width })
}

/// The candidate most similar to a name; `None` if no candidate is similar.
#[napi(catch_unwind)]
#[must_use]
pub fn nearest_name(name: String, candidates: Vec<String>) -> Option<String> {
    suggest(&name, candidates.iter().map(String::as_str)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_is_a_report() {
        let options: JsBuildOptions = serde_json::from_value(json!({ "toolsDir": "no/such/folder" })).unwrap();
        let (options, writing) = options.into();
        let built = NativeBuild(BuildTask { options, writing }.compute().unwrap());
        let report: serde_json::Value = serde_json::from_str(&built.report()).unwrap();
        assert_eq!(report["ok"], false);
        let text = built.format(json!({ "color": false, "width": 80 }).to_string()).unwrap();
        assert!(text.starts_with("error["), "{text}");
        assert_eq!((built.artifact(), built.handlers(), built.module_files()), (None, "{}".into(), vec![]));
    }
}
