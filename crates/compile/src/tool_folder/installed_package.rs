//! Whether the package of an import is installed: a folder of its name in a `node_modules` of the importing file's
//! folder or of one above (Node's resolution of packages).

use std::path::Path;

/// Modules of Node that load without the prefix `node:`.
const BUILT_IN: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Whether a module that a file imports is of a package that is certainly not installed.
pub(crate) fn is_missing(file: &Path, module: &str) -> bool {
    let Some(package) = package_name(module) else { return false };
    let folders = || file.ancestors().skip(1);
    // With Plug'n'Play, packages are not in folders.
    let has_other_resolution = folders().any(|folder| folder.join(".pnp.cjs").is_file());
    let is_installed =
        folders().any(|folder| folder.join("node_modules").join(package).is_dir() || is_named(folder, package));
    !has_other_resolution && !is_installed
}

/// The package's name of a module specifier: `@scope/name` of `@scope/name/part`; `None` if the specifier is a path, an
/// address, a subpath import (`#name`) or a module of Node.
#[must_use]
pub(crate) fn package_name(module: &str) -> Option<&str> {
    let is_path = module.starts_with(['.', '/', '#']) || module.contains([':', '\\']);
    let parts = if module.starts_with('@') { 2 } else { 1 };
    let end = module.match_indices('/').nth(parts - 1).map_or(module.len(), |(at, _)| at);
    let name = module.get(..end).filter(|name| !name.is_empty() && !is_path)?;
    let first = name.split('/').next().unwrap_or(name);
    (!BUILT_IN.contains(&first)).then_some(name)
}

/// Whether a folder is the package of this name, which may import itself.
fn is_named(folder: &Path, package: &str) -> bool {
    let Ok(text) = std::fs::read_to_string(folder.join("package.json")) else { return false };
    let manifest: Option<serde_json::Value> = serde_json::from_str(&text).ok();
    manifest.is_some_and(|manifest| manifest.get("name").and_then(serde_json::Value::as_str) == Some(package))
}

#[cfg(test)]
mod tests {
    use super::package_name;

    #[test]
    fn a_package_is_named_by_its_first_parts() {
        assert_eq!(package_name("zod"), Some("zod"));
        assert_eq!(package_name("zod/v4"), Some("zod"));
        assert_eq!(package_name("@scope/name/part.js"), Some("@scope/name"));
        for other in ["./a.js", "../a", "/a.js", "#own", "node:fs", "fs/promises", "file:///a.js", "C:\\a.js", ""] {
            assert_eq!(package_name(other), None, "{other}");
        }
    }
}
