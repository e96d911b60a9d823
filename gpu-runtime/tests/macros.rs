//! The attributes on real kernels, run on the CPU: every rule of the generated Rust, in every build profile.
#![deny(warnings)]

#[path = "macros/float_literals.rs"]
mod float_literals;
#[path = "macros/foreign_code.rs"]
mod foreign_code;
#[path = "macros/functions_in_tiles.rs"]
mod functions_in_tiles;
#[path = "macros/inclusive_ranges.rs"]
mod inclusive_ranges;

use gpu_runtime::prelude::*;

/// Runs a kernel over `out` in one block of as many threads, and gives what it wrote.
macro_rules! run {
    ($kernel:ident($($arg:expr),*), [$initial:expr; $n:expr]) => {{
        let device = Device::cpu();
        let mut out = device.to_device(&[$initial; $n])?;
        // SAFETY: every kernel in this file writes only the element of its own thread.
        unsafe { $kernel($($arg,)* &mut out).launch_unchecked(1, $n)? };
        out.to_host()?
    }};
}

/// The error of a kernel that fails in its only thread.
macro_rules! failure {
    ($kernel:ident($($arg:expr),*)) => {{
        let device = Device::cpu();
        let mut out = device.zeros::<i32>(1)?;
        $kernel($($arg,)* &mut out).launch(1, 1)?;
        device.synchronize().expect_err("the kernel fails").to_string()
    }};
}

mod arithmetic {
    use super::*;

    const STEP: i32 = 7;

    #[gpu_kernel]
    fn overflowing(a: i32, b: u8, by: i64, out: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() {
            let mut sum = a + 1;
            sum += STEP;
            let smallest = -128i8;
            let wrapped = -smallest;
            let product = b * 2 - 255;
            let narrow = b << by;
            let mut shifted = 1u64;
            shifted <<= by + 56;
            let power = 3i32.pow(40);
            let absolute = i32::MIN.abs();
            let values = [sum, wrapped as i32, product as i32, narrow as i32, shifted as i32, power, absolute, !a];
            out[i] = values[i];
        }
    }

    #[test]
    fn integers_wrap_and_shift_amounts_are_masked_in_debug_builds() -> gpu_runtime::Result<()> {
        let expected =
            [i32::MIN + 7, -128, 200u8.wrapping_mul(2).wrapping_sub(255) as i32, 144, 2, 3i32.wrapping_pow(40), i32::MIN, i32::MIN];
        assert_eq!(run!(overflowing(i32::MAX, 200, 9), [0; 8]), expected);
        Ok(())
    }

    #[gpu_kernel]
    fn inferred(k: f32, out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let third = 1.0 / 3.0;
            let (sine, mut cosine) = (k * third).sin_cos();
            cosine *= 2.;
            let bits = (sine + cosine).to_bits();
            out[i] = f32::from_bits(bits).max(0.5).clamp(-1.0, 1.5).powi(2);
        }
    }

    #[test]
    fn literals_take_the_type_of_their_context() -> gpu_runtime::Result<()> {
        let (sine, cosine) = (4.0f32 * (1.0 / 3.0)).sin_cos();
        assert_eq!(run!(inferred(4.0), [0.0f32; 1]), [(sine + cosine * 2.0).max(0.5).clamp(-1.0, 1.5).powi(2)]);
        Ok(())
    }

    #[gpu_kernel]
    fn divided(a: i32, b: i32, out: &mut [i32]) {
        out[grid_1d()] = (a / b).max(a % b) + a.rem_euclid(b).min(a.div_euclid(b)) + u64::from(7u32).div_ceil(2) as i32;
    }

    #[test]
    fn division_follows_rust_and_fails_like_it() -> gpu_runtime::Result<()> {
        assert_eq!(run!(divided(-7, 2), [0; 1]), [-1 - 4 + 4]);
        let by_zero = failure!(divided(1, 0));
        assert!(by_zero.contains("divided") && by_zero.contains("zero"), "{by_zero}");
        let overflow = failure!(divided(i32::MIN, -1));
        assert!(overflow.contains("divided") && overflow.contains("overflow"), "{overflow}");
        Ok(())
    }

    #[gpu_kernel]
    fn evaluated_in_order(out: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() {
            let mut x = 1;
            // Rust reads the left operand before it runs the block, and `+=` runs the block first.
            let sum = x + {
                x = 10;
                x
            };
            x += {
                x = 100;
                1
            };
            out[i] = sum * 1000 + x;
        }
    }

    #[test]
    fn operands_are_evaluated_like_in_rust() -> gpu_runtime::Result<()> {
        assert_eq!(run!(evaluated_in_order(), [0; 1]), [11_101]);
        Ok(())
    }
}

