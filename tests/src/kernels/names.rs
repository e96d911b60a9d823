//! Names that mean something in C++ or CUDA, as variables, parameters, labels, kernels and device functions.

#![allow(non_camel_case_types, non_snake_case, reason = "the names are what is tested")]

use gpu_runtime::prelude::*;

use crate::bench::{Bench, view};
use crate::{cases, launch};

cases![
    variables_may_be_keywords_of_cpp,
    parameters_may_be_names_of_cuda,
    letters_outside_ascii_and_raw_identifiers_are_names,
    kernels_may_have_names_of_cuda,
    device_functions_may_have_names_of_cuda,
    names_that_look_alike_stay_apart,
    names_of_generated_types_are_free,
    modules_and_types_may_be_called_like_those_of_std,
    methods_of_traits_in_scope_hide_none_of_arrays_and_numbers,
];

/// Keywords, alternative tokens and typedefs.
#[gpu_kernel]
pub fn keywords(x: &[i32], out: &mut [i32]) {
    let int = grid_1d();
    if int < x.len() {
        let template = x[int];
        let (class, double) = (template + 1, template + 2);
        let mut float = class * double;
        'goto: for switch in 0..3 {
            for auto in 0..3 {
                if switch * auto == 2 {
                    continue 'goto;
                }
                float += auto;
            }
        }
        let (and, or, not, xor, bitand) = (1, 2, 3, 4, 5);
        let (unsigned, signed, char, short, long) = (and + or, not - xor, bitand, 7, 8);
        let new = {
            let delete = unsigned * signed;
            delete + char
        };
        let this = [short, long];
        let (nullptr, operator, namespace) = (this[0], this[1], 9i32);
        let typename: i64 = 10;
        let (NULL, NAN, EOF, assert, restrict) = (1, 2, 3, 4, 5);
        let (volatile, register, extern_, inline, asm) = (6, 7, 8, 9, 10);
        let (sizeof, typedef, union, void, using) = (11, 12, 13, 14, 15);
        let sum = NULL + NAN + EOF + assert + restrict + volatile + register + extern_ + inline + asm;
        let goto = sum + sizeof + typedef + union + void + using;
        out[int] = float + new + nullptr * operator + namespace + typename as i32 + goto;
    }
}

fn variables_may_be_keywords_of_cpp(bench: &Bench) {
    let x = vec![1, 5, -3];
    let mut out = vec![0; 3];
    launch!(bench, keywords(&x, &mut out), 1, 32);
    // Of the nine rounds, (1, 2) and (2, 1) leave theirs: 3 + 1 + 0 are added.
    let rest = 4 + (5 - 3) + 56 + 9 + 10 + 120;
    assert_eq!(out, x.iter().map(|x| (x + 1) * (x + 2) + rest).collect::<Vec<_>>());
}

/// CUDA's variables, functions and types, and the generated code's own names.
#[gpu_kernel]
pub fn of_cuda(threadIdx: &[f32], blockDim: f32, sinf: f32, gr_panic: u32, u32_: usize, out: &mut [f32], out_len: &mut [u32]) {
    let blockIdx = grid_1d();
    if blockIdx < threadIdx.len() {
        let warpSize = threadIdx[blockIdx];
        let float4 = warpSize.max(blockDim);
        let (min, max) = (float4.min(sinf), float4.max(sinf));
        let fmaxf = min * max;
        let __syncthreads = fmaxf.sin() * fmaxf.sin() + fmaxf.cos() * fmaxf.cos();
        let printf = if __syncthreads > 0.5 { 1.0 } else { 0.0 };
        let gridDim = [fmaxf; 2];
        let (usize_, gr_array, value, index) = (1.0, 2.0, 3.0, 4.0);
        let divisor = gr_panic / (blockIdx as u32 + 1);
        let threadIdx_len = divisor % 5 + u32_ as u32;
        let _unused = 5;
        let __leading = usize_ + gr_array;
        let a__b = value + index;
        let isfinite = (a__b + __leading).is_finite();
        out[blockIdx] = gridDim[1] + printf + __leading + a__b + if isfinite { 100.0 } else { 0.0 };
        out_len[blockIdx] = divisor * 10 + threadIdx_len;
    }
}

