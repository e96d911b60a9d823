// What the fuzzer mutates: each construct of the kernel language at least once, in small functions. It is read as text and not
// compiled, but every item in it is accepted by its macro, which a test checks.

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Vector {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C, align(16))]
#[device_type(crate = gpu_runtime)]
struct Pair<T, const N: usize> {
    a: T,
    b: [T; N],
}

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
enum Sign {
    Negative = 2,
    Zero,
    Positive = 1 << 4,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
enum Shape {
    Empty,
    Circle { centre: Vector, radius: f32 },
    Square(Vector, f32),
}

#[gpu_device]
impl<T: Num> Pair<T, 3> {
    const LENGTH: usize = 3;
    fn total(self) -> T {
        let mut sum = self.a;
        for i in 0..Self::LENGTH {
            sum += self.b[i];
        }
        sum
    }
    fn doubled(&mut self) {
        self.a = self.a + self.a;
    }
    fn applied(&self, f: impl Fn(&T) -> T) -> T {
        f(&self.a) + f(&T::ONE)
    }
}

#[gpu_device]
trait Area: Copy {
    const SIDES: u32;
    fn area(self) -> f32;
    fn twice(self) -> f32 {
        self.area() * 2.0
    }
}

#[gpu_device]
impl Area for Vector {
    const SIDES: u32 = 4;
    fn area(self) -> f32 {
        self.x * self.y
    }
}

#[gpu_device]
impl<'v> Sub<&'v Vector> for &'v Vector {
    type Output = Vector;
    fn sub(self, other: &'v Vector) -> Self::Output {
        Vector { x: self.x - other.x, ..*self }
    }
}

#[gpu_device]
fn apart(a: &Vector, b: Vector) -> Vector {
    &(a - &b) - a
}

#[gpu_device]
trait Step<T: Num>: DeviceType {
    fn step(self, x: T) -> T;
    fn two_steps(self, x: T) -> T {
        let near = self.step(x);
        self.step(near) + T::ONE
    }
}

#[gpu_device]
fn divided(x: f32, by: i32) -> (f32, bool) {
    if by == 0 {
        return (0.0, false);
    }
    (x * x / by as f32, true)
}

#[gpu_device]
pub(crate) fn slope(f: impl Fn(f64) -> f64, x: f64, h: f64) -> f64 {
    (f(x + h) - f(x - h)) / (2.0 * h)
}

#[gpu_device]
fn first_of(x: &[f32], y: &[f32]) -> f32 {
    let held: (u8, Option<f32>) = (0, x.last().copied());
    let rest = match x {
        [a, rest @ ..] if *a > 1.0 && rest.len() > 2 => rest[1],
        _ => held.1.or(Some(2.0)).unwrap_or_default(),
    };
    match (x.get(1), y.first()) {
        (Some(a), Some(&b)) if *a < b => rest + b,
        (Some(&a), None) => a,
        _ => *x.iter().reduce(|a, b| if a < b { a } else { b }).unwrap_or(&rest),
    }
}

#[gpu_device]
fn each(n: u32, mut f: impl FnMut(u32)) {
    (0..n).for_each(|k| f(k));
}

#[gpu_device]
fn smoothstep<T: Float>(low: T, high: T, x: T) -> T {
    let t = ((x - low) / (high - low)).clamp(T::ZERO, T::ONE);
    t * t * (T::from_f64(3.0) - T::from_f64(2.0) * t) + t.exp().abs().cast::<T>()
}

#[gpu_device]
fn inverse(x: f32) -> Option<f32> {
    if x == 0.0 { None } else { Some(1.0 / x) }
}

#[gpu_device]
async fn from_first<T: Num>(value: T) -> T {
    let mut first = shared::<[T; 1]>();
    if thread_idx().x == 0 {
        first[0] = value;
    }
    sync_threads();
    first[0]
}

#[gpu_device]
async fn from_first_of(value: f32, rounds: usize) -> f32 {
    let mut last = value;
    for _ in 0..rounds {
        sync_threads();
        last = from_first(last).await;
    }
    last
}

#[gpu_device(unsafe(cuda = "__device__ unsigned swapped(unsigned x) { return __byte_perm(x, 0, 0x0123); }"))]
fn swapped(x: u32) -> u32 {
    x.swap_bytes()
}

