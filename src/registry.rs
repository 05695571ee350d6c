//! The registry: an immutable snapshot of compiled tools. A reload creates a new snapshot.

mod availability;
mod handler_part;
mod parallel;
mod spelling;
mod strict_nulls;

pub use availability::{Availability, Unavailable};
pub use handler_part::HandlerPart;
pub use strict_nulls::StrictNulls;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::{fs, io, thread};

use crate::definition::{
    Artifact, ArtifactError, ArtifactReader, Cache, CancellationPolicy, Category, DuplicateRule, EffectClass,
    LazyDeclarations, ToolDefinition, ToolWithDeclarations,
};
use crate::json::{Tape, suggest};
use crate::schema::{ArgsSchema, Clamp, CompiledSchema};
use serde_json::Value;
use sha2::{Digest, Sha256};
use toolgate_tool_search::{SearchableTool, ToolIndex};

/// A callable tool: its definition with compiled schemas.
#[derive(Debug)]
pub struct CompiledTool {
    /// The tool's id.
    pub id: Arc<str>,
    /// The tool's version.
    pub version: Arc<str>,
    /// The definition.
    pub definition: ToolDefinition,
    /// The declarations for providers.
    pub declarations: LazyDeclarations,
    /// The tool's effect class.
    pub effect: EffectClass,
    /// The arguments' schema.
    pub args_schema: ArgsSchema,
    /// The reading of nulls in its arguments.
    pub strict_nulls: StrictNulls,
    /// The result's schema.
    pub result_schema: Option<CompiledSchema>,
    /// The schema of arguments that need confirmation; `None`: all calls, if the tool requires confirmation.
    pub confirm_when: Option<CompiledSchema>,
    /// The rule by which its calls are duplicates; `None` if none is.
    pub duplicates: Option<DuplicateRule>,
    /// The handler's function that finds out what a call of uncertain outcome has done.
    pub reconcile: HandlerPart,
    /// The code of the handler's schema.
    pub schema_code: HandlerPart,
    /// Whether its server still offers it.
    pub availability: Availability,
    clamps: HashMap<String, Vec<Clamp>>,
    digest: OnceLock<[u8; 32]>,
}

/// Why a call may leave its admission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MayLeave {
    /// To have an earlier call reconciled.
    pub reconciles: bool,
    /// To have its arguments checked by the code of its schema.
    pub checks: bool,
}

impl MayLeave {
    const fn or(self, other: Self) -> Self {
        Self { reconciles: self.reconciles || other.reconciles, checks: self.checks || other.checks }
    }
}

impl CompiledTool {
    fn compile((definition, declared): (ToolDefinition, LazyDeclarations)) -> Result<Arc<Self>, ToolCompileError> {
        let refuse = |what: &str, problem: &dyn std::fmt::Display| ToolCompileError {
            tool: definition.tool_id.clone(),
            problem: format!("{what} does not compile: {problem}"),
        };
        let args = ArgsSchema::compile_text(Arc::clone(definition.json_schema.text()))
            .map_err(|e| refuse("`parameters`", &e))?;
        let load = |text: Option<Arc<str>>, what: &str| {
            text.map(CompiledSchema::compile_text).transpose().map_err(|e| refuse(what, &e))
        };
        let result = definition.result_schema.as_ref().map(|schema| Arc::clone(schema.text()));
        let result = load(result, "`resultSchema`")?;
        let confirm_when = definition.confirmation.when.as_ref().map(|schema| schema.to_string().into());
        let confirm_when = load(confirm_when, "`confirmation.when`")?;
        let clamps = definition
            .clamp
            .iter()
            .map(|(mode, by_property)| {
                let clamps = by_property.iter().map(|(property, max)| Clamp { property: property.clone(), max: *max });
                (mode.clone(), clamps.collect())
            })
            .collect();
        Ok(Arc::new(Self {
            id: definition.tool_id.as_str().into(),
            version: definition.version.as_str().into(),
            effect: definition.effect(),
            args_schema: args,
            strict_nulls: StrictNulls::default(),
            result_schema: result,
            confirm_when,
            duplicates: definition.duplicate_rule(),
            reconcile: HandlerPart::default(),
            schema_code: HandlerPart::default(),
            availability: Availability::default(),
            clamps,
            declarations: declared,
            definition,
            digest: OnceLock::new(),
        }))
    }

    /// SHA-256 over the definition: a question to a user is bound to it. Two builds of a tool may have one version and
    /// different definitions.
    #[must_use]
    pub fn definition_digest(&self) -> [u8; 32] {
        *self.digest.get_or_init(|| {
            // A definition was read from JSON, so it can be written.
            Sha256::digest(serde_json::to_vec(&self.definition).unwrap_or_default()).into()
        })
    }

    /// The arguments for people and models: with their sensitive values masked. Everything that leaves the gate and
    /// shows arguments is made from these; only the handler gets the arguments themselves.
    #[must_use]
    pub fn shown_args(&self, args: &Tape) -> Value {
        if self.args_schema.has_sensitive() {
            return serde_json::from_str(&self.args_schema.mask(args)).unwrap_or(Value::Null);
        }
        args.root().to_value()
    }