fn parameters_may_be_names_of_cuda(bench: &Bench) {
    let (mut out, mut counts) = (vec![0.0; 3], vec![0; 3]);
    launch!(bench, of_cuda(&vec![1.0, 2.0, 4.0], 1.5, 3.0, 17, 1000, &mut out, &mut counts), 1, 4);
    assert_eq!(out, [4.5 + 111.0, 6.0 + 111.0, 12.0 + 111.0]);
    assert_eq!(counts, [170 + 1002, 80 + 1003, 50 + 1000]);
}

/// Greek, umlauts, Chinese; `r#`.
#[gpu_kernel]
pub fn größe(λ: &[f64], r#type: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let Δx = λ[i] - r#type[i];
        let u3bb = 2.0;
        let 数 = Δx * u3bb;
        let r#match = 数 + 1.0;
        let λ = λ[i];
        let ζ = {
            let r#fn = r#match;
            r#fn * λ
        };
        'größe: loop {
            out[i] = ζ;
            break 'größe;
        }
    }
}

fn letters_outside_ascii_and_raw_identifiers_are_names(bench: &Bench) {
    let mut out = vec![0.0; 2];
    launch!(bench, größe(&vec![3.0, 5.0], &vec![1.0, 0.5], &mut out), 1, 2);
    assert_eq!(out, [15.0, 50.0]);
}

macro_rules! kernels_called {
    ($($name:ident)*) => {
        $(
            #[gpu_kernel]
            pub fn $name(out: &mut [u32]) {
                let i = grid_1d();
                if i < out.len() {
                    out[i] += i as u32 + 1;
                }
            }
        )*

        fn kernels_may_have_names_of_cuda(bench: &Bench) {
            $({
                let mut out = vec![1; 3];
                launch!(bench, $name(&mut out), 1, 4);
                assert_eq!(out, [2, 3, 4], stringify!($name));
            })*
        }
    };
}

kernels_called! {
    sincos abs template threadIdx float4 gr_target atomicAdd printf double normcdf rsqrtf fmaxf j0 __syncthreads dim3 std nan isnan namespace r#yield
    memcpy cudaMalloc make_float2 llmin signed _hidden kernel__name größer
}

/// Device functions, called like CUDA's.
pub mod called {
    use gpu_runtime::prelude::*;

    #[gpu_device]
    pub fn min(a: f32, b: f32) -> f32 {
        if a < b { a } else { b }
    }

    #[gpu_device]
    pub fn sincos(min: f32) -> (f32, f32) {
        (min + 1.0, min - 1.0)
    }

    #[gpu_device]
    pub fn sinf(sinf: f32) -> f32 {
        sinf * 2.0
    }

    #[gpu_device]
    pub fn atomicAdd(int: i32, float: f32) -> f32 {
        int as f32 + float
    }

    #[gpu_device]
    pub fn template(x: f32) -> f32 {
        self::r#const(x) + 0.25
    }

    #[gpu_device]
    pub fn r#const(x: f32) -> f32 {
        x * x
    }

    #[gpu_device]
    pub fn größte(a: f32, b: f32) -> f32 {
        -min(-a, -b)
    }

    #[gpu_device]
    pub fn gr_panic(x: f32) -> f32 {
        x + 10000.0
    }
}

/// Also a variable that is called like the function that gives it its value.
#[gpu_kernel]
pub fn calls(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        let min = called::min(x[i], 2.0);
        let (sin, cos) = called::sincos(min);
        let sinf = called::sinf(sin) + x[i].sin() * 0.0;
        let template = called::template(cos);
        let gr_panic = called::gr_panic(0.5);
        out[i] = sinf + template + called::atomicAdd(3, 0.5) + called::größte(min, 1.0) + gr_panic;
    }
}