mod control_flow {
    use super::*;

    #[gpu_kernel]
    fn labelled(n: u32, out: &mut [u32]) {
        let i = grid_1d();
        if i >= out.len() {
            return;
        }
        let mut count = 0;
        'rows: for row in (0..n).rev().step_by(2) {
            for column in 0..=row {
                if column == 3 {
                    continue 'rows;
                }
                if row == 0 {
                    break 'rows;
                }
                count += 1;
            }
        }
        let first_square = 'search: {
            let mut k = 1;
            while k < 100 {
                if k * k > count {
                    break 'search k;
                }
                k += 1;
            }
            0
        };
        let mut doubled = 1;
        let power = loop {
            doubled *= 2;
            if doubled > count {
                break doubled;
            }
        };
        out[i] = count * 10_000 + first_square * 100 + power;
    }

    #[test]
    fn labelled_breaks_continues_and_their_values_work() -> gpu_runtime::Result<()> {
        // Rows 6, 4 and 2 count 3 columns each, row 0 ends the loop.
        assert_eq!(run!(labelled(7), [0u32; 1]), [9 * 10_000 + 4 * 100 + 16]);
        Ok(())
    }

    #[gpu_kernel]
    fn shadowed(x: i32, out: &mut [i32]) {
        let i = grid_1d();
        let x = x + 1;
        let value = {
            let x = x as f64 * 0.5;
            let i = x as i32;
            i + 1
        };
        let __value = value;
        let x = if x > 0 { x + __value } else { 0 };
        if i < out.len() {
            out[i] += x + __value;
        }
    }

    #[test]
    fn shadowing_follows_rust_and_generated_names_do_not_clash() -> gpu_runtime::Result<()> {
        assert_eq!(run!(shadowed(9), [100; 1]), [100 + 16 + 6]);
        Ok(())
    }

    #[gpu_kernel]
    fn strided(step: usize, out: &mut [i32]) {
        let mut sum = 0;
        for k in (0..10).step_by(step) {
            sum += k;
        }
        for i in grid_stride(out.len()) {
            out[i] = sum;
        }
    }

    #[test]
    fn a_step_of_zero_is_reported_where_it_stands() -> gpu_runtime::Result<()> {
        assert_eq!(run!(strided(3), [0; 2]), [18, 18]);
        let error = failure!(strided(0));
        assert!(error.contains("strided") && error.contains("step"), "{error}");
        Ok(())
    }

    #[gpu_kernel]
    fn asserting(x: i32, out: &mut [i32]) {
        assert!(x > 0, "x is positive");
        debug_assert!(x != 1);
        if x > 100 {
            panic!("x is too large");
        }
        out[grid_1d()] = x;
    }

    #[test]
    fn assertions_and_panics_end_the_launch_with_their_message() -> gpu_runtime::Result<()> {
        assert_eq!(run!(asserting(5), [0; 1]), [5]);
        assert!(failure!(asserting(0)).contains("x is positive"));
        assert!(failure!(asserting(101)).contains("x is too large"));
        if cfg!(debug_assertions) {
            let error = failure!(asserting(1));
            assert!(error.contains("x != 1"), "{error}");
        }
        Ok(())
    }
}

mod places {
    use super::*;

    #[gpu_kernel]
    fn nested(x: &[i32], out: &mut [i32]) {
        const N: usize = 3;
        let i = grid_1d();
        if i < out.len() {
            let mut grid = [[0i32; N]; 2];
            grid[1][x[i] as usize] = 2;
            grid[0][grid[1][x[i] as usize] as usize] += 40 + x[x[i] as usize];
            let mut pair = (grid[0][2], 5);
            (pair.1, pair.0) = (pair.0, pair.1);
            _ = pair;
            out[i] = pair.0 * 100 + pair.1 + N as i32;
        }
    }

    #[test]
    fn indices_may_read_what_is_indexed() -> gpu_runtime::Result<()> {
        let x = Device::cpu().to_device(&[2, 0, 7])?;
        // `x` is read at 0, which is 2, and there: 7.
        assert_eq!(run!(nested(&x), [0; 1]), [5 * 100 + 47 + 3]);
        Ok(())
    }

