//! Random forms of indices, mostly sums of coordinates times strides, against brute force.
//!
//! ```text
//! GPU_MACROS_EFFORT=1000 cargo test --release -p gpu-macros --lib random_forms -- --include-ignored
//! ```

use super::forms::{form, run};
use super::generate::Random;
use super::launches::is_accepted_by;
use super::simulation::Launch;
use super::*;
use crate::check::walk::walker::walk;
use std::cell::RefCell;

/// So many forms in a usual run.
const FORMS: usize = 100;

const COORDINATES: &[&str] = &[
    "thread_idx().x",
    "thread_idx().x",
    "thread_idx().y",
    "block_idx().x",
    "block_idx().x",
    "block_idx().y",
    "grid_1d()",
    "grid_1d() / m",
    "grid_1d() % m",
    "grid_1d() / wide",
    "grid_1d() % wide",
    "thread_idx().x / HALO",
    "thread_idx().x % HALO",
    "(k - block_idx().x)",
    "c",
    "c / m",
    "c % m",
    "d",
];
const STRIDES: &[&str] = &[
    "1",
    "1",
    "2",
    "3",
    "4",
    "TILE",
    "TILE",
    "HALO",
    "n",
    "m",
    "k",
    "(TILE * HALO)",
    "(TILE - HALO)",
    "(n - m)",
    "(n / 2)",
    "wide",
    "wide",
    "tall",
    "block_dim().x",
    "(2 * block_dim().x)",
];
const LOOPS: &[&str] = &[
    "let c = 0usize; { BODY }",
    "let c = block_idx().x * TILE + thread_idx().x; { BODY }",
    "for c in 0..k { BODY }",
    "for c in 0usize..4 { BODY }",
    "for c in 0usize..TILE { BODY }",
    "for c in (0usize..TILE).step_by(HALO) { BODY }",
    "for c in (thread_idx().x..n).step_by(block_dim().x) { BODY }",
    "for c in (thread_idx().x..n).step_by(TILE) { BODY }",
    "for c in grid_stride(n) { BODY }",
    "let mut c = thread_idx().x; while c < n { BODY c += TILE; }",
    "let mut c = grid_1d(); while c < n { BODY c += block_dim().x * grid_dim().x; }",
];
const BLOCKS: &[&str] = &["", "block = TILE", "block = (TILE, HALO)", "block = 4"];
const SIZES: &[u64] = &[0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 36];
const LARGE: &[u64] = &[1 << 32, 1 << 62, 1 << 63, u64::MAX - 7, u64::MAX];

fn sum(random: &mut Random) -> String {
    let count = 1 + random.below(3);
    let terms = (0..count).map(|_| format!("{} * {}", random.pick(COORDINATES), random.pick(STRIDES)));
    let terms: Vec<String> = terms.collect();
    let offset = *random.pick(&["", "", "", " + 1", " + HALO", " + k", " - 1", " - HALO"]);
    format!("{}{offset}", terms.join(" + "))
}

fn condition(random: &mut Random) -> String {
    let relation = *random.pick(&["<", "<", "<", ">=", "!=", "=="]);
    format!("{} {relation} {}", random.pick(COORDINATES), random.pick(STRIDES))
}

/// Mostly the same index again, or one that differs a little.
fn access(random: &mut Random, index: &str) -> String {
    let other = sum(random);
    let array = match random.below(8) {
        0 => format!("rows[{index}][thread_idx().x]"),
        1 => format!("view[[{index}, {other}]]"),
        _ => format!("out[{index}]"),
    };
    match random.below(6) {
        0 => format!("{array} = 1; {}", format!("{array} += 1;").replace(index, &format!("{index} + {}", random.pick(STRIDES)))),
        1 => format!("{array} = out[{other}];"),
        _ => format!("{array} = 1;"),
    }
}

fn body(random: &mut Random) -> String {
    let index = sum(random);
    let mut text = access(random, &index);
    for _ in 0..random.below(4) {
        text = format!("if {} {{ {text} }}", condition(random));
    }
    let text = random.pick(LOOPS).replace("BODY", &text);
    format!("let d = block_idx().y * block_dim().y + thread_idx().y; let (wide, tall) = (n + 2 * m - k, (n - m) / 2 + 1); {text}")
}

fn launch(random: &mut Random, arguments: &str) -> Launch {
    let size = |random: &mut Random| if random.one_in(8) { *random.pick(LARGE) } else { *random.pick(SIZES) };
    let (n, m, k) = (size(random), size(random), size(random));
    let (tile, halo) = (*random.pick(&[2, 3, 4, 6]), *random.pick(&[1, 2, 3]));
    let extents = |random: &mut Random| [1 + random.below(3) as u64, 1 + random.below(2) as u64, 1];
    let block = match arguments {
        "block = TILE" => [tile, 1, 1],
        "block = (TILE, HALO)" => [tile, halo, 1],
        "block = 4" => [4, 1, 1],
        _ => extents(random),
    };
    let constants = vec![("TILE", tile), ("HALO", halo)];
    let (params, grid) = (vec![64, n, m, k, 4096, 0, 64, 64, 64], extents(random));
    Launch { params, fields: Vec::new(), shapes: vec![[64; 3]; 9], constants, grid, block, atomics: RefCell::default(), salt: 0 }
}

#[test]
#[ignore = "brute force, which `.ci/run` does"]
fn no_random_form_refutes_a_proof() {
    let forms = FORMS * effort();
    let mut random = Random(0x9e6c_63d0_876a_6d2b);
    let (mut proved, mut launches) = (0, 0);
    for _ in 0..forms {
        let arguments = *random.pick(BLOCKS);
        let body = body(&mut random);
        let function = form(arguments, &body);
        let race_freedom = prove_race_freedom(&function, &walk(&function));
        if matches!(race_freedom, RaceFreedom::Unproved(_)) {
            continue;
        }
        proved += 1;
        for _ in 0..30 {
            let launch = launch(&mut random, arguments);
            if is_accepted_by(&race_freedom, &launch) {
                let (used, race) = run(&function, &launch);
                let Launch { params, constants, grid, block, .. } = &launch;
                assert_eq!(race, None, "{arguments}: {body}\nparams {params:?}, constants {constants:?}, grid {grid:?}, block {block:?}");
                launches += usize::from(used > 1);
            }
        }
    }
    assert!(proved > forms / 12, "only {proved} of {forms} forms were proved");
    assert!(launches > forms / 12, "only {launches} launches did anything");
}
