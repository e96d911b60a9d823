//! Views: which checks of an axis are redundant, and when different indices belong to different threads.

use super::launches::is_launched;
use super::*;

fn source(body: &str) -> String {
    format!(
        "fn k(a: View<f32, 2>, b: View<f32, 2>, line: View<f32, 1>, n: usize, out: ViewMut<f32, 2>, cube: ViewMut<f32, 3>) {{ {body} }}"
    )
}

/// The bound of each axis of each access, in order.
fn bounds(body: &str) -> String {
    let function = kernel(&source(body));
    let bounds = bounds_of(&function, |kind| matches!(kind, SiteKind::Index | SiteKind::AxisIndex(_)));
    let bounds = bounds.iter().map(|bound| match bound {
        Bound::Unknown => "unknown".into(),
        Bound::Below(needs) if needs.is_empty() => "always".into(),
        Bound::Below(needs) => needs.iter().map(|need| show_inequality(need, &function)).collect::<Vec<_>>().join(" and "),
    });
    bounds.collect::<Vec<String>>().join(", ")
}

fn races(body: &str) -> String {
    let function = kernel(&source(body));
    assert!(is_launched(body, &function, &[]), "no safe launch does anything: {body}");
    match prove_race_freedom(&function, &walk(&function)) {
        RaceFreedom::Proved { grid_axes, block_axes, conditions } => {
            let conditions: String =
                conditions.iter().map(|condition| format!(" if {}", show_inequality(&condition.inequality, &function))).collect();
            format!("proved {grid_axes} {block_axes}{conditions}")
        }
        RaceFreedom::Unproved(accesses) => {
            format!("unproved: {}", accesses.iter().map(|access| access.what.as_str()).collect::<Vec<_>>().join("; "))
        }
    }
}

#[test]
fn guarded_axes_need_no_check() {
    assert_eq!(bounds("let (j, i) = grid_2d(); if i < out.shape()[0] && j < out.shape()[1] { out[[i, j]] = 1.0; }"), "always, always");
    assert_eq!(
        bounds("let [r, c] = out.shape(); let (j, i) = grid_2d(); if i >= r || j >= c { return; } out[[i, j]] = 1.0;"),
        "always, always"
    );
    assert_eq!(
        bounds("let shape = out.shape(); let (j, i) = grid_2d(); if i < shape[0] && j < shape[1] { out[[i, j]] = 1.0; }"),
        "always, always, always, always"
    );
    assert_eq!(bounds("let i = grid_1d(); if i < line.len() { out[[0, 0]] = line[i]; }"), "always, +0 < +out.shape[0], +0 < +out.shape[1]");
}

#[test]
fn an_axis_with_another_guard_is_compared_at_launch() {
    assert_eq!(
        bounds("let (j, i) = grid_2d(); if i < n && j < out.shape()[1] { out[[i, j]] = a[[j, i]]; }"),
        "-1+out.shape[1] < +a.shape[0], -1+n < +a.shape[1], -1+n < +out.shape[0], always"
    );
    assert_eq!(bounds("let (j, i) = grid_2d(); if i < out.shape()[0] { out[[j, i]] = 1.0; }").matches("grid.x").count(), 1);
}

#[test]
fn a_matrix_product_compares_its_three_shapes() {
    let body = "let (j, i) = grid_2d();
        if i < out.shape()[0] && j < out.shape()[1] {
            let mut sum = 0.0;
            for k in 0..a.shape()[1] { sum += a[[i, k]] * b[[k, j]]; }
            out[[i, j]] = sum;
        }";
    assert_eq!(
        bounds(body),
        "-1+out.shape[0] < +a.shape[0], always, -1+a.shape[1] < +b.shape[0], -1+out.shape[1] < +b.shape[1], always, always"
    );
    assert_eq!(races(body), "proved 2 2");
}

#[test]
fn the_length_of_a_view_is_the_product_of_its_extents() {
    assert_eq!(
        bounds("let i = grid_1d(); if i < a.len() { out[[i / 2, 0]] = line[i]; }").split(", ").next(),
        Some("-1+a.shape[0]*a.shape[1] < +line.shape[0]")
    );
}

