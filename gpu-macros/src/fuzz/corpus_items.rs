//! The programs that are mutated, by item.

use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;

use super::mutate::{Words, is_separator};
use crate::{device_type, expand, graph_data, kernel_data};

/// The macros.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entry {
    Kernel,
    Device,
    Vectorize,
    Reduce,
    Generalized,
    DeviceType,
    GraphData,
    KernelData,
}

impl Entry {
    pub(super) const ALL: [Entry; 8] = [
        Entry::Kernel,
        Entry::Device,
        Entry::Vectorize,
        Entry::Reduce,
        Entry::Generalized,
        Entry::DeviceType,
        Entry::GraphData,
        Entry::KernelData,
    ];

    pub(super) fn expand(self, arguments: TokenStream, item: TokenStream) -> TokenStream {
        match self {
            Entry::Kernel => expand::expand_kernel(arguments, item),
            Entry::Device => expand::expand_device(arguments, item),
            Entry::Vectorize => expand::expand_vectorize(arguments, item),
            Entry::Reduce => expand::expand_reduce(arguments, item),
            Entry::Generalized => expand::expand_generalized(arguments, item),
            Entry::DeviceType => device_type::expand_device_type(item),
            Entry::GraphData => graph_data::expand_graph_data(item),
            Entry::KernelData => kernel_data::expand_kernel_data(item),
        }
    }

    /// The macro that an attribute calls.
    fn of(attribute: &syn::Attribute) -> Option<Entry> {
        Some(match attribute.path().get_ident()?.to_string().as_str() {
            "gpu_kernel" => Entry::Kernel,
            "gpu_device" => Entry::Device,
            "vectorize" => Entry::Vectorize,
            "reduce" => Entry::Reduce,
            "guvectorize" => Entry::Generalized,
            "derive" if attribute.to_token_stream().to_string().contains("DeviceType") => Entry::DeviceType,
            "derive" if attribute.to_token_stream().to_string().contains("GraphData") => Entry::GraphData,
            "derive" if attribute.to_token_stream().to_string().contains("KernelData") => Entry::KernelData,
            _ => return None,
        })
    }
}

/// An item as a macro gets it. As text, because tokens belong to one thread.
pub(super) struct Item {
    pub(super) entry: Entry,
    pub(super) arguments: String,
    pub(super) tokens: String,
}

pub(super) struct Corpus {
    pub(super) items: Vec<Item>,
    pub(super) words: Words,
}

impl Corpus {
    /// What is in this package.
    pub(super) fn embedded() -> Corpus {
        Corpus::of(&[include_str!("corpus.rs").to_owned()])
    }

    /// With the kernels of the conformance tests, where the package is in its workspace.
    pub(super) fn with_kernels_of_the_workspace() -> Corpus {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/src/kernels");
        let mut files: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()).collect();
        files.sort();
        let mut sources = vec![include_str!("corpus.rs").to_owned()];
        sources.extend(files.iter().filter_map(|file| std::fs::read_to_string(file).ok()));
        Corpus::of(&sources)
    }

    fn of(sources: &[String]) -> Corpus {
        let (mut items, mut words) = (Vec::new(), Words::default());
        // syn does not know all of Rust; a file that it does not read adds nothing.
        for file in sources.iter().filter_map(|source| syn::parse_file(source).ok()) {
            collect_items(&file.items, &mut items);
        }
        for item in &items {
            collect_words(item.tokens.parse().expect("an item is tokens"), &mut words);
        }
        let Words { names, literals, marks, parentheses, brackets, braces, phrases } = &mut words;
        for list in [names, literals, marks, parentheses, brackets, braces, phrases] {
            list.sort();
            list.dedup();
        }
        Corpus { items, words }
    }
}

fn collect_items(from: &[syn::Item], items: &mut Vec<Item>) {
    for item in from {
        let mut item = item.clone();
        let attributes = match &mut item {
            syn::Item::Fn(item) => &mut item.attrs,
            syn::Item::Impl(item) => &mut item.attrs,
            syn::Item::Trait(item) => &mut item.attrs,
            syn::Item::Struct(item) => &mut item.attrs,
            syn::Item::Enum(item) => &mut item.attrs,
            syn::Item::Mod(item) => {
                collect_items(item.content.as_ref().map_or(&[], |(_, items)| items), items);
                continue;
            }
            _ => continue,
        };
        let Some(at) = attributes.iter().position(|attribute| Entry::of(attribute).is_some()) else { continue };
        let attribute = attributes.remove(at);
        let entry = Entry::of(&attribute).expect("the attribute was found by it");
        let arguments = attribute.meta.require_list().map_or_else(|_| String::new(), |list| list.tokens.to_string());
        items.push(Item { entry, arguments, tokens: item.to_token_stream().to_string() });
    }
}

fn collect_words(tokens: TokenStream, words: &mut Words) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for phrase in tokens.split(is_separator).filter(|phrase| !phrase.is_empty()) {
        words.phrases.push(phrase.iter().cloned().collect::<TokenStream>().to_string());
    }
    for token in tokens {
        let kind = match &token {
            TokenTree::Ident(_) => &mut words.names,
            TokenTree::Literal(_) => &mut words.literals,
            // The quote of a lifetime is no token by itself.
            TokenTree::Punct(punct) if punct.as_char() == '\'' => continue,
            TokenTree::Punct(_) => &mut words.marks,
            TokenTree::Group(group) => match group.delimiter() {
                Delimiter::Parenthesis | Delimiter::None => &mut words.parentheses,
                Delimiter::Bracket => &mut words.brackets,
                Delimiter::Brace => &mut words.braces,
            },
        };
        kind.push(token.to_string());
        if let TokenTree::Group(group) = token {
            collect_words(group.stream(), words);
        }
    }
}
