//! Stores of tiles: which blocks may store the same one.

use super::*;

/// `proved` with the axes of the grid, or what is not proved, of a kernel with this body.
fn stores(body: &str) -> String {
    let source = format!(
        "fn k(a: View<f32, 2>, ids: &[usize], n: usize, c: ViewMut<f32, 2>, d: ViewMut<f32, 2>, e: ViewMut<f32, 3>) {{ let x = a.tile::<16, 32>(0, 0); {body} }}"
    );
    let function = kernel_with("block = 64", &source);
    match prove_race_freedom(&function, &walk(&function)) {
        RaceFreedom::Proved { grid_axes, block_axes, .. } => format!("proved {grid_axes} {block_axes}"),
        RaceFreedom::Unproved(accesses) => accesses.iter().map(|access| access.what.as_str()).collect::<Vec<_>>().join("; "),
    }
}

#[test]
fn a_tile_for_each_block_is_proved() {
    for (axes, body) in [
        (1, "c.tile_mut(block_idx().x, 0).store(x);"),
        (1, "c.tile_mut(0, block_idx().x).store(x);"),
        (2, "c.tile_mut(block_idx().y, block_idx().x).store(x);"),
        // Counted backwards.
        (2, "c.tile_mut(block_idx().x, grid_dim().y - 1 - block_idx().y).store(x);"),
        (2, "c.tile_mut(grid_dim().x - 1 - block_idx().x, grid_dim().y - 1 - block_idx().y).store(x);"),
        (3, "c.tile_mut(block_idx().y, block_idx().x * grid_dim().z + block_idx().z).store(x);"),
        (3, "e.tile_mut(block_idx().z, block_idx().y, block_idx().x).store(x);"),
        (3, "let z = block_idx().z; e.tile_mut(z / n, z % n * grid_dim().x + block_idx().x, block_idx().y).store(x);"),
        // Not of several layers, but of one.
        (2, "let z = block_idx().z; e.tile_mut(z / n, z % n + block_idx().x, block_idx().y).store(x);"),
        (1, "let i = block_idx().x; c.tile_mut(2 * i + 1, 3).store(x);"),
        (1, "let i = block_idx().x; for j in 0..n { c.tile_mut(i, j).store(x); }"),
        (1, "let i = block_idx().x; c.tile_mut(i, 0).store(x); c.tile_mut(i, 1).store(x); d.tile_mut(0, i).store(x);"),
        (1, "let i = block_idx().x; if i < n { c.tile_mut(i, ids[i]).store(x); }"),
        // They have only the tile of block 0 in common.
        (1, "let i = block_idx().x; c.tile_mut(i, 0).store(x); c.tile_mut(0, i).store(x);"),
    ] {
        assert_eq!(stores(body), format!("proved {axes} 1"), "{body}");
    }
}

#[test]
fn a_tile_of_several_blocks_is_not_proved() {
    for body in [
        "c.tile_mut(block_idx().x / 2, 0).store(x);",
        "e.tile_mut(0, block_idx().y + block_idx().x, 0).store(x);",
        "c.tile_mut(block_idx().x % 2, block_idx().x / 4).store(x);",
        "c.tile_mut(block_idx().x + block_idx().y, 0).store(x);",
        "let i = block_idx().x; c.tile_mut(i, 0).store(x); c.tile_mut(i + 1, 0).store(x);",
        "let i = block_idx().x; c.tile_mut(i, 0).store(x); c.tile_mut(1, i).store(x);",
        "let i = block_idx().x; for j in 0..n { c.tile_mut(i + j, 0).store(x); }",
        "c.tile_mut(ids[block_idx().x], 0).store(x);",
        "let i = block_idx().x; c.tile_mut(i, 0).store(x); d.tile_mut(i / 2, 0).store(x);",
    ] {
        assert!(stores(body).contains("another block may store the same tile"), "{}: {body}", stores(body));
    }
}

#[test]
fn a_kernel_for_one_block_may_store_any_tile() {
    assert_eq!(stores("c.tile_mut(0, 0).store(x); c.tile_mut(n, 1).store(x);"), "proved 0 1");
}

#[test]
fn products_are_for_all_threads() {
    let of_condition = |condition: &str| {
        stores(&format!("let mut y = x.row_max(); if {condition} {{ y = x.row_sum(); }} c.tile_mut(block_idx().x, 0).store(x + y);"))
    };
    assert_eq!(of_condition("block_idx().x > 2 && n < 3"), "proved 1 1");
    assert!(of_condition("decides()").contains("`row_sum()` is under a condition"));
}
