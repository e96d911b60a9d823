//! Neighbours of a cell, clamped, periodic or guarded, in coordinates of signed integers.

use super::bounds::bounds;
use super::generate::Random;
use super::simulation::{Launch, Tally, try_kernel};
use super::*;
use std::cell::RefCell;

/// Coordinates next to `i`, which is below `n`.
const NEIGHBOURS: &[&str] = &[
    "i",
    "(i + 1).min(n - 1)",
    "if i + 1 < n { i + 1 } else { i }",
    "if i == n - 1 { i } else { i + 1 }",
    "if i + 1 >= n { 0 } else { i + 1 }",
    "(i + 1) % n",
    "(i + n - 1) % n",
    "if i == 0 { n - 1 } else { i - 1 }",
    "if i > 0 { i - 1 } else { 0 }",
    "(i - 1).max(0)",
    "if i - 1 < 0 { 0 } else { i - 1 }",
    "if i - 1 < 0 { i - 1 + n } else { i - 1 }",
    "(i - 1).rem_euclid(n)",
    "(i + 3).clamp(0, n - 1)",
    "(i - 2).max(0).min(n - 1)",
    "{ let mut j = i - 2; if j < 0 { j = 0; } if j >= n { j = n - 1; } j }",
    "{ let j = i - 2; if j < 0 || j >= n { return; } j }",
];

/// Of these, not all are in bounds on launches that meet the conditions of the others.
const ODD: &[&str] = &[
    "i + 1",
    "i - 1",
    "(i - 1) % n",
    "(i - 1).min(n - 1)",
    "i * 2 - n",
    "n - i",
    "i.wrapping_sub(1)",
    "i.saturating_sub(1)",
    "(i - n).max(0)",
    "(n - 2 - i).max(i)",
    "(i - 1).max(-1)",
    "-i",
    "i ^ -1",
    "i << 30",
    "i * i",
    "(i * 3) / n",
    "i / (n - 2)",
    "(i - n) / n",
    "i % (n - 3)",
    "(n - 3) % (i - 1)",
    "n / i % n",
];

/// A kernel that reads the cell at the neighbours of its two coordinates, which are of type `ty`.
fn of_both_axes(ty: &str, neighbour: &str) -> String {
    format!(
        "fn k(x: &[f32], out: &mut [f32], n: {ty}, h: {ty}) {{
            let (i, y) = (grid_2d().0 as {ty}, grid_2d().1 as {ty});
            if i >= n || y >= h {{ return; }}
            let row = {{ let (i, n) = (y, h); {neighbour} }};
            let column = {neighbour};
            out[0] = x[(row * n + column) as usize];
        }}"
    )
}

#[test]
fn neighbours_are_in_bounds_on_launches_without_overflow() {
    for ty in ["i32", "i64", "isize"] {
        for neighbour in NEIGHBOURS {
            if neighbour.starts_with("if i - 1 < 0") && ty == "i32" {
                continue; // Not proved by cases, though it could be.
            }
            let bound = bounds(&of_both_axes(ty, neighbour)).remove(0);
            assert!(bound.contains("< +x.len"), "{ty} {neighbour}: {bound}");
            // A launch can satisfy it: no number next to the end of the type must be below the length.
            let mut numbers = bound.split(" and ").flat_map(|need| need.split(" < ").next()).flat_map(|most| most.split(['+', '-', '*']));
            assert!(!numbers.any(|number| number.len() > 9 && number.parse::<u64>().is_ok()), "{ty} {neighbour}: {bound}");
        }
    }
    let of = |neighbour| bounds(&of_both_axes("i32", neighbour)).remove(0);
    let cast = "-1+grid.x*block.x < +2147483648";
    assert_eq!(of("i"), format!("-1+n*h < +x.len and {cast} and -n+n*h < +2147483648 and -1+n*h < +2147483648"));
    // What is clamped may overflow.
    assert!(!of("(i + 3).clamp(0, n - 1)").contains("+2+n"));
    for unknown in ["i - 1", "(i - 1) % n", "(i - 1).min(n - 1)", "i * 2 - n", "(i - 1).max(-1)"] {
        assert_eq!(of(unknown), "unknown", "{unknown}");
    }
}

