//! The compiler: from tool folders to the artifact that a registry loads. Used at build time, never per call.
//!
//! Reads every folder, reports every finding of every tool in one run, and writes only where there is no error:
//!
//! | file | what it is |
//! |---|---|
//! | `tool_registry.json` | the artifact, [`Artifact`] |
//! | `tool_registry.d.ts` | TypeScript types of each tool's arguments |
//! | `handlers.mjs` | static imports of the handlers, for bundlers |
//!
//! A handler is parsed, never run. No process is started, nothing is fetched.

mod arguments;
mod authored;
mod code;
mod dialect;
mod drafts;
mod escapes;
mod file;
mod guide;
mod handler;
mod handlers_module;
mod harmless;
mod imported;
mod lint;
mod literal;
mod markdown;
mod modules;
mod place;
mod provider;
mod read;
mod refs;
mod render;
mod report;
mod resolve;
mod schema_module;
mod source;
mod spots;
mod stamp;
mod suggest;
mod targets;
mod tool;
mod typescript;
mod version;
mod write;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::thread;

pub use code::{Code, Severity};
pub use drafts::{Draft, Modern, Moved, Note, NoteKind, modern};
pub use imported::{BrokenValue, CompiledTool, ToolFinding, compile_tool, compile_tool_text};
pub use modules::Import;
pub use provider::{Declarations, declare, provider_names};
pub use render::{Colour, Style, format_findings, format_report};
pub use report::{BuildReport, Diagnostic};
pub use schema_module::{ModuleFinding, ModuleFindingKind, Outcome, SchemaModule};

use lint::Settings;
use place::Place;
use report::Findings;
use targets::InUse;
use tool::{Document, Tool};
use toolgate_definition::{ARTIFACT_VERSION, Artifact, Declared, DeclaredTool, ToolDefinition, Verbatim};
use write::Output;

/// The modes that every host has.
const BUILT_IN_MODES: [&str; 3] = ["text", "voice", "webcam"];

/// What to build, and from what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildOptions {
    /// The folder with one folder for each tool.
    pub tools_dir: PathBuf,
    /// Where the files go.
    pub out_dir: PathBuf,
    /// Seconds since 1970 to write as the time of the build; absent: now.
    pub source_date_epoch: Option<i64>,
    /// The commit to write; absent: found in the files of the git repository around the tools, where there is one.
    pub git_commit: Option<String>,
    /// Modes of the host besides `text`, `voice` and `webcam`.
    pub modes: Vec<String>,
    /// What the schema modules of tools gave, by the tool's folder. The core runs no code: a module that is not here
    /// is an error.
    pub schema_modules: BTreeMap<String, SchemaModule>,
    /// Providers that the host uses: targets (`geminiNative`) or families of them (`gemini`); none: all. `openaiStrict`
    /// and `geminiJson` are further forms of what others tell, and in use only where they are named. Every target is
    /// declared in any case; findings are about those in use.
    pub providers: Vec<String>,
}

impl BuildOptions {
    /// Builds `tools_dir` into itself, at the time that the environment variable `SOURCE_DATE_EPOCH` says where it is
    /// set (reproducible-builds.org).
    pub fn new(tools_dir: impl Into<PathBuf>) -> Self {
        let tools_dir = tools_dir.into();
        let epoch = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.trim().parse().ok());
        Self {
            out_dir: tools_dir.clone(),
            tools_dir,
            source_date_epoch: epoch,
            git_commit: None,
            modes: Vec::new(),
            schema_modules: BTreeMap::new(),
            providers: Vec::new(),
        }
    }
}

/// Checks the tools and, where there is no error, writes the tool set. The last good one stays where there is.
///
/// Never panics: whatever is wrong is a finding of the report.
#[must_use]
pub fn build(options: &BuildOptions) -> BuildReport {
    compile(options, Writing::Files).report
}

/// The same findings without writing.
#[must_use]
pub fn check(options: &BuildOptions) -> BuildReport {
    compile(options, Writing::Nothing).report
}

/// What becomes of a tool set that has no errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Its files are written.
    Files,
    /// It is only looked at.
    Nothing,
}

