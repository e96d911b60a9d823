//! What is proved of every kernel of the workspace, and how long that takes.
//!
//! ```text
//! GPU_MACROS_PROOFS=before.txt cargo test -p gpu-macros --lib check::tests::workspace -- --ignored --nocapture
//! ```
//!
//! writes the proofs into a file, to compare two versions of them, and prints the kernels that take longest.

use super::*;
use crate::check::check_function;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FOLDERS: [&str; 9] = [
    "tests/src",
    "tests/tests",
    "tests/fuzz",
    "tests/faults",
    "benches",
    "examples",
    "gpu-runtime/src",
    "gpu-runtime/tests",
    "gpu-macros/src/fuzz",
];
const MOST_SHOWN: usize = 20;

/// For how long this thread has computed, whatever else the machine does. Known on Linux alone.
fn time_of_thread() -> Duration {
    let known = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(known.split_whitespace().next().and_then(|nanoseconds| nanoseconds.parse().ok()).unwrap_or(0))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.extension() {
            _ if path.is_dir() => sources(&path, found),
            Some(extension) if extension == "rs" => found.push(path),
            _ => {}
        }
    }
}

/// The functions with the attribute, each with its arguments.
fn kernels(items: Vec<syn::Item>, found: &mut Vec<(String, syn::ItemFn)>) {
    for item in items {
        match item {
            syn::Item::Mod(module) => kernels(module.content.map(|(_, items)| items).unwrap_or_default(), found),
            syn::Item::Fn(mut function) => {
                let inside = function.block.stmts.iter().filter_map(|stmt| match stmt {
                    syn::Stmt::Item(item) => Some(item.clone()),
                    _ => None,
                });
                kernels(inside.collect(), found);
                if let Some(at) = function.attrs.iter().position(|attribute| attribute.path().is_ident("gpu_kernel")) {
                    let attribute = function.attrs.remove(at);
                    let arguments = attribute.meta.require_list().map_or_else(|_| String::new(), |list| list.tokens.to_string());
                    found.push((arguments, function));
                }
            }
            _ => {}
        }
    }
}

/// What is proved of a kernel that has no errors.
fn describe(function: &Function) -> Option<String> {
    let errors = Errors::new();
    let analysis = check_function(function, 0, &errors);
    let _ = errors.check();
    let analysis = analysis?;
    let all = |needs: &[Inequality]| needs.iter().map(|need| show_inequality(need, function)).collect::<Vec<_>>().join(" and ");
    let shown = |bound: &Bound| match bound {
        Bound::Unknown => "unknown".to_owned(),
        Bound::Below(needs) if needs.is_empty() => "always".to_owned(),
        Bound::Below(needs) => needs
            .iter()
            .map(|need| format!("{}{}", show_inequality(need, function), if need.or.is_empty() { "" } else { " or" }))
            .collect::<Vec<_>>()
            .join(" and "),
    };
    let mut text = String::new();
    for (number, bound) in analysis.bounds.iter().enumerate() {
        writeln!(text, "  {number}: {}", shown(bound)).unwrap();
    }
    let without = analysis.bounds_without_checks.iter().flatten().filter(|bound| **bound != Bound::Unknown).count();
    writeln!(text, "  without checks: {without}").unwrap();
    match &analysis.race_freedom {
        RaceFreedom::Proved { grid_axes, block_axes, conditions } => {
            let conditions: Vec<Inequality> = conditions.iter().map(|condition| condition.inequality.clone()).collect();
            writeln!(text, "  safe {grid_axes} {block_axes} {}", all(&conditions)).unwrap();
        }
        RaceFreedom::Unproved(accesses) => accesses.iter().for_each(|access| writeln!(text, "  {} {}", access.what, access.help).unwrap()),
    }
    analysis.shared_races.iter().for_each(|race| writeln!(text, "  shared: {}", race.finding.what).unwrap());
    for narrow in [analysis.narrow.as_ref().ok(), analysis.narrow_with_checks.as_ref()].into_iter().flatten() {
        writeln!(text, "  32 bits: {}", all(narrow)).unwrap();
    }
    Some(text)
}

#[test]
#[ignore = "measures time"]
fn what_is_proved_of_the_kernels_of_the_workspace_and_how_long_it_takes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| sources(&root.join(folder), &mut files));
    files.sort();
    let (mut times, mut text): (Vec<(Duration, String)>, String) = Default::default();
    for path in files {
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        let mut found = Vec::new();
        kernels(syn::parse_file(&source).map(|file| file.items).unwrap_or_default(), &mut found);
        for (arguments, item) in found {
            let name = format!("{}: {}", path.strip_prefix(&root).unwrap_or(&path).display(), item.sig.ident);
            let kernel = || kernel_of(&arguments, &item, Some(Surroundings::in_source(&source, &item.sig.ident.to_string())));
            let Ok(function) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(kernel)) else { continue };
            let start = time_of_thread();
            let Some(proved) = describe(&function) else { continue };
            times.push((time_of_thread() - start, name.clone()));
            writeln!(text, "{name}\n{proved}").unwrap();
        }
    }
    if let Ok(file) = std::env::var("GPU_MACROS_PROOFS") {
        std::fs::write(file, text).expect("a file that can be written");
    }
    times.sort_by(|a, b| b.cmp(a));
    println!("{:?} for {} kernels", times.iter().map(|(time, _)| *time).sum::<Duration>(), times.len());
    times.iter().take(MOST_SHOWN).for_each(|(time, name)| println!("{:6} ms {name}", time.as_millis()));
}
