//! Two functions of one name in one module. rustc reports the second, and then everything that the two expansions have in common.
//!
//! A macro sees one function at a time, and not the module. But it remembers which names it has seen in a file, and where one comes again,
//! the file tells whether the two stand side by side.

use crate::host_tool::is_editor;
use proc_macro2::Ident;
use std::sync::{Mutex, PoisonError};
use syn::ext::IdentExt;

/// Whether a function of this name stands before it in the same module.
pub(crate) fn is_second(name: &Ident) -> bool {
    if !proc_macro::is_available() || is_editor() {
        return false;
    }
    let span = name.span().unwrap();
    let (file, text) = (span.file(), name.unraw().to_string());
    if !remember(&file, &text) {
        return false;
    }
    let source = span.local_file().and_then(|path| std::fs::read_to_string(path).ok());
    source.is_some_and(|source| stands_before(&source, &text, span.line()))
}

/// Whether the name was seen in that file before. It is from now on.
fn remember(file: &str, name: &str) -> bool {
    static SEEN: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_seen = seen.iter().any(|(known, other)| other == name && known == file);
    if !is_seen {
        seen.push((file.to_owned(), name.to_owned()));
    }
    is_seen
}

/// Whether the function in this line has another of its name before it in its module. `false` where the text does not tell.
fn stands_before(source: &str, name: &str, line: usize) -> bool {
    let lines = lines_of(source, name);
    let Some(position) = lines.iter().position(|&known| known == line) else { return false };
    let Ok(file) = syn::parse_file(source) else { return false };
    let mut functions = Functions { name, modules: 0, found: Vec::new() };
    functions.collect(&file.items);
    // In comments, macros and bodies are more of them.
    let Some(module) = functions.found.get(position).copied().flatten().filter(|_| functions.found.len() == lines.len()) else {
        return false;
    };
    functions.found[..position].contains(&Some(module))
}

/// The lines with `fn name`, counted from 1.
fn lines_of(source: &str, name: &str) -> Vec<usize> {
    let declares = |line: &str| {
        let names = line.split("fn ").skip(1).map(|rest| rest.trim_start().trim_start_matches("r#"));
        names.filter_map(|rest| rest.strip_prefix(name)).any(|rest| rest.starts_with(['(', '<', ' ']))
    };
    source.lines().zip(1..).filter(|(line, _)| declares(line)).map(|(_, number)| number).collect()
}

/// The functions of one name in a file.
struct Functions<'n> {
    name: &'n str,
    modules: usize,
    /// In the order of the text, each with the number of its module. `None` for what can stand beside another of its name.
    found: Vec<Option<usize>>,
}

impl Functions<'_> {
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
        if signature.ident.unraw() == self.name {
            self.found.push(module);
        }
    }
}

fn has_condition(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr"))
}

#[cfg(test)]
mod tests {
    use super::stands_before;

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
