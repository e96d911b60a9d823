//! Two functions of one name in one module. rustc reports the second, and then everything that the two expansions have in common.
//!
//! A macro sees one function at a time, and not the module. But it remembers which names it has seen in a file, and where one comes again,
//! the file tells whether the two stand side by side.

use crate::host_tool::is_editor;
use proc_macro2::Ident;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use syn::ext::IdentExt;

/// Whether a function of this name stands before it in the same module.
pub(crate) fn is_second(name: &Ident) -> bool {
    static FILES: Mutex<BTreeMap<String, File>> = Mutex::new(BTreeMap::new());
    if !proc_macro::is_available() || is_editor() {
        return false;
    }
    let span = name.span().unwrap();
    let text = name.unraw().to_string();
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let file = files.entry(span.file()).or_default();
    if file.seen.insert(text.clone()) {
        return false;
    }
    let read = || span.local_file().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    file.source.get_or_insert_with(|| Source::new(read())).has_before(&text, span.line())
}

#[derive(Default)]
struct File {
    /// The functions of which a macro was asked.
    seen: BTreeSet<String>,
    /// Read where one of them comes again.
    source: Option<Source>,
}

struct Source {
    text: String,
    functions: Functions,
}

impl Source {
    fn new(text: String) -> Source {
        let mut functions = Functions::default();
        if let Ok(file) = syn::parse_file(&text) {
            functions.collect(&file.items);
        }
        Source { text, functions }
    }

    /// Whether the function of this name in this line has another one before it in its module. `false` where the text does not tell.
    fn has_before(&self, name: &str, line: usize) -> bool {
        let lines = lines_of(&self.text, name);
        let Some(position) = lines.iter().position(|&known| known == line) else { return false };
        let modules: Vec<Option<usize>> =
            self.functions.found.iter().filter(|(known, _)| known == name).map(|(_, module)| *module).collect();
        // In comments, macros and bodies are more of them.
        let Some(module) = modules.get(position).copied().flatten().filter(|_| modules.len() == lines.len()) else { return false };
        modules[..position].contains(&Some(module))
    }
}

/// The lines with `fn name`, counted from 1.
fn lines_of(source: &str, name: &str) -> Vec<usize> {
    let declares = |line: &str| {
        let names = line.split("fn ").skip(1).map(|rest| rest.trim_start().trim_start_matches("r#"));
        names.filter_map(|rest| rest.strip_prefix(name)).any(|rest| rest.starts_with(['(', '<', ' ']))
    };
    source.lines().zip(1..).filter(|(line, _)| declares(line)).map(|(_, number)| number).collect()
}

/// The functions of a file.
#[derive(Default)]
struct Functions {
    modules: usize,
    /// In the order of the text, each with the number of its module. `None` for what can stand beside another of its name.
    found: Vec<(String, Option<usize>)>,
}

impl Functions {
    fn collect(&mut self, items: &[syn::Item]) {
        let module = self.modules;
        self.modules += 1;
        for item in items {
            match item {
                syn::Item::Fn(function) => self.add(&function.sig, Some(module).filter(|_| !has_condition(&function.attrs))),
                syn::Item::Mod(inner) => inner.content.iter().for_each(|(_, items)| self.collect(items)),
                syn::Item::Impl(block) => {
                    for item in &block.items {
                        if let syn::ImplItem::Fn(function) = item {
                            self.add(&function.sig, None);
                        }
                    }
                }
                syn::Item::Trait(declaration) => {
                    for item in &declaration.items {
                        if let syn::TraitItem::Fn(function) = item {
                            self.add(&function.sig, None);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, signature: &syn::Signature, module: Option<usize>) {
        self.found.push((signature.ident.unraw().to_string(), module));
    }
}

fn has_condition(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr"))
}

#[cfg(test)]
mod tests {
    use super::Source;

    fn stands_before(source: &str, name: &str, line: usize) -> bool {
        Source::new(source.to_owned()).has_before(name, line)
    }

    #[test]
    fn functions_of_one_module_have_different_names() {
        let source = "fn k() {}\nfn other() {}\npub(crate) fn k(x: f32) {}\n";
        assert!(!stands_before(source, "k", 1));
        assert!(stands_before(source, "k", 3));
    }

    #[test]
    fn functions_of_other_modules_types_and_configurations_may_have_the_same() {
        let source = "fn k() {}\nmod a {\nfn k() {}\n}\nimpl S {\nfn k() {}\n}\n#[cfg(a)]\nfn k() {}\n#[cfg(not(a))]\nfn k() {}\n";
        for line in 1..=source.lines().count() {
            assert!(!stands_before(source, "k", line), "line {line}");
        }
    }

    #[test]
    fn a_name_in_a_comment_or_a_macro_tells_nothing() {
        assert!(!stands_before("fn k() {}\n// fn k() was here\nfn k() {}\n", "k", 3));
        assert!(!stands_before("m! { fn k() {} }\nfn k() {}\n", "k", 2));
    }
}
