//! Each form in all spellings: where one is proved, all are.
//!
//! A number is a literal, a constant of the module, of another one or of the type, computed from another constant, a const parameter or a
//! variable; the block is declared by a literal, by a constant or not at all; indices have four types; sums and products have their operands in
//! either order. What is not proved stands in [`EXCEPTIONS`], with the reason: one that is proved by now must leave the table.

use super::methods::kernels_of_types;
use super::*;
use crate::check::analysis::analyze;
use crate::check::tests::simulation::Launch;
use std::cell::RefCell;

/// Where the number comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Source {
    Literal,
    Constant,
    OfOtherModule,
    Computed,
    Parameter,
    OfType,
    Variable,
}

const SOURCES: [Source; 7] =
    [Source::Literal, Source::Constant, Source::OfOtherModule, Source::Computed, Source::Parameter, Source::OfType, Source::Variable];

/// How the block is declared.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Declared {
    ByLiteral,
    ByConstant,
    Not,
}

const DECLARED: [Declared; 3] = [Declared::ByLiteral, Declared::ByConstant, Declared::Not];

/// What keeps a thread from the elements beyond the end.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Guard {
    If,
    Return,
    While,
    For,
}

const GUARDS: [Guard; 4] = [Guard::If, Guard::Return, Guard::While, Guard::For];

const TYPES: [&str; 4] = ["usize", "u32", "i32", "i64"];

#[derive(Debug, Clone, Copy)]
struct Spelling {
    source: Source,
    declared: Declared,
    ty: &'static str,
    guard: Guard,
    /// Whether sums and products have their operands the other way round, a quotient is a shift, and 32 has a name.
    swapped: bool,
}

impl Spelling {
    /// The number `name`, as a `usize`.
    fn number(self, name: &str, value: u64) -> String {
        match self.source {
            Source::Literal => value.to_string(),
            Source::Constant | Source::Computed | Source::Parameter => name.to_owned(),
            Source::OfOtherModule => format!("sizes::{name}"),
            Source::OfType => format!("Self::{name}"),
            Source::Variable => name.to_lowercase(),
        }
    }

    fn cast(self, expr: &str) -> String {
        if self.ty == "usize" { expr.to_owned() } else { format!("({expr} as {})", self.ty) }
    }

    fn index(self, expr: &str) -> String {
        if self.ty == "usize" { expr.to_owned() } else { format!("({expr}) as usize") }
    }

    fn sum(self, a: &str, b: &str) -> String {
        if self.swapped { format!("{b} + {a}") } else { format!("{a} + {b}") }
    }

    fn product(self, a: &str, b: &str) -> String {
        if self.swapped { format!("{b} * {a}") } else { format!("{a} * {b}") }
    }
}

/// The numbers of the forms.
const NUMBERS: [(&str, u64); 3] = [("TILE", 64), ("HALO", 2), ("GROUP", 16)];

/// A form, and which of its parts have several spellings: the number, the declared block, the type, the guard, the order.
struct Form {
    name: &'static str,
    varies: [bool; 5],
    body: fn(Spelling) -> String,
}