    #[gpu_kernel]
    fn out_of_bounds(x: &[i32], out: &mut [i32]) {
        let i = grid_1d();
        out[i] = x[i + 5];
    }

    #[test]
    fn a_bad_index_is_reported_at_its_line_and_column() -> gpu_runtime::Result<()> {
        let x = Device::cpu().to_device(&[1, 2])?;
        let error = failure!(out_of_bounds(&x));
        let (line, column) = position("x[i + 5]");
        for part in ["out_of_bounds", "macros.rs", &format!("{line}:{column}"), "index 5", "length 2"] {
            assert!(error.contains(part), "{part} is not in: {error}");
        }
        Ok(())
    }

    /// Line and column, from 1, of the first `code` in this file.
    fn position(code: &str) -> (usize, usize) {
        let lines = include_str!("macros.rs").lines().enumerate();
        lines.filter_map(|(line, text)| Some((line + 1, text.find(code)? + 1))).next().expect("the code is in this file")
    }

    #[gpu_kernel(block = (TILE))]
    fn reversed_in_tiles(x: &[i32], out: &mut [i32]) {
        let mut tile = shared::<[i32; TILE]>();
        let (t, i) = (thread_idx().x, grid_1d());
        tile[t] = if i < x.len() { x[i] } else { 0 };
        sync_threads();
        let mut reversed = tile[TILE - 1 - t];
        reversed += 1;
        if i >= out.len() {
            return;
        }
        out[i] = reversed;
    }
    const TILE: usize = 4;

    #[test]
    fn shared_memory_is_exchanged_at_a_barrier() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.to_device(&[1, 2, 3, 4, 5, 6])?;
        let mut out = device.zeros::<i32>(6)?;
        reversed_in_tiles(&x, &mut out).launch(2, 4)?;
        assert_eq!(out.to_host()?, [5, 4, 3, 2, 1, 1]);
        Ok(())
    }
}

mod device_functions {
    use super::*;

    const SCALE: f64 = 0.5;

    mod library {
        use gpu_runtime::prelude::*;

        /// The mean of a slice.
        #[gpu_device]
        pub(crate) fn mean(x: &[f64]) -> f64 {
            let mut sum = 0.0;
            for i in 0..x.len() {
                sum += x[i];
            }
            if x.is_empty() {
                return 0.0;
            }
            sum / x.len() as f64
        }

        #[gpu_device]
        pub(crate) fn scale(x: &mut [f64], mut by: f64) {
            by *= 2.0;
            for i in 0..x.len() {
                x[i] *= by;
            }
        }
    }

    #[gpu_device]
    fn factorial(n: u32) -> u32 {
        if n == 0 { 1 } else { n * factorial(n - 1) }
    }

    #[gpu_device]
    fn halves(x: f64) -> (f64, f64) {
        (x * SCALE, x - x * SCALE)
    }

    #[gpu_kernel]
    fn calling(x: &[f64], out: &mut [f64]) {
        let i = grid_1d();
        if i < out.len() {
            let mut values = [[1.0, 2.0], [3.0, 5.0]];
            library::scale(&mut values[1], 0.25);
            let (a, b) = halves(library::mean(&values[1]) + library::mean(x));
            out[i] = a + b * factorial(4) as f64 * SCALE;
        }
    }

    #[test]
    fn device_functions_take_slices_and_rows_of_arrays() -> gpu_runtime::Result<()> {
        let x = Device::cpu().to_device(&[1.0, 3.0])?;
        assert_eq!(run!(calling(&x), [0.0; 1]), [2.0 + 2.0 * 24.0 * 0.5]);
        Ok(())
    }

    #[gpu_kernel]
    fn handing_on(out: &mut [f64]) {
        if grid_1d() == 0 {
            library::scale(out, 1.0);
            out[0] += library::mean(out);
        }
    }

    #[test]
    fn a_mutable_slice_can_be_handed_on_and_used_again() -> gpu_runtime::Result<()> {
        assert_eq!(run!(handing_on(), [2.0; 2]), [8.0, 4.0]);
        Ok(())
    }

