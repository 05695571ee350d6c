//! Compiles tool folders into the artifact that a registry loads. Runs at build time, never per call.
//!
//! Reads every folder, reports the findings of all tools in one run, and writes only if there is no error:
//!
//! | file | content |
//! |---|---|
//! | `tool_registry.json` | the artifact, [`Artifact`] |
//! | `tool_registry.d.ts` | TypeScript types of each tool's arguments |
//! | `handlers.mjs` | static imports of the handlers, for bundlers |
//!
//! The tools of MCP servers are in it, too, as `toolgate.lock.json` has them. A handler is parsed, never run. No process is started, nothing is fetched.

mod draft_upgrade;
mod findings;
mod handler;
mod imported;
mod lint;
mod output;
mod provider;
mod schema;
mod source_lock;
mod text;
mod tool_folder;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::thread;

pub use draft_upgrade::{Draft, PointerMap, UpgradeNote, UpgradeNoteKind, UpgradedSchema, upgrade_schema};
pub use findings::code::{Code, Severity};
pub use findings::render::{Colour, Style, format_findings, format_report};
pub use findings::report::{BuildReport, Diagnostic};
pub use imported::{NonJsonValue, ToolCompilation, ToolFinding, compile_tool, compile_tool_text};
pub use provider::{Declarations, declare, provider_names};
pub use source_lock::sources_of_build::{SourceProblem, SourcesOfBuild};
pub use tool_folder::module_graph::HandlerImport;
pub use tool_folder::schema_module::{ModuleFinding, ModuleFindingKind, SchemaModule, SchemaModuleOutcome};

use findings::report::Findings;
use lint::LintSettings;
use output::handlers_module::ModuleForms;
use output::output_files::OutputFile;
use output::{build_metadata, handlers_module, output_files, typescript, version};
use provider::selection;
use provider::selection::ProvidersInUse;
use source_lock::LockedTools;
use text::location::SourceLocation;
use tool_folder::tool_source::{ToolDocument, ToolSource};
use tool_folder::{module_graph, tool_definition, tool_reader};
use toolgate_definition::{
    ARTIFACT_VERSION, Artifact, ProviderDeclarations, RawJson, ToolDefinition, ToolWithDeclarations,
};

/// The modes that every host has.
const BUILT_IN_MODES: [&str; 3] = ["text", "voice", "webcam"];

/// The inputs and outputs of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildOptions {
    /// Contains one folder for each tool.
    pub tools_dir: PathBuf,
    /// The folder that the files are written to.
    pub out_dir: PathBuf,
    /// The MCP servers whose tools belong to the set.
    pub sources: Option<SourcesOfBuild>,
    /// Build time to record, in seconds since 1970. Default: now.
    pub source_date_epoch: Option<i64>,
    /// Commit to record. Default: the checked-out commit of the git repository around the tools, if any.
    pub git_commit: Option<String>,
    /// Modes of the host besides `text`, `voice` and `webcam`.
    pub modes: Vec<String>,
    /// Results of loading the tools' schema modules, by tool folder. The core runs no code: a schema module without an
    /// entry is an error.
    pub schema_modules: BTreeMap<String, SchemaModule>,
    /// Providers that the host uses: targets (`geminiNative`) or families of targets (`gemini`). Empty: all, except
    /// `openaiStrict` and `geminiJson`, which are alternative forms of other targets and must be named. A tool is
    /// declared for every target in any case; findings are limited to the targets in use.
    pub providers: Vec<String>,
    /// The names of the services that the host registers, for a finding about a tool that requires another. `None`: not
    /// known.
    pub services: Option<Vec<String>>,
}

impl BuildOptions {
    /// Options that build `tools_dir` into itself. If the environment variable `SOURCE_DATE_EPOCH` is set, it is the
    /// build time (reproducible-builds.org).
    pub fn new(tools_dir: impl Into<PathBuf>) -> Self {
        let tools_dir = tools_dir.into();
        let epoch = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.trim().parse().ok());
        Self {
            out_dir: tools_dir.clone(),
            sources: None,
            tools_dir,
            source_date_epoch: epoch,
            git_commit: None,
            modes: Vec::new(),
            schema_modules: BTreeMap::new(),
            providers: Vec::new(),
            services: None,
        }
    }
}

/// Checks the tools and writes the tool set. If there is an error, the last good tool set stays.
///
/// Never panics: every failure is a finding of the report.
#[must_use]
pub fn build(options: &BuildOptions) -> BuildReport {
    compile(options, WriteMode::Files).report
}

/// Returns the findings of [`build`] without writing.
#[must_use]
pub fn check(options: &BuildOptions) -> BuildReport {
    compile(options, WriteMode::Nothing).report
}

/// Whether a tool set without errors is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// The files are written.
    Files,
    /// Nothing is written.
    Nothing,
}

/// The findings and the result of a compilation.
pub struct Compilation {
    /// Every finding.
    pub report: BuildReport,
    /// The tool set; absent if there are errors.
    pub artifact: Option<Artifact>,
    /// By tool id, a digest of the handler and of the files that it loads from the tools folder. Empty if there are
    /// errors.
    pub handler_digests: BTreeMap<String, String>,
    tools: Vec<ToolSource>,
}