#[test]
fn an_index_that_differs_between_threads_is_enough_on_one_axis() {
    for body in [
        "let i = grid_1d(); for k in 0..n { out[[i, k]] = 1.0; }",
        "let i = grid_1d(); for k in 0..n { out[[k, i]] += 1.0; }",
        "let i = grid_1d(); out[[i, a.len()]] = 1.0;",
        "let i = grid_1d(); out[[i, (a[[i, 0]] as usize) % 7]] = 1.0;",
        "for i in grid_stride(n) { out[[3, i + 2]] = 1.0; }",
        "out[[thread_idx().x, block_idx().x]] = 1.0;",
        "out[[block_idx().x, thread_idx().x + n]] = 1.0;",
        "let i = grid_1d(); out[[i, 0]] = 1.0; out[[i, 1]] = out[[i, 0]];",
        "let i = grid_1d(); cube[[0, i, 0]] = 1.0; cube[[1, i, 5]] = 2.0; out[[i, i]] = 0.0;",
        "if grid_1d() == 0 { out[[0, 0]] = 1.0; out[[n, 1]] = 2.0; }",
        "let i = grid_1d(); if i < 3 { out[[i, 1]] = 1.0; } else { out[[1, i]] = 1.0; }",
        // A row and a column have one element in common, which is the first thread's in both.
        "let i = grid_1d(); out[[i, 0]] = 1.0; out[[0, i]] = 1.0;",
    ] {
        let result = races(body);
        assert!(result.starts_with("proved 1 1"), "{result}: {body}");
    }
}

#[test]
fn two_and_three_coordinates_are_told_by_as_many_axes() {
    for (body, expected) in [
        ("let (j, i) = grid_2d(); out[[i, j]] = 1.0;", "proved 2 2"),
        ("let (j, i) = grid_2d(); out[[j, i]] += a[[i, j]];", "proved 2 2"),
        ("let (j, i) = grid_2d(); out[[i + 1, j + 1]] = 1.0;", "proved 2 2"),
        ("let (j, i) = grid_2d(); out[[i, 2 * j]] = 1.0; out[[i, 2 * j + 1]] = 1.0;", "proved 2 2"),
        ("let (j, i) = grid_2d(); for k in 0..n { cube[[k, i, j]] = 1.0; }", "proved 2 2"),
        ("let (k, j, i) = grid_3d(); cube[[i, j, k]] = 1.0;", "proved 3 3"),
        ("let (k, j, i) = grid_3d(); cube[[k, i, j]] = 1.0;", "proved 3 3"),
    ] {
        assert_eq!(races(body), expected, "{body}");
    }
}

#[test]
fn what_another_thread_may_touch_is_not_proved() {
    for body in [
        // The same element for all, or for several.
        "out[[0, 0]] = 1.0;",
        "let i = grid_1d(); out[[i / 2, 0]] = 1.0;",
        "let i = grid_1d(); out[[0, i % 2]] = 1.0;",
        "out[[block_idx().x, 0]] = 1.0;",
        // A neighbour's, read or written.
        "let i = grid_1d(); out[[i, 0]] = out[[i + 1, 0]];",
        "let i = grid_1d(); out[[i, 0]] = 1.0; out[[n, i]] = 1.0;",
        "let i = grid_1d(); out[[i, 0]] = 1.0; out[[1, i]] = 1.0;",
        "let (j, i) = grid_2d(); out[[i, j]] = 1.0; out[[j, i]] = 2.0;",
        "let (j, i) = grid_2d(); out[[i, j]] = 0.25 * (out[[i, j + 1]] + out[[i + 1, j]]);",
        "let (j, i) = grid_2d(); out[[i, 2 * j]] = 1.0; out[[i, j]] = 1.0;",
        // Proved on another axis each, and an element of both.
        "let i = grid_1d(); if i < 3 { out[[i, 1]] = 1.0; } else { out[[2, i]] = 1.0; } out[[2, 3]] = 1.0;",
        // Not followed.
        "let i = grid_1d(); out[[i, 0]] = 1.0; helper(out);",
        "let i = grid_1d(); unsafe { *out.get_unchecked_mut([i / 2, 0]) = 1.0; }",
    ] {
        let result = races(body);
        assert!(result.starts_with("unproved"), "{result}: {body}");
    }
}

