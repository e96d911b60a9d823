//! The layers of this crate: a module imports from its own layer and from those below.
//!
//! `error` is no part of them: it lists what goes wrong in every layer, and every layer names it.

use std::fs;
use std::path::Path;

/// The modules of each layer, the lowest first.
const LAYERS: &[(&str, &[&str])] = &[
    (
        "the kernel language and what runs it natively",
        &[
            "advice",
            "atomic",
            "backend::cpu",
            "constant",
            "dims",
            "failure",
            "foreign",
            "fork",
            "insertion_sort",
            "intrinsics",
            "observe",
            "ops",
            "scalar",
            "source",
            "tile",
            "vector",
        ],
    ),
    ("device and queue", &["backend", "compile", "device", "finished", "stream"]),
    ("memory", &["memory"]),
    ("kernels and graphs", &["aot", "graph", "kernel", "tune"]),
    ("array functions", &["arrays", "functions", "ufunc"]),
    ("several devices", &["cluster"]),
    (
        "the public face",
        &["lib", "prelude", "private", "__private", "calls", "support", "tools", "diagnostics", "block", "gradient", "rng", "layers"],
    ),
];

/// What every layer may name.
const COMMON: &[&str] = &["Error", "Result", "error"];

/// Attributes of this crate, which it uses itself.
const ATTRIBUTES: &[&str] = &["gpu_device", "gpu_kernel", "guvectorize", "reduce", "vectorize"];

/// The layer of a path below the crate's root, by its first two names or the first.
fn layer(path: &[&str]) -> Option<usize> {
    let of = |module: &str| LAYERS.iter().position(|(_, modules)| modules.contains(&module));
    of(&path[..path.len().min(2)].join("::")).or_else(|| of(path[0]))
}

/// The code of a file, without comments and unit tests.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests").or_else(|| text.find("#[cfg(test)]\npub(super) mod tests")).unwrap_or(text.len());
    let lines = text[..end].lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    lines.fold(String::new(), |code, line| code + line + "\n")
}

/// The paths behind `crate::`, each as its first two names.
fn imports(code: &str) -> Vec<Vec<&str>> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let names = |path: &str| -> usize { path.find(|c| !is_name(c)).unwrap_or(path.len()) };
    let mut found = Vec::new();
    for path in code.split("crate::").skip(1) {
        match path.strip_prefix('{') {
            Some(list) => {
                let list = list.split_once('}').map_or(list, |(list, _)| list);
                found.extend(list.split(',').map(str::trim).filter(|path| !path.is_empty()).map(|path| vec![&path[..names(path)]]));
            }
            None => {
                let (first, rest) = path.split_at(names(path));
                let second = rest.strip_prefix("::").map_or("", |rest| &rest[..names(rest)]);
                // Behind `crate::` in a macro there may be anything.
                if !first.is_empty() {
                    found.push([first, second].into_iter().filter(|name| !name.is_empty()).collect());
                }
            }
        }
    }
    found
}

/// Calls `check` with the path of each source file that is no test, below `folder`, and its text.
fn for_each_file(root: &Path, folder: &Path, check: &mut impl FnMut(&[&str], &str)) {
    let mut entries: Vec<_> = fs::read_dir(folder).expect("a folder of this crate").map(|entry| entry.expect("a file").path()).collect();
    entries.sort();
    for path in entries {
        let relative = path.strip_prefix(root).expect("a path below the root").with_extension("");
        let module: Vec<&str> = relative.iter().map(|name| name.to_str().expect("a name in ASCII")).collect();
        if module.iter().any(|name| name.ends_with("tests") || *name == "testing") {
            continue;
        }
        if path.is_dir() {
            for_each_file(root, &path, check);
        } else if path.extension().is_some_and(|extension| extension == "rs") && module[0] != "error" {
            check(&module, &code(&fs::read_to_string(&path).expect("a text")));
        }
    }
}

#[test]
fn no_module_imports_from_a_layer_above_its_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    if !root.exists() {
        eprintln!("skipped: the test was copied to a machine without the source code");
        return;
    }
    let (mut files, mut wrong) = (0, Vec::new());
    for_each_file(&root, &root, &mut |module, code| {
        files += 1;
        let own = layer(module).unwrap_or_else(|| panic!("{module:?} is in no layer: say in which"));
        let is_face = own == LAYERS.len() - 1;
        for path in imports(code).iter().filter(|path| !COMMON.contains(&path[0]) && !ATTRIBUTES.contains(&path[0])) {
            match layer(path) {
                Some(other) if other > own => {
                    wrong.push(format!("{} imports {} of {}", module.join("/"), path.join("::"), LAYERS[other].0));
                }
                Some(_) => {}
                // What lib.rs re-exports hides the layer that it is from.
                None if !is_face => wrong.push(format!("{} imports {} from the root", module.join("/"), path.join("::"))),
                None => {}
            }
        }
    });
    assert!(files > 100, "{files} files are too few: the test looks in the wrong place");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn imports_are_found_in_every_form() {
    let found = imports("use crate::memory::{A, B};\nuse crate::{Error, ufunc::Lazy};\n$crate::ops::add(1, 2); x::y");
    assert_eq!(found, [vec!["memory"], vec!["Error"], vec!["ufunc"], vec!["ops", "add"]]);
    assert_eq!((layer(&["backend", "cpu"]), layer(&["backend", "cuda"])), (Some(0), Some(1)));
}
