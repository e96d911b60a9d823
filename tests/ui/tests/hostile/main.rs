//! Names of the user's beside the kernels of the conformance suite: none of them may divert generated code.
//!
//! The names are collected from what the attributes generate, so a new one cannot be forgotten. For each method that generated code calls, there is a
//! method of that name and of as many arguments for every type, by value, by reference and by mutable reference, in traits that are in
//! scope; for each other name that the user's code does not have, a module and a function of that name, which an import brings into scope; and macros
//! under the names of std's. All of them are deprecated, and a use of one is a warning that this test looks for.
//!
//! `GPU_UI_HOSTILE=all cargo test -p gpu-ui --test hostile` takes every file of the suite instead of some. A file whose kernels do not compile
//! without the rest of the suite is skipped, and named.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned;

#[allow(dead_code, reason = "the other test compiles several programs at once")]
#[path = "../messages/compile.rs"]
mod compile;

use compile::{compile_with, workspace};

/// Files that have most constructs of the language, and little else.
const CHOSEN: &[&str] = &["views", "slices", "atomics", "own_methods"];

const ATTRIBUTES: &[&str] = &["gpu_kernel", "gpu_device", "vectorize", "reduce", "guvectorize"];

/// Macros of the suite, which start its kernels.
const OF_SUITE: &[&str] = &["cases", "value_arguments", "kernel_and_oracle"];

/// Macros of std. Generated code could call them by their names alone.
const MACROS: &[&str] =
    &["assert", "debug_assert", "panic", "unreachable", "format", "format_args", "matches", "write", "cfg", "file", "vec", "todo"];

#[test]
fn names_of_the_users_do_not_divert_generated_code() {
    let folder = workspace().join("tests/src/kernels");
    let mut names: Vec<String> = CHOSEN.iter().map(|&name| name.to_owned()).collect();
    if std::env::var_os("GPU_UI_HOSTILE").is_some_and(|value| value == "all") {
        let entries = fs::read_dir(&folder).expect("the kernels are there");
        let files =
            entries.filter_map(|entry| entry.expect("a readable entry").file_name().to_str()?.strip_suffix(".rs").map(ToOwned::to_owned));
        names = files.filter(|name| name != "mod").collect();
        names.sort();
    }
    let (mut tried, mut diverted) = (0, Vec::new());
    for name in names {
        let file = folder.join(format!("{name}.rs"));
        let kernels = kernels_of(&fs::read_to_string(&file).expect("a readable file"));
        let plain = compile(&kernels, &["-Zunpretty=expanded"]);
        let alone = compile(&kernels, &["--emit=metadata"]).errors;
        if !alone.is_empty() || plain.text.is_empty() {
            println!("{name}: skipped, its kernels need the rest of the suite: {}", alone.lines().next().unwrap_or_default());
            continue;
        }
        let mut hostile = Hostile::of(&kernels, &plain.text);
        hostile.methods.retain(|name, _| !AMBIGUOUS.contains(&name.as_str()));
        let found = compile(&hostile.beside(&kernels), &["--emit=metadata"]).errors;
        println!("{name}: {} methods, {} other names", hostile.methods.len(), hostile.names.len());
        tried += 1;
        if !found.is_empty() {
            diverted.push(format!("{name}:\n{found}"));
        }
    }
    assert!(diverted.is_empty(), "{} of {tried} diverted\n{}", diverted.len(), diverted.join("\n"));
    assert!(tried >= CHOSEN.len(), "only {tried} files could be tried");
}

/// What rustc chooses in generated code, between an inherent method and one of a trait: it refuses a third, which takes the receiver as they do.
const AMBIGUOUS: &[&str] = &[
    "write_field",
    "assign",
    "declared",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "partial_order",
    "total_order",
    "callee",
    "unary_callee",
    "assignment_callee",
    "index_callee",
    "index_mut_callee",
    "left_type",
    "right_type",
    "elements",
];

/// What rustc prints.
struct Outcome {
    text: String,
    /// Errors, and uses of what is deprecated.
    errors: String,
}

