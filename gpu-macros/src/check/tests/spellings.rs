//! The same forms in other spellings: what is proved must not depend on where a number comes from.

use super::forms::{LINE, PAIRS, Shape, assert_proved, form, run, shape};
use super::launches::{assert_launched, is_accepted};
use super::*;
use proc_macro2::{Group, TokenStream, TokenTree};

/// Where the numbers `n`, `m` and `k` of a form come from.
const STRUCTS: &str = "struct Numbers { n: usize, size: Size, wide: u32, signed: i32, tall: isize } struct Size { m: usize, depth: Depth } struct Depth(usize);";
const IN_STRUCTS: [(&str, &str); 3] = [("n", "p.n"), ("m", "p.size.m"), ("k", "p.size.depth.0")];

/// The form, with the fields of a struct as its numbers. `None` if it gives their names to something else.
pub(super) fn form_of_fields(arguments: &str, body: &str) -> Option<Function> {
    let is_bound = |name: &str| {
        let patterns = [
            format!("let {name} "),
            format!("mut {name} "),
            format!("for {name} "),
            format!("{name} =>"),
            format!("({name},"),
            format!("|{name}"),
            format!(", {name}) ="),
        ];
        patterns.iter().any(|pattern| body.contains(pattern))
    };
    let names: Vec<_> =
        IN_STRUCTS.into_iter().filter(|(name, _)| body.split(|c: char| !c.is_alphanumeric()).any(|word| word == *name)).collect();
    if names.is_empty() || names.iter().any(|(name, _)| is_bound(name)) {
        return None;
    }
    let tokens = TokenStream::from_str(body).expect("a form");
    let replaced =
        names.into_iter().fold(tokens, |tokens, (name, field)| replace(tokens, name, &TokenStream::from_str(field).expect("a field")));
    Some(form_with_struct(arguments, &replaced.to_string()))
}

/// A form with a struct `p`.
fn form_with_struct(arguments: &str, body: &str) -> Function {
    let arrays = "out: &mut [u32], view: ViewMut<u32, 2>, rows: &mut [[u32; 4]], count: &[AtomicU32], total: &[AtomicU64]";
    let mutable = if body.contains("p . n =") || body.contains("p.n =") || body.contains("&mut p") { "mut " } else { "" };
    kernel_in(STRUCTS, arguments, &format!("fn form(x: &[u32], n: usize, m: usize, k: usize, {arrays}, {mutable}p: Numbers) {{ {body} }}"))
}

/// `name`, other than as a field or method, as `by`.
fn replace(tokens: TokenStream, name: &str, by: &TokenStream) -> TokenStream {
    // `..` is no dot.
    let mut dots = 0;
    let replaced = tokens.into_iter().map(|token| {
        let is_member = dots == 1;
        dots = if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.') { dots + 1 } else { 0 };
        match token {
            TokenTree::Ident(ident) if ident == name && !is_member => by.clone(),
            TokenTree::Group(group) => TokenTree::Group(Group::new(group.delimiter(), replace(group.stream(), name, by))).into(),
            token => token.into(),
        }
    });
    replaced.collect()
}

/// Forms with the fields of a struct.
const PROVED: &[(&str, &str)] = &[
    ("", "let (x, y) = grid_2d(); if x < p.n && y < p.size.m { out[y * p.n + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); if x < p.wide as usize && y < p.n { out[y * p.wide as usize + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); let q = p; let size = q.size; if x < size.m { out[y * q.size.m + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); let Numbers { n, .. } = p; if x < n { out[y * p.n + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); let Numbers { size: Size { m: columns, .. }, .. } = p; if x < p.size.m { out[y * columns + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); let Depth(k) = p.size.depth; if x < k { out[y * p.size.depth.0 + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); if x as isize >= 0 && (x as isize) < p.tall { out[y * p.tall as usize + x] = 1; }"),
    ("", "let i = grid_1d(); if p.n > 1 && i < p.n - 1 { out[i + p.size.m] = 1; }"),
    ("", "let (x, y) = grid_2d(); if x < p.n { out[y * p.n + x] = 1; } p.n = 3;"),
];

