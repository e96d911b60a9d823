//! Random changes to tokens. Many leave a program that parses, so that the later stages get something to work on.

use std::ops::Range;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Tokens that can be edited in place.
#[derive(Clone)]
enum Tree {
    Token(TokenTree),
    Group(Delimiter, Vec<Tree>),
}

/// What is put into programs, from other programs.
#[derive(Default)]
pub(super) struct Words {
    pub(super) names: Vec<String>,
    pub(super) literals: Vec<String>,
    pub(super) marks: Vec<String>,
    pub(super) parentheses: Vec<String>,
    pub(super) brackets: Vec<String>,
    pub(super) braces: Vec<String>,
    /// What stands between separators.
    pub(super) phrases: Vec<String>,
}

impl Words {
    fn groups(&self, delimiter: Delimiter) -> &[String] {
        match delimiter {
            Delimiter::Parenthesis | Delimiter::None => &self.parentheses,
            Delimiter::Bracket => &self.brackets,
            Delimiter::Brace => &self.braces,
        }
    }

    fn any(&self, random: &mut Random) -> &[String] {
        let Words { names, literals, marks, parentheses, brackets, braces, phrases } = self;
        random.choose::<&[String]>(&[names, literals, marks, parentheses, brackets, braces, phrases])
    }
}

/// SplitMix64: the same numbers for a seed on every machine.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(super) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub(super) fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Literals at the ends of what types hold and of what kernels have.
const LITERALS: &[&str] = &[
    "0",
    "1",
    "1usize",
    "0u8",
    "255u8",
    "64",
    "2147483648",
    "9223372036854775808",
    "18446744073709551615",
    "0xffff_ffff_ffff_ffff_ffffu128",
    "340282366920938463463374607431768211456",
    "0.0",
    "1e400",
    "1e-400",
    "0.1f32",
    "1f64",
    "2.",
    "3.0f16",
    "b'x'",
    "'x'",
    "\"text\"",
    "b\"bytes\"",
    "c\"text\"",
    "r#\"{}\"#",
    "true",
];

/// The deepest nesting that is added at once.
const DEPTH: usize = 12;

/// `tokens` after one to three changes. What is put in comes from `words`.
pub(super) fn mutate(tokens: TokenStream, words: &Words, random: &mut Random) -> TokenStream {
    let mut trees = to_trees(tokens);
    let changes = if random.one_in(2) { 1 } else { 2 + random.below(2) };
    for _ in 0..changes {
        let lists = count_lists(&trees);
        let list = nth_list(&mut trees, &mut random.below(lists)).expect("there are that many");
        change(list, words, random);
    }
    to_tokens(trees)
}

fn change(list: &mut Vec<Tree>, words: &Words, random: &mut Random) {
    if list.is_empty() {
        return list.extend(word(&words.phrases, random));
    }
    let at = random.below(list.len());
    // A few tokens from there on: an operand, a call, a statement.
    let run = at..(at + 1 + random.below(4)).min(list.len());
    match random.below(24) {
        0..=5 => change_token(list, words, random),
        20.. => {
            let continuation = continuation(words, random);
            list.splice(at + 1..at + 1, continuation);
        }
        6..=9 => drop(list.splice(phrase_around(list, at), word(&words.phrases, random))),
        10 => change_literal(list, random),
        11 => drop(list.drain(run)),
        12 => {
            let run = list[run].to_vec();
            let to = random.below(list.len() + 1);
            list.splice(to..to, run);
        }
        13 => {
            let other = random.below(list.len());
            list.swap(at, other);
        }
        14 => drop(list.splice(run, word(words.any(random), random))),
        15 => drop(list.splice(at..at, word(words.any(random), random))),
        16 => {
            let run = if random.one_in(2) { phrase_around(list, at) } else { run };
            let at = run.start;
            let delimiter = *random.choose(&[Delimiter::Parenthesis, Delimiter::Bracket, Delimiter::Brace, Delimiter::None]);
            let mut inside: Vec<Tree> = list.drain(run).collect();
            for _ in 0..if random.one_in(8) { DEPTH } else { 1 } {
                inside = vec![Tree::Group(delimiter, inside)];
            }
            list.splice(at..at, inside);
        }
        17 => {
            if let Tree::Group(_, inside) = &mut list[at] {
                let inside = std::mem::take(inside);
                list.splice(at..=at, inside);
            }
        }
        18 => list.truncate(at),
        _ => {
            if let Tree::Group(delimiter, _) = &mut list[at] {
                *delimiter = *random.choose(&[Delimiter::Parenthesis, Delimiter::Bracket, Delimiter::Brace]);
            }
        }
    }
}

