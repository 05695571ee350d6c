//! Names of tools in another spelling: in another case, with `-` or `.` for `_`, or with the prefix of a namespace.

use std::sync::Arc;

use super::{CompiledTool, ToolSet};

/// What models put before a tool's name.
const PREFIXES: [&str; 3] = ["functions.", "default_api.", "default_api:"];

/// The longest name that is compared, in bytes.
const MAX_NAME_BYTES: usize = 128;

impl ToolSet {
    /// The tools that a name may mean in another spelling.
    pub fn respelt<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Arc<CompiledTool>> {
        let meant: Vec<String> = if name.len() > MAX_NAME_BYTES {
            Vec::new()
        } else {
            let without_prefix = PREFIXES.iter().find_map(|prefix| strip_prefix(name, prefix));
            [Some(name), without_prefix].into_iter().flatten().map(plain).collect()
        };
        self.tools().iter().filter(move |tool| !meant.is_empty() && meant.contains(&plain(&tool.id)))
    }
}

fn strip_prefix<'n>(name: &'n str, prefix: &str) -> Option<&'n str> {
    let (start, rest) = name.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '.'], "_")
}

#[cfg(test)]
mod tests {
    use super::{plain, strip_prefix};

    #[test]
    fn names_are_compared_without_case_and_separators() {
        assert_eq!(plain("KB-Search.v2"), "kb_search_v2");
        assert_ne!(plain("kbsearch"), plain("kb_search"));
        assert_eq!(strip_prefix("Functions.kb", "functions."), Some("kb"));
        assert_eq!(strip_prefix("é", "functions."), None);
    }
}
