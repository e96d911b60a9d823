//! Vectors, element by element, and random numbers.

#[gpu_kernel]
fn vector_add(a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = grid_1d();
    if i < c.len() {
        c[i] = a[i] + b[i];
    }
}

#[gpu_kernel]
fn saxpy_grid_stride(n: usize, a: f32, x: &[f32], y: &mut [f32]) {
    for i in grid_stride(n) {
        y[i] = a * x[i] + y[i];
    }
}

#[gpu_kernel]
fn saxpy_while(n: usize, a: f32, x: &[f32], y: &mut [f32]) {
    let mut i = grid_1d();
    while i < n {
        y[i] = a * x[i] + y[i];
        i += block_dim().x * grid_dim().x;
    }
}

/// Four elements per thread, a block apart.
#[gpu_kernel]
fn four_a_block_apart(x: &[f32], out: &mut [f32]) {
    let base = block_idx().x * 4 * block_dim().x + thread_idx().x;
    for k in 0..4 {
        let i = base + k * block_dim().x;
        if i < out.len() {
            out[i] = 2.0 * x[i];
        }
    }
}

#[gpu_kernel]
fn black_scholes(s: &[f32], x: &[f32], t: &[f32], r: f32, v: f32, call: &mut [f32], put: &mut [f32]) {
    let i = grid_1d();
    if i < call.len() && i < put.len() {
        let root = t[i].sqrt();
        let d1 = ((s[i] / x[i]).ln() + (r + 0.5 * v * v) * t[i]) / (v * root);
        let d2 = d1 - v * root;
        let (n1, n2) = (1.0 / (1.0 + (-1.7 * d1).exp()), 1.0 / (1.0 + (-1.7 * d2).exp()));
        let discount = (-r * t[i]).exp();
        call[i] = s[i] * n1 - x[i] * discount * n2;
        put[i] = x[i] * discount * (1.0 - n2) - s[i] * (1.0 - n1);
    }
}

#[gpu_kernel]
fn mandelbrot(width: usize, height: usize, most: u32, out: &mut [u32]) {
    let (px, py) = grid_2d();
    if px >= width || py >= height {
        return;
    }
    let (cx, cy) = (px as f32 / width as f32 * 3.0 - 2.0, py as f32 / height as f32 * 2.0 - 1.0);
    let (mut x, mut y, mut k) = (0.0, 0.0, 0);
    while k < most && x * x + y * y < 4.0 {
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
        k += 1;
    }
    out[py * width + px] = k;
}

/// Each thread has a generator, and fills a stretch of the array.
#[gpu_kernel]
fn random_fill(states: &mut [u32], per_thread: usize, out: &mut [f32]) {
    let i = grid_1d();
    if i < states.len() {
        let mut state = states[i];
        for k in 0..per_thread {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            out[i * per_thread + k] = state as f32 / 4294967296.0;
        }
        states[i] = state;
    }
}

/// A thread per path, a sum per block.
#[gpu_kernel(block = 256)]
fn monte_carlo(seed: u32, steps: u32, sums: &mut [f32]) {
    let mut tile = shared::<[f32; 256]>();
    let t = thread_idx().x;
    let mut state = seed ^ (grid_1d() as u32 * 747796405 + 1);
    let mut inside = 0.0;
    for _ in 0..steps {
        state = state * 1664525 + 1013904223;
        let x = state as f32 / 4294967296.0;
        state = state * 1664525 + 1013904223;
        let y = state as f32 / 4294967296.0;
        if x * x + y * y < 1.0 {
            inside += 1.0;
        }
    }
    tile[t] = inside;
    sync_threads();
    let mut s = 128;
    while s > 0 {
        if t < s {
            tile[t] += tile[t + s];
        }
        sync_threads();
        s /= 2;
    }
    if t == 0 {
        sums[block_idx().x] = tile[0];
    }
}

/// An option per block, its prices in shared memory.
#[gpu_kernel(block = STEPS)]
fn binomial_options(price: &[f32], strike: &[f32], u: f32, p: f32, out: &mut [f32]) {
    let mut values = shared::<[f32; STEPS]>();
    let (option, t) = (block_idx().x, thread_idx().x);
    let spot = price[option] * u.powi(2 * t as i32 - STEPS as i32);
    values[t] = (spot - strike[option]).max(0.0);
    sync_threads();
    for step in 1..STEPS {
        let next = if t + step < STEPS { p * values[t + 1] + (1.0 - p) * values[t] } else { 0.0 };
        sync_threads();
        values[t] = next;
        sync_threads();
    }
    if t == 0 {
        out[option] = values[0];
    }
}

/// In place: the thread of the left half exchanges its element with the mirrored one.
#[gpu_kernel]
fn reverse_in_place(x: &mut [f32]) {
    let (i, n) = (grid_1d(), x.len());
    if i < n / 2 {
        let left = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = left;
    }
}

#[gpu_kernel]
fn rotate_left(x: &[f32], by: usize, out: &mut [f32]) {
    let (i, n) = (grid_1d(), x.len());
    if i < n {
        out[i] = x[(i + by) % n];
    }
}

/// The middle of each block is stored; its edges are halo.
#[gpu_kernel(block = BLOCK)]
fn moving_average_of_blocks(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; BLOCK]>();
    let t = thread_idx().x;
    let first = block_idx().x * (BLOCK - 2 * HALO);
    tile[t] = if first + t < x.len() { x[first + t] } else { 0.0 };
    sync_threads();
    if t >= HALO && t < BLOCK - HALO {
        let mut sum = 0.0;
        for k in 0..2 * HALO + 1 {
            sum += tile[t + k - HALO];
        }
        let i = first + t - HALO;
        if i < out.len() {
            out[i] = sum;
        }
    }
}
