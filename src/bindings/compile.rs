//! The compiler, for `buildTools()`, `compileTool()` and the commands. A build runs beside the JavaScript thread, which
//! stays free.

use std::collections::BTreeMap;
use std::path::PathBuf;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use napi_derive::napi;
use serde_json::json;

use super::options::read;
use crate::compile::{
    BrokenValue, BuildOptions, Colour, Compiled, SchemaModule, Style, Writing, compile, compile_tool_text,
    format_findings, format_report,
};
use toolgate_did_you_mean::nearest;

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct JsBuildOptions {
    tools_dir: PathBuf,
    out_dir: Option<PathBuf>,
    #[serde(default)]
    modes: Vec<String>,
    #[serde(default)]
    providers: Vec<String>,
    #[serde(default)]
    schema_modules: BTreeMap<String, SchemaModule>,
    #[serde(default)]
    writing: JsWriting,
}

/// Named as on the command line: `--color`.
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

impl From<JsBuildOptions> for (BuildOptions, Writing) {
    fn from(options: JsBuildOptions) -> Self {
        let JsBuildOptions { tools_dir, out_dir, modes, providers, schema_modules, writing } = options;
        let defaults = BuildOptions::new(tools_dir);
        let out_dir = out_dir.unwrap_or_else(|| defaults.out_dir.clone());
        let writing = match writing {
            JsWriting::Files => Writing::Files,
            JsWriting::Nothing => Writing::Nothing,
        };
        (BuildOptions { out_dir, modes, schema_modules, providers, ..defaults }, writing)
    }
}

/// A build that runs on a thread of Node's pool.
pub struct BuildTask {
    options: BuildOptions,
    writing: Writing,
}

impl Task for BuildTask {
    type Output = Compiled;
    type JsValue = NativeBuild;

    fn compute(&mut self) -> napi::Result<Compiled> {
        Ok(compile(&self.options, self.writing))
    }

    fn resolve(&mut self, _: Env, compiled: Compiled) -> napi::Result<NativeBuild> {
        Ok(NativeBuild(compiled))
    }
}

/// Builds a tool set as `options`, JSON text, say.
#[napi(catch_unwind, ts_return_type = "Promise<NativeBuild>")]
pub fn build_tools(options: String) -> napi::Result<AsyncTask<BuildTask>> {
    let options: JsBuildOptions = read(&options, "build options")?;
    let (options, writing) = options.into();
    Ok(AsyncTask::new(BuildTask { options, writing }))
}

/// Compiles a definition, given as the JSON text of an object and a list of what the text could not carry,
/// `[{ pointer, what }]`. Returns the compiled tool as JSON text.
#[napi(catch_unwind)]
pub fn compile_tool(definition: String, broken: String) -> napi::Result<String> {
    let broken: Vec<BrokenValue> = read(&broken, "broken values")?;
    Ok(json!(compile_tool_text(&definition, &broken)).to_string())
}

/// What a build found and made.
#[napi]
pub struct NativeBuild(Compiled);

#[napi]
impl NativeBuild {
    /// The report, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn report(&self) -> String {
        json!(self.0.report).to_string()
    }

    /// The report for a terminal, as `style`, JSON text, says.
    #[napi(catch_unwind)]
    pub fn format(&self, style: String) -> napi::Result<String> {
        Ok(format_report(&self.0.report, &style_of(&style)?))
    }

    /// The findings alone, without the line that says what became of the build.
    #[napi(catch_unwind)]
    pub fn findings(&self, style: String) -> napi::Result<String> {
        Ok(format_findings(&self.0.report, &style_of(&style)?))
    }

    /// The artifact as JSON text; none where there are errors.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn artifact(&self) -> Option<String> {
        self.0.artifact.as_ref().and_then(|artifact| artifact.to_text().ok())
    }

    /// By tool, a digest of what its handler is made of, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn handlers(&self) -> String {
        json!(self.0.handlers).to_string()
    }

    /// By tool folder, everything that its handler loads: `{ file, module }`, as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn imports(&self) -> String {
        json!(self.0.imports()).to_string()
    }

    /// The files that schema modules are made of.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn module_files(&self) -> Vec<String> {
        self.0.module_files().iter().map(|path| path.to_string_lossy().into_owned()).collect()
    }
}

fn style_of(style: &str) -> napi::Result<Style> {
    let JsStyle { color, width } = read(style, "style of a report")?;
    Ok(Style { colour: if color { Colour::Ansi } else { Colour::Never }, width })
}

/// The name that was probably meant; none where no candidate is near.
#[napi(catch_unwind)]
#[must_use]
pub fn nearest_name(name: String, candidates: Vec<String>) -> Option<String> {
    nearest(&name, candidates.iter().map(String::as_str)).map(str::to_owned)
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
