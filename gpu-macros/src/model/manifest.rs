//! The name by which the user's package depends on the runtime, and whether that name is the runtime's.
//!
//! A dependency can be renamed, `gpu = { package = "gpu-runtime", … }`, and generated code must name the crate as the user does. Only the
//! package's manifest shows. In the same way, another package can be given the name of the runtime.

use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

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
    let manifest = read(package)?;
    if let Some(name) = renaming(&manifest) {
        return Some(name);
    }
    // `gpu.workspace = true` inherits the package.
    let inherits = |name: &String| dependencies(&manifest).any(|(known, text)| known == *name && text.contains("workspace=true"));
    if !manifest.contains("workspace") {
        return None;
    }
    workspaces(package).find_map(|root| renaming(&root)).filter(inherits)
}

fn read(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join("Cargo.toml")).ok()
}

/// The manifests of workspaces that the package may be in, the nearest first.
fn workspaces(package: &Path) -> impl Iterator<Item = String> {
    let manifests = package.ancestors().take(HIGHEST_WORKSPACE + 1).filter_map(read);
    manifests.filter(|manifest| manifest.contains("[workspace"))
}

/// If the manifest of the package that is being compiled gives this name to another package than the runtime: what it does. `None` also where
/// there is no manifest to read, or none of whose form this is.
pub(super) fn impostor(name: &str) -> Option<String> {
    static FOUND: Mutex<Vec<(String, Option<String>)>> = Mutex::new(Vec::new());
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = found.iter().find(|(known, _)| known == name) {
        return known.clone();
    }
    let answer = find_impostor(name);
    found.push((name.to_owned(), answer.clone()));
    answer
}

fn find_impostor(name: &str) -> Option<String> {
    // The tests and examples of the runtime are compiled with its manifest.
    if std::env::var_os("CARGO_PKG_NAME").is_some_and(|package| package == PACKAGE) {
        return None;
    }
    let package = std::env::var_os("CARGO_MANIFEST_DIR")?;
    impostor_in(name, &read(Path::new(&package))?, || workspaces(Path::new(&package)).next())
}

fn impostor_in(name: &str, manifest: &str, workspace: impl Fn() -> Option<String>) -> Option<String> {
    let meant =
        |manifest: &str| -> Vec<(String, String)> { dependencies(manifest).filter(|(key, _)| key.replace('-', "_") == name).collect() };
    if dependencies(manifest).any(|(key, _)| key == "core") {
        return Some("the manifest has a dependency `core`".to_owned());
    }
    let found = meant(manifest);
    if found.is_empty() {
        let any = dependencies(manifest).next().is_some();
        return any.then(|| format!("the manifest has no dependency `{name}`, so that is the library of another package"));
    }
    let inherited = found.iter().any(|(_, text)| text.contains("workspace=true"));
    let of_workspace = inherited.then(workspace).flatten().map(|workspace| meant(&workspace)).unwrap_or_default();
    let entries = found.iter().filter(|(_, text)| !text.contains("workspace=true")).chain(&of_workspace);
    let mut packages = entries.map(|(key, text)| package_of(text).unwrap_or(key));
    packages.find(|package| *package != PACKAGE).map(|package| format!("in the manifest, `{name}` is the package `{package}`"))
}

/// `name` in `package="name"`.
fn package_of(entry: &str) -> Option<&str> {
    let (_, rest) = entry.split_once("package=")?;
    rest.split(['"', '\'']).nth(1)
}

/// The name under which a manifest has the package, if it has it under another one only.
fn renaming(manifest: &str) -> Option<String> {
    let is_runtime = |(name, text): &(String, String)| package_of(text).unwrap_or(name) == PACKAGE;
    let mut names = dependencies(manifest).filter(is_runtime).map(|(name, _)| name);
    let name = names.next().filter(|name| name != PACKAGE)?;
    names.all(|other| other == name).then(|| name.replace('-', "_"))
}

/// The dependencies of a manifest, each with the text of its entry, without spaces. That is all of TOML that this needs: a table of
/// dependencies, a table for each, and dotted keys of both.
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
        } else if let Some((key, value)) = line.split_once('=') {
            // Within the table `gpu.workspace = true`, elsewhere `dependencies.gpu.workspace = true`.
            let key = if in_list { Some(key) } else { key.split_once("dependencies.").map(|(_, key)| key) };
            let Some(key) = key else { continue };
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
    use super::{impostor_in, renaming};

    fn is_impostor(manifest: &str, workspace: Option<&str>) -> bool {
        impostor_in("gpu_runtime", manifest, || workspace.map(ToOwned::to_owned)).is_some()
    }

    #[test]
    fn another_package_under_the_name_of_the_runtime_is_found() {
        let impostors = [
            "[dependencies]\ngpu-runtime = { package = \"sound\", version = \"0.1\" }\n",
            "[dependencies]\ngpu_runtime = { version = \"0.1\", package = 'sound' }\n",
            "[dependencies.gpu-runtime]\npath = \"../sound\"\npackage = \"sound\"\n",
            "[target.'cfg(unix)'.dependencies]\n\"gpu-runtime\" = { path = \"..\", package = \"sound\" }\n",
            "dependencies.gpu-runtime.package = \"sound\"\n",
            "[dependencies]\ngpu-runtime = \"0.1\"\n[dev-dependencies]\ngpu_runtime = { package = \"sound\" }\n",
            "[dependencies]\ngpu-runtime = \"0.1\"\ncore = { package = \"sound\" }\n",
            // Its library has the name.
            "[dependencies]\nsound = \"0.1\"\n",
            "[dependencies]\nreal = { package = \"gpu-runtime\" }\nsound = \"0.1\"\n",
        ];
        for manifest in impostors {
            assert!(is_impostor(manifest, None), "{manifest}");
        }
        let honest = [
            "[dependencies]\ngpu-runtime = \"0.1\"\nserde = { package = \"other\" }\n",
            "[dev-dependencies]\ngpu-runtime = { package = \"gpu-runtime\", path = \"..\" }\n",
            "[dependencies.gpu-runtime]\nversion = \"0.1\"\nfeatures = [\"half\"]\n",
            "dependencies.gpu-runtime = \"0.1\"\n",
            // Nothing to read.
            "[package]\nname = \"mine\"\n",
        ];
        for manifest in honest {
            assert!(!is_impostor(manifest, None), "{manifest}");
        }
        let inherits = "[dependencies]\ngpu-runtime.workspace = true\n";
        for (workspace, expected) in [
            (None, false),
            (Some("[workspace.dependencies]\ngpu-runtime = { path = \"gpu-runtime\" }\n"), false),
            (Some("[workspace.dependencies]\ngpu-runtime = { path = \"sound\", package = \"sound\" }\n"), true),
        ] {
            assert_eq!(is_impostor(inherits, workspace), expected, "{workspace:?}");
        }
        assert_eq!(impostor_in("gpu", "[dependencies]\ngpu = { package = \"gpu-runtime\" }\n", || None), None);
    }

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