/// Forms with a launch that has a data race.
const RACING: &[(&str, &str, Shape)] = &[
    ("", "let (x, y) = grid_2d(); if x < p.n { out[y * p.size.m + x] = 1; }", shape([1, 1, 1], [4, 2, 1], 4, 2, 1)),
    ("", "let (x, y) = grid_2d(); if x < p.size.depth.0 { out[y * p.size.m + x] = 1; }", shape([1, 1, 1], [4, 2, 1], 4, 2, 4)),
    ("", "let (x, y) = grid_2d(); if x < p.n { out[y * n + x] = 1; }", shape([1, 1, 1], [4, 2, 1], 4, 2, 1).other(2)),
    ("", "let (x, y) = grid_2d(); let w = p.n; p.n = 2; if x < w { out[y * p.n + x] = 1; }", shape([1, 1, 1], [4, 2, 1], 4, 2, 1)),
    ("", "let (x, y) = grid_2d(); if y == 1 { p.n = 2; } if x < p.n { out[y * p.n + x] = 1; }", shape([1, 1, 1], [4, 3, 1], 4, 2, 1)),
    (
        "",
        "let (x, y) = grid_2d(); for r in 0..2 { if x < p.n { out[y * p.n + x] = 1; } p.n = 2 + r; }",
        shape([1, 1, 1], [4, 3, 1], 4, 2, 1),
    ),
    ("", "let (x, y) = grid_2d(); if x < p.n as u8 as usize { out[y * p.n as u8 as usize + x] = 1; } out[x] = 2;", PAIRS),
    (
        "",
        "let (x, y) = grid_2d(); let Numbers { size: Size { m, .. }, n, .. } = p; if x < n { out[y * m + x] = 1; }",
        shape([1, 1, 1], [4, 2, 1], 4, 2, 1),
    ),
    ("", "let i = grid_1d() as i32 * p.signed; out[(i / 2) as usize] = 1;", LINE),
    ("", "let (x, y) = grid_2d(); let s = p.signed as usize; out[y * s + x] = 1;", shape([1, 1, 1], [4, 2, 1], 4, 2, 1)),
    // A stride of 2^63, and of 0.
    ("", "let (x, y) = grid_2d(); if x < p.n { out[y * p.n + x] = 1; }", shape([1, 1, 1], [1, 4, 1], 1 << 63, 1, 1)),
    ("", "let (x, y) = grid_2d(); if x < p.size.m { out[y * p.n + x] = 1; }", shape([1, 1, 1], [2, 2, 1], 0, 2, 1)),
];

/// The launches on which a form of fields is tried.
const SHAPES: [Shape; 4] = [LINE, PAIRS, shape([1, 1, 1], [4, 2, 1], 4, 2, 3), shape([2, 2, 1], [2, 2, 1], 5, 4, 4)];

#[test]
fn forms_of_fields_are_proved() {
    for (arguments, body) in PROVED {
        assert_proved(&form_with_struct(arguments, body), body);
    }
    assert_launched(PROVED.iter().map(|(arguments, body)| (*body, form_with_struct(arguments, body))), &SHAPES);
}

#[test]
fn forms_of_fields_that_race_are_not_proved() {
    for (arguments, body, shape) in RACING {
        let (function, launch) = (form_with_struct(arguments, body), shape.launch());
        assert!(run(&function, &launch).1.is_some(), "there is no data race: {body}");
        assert!(!is_accepted(&function, &launch), "proved: {body}");
    }
}

/// What is not written next to the function is not known: another file may declare it, or a `cfg` remove it.
#[test]
fn fields_that_the_text_does_not_tell_are_unknown() {
    let body = "let (x, y) = grid_2d(); if x < p.n && y < p.n { out[y * p.n + x] = 1; }";
    for around in [
        "",
        "mod m { struct P { n: usize } }",
        "struct P { #[cfg(a)] n: usize }",
        "struct P<T> { n: T }",
        "struct P { n: Number }",
        "type P = Q; struct Q { n: usize }",
    ] {
        let function = kernel_in(around, "", &format!("fn form(p: P, out: &mut [u32]) {{ {body} }}"));
        let proof = prove_race_freedom(&function, &walk(&function));
        assert!(matches!(proof, RaceFreedom::Unproved(_)), "{around}");
    }
}

#[test]
fn numbers_in_structs_are_as_good_as_parameters() {
    let summary = |function: &Function| match prove_race_freedom(function, &walk(function)) {
        RaceFreedom::Proved { grid_axes, block_axes, conditions } => Some((grid_axes, block_axes, conditions.len())),
        RaceFreedom::Unproved(_) => None,
    };
    let mut failures = Vec::new();
    for (arguments, body) in super::forms::PROVED {
        let Some(of_fields) = form_of_fields(arguments, body) else { continue };
        let (own, other) = (summary(&form(arguments, body)), summary(&of_fields));
        if own != other {
            failures.push(format!("{own:?}, of fields {other:?}: {arguments}: {body}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
