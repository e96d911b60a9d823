//! What an editor shows in a kernel: as much as in the same function without the attribute.
//!
//! rust-analyzer is found on `PATH`, or where `RUST_ANALYZER` says.

mod client;

use client::Client;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Marks the place that the editor is asked about.
const CURSOR: &str = "$0";

/// The program of the server. Without one, the test says that it was skipped, or fails where `GPU_RUNTIME_REQUIRE=rust-analyzer` asks for
/// it.
fn server() -> Option<String> {
    let program = std::env::var("RUST_ANALYZER").unwrap_or_else(|_| "rust-analyzer".to_owned());
    // rustup has a program of this name that fails where the component is missing.
    if Command::new(&program).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Some(program);
    }
    let required = std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.contains("rust-analyzer"));
    assert!(!required, "`{program}` does not run");
    eprintln!("skipped: `{program}` does not run; install it with `rustup component add rust-analyzer`");
    None
}

/// Whether rust-analyzer sees the source of std, whose methods it completes.
fn has_source_of_std() -> bool {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let sysroot = Command::new(rustc).args(["--print", "sysroot"]).output().expect("rustc runs");
    let sysroot = String::from_utf8(sysroot.stdout).expect("a path in UTF-8");
    let found = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/core").exists();
    let required = std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.contains("rust-analyzer"));
    assert!(found || !required, "the source of std is missing");
    if !found {
        eprintln!("methods of std are skipped: their source is missing; install it with `rustup component add rust-src`");
    }
    found
}

/// What cargo says of the attributes' library when it has built it. Cargo has, for this test: the server need not have it built again.
fn built_attributes() -> String {
    let libraries: &[&str] = &rustc_invocation::libraries!();
    let library = libraries.iter().find_map(|library| library.strip_prefix("gpu_macros=")).expect("a dependency of this test");
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gpu-macros").canonicalize().expect("a package of this workspace");
    let target = json!({
        "kind": ["proc-macro"],
        "crate_types": ["proc-macro"],
        "name": "gpu_macros",
        "src_path": package.join("src/lib.rs"),
        "edition": "2024",
    });
    json!({
        "reason": "compiler-artifact",
        "package_id": format!("path+file://{}#{}", package.display(), env!("CARGO_PKG_VERSION")),
        "manifest_path": package.join("Cargo.toml"),
        "target": target,
        "profile": { "opt_level": "0", "debuginfo": 0, "debug_assertions": true, "overflow_checks": true, "test": false },
        "features": [],
        "filenames": [library],
        "executable": null,
        "fresh": true,
    })
    .to_string()
}

/// An editor with one file open.
struct Editor {
    client: Client,
    file: PathBuf,
}

impl Editor {
    fn open(program: &str) -> Editor {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editor");
        let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gpu-runtime");
        let file = root.join("src/main.rs");
        fs::create_dir_all(root.join("src")).expect("a folder for the package");
        let manifest = format!(
            "[package]\nname = \"edited\"\nedition = \"2024\"\n\n[dependencies]\ngpu-runtime = {{ path = {runtime:?} }}\n\n[workspace]\n"
        );
        fs::write(root.join("Cargo.toml"), manifest).expect("a manifest");
        fs::write(&file, "fn main() {}\n").expect("a file");
        let built = root.join("built.json");
        fs::write(&built, built_attributes() + "\n").expect("a file");
        let mut client = Client::start(program, &root, &built);
        client.wait_until_ready();
        Editor { client, file }
    }

    /// The answer of the server at the cursor in `text`.
    fn ask(&mut self, method: &str, text: &str) -> Value {
        let (before, after) = text.split_once(CURSOR).expect("the text has a cursor");
        self.client.show(&self.file, &format!("{before}{after}"));
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().map_or(0, |start| start.chars().count());
        self.client.ask(method, &self.file, (line, column))
    }

    /// The names that complete what stands in front of the cursor.
    fn completions(&mut self, text: &str) -> BTreeSet<String> {
        let answer = self.ask("textDocument/completion", text);
        let items = answer["items"].as_array().or(answer.as_array()).cloned().unwrap_or_default();
        items.iter().map(|item| item["label"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Where what stands at the cursor is declared: the line of this file, or the file.
    fn definitions(&mut self, text: &str) -> Vec<String> {
        let answer = self.ask("textDocument/definition", text);
        let targets = answer.as_array().cloned().unwrap_or_else(|| vec![answer]);
        let place = |target: &Value| {
            let (uri, line) = (target["uri"].as_str().unwrap_or_default(), &target["range"]["start"]["line"]);
            let declaration = line.as_u64().and_then(|line| text.lines().nth(line as usize)).unwrap_or_default();
            if uri.ends_with("edited/src/main.rs") || uri.ends_with("editor/src/main.rs") {
                declaration.trim().to_owned()
            } else {
                uri.to_owned()
            }
        };
        targets.iter().map(place).collect()
    }
}

/// A program with `body` in a function with this attribute.
fn program(attribute: &str, body: &str) -> String {
    format!(
        "use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Particle {{
    mass: f32,
    charge: f32,
}}

#[gpu_device]
fn sum_of(a: f32, b: f32) -> f32 {{
    a + b
}}

{attribute}
fn step(particles: &[Particle], by: f32, out: &mut [f32]) {{
    let i = grid_1d();
{body}
}}

fn main() {{}}
"
    )
}

const KERNEL: &str = "#[gpu_kernel]";

/// A program with `body` in a method, and in the functions of a trait, each with this attribute.
fn program_of_methods(attribute: &str, body: &str) -> String {
    format!(
        "use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Particle {{
    mass: f32,
    charge: f32,
}}

{attribute}
impl Particle {{
    fn heavier(self, by: f32) -> Particle {{
        Particle {{ mass: self.mass + by, ..self }}
    }}

