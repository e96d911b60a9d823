/// How many steps each point of the plane takes to escape.
#[gpu_kernel]
pub fn mandelbrot(mut image: ViewMut<u32, 2>, left: f64, top: f64, pixel: f64, most: u32) {
    let (column, row) = grid_2d();
    let [rows, columns] = image.shape();
    if row >= rows || column >= columns {
        return;
    }
    let (cx, cy) = (left + column as f64 * pixel, top - row as f64 * pixel);
    let (mut x, mut y) = (0.0, 0.0);
    let mut steps = 0;
    while steps < most {
        let (xx, yy) = (x * x, y * y);
        if xx + yy > 4.0 {
            break;
        }
        y = 2.0 * x * y + cy;
        x = xx - yy + cx;
        steps += 1;
    }
    image[[row, column]] = if steps == most { 0 } else { steps };
}
