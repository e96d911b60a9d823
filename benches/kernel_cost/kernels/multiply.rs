/// c = a · b by tiles in shared memory.
#[gpu_kernel(block = (TILE, TILE))]
pub fn multiply(a: &[f32], b: &[f32], c: &mut [f32], m: usize, k: usize, n: usize) {
    let mut a_tile = shared::<[[f32; TILE]; TILE]>();
    let mut b_tile = shared::<[[f32; TILE]; TILE]>();
    let (column, row) = grid_2d();
    let (x, y) = (thread_idx().x, thread_idx().y);
    let mut sum = 0.0;
    for tile in 0..k.div_ceil(TILE) {
        let (a_column, b_row) = (tile * TILE + x, tile * TILE + y);
        a_tile[y][x] = if row < m && a_column < k { a[row * k + a_column] } else { 0.0 };
        b_tile[y][x] = if b_row < k && column < n { b[b_row * n + column] } else { 0.0 };
        sync_threads();
        for i in 0..TILE {
            sum += a_tile[y][i] * b_tile[i][x];
        }
        sync_threads();
    }
    if row < m && column < n {
        c[row * n + column] = sum;
    }
}