fn compile(source: &str, arguments: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("program.rs");
    fs::write(&program, source).expect("the folder can be written to");
    let output = compile_with(&program, folder.path(), arguments);
    let messages = String::from_utf8(output.stderr).expect("rustc prints UTF-8");
    let is_wrong = |message: &&str| message.starts_with("error") || message.contains("diverted");
    let errors = messages.split("\n\n").filter(is_wrong).take(12).collect::<Vec<_>>().join("\n\n");
    Outcome { text: String::from_utf8(output.stdout).expect("rustc prints UTF-8"), errors }
}

/// The kernels of a file and what they need, without the tests.
fn kernels_of(source: &str) -> String {
    let file = syn::parse_file(source).expect("the file is Rust");
    let mut kept = "#![allow(unused, non_camel_case_types, non_snake_case, non_upper_case_globals)]\n".to_owned();
    for item in file.items.iter().filter(|item| is_kept(item, source)) {
        kept.push_str(&source[item.span().byte_range()]);
        kept.push('\n');
    }
    kept + "fn main() {}\n"
}

fn is_kept(item: &syn::Item, source: &str) -> bool {
    let text = &source[item.span().byte_range()];
    match item {
        syn::Item::Fn(function) => function.attrs.iter().any(|attribute| ATTRIBUTES.iter().any(|name| attribute.path().is_ident(name))),
        syn::Item::Use(import) => !text.contains("crate::") && !text.contains("super::") && import.attrs.is_empty(),
        syn::Item::Macro(invocation) => {
            !invocation.mac.path.segments.last().is_some_and(|last| OF_SUITE.iter().any(|name| last.ident == name))
        }
        syn::Item::Impl(_) | syn::Item::Mod(_) => !text.contains("crate::") && !text.contains("ench"),
        _ => true,
    }
}

/// The names for one program.
struct Hostile {
    /// Each with the numbers of arguments that it is called with.
    methods: BTreeMap<String, BTreeSet<usize>>,
    names: BTreeSet<String>,
}

impl Hostile {
    fn of(source: &str, expanded: &str) -> Self {
        let (source, expanded): (TokenStream, TokenStream) =
            (source.parse().expect("a program is tokens"), expanded.parse().expect("an expansion is tokens"));
        let mut methods = BTreeMap::new();
        collect_methods(expanded.clone(), &mut methods);
        // The functions of the user's types, which generated code calls as the user does.
        methods.retain(|name, _| !name.starts_with("gpu_device_") && !name.starts_with("gpu_code_"));
        let (mut users, mut names) = (BTreeSet::new(), BTreeSet::new());
        collect_names(source, &mut users);
        collect_names(expanded, &mut names);
        let is_free = |name: &String| {
            !users.contains(name)
                && syn::parse_str::<syn::Ident>(name).is_ok()
                && !PATHS.contains(&name.as_str())
                && !name.ends_with(ASSERTED)
        };
        Self { methods, names: names.into_iter().filter(is_free).collect() }
    }

    /// The program with these names in scope.
    fn beside(&self, source: &str) -> String {
        let mut text = source.lines().next().expect("the program begins with its lints").to_owned();
        for name in MACROS {
            writeln!(text, "macro_rules! {name} {{ ($($any:tt)*) => {{ compile_error!(\"diverted\") }} }}")
                .expect("a string takes any text");
        }
        text.push_str("\nmod hostile_methods {\n");
        for (receiver, sized) in [("self", ": Sized"), ("&self", ""), ("&mut self", "")] {
            let kind = receiver.replace(['&', ' '], "_");
            writeln!(text, "    pub trait Hostile{kind}{sized} {{").expect("a string takes any text");
            for (name, counts) in &self.methods {
                // Another number of arguments would be an error of its own.
                let Some(count) = counts.first().filter(|_| counts.len() == 1) else { continue };
                let types: String = (0..*count).map(|index| format!("A{index}, ")).collect();
                let arguments: String = (0..*count).map(|index| format!(", _: A{index}")).collect();
                writeln!(text, "        #[deprecated = \"diverted\"] fn {name}<{types}R>({receiver}{arguments}) -> R {{ loop {{}} }}")
                    .expect("a string takes any text");
            }
            let any = if sized.is_empty() { "T: ?Sized" } else { "T" };
            writeln!(text, "    }}\n    impl<{any}> Hostile{kind} for T {{}}").expect("a string takes any text");
        }
        text.push_str("}\nuse hostile_methods::*;\nmod hostile_names {\n");
        for name in &self.names {
            writeln!(text, "    #[deprecated = \"diverted\"] pub mod {name} {{}}\n    #[deprecated = \"diverted\"] pub fn {name}() {{}}")
                .expect("a string takes any text");
        }
        text.push_str("}\nuse hostile_names::*;\n");
        text + source.split_once('\n').expect("more than one line").1
    }
}