impl Compilation {
    /// The files of all schema modules and of their imports, including files outside the tools folder.
    #[must_use]
    pub fn module_files(&self) -> BTreeSet<PathBuf> {
        self.tools.iter().flat_map(module_graph::schema_module_files).collect()
    }

    /// By tool folder, every module that the handler loads.
    #[must_use]
    pub fn imports(&self) -> BTreeMap<String, Vec<HandlerImport>> {
        self.tools.iter().map(|tool| (tool.folder.clone(), module_graph::handler_imports(tool))).collect()
    }
}

/// Checks the tools and compiles them into a tool set.
#[must_use]
pub fn compile(options: &BuildOptions, writing: WriteMode) -> Compilation {
    run_on_build_thread(|| compile_tools(options, writing)).unwrap_or_else(|| {
        let mut findings = Findings::default();
        let at = SourceLocation::whole_file(tool_reader::root_label(&options.tools_dir));
        let help = "this is a defect of toolgate; build the folders one by one to find the one that causes it";
        findings.add(Code::Internal, at, "the build stopped because of an internal error", help);
        let report = build_report(findings, None);
        Compilation { report, artifact: None, handler_digests: BTreeMap::new(), tools: Vec::new() }
    })
}

/// Runs `work` on a thread with a large stack, because parsers and schemas recurse as deep as their input nests.
/// Returns `None` if `work` panics: a defect ends the thread, not the host.
fn run_on_build_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    const STACK_BYTES: usize = 64 * 1024 * 1024;
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("toolgate-build".to_owned()).stack_size(STACK_BYTES);
        builder.spawn_scoped(scope, work).ok()?.join().ok()
    })
}

fn compile_tools(options: &BuildOptions, writing: WriteMode) -> Compilation {
    let mut findings = Findings::default();
    let CheckedTools { folders: tools, locked } = check_tools(options, &mut findings);
    let made = if findings.has_errors() { None } else { build_artifact(options, &tools, locked, &mut findings) };
    if let (Some((artifact, _)), WriteMode::Files) = (&made, writing) {
        write_outputs(options, artifact, &tools, &mut findings);
    }
    let (artifact, handlers) = made.filter(|_| !findings.has_errors()).unzip();
    Compilation {
        report: build_report(findings, artifact.as_ref()),
        artifact,
        handler_digests: handlers.unwrap_or_default(),
        tools,
    }
}

fn build_report(findings: Findings, artifact: Option<&Artifact>) -> BuildReport {
    let ok = !findings.has_errors();
    let (diagnostics, sources) = findings.into_sorted();
    BuildReport {
        ok,
        version: artifact.map(|artifact| artifact.version.clone()),
        tools: artifact.into_iter().flat_map(public_definitions).map(|tool| tool.tool_id.clone()).collect(),
        diagnostics,
        sources,
    }
}

/// The tools that a project has, without those that come with its sources.
fn public_definitions(artifact: &Artifact) -> impl Iterator<Item = &ToolDefinition> {
    artifact.definitions().filter(|tool| !tool.nested_only)
}

/// The tools of a build.
struct CheckedTools {
    folders: Vec<ToolSource>,
    locked: LockedTools,
}

/// Reads every tool and checks it by every rule.
fn check_tools(options: &BuildOptions, findings: &mut Findings) -> CheckedTools {
    let modes = BUILT_IN_MODES.iter().map(|&mode| mode.to_owned()).chain(options.modes.iter().cloned()).collect();
    let in_use = ProvidersInUse::from_names(&options.providers);
    let settings = LintSettings { modes, in_use, services: options.services.clone() };
    let root = tool_reader::root_label(&options.tools_dir);
    for name in options.providers.iter().filter(|name| selection::targets_named(name).is_empty()) {
        let message = format!("unknown provider `{name}`");
        findings.add(
            Code::UnknownProvider,
            SourceLocation::whole_file(root.as_str()),
            message,
            selection::suggest_provider(name),
        );
    }
    let mut tools = Vec::new();
    for (mut tool, mut found) in read_folders(options, findings) {
        lint::check(&tool, &settings, &mut found);
        if !tool.schema.iter().flat_map(ToolDocument::labels).any(|label| found.has_errors_in(label)) {
            // A definition that can't be built is reported by `artifact`.
            tool.declared =
                tool_definition::build_definition(&tool, String::new()).ok().map(|definition| declare(&definition));
        }
        lint::check_declarations(&tool, &settings, &mut found);
        findings.merge_unaccepted(found, &tool.accepted_codes());
        tools.push(tool);
    }
    let locked = options.sources.as_ref();
    let locked = locked
        .map_or_else(LockedTools::default, |sources| source_lock::locked_tools(sources, &tools, &settings, findings));
    lint::check_tool_ids(tools.iter(), findings);
    let all: Vec<&ToolSource> = tools.iter().chain(locked.tools.iter().map(|tool| &tool.fields)).collect();
    lint::check_tool_set(&all, &root, &settings, findings);
    if all.is_empty() && !findings.has_errors() {
        findings.add(
            Code::NoTools,
            SourceLocation::whole_file(root),
            "the folder contains no tool",
            "add one folder for each tool",
        );
    }
    CheckedTools { folders: tools, locked }
}