/// What was found, and what was made of it.
pub struct Compiled {
    /// Every finding.
    pub report: BuildReport,
    /// The tool set; absent where there are errors.
    pub artifact: Option<Artifact>,
    /// By tool, a digest of its handler with what it loads from the tools folder. Empty where there are errors.
    pub handlers: BTreeMap<String, String>,
    tools: Vec<Tool>,
}

impl Compiled {
    /// The files that schema modules are made of, also those outside the tools folder.
    #[must_use]
    pub fn module_files(&self) -> BTreeSet<PathBuf> {
        self.tools.iter().flat_map(modules::of_schema).collect()
    }

    /// By tool folder, everything that its handler loads.
    #[must_use]
    pub fn imports(&self) -> BTreeMap<String, Vec<Import>> {
        self.tools.iter().map(|tool| (tool.folder.clone(), modules::imports(tool))).collect()
    }
}

/// Checks the tools and makes the tool set of them.
#[must_use]
pub fn compile(options: &BuildOptions, writing: Writing) -> Compiled {
    apart(|| run(options, writing)).unwrap_or_else(|| {
        let mut findings = Findings::default();
        let at = Place::whole(read::root_label(&options.tools_dir));
        let help = "it is a defect of toolgate; build the folders one by one to see which one it is";
        findings.add(Code::Internal, at, "the build broke off", help);
        let report = report(findings, None);
        Compiled { report, artifact: None, handlers: BTreeMap::new(), tools: Vec::new() }
    })
}

/// Parsers and schemas recurse as deep as their input nests, so the compiler brings its own stack; and a defect in one
/// of them ends this thread, not the host: `None`.
fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    const STACK_BYTES: usize = 64 * 1024 * 1024;
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("toolgate-build".to_owned()).stack_size(STACK_BYTES);
        builder.spawn_scoped(scope, work).ok()?.join().ok()
    })
}

fn run(options: &BuildOptions, writing: Writing) -> Compiled {
    let mut findings = Findings::default();
    let tools = checked(options, &mut findings);
    let made = if findings.has_errors() { None } else { artifact(options, &tools, &mut findings) };
    if let (Some((artifact, _)), Writing::Files) = (&made, writing) {
        store(options, artifact, &tools, &mut findings);
    }
    let (artifact, handlers) = made.filter(|_| !findings.has_errors()).unzip();
    Compiled { report: report(findings, artifact.as_ref()), artifact, handlers: handlers.unwrap_or_default(), tools }
}

fn report(findings: Findings, artifact: Option<&Artifact>) -> BuildReport {
    let ok = !findings.has_errors();
    let (diagnostics, sources) = findings.into_sorted();
    BuildReport {
        ok,
        version: artifact.map(|artifact| artifact.version.clone()),
        tools: artifact.into_iter().flat_map(Artifact::definitions).map(|tool| tool.tool_id.clone()).collect(),
        diagnostics,
        sources,
    }
}

/// Every tool, read and checked by every rule.
fn checked(options: &BuildOptions, findings: &mut Findings) -> Vec<Tool> {
    let modes = BUILT_IN_MODES.iter().map(|&mode| mode.to_owned()).chain(options.modes.iter().cloned()).collect();
    let settings = Settings { modes, in_use: InUse::new(&options.providers) };
    let root = read::root_label(&options.tools_dir);
    for name in options.providers.iter().filter(|name| targets::named(name).is_empty()) {
        let message = format!("`{name}` is no provider");
        findings.add(Code::UnknownProvider, Place::whole(root.as_str()), message, targets::instead_of(name));
    }
    let mut tools = Vec::new();
    for (mut tool, mut found) in read::tools(&options.tools_dir, &options.schema_modules, findings) {
        lint::check(&tool, &settings, &mut found);
        if !tool.schema.iter().flat_map(Document::labels).any(|label| found.has_errors_in(label)) {
            // What does not resolve is reported when the artifact is made.
            tool.declared = resolve::definition(&tool, String::new()).ok().map(|definition| declare(&definition));
        }
        lint::check_declared(&tool, &settings, &mut found);
        findings.absorb(found, &tool.accepted());
        tools.push(tool);
    }
    lint::check_set(&tools, &root, &settings, findings);
    if tools.is_empty() && !findings.has_errors() {
        findings.add(
            Code::NoTools,
            Place::whole(root),
            "there is no tool in the folder",
            "add one folder for each tool",
        );
    }
    tools
}