const FORMS: &[Form] = &[
    Form {
        name: "elements",
        varies: [false, false, true, true, true],
        body: |s| {
            let all = s.product("block_dim().x", "grid_dim().x");
            let i = s.cast(&format!("({})", s.sum(&s.product("block_idx().x", "block_dim().x"), "thread_idx().x")));
            let (n, element) = (s.cast("n"), s.index("i"));
            match s.guard {
                Guard::If => format!("let i = {i}; if i < {n} {{ out[{element}] = 1; }}"),
                Guard::Return => format!("let i = {i}; if i >= {n} {{ return; }} out[{element}] = 1;"),
                Guard::While => format!("let mut i = {i}; while i < {n} {{ out[{element}] = 1; i += {}; }}", s.cast(&format!("({all})"))),
                Guard::For => format!("for i in ({i}..{n}).step_by({all}) {{ out[{element}] = 1; }}"),
            }
        },
    },
    Form {
        name: "a tile for each thread",
        varies: [true, false, true, false, true],
        body: |s| {
            let tile = s.cast(&s.number("TILE", 64));
            let index = s.index(&s.sum(&s.product("i", &tile), "c"));
            format!("let i = {}; for c in 0..{tile} {{ out[{index}] = 1; }}", s.cast("grid_1d()"))
        },
    },
    Form {
        name: "a tile for each block",
        varies: [true, true, true, false, true],
        body: |s| {
            let tile = s.cast(&s.number("TILE", 64));
            let index = s.index(&s.sum(&s.product("b", &tile), "t"));
            format!("let (b, t) = ({}, {}); out[{index}] = 1;", s.cast("block_idx().x"), s.cast("thread_idx().x"))
        },
    },
    Form {
        name: "two tiles for each block",
        varies: [true, true, false, false, true],
        body: |s| {
            let tile = s.number("TILE", 64);
            let base = s.product(&s.product("block_idx().x", "2"), &tile);
            let (first, second) = (s.sum("base", "t"), s.sum(&s.sum("base", &tile), "t"));
            format!("let (base, t) = ({base}, thread_idx().x); out[{first}] = 1; out[{second}] = 2;")
        },
    },
    Form {
        name: "a tile without its halo",
        varies: [true, true, true, false, true],
        body: |s| {
            let (tile, halo) = (s.cast(&s.number("TILE", 64)), s.cast(&s.number("HALO", 2)));
            let start = s.product("b", &format!("({tile} - {})", s.product("2", &halo)));
            let index = s.index(&format!("{} - {halo}", s.sum(&start, "t")));
            let (b, t) = (s.cast("block_idx().x"), s.cast("thread_idx().x"));
            format!("let (b, t) = ({b}, {t}); if t >= {halo} && t < {tile} - {halo} {{ out[{index}] = 1; }}")
        },
    },
    Form {
        name: "an element for each warp",
        varies: [false, true, false, false, true],
        body: |s| {
            let row = if s.swapped { "grid_1d() / WARP_SIZE" } else { "grid_1d() / 32" };
            format!("let row = {row}; if lane_id() == 0 && row < out.len() {{ out[row] = 1; }}")
        },
    },
    Form {
        name: "an element for each warp, by shifts",
        varies: [false, true, false, false, true],
        body: |s| {
            let lane = if s.swapped { "i & 31 == 0" } else { "i % 32 == 0" };
            format!("let i = grid_1d(); if {lane} {{ out[i >> 5] = 1; }}")
        },
    },
    Form {
        name: "a row for each warp",
        varies: [false, true, false, false, true],
        body: |s| {
            let (row, step) = if s.swapped { ("grid_1d() / WARP_SIZE", "WARP_SIZE") } else { ("grid_1d() / 32", "32") };
            format!("let row = {row}; for c in (lane_id()..m).step_by({step}) {{ out[{}] = 1; }}", s.sum(&s.product("row", "m"), "c"))
        },
    },
    Form {
        name: "an element for each group",
        varies: [true, true, true, false, false],
        body: |s| {
            let group = s.cast(&s.number("GROUP", 16));
            let element = s.index(&format!("i / {group}"));
            format!("let i = {}; if i % {group} == 0 {{ out[{element}] = 1; }}", s.cast("grid_1d()"))
        },
    },
    Form {
        name: "a strided part of a row",
        varies: [true, true, false, false, true],
        body: |s| {
            let tile = s.number("TILE", 64);
            let index = s.sum(&s.product("block_idx().x", "m"), "c");
            format!("for c in (thread_idx().x..m).step_by({tile}) {{ out[{index}] = 1; }}")
        },
    },
];

/// The kernel of a form, with a declared block of 64 threads if it has one.
fn kernel_of_spelling(form: &Form, spelling: Spelling) -> Function {
    let Spelling { source, declared, .. } = spelling;
    let arguments = match (declared, source) {
        (Declared::Not, _) => String::new(),
        (Declared::ByConstant, Source::OfType) => "block = Field::TILE".to_owned(),
        (Declared::ByConstant, Source::Literal | Source::Variable) => "block = THREADS".to_owned(),
        (Declared::ByConstant, _) => format!("block = {}", spelling.number("TILE", 64)),
        (Declared::ByLiteral, _) => "block = 64".to_owned(),
    };
    let each = |text: &dyn Fn(&str, u64) -> String| NUMBERS.map(|(name, value)| text(name, value)).concat();
    let (mut around, mut generics, mut start) = ("const THREADS: usize = 64;".to_owned(), "", String::new());
    match source {
        Source::Literal | Source::OfType => {}
        Source::Constant => around += &each(&|name, value| format!("const {name}: usize = {value};")),
        Source::OfOtherModule => {
            around += &format!("mod sizes {{ {} }}", each(&|name, value| format!("pub const {name}: usize = {value};")));
        }
        Source::Computed => {
            around += "const HALF: usize = 8 * 4;";
            around += &each(&|name, value| format!("const {name}: usize = 2 * HALF / {};", 64 / value));
        }
        Source::Parameter => generics = "<const TILE: usize, const HALO: usize, const GROUP: usize>",
        Source::Variable => start = each(&|name, value| format!("let {}: usize = {value};", name.to_lowercase())),
    }
    let text = format!("fn form{generics}(n: usize, m: usize, out: &mut [u32]) {{ {start} {} }}", (form.body)(spelling));
    if source == Source::OfType {
        let constants = each(&|name, value| format!("const {name}: usize = {value};"));
        let text = format!("{around} struct Field; impl Field {{ {constants} #[gpu_kernel({arguments})] {text} }}");
        return kernels_of_types(&text).into_iter().next().expect("a kernel");
    }
    kernel_in(&around, &arguments, &text)
}

