//! Thread coarsening: a second variant of a kernel, in which a thread computes several elements.
//!
//! A thread that adds two numbers spends its time waiting for them. A thread that adds four pairs waits once, if all of its loads are in
//! flight before it needs the first. So `forall` may run a kernel that only uses `grid_1d()` as
//!
//! ```c
//! static __device__ __forceinline__ void gr_element(…, usize gr_index) { the body, with gr_index for grid_1d() }
//! extern "C" __global__ void kernel(…) {
//!   gr_wait_for_previous();
//!   const usize gr_first = (usize)blockIdx.x * (4u * 256u) + threadIdx.x;
//!   #pragma unroll
//!   for (u32 gr_k = 0; gr_k < 4u; gr_k++) gr_element(…, gr_first + gr_k * 256u);
//! }
//! ```
//!
//! The elements of a thread are a block apart, so that neighbours in a warp stay neighbours in memory. The block is a constant: so the
//! compiler sees that no two of the elements are the same, and moves a load of `y[i]` before the stores of earlier elements.

use super::Emitter;
use super::text::{CText, c, join};
use crate::emit::Piece;
use crate::emit::array::Array;
use crate::model::*;

/// The function for one element, and its parameter. No name of a user's begins like this.
const ELEMENT: &str = "gr_element";
const INDEX: &str = "gr_index";

/// The header of the function for one element, after the parameters of the kernel.
pub(super) fn header(params: &[CText]) -> CText {
    let index = c!["usize ", INDEX];
    c!["static __device__ __forceinline__ void ", ELEMENT, "(", join(params.iter().chain([&index]), ", "), ")"]
}

/// `one` in the variant for one element and `several` in the other.
pub(super) fn alternatives(one: CText, several: CText) -> CText {
    CText::hole(Piece::Elements { one: one.into_pieces(), several: several.into_pieces() })
}

