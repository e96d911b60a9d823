//! The text of a file: its blocks, and what stands in each. Only names are read, by loops over bytes: whole files are read, by a macro that is
//! not optimized.

use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What was read of a file, once for all of its functions.
#[derive(Default)]
pub(super) struct File {
    /// Without comments and literals.
    pub(super) code: String,
    /// Where lines begin.
    pub(super) lines: Vec<usize>,
    /// An outer block before those in it.
    pub(super) blocks: Vec<Block>,
}

pub(super) struct Block {
    pub(super) kind: Kind,
    /// The number of the block around it.
    pub(super) outer: Option<usize>,
    pub(super) text: Range<usize>,
    /// The imports, as text without attributes, and the modules that stand in it.
    pub(super) imports: Vec<String>,
    pub(super) modules: Vec<String>,
    /// The structs and enums that stand in it: their names, and where they are.
    pub(super) types: Vec<(String, Range<usize>)>,
    /// The constants that stand in it: their names, and where they are.
    pub(super) constants: Vec<(String, Range<usize>)>,
    /// The functions that stand in it, with what stands in front of their blocks.
    pub(super) functions: Vec<(String, String)>,
}

#[derive(PartialEq)]
pub(super) enum Kind {
    /// With its name, for a file that of the file.
    Module(String),
    /// Of a type, with its header.
    Impl(String),
    /// With its name.
    Trait { name: String, has_supertraits: bool },
    /// A function, a macro, or something else.
    Other,
}

impl File {
    /// That of the last path is kept: its functions follow each other.
    pub(super) fn of(path: &Path) -> Option<Arc<Self>> {
        static LAST: Mutex<Option<(PathBuf, Arc<File>)>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, file)) = last.as_ref().filter(|(known, _)| known == path) {
            return Some(Arc::clone(file));
        }
        let file = Arc::new(Self::in_source(&std::fs::read_to_string(path).ok()?, module_of(path)));
        *last = Some((path.to_owned(), Arc::clone(&file)));
        Some(file)
    }

    /// Of the module of this name.
    /// The text of the struct or enum of this name, if there is one.
    pub(super) fn only_type(&self, name: &str) -> Option<&str> {
        let mut found = self.blocks.iter().flat_map(|block| &block.types).filter(|(known, _)| known == name);
        let (_, text) = found.next().filter(|_| found.next().is_none())?;
        Some(&self.code[text.clone()])
    }

    pub(super) fn in_source(source: &str, name: String) -> Self {
        let code = blank(source);
        let lines = iter::once(0).chain(code.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut blocks = vec![Block::new(Kind::Module(name), None, 0..code.len())];
        // The blocks around the current position: their numbers, and where the items begin that they belong to, with the names of types.
        let mut open: Vec<(usize, usize, Option<&str>)> = vec![(0, 0, None)];
        // The item before the current position, as far as it has been read.
        let (mut start, mut brackets) = (0, 0usize);
        for index in marks(&code) {
            let Some(&(innermost, item, name)) = open.last() else { break };
            match code.as_bytes()[index] {
                b'(' | b'[' => brackets += 1,
                b')' | b']' => brackets = brackets.saturating_sub(1),
                b'{' | b'}' if is_import(&code[start..index]) => {}
                b'{' => {
                    let header = &code[start..index];
                    let keyword = keyword_and_name(header);
                    let kind = Kind::of(header, keyword);
                    blocks[innermost].add_module(&kind);
                    if let Some(("fn", Some(name))) = keyword {
                        blocks[innermost].functions.push((name.to_owned(), header.trim().to_owned()));
                    }
                    open.push((blocks.len(), start, name_of_type(keyword)));
                    blocks.push(Block::new(kind, Some(innermost), index..code.len()));
                    start = index + 1;
                }
                b'}' => {
                    blocks[innermost].text.end = index;
                    open.pop();
                    if let (Some(name), Some(outer)) = (name, blocks[innermost].outer) {
                        blocks[outer].types.push((name.to_owned(), item..index + 1));
                    }
                    start = index + 1;
                }
                b';' if brackets == 0 => {
                    let item = &code[start..=index];
                    if is_import(item) {
                        blocks[innermost].imports.push(without_attributes(item).to_owned());
                    } else {
                        let keyword = keyword_and_name(item);
                        match name_of_type(keyword) {
                            Some(name) => blocks[innermost].types.push((name.to_owned(), start..index + 1)),
                            None => blocks[innermost].add_module(&Kind::of(item, keyword)),
                        }
                        if let Some(name) = name_of_constant(item) {
                            blocks[innermost].constants.push((name.to_owned(), start..index + 1));
                        }
                    }
                    start = index + 1;
                }
                _ => {}
            }
        }
        Self { code, lines, blocks }
    }
}

impl Block {
    fn new(kind: Kind, outer: Option<usize>, text: Range<usize>) -> Self {
        let (imports, modules, types, constants, functions) = Default::default();
        Self { kind, outer, text, imports, modules, types, constants, functions }
    }

    fn add_module(&mut self, kind: &Kind) {
        if let Kind::Module(name) = kind {
            self.modules.push(name.clone());
        }
    }
}

impl Kind {
    /// Whether the functions in it are those of a type or a trait.
    pub(super) fn has_methods(&self) -> bool {
        matches!(self, Self::Impl(_) | Self::Trait { .. })
    }

