//! Bytes that are no text, or text as another system writes it.

use std::fs;

use super::{OUTPUTS, report_after, told_after};
use crate::folders::Workspace;

const FILES: [&str; 3] = ["schema.json", "guide.md", "handler.js"];

/// The findings of a file after its bytes are changed.
fn rewritten(name: &str, change: impl FnOnce(String) -> Vec<u8>) -> Vec<String> {
    told_after(|workspace| {
        let name = format!("echo/{name}");
        workspace.write(&name, change(workspace.read(&name)));
    })
}

#[test]
fn a_byte_that_is_no_utf_8_is_shown() {
    for name in FILES {
        let told = rewritten(name, |text| {
            let (first, rest) = text.split_once('\n').unwrap();
            [first.as_bytes(), b"\n\xc3\xa9 \xc3(", rest.as_bytes()].concat()
        });
        assert_eq!(told, [format!("unreadable-file echo/{name}:2:3")]);
        // Behind a byte order mark, which is no column.
        let told = rewritten(name, |text| [b"\xef\xbb\xbfa\xff", text.as_bytes()].concat());
        assert_eq!(told, [format!("unreadable-file echo/{name}:1:2")]);
        let told = rewritten(name, |text| [text.as_bytes(), b"\xe2\x82"].concat());
        let line = Workspace::with_echo().read(&format!("echo/{name}")).lines().count() + 1;
        assert_eq!(told, [format!("unreadable-file echo/{name}:{line}:1")], "cut within a character");
    }
}

#[test]
fn utf_16_is_named() {
    let units = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    for name in FILES {
        for mark in ["\u{feff}", ""] {
            for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
                let report = report_after(|workspace| {
                    let name = format!("echo/{name}");
                    let text = mark.to_owned() + &workspace.read(&name);
                    workspace.write(&name, units(&text, bytes));
                });
                let [found] = report.diagnostics.as_slice() else { panic!("{report:#?}") };
                assert_eq!((found.code.as_str(), found.line), ("unreadable-file", 1));
                assert!(found.message.contains("UTF-16"), "{}", found.message);
            }
        }
    }
}

#[test]
fn a_nul_byte_is_no_letter() {
    for name in FILES {
        let told = rewritten(name, |text| text.replacen('\n', "\n  \0", 1).into_bytes());
        assert_eq!(told, [format!("unreadable-file echo/{name}:2:3")]);
    }
}

#[test]
fn a_byte_order_mark_is_told_of_json() {
    let marked = |text: String| format!("\u{feff}{text}").into_bytes();
    assert_eq!(rewritten("schema.json", marked), ["byte-order-mark echo/schema.json:1:1"]);
    // Markdown and JavaScript pass over it.
    assert_eq!(rewritten("guide.md", marked), [""; 0]);
    assert_eq!(rewritten("handler.js", marked), [""; 0]);
    assert_eq!(
        rewritten("schema.json", |_| "\u{feff}".into()),
        ["byte-order-mark echo/schema.json:1:1", "invalid-json echo/schema.json:1:1"]
    );
    // Positions are those that an editor shows.
    assert_eq!(
        rewritten("schema.json", |text| format!("\u{feff}{}", text.replace('\n', " ").replace("utility", "utlity"))
            .into()),
        ["byte-order-mark echo/schema.json:1:1", "bad-enum echo/schema.json:1:93"]
    );
}

#[test]
fn line_ends_of_another_system() {
    let crlf = |text: String| text.replace('\n', "\r\n").into_bytes();
    let workspace = Workspace::with_echo();
    let built = |workspace: &Workspace| {
        assert!(workspace.build().ok);
        OUTPUTS.map(|name| fs::read(workspace.tools().join(name)).unwrap())
    };
    let original = built(&workspace);
    for name in FILES.into_iter().chain(["say.js"]).map(|name| format!("echo/{name}")) {
        workspace.write(&name, crlf(workspace.read(&name)));
    }
    assert!(built(&workspace) == original, "the outputs say nothing of line ends");

    let bad =
        |text: String| crlf(text.replace("\"utility\"", "\"utlity\"").replace("Say it", "").replace("return", "retrn"));
    assert_eq!(rewritten("schema.json", bad), ["bad-enum echo/schema.json:5:15"]);
    assert_eq!(rewritten("handler.js", bad), ["handler-syntax echo/handler.js:4:8"]);
    let told = rewritten("guide.md", |text| crlf(text.replace("`text`", "`txt`")));
    assert_eq!(told, ["parameter-undocumented echo/guide.md:5:1", "parameter-unknown echo/guide.md:7:3"]);
}