/// Puts another token of the same kind in the place of one, which often leaves a program that parses.
fn change_token(list: &mut [Tree], words: &Words, random: &mut Random) {
    // Another operator is mostly a mistake of syntax.
    let names: Vec<usize> = (0..list.len()).filter(|&at| !matches!(list[at], Tree::Token(TokenTree::Punct(_)))).collect();
    let at = if names.is_empty() || random.one_in(8) { random.below(list.len()) } else { *random.choose(&names) };
    let kind = match &list[at] {
        Tree::Group(delimiter, _) => words.groups(*delimiter),
        Tree::Token(TokenTree::Ident(_)) => &words.names,
        Tree::Token(TokenTree::Literal(_)) => &words.literals,
        Tree::Token(_) => &words.marks,
    };
    if let Some(other) = word(kind, random).pop() {
        list[at] = other;
    }
}

/// What can follow an expression: a call of a method, an index, a field, a cast, another operand.
fn continuation(words: &Words, random: &mut Random) -> Vec<Tree> {
    let mut words_of = |kind: &[String]| random.choose(kind).clone();
    let (name, literal, arguments, index) =
        (words_of(&words.names), words_of(&words.literals), words_of(&words.parentheses), words_of(&words.brackets));
    let text = match random.below(10) {
        0 => format!(".{name}()"),
        1 | 2 => format!(".{name} {arguments}"),
        3 => index,
        4 => format!(".{name}"),
        5 => format!("as {name}"),
        6 => arguments,
        7 => format!("{} {name}", random.choose(&["+", "*", "/", "<", "==", "&&", "..", "<<", "=", "+="])),
        8 => format!("{} {literal}", random.choose(&["-", "%", ">", "!=", "||", "..=", ">>", "^"])),
        _ => format!("{} {arguments}", random.choose(&["+", "*", "<"])),
    };
    to_trees(text.parse().expect("words are tokens"))
}

/// The tokens around one up to the next comma, semicolon or equals sign: mostly an expression, a pattern or a statement.
fn phrase_around(list: &[Tree], at: usize) -> Range<usize> {
    let ends = |tree: &Tree| matches!(tree, Tree::Token(token) if is_separator(token));
    let start = list[..at].iter().rposition(ends).map_or(0, |before| before + 1);
    let end = list[at..].iter().position(ends).map_or(list.len(), |length| at + length);
    start..end
}

/// Whether a phrase ends there.
pub(super) fn is_separator(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | ';' | '='))
}

/// Puts another literal in the place of one, or at the end.
fn change_literal(list: &mut Vec<Tree>, random: &mut Random) {
    let literals: Vec<usize> = (0..list.len()).filter(|&at| matches!(list[at], Tree::Token(TokenTree::Literal(_)))).collect();
    let literal = to_trees(random.choose(LITERALS).parse().expect("the literals are tokens"));
    let at = if literals.is_empty() { list.len() } else { *random.choose(&literals) };
    list.splice(at..(at + 1).min(list.len()), literal);
}

fn word(words: &[String], random: &mut Random) -> Vec<Tree> {
    if words.is_empty() {
        return Vec::new();
    }
    to_trees(random.choose(words).parse().expect("words are tokens"))
}

fn to_trees(tokens: TokenStream) -> Vec<Tree> {
    let tree = |token| match token {
        TokenTree::Group(group) => Tree::Group(group.delimiter(), to_trees(group.stream())),
        token => Tree::Token(token),
    };
    tokens.into_iter().map(tree).collect()
}

fn to_tokens(trees: Vec<Tree>) -> TokenStream {
    let token = |tree| match tree {
        Tree::Token(token) => token,
        Tree::Group(delimiter, inside) => TokenTree::Group(Group::new(delimiter, to_tokens(inside))),
    };
    trees.into_iter().map(token).collect()
}

/// How many lists of tokens there are: this one, and those of the groups.
fn count_lists(trees: &[Tree]) -> usize {
    1 + trees.iter().map(|tree| if let Tree::Group(_, inside) = tree { count_lists(inside) } else { 0 }).sum::<usize>()
}

fn nth_list<'a>(trees: &'a mut Vec<Tree>, n: &mut usize) -> Option<&'a mut Vec<Tree>> {
    if *n == 0 {
        return Some(trees);
    }
    *n -= 1;
    trees.iter_mut().find_map(|tree| match tree {
        Tree::Group(_, inside) => nth_list(inside, n),
        Tree::Token(_) => None,
    })
}
