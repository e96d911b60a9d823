/// y = a · x with the sparse matrix a by rows, a warp per row.
#[gpu_kernel]
pub fn sparse_rows(values: &[f32], columns: &[u32], starts: &[u32], x: &[f32], y: &mut [f32]) {
    let row = grid_1d();
    if row + 1 < starts.len() && row < y.len() {
        let begin = starts[row] as usize;
        let end = starts[row + 1] as usize;
        let mut sum = 0.0;
        let mut compensation = 0.0;
        for position in begin..end {
            let term = values[position] * x[columns[position] as usize] - compensation;
            let next = sum + term;
            compensation = (next - sum) - term;
            sum = next;
        }
        y[row] = sum;
    }
}