/// Names that a path begins with, or that stand for a crate: those have a test of their own, `impostor_core.rs`.
const PATHS: &[&str] = &["core", "std", "alloc", "gpu_runtime", "main", "prelude", "self", "Self", "super", "crate", "diagnostic"];

/// By these names, generated code asserts what a crate is. Where there is another, they are ambiguous.
const ASSERTED: &str = "_must_be_the_crate_itself";

/// The methods that are called, each with its numbers of arguments.
fn collect_methods(tokens: TokenStream, found: &mut BTreeMap<String, BTreeSet<usize>>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            collect_methods(group.stream(), found);
        }
        let (TokenTree::Punct(dot), Some(TokenTree::Ident(name))) = (token, tokens.get(index + 1)) else { continue };
        let after_dot = index > 0 && matches!(&tokens[index - 1], TokenTree::Punct(before) if before.as_char() == '.');
        if let ('.', false, Some(arguments)) = (dot.as_char(), after_dot, arguments_in(&tokens[index + 2..])) {
            found.entry(name.to_string()).or_default().insert(count_arguments(arguments));
        }
    }
}

/// The arguments of a call, `(…)` or `::<…>(…)`, at the start.
fn arguments_in(tokens: &[TokenTree]) -> Option<TokenStream> {
    let mut depth = 0;
    let is_generic = matches!(tokens, [TokenTree::Punct(a), TokenTree::Punct(b), ..] if a.as_char() == ':' && b.as_char() == ':');
    for token in tokens {
        match token {
            TokenTree::Punct(sign) if is_generic && sign.as_char() == '<' => depth += 1,
            TokenTree::Punct(sign) if is_generic && sign.as_char() == '>' => depth -= 1,
            TokenTree::Punct(sign) if is_generic && sign.as_char() == ':' => {}
            TokenTree::Group(group) if depth == 0 && group.delimiter() == Delimiter::Parenthesis => return Some(group.stream()),
            _ if depth > 0 => {}
            _ => return None,
        }
    }
    None
}

fn count_arguments(arguments: TokenStream) -> usize {
    let parser = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
    syn::parse::Parser::parse2(parser, arguments).map_or(0, |arguments| arguments.len())
}

fn collect_names(tokens: TokenStream, found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                found.insert(name.to_string());
            }
            TokenTree::Group(group) => collect_names(group.stream(), found),
            _ => {}
        }
    }
}

#[test]
fn a_third_method_is_refused_where_rustc_chooses_between_two() {
    let source = fs::read_to_string(workspace().join("tests/src/kernels/own_methods.rs")).expect("a readable file");
    let kernels = kernels_of(&source);
    let mut hostile = Hostile::of(&kernels, &compile(&kernels, &["-Zunpretty=expanded"]).text);
    hostile.names.clear();
    hostile.methods.retain(|name, _| AMBIGUOUS.contains(&name.as_str()));
    let found = compile(&hostile.beside(&kernels), &["--emit=metadata"]).errors;
    let refused = found.lines().filter(|line| line.starts_with("error["));
    assert!(refused.clone().count() > 2, "{found}");
    assert!(refused.clone().all(|line| line.starts_with("error[E0034]")), "{found}");
}

#[test]
fn a_diverted_call_is_found() {
    // As generated code must not call it.
    let source = "#![allow(unused)]\nfn called(x: u32) -> u32 { x.count_ones() }\nfn main() {}\n";
    let hostile = Hostile::of(source, source);
    assert!(compile(source, &["--emit=metadata"]).errors.is_empty());
    assert_eq!(hostile.methods.len(), 1);
    let by_reference = "#![allow(unused)]\nfn called(x: [u32; 2]) -> usize { x.len() }\nfn main() {}\n";
    let found = compile(&Hostile::of(by_reference, by_reference).beside(by_reference), &["--emit=metadata"]).errors;
    assert!(found.contains("diverted"), "{found}");
}
