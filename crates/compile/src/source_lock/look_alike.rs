//! Ids that a person or a model takes for each other: `read_1` and `read_l`, `format` and `forrnat`. A server could get the
//! calls that are meant for another by such a name.

use std::collections::BTreeMap;

use super::{LockedTool, whole_lock};
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::ToolSource;

/// Reports ids that look like one another, of which one at least is of a source. Equal ones are another rule's.
pub(super) fn check(folders: &[ToolSource], locked: &[LockedTool], findings: &mut Findings) {
    let mut seen: BTreeMap<String, (String, Option<&str>)> = BTreeMap::new();
    let own = folders.iter().map(|tool| (tool.expected_id(), None));
    let foreign = locked.iter().map(|tool| {
        let origin = tool.definition.source.as_ref().map(|origin| origin.name.as_str());
        (tool.definition.tool_id.clone(), origin)
    });
    for (id, origin) in own.chain(foreign) {
        match seen.get(&skeleton(&id)) {
            Some((first, of)) if *first == id && (origin.is_some() || of.is_some()) => {
                let message = format!("`{id}` is the id of two tools: of {}, and of {}", named(*of), named(origin));
                let help = "give one of the sources another `prefix`, or set its tool to `false`";
                findings.add(Code::DuplicateToolId, whole_lock(), message, help);
            }
            // The names of one server are its own choice.
            Some((first, of)) if *first != id && origin != *of => {
                let message = format!("`{id}` of {} looks like `{first}` of {}", named(origin), named(*of));
                let help = "give the source another `prefix`, or set the tool to `false` in its file";
                findings.add(Code::LookAlikeTool, whole_lock(), message, help);
            }
            Some(_) => {}
            None => {
                seen.insert(skeleton(&id), (id, origin));
            }
        }
    }
}

/// Reports the tool that has the id of a built-in one, or one that looks like it.
pub(super) fn check_built_in(id: &str, folders: &[ToolSource], locked: &[LockedTool], findings: &mut Findings) {
    let own = folders.iter().map(ToolSource::expected_id);
    let taken = own.chain(locked.iter().map(|tool| tool.definition.tool_id.clone()));
    for other in taken.filter(|other| skeleton(other) == skeleton(id)) {
        let message =
            format!("`{other}` has the id of `{id}`, which puts the questions of servers to users, or looks like it");
        let help = "give the tool or its source another name, or set `elicitation` of every source to `decline`";
        findings.add(Code::DuplicateToolId, whole_lock(), message, help);
    }
}

fn named(origin: Option<&str>) -> String {
    origin.map_or_else(|| "this project".to_owned(), |name| format!("the source `{name}`"))
}

/// What is left of an id once look-alike letters are one, as in Unicode Technical Standard 39, for ids of ASCII.
fn skeleton(id: &str) -> String {
    id.replace('_', "").replace("rn", "m").replace("vv", "w").replace('1', "l").replace('0', "o")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alike_ids_have_one_skeleton() {
        for (one, other) in [("read_1", "read_l"), ("format", "forrnat"), ("go", "g0"), ("list_files", "listfiles")] {
            assert_eq!(skeleton(one), skeleton(other), "{one} {other}");
        }
        assert_ne!(skeleton("read_file"), skeleton("read_files"));
    }
}
