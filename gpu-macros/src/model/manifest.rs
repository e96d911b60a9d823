//! The name by which the user's package depends on the runtime.
//!
//! A dependency can be renamed, `gpu = { package = "gpu-runtime", … }`, and generated code must name the crate as the user does. Only the
//! package's manifest shows.

use std::path::Path;
use std::sync::OnceLock;

/// The package of the runtime.
const PACKAGE: &str = "gpu-runtime";

/// How many folders above that of a package may have the manifest of its workspace.
const HIGHEST_WORKSPACE: usize = 6;

/// The name of the runtime's crate in the package that is being compiled, if its manifest renames it.
pub(super) fn renamed_runtime() -> Option<&'static str> {
    static NAME: OnceLock<Option<String>> = OnceLock::new();
    NAME.get_or_init(|| renamed_in(Path::new(&std::env::var_os("CARGO_MANIFEST_DIR")?))).as_deref()
}

fn renamed_in(package: &Path) -> Option<String> {
    let read = |folder: &Path| std::fs::read_to_string(folder.join("Cargo.toml")).ok();
    let manifest = read(package)?;
    if let Some(name) = renaming(&manifest) {
        return Some(name);
    }
    // `gpu.workspace = true` inherits the package.
    let inherits = |name: &String| dependencies(&manifest).any(|(known, text)| known == *name && text.contains("workspace=true"));
    let workspaces = package.ancestors().skip(1).take(HIGHEST_WORKSPACE);
    if !manifest.contains("workspace") {
        return None;
    }
    workspaces.filter_map(read).filter(|manifest| manifest.contains("[workspace")).find_map(|root| renaming(&root)).filter(inherits)
}

/// The name under which a manifest has the package, if it has it under another one only.
fn renaming(manifest: &str) -> Option<String> {
    let renamed = format!("package=\"{PACKAGE}\"");
    let mut names = dependencies(manifest).filter(|(name, text)| name == PACKAGE || text.contains(&renamed)).map(|(name, _)| name);
    let name = names.next().filter(|name| name != PACKAGE)?;
    names.all(|other| other == name).then(|| name.replace('-', "_"))
}

/// The dependencies of a manifest, each with the text of its entry, without spaces. That is all of TOML that this needs.
fn dependencies(manifest: &str) -> impl Iterator<Item = (String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let (mut in_list, mut in_table) = (false, false);
    for line in manifest.lines() {
        let line: String = line.split(" #").next().unwrap_or_default().chars().filter(|c| !c.is_whitespace()).collect();
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            in_list = header.ends_with("dependencies");
            let table = header.rsplit_once("dependencies.").map(|(_, name)| unquoted(name));
            in_table = table.is_some();
            found.extend(table.map(|name| (name, String::new())));
        } else if in_table {
            if let Some((_, text)) = found.last_mut() {
                text.push_str(&line);
            }
        } else if let (true, Some((key, value))) = (in_list, line.split_once('=')) {
            // `gpu.workspace = true`
            let (name, rest) = key.split_once('.').map_or((key, String::new()), |(name, rest)| (name, format!("{rest}=")));
            found.push((unquoted(name), rest + value));
        }
    }
    found.into_iter()
}

fn unquoted(name: &str) -> String {
    name.trim_matches(|c| c == '"' || c == '\'').to_owned()
}

#[cfg(test)]
mod tests {
    use super::renaming;

    #[test]
    fn a_renamed_runtime_is_found_in_every_form_of_a_dependency() {
        let renamed = [
            "[dependencies]\ngpu = { package = \"gpu-runtime\", version = \"0.1\" } # ours\n",
            "[package]\nname = \"mine\"\n[dependencies.gpu]\nversion = \"1\"\npackage=\"gpu-runtime\"\n[features]\na = []\n",
            "[target.'cfg(unix)'.dependencies]\nserde = \"1\"\n\"gpu\" = { path = \"..\", package = \"gpu-runtime\" }\n",
            "[workspace.dependencies]\ngpu = {package=\"gpu-runtime\"}\n",
            "[dependencies]\ngpu = { package = \"gpu-runtime\" }\n[dev-dependencies]\ngpu = { package = \"gpu-runtime\" }\n",
        ];
        for manifest in renamed {
            assert_eq!(renaming(manifest).as_deref(), Some("gpu"), "{manifest}");
        }
        assert_eq!(renaming("[dependencies]\nmy-gpu = { package = \"gpu-runtime\" }").as_deref(), Some("my_gpu"));
        let others = [
            "[dependencies]\ngpu-runtime = \"0.1\"\n",
            "[dependencies]\ngpu-runtime = \"0.1\"\n[dev-dependencies]\ngpu = { package = \"gpu-runtime\" }\n",
            "[dependencies]\none = { package = \"gpu-runtime\" }\ntwo = { package = \"gpu-runtime\" }\n",
            "[dependencies]\ngpu = { package = \"gpu-runtimes\" }\n",
            "[package.metadata]\ngpu = { package = \"gpu-runtime\" }\n",
        ];
        for manifest in others {
            assert_eq!(renaming(manifest), None, "{manifest}");
        }
    }
}
