//! What stands where a file or folder is expected, and is none: links, pipes, devices, what may not be read.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use super::told_after;
use crate::folders::Workspace;

const FILES: [&str; 3] = ["schema.json", "guide.md", "handler.js"];

/// The finding if `name` is a link to `target`.
fn linked(target: &str, name: &str) -> Vec<String> {
    told_after(|workspace| {
        let path = workspace.tools().join(name);
        let _ = fs::remove_file(&path);
        symlink(target, path).unwrap();
    })
}

fn pipe(workspace: &Workspace, name: &str) {
    let path = workspace.tools().join(name);
    let _ = fs::remove_file(&path);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
}

#[test]
fn links_that_lead_round_or_nowhere() {
    assert_eq!(linked("loop", "loop"), ["unreadable-file loop:1:1"], "a folder that links to itself");
    assert_eq!(linked("gone", "nowhere"), ["unreadable-file nowhere:1:1"], "a folder that links nowhere");
    for name in FILES {
        let named = format!("echo/{name}");
        assert_eq!(linked(name, &named), [format!("unreadable-file {named}:1:1")], "a file that links to itself");
        assert_eq!(linked("gone", &named), [format!("missing-file {named}:1:1")], "a file that links nowhere");
        assert_eq!(linked("..", &named), [format!("unreadable-file {named}:1:1")], "a file that links to a folder");
    }
    let round = ["guide.md", "handler.js", "schema.json"].map(|name| format!("missing-file round/{name}:1:1"));
    assert_eq!(linked(".", "round"), round, "a tool that is the tools folder");
    assert_eq!(
        linked("echo", "echo2"),
        ["bad-tool-id echo2/schema.json:2:13", "duplicate-tool-id echo2/schema.json:2:13"],
        "one tool twice"
    );
    assert_eq!(linked(".", "_core"), [""; 0], "what is passed over is not looked at");
}

#[test]
fn two_folders_that_link_to_each_other() {
    let told = told_after(|workspace| {
        symlink("b", workspace.tools().join("a")).unwrap();
        symlink("a", workspace.tools().join("b")).unwrap();
    });
    assert_eq!(told, ["unreadable-file a:1:1", "unreadable-file b:1:1"]);
}

#[test]
fn files_without_end() {
    for name in FILES {
        let named = format!("echo/{name}");
        for device in ["/dev/zero", "/dev/tty", "/dev/null"] {
            assert_eq!(linked(device, &named), [format!("unreadable-file {named}:1:1")], "{device}");
        }
        let told = told_after(|workspace| pipe(workspace, &named));
        assert_eq!(told, [format!("unreadable-file {named}:1:1")], "nobody writes into the pipe");
    }
    assert_eq!(told_after(|workspace| pipe(workspace, "pipe")), [""; 0], "it is no folder, so it is no tool");
    let told = told_after(|workspace| pipe(workspace, "echo/say.js"));
    assert_eq!(told, ["import-missing echo/handler.js:1:21"], "a handler does not wait for it either");
}

/// Files of the system that say that they are empty.
#[cfg(target_os = "linux")]
#[test]
fn files_that_lie() {
    for name in FILES {
        let named = format!("echo/{name}");
        // One gives errors, whoever reads it, and one has no end.
        for file in ["/proc/self/mem", "/proc/self/pagemap"] {
            if fs::metadata(file).is_ok() {
                assert_eq!(linked(file, &named), [format!("unreadable-file {named}:1:1")], "{file}");
            }
        }
    }
}

#[test]
fn what_may_not_be_read() {
    let probe = Workspace::with_echo();
    let closed = |workspace: &Workspace, name: &str| {
        fs::set_permissions(workspace.tools().join(name), fs::Permissions::from_mode(0o000)).unwrap();
    };
    closed(&probe, "echo/guide.md");
    if fs::read(probe.tools().join("echo/guide.md")).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    for name in FILES {
        let named = format!("echo/{name}");
        assert_eq!(told_after(|workspace| closed(workspace, &named)), [format!("unreadable-file {named}:1:1")]);
    }
    let told = told_after(|workspace| {
        workspace.write("closed/guide.md", "# closed\n\nIt is.\n");
        closed(workspace, "closed");
    });
    assert!(told.iter().all(|one| one.starts_with("unreadable-file closed")), "{told:?}");
    assert!(!told.is_empty());
}