#[test]
fn a_sum_on_one_axis_tells_less_than_its_parts() {
    // 1 + 0 is 0 + 1: nothing is told, or only for a block or grid that has one axis.
    assert!(races("let (j, i) = grid_2d(); out[[i + j, 0]] = 1.0;").starts_with("unproved"));
    assert_eq!(races("let (j, i) = grid_2d(); out[[i + j, i]] = 1.0;"), "proved 2 2");
}

#[test]
fn reading_needs_no_proof() {
    assert_eq!(races("let i = grid_1d(); if a[[0, 0]] > b[[n, 3]] { out[[i, 0]] = a[[i / 2, 1]]; }"), "proved 1 1");
    assert_eq!(races("let i = grid_1d(); let x = cube[[0, 0, 0]]; out[[i, 0]] = x;"), "proved 1 1");
    assert_eq!(races("let i = grid_1d(); out[[i, 0]] = helper(a, i);"), "proved 1 1");
}

#[test]
fn the_index_to_blame_is_named_with_its_line() {
    assert_eq!(
        races("let i = grid_1d();\nout[[i / 2, 0]] = 1.0;"),
        "unproved: line 2: `out[[i / 2, 0]]`: the index is not proved to differ between threads"
    );
}

/// Populations that move in place: each thread has an element in each plane, which moves around. There are no pairs of planes to compare.
#[test]
fn rotated_planes_belong_to_one_thread_each() {
    let rotated = |planes: usize| {
        let place = |plane: usize| format!("cube[[{plane}, {}, {}]]", ["i", "s"][plane % 2], ["j", "e"][plane / 2 % 2]);
        let writes: String = (0..planes).map(|plane| format!("{} += 1.0;", place(plane))).collect();
        let guard = "let (j, i) = grid_2d(); let [_, rows, columns] = cube.shape(); if i < rows && j < columns";
        races(&format!("{guard} {{ let (s, e) = ((i + n) % rows, (j + n) % columns); {writes} }}"))
    };
    for planes in [2, 19] {
        assert!(rotated(planes).starts_with("proved 2 2"), "{}", rotated(planes));
    }
    let body = "let (j, i) = grid_2d(); let [_, rows, columns] = cube.shape();
        if i < rows && j < columns { cube[[0, i, j]] = cube[[1, i, (j + 1) % columns]]; cube[[2, i, j]] += cube[[0, i, j]]; }";
    assert_eq!(races(body), "proved 2 2");
    // The next element of the same plane is another thread's.
    let body = "let (j, i) = grid_2d(); let [_, rows, columns] = cube.shape();
        if i < rows && j < columns { cube[[0, i, (j + 1) % columns]] = cube[[0, i, j]]; cube[[1, i, j]] = 0.0; }";
    assert!(races(body).starts_with("unproved"), "{}", races(body));
}

/// By a condition instead of a remainder, on an axis that is not the first of the launch.
#[test]
fn an_index_that_is_one_of_two_tells_the_blocks_of_its_axis() {
    let shifted = |i: &str, j: &str| {
        let guard = "let (j, i) = grid_2d(); let [rows, columns] = out.shape(); if i < rows && j < columns && n < rows && n < columns";
        races(&format!("{guard} {{ out[[{i}, {j}]] = 1.0; }}"))
    };
    let before = |at: &str, extent: &str| format!("if {at} < n {{ {at} + ({extent} - n) }} else {{ {at} - n }}");
    assert_eq!(shifted(&before("i", "rows"), "j"), "proved 2 2");
    assert_eq!(shifted("i", &before("j", "columns")), "proved 2 2");
    assert_eq!(shifted(&before("i", "rows"), &before("j", "columns")), "proved 2 2");
    assert_eq!(shifted("if i < n { i } else { i - n }", "j"), "proved 1 1");
}