/// Whether a launch is safe whose condition on constants, if there is one, holds for their numbers.
fn is_proved(function: &Function) -> bool {
    let constants = NUMBERS.into_iter().chain([("THREADS", 64), ("HALF", 32), ("WARP_SIZE", 32)]).collect();
    let launch = Launch {
        params: vec![1 << 20, 64, 1 << 30],
        fields: Vec::new(),
        shapes: vec![[1; 3]; 3],
        constants,
        grid: [4, 1, 1],
        block: [64, 1, 1],
        atomics: RefCell::default(),
        salt: 0,
    };
    match analyze(function, Vec::new()).race_freedom {
        RaceFreedom::Proved { conditions, .. } => conditions.iter().all(|condition| launch.satisfies(&condition.inequality)),
        RaceFreedom::Unproved(_) => false,
    }
}

/// What is not proved: the form, or all of them, which spellings of it, and why.
type Exception = (Option<&'static str>, fn(Spelling) -> bool, &'static str);

const EXCEPTIONS: &[Exception] = &[
    (Some("two tiles for each block"), |s| s.declared == Declared::Not, "the launch does not compare the block with the tile"),
    (
        Some("a tile without its halo"),
        |s| s.declared == Declared::Not && matches!(s.source, Source::Literal | Source::Variable),
        "of one number nothing shows that it is the tile without both sides",
    ),
    (Some("a tile without its halo"), |s| s.ty == "u32", "the product may wrap around"),
    (
        Some("a tile without its halo"),
        |s| s.ty == "i32" && s.declared == Declared::ByConstant && matches!(s.source, Source::Literal | Source::Variable),
        "of one number nothing shows that it is the tile without both sides",
    ),
];

fn spellings(form: &Form) -> impl Iterator<Item = Spelling> {
    let [source, declared, ty, guard, order] = form.varies;
    let (sources, types) = (if source { &SOURCES[..] } else { &SOURCES[..1] }, if ty { &TYPES[..] } else { &TYPES[..1] });
    let (guards, orders) = (if guard { &GUARDS[..] } else { &GUARDS[..1] }, if order { &[false, true][..] } else { &[false][..] });
    let blocks = if declared { &DECLARED[..] } else { &DECLARED[2..] };
    sources.iter().flat_map(move |source| {
        blocks.iter().flat_map(move |declared| {
            types.iter().flat_map(move |ty| {
                guards.iter().flat_map(move |guard| {
                    let spelling = |swapped: &bool| Spelling { source: *source, declared: *declared, ty, guard: *guard, swapped: *swapped };
                    orders.iter().map(spelling)
                })
            })
        })
    })
}

#[test]
fn each_form_is_proved_in_all_spellings() {
    let (mut proved, mut excepted, mut failures) = (0, 0, Vec::new());
    for form in FORMS {
        // One in three, and all of them with more effort.
        let sample = spellings(form).enumerate().filter(|(at, _)| effort() > 1 || at % 3 == 0);
        for (_, spelling) in sample {
            let reason = EXCEPTIONS
                .iter()
                .find(|(name, is_of, _)| name.is_none_or(|name| name == form.name) && is_of(spelling))
                .map(|(_, _, reason)| reason);
            match (is_proved(&kernel_of_spelling(form, spelling)), reason) {
                (true, None) => proved += 1,
                (false, Some(_)) => excepted += 1,
                (false, None) => failures.push(format!("not proved: {}, {spelling:?}: {}", form.name, (form.body)(spelling))),
                (true, Some(reason)) => failures.push(format!("proved, although {reason}: {}, {spelling:?}", form.name)),
            }
        }
    }
    println!("{proved} spellings are proved, {excepted} are not");
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), proved + excepted + failures.len(), failures.join("\n"));
}
