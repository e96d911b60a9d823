//! What leaves the kernel language: PTX, and options that trade precision. No C++ compiler of a host understands them, so they are
//! tested by NVRTC's text and on the devices that there are.

// Some kernels are compiled and never launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;
use gpu_tests::require::{gpu_or_skip, has_nvrtc};

/// The CPU, and the first GPU if there is one.
fn devices(test: &str) -> Vec<Device> {
    std::iter::once(Device::cpu()).chain(gpu_or_skip(test)).collect()
}

#[test]
fn a_report_says_how_tiles_are_multiplied() {
    use gpu_tests::kernels::tile_sums::product_and_nothing_else;
    use gpu_tests::kernels::tiles::{product_of_bf16, product_of_f64};

    if !has_nvrtc("a_report_says_how_tiles_are_multiplied") {
        return;
    }
    let cpu = Device::cpu();
    for (report, multiplied) in [
        (product_of_bf16::report(&cpu).unwrap(), "131072 bytes of dynamic shared memory; products by wgmma, of 4 steps in shared memory"),
        (
            product_and_nothing_else::report(&cpu).unwrap(),
            "212992 bytes of dynamic shared memory; products by wgmma, of 4 steps in shared memory; \
             a block computes the tiles of several blocks of the grid",
        ),
        (product_of_f64::report(&cpu).unwrap(), "24576 bytes of dynamic shared memory; products by mma.sync, of 4 steps in shared memory"),
    ] {
        assert_eq!(report.target, "sm_90a");
        assert!(report.to_string().contains(&format!("\n    tiles: {multiplied}\n")), "{report}");
        // Blocks are resident with that memory.
        let (_, occupancy) = report.variants[0].occupancy[3];
        assert!(occupancy <= 256.0 / 2048.0 * f64::from(233_472 / report.variants[0].tiles.as_ref().unwrap().shared_bytes), "{report}");
    }
}

/// Any function of three bits, on all bits at once.
#[gpu_device]
fn parity(a: u32, b: u32, c: u32) -> u32 {
    // SAFETY: the instruction reads its three operands and writes its result, all of 32 bits.
    unsafe { ptx!("lop3.b32 {}, {}, {}, {}, 0x96;", out(u32), in(a), in(b), in(c), options(pure), else { a ^ b ^ c }) }
}

#[gpu_kernel]
fn instructions(x: &[u32], out: &mut [u32], wide: &mut [u64]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() && i < wide.len() {
        let next: u32 = parity(x[i], i as u32, 0xff);
        // Both halves of a product, through a register that only the text knows.
        // SAFETY: the instructions write that register and the two results, of the types that are named.
        let (low, high) = unsafe {
            ptx!(
                "{{
                    .reg .u64 %product;
                    mul.wide.u32 %product, {2}, {3};
                    mov.b64 {{{0}, {1}}}, %product;
                }}",
                out(u32),
                out(u32),
                in(x[i]),
                in(3_000_000_000u32),
                else {
                    let product = x[i] as u64 * 3_000_000_000;
                    (product as u32, (product >> 32) as u32)
                },
            )
        };
        out[i] = next;
        wide[i] = low as u64 + ((high as u64) << 32);
    }
}

#[gpu_kernel]
fn floats(x: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        // SAFETY: the instructions have operands of these types, and write nothing but their results.
        let half = unsafe { ptx!("cvt.rn.f32.f64 {0}, {1};", out(f32), in(x[i]), options(pure), else { x[i] as f32 }) };
        // SAFETY: as above.
        out[i] = unsafe {
            ptx!("fma.rn.f64 {}, {}, {}, {};", out(f64), in(x[i]), in(2.0f64), in(half as f64), else { x[i] * 2.0 + half as f64 })
        };
        // SAFETY: a fence has no operands.
        unsafe { ptx!("membar.gl;", else {}) };
    }
}

#[test]
fn ptx_and_its_alternative_compute_the_same() {
    for device in devices("ptx_and_its_alternative_compute_the_same") {
        let x = [0u32, 1, 0xdead_beef, u32::MAX];
        let (mut out, mut wide) = (device.zeros(4).unwrap(), device.zeros(4).unwrap());
        instructions(&device.to_device(&x).unwrap(), &mut out, &mut wide).launch(1, 32).unwrap();
        assert_eq!(out.to_host().unwrap(), [0, 1, 2, 3].map(|i| x[i] ^ i as u32 ^ 0xff));
        assert_eq!(wide.to_host().unwrap(), x.map(|x| u64::from(x) * 3_000_000_000));

        let x = [0.1f64, -2.5, 1e10];
        let mut out = device.zeros(3).unwrap();
        floats(&device.to_device(&x).unwrap(), &mut out).launch(1, 32).unwrap();
        assert_eq!(out.to_host().unwrap(), x.map(|x| x * 2.0 + f64::from(x as f32)));
    }
}