/// The artifact of tools that passed every rule, and the digests of their handlers.
fn artifact(
    options: &BuildOptions,
    tools: &[Tool],
    findings: &mut Findings,
) -> Option<(Artifact, BTreeMap<String, String>)> {
    let base = between(&options.out_dir, &options.tools_dir);
    let mut made = Vec::new();
    let mut sources = BTreeMap::new();
    let mut handlers = BTreeMap::new();
    for tool in tools {
        let Some(handler) = &tool.handler else { continue };
        let handler_path = format!("{base}{}/{}", tool.folder, handler.file_name);
        match resolve::definition(tool, handler_path) {
            Ok(definition) => made.push(declared(definition, tool)),
            Err(reason) => {
                let at = Place::whole(format!("{}/schema.json", tool.label));
                findings.add(Code::WrongType, at, reason, "correct the field that the message names");
            }
        }
        let own = modules::sources(&options.tools_dir, handler);
        handlers.insert(tool.expected_id(), modules::digest(&own));
        sources.extend(own);
    }
    made.sort_unstable_by(|a, b| a.definition.tool_id.cmp(&b.definition.tool_id));
    let version = match version::of(made.iter().map(|tool| &tool.definition), &sources) {
        Ok(version) => version,
        Err(error) => {
            let at = Place::whole(read::root_label(&options.tools_dir));
            findings.add(Code::TooLarge, at, format!("the tool set has no version: {error}"), "make the tools smaller");
            return None;
        }
    };
    let artifact = Artifact {
        artifact_version: ARTIFACT_VERSION,
        version,
        git_commit: options.git_commit.clone().or_else(|| stamp::commit(&options.tools_dir)),
        build_timestamp: stamp::timestamp(options.source_date_epoch),
        tools: made,
    };
    (!findings.has_errors()).then_some((artifact, handlers))
}

/// A tool with what providers are told, which was made when the tool was checked.
fn declared(definition: ToolDefinition, tool: &Tool) -> DeclaredTool {
    let Declarations { provider_schemas, lowering } = tool.declared.clone().unwrap_or_else(|| declare(&definition));
    let verbatim = |(name, declaration): (String, serde_json::Value)| (name, Verbatim::of(&declaration));
    let declared = Declared { provider_schemas: provider_schemas.into_iter().map(verbatim).collect(), lowering };
    DeclaredTool { definition, declared }
}

/// The way from one folder to another, as a prefix with forward slashes: empty, or `../tools/`.
fn between(from: &Path, to: &Path) -> String {
    let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into());
    let (from, to) = (real(from), real(to));
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to.components().skip(common).map(|name| name.as_os_str().to_string_lossy().into_owned());
    up.chain(down).map(|name| name + "/").collect()
}

fn store(options: &BuildOptions, artifact: &Artifact, tools: &[Tool], findings: &mut Findings) {
    let fail = |findings: &mut Findings, reason: String| {
        let at = Place::whole(read::root_label(&options.out_dir));
        findings.add(Code::WriteFailed, at, reason, "check the folder's permissions and the space on the disk");
    };
    let json = match artifact.to_text() {
        Ok(json) => json,
        Err(error) => return fail(findings, format!("the tool set can't be written as JSON: {error}")),
    };
    let is_commonjs = |tool: &&Tool| tool.handler.as_ref().is_some_and(|handler| handler.module.commonjs);
    let commonjs: BTreeSet<String> = tools.iter().filter(is_commonjs).map(Tool::expected_id).collect();
    let definitions: Vec<&ToolDefinition> = artifact.definitions().collect();
    let outputs = [
        Output { name: "tool_registry.d.ts", text: typescript::text(&definitions) },
        Output { name: "handlers.mjs", text: handlers_module::text(&definitions, &commonjs) },
        // Last: with it the build is done.
        Output { name: "tool_registry.json", text: json },
    ];
    if let Err(error) = write::all(&options.out_dir, &outputs) {
        fail(findings, format!("the tool set can't be written: {error}"));
    }
}