/// The tool folders. A project whose tools are all of sources needs none.
fn read_folders(options: &BuildOptions, findings: &mut Findings) -> Vec<tool_reader::ToolWithFindings> {
    if !options.tools_dir.exists() && options.sources.as_ref().is_some_and(|sources| sources.dir.is_dir()) {
        return Vec::new();
    }
    tool_reader::read_tools(&options.tools_dir, &options.schema_modules, findings)
}

/// The artifact of tools that passed every rule, and the digests of their handlers by tool id.
fn build_artifact(
    options: &BuildOptions,
    tools: &[ToolSource],
    locked: LockedTools,
    findings: &mut Findings,
) -> Option<(Artifact, BTreeMap<String, String>)> {
    let base = relative_prefix(&options.out_dir, &options.tools_dir);
    let mut made = Vec::new();
    let mut sources = BTreeMap::new();
    let mut handlers = BTreeMap::new();
    for tool in tools {
        let Some(handler) = &tool.handler else { continue };
        let handler_path = format!("{base}{}/{}", tool.folder, handler.file_name);
        match tool_definition::build_definition(tool, handler_path) {
            Ok(definition) => {
                let declared = tool.declared.clone().unwrap_or_else(|| declare(&definition));
                made.push(with_declarations(definition, declared));
            }
            Err(reason) => {
                let at = SourceLocation::whole_file(format!("{}/schema.json", tool.label));
                findings.add(Code::WrongType, at, reason, "correct the field that the message names");
            }
        }
        let own = module_graph::call_sources(&options.tools_dir, tool, handler);
        handlers.insert(tool.expected_id(), module_graph::sources_digest(&own));
        sources.extend(own);
    }
    made.extend(locked.tools.into_iter().map(|tool| with_declarations(tool.definition, tool.declared)));
    made.extend(locked.question.map(|tool| with_declarations(tool, Declarations::default())));
    made.sort_unstable_by(|a, b| a.definition.tool_id.cmp(&b.definition.tool_id));
    let version = match version::tool_set_version(made.iter().map(|tool| &tool.definition), &sources) {
        Ok(version) => version,
        Err(error) => {
            let at = SourceLocation::whole_file(tool_reader::root_label(&options.tools_dir));
            let message = format!("the version of the tool set can't be computed: {error}");
            findings.add(Code::TooLarge, at, message, "make the tools smaller");
            return None;
        }
    };
    let artifact = Artifact {
        artifact_version: ARTIFACT_VERSION,
        version,
        git_commit: options.git_commit.clone().or_else(|| build_metadata::git_commit(&options.tools_dir)),
        build_timestamp: build_metadata::timestamp(options.source_date_epoch),
        tools: made,
    };
    (!findings.has_errors()).then_some((artifact, handlers))
}

/// A tool with its declarations for providers.
fn with_declarations(definition: ToolDefinition, declared: Declarations) -> ToolWithDeclarations {
    let Declarations { provider_schemas, lowering, .. } = declared;
    let verbatim = |(name, declaration): (String, serde_json::Value)| (name, RawJson::from_value(&declaration));
    let declared =
        ProviderDeclarations { provider_schemas: provider_schemas.into_iter().map(verbatim).collect(), lowering };
    ToolWithDeclarations { definition, declared }
}

/// The relative path from one folder to another, as a prefix with forward slashes: empty, or `../tools/`.
fn relative_prefix(from: &Path, to: &Path) -> String {
    let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into());
    let (from, to) = (real(from), real(to));
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to.components().skip(common).map(|name| name.as_os_str().to_string_lossy().into_owned());
    up.chain(down).map(|name| name + "/").collect()
}

fn write_outputs(options: &BuildOptions, artifact: &Artifact, tools: &[ToolSource], findings: &mut Findings) {
    let fail = |findings: &mut Findings, reason: String| {
        let at = SourceLocation::whole_file(tool_reader::root_label(&options.out_dir));
        findings.add(Code::WriteFailed, at, reason, "check the folder's permissions and the space on the disk");
    };
    let json = match artifact.to_line_format() {
        Ok(json) => json,
        Err(error) => return fail(findings, format!("the tool set can't be written as JSON: {error}")),
    };
    let forms = ModuleForms::from_sources(tools);
    let definitions: Vec<&ToolDefinition> = public_definitions(artifact).collect();
    let handled: Vec<&ToolDefinition> = public_definitions(artifact).filter(|tool| tool.source.is_none()).collect();
    let outputs = [
        OutputFile { name: "tool_registry.d.ts", text: typescript::declaration_file(&definitions) },
        OutputFile { name: "handlers.mjs", text: handlers_module::module_text(&handled, &forms) },
        // Last, so that a new registry file implies that the other files are new too.
        OutputFile { name: "tool_registry.json", text: json },
    ];
    if let Err(error) = output_files::write_all(&options.out_dir, &outputs) {
        fail(findings, format!("the tool set can't be written: {error}"));
    }
}