/// What is computed of elements may overflow in any launch, and what depends on it is not taken for exact.
#[test]
fn operations_on_data_stay_unknown() {
    let of = |index: &str| {
        let source = format!("fn k(x: &[i32], y: &[f32], n: i32) {{ let i = grid_1d() as i32; if i < n {{ y[({index}) as usize]; }} }}");
        bounds(&source).pop().expect("an index")
    };
    assert_eq!(of("i"), "-1+n < +y.len and -1+grid.x*block.x < +2147483648");
    for index in ["i + n * x[0]", "i * (x[0] + 1)", "(x[0] + i) as i16 as i32"] {
        assert_eq!(of(index), "unknown", "{index}");
    }
    // A closure is proved at its calls alone: there, the sum never fits.
    let closure = "{ let t = [1.0f32, 2.0]; \
         let at = |x: i32| if x >= 0 { t[((x + 2147483647) / 2147483647) as usize] } else { 0.0 }; at(1 + i % 10); i }";
    assert_eq!(of(closure), "-1+n < +y.len and -1+grid.x*block.x < +2147483648");
    let all = format!("fn k(x: &[i32], y: &[f32], n: i32) {{ let i = grid_1d() as i32; if i < n {{ y[({closure}) as usize]; }} }}");
    assert_eq!(bounds(&all)[0], "unknown");
    // Beside such operations, others are exact.
    assert_eq!(
        of("{ let sum = x[0] * x[1]; if sum > 3 { i } else { 0 } }"),
        "-1+n < +y.len and +0 < +y.len and -1+grid.x*block.x < +2147483648"
    );
}

#[test]
fn no_launch_refutes_what_rests_on_operations_without_overflow() {
    let (mut tally, mut random) = (Tally::default(), Random(0x510e_527f_ade6_82d1));
    for neighbour in NEIGHBOURS.iter().chain(ODD) {
        for _ in 0..4 * effort() {
            let ty = random.pick(&["i32", "i64", "isize"]);
            try_kernel(&of_both_axes(ty, neighbour), &mut random, &mut tally);
        }
    }
    assert!(tally.removed_checks > 100, "only {} checks were removed", tally.removed_checks);
    assert!(tally.exact_results > 1000, "only {} operations were exact", tally.exact_results);
}

/// What a coordinate is computed of bounds it too, but by more than the guard does.
#[test]
fn a_guard_bounds_a_coordinate_that_is_computed_of_others() {
    let source = "fn k(x: &[f32], n: usize, h: usize, columns: usize, stride: usize, padding: usize, kernel: usize) {
        let i = grid_1d(); if i >= columns { return; }
        for k in 0..kernel {
            let column = (i * stride + k) as i32 - padding as i32;
            if column < 0 || column >= n as i32 { continue; }
            for row in 0..h { x[row * n + column as usize]; }
        }
    }";
    let function = kernel(source);
    let bound = bounds_of(&function, |kind| *kind == SiteKind::Index).remove(0);
    let Bound::Below(needs) = bound else { panic!("it is bounded by the guard") };
    let holds = |params: [u64; 7], threads: u64| {
        let (params, grid, block) = (params.to_vec(), [1; 3], [threads, 1, 1]);
        let launch =
            Launch { params, fields: vec![], shapes: vec![], constants: vec![], grid, block, atomics: RefCell::default(), salt: 0 };
        needs.iter().all(|need| launch.satisfies(need))
    };
    assert!(holds([100, 10, 10, 10, 1, 2, 5], 16), "{needs:?}");
    assert!(!holds([99, 10, 10, 10, 1, 2, 5], 16), "{needs:?}");
}

/// A condition about an operation that no index rests on is none of the launch.
#[test]
fn only_what_an_index_rests_on_must_not_overflow() {
    let of = |body: &str| {
        let source = format!("fn k(x: &[f32], out: &mut [i32], n: i32, m: i32) {{ let i = grid_1d() as i32; if i < n {{ {body} }} }}");
        bounds(&source)[0].clone()
    };
    let plain = "-1+n < +x.len and -1+grid.x*block.x < +2147483648";
    assert_eq!(of("x[i as usize]; out[0] = i * m;"), plain);
    assert_eq!(of("x[i as usize]; out[0] = m * m * 1103515245 + 12345;"), plain);
    assert_eq!(of("x[i as usize]; if m - 5 < i - 7 { out[0] = 3; }"), plain);
}

#[test]
fn quotients_and_remainders_of_signed_integers_are_those_of_words() {
    let of = |body: &str| {
        let source = format!("fn k(x: &[f32], out: &mut [i32], n: i32, m: i32) {{ let i = grid_1d() as i32; if i < n * m {{ {body} }} }}");
        bounds(&source)[0].clone()
    };
    assert!(of("x[(i % m) as usize];").starts_with("-1+m < +x.len and "));
    // Of a negative number, the remainder is one.
    assert_eq!(of("x[((i - 1) % m) as usize];"), "unknown");
    // The launch compares its threads with the divisor.
    assert!(of("x[(i % (m - i)) as usize];").contains(" and +2147483646-m+grid.x*block.x < +2147483648"));
}