    /// Of the text in front of a block, with its keyword and name.
    fn of(header: &str, keyword: Option<(&str, Option<&str>)>) -> Self {
        match keyword {
            Some(("mod", Some(name))) => Self::Module(name.to_owned()),
            Some(("impl", _)) => Self::Impl(header.trim().to_owned()),
            Some(("trait", Some(name))) => Self::Trait { name: name.to_owned(), has_supertraits: header.contains(':') },
            _ => Self::Other,
        }
    }
}

/// The keyword that tells what an item is, and the word after it.
fn keyword_and_name(header: &str) -> Option<(&str, Option<&str>)> {
    let (mut keyword, mut at) = (None, 0);
    while let Some(word) = word_from(header, at) {
        if let Some(keyword) = keyword {
            return Some((keyword, Some(&header[word])));
        }
        at = word.end;
        if matches!(&header[word.clone()], "mod" | "impl" | "trait" | "fn" | "macro_rules" | "struct" | "enum" | "match") {
            keyword = Some(&header[word]);
        }
    }
    keyword.map(|keyword| (keyword, None))
}

/// Where the next word is, in ASCII text from `at` on.
// A loop over bytes, like the others over the whole file.
fn word_from(text: &str, at: usize) -> Option<Range<usize>> {
    let (bytes, mut start) = (text.as_bytes(), at);
    let is_of_word = |byte: u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_');
    while start < bytes.len() && !is_of_word(bytes[start]) {
        start += 1;
    }
    let mut end = start;
    while end < bytes.len() && is_of_word(bytes[end]) {
        end += 1;
    }
    (end > start).then_some(start..end)
}

/// The name of a struct or an enum that begins like this.
fn name_of_type<'h>(keyword: Option<(&str, Option<&'h str>)>) -> Option<&'h str> {
    match keyword? {
        ("struct" | "enum", name) => name,
        _ => None,
    }
}

/// The name of the constant that an item is, whatever stands in front of it.
fn name_of_constant(item: &str) -> Option<&str> {
    let (_, rest) = item.split_once("const ")?;
    rest.split_once(':').map(|(name, _)| name.trim())
}

/// Whether an import begins like this.
fn is_import(item: &str) -> bool {
    let item = without_attributes(item);
    let item = match item.strip_prefix("pub").map(str::trim_start) {
        Some(restricted) if restricted.starts_with('(') => restricted.split_once(')').map_or("", |(_, rest)| rest).trim_start(),
        Some(public) => public,
        None => item,
    };
    item.strip_prefix("use").is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

/// `item` without `#[…]` in front.
fn without_attributes(item: &str) -> &str {
    let item = item.trim_start();
    let Some(attribute) = item.strip_prefix('#') else { return item };
    let mut open = 0;
    let end = attribute.find(|c| {
        open += i32::from(c == '[') - i32::from(c == ']');
        c == ']' && open == 0
    });
    end.map_or("", |end| without_attributes(&attribute[end + 1..]))
}

/// The name of the module that is this file.
fn module_of(path: &Path) -> String {
    let stem = path.file_stem();
    let name = if stem.is_some_and(|stem| stem == "mod") { path.parent().and_then(Path::file_name) } else { stem };
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Where brackets and semicolons are.
fn marks(code: &str) -> Vec<usize> {
    let (bytes, mut marks, mut index) = (code.as_bytes(), Vec::new(), 0);
    while index < bytes.len() {
        if matches!(bytes[index], b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';') {
            marks.push(index);
        }
        index += 1;
    }
    marks
}

/// The source with spaces for comments and literals, and one byte for each character, as columns count them.
// Whole files are read, by a macro that is not optimized: loops over slices cost a tenth of what iterators over characters do.
fn blank(source: &str) -> String {
    let as_ascii = |c: char| if c.is_ascii() { c } else { '\u{1a}' };
    let text = if source.is_ascii() { source.to_owned() } else { source.chars().map(as_ascii).collect() };
    let mut code = text.clone().into_bytes();
    let mut index = 0;
    while index < code.len() {
        let end = if matches!(code[index], b'/' | b'"' | b'\'' | b'r') { end_of_text(&text, index) } else { index };
        if end == index {
            index += 1;
        }
        while index < end {
            if code[index] != b'\n' {
                code[index] = b' ';
            }
            index += 1;
        }
    }
    String::from_utf8(code).expect("spaces replace ASCII")
}

/// The end of the comment or literal at `index`; `index` itself if there is none.
fn end_of_text(text: &str, index: usize) -> usize {
    let rest = &text[index..];
    let after = |from: usize, word: &str| rest[from..].find(word).map_or(text.len(), |at| index + from + at + word.len());
    if rest.starts_with("//") {
        return after(0, "\n");
    }
    if rest.starts_with("/*") {
        return after(2, "*/");
    }
    if let Some(raw) = rest.strip_prefix('r').filter(|raw| raw.trim_start_matches('#').starts_with('"')) {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        return after(2 + hashes, &format!("\"{}", "#".repeat(hashes)));
    }
    let bytes = rest.as_bytes();
    let quote = bytes[0];
    let is_character = quote == b'\'' && (bytes.get(1) == Some(&b'\\') || bytes.get(2) == Some(&b'\''));
    if quote != b'"' && !is_character {
        return index;
    }
    let mut at = 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    index + (at + 1).min(bytes.len())
}
