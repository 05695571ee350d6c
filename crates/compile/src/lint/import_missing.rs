//! `import-missing`: what a handler loads by a relative name is there, also what those files load. Node would say so
//! only when the handler is loaded, or, of `import("…")` and `require("…")` in a function, in the middle of a call.
//!
//! What stands in a `try` with a `catch` may be missing. Packages are the installation's business: `toolgate doctor`.

use super::Settings;
use crate::code::Code;
use crate::modules;
use crate::report::Findings;
use crate::tool::Tool;

pub(super) fn check(tool: &Tool, _: &Settings, findings: &mut Findings) {
    for (file, import) in modules::missing(tool) {
        let message = format!("there is no file `{}`", import.module);
        findings.add(Code::ImportMissing, file.at(import.span), message, "correct the path, or add the file");
    }
}
