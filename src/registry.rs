//! The registry: an immutable snapshot of compiled tools. A reload makes a new snapshot; nothing changes in place.

mod parallel;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io, thread};

use crate::definition::{
    Artifact, ArtifactError, Cache, Category, DeclaredTool, EffectClass, Sheets, ToolDefinition, Unread, WhenCancelled,
};
use crate::schema::{ArgsSchema, Clamp, CompiledSchema};
use toolgate_did_you_mean::nearest;

/// A tool that can be called: its definition with every schema compiled.
#[derive(Debug)]
pub struct CompiledTool {
    /// Its id.
    pub id: Arc<str>,
    /// Its version.
    pub version: Arc<str>,
    /// The definition.
    pub definition: ToolDefinition,
    /// What providers are told.
    pub declared: Unread,
    /// What its side effects mean for running it.
    pub effect: EffectClass,
    /// The arguments' schema.
    pub args: ArgsSchema,
    /// The result's schema.
    pub result: Option<CompiledSchema>,
    /// Which calls need confirmation; absent: all, where the tool needs it.
    pub confirm_when: Option<CompiledSchema>,
    clamps: HashMap<String, Vec<Clamp>>,
}

impl CompiledTool {
    fn compile((definition, declared): (ToolDefinition, Unread)) -> Result<Arc<Self>, ToolSetError> {
        let refuse = |what: &str, problem: &dyn std::fmt::Display| ToolSetError {
            tool: definition.tool_id.clone(),
            problem: format!("{what} does not compile: {problem}"),
        };
        let args =
            ArgsSchema::load(Arc::clone(definition.json_schema.text())).map_err(|e| refuse("`parameters`", &e))?;
        let load = |text: Option<Arc<str>>, what: &str| {
            text.map(CompiledSchema::load).transpose().map_err(|e| refuse(what, &e))
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
            args,
            result,
            confirm_when,
            clamps,
            declared,
            definition,
        }))
    }

    /// Whether it counts as a retrieval.
    #[must_use]
    pub fn is_retrieval(&self) -> bool {
        self.definition.category == Category::Retrieval
    }

    /// How its results are reused; none where its class may not be cached, whatever its definition says.
    #[must_use]
    pub fn cache(&self) -> Option<Cache> {
        self.definition.cache.filter(|_| self.effect.is_cacheable())
    }

    /// What becomes of a run whose last caller is cancelled.
    #[must_use]
    pub fn when_cancelled(&self) -> WhenCancelled {
        self.effect.when_cancelled(self.cache())
    }

    /// Whether it may be called in a mode.
    #[must_use]
    pub fn allows(&self, mode: &str) -> bool {
        self.definition.allowed_modes.iter().any(|allowed| allowed == mode)
    }

    /// Services that it needs and that are not at hand.
    #[must_use]
    pub fn missing_services(&self, services: &BTreeSet<String>) -> Vec<&str> {
        self.definition.requires.iter().filter(|name| !services.contains(*name)).map(String::as_str).collect()
    }

    /// The largest values of its arguments in a mode: its own, and for a retrieval tool the mode's `top_k` where it has none.
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

/// A tool that can't be compiled: the artifact was not made by this version's compiler, or was changed by hand.
#[derive(Debug, thiserror::Error)]
#[error("tool `{tool}`: {problem}; build the tool set again with `npx toolgate build`")]
pub struct ToolSetError {
    /// The tool.
    pub tool: String,
    /// What is wrong.
    pub problem: String,
}

/// A tool set that can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The artifact can't be read.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// One of its tools can't be compiled.
    #[error(transparent)]
    Tool(#[from] ToolSetError),
    /// There is no such file.
    #[error("there is no tool set at `{}`; build it with `npx toolgate build`", .0.display())]
    Missing(PathBuf),
    /// The file can't be read.
    #[error("the tool set at `{}` can't be read ({problem}); build it with `npx toolgate build`", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        problem: io::Error,
    },
}

