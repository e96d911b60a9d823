//! Elements that coordinates of signed integers choose, and which thread has them.

use super::generate::Random;
use super::launches::is_accepted;
use super::races::races_with;
use super::simulation::{Launch, Tally, try_kernel};
use super::*;
use std::cell::RefCell;

fn kernel_source(body: &str) -> String {
    format!("fn k(x: &[i32], out: &mut [f32], n: i32, h: i32, m: i32) {{ {body} }}")
}

/// Guarded coordinates, and an index of them that tells the thread.
const PROVED: &[(&str, &str, &str)] = &[
    ("", "let i = grid_1d() as i32; if i < n", "i * m"),
    ("", "let i = grid_1d() as i32; if i < n", "i"),
    ("", "let i = grid_1d() as i32 - 1; if i >= 0 && i < n", "i"),
    ("", "let i = block_idx().x as i32 * block_dim().x as i32 + thread_idx().x as i32; if i < n * h", "i / n * n + i % n"),
    ("", "let (x, y) = (grid_2d().0 as i32, grid_2d().1 as i32); if x < n && y < h", "y * n + x"),
    ("", "let (x, y) = (grid_2d().0 as i32 - 1, grid_2d().1 as i32 - 2); if x >= 0 && y >= 0 && x < n && y < h", "y * n + x"),
    ("", "let (x, y) = (grid_2d().0 as i32 + 1, grid_2d().1 as i32 + 1); if x < n - 1 && y < h - 1", "y * n + x"),
    ("", "let i = grid_1d() as i32; if i < n { let mut k = 0; while k < h", "i * h + k"),
    ("", "let i = grid_1d() as i32; if i < n { let mut at = i; for _ in 0..h", "at"),
    ("", "let b = block_idx().x as i32; let mut i = thread_idx().x as i32; while i < n", "b * n + i"),
    (
        "block = (8, 8)",
        "let (tx, ty) = (thread_idx().x as i32, thread_idx().y as i32);
         let (row, column) = (6 * block_idx().y as i32 - 1 + ty, 6 * block_idx().x as i32 - 1 + tx);
         let inside = row >= 0 && row < h && column >= 0 && column < n; if inside && tx >= 1 && tx <= 6 && ty >= 1 && ty <= 6",
        "row * n + column",
    ),
];

/// Beside them, indices that two threads may have, or that depend on data.
const UNPROVED: &[(&str, &str)] = &[
    ("let i = grid_1d() as i32 - 1; if i < n", "i.abs()"),
    ("let i = grid_1d() as i32; if i < n", "i / 2"),
    ("let i = grid_1d() as i32; if i < n", "i * 1073741824 * 4"),
    ("let i = grid_1d() as i32; if i < n", "i - x[i as usize]"),
    ("let (x, y) = (grid_2d().0 as i32, grid_2d().1 as i32); if x < n && y < h", "y * h + x"),
    ("let (x, y) = (grid_2d().0 as i32 - 1, grid_2d().1 as i32); if x < n && y < h", "y * n + x"),
    ("let (x, y) = (grid_2d().0 as i32, grid_2d().1 as i32); if x <= n && y < h", "y * n + x"),
    ("let i = grid_1d() as i32; let w = n - i; if i < n", "i * w"),
    ("let i = grid_1d() as i32; if i < n { let mut at = i; for _ in 0..h", "at / 2"),
    ("let i = grid_1d() as i32; if i < h { let mut at = i; for _ in 0..h", "at"),
];

/// A kernel that writes the element; the guard may have opened a block.
fn writing((guard, index): (&str, &str)) -> String {
    let (step, end) = match guard {
        _ if guard.contains("k < h") => ("k += 1;", "}"),
        _ if guard.contains("mut at") => ("at += n;", "}"),
        _ if guard.contains("while i") => ("i += block_dim().x as i32;", ""),
        _ => ("", ""),
    };
    kernel_source(&format!("{guard} {{ out[({index}) as usize] += 1.0; {step} }} {end}"))
}