    fn step(self, by: f32) -> f32 {{
{body}
    }}
}}

fn main() {{}}
"
    )
}

/// A program with `body` in the function that a trait with this attribute provides.
fn program_of_trait(attribute: &str, body: &str) -> String {
    format!(
        "use gpu_runtime::prelude::*;

{attribute}
trait Body: Copy {{
    fn heavier(self, by: f32) -> f32;

    fn step(self, by: f32) -> f32 {{
{body}
    }}
}}

fn main() {{}}
"
    )
}

/// A program with `body` in the implementation of a trait, both with this attribute.
fn program_of_implementation(attribute: &str, body: &str) -> String {
    format!(
        "use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Particle {{
    mass: f32,
    charge: f32,
}}

{attribute}
trait Body: Copy {{
    fn heavier(self, by: f32) -> f32;

    fn step(self, by: f32) -> f32;
}}

{attribute}
impl Body for Particle {{
    fn heavier(self, by: f32) -> f32 {{
        self.mass + by
    }}

    fn step(self, by: f32) -> f32 {{
{body}
    }}
}}

fn main() {{}}
"
    )
}

const DEVICE: &str = "#[gpu_device]";

/// Bodies that are being typed, each with a name that completes it.
const TYPED: &[(&str, &str)] = &[
    ("    let m = particles[0].$0", "mass"),
    ("    let p = particles[i];\n    out[i] = p.$0;", "charge"),
    ("    let q = su$0", "sum_of"),
    ("    let q = par$0;", "particles"),
    ("    let j = grid_$0", "grid_1d"),
    ("    if particles[i].$0 > by { out[i] = by; }", "mass"),
    // With a mistake besides.
    ("    let text = \"abc\";\n    let m = particles[0].$0", "mass"),
    ("    let text = \"abc\";\n    let m = particles[0].$0;", "charge"),
    ("    let wrong: f64 = by;\n    let q = su$0;", "sum_of"),
    ("    let v = vec![1.0];\n    out[i] = particles[i].$0;", "charge"),
];

/// The same for methods of std.
const TYPED_OF_STD: &[(&str, &str)] = &[
    ("    let n = particles.$0", "len"),
    ("    out.$0", "len"),
    ("    out[i] = by.$0;", "sqrt"),
    ("    let text = \"abc\";\n    let n = out.$0;", "len"),
];

/// The same in methods and functions of traits.
const TYPED_IN_METHODS: &[(&str, &str)] =
    &[("        self.$0", "heavier"), ("        let h = self.hea$0", "heavier"), ("        let text = \"abc\"; self.$0", "heavier")];

/// The same for methods of std.
const TYPED_OF_STD_IN_METHODS: &[(&str, &str)] = &[("        by.$0", "sqrt"), ("        let q = by; q.$0", "sqrt")];

impl Editor {
    /// Checks that what `body` is completed by without the attribute, `wanted` among it, is there with it.
    #[track_caller]
    fn check_completion(&mut self, program: fn(&str, &str) -> String, attribute: &str, body: &str, wanted: &str) {
        let plain = self.completions(&program("", body));
        let annotated = self.completions(&program(attribute, body));
        // A label is a name, and what trait it is of: `heavier(as Body)`.
        let is_wanted = |label: &String| label.split('(').next() == Some(wanted);
        assert!(plain.iter().any(is_wanted), "the plain function has no `{wanted}` for\n{body}\nbut {plain:?}");
        let missing: Vec<_> = plain.difference(&annotated).collect();
        assert!(missing.is_empty(), "with {attribute}, {missing:?} is missing for\n{body}");
    }
}

#[test]
fn an_editor_knows_a_kernel_like_a_plain_function() {
    let Some(server) = server() else { return };
    let mut editor = Editor::open(&server);
    let has_std = has_source_of_std();
    let and_of_std = |of_std: &'static [_]| if has_std { of_std } else { &[] };
    for (body, wanted) in TYPED.iter().chain(and_of_std(TYPED_OF_STD)) {
        editor.check_completion(program, KERNEL, body, wanted);
    }
    for program in [program_of_methods, program_of_trait, program_of_implementation] {
        for (body, wanted) in TYPED_IN_METHODS.iter().chain(and_of_std(TYPED_OF_STD_IN_METHODS)) {
            editor.check_completion(program, DEVICE, body, wanted);
        }
    }
    for (body, declaration) in [
        ("    out[i] = particles$0[i].mass * by;", "fn step("),
        ("    let place = i;\n    out[pla$0ce] = by;", "let place = i;"),
        ("    out[i] = particles[i].ma$0ss * by;", "mass: f32,"),
        ("    out[i] = sum_$0of(by, 1.0);", "fn sum_of("),
        ("    out[i] = by; sync_$0threads();", "/intrinsics/"),
    ] {
        let found = editor.definitions(&program(KERNEL, body));
        assert!(found.len() == 1 && found[0].contains(declaration), "{body} leads to {found:?}");
    }
    let hover = editor.ask("textDocument/hover", &program(KERNEL, "    let place = i;\n    out[pla$0ce] = by;"));
    let text = hover["contents"]["value"].as_str().unwrap_or_default();
    assert!(text.contains("usize") && !text.contains("__private"), "{text}");
}