#[gpu_device]
fn mixed(a: u32, b: u32, c: u32) -> u32 {
    unsafe { ptx!("lop3.b32 {}, {}, {}, {}, 0x96;", out(u32), in(a), in(b), in(c), options(pure), else { a ^ b ^ c }) }
}

#[gpu_kernel]
fn add(x: &[i32], y: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

#[gpu_kernel(block = 256, fmad = false, launch_bounds = 256)]
fn block_sum(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 256]>();
    let (t, i) = (thread_idx().x, grid_1d());
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut stride = block_dim().x / 2;
    while stride > 0 {
        if t < stride {
            tile[t] += tile[t + stride];
        }
        sync_threads();
        stride /= 2;
    }
    if t == 0 {
        out[block_idx().x] = tile[0];
    }
}

#[gpu_kernel(block = (T, T))]
fn tiled<const T: usize>(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
    let mut left = shared::<[[f32; T]; T]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (column, row) = grid_2d();
    let mut sum = 0.0;
    for tile in 0..n.div_ceil(T) {
        left[ty][tx] = if row < n && tile * T + tx < n { a[row * n + tile * T + tx] } else { 0.0 };
        sync_threads();
        #[unroll]
        for k in 0..T {
            sum += left[ty][k] * b[(tile * T + k) * n + column];
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

#[gpu_kernel]
fn cooperation(x: &[f32], n: &[u8], exchange: &mut [f32], out: &mut [f32], steps: u32) {
    let i = grid_1d();
    let sum = warp_sum(x[i]);
    let (lanes, _) = warp_match_all(n[i]);
    let mut more = lanes != 0;
    while sync_threads_or(more && warp_any(x[i] > 0.0)) {
        more = false;
    }
    for _ in 0..steps {
        exchange[i] = sum;
        sync_grid();
    }
    out[i] = from_first(sum).await + warp_shuffle_down_in(sum, 1, 0xffff_ffff) + exchange[lane_id()];
}

#[gpu_kernel]
fn atomics(x: &[u32], counts: &[AtomicU32], most: &[AtomicI64], sums: &[AtomicF32]) {
    let mut own = shared::<[AtomicU32; 32]>();
    let dynamic = dynamic_shared::<AtomicU32>(counts.len() + 1);
    let i = grid_1d();
    if i < x.len() {
        own[x[i] as usize % 32].fetch_add(1, Ordering::Relaxed);
        most[0].fetch_max(x[i] as i64, Relaxed);
        sums[1].fetch_add(0.5, Relaxed);
        let _ = counts[i].compare_exchange(0, 1, AcqRel, Acquire);
        dynamic[i].store(counts[0].load(Acquire), Release);
    }
}

#[gpu_kernel]
fn views(a: View<f32, 2>, line: View<u8, 1>, cube: ViewMut<f32, 3>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    let [rows, columns] = out.shape();
    if i < rows && j < columns {
        out[[i, j]] = a[[i, j + 1]];
        out[[i, j]] *= line[a.len()] as f32;
        for k in 0..cube.shape()[0] {
            cube[[k, i, j]] += out[[i, j]];
        }
    }
    if out.is_empty() {
        unsafe { *cube.get_unchecked_mut([0, j, i]) = *a.get_unchecked([i, j]) };
    }
}

#[gpu_kernel]
fn loops(a: &[i32], n: i32, step: usize, out: &mut [i32]) {
    let i = grid_1d();
    if i >= out.len() {
        return;
    }
    let mut sum = 0;
    'outer: for k in (0..=n).rev().step_by(step) {
        for mut j in 1..k {
            j *= 2;
            if j == 3 {
                continue 'outer;
            }
            if a[j as usize] < 0 {
                break 'outer;
            }
        }
        sum += k;
    }
    let found = 'search: {
        for k in 0..a.len() {
            if a[k] == sum {
                break 'search k as i32;
            }
        }
        -1
    };
    let root = loop {
        sum -= 1;
        if sum < 7 {
            break sum;
        }
    };
    for x in a {
        sum += *x;
    }
    for (k, x) in a.iter().enumerate() {
        sum ^= *x << k;
    }
    for (k, x) in a.iter().skip(1).filter(|x| **x > 2).enumerate() {
        sum += x * k as i32;
    }
    sum += a.iter().zip(out.iter().rev()).map(|(x, &y)| x * y).sum::<i32>();
    sum += (0..a.len()).step_by(3).take_while(|k| *k < 9).fold(1, |s, k| s * a[k]);
    sum += a.iter().copied().max_by(|x, y| x.cmp(y).reverse()).map_or(0, |x| x + 1);
    let mut last = [0; 4];
    last.fill(*a.first().unwrap_or(&sum));
    let squares: [i32; 4] = std::array::from_fn(|k| (k * k) as i32);
    sum += a.get(2).copied().and_then(|x| x.checked_add(last[1])).unwrap_or_else(|| squares[2]);
    for k in grid_stride(a.len()) {
        out[k] = found + root;
    }
}

#[gpu_kernel]
fn patterns(a: &[i32], shapes: &mut [Shape], out: &mut [f32]) {
    const LIMIT: i32 = 40;
    let i = grid_1d();
    let 0..=999 = i else { return };
    out[i] = match a[i] {
        0 => 0.5,
        1..=9 | -1 => 1.5 * 2.0,
        LIMIT => return,
        n @ 100.. if n % 2 == 0 => n as f32,
        mut n => {
            n += 1;
            n as f32
        }
    };
    let pair = ([a[i], 2, 3], (1.5f32, true));
    if let ([1, .., last], (_, true)) = pair
        && last != 3
    {
        out[i] += last as f32;
    }
    out[i] += match shapes[i] {
        Shape::Empty | Shape::Circle { radius: 0.0, .. } => 0.0,
        Shape::Circle { radius, centre: Vector { x, .. } } => x * radius,
        Shape::Square(_, side) => side,
    };
    if let Some(x) = inverse(out[i]) {
        shapes[i] = Shape::Square(Vector { x, y: 1.0 }, x);
    }
    let Some(product) = a[i].checked_mul(3) else { return };
    let mut k = product;
    while let 1.. = k
        && k < a[1]
    {
        k *= 2;
    }
    out[0] = if matches!(k, 3 | 5..9) { 1.0 } else { 0.0 };
}

#[gpu_kernel]
fn values(x: &[f32], particles: &mut [Vector], by: (f32, u32), flag: bool, out: &mut [f32]) {
    let i = grid_1d();
    let mut best = None;
    let late;
    late = x[i];
    let (mut low, high) = (late, by.0);
    (low, _) = (high.max(low), 3);
    let mut window = [0.0; 8];
    let grid = [[0u8; 4]; 2];
    window[by.1 as usize] = low.sin().mul_add(0.5, f32::MIN) + std::f32::consts::TAU;
    let mut p = particles[i];
    p.x += -window[1] * 0.1;
    particles[i] = Vector { y: p.x.sqrt(), ..p };
    particles[i].x = if flag || !(low < 1e-3) { 1.0 } else { p.y };
    best = Some(p.x);
    let twice = |t: f32| t * 2.0;
    let (quotient, valid) = divided(twice(x[i]), -3);
    let slope = slope(|t: f64| t * t, 1.0, 0.5) as f32;
    out[i] = best.unwrap_or(quotient) + grid[0][i & 3] as f32 + smoothstep(0.0, slope, low);
    assert!(valid, "too small");
    assert_eq!(i % 2, 0);
    println!("{} {:?}", i, x[i]);
    if x[i].is_nan() {
        panic!("no number");
    }
}

#[gpu_kernel]
fn integers(a: u8, b: i64, c: usize, out: &mut [u64]) {
    let i = grid_1d() as isize;
    let wide = (a as u64).wrapping_mul(0xffff_ffff) ^ b as u64;
    let (sum, carry) = a.overflowing_add(b'x');
    let shifted = wide << (c & 63) | wide.rotate_left(5) >> 1;
    let divided = b / 3 % 7 - !b + -b;
    if i >= 0 && (i as usize) < out.len() && carry != (sum == 0) {
        out[i as usize] = shifted.count_ones() as u64 + divided.unsigned_abs().pow(2) + wide.min(1u64.max(2));
    }
}

#[gpu_kernel]
fn generic<T: Float, S: Area, const N: usize>(a: T, shapes: &[S], y: &mut [T], out: &mut [f32]) {
    let i = grid_1d();
    if i < y.len() {
        let mut powers = [T::ONE; N];
        for k in 1..N {
            powers[k] = powers[k - 1] * a;
        }
        y[i] += powers[N - 1];
        out[i] = shapes[i].area() + S::SIDES as f32;
    }
}

#[vectorize]
fn trig(x: f32) -> f32 {
    x.cos().powi(2) + x.sin().powi(2)
}

#[vectorize]
fn scaled<T: Num>(x: T, by: T) -> T {
    if x > by { x * by } else { x }
}

#[reduce(identity = f64::NEG_INFINITY)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[guvectorize("(m,n),(n)->(m)")]
fn matvec(a: &[f32], x: &[f32], out: &mut [f32], m: usize, n: usize) {
    for i in 0..m {
        let mut sum = 0.0;
        for j in 0..n {
            sum += a[i * n + j] * x[j];
        }
        out[i] = sum;
    }
}

#[vectorize]
fn nearer(a: Vector, b: Vector) -> Vector {
    if a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y { a } else { b }
}

#[vectorize]
fn side(shape: Shape, sign: Sign) -> (Sign, f32) {
    match shape {
        Shape::Circle { radius, .. } => (sign, radius),
        Shape::Square(_, length) => (Sign::Zero, length),
        Shape::Empty => (Sign::Negative, 0.0),
    }
}

#[vectorize]
fn rotated(z: num_complex::Complex<f64>, by: Complex<f32>, angle: f64) -> Complex<f64> {
    z * Complex::<f64>::cis(angle) + by.conj().re as f64
}

#[vectorize]
fn brain(x: f16, y: half::bf16) -> half::f16 {
    f16::from_f32(x.to_f32() + y.to_f32())
}

#[reduce(identity = Complex::ONE)]
fn product_of(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
    a * b
}

#[reduce]
fn furthest(a: Vector, b: Vector) -> Vector {
    let mut scale = 2.0;
    scale += 1.0;
    if a.x.max(a.y) > b.x.max(b.y) { a * scale } else { scale * b }
}

#[reduce(identity = f16::ZERO)]
fn total(a: f16, b: f16) -> f16 {
    f16::from_f32(a.to_f32() + b.to_f32())
}

#[guvectorize("(n),()->(n),()")]
fn shifted<T: Float>(points: &[Vector], by: T, out: &mut [Vector]) -> Complex<f64> {
    let mut sum = Complex::new(0.0, 0.0);
    for i in 0..points.len() {
        out[i] = points[i];
        out[i].x += by.to_f64() as f32;
        sum += Complex::new(points[i].x as f64, points[i].y as f64);
    }
    sum
}

#[gpu_kernel(block = 128)]
fn tiles(a: View<bf16, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>, d: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 32>::zeros();
    for k in 0..a.tiles(1, 16) {
        sum += a.tile::<64, 16>(i, k).cast::<f32>().dot(b.tile::<32, 16>(j, k).transpose());
    }
    let (x, y) = (sum.map(|x| x.exp()), Tile::<f32, 64, 32>::splat(0.5));
    let largest: Column<f32, 64> = x.row_max();
    let scaled = (x - largest) / (x.row_sum() + 1.0) * -y;
    c.tile_mut(i, j).store(scaled.zip(y, |x, y| x.max(y)));
    sum -= 2.0 * scaled;
    d.tile_mut(i, j).store(sum.map_at(|row, column, x| if row < column { x } else { 0.0 }).dot(Tile::<f32, 32, 32>::zeros()));
}

#[derive(KernelData)]
struct Bodies<'a, T: Num, const N: usize> {
    x: DeviceArray<T>,
    v: DeviceSliceMut<'a, [f32; N]>,
    n: usize,
}

#[gpu_kernel(struct b [T N] { x: [DeviceArray<T>] v: [DeviceSliceMut<'a, [f32; N]>] n: [usize] }, block = 64)]
fn struct_of_arrays(b: &mut Bodies<'_, f32, 2>, by: f32) {
    let i = grid_1d();
    if i < b.x.len() && i < b.n {
        b.x[i] += b.v[i][0] * by;
    }
}

#[gpu_kernel]
fn two_structs(a: &Bodies<'_, f32, 2>, b: &mut Bodies<'_, f32, 2>) {
    b.x[0] = a.x[0];
}