#[test]
fn elements_of_signed_coordinates_are_of_one_thread_on_launches_without_overflow() {
    for (arguments, guard, index) in PROVED {
        let result = races_with(arguments, &writing((guard, index)));
        assert!(result.starts_with("proved"), "{result}: {guard}: {index}");
        assert!(!result.starts_with("proved 0"), "{result}: {guard}: {index}");
    }
    let of = |index: &str| {
        races_with("", &writing(("let (x, y) = (grid_2d().0 as i32 - 1, grid_2d().1 as i32); if x >= 0 && x < n && y < h", index)))
    };
    assert!(of("y * n + x").contains(" if -1+n*h < +2147483648"), "{}", of("y * n + x"));
    // Of a transform of `n` elements by halves of blocks of `m`, whatever `m` is.
    let butterfly = races_with("", &writing(("let i = grid_1d() as i32; let half = m / 2; if i < n / 2", "i / half * m + i % half")));
    assert!(butterfly.starts_with("proved 1 1 if ") && butterfly.contains(" if -3+3*(+n/+2) < +2147483648"), "{butterfly}");
}

#[test]
fn elements_that_may_be_of_two_threads_are_not_proved() {
    for row in UNPROVED {
        let result = races_with("", &writing(*row));
        assert!(result.starts_with("unproved"), "{result}: {row:?}");
    }
}

/// The same with more conditions around, on small launches with extents at the ends of the type.
#[test]
fn no_launch_refutes_that_elements_of_signed_coordinates_are_of_one_thread() {
    let (mut tally, mut random) = (Tally::default(), Random(0x6a09_e667_f3bc_c908));
    let indices = ["", " + 1", " - m", " * 2", " * 65536", " * m", " / 2", " + m - m", " + n"];
    for (guard, index) in PROVED
        .iter()
        .filter(|row| row.0.is_empty())
        .map(|(_, guard, index)| (guard, index))
        .chain(UNPROVED.iter().map(|(guard, index)| (guard, index)))
    {
        for _ in 0..5 * effort() {
            let changed = random.pick(&indices);
            try_kernel(&writing((guard, &format!("({index}){changed}"))), &mut random, &mut tally);
        }
    }
    assert!(tally.proved_launches > 10, "only {} launches were proved", tally.proved_launches);
}

/// Where not all threads of a block reach a barrier, operations without overflow prove nothing more.
#[test]
fn a_barrier_stays_a_finding_where_no_operation_overflows() {
    let body = "let i = grid_1d() as i32 - 1; if i >= 0 && i < n { sync_threads(); out[i as usize] = 1.0; }";
    assert!(races_with("", &kernel_source(body)).starts_with("unproved"));
}

/// Launches of an image of `n` columns and `h` rows, by a kernel for blocks of 16 by 16 threads.
fn accepts_image(function: &Function, n: u64, h: u64) -> bool {
    let launch = Launch {
        params: vec![n * h, n * h, n, h, 0],
        fields: vec![],
        shapes: vec![],
        constants: vec![],
        grid: [n.div_ceil(16), h.div_ceil(16), 1],
        block: [16, 16, 1],
        atomics: RefCell::default(),
        salt: 0,
    };
    is_accepted(function, &launch)
}

/// The proof without exact operations says how many blocks the launch has, which the other one does not: either suffices. What a check says of an
/// index rests on the guards.
#[test]
fn a_large_image_has_one_thread_for_each_element() {
    let declared = "let (x, y) = ((block_idx().x * 16 + thread_idx().x) as i32, (block_idx().y * 16 + thread_idx().y) as i32);
         if x >= n || y >= h { return; } out[(y * n + x) as usize] = 1.0;";
    let checked = "let (column, row) = (grid_2d().0 as i32, grid_2d().1 as i32); if column >= n || row >= h { return; }
         let at = row * n + column; out[at as usize] = x[at as usize] as f32;";
    for (arguments, body) in [("block = (16, 16)", declared), ("", checked)] {
        let function = kernel_with(arguments, &kernel_source(body));
        for (n, h) in [(16, 16), (2048, 65535 * 16), (4096, 4096), (40000, 40000), (1 << 20, 2000)] {
            assert!(accepts_image(&function, n, h), "{n} x {h}: {body}");
        }
        // Here, the index overflows.
        assert!(!accepts_image(&function, 70000, 70000), "{body}");
    }
}