    /// Whether the tool's calls count as retrievals.
    #[must_use]
    pub fn is_retrieval(&self) -> bool {
        self.definition.category == Category::Retrieval
    }

    /// The cache settings of its results; `None` if the effect class is not cacheable, even if the definition has
    /// settings.
    #[must_use]
    pub fn cache(&self) -> Option<Cache> {
        self.definition.cache.filter(|_| self.effect.is_cacheable())
    }

    /// Whether its calls of uncertain outcome are reconciled: calls that leave no effects are just made again.
    #[must_use]
    pub fn is_reconciled(&self) -> bool {
        self.effect.may_leave_effects() && self.reconcile.is_given()
    }

    /// Whether the code of its schema may run before a question about a call.
    #[must_use]
    pub fn is_checked_first(&self) -> bool {
        self.schema_code.is_given() && (self.definition.requires_confirmation || self.duplicates.is_some())
    }

    /// Whether an equal call without a stable id runs again once the one before was answered; never for a tool that
    /// writes, even if the definition says so.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        self.definition.repeatable && !self.effect.may_leave_effects()
    }

    /// The treatment of a run whose last caller is cancelled.
    #[must_use]
    pub fn when_cancelled(&self) -> CancellationPolicy {
        self.effect.cancellation_policy(self.cache())
    }

    /// Whether the tool may be called in a mode.
    #[must_use]
    pub fn allows_mode(&self, mode: &str) -> bool {
        self.definition.allowed_modes.iter().any(|allowed| allowed == mode)
    }

    /// The required services that are not available.
    #[must_use]
    pub fn missing_services(&self, services: &BTreeSet<String>) -> Vec<&str> {
        self.definition.requires.iter().filter(|name| !services.contains(*name)).map(String::as_str).collect()
    }

    /// Whether a model can call the tool with these services, and its server still offers it.
    #[must_use]
    pub fn is_offered(&self, services: &BTreeSet<String>) -> bool {
        !self.definition.nested_only
            && self.availability.reason().is_none()
            && self.missing_services(services).is_empty()
    }

    /// The clamps of the arguments in a mode: the tool's own, and for a retrieval tool without a `top_k` clamp the
    /// mode's `top_k`.
    #[must_use]
    pub fn clamps(&self, mode: &str, top_k: Option<f64>) -> Vec<Clamp> {
        let mut clamps = self.clamps.get(mode).cloned().unwrap_or_default();
        let names_top_k = clamps.iter().any(|clamp| clamp.property == "top_k");
        if let (true, false, Some(max)) = (self.is_retrieval(), names_top_k, top_k) {
            clamps.push(Clamp { property: "top_k".to_owned(), max });
        }
        clamps
    }
}

/// A tool can't be compiled: the artifact was not built by this version's compiler, or was edited.
#[derive(Debug, thiserror::Error)]
#[error("tool `{tool}`: {problem}; build the tool set again with `npx toolgate build`")]
pub struct ToolCompileError {
    /// The tool.
    pub tool: String,
    /// The fault.
    pub problem: String,
}

/// A tool set can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The artifact can't be read.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// A tool can't be compiled.
    #[error(transparent)]
    Tool(#[from] ToolCompileError),
    /// The file does not exist.
    #[error("there is no tool set at `{}`; build it with `npx toolgate build`", .0.display())]
    Missing(PathBuf),
    /// The file can't be read.
    #[error("the tool set at `{}` can't be read ({problem}); build it with `npx toolgate build`", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's error.
        problem: io::Error,
    },
}

/// A compiled tool set.
#[derive(Debug)]
pub struct ToolSet {
    /// The set's version.
    pub version: Arc<str>,
    /// The commit it was built from.
    pub git_commit: Option<String>,
    tools: Box<[Arc<CompiledTool>]>,
    by_id: HashMap<Arc<str>, usize>,
    search_index: OnceLock<ToolIndex>,
}

impl ToolSet {
    /// Reads an artifact and compiles every tool, in parallel.
    ///
    /// # Errors
    /// If the artifact can't be read, or a tool does not compile (the first one).
    pub fn load(artifact: &Path) -> Result<Self, LoadError> {
        if let Some(loaded) = Self::load_in_parallel(artifact) {
            return Ok(loaded?);
        }
        let text = fs::read(artifact).map_err(|problem| match problem.kind() {
            io::ErrorKind::NotFound => LoadError::Missing(artifact.to_owned()),
            _ => LoadError::Unreadable { file: artifact.to_owned(), problem },
        })?;
        let text = String::from_utf8(text).map_err(ArtifactError::from)?;
        Ok(Self::compile(Artifact::parse(&text)?)?)
    }

