//! Files that hold something else than a tool's author would write.

use std::fs;

use super::{codes_after, report_after, told_after};
use crate::folders::ECHO_SCHEMA;

/// The files that every tool has.
const FILES: [&str; 3] = ["schema.json", "guide.md", "handler.js"];

#[test]
fn a_folder_where_a_file_is_expected() {
    for name in FILES {
        let told = told_after(|workspace| {
            fs::remove_file(workspace.tools().join("echo").join(name)).unwrap();
            fs::create_dir(workspace.tools().join("echo").join(name)).unwrap();
        });
        assert_eq!(told, [format!("unreadable-file echo/{name}:1:1")]);
    }
}

#[test]
fn a_file_where_a_folder_is_expected() {
    // Files stand beside the tools: the outputs, a README. They are no tools.
    assert_eq!(told_after(|workspace| workspace.write("kb_search", "x")), [""; 0]);
    let told = told_after(|workspace| {
        fs::remove_dir_all(workspace.tools().join("echo")).unwrap();
        workspace.write("echo", "x");
    });
    assert_eq!(told, ["no-tools tools:1:1"], "a warning: a folder may be empty yet");
}

#[test]
fn an_empty_folder_lacks_every_file() {
    let told = told_after(|workspace| fs::create_dir(workspace.tools().join("nothing")).unwrap());
    assert_eq!(told, ["guide.md", "handler.js", "schema.json"].map(|name| format!("missing-file nothing/{name}:1:1")));
}

#[test]
fn empty_files() {
    let emptied = |name: &str| told_after(|workspace| workspace.write(&format!("echo/{name}"), ""));
    assert_eq!(emptied("schema.json"), ["invalid-json echo/schema.json:1:1"]);
    assert_eq!(emptied("guide.md"), ["summary-missing echo/guide.md:1:1", "parameter-undocumented echo/guide.md:1:1"]);
    assert_eq!(emptied("handler.js"), ["no-execute echo/handler.js:1:1"]);
}

#[test]
fn files_of_ten_megabytes() {
    let big = |unit: &str| unit.repeat((10 << 20) / unit.len());
    let schema = format!("{{\"toolId\":\"echo\",\"description\":\"{}\"}}", big("a"));
    for (name, text) in [
        ("schema.json", schema),
        ("guide.md", format!("# echo\n\nSay it.\n\n{}", big("word "))),
        ("handler.js", format!("export const execute = () => {{}}\n{}", big("// word\n"))),
    ] {
        let told = told_after(|workspace| workspace.write(&format!("echo/{name}"), &text));
        assert_eq!(told, [format!("unreadable-file echo/{name}:1:1")]);
    }
}

#[test]
fn what_is_long_is_quoted_in_part() {
    // As large as a file may be, on one line; every finding would quote all of it.
    let long = "a".repeat(3 << 20);
    for (from, to) in [
        ("\"utility\"", format!("\"{long}\"")),
        ("\"1.0.0\"", format!("\"{long}\"")),
        ("\"default\": 1", format!("\"default\": \"{long}\"")),
        ("\"minLength\": 1", format!("\"{long}\": 1")),
        ("\"parallel\": true", format!("\"{long}\": true")),
        ("\"minLength\": 1", format!("\"pattern\": \"({long}\"")),
        ("\"minLength\": 1", format!("\"$ref\": \"#/{long}\"")),
    ] {
        let schema = ECHO_SCHEMA.replacen('{', "{ \"parallel\": true,", 1);
        assert!(schema.contains(from));
        let report = report_after(|workspace| {
            workspace.write("echo/schema.json", schema.replace(from, &to).replace('\n', ""));
        });
        assert!(!report.ok);
        for found in &report.diagnostics {
            assert!(found.message.len() < 1000 && found.help.len() < 1000, "{} quotes a whole file", found.code);
        }
        let drawn = toolgate::compile::format_report(&report, &toolgate::compile::Style::PLAIN);
        assert!(drawn.len() < 10_000, "{} bytes are drawn", drawn.len());
    }
}

#[test]
fn faults_without_end_are_counted() {
    let many = |member: fn(usize) -> String| (0..5_000).map(member).collect::<Vec<_>>().join(",");
    for (code, from, to) in [
        ("unknown-field", "\"parameters\"", many(|n| format!("\"x{n}\":1")) + ",\"parameters\""),
        ("duplicate-key", "\"parameters\"", many(|_| "\"title\":\"x\"".to_owned()) + ",\"parameters\""),
        ("wrong-type", "\"text\", \"voice\"", many(|n| n.to_string())),
        ("unknown-keyword", "\"minLength\": 1", many(|n| format!("\"x{n}\":1"))),
    ] {
        assert!(ECHO_SCHEMA.contains(from));
        let schema = ECHO_SCHEMA.replace('\n', "").replace(from, &to);
        let report = report_after(|workspace| workspace.write("echo/schema.json", &schema));
        let alike: Vec<_> = report.diagnostics.iter().filter(|found| found.code.as_str() == code).collect();
        let [first, ..] = alike.as_slice() else { panic!("no {code}") };
        assert_eq!(alike.len(), 201, "{code}");
        assert!(first.message.contains("4800 more") || first.message.contains("4799 more"), "{}", first.message);
        let drawn = toolgate::compile::format_report(&report, &toolgate::compile::Style::PLAIN);
        assert!(drawn.len() < 1_000_000, "{} bytes are drawn", drawn.len());
    }
}

#[test]
fn nesting_without_end() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    for (text, column) in [
        (deep("[", "]"), 128),
        (deep("{\"a\":", "}"), 127 * 5 + 1),
        ("[".repeat(100_000), 128),
        ("{\"parameters\":".repeat(100_000), 127 * 14 + 1),
    ] {
        let told = told_after(|workspace| workspace.write("echo/schema.json", &text));
        assert_eq!(told, [format!("invalid-json echo/schema.json:1:{column}")]);
    }
    for text in [deep("[", "]"), deep("(", ")"), deep("{", "}")] {
        let told = told_after(|workspace| workspace.write("echo/handler.js", &text));
        assert_eq!(told, ["handler-syntax echo/handler.js:1:1001"]);
    }
    assert_eq!(codes_after(|workspace| workspace.write("echo/handler.js", "`${".repeat(100_000))), ["handler-syntax"]);
    let guide = format!("# echo\n\nSay it.\n\n{}\n\n{}", "> ".repeat(100_000), "- ".repeat(100_000));
    assert_eq!(codes_after(|workspace| workspace.write("echo/guide.md", &guide)), ["parameter-undocumented"]);
}

#[test]
fn a_handler_with_a_syntax_error() {
    let text = "export async function execute({ args }) {\n  return { ok: true data: args }\n}\n";
    let told = told_after(|workspace| workspace.write("echo/handler.js", text));
    assert_eq!(told, ["handler-syntax echo/handler.js:2:21"]);
    let report = report_after(|workspace| workspace.write("echo/handler.js", "export const execute = 'two words\n"));
    let spans: Vec<_> =
        report.diagnostics.iter().map(|found| (found.column, found.end_line, found.end_column)).collect();
    assert_eq!(spans, [(24, 2, 1)], "all that the parser points at: up to the end of the line");
}

#[test]
fn a_pattern_without_end() {
    let told = told_after(|workspace| {
        let schema = ECHO_SCHEMA.replace("\"minLength\": 1", "\"pattern\": \"^(a+)+$\"");
        workspace.write("echo/schema.json", schema);
    });
    assert!(told.iter().any(|one| one.starts_with("regex-backtracks echo/schema.json:16:")), "{told:?}");
}
