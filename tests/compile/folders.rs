//! Tool folders to build: copies of fixtures, and tools written on the spot.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolgate::compile::{BuildOptions, BuildReport, SchemaModule, build};

/// Beside `tools/` in a case.
const SCHEMA_MODULES: &str = "schema-modules.json";

pub(crate) const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A folder of its own with `tools/` in it, removed at the end.
pub(crate) struct Workspace {
    root: TempDir,
    choices: Choices,
}

/// What a case says of the host and of the base, in its `options.json`.
#[derive(Default, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Choices {
    #[serde(default)]
    providers: Vec<String>,
    services: Option<Vec<String>>,
    /// Files and folders of `tools/` that the base has and the case has not.
    #[serde(default)]
    without: Vec<String>,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("tools")).unwrap();
        Self { root, choices: Choices::default() }
    }

    /// With one good tool, `echo`.
    pub(crate) fn with_echo() -> Self {
        let workspace = Self::new();
        workspace.write("echo/schema.json", ECHO_SCHEMA);
        workspace.write(
            "echo/guide.md",
            "# echo\n\nSay it again.\n\n## Parameters\n\n- `text`: what to say.\n- `times`: how often.\n",
        );
        workspace.write(
            "echo/handler.js",
            "import { say } from './say.js'\n\nexport async function execute({ args }) {\n  return say(args)\n}\n",
        );
        workspace.write("echo/say.js", "export const say = (data) => ({ ok: true, data })\n");
        workspace
    }

    /// Writes a tool like `echo` with another id.
    pub(crate) fn write_echo(&self, id: &str) {
        self.write(&format!("{id}/schema.json"), ECHO_SCHEMA.replace("\"echo\"", &format!("\"{id}\"")));
        self.write(
            &format!("{id}/guide.md"),
            format!("# {id}\n\nSay it again.\n\n## Parameters\n\n- `text`\n- `times`\n"),
        );
        self.write(&format!("{id}/handler.js"), "export const execute = ({ args }) => ({ ok: true, data: args })\n");
    }

    pub(crate) fn copy_of(fixture: &Path) -> Self {
        let mut workspace = Self::new();
        if let Ok(text) = fs::read_to_string(fixture.join("options.json")) {
            workspace.choices = serde_json::from_str(&text).unwrap();
        }
        copy(&compile_base().join("tools"), &workspace.tools());
        for path in workspace.choices.without.iter().map(|name| workspace.tools().join(name)) {
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
        if fixture.join("tools").exists() {
            copy(&fixture.join("tools"), &workspace.tools());
        }
        let modules = fixture.join(SCHEMA_MODULES);
        if modules.exists() {
            fs::copy(modules, workspace.path(SCHEMA_MODULES)).unwrap();
        }
        workspace
    }

    pub(crate) fn tools(&self) -> PathBuf {
        self.root.path().join("tools")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Writes a file below `tools/`.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.tools().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Reads a file below `tools/`.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.tools().join(name)).unwrap()
    }

    pub(crate) fn options(&self) -> BuildOptions {
        BuildOptions {
            source_date_epoch: Some(1_700_000_000),
            git_commit: Some(COMMIT.to_owned()),
            schema_modules: self.schema_modules(),
            providers: self.choices.providers.clone(),
            services: self.choices.services.clone(),
            ..BuildOptions::new(self.tools())
        }
    }

    /// What loading the schema modules gave, where the case has some: the core does not load them.
    fn schema_modules(&self) -> BTreeMap<String, SchemaModule> {
        let text = fs::read_to_string(self.path(SCHEMA_MODULES)).unwrap_or_else(|_| "{}".to_owned());
        serde_json::from_str(&text).unwrap()
    }

    pub(crate) fn build(&self) -> BuildReport {
        build(&self.options())
    }

    /// Names of everything in `tools/`, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.tools()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// The tools that every case has: a case holds what differs.
fn compile_base() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/compile-base")
}

pub(crate) const ECHO_SCHEMA: &str = r#"{
  "toolId": "echo",
  "version": "1.0.0",
  "description": "Say it again.",
  "category": "utility",
  "sideEffects": "none",
  "idempotent": true,
  "requiresConfirmation": false,
  "allowedModes": ["text", "voice"],
  "latencyBudgetMs": 50,
  "parameters": {
    "type": "object",
    "additionalProperties": false,
    "required": ["text"],
    "properties": {
      "text": { "type": "string", "minLength": 1 },
      "times": { "type": "integer", "minimum": 1, "default": 1 }
    }
  }
}
"#;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Codes of a report, in its order.
pub(crate) fn codes(report: &BuildReport) -> Vec<&'static str> {
    report.diagnostics.iter().map(|found| found.code.as_str()).collect()
}
