//! The tools of sources: MCP servers that `sources/<name>.json` describes and `toolgate.lock.json` pins.
//!
//! The lock has each tool's definition as its server published it, and the policy that the team agreed to. A build reads both
//! and makes no connection. Its rules, in this order:
//!
//! 1. Every source is in the lock as it is now (`lock_file.rs`), and each definition has its own digest.
//! 2. A definition's texts show all that they say, and its schema can be checked (`locked_tool.rs`).
//! 3. A policy is made of fields of `schema.json`, by the same rules (`locked_tool.rs`).
//! 4. No two tools have ids that look alike (`look_alike.rs`).

mod lock_file;
mod locked_tool;
mod look_alike;
mod published_texts;
mod server_question;
pub(crate) mod sources_of_build;

use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::lint::LintSettings;
use crate::provider::Declarations;
use crate::text::location::SourceLocation;
use crate::tool_folder::tool_source::ToolSource;
use lock_file::LockFile;
use server_question::SERVER_QUESTION;
use sources_of_build::SourcesOfBuild;
use toolgate_definition::ToolDefinition;

/// The lock's file name, beside the folder of sources.
const LOCK: &str = "toolgate.lock.json";

/// A tool of a source that can be built.
pub(crate) struct LockedTool {
    pub(crate) definition: ToolDefinition,
    pub(crate) declared: Declarations,
    /// The tool's fields, for the rules about all tools of a set.
    pub(crate) fields: ToolSource,
}

/// The tools of the sources in a folder.
#[derive(Default)]
pub(crate) struct LockedTools {
    pub(crate) tools: Vec<LockedTool>,
    /// What puts the questions of their servers to users; `None` if every source declines them.
    pub(crate) question: Option<ToolDefinition>,
}

/// The tools of the sources in a folder, and the findings about them. `folders` are the tools with folders of their own.
pub(crate) fn locked_tools(
    sources: &SourcesOfBuild,
    folders: &[ToolSource],
    settings: &LintSettings,
    findings: &mut Findings,
) -> LockedTools {
    for problem in &sources.problems {
        let mut at = SourceLocation::whole_file(lock_file::label(&sources.dir, &problem.file));
        at.pointer = Some(problem.pointer.clone());
        findings.add(Code::SourceInvalid, at, problem.message.as_str(), "`docs/sources.md` describes the file");
    }
    let Some(lock) = LockFile::read(sources, findings) else { return LockedTools::default() };
    let mut tools = Vec::new();
    for source in lock.sources() {
        if source.entry.tools.is_empty() {
            let at = lock.file.at_key(&source.pointer());
            let message = format!("the source `{}` has no tools", source.name);
            findings.add(Code::NoTools, at, message, "remove it, or allow some of its server's tools in its file");
        }
        for (name, entry) in &source.entry.tools {
            let place =
                locked_tool::LockedEntry { lock: &lock, source: source.name, of: source.entry, tool: name, entry };
            tools.extend(locked_tool::locked_tool(&place, settings, findings));
        }
    }
    look_alike::check(folders, &tools, findings);
    published_texts::check_names_of_others(&lock, &tools, folders, findings);
    let question = lock.asks.then(|| server_question::server_question(&settings.modes)).and_then(Result::ok);
    if question.is_some() {
        look_alike::check_built_in(SERVER_QUESTION, folders, &tools, findings);
    }
    LockedTools { tools, question }
}

/// The location of the lock as a whole.
fn whole_lock() -> SourceLocation {
    SourceLocation::whole_file(LOCK)
}