#[test]
fn ptx_reaches_the_compiler_as_it_was_written() {
    if !has_nvrtc("ptx_reaches_the_compiler_as_it_was_written") {
        return;
    }
    let text = instructions::handle().ptx("sm_90").unwrap();
    assert!(text.contains("lop3.b32") && text.contains("mul.wide.u32 %product"), "{text}");
    instructions::handle().cubin("sm_75").unwrap();
    let text = floats::handle().ptx("sm_90").unwrap();
    assert!(text.contains("membar.gl;") && text.contains("cvt.rn.f32.f64"), "{text}");
}

#[gpu_kernel]
fn broken(out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        // SAFETY: it does not compile.
        out[i] = unsafe { ptx!("no.such.instruction {};", out(u32), else { 0 }) };
    }
}

#[gpu_device(unsafe(cuda = r#"
    __device__ float misspelt(float x) {
        return sqrtt(x);
    }
"#))]
fn misspelt(x: f32) -> f32 {
    x.sqrt()
}

#[gpu_kernel]
fn calls_misspelt(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = misspelt(out[i]);
    }
}

#[test]
fn mistakes_in_foreign_text_are_reported_with_the_line_of_rust() {
    if !has_nvrtc("mistakes_in_foreign_text_are_reported_with_the_line_of_rust") {
        return;
    }
    let line = include_str!("escape_hatches.rs").lines().position(|line| line.contains("return sqrtt")).unwrap() + 1;
    let error = calls_misspelt::handle().cubin("sm_90").unwrap_err().to_string();
    assert!(error.contains(&format!("escape_hatches.rs:{line}: error")) && error.contains("sqrtt"), "{error}");
    let error = broken::handle().cubin("sm_90").unwrap_err().to_string();
    assert!(error.contains("`broken`") && error.contains("known instruction: 'no'"), "{error}");
}

#[gpu_kernel(fast_math = true)]
fn fast(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        out[i] = 1.0 / x[i] + x[i].exp() + x[i].sqrt() + x[i].sin();
    }
}

#[gpu_kernel]
fn exact(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        out[i] = 1.0 / x[i] + x[i].exp() + x[i].sqrt() + x[i].sin();
    }
}

#[test]
fn fast_math_is_near_and_other_kernels_stay_exact() {
    for device in devices("fast_math_is_near_and_other_kernels_stay_exact") {
        let x: Vec<f32> = (1..1000).map(|i| i as f32 / 100.0).collect();
        let (mut near, mut right) = (device.zeros(x.len()).unwrap(), device.zeros(x.len()).unwrap());
        let on_device = device.to_device(&x).unwrap();
        fast(&on_device, &mut near).launch(8, 128).unwrap();
        exact(&on_device, &mut right).launch(8, 128).unwrap();
        for (near, right) in near.to_host().unwrap().into_iter().zip(right.to_host().unwrap()) {
            assert!((near - right).abs() <= 1e-5 * right.abs(), "{near} {right}");
        }
    }
    if has_nvrtc("fast_math_is_near_and_other_kernels_stay_exact") {
        let (fast, exact) = (fast::handle().ptx("sm_90").unwrap(), exact::handle().ptx("sm_90").unwrap());
        for instruction in ["sqrt.approx.ftz.f32", "sin.approx.ftz.f32"] {
            assert!(fast.contains(instruction) && !exact.contains(instruction), "{instruction}: {fast}");
        }
    }
}

#[gpu_kernel]
fn rounds(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && x.len() > 0 {
        let mut sum = 0.0;
        #[unroll(1)]
        for k in 0..8 {
            sum += (k as f32) * x[0];
        }
        out[i] = sum;
    }
}

#[gpu_kernel]
fn no_rounds(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && x.len() > 0 {
        let mut sum = 0.0;
        #[unroll]
        for k in 0..8 {
            sum += (k as f32) * x[0];
        }
        out[i] = sum;
    }
}

#[test]
fn unrolling_decides_whether_there_is_a_loop() {
    if !has_nvrtc("unrolling_decides_whether_there_is_a_loop") {
        return;
    }
    // A jump backwards: to a label that stands above it.
    let has_loop = |ptx: String| {
        let labels: Vec<&str> = ptx.lines().filter_map(|line| line.strip_suffix(':')).collect();
        labels.iter().any(|label| {
            ptx.rfind(&format!("bra \t{label};")).or(ptx.rfind(&format!("bra.uni \t{label};"))) > ptx.find(&format!("{label}:"))
        })
    };
    assert!(has_loop(rounds::handle().ptx("sm_90").unwrap()));
    assert!(!has_loop(no_rounds::handle().ptx("sm_90").unwrap()));
}

