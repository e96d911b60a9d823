/// One step of the heat equation with a halo that stays as it is.
#[gpu_kernel]
pub fn diffuse(old: View<f32, 2>, mut new: ViewMut<f32, 2>, rate: f32) {
    let (column, row) = grid_2d();
    let [rows, columns] = new.shape();
    if row < rows && column < columns {
        let here = old[[row, column]];
        if row == 0 || column == 0 || row + 1 == rows || column + 1 == columns {
            new[[row, column]] = here;
        } else {
            let vertical = old[[row - 1, column]] + old[[row + 1, column]];
            let horizontal = old[[row, column - 1]] + old[[row, column + 1]];
            new[[row, column]] = here + rate * (vertical + horizontal - 4.0 * here);
        }
    }
}