/// A tool set, compiled.
#[derive(Debug)]
pub struct ToolSet {
    /// The set's version.
    pub version: Arc<str>,
    /// The commit it was built from.
    pub git_commit: Option<String>,
    tools: Box<[Arc<CompiledTool>]>,
    by_id: HashMap<Arc<str>, usize>,
}

impl ToolSet {
    /// Reads an artifact and compiles every tool, on as many threads as help.
    ///
    /// # Errors
    /// Where the artifact can't be read; else the first tool that does not compile.
    pub fn load(artifact: &Path) -> Result<Self, LoadError> {
        if let Some(loaded) = Self::load_apart(artifact) {
            return Ok(loaded?);
        }
        let text = fs::read(artifact).map_err(|problem| match problem.kind() {
            io::ErrorKind::NotFound => LoadError::Missing(artifact.to_owned()),
            _ => LoadError::Unreadable { file: artifact.to_owned(), problem },
        })?;
        let text = String::from_utf8(text).map_err(ArtifactError::from)?;
        Ok(Self::compile(Artifact::parse(&text)?)?)
    }

    /// Reads the tools one apart from the other; `None` where one can't be read like this. Then the artifact as a whole
    /// says why, or gives it after all.
    fn load_apart(artifact: &Path) -> Option<Result<Self, ToolSetError>> {
        let sheets = Sheets::open(artifact)?;
        let compiled = parallel::each(sheets.len(), |place| Some(CompiledTool::compile(sheets.tool(place)?.ok()?)));
        if compiled.len() < sheets.len() {
            return None;
        }
        let tools: Result<Vec<_>, _> = compiled.into_iter().collect();
        Some(tools.map(|tools| {
            read_ahead(tools.clone());
            Self::of(tools, sheets.version, sheets.git_commit)
        }))
    }

    /// Compiles every tool of an artifact that has been read.
    ///
    /// # Errors
    /// The first tool that does not compile.
    pub fn compile(artifact: Artifact) -> Result<Self, ToolSetError> {
        let compiled = artifact.tools.into_iter().map(|DeclaredTool { definition, declared }| {
            let declared = Unread::of(&declared, Arc::clone(definition.json_schema.text()));
            CompiledTool::compile((definition, declared))
        });
        Ok(Self::of(compiled.collect::<Result<_, _>>()?, artifact.version, artifact.git_commit))
    }

    fn of(tools: Vec<Arc<CompiledTool>>, version: String, git_commit: Option<String>) -> Self {
        let by_id = tools.iter().enumerate().map(|(place, tool)| (Arc::clone(&tool.id), place)).collect();
        // A list that was collected from another one may still have the other's room.
        Self { version: version.into(), git_commit, tools: tools.into(), by_id }
    }

    /// No tools.
    #[must_use]
    pub fn empty() -> Self {
        Self { version: "".into(), git_commit: None, tools: Box::default(), by_id: HashMap::new() }
    }

    /// Every tool, sorted by id.
    #[must_use]
    pub fn tools(&self) -> &[Arc<CompiledTool>] {
        &self.tools
    }

    /// A tool by its id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Arc<CompiledTool>> {
        self.tools.get(*self.by_id.get(id)?)
    }

    /// Tools that a model is told about: allowed in the mode, where one is given, with their services at hand.
    pub fn visible<'a>(
        &'a self,
        mode: Option<&'a str>,
        services: &'a BTreeSet<String>,
    ) -> impl Iterator<Item = &'a Arc<CompiledTool>> {
        self.tools
            .iter()
            .filter(move |tool| mode.is_none_or(|mode| tool.allows(mode)) && tool.missing_services(services).is_empty())
    }

    /// The tool that a wrong name most likely means.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.tools.iter().map(|tool| &*tool.id))
    }
}

/// Reads what providers are told of tools, beside what goes on: nobody may find the file changed later.
fn read_ahead(tools: Vec<Arc<CompiledTool>>) {
    let read = move || tools.iter().for_each(|tool| tool.declared.take());
    // Without a thread each is read when somebody asks.
    let _ = thread::Builder::new().name("toolgate-artifact".to_owned()).spawn(read);
}