    #[test]
    fn device_functions_are_ordinary_functions_on_the_host() {
        let mut x = [1.0, 2.0, 6.0];
        assert_eq!(library::mean(&x), 3.0);
        library::scale(&mut x, 1.0);
        assert_eq!(x, [2.0, 4.0, 12.0]);
        assert_eq!((factorial(5), halves(3.0)), (120, (1.5, 1.5)));
    }

    #[gpu_device]
    fn first(x: &[f64]) -> f64 {
        x[0]
    }

    #[test]
    #[should_panic(expected = "index 0")]
    fn a_failed_check_on_the_host_is_a_panic() {
        first(&[]);
    }
}

mod items {
    #![deny(missing_docs)]
    use gpu_runtime::prelude::*;

    mod without_prelude {
        #![no_implicit_prelude]
        use ::gpu_runtime::prelude::{gpu_device, gpu_kernel, grid_1d};

        #[gpu_device]
        pub(super) fn largest(x: &[i32], limit: i32) -> i32 {
            let mut best = x[0];
            for i in (1..x.len()).rev() {
                best = best.max(x[i]).min(limit).clamp(-5, limit);
            }
            best
        }

        #[gpu_kernel]
        pub(super) fn bare(x: &[i32], out: &mut [i32]) {
            let i = grid_1d();
            if i < out.len() {
                assert!(x[i] != 1);
                out[i] = largest(x, 100) / 3;
            }
        }
    }

    #[test]
    fn expansions_need_no_prelude() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.to_device(&[3, 30])?;
        assert_eq!(run!(bare_alias(&x), [0; 2]), [10, 10]);
        Ok(())
    }
    use without_prelude::bare as bare_alias;

    #[gpu_kernel]
    pub(crate) fn r#type(r#fn: i32, out: &mut [i32]) {
        let r#loop = r#fn + 1;
        out[grid_1d()] = r#loop;
    }

    #[test]
    fn keywords_can_be_names() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<i32>(1)?;
        r#type(4, &mut out).launch(1, 1)?;
        assert_eq!(out.to_host()?, [5]);
        assert!(r#type::cuda_source().contains("type"));
        Ok(())
    }

    #[test]
    fn kernels_can_live_inside_functions() -> gpu_runtime::Result<()> {
        const OFFSET: i32 = 3;
        #[gpu_device]
        fn offset(x: i32) -> i32 {
            x + OFFSET
        }
        #[gpu_kernel]
        fn local(out: &mut [i32]) {
            let i = grid_1d();
            out[i] = offset(out[i]);
        }
        assert_eq!(run!(local(), [1; 2]), [4, 4]);
        Ok(())
    }

    /// A kernel that one configuration has, with attributes of every kind.
    #[cfg(not(any()))]
    #[gpu_kernel]
    #[allow(non_snake_case)]
    #[expect(unused_variables)]
    #[doc(alias = "present")]
    pub(crate) fn Configured(unused: u32, SIZE: usize, out: &mut [usize]) {
        out[grid_1d()] = SIZE;
    }

    #[cfg(any())]
    #[gpu_kernel]
    pub(crate) fn Configured(this_does: NotExist) {}

    #[test]
    fn attributes_apply_to_everything_that_is_generated() -> gpu_runtime::Result<()> {
        assert_eq!(run!(Configured(1, 9), [0usize; 1]), [9]);
        Ok(())
    }

    macro_rules! kernel_from_macro {
        ($name:ident, $type:ty, $constant:expr) => {
            #[gpu_kernel(crate = ::gpu_runtime)]
            fn $name(k: $type, out: &mut [$type]) {
                let __index0 = grid_1d();
                if __index0 < out.len() {
                    out[__index0] += k * $constant;
                }
            }
        };
    }
    kernel_from_macro!(by_i64, i64, 3);
    kernel_from_macro!(by_f64, f64, 0.5);

    #[test]
    fn kernels_can_come_from_macros() -> gpu_runtime::Result<()> {
        assert_eq!(run!(by_i64(2), [1i64; 2]), [7, 7]);
        assert_eq!(run!(by_f64(2.0), [1.0; 1]), [2.0]);
        Ok(())
    }
}

mod names_that_mislead {
    use gpu_runtime::prelude::*;

