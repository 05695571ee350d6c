//! Names that a folder may have and a tool may not.

use std::fs;

use super::told_after;
use crate::folders::{ECHO_SCHEMA, Workspace};

/// A good tool in a folder of this name.
fn add(workspace: &Workspace, name: &str) {
    let quoted = serde_json::to_string(name).unwrap();
    workspace.write(&format!("{name}/schema.json"), ECHO_SCHEMA.replace("\"echo\"", &quoted));
    for file in ["guide.md", "handler.js", "say.js"] {
        workspace.write(&format!("{name}/{file}"), workspace.read(&format!("echo/{file}")));
    }
}

#[test]
fn names_that_are_no_tool_id() {
    let mut names =
        vec!["two words", "ends here ", "😀", "it's", "a..", "naïve", "A-B", "$x", "%41", "nul\u{7f}l", "x\u{202e}y"];
    if cfg!(unix) {
        names.extend([
            "quo\"ted",
            "new\nline",
            "back\\slash",
            "esc\u{1b}[2J",
            "c1\u{9b}2J",
            "tab\t",
            "<b>",
            "a:b",
            "a|b",
        ]);
    }
    for name in names {
        let told = told_after(|workspace| add(workspace, name));
        assert_eq!(told, [format!("bad-tool-id {name}/schema.json:2:13")]);
    }
}

#[test]
fn names_that_are_passed_over() {
    // Of editors, of the system, of packages: whatever is in them is no tool.
    for name in [".hidden", "..up", "...", "_core", "node_modules"] {
        let told = told_after(|workspace| {
            fs::create_dir(workspace.tools().join(name)).unwrap();
            workspace.write(&format!("{name}/schema.json"), "no JSON");
        });
        assert_eq!(told, [""; 0], "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let told = told_after(|workspace| {
        let echo = workspace.tools().join("echo");
        fs::rename(echo, workspace.tools().join(OsStr::from_bytes(b"ech\xff"))).unwrap();
    });
    assert_eq!(told, ["bad-tool-id ech\u{fffd}/schema.json:2:13"]);
}

#[test]
fn names_that_differ_in_writing_only() {
    let told = told_after(|workspace| {
        add(workspace, "kb-get");
        add(workspace, "kb_get");
    });
    assert_eq!(told, ["bad-tool-id kb-get/schema.json:2:13"], "a dash is written as an underscore in the id");
}