#[gpu_kernel(launch_bounds = 64)]
fn narrow(out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = block_dim().x as u32;
    }
}

#[test]
fn a_block_beyond_the_launch_bounds_is_refused_everywhere() {
    for device in devices("a_block_beyond_the_launch_bounds_is_refused_everywhere") {
        let mut out = device.zeros(1000).unwrap();
        let error = narrow(&mut out).launch(1, 65).unwrap_err();
        assert!(matches!(error, gpu_runtime::Error::BlockExceedsLaunchBounds { kernel: "narrow", threads: 65, most: 64, .. }), "{error}");
        narrow(&mut out).forall(1000).unwrap();
        assert!(out.to_host().unwrap().iter().all(|&threads| (1..=64).contains(&threads)));
    }
}

#[test]
fn a_gpu_tells_what_a_kernel_needs_and_a_cpu_that_it_cannot() {
    for device in devices("a_gpu_tells_what_a_kernel_needs_and_a_cpu_that_it_cannot") {
        let attributes = narrow::handle().attributes(&device);
        if device.is_gpu() {
            let attributes = attributes.unwrap();
            assert!((1..=255).contains(&attributes.registers) && attributes.max_threads == 64, "{attributes:?}");
        } else {
            let error = attributes.unwrap_err().to_string();
            assert!(error.contains("`narrow`") && error.contains("CPU"), "{error}");
        }
    }
}

#[gpu_device]
fn depth(n: u64) -> u64 {
    if n == 0 { 0 } else { 1 + depth(n - 1) }
}

#[gpu_kernel]
fn deep(n: u64, out: &mut [u64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = depth(n);
    }
}

#[test]
fn a_larger_stack_takes_deeper_recursion() {
    for device in devices("a_larger_stack_takes_deeper_recursion") {
        let before = device.stack_size().unwrap();
        device.set_stack_size(64 << 10).unwrap();
        assert!(device.stack_size().unwrap().is_none_or(|bytes| bytes >= 64 << 10));
        let mut out = device.zeros(2).unwrap();
        deep(400, &mut out).launch(1, 2).unwrap();
        assert_eq!(out.to_host().unwrap(), [400, 400]);
        device.set_stack_size(before.unwrap_or(1024)).unwrap();
    }
}

const T: usize = 16;

#[gpu_kernel(block = (T, T))]
fn matmul_tiled(a: &[f32], b: &[f32], c: &mut [f32], m: usize, k: usize, n: usize) {
    let mut tile_a = shared::<[[f32; T]; T]>();
    let mut tile_b = shared::<[[f32; T]; T]>();
    let (column, row) = grid_2d();
    let (x, y) = (thread_idx().x, thread_idx().y);
    let mut sum = 0.0;
    for tile in 0..k.div_ceil(T) {
        let (from_a, from_b) = (tile * T + x, tile * T + y);
        tile_a[y][x] = if row < m && from_a < k { a[row * k + from_a] } else { 0.0 };
        tile_b[y][x] = if from_b < k && column < n { b[from_b * n + column] } else { 0.0 };
        sync_threads();
        #[unroll(1)]
        for p in 0..T {
            sum += tile_a[y][p] * tile_b[p][x];
        }
        sync_threads();
    }
    if row < m && column < n {
        c[row * n + column] = sum;
    }
}

#[test]
fn the_inner_loop_of_a_tiled_product_has_no_check() {
    let source = matmul_tiled::cuda_source();
    let inner = source.split("#pragma unroll (1)").nth(1).and_then(|rest| rest.split("__syncthreads").next()).unwrap();
    assert!(inner.contains("sum +=") && !inner.contains("gr_panic"), "{inner}");
    // The tiles are indexed by what the block bounds: no check of them is left anywhere, in the form with all checks.
    // Beside the definition, there are those of the three slices: rustc has seen that `T` is not 0.
    assert_eq!(source.matches("gr_panic(").count(), 1 + 3, "{source}");
    if !has_nvrtc("the_inner_loop_of_a_tiled_product_has_no_check") {
        return;
    }
    let ptx = matmul_tiled::handle().ptx("sm_90").unwrap();
    let fma = ptx.find("fma.rn.f32").unwrap();
    let start = ptx[..fma].rfind(":\n").unwrap();
    let end = fma + ptx[fma..].find("bra").unwrap();
    let inner = &ptx[start..end];
    assert_eq!(inner.matches("setp").count(), 1, "the loop's own comparison alone: {inner}");
    assert!(!inner.contains("call"), "{inner}");
}
