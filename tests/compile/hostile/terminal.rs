//! Reports are plain text: no name and no text of a tool reaches the terminal as a command.

use toolgate::compile::{Colour, Style, format_report};

use super::report_after;
use crate::folders::{ECHO_SCHEMA, Workspace};

/// Title of the window, clear the screen, the same with the one-byte introducer, back over the line, a forged line, text that
/// runs backwards.
const COMMANDS: &str =
    "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}2J\u{9d}0;x\u{9c}\rok\u{8}\nFORGED\n\u{202e}txet\u{2066}\u{7f}\u{85}";

/// The characters of a report that a terminal would act on.
fn raw(drawn: &str) -> Vec<char> {
    let acts = |letter: &char| {
        (letter.is_control() && *letter != '\n')
            || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
    };
    drawn.chars().filter(acts).collect()
}

/// Draws what is found after a change, and looks through it.
fn drawn_after(change: impl FnOnce(&Workspace)) -> String {
    let report = report_after(change);
    assert!(!report.diagnostics.is_empty());
    let drawn = format_report(&report, &Style::PLAIN);
    assert_eq!(raw(&drawn), [' '; 0], "{drawn:?}");
    assert!(!drawn.lines().any(|line| line.trim_start().starts_with("FORGED")), "{drawn}");
    // Colours are the renderer's own: nothing is left when they are taken away.
    let coloured = format_report(&report, &Style { colour: Colour::Ansi, ..Style::PLAIN });
    assert_eq!(raw(&without_colours(&coloured)), [' '; 0], "{coloured:?}");
    drawn
}

/// Without `ESC [ … m`.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (codes, rest) = part.split_once('m').unwrap();
        assert!(codes.chars().all(|letter| letter.is_ascii_digit() || letter == ';'), "{codes:?}");
        plain += rest;
    }
    plain
}

#[test]
fn values_and_names_of_fields() {
    let quoted = serde_json::to_string(COMMANDS).unwrap();
    // As JSON escapes it, and raw where JSON lets it be.
    let unescaped = "\"\u{9b}2J\u{9d}0;x\u{9c}\u{202e}txet\u{2066}\u{7f}\u{85}\u{2028}\"";
    for text in [quoted.as_str(), unescaped] {
        for (from, to) in [
            ("\"utility\"", text.to_owned()),
            ("\"1.0.0\"", text.to_owned()),
            ("\"allowedModes\"", text.to_owned()),
            ("\"voice\"", text.to_owned()),
            ("\"minLength\": 1", format!("{text}: 1")),
            ("\"minLength\": 1", format!("\"default\": {text}, \"maxLength\": 1")),
            ("\"minLength\": 1", format!("\"$ref\": {text}")),
            ("\"minLength\": 1", format!("\"format\": {text}")),
            ("\"minLength\": 1", format!("\"pattern\": {text}, \"type\": 5")),
            ("[\"text\"]", format!("[{text}]")),
        ] {
            assert!(ECHO_SCHEMA.contains(from), "{from}");
            drawn_after(|workspace| workspace.write("echo/schema.json", ECHO_SCHEMA.replace(from, &to)));
        }
    }
}

#[test]
fn lines_of_a_file() {
    let drawn = drawn_after(|workspace| workspace.write("echo/handler.js", format!("/* {COMMANDS} */ const a = ;")));
    assert!(drawn.contains('␛') || drawn.contains("txet"), "{drawn}");
    drawn_after(|workspace| workspace.write("echo/schema.json", format!("{{ \"toolId\": {COMMANDS}")));
    drawn_after(|workspace| {
        workspace.write(
            "echo/guide.md",
            format!("# echo\n\nSay it.\n\n## Parameters\n\n- `{COMMANDS}`\n- `a\u{9b}2J`: x\n"),
        );
    });
}

#[cfg(unix)]
#[test]
fn names_of_folders() {
    for name in [COMMANDS, "\u{1b}]0;owned\u{7}", "a\nFORGED", "\u{202e}txet"] {
        drawn_after(|workspace| {
            workspace.write(&format!("{name}/schema.json"), ECHO_SCHEMA);
            std::fs::create_dir(workspace.tools().join(name).join("guide.md")).unwrap();
        });
    }
    let drawn = drawn_after(|workspace| std::os::unix::fs::symlink("gone", workspace.tools().join(COMMANDS)).unwrap());
    assert!(drawn.contains("␛]0;owned␇"), "{drawn}");
}