impl Emitter<'_> {
    /// The thread's number in a one-dimensional launch.
    pub(super) fn grid_1d(&self) -> CText {
        let coordinate = self.grid_coordinate(Axis::X);
        if self.analysis.several_elements { alternatives(coordinate, INDEX.into()) } else { coordinate }
    }

    /// The code after the body of a kernel with both variants: the kernel around the function for one element.
    pub(super) fn write_footer(&mut self) -> CText {
        if !self.analysis.several_elements || self.options().is_none() {
            return CText::default();
        }
        let [elements, block, name, start] = [Piece::ElementsPerThread, Piece::ForallBlock, Piece::OwnName, Piece::Start].map(CText::hole);
        let params: Vec<CText> = self.function.params.iter().map(|param| self.write_param(param.local)).collect();
        let first = c!["gr_first + gr_k * ", block];
        let arguments = self.function.params.iter().map(|param| self.handed_on(param.local)).chain([first]);
        let kernel = c![
            "\nextern \"C\" __global__ void __launch_bounds__(",
            block,
            ") ",
            name,
            "(",
            join(params, ", "),
            ") {\n",
            start,
            "  const usize gr_first = (usize)blockIdx.x * (",
            elements,
            " * ",
            block,
            ") + threadIdx.x;\n",
            "  #pragma unroll\n",
            "  for (u32 gr_k = 0; gr_k < ",
            elements,
            "; gr_k++) ",
            ELEMENT,
            "(",
            join(arguments, ", "),
            ");\n",
            "}\n",
        ];
        alternatives(CText::default(), kernel)
    }

    /// A parameter as it is handed on to another function of the same parameters.
    pub(super) fn handed_on(&self, local: LocalId) -> CText {
        match Array::of(&self.function.local(local).ty) {
            Some(_) => c![self.name(local), ", ", self.lengths[local.0]],
            None => self.name(local).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::write_cuda_function;
    use super::*;
    use crate::check::check_function;
    use crate::emit::Source;
    use crate::errors::Errors;
    use crate::infer::infer_function;
    use crate::lower::{lower_function, parse_kernel_options};
    use expect_test::expect;
    use proc_macro2::TokenStream;
    use quote::quote;

    fn function(kind: FunctionKind, source: &str) -> Function {
        let item: syn::ItemFn = syn::parse_str(source).unwrap_or_else(|error| panic!("{error}: {source}"));
        let errors = Errors::new();
        let function =
            infer_function(lower_function(Item::free(&item, kind, RuntimePath::default()), &errors).expect("a function"), &errors);
        errors.check().unwrap_or_else(|error| panic!("{error}: {source}"));
        function
    }

    fn write(function: &Function) -> Source {
        let errors = Errors::new();
        let analysis = check_function(function, 0, &errors).expect("the test's function is accepted");
        errors.check().expect("the test's function is accepted");
        write_cuda_function(function, &analysis)
    }

    fn options(arguments: TokenStream) -> FunctionKind {
        let errors = Errors::new();
        let (options, ..) = parse_kernel_options(arguments, &errors);
        errors.check().expect("the arguments are sound");
        FunctionKind::Kernel(options)
    }

    fn kernel(arguments: TokenStream, body: &str) -> Function {
        function(options(arguments), &format!("fn k(x: &[f32], n: u32, out: &mut [f32]) {{ {body} }}"))
    }

    fn text(pieces: &[Piece], several: bool) -> String {
        let write = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::OwnName => "k".into(),
            Piece::Start => "  START\n".into(),
            Piece::ForallBlock => "FORALL_BLOCK".into(),
            Piece::ElementsPerThread => "ELEMENTS_PER_THREAD".into(),
            Piece::Elements { one, several: other } => text(if several { other } else { one }, several),
            Piece::Site(_)
            | Piece::Checked(..)
            | Piece::Shown(..)
            | Piece::Proved(_)
            | Piece::If(..)
            | Piece::Cooperative(_)
            | Piece::Constant(_)
            | Piece::TableType(_)
            | Piece::Table(_)
            | Piece::Variant(..)
            | Piece::VariantTest(..)
            | Piece::Value(_)
            | Piece::Tuple(_)
            | Piece::Function { .. }
            | Piece::NarrowFunction { .. }
            | Piece::NarrowIf(_)
            | Piece::Operator(..)
            | Piece::Overloaded { .. }
            | Piece::OperandType(..)
            | Piece::TypeOf(_)
            | Piece::ElementsOf(_)
            | Piece::Associated { .. }
            | Piece::Type(_)
            | Piece::Line(_)
            | Piece::Foreign(_)
            | Piece::Linked(_)
            | Piece::Width { .. } => String::new(),
        };
        pieces.iter().map(write).collect()
    }

    #[test]
    fn a_kernel_has_both_variants() {
        let guarded = "let i = grid_1d(); if i >= out.len() { return; } out[i] = x[grid_1d()] * n as f32;";
        let Source { body, several_elements, .. } = write(&kernel(quote!(), guarded));
        assert!(several_elements);
        expect![[r#"
            extern "C" __global__ void k(const f32* __restrict__ x, usize x_len, u32 n, f32* __restrict__ out, usize out_len) {
              START
              const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
              if (i >= out_len) {
                return;
              }
              const usize index = (usize)blockIdx.x * blockDim.x + threadIdx.x;
              out[i] = x[index] * (f32)n;
            }
        "#]]
        .assert_eq(&text(&body, false));
        expect![[r#"
            static __device__ __forceinline__ void gr_element(const f32* __restrict__ x, usize x_len, u32 n, f32* __restrict__ out, usize out_len, usize gr_index) {
              const usize i = gr_index;
              if (i >= out_len) {
                return;
              }
              const usize index = gr_index;
              out[i] = x[index] * (f32)n;
            }

            extern "C" __global__ void __launch_bounds__(FORALL_BLOCK) k(const f32* __restrict__ x, usize x_len, u32 n, f32* __restrict__ out, usize out_len) {
              START
              const usize gr_first = (usize)blockIdx.x * (ELEMENTS_PER_THREAD * FORALL_BLOCK) + threadIdx.x;
              #pragma unroll
              for (u32 gr_k = 0; gr_k < ELEMENTS_PER_THREAD; gr_k++) gr_element(x, x_len, n, out, out_len, gr_first + gr_k * FORALL_BLOCK);
            }
        "#]]
        .assert_eq(&text(&body, true));
    }

    #[test]
    fn a_kernel_without_parameters_has_both_variants() {
        let Source { body, .. } = write(&function(options(quote!()), "fn k() { let _i = grid_1d(); }"));
        let text = text(&body, true);
        assert!(text.contains("void gr_element(usize gr_index) {") && text.contains(" gr_element(gr_first + "), "{text}");
    }

    #[test]
    fn a_device_function_must_not_know_its_thread_at_all() {
        for (suits, source) in [
            (true, "fn f(x: f32) -> f32 { g(x) * 2.0 }"),
            (true, "fn f<T: Float>(x: T) -> T { g(x) * T::from_f64(2.0) }"),
            (false, "fn f(x: f32) -> f32 { x * grid_1d() as f32 }"),
            (false, "fn f<T: Float>(x: T) -> T { x * T::from_f64(grid_1d() as f64) }"),
            (false, "fn f(x: f32) -> f32 { if x > 0.0 { x } else { thread_idx().x as f32 } }"),
            (false, "fn f(x: &[f32]) -> f32 { let mut s = 0.0; for i in grid_stride(x.len()) { s += x[i]; } s }"),
        ] {
            let Source { body, several_elements, .. } = write(&function(FunctionKind::Device, source));
            assert_eq!(several_elements, suits, "{source}");
            assert!(body.iter().all(|piece| !matches!(piece, Piece::Elements { .. })), "it has one variant: {source}");
        }
    }
}