    #[gpu_kernel]
    fn raw(out: &mut [u32]) {
        let r#i = grid_1d();
        let offset = 0usize;
        if i < out.len() {
            out[r#i + offset] += 1;
        }
    }

    macro_rules! kernel_of_a_macro {
        ($name:ident, $i:ident) => {
            #[gpu_kernel]
            fn $name(out: &mut [u32]) {
                let $i = grid_1d();
                if $i < out.len() {
                    out[$i] += 1;
                }
            }
        };
    }

    kernel_of_a_macro!(from_a_macro, i);

    #[test]
    fn proofs_and_twins_mean_the_same_variable() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<u32>(100)?;
        raw(&mut out).launch(1, 128)?;
        from_a_macro(&mut out).launch(1, 128)?;
        assert_eq!(out.to_host()?, [2; 100]);
        Ok(())
    }
}

/// Hidden functions can be written by hand. What they get is theirs for the call, and no more.
mod a_hand_written_twin {
    use super::*;
    use gpu_runtime::__private::{SliceMut, Stop, Thread};
    use gpu_runtime::calls::AssociatedFunction;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Pair(f32);

    #[gpu_device]
    impl Pair {
        fn look(self, _a: &mut [f32], _b: &mut [f32]) {}
    }

    /// What a function may get for a `&mut [T]`.
    trait Handle {
        /// Exchanges the handles, as far as they are the caller's.
        fn exchange(self, other: Self);
    }

    impl Handle for &mut SliceMut<'_, f32> {
        fn exchange(self, other: Self) {
            std::mem::swap(self, other);
        }
    }

    impl Handle for SliceMut<'_, f32> {
        fn exchange(mut self, mut other: Self) {
            (self[0], other[0]) = (1.0, 2.0);
            std::mem::swap(&mut self, &mut other);
        }
    }

    impl Pair {
        fn gpu_device_exchange<H: Handle>(self, a: H, b: H, _: &Thread<'_>) -> Result<(), Stop> {
            a.exchange(b);
            Ok(())
        }

        fn gpu_code_exchange(self, a: &mut [f32], b: &mut [f32]) -> impl AssociatedFunction<Output = ()> {
            self.gpu_code_look(a, b)
        }
    }

    #[gpu_kernel]
    fn exchange(pair: Pair, a: &mut [f32], b: &mut [f32], lengths: &mut [usize]) {
        if grid_1d() == 0 {
            pair.exchange(a, b);
            if lengths.len() >= 2 {
                lengths[0] = a.len();
                lengths[1] = b.len();
            }
        }
    }

    #[test]
    fn cannot_exchange_the_arrays_of_its_caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let (mut a, mut b, mut lengths) = (device.zeros(1)?, device.zeros(5)?, device.zeros(2)?);
        // SAFETY: one thread uses the arrays.
        unsafe { exchange(Pair(0.0), &mut a, &mut b, &mut lengths).launch_unchecked(1, 1)? };
        assert_eq!(lengths.to_host()?, [1, 5]);
        assert_eq!((a.to_host()?[0], b.to_host()?[0]), (1.0, 2.0));
        Ok(())
    }
}

#[test]
fn options_come_from_macros_of_the_program() -> gpu_runtime::Result<()> {
    macro_rules! doubling {
        ($name:ident, $block:expr, $registers:expr, $fused:expr) => {
            #[gpu_kernel(block = $block, max_registers = $registers, fmad = $fused)]
            fn $name(x: &mut [f32]) {
                let i = grid_1d();
                if i < x.len() {
                    x[i] *= 2.0;
                }
            }
        };
    }
    doubling!(in_a_row, 64, 32, false);
    let mut x = Device::cpu().to_device(&[1.0, 2.0])?;
    in_a_row(&mut x).launch(1, 64)?;
    assert!(in_a_row(&mut x).launch(1, 32).is_err());
    assert_eq!(x.to_host()?, [2.0, 4.0]);
    Ok(())
}

mod names_of_functions {
    use super::*;

    mod other {
        use super::*;

        #[gpu_device]
        pub(super) fn f(x: i32) -> i32 {
            x + 1
        }
    }

    #[allow(non_snake_case)]
    #[gpu_device]
    fn other__f(x: i32) -> i32 {
        x * 10
    }

    #[gpu_kernel]
    fn both(x: i32, out: &mut [i32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = other::f(x) * 1000 + other__f(x);
        }
    }

    #[test]
    fn a_function_of_a_module_is_not_one_whose_name_reads_the_same() -> gpu_runtime::Result<()> {
        assert_eq!(run!(both(5), [0; 1]), [6050]);
        Ok(())
    }
}