    /// Reads and compiles each tool independently; `None` if a tool can't be read independently. Then the caller reads
    /// the artifact as a whole, which gives the tools or the error.
    fn load_in_parallel(artifact: &Path) -> Option<Result<Self, ToolCompileError>> {
        let sheets = ArtifactReader::open(artifact)?;
        let compiled =
            parallel::map_in_parallel(sheets.len(), |place| Some(CompiledTool::compile(sheets.tool(place)?.ok()?)));
        if compiled.len() < sheets.len() {
            return None;
        }
        let tools: Result<Vec<_>, _> = compiled.into_iter().collect();
        Some(tools.map(|tools| {
            let set = Self::from_tools(tools, sheets.version, sheets.git_commit);
            read_ahead(set.tools.to_vec());
            set
        }))
    }

    /// Compiles every tool of an artifact that has been read.
    ///
    /// # Errors
    /// The first tool that does not compile.
    pub fn compile(artifact: Artifact) -> Result<Self, ToolCompileError> {
        let compiled = artifact.tools.into_iter().map(|ToolWithDeclarations { definition, declared }| {
            let declared = LazyDeclarations::from_declarations(&declared, Arc::clone(definition.json_schema.text()));
            CompiledTool::compile((definition, declared))
        });
        Ok(Self::from_tools(compiled.collect::<Result<_, _>>()?, artifact.version, artifact.git_commit))
    }

    fn from_tools(tools: Vec<Arc<CompiledTool>>, version: String, git_commit: Option<String>) -> Self {
        let by_id = tools.iter().enumerate().map(|(place, tool)| (Arc::clone(&tool.id), place)).collect();
        // A collected `Vec` may have excess capacity from its source; a boxed slice has none.
        Self { version: version.into(), git_commit, tools: tools.into(), by_id, search_index: OnceLock::new() }
    }

    /// An empty tool set.
    #[must_use]
    pub fn empty() -> Self {
        Self::from_tools(Vec::new(), String::new(), None)
    }

    /// All tools, sorted by id.
    #[must_use]
    pub fn tools(&self) -> &[Arc<CompiledTool>] {
        &self.tools
    }

    /// Returns a tool by its id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Arc<CompiledTool>> {
        self.tools.get(*self.by_id.get(id)?)
    }

    /// Why a call under this name may leave its admission, to be admitted again: it meets a record that its tool reconciles, or
    /// the code of its schema runs before a question. A name that is repaired may be any tool's.
    #[must_use]
    pub fn may_leave(&self, name: &str) -> MayLeave {
        let of = |tool: &CompiledTool| MayLeave { reconciles: tool.is_reconciled(), checks: tool.is_checked_first() };
        self.get(name).map_or_else(
            || self.tools.iter().map(|tool| of(tool)).fold(MayLeave::default(), MayLeave::or),
            |tool| of(tool),
        )
    }

    /// The tools to declare to a model: allowed in the mode, if given, and with all required services.
    pub fn visible_tools<'a>(
        &'a self,
        mode: Option<&'a str>,
        services: &'a BTreeSet<String>,
    ) -> impl Iterator<Item = &'a Arc<CompiledTool>> {
        self.tools
            .iter()
            .filter(move |tool| mode.is_none_or(|mode| tool.allows_mode(mode)) && tool.is_offered(services))
    }

    /// The index of all tools for a search by words; its hits are positions in [`Self::tools`]. Built at the first
    /// search.
    pub fn search_index(&self) -> &ToolIndex {
        self.search_index.get_or_init(|| {
            ToolIndex::build(self.tools.iter().map(|tool| SearchableTool {
                name: &tool.definition.tool_id,
                title: &tool.definition.title,
                summary: &tool.definition.summary,
                description: &tool.definition.description,
                parameters: &tool.definition.json_schema,
            }))
        })
    }

    /// The tool id most similar to an unknown name.
    #[must_use]
    pub fn nearest_tool_id(&self, name: &str) -> Option<&str> {
        self.nearest_tool_id_among(name, |tool| !tool.definition.nested_only)
    }

    /// The tool id most similar to an unknown name, among the tools that `is_candidate` accepts.
    pub fn nearest_tool_id_among(&self, name: &str, is_candidate: impl Fn(&CompiledTool) -> bool) -> Option<&str> {
        let candidates = || self.tools.iter().filter(|tool| is_candidate(tool)).map(|tool| &*tool.id);
        let nearest = |name: &str| suggest(name, candidates());
        let Some((_, in_namespace)) = name.rsplit_once(NAMESPACE_ENDS) else { return nearest(name) };
        match self.get(in_namespace) {
            Some(tool) if is_candidate(tool) => Some(&*tool.id),
            _ => nearest(in_namespace).or_else(|| nearest(name)),
        }
    }
}

/// What ends a namespace that a model puts before a tool's name: `functions.kb_get`, `default_api:kb_get`.
const NAMESPACE_ENDS: [char; 3] = ['.', ':', '/'];

/// On another thread, reads the tools' declarations, at once and not on demand, so that a later change of the file has
/// no effect.
fn read_ahead(tools: Vec<Arc<CompiledTool>>) {
    let read = move || {
        for tool in &tools {
            tool.declarations.load_from_file();
        }
    };
    // If no thread can be started, they are read on demand.
    let _ = thread::Builder::new().name("toolgate-artifact".to_owned()).spawn(read);
}