fn device_functions_may_have_names_of_cuda(bench: &Bench) {
    let x = vec![0.0, 1.5, 3.0];
    let mut out = vec![0.0; 3];
    launch!(bench, calls(&x, &mut out), 1, 4);
    let expected: Vec<f32> = (x.iter())
        .map(|&x: &f32| {
            let m = x.min(2.0);
            2.0 * (m + 1.0) + (m - 1.0) * (m - 1.0) + 0.25 + 3.5 + m.max(1.0) + 10000.5
        })
        .collect();
    assert_eq!(out, expected);
}

/// Names that a careless renaming would unite, beside the generated names of lengths and temporaries.
#[gpu_kernel]
pub fn alike(x: &[u32], x_len: u32, out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let (x_2, x_len_2) = (x[i] + 1, x_len + 1);
        let x = x_2 * 10;
        let int = 1;
        let int_ = 2;
        let int__ = 4;
        let r#for = 8;
        let for_ = 16;
        let value = {
            let v = x;
            if v > 20 {
                out[i] = v;
                v
            } else {
                v + 1
            }
        };
        let value_2 = value + {
            out[i] += 1;
            out[i]
        };
        let condition = i < 5 && x_2 > 0 && out[i] > 0;
        let index = i + { 0 };
        let i_next = out[index];
        let u_ = 32;
        let __ = 64;
        let mut end = 0;
        for i in (0..=x_len).rev().step_by(2) {
            let i_more = i;
            end += i_more;
        }
        out[i] = value_2 + i_next + x_len_2 + int + int_ + int__ + r#for + for_ + u_ + __ + end * 1000 + condition as u32;
    }
}

fn names_that_look_alike_stay_apart(bench: &Bench) {
    let mut out = vec![0; 2];
    launch!(bench, alike(&vec![1, 5], 4, &mut out), 1, 2);
    let rest = 5 + 127 + 6000 + 1;
    // The first value is 21 and finds a 0 in `out`; the second is 60 and has written itself there.
    assert_eq!(out, [21 + 1 + 1 + rest, 60 + 61 + 61 + rest]);
}

/// A parameter with the name of the type that stands for a kernel.
#[gpu_kernel]
pub fn blur<Kernel: Num>(x: &[Kernel], out: &mut [Kernel]) {
    let i = grid_1d();
    if i > 0 && i < x.len() && i < out.len() {
        out[i] = x[i] + x[i - 1];
    }
}

/// A parameter with the name of the type that stands for an array function.
#[vectorize]
pub fn twice<Function: Num>(x: Function) -> Function {
    x + x
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Marker {
    at: i32,
}

#[gpu_device]
impl Marker {
    fn moved(self, by: i32) -> Marker {
        Marker { at: self.at + by }
    }
}

#[gpu_kernel]
pub fn moves(markers: &mut [Marker]) {
    let i = grid_1d();
    if i < markers.len() {
        markers[i] = markers[i].moved(twice::<i32>(10));
    }
}

fn names_of_generated_types_are_free(bench: &Bench) {
    let mut out = vec![0.0f32; 3];
    bench.launch::<blur::Kernel<f32>>((&vec![1.0, 2.0, 4.0], &mut out), 1, 4);
    assert_eq!(out, [0.0, 3.0, 6.0]);
    let mut markers = vec![Marker { at: 1 }, Marker { at: -7 }];
    launch!(bench, moves(&mut markers), 1, 4);
    assert_eq!(markers, [Marker { at: 21 }, Marker { at: 13 }]);
    assert_eq!(twice::map(&[1, 2, 3]).to_host().expect("arrays of the host are mapped"), [2, 4, 6]);
    assert!(blur::cuda_source::<f32>().contains("blur"));
}

mod mem {
    use gpu_runtime::prelude::*;

    #[gpu_device]
    pub(super) fn load(x: &[i32], i: usize) -> i32 {
        x[i]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Box {
    low: i32,
    high: i32,
}

#[gpu_device]
impl Box {
    fn around(x: i32, by: i32) -> Box {
        Box { low: x - by, high: x + by }
    }
}

#[gpu_kernel]
pub fn boxes(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let around = Box::around(mem::load(x, i), 2);
        out[i] = around.low * around.high;
    }
}

fn modules_and_types_may_be_called_like_those_of_std(bench: &Bench) {
    let mut out = vec![0; 2];
    launch!(bench, boxes(&vec![5, 1], &mut out), 1, 2);
    assert_eq!(out, [21, -3]);
}

/// A trait in scope for every type, whose methods take what rustc looks for first: the receiver by value. What they return would be wrong.
pub mod hiding {
    use gpu_runtime::prelude::*;

    #[expect(clippy::wrong_self_convention, reason = "rustc looks for methods by value first")]
    pub trait Hides: Sized {
        fn shape(self) -> [usize; 1] {
            [1000]
        }
        fn len(self) -> usize {
            1000
        }
        fn is_empty(self) -> bool {
            true
        }
        fn extents(self) -> [usize; 1] {
            [1]
        }
        fn dims(self) {}
        fn is_ok(self) -> bool {
            false
        }
    }
    impl<T> Hides for T {}

    #[expect(clippy::wrong_self_convention, reason = "as above")]
    pub trait HidesLowercase: Sized {
        fn to_ascii_lowercase(self) -> u8 {
            b'?'
        }
        fn is_ascii_digit(self) -> bool {
            true
        }
    }
    impl HidesLowercase for u8 {}

    /// What lies behind the view is not read, and each block has elements of its own.
    #[gpu_kernel]
    pub fn read(v: View<u32, 1>, row: &mut [u32], out: &mut [u32]) {
        let i = block_idx().x * row.len() + thread_idx().x;
        let mut last = [7, 9];
        // The loop asks for the length of the array. A call of `len` is that of the trait, and does not compile.
        for number in &mut last {
            *number += 2;
        }
        if i < out.len() && i < v.shape()[0] {
            out[i] = v[[i]] + last[1] + row.is_empty() as u32;
        }
    }

    #[gpu_kernel]
    pub fn letters(text: &[u8], out: &mut [u8]) {
        let i = grid_1d();
        if i < text.len() && i < out.len() {
            out[i] = if text[i].is_ascii_digit() { b'#' } else { text[i].to_ascii_lowercase() };
        }
    }

    /// As long as the view, says the launch.
    #[gpu_kernel(block = 32)]
    pub fn through_shared_memory(v: View<u32, 1>, out: &mut [u32]) {
        let mut tile = dynamic_shared::<u32>(v.shape()[0]);
        let t = thread_idx().x;
        for j in (t..v.shape()[0]).step_by(32) {
            tile[j] = v[[j]];
        }
        sync_threads();
        if t < v.shape()[0] && t < out.len() {
            out[t] = tile[v.shape()[0] - 1 - t] + tile.len() as u32;
        }
    }
}

fn methods_of_traits_in_scope_hide_none_of_arrays_and_numbers(bench: &Bench) {
    let v: Vec<u32> = (0..10).collect();
    let (mut row, mut out) = (vec![0; 4], vec![0; 16]);
    launch!(bench, hiding::read(view(&v, [10]), &mut row, &mut out), 4, 4);
    let expected: Vec<u32> = (0..16).map(|i| if i < 10 { i + 11 } else { 0 }).collect();
    assert_eq!(out, expected);

    let mut letters = vec![0; 5];
    launch!(bench, hiding::letters(&b"aB7?Z".to_vec(), &mut letters), 1, 5);
    assert_eq!(letters, b"ab#?z");

    let mut out = vec![0; 10];
    launch!(bench, hiding::through_shared_memory(view(&v, [10]), &mut out), 1, 32);
    assert_eq!(out, [19, 18, 17, 16, 15, 14, 13, 12, 11, 10]);
}
