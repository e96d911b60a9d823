//! Updates for which CUDA has atomic operations, and functions that are associative.

use std::any::TypeId;

use crate::functions;

/// An atomic operation of CUDA that is an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Native {
    operation: Operation,
    /// The type that it takes in place of the elements'.
    word: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    /// `atomicAdd` and others, by the name without `atomic`.
    Of(&'static str),
    /// The addition of the negative.
    Subtract,
    /// The smaller or larger float, without a loop.
    Extreme { is_max: bool, keeps_nan: bool },
}

impl Native {
    /// That of the function `F`.
    pub(super) fn of<F: 'static>() -> Option<Self> {
        let mut known = None;
        macro_rules! know {
            ($($operation:expr, $function:ident: $($T:ident as $word:literal),*;)*) => {
                $($(
                    if TypeId::of::<F>() == TypeId::of::<functions::$function::Function<$T>>() {
                        known = Some(Self { operation: $operation, word: $word });
                    }
                )*)*
            };
        }
        use Operation::{Extreme, Of, Subtract};
        know! {
            Of("Add"), add: f32 as "f32", f64 as "f64", i32 as "u32", u32 as "u32", i64 as "u64", u64 as "u64", isize as "u64", usize as "u64";
            Subtract, sub: f32 as "f32", f64 as "f64", i32 as "u32", u32 as "u32", i64 as "u64", u64 as "u64", isize as "u64", usize as "u64";
            Of("Min"), min: i32 as "i32", u32 as "u32", i64 as "i64", u64 as "u64", isize as "i64", usize as "u64";
            Of("Max"), max: i32 as "i32", u32 as "u32", i64 as "i64", u64 as "u64", isize as "i64", usize as "u64";
            Of("Min"), minimum: i32 as "i32", u32 as "u32", i64 as "i64", u64 as "u64", isize as "i64", usize as "u64";
            Of("Max"), maximum: i32 as "i32", u32 as "u32", i64 as "i64", u64 as "u64", isize as "i64", usize as "u64";
            Extreme { is_max: false, keeps_nan: false }, min: f32 as "32", f64 as "64";
            Extreme { is_max: true, keeps_nan: false }, max: f32 as "32", f64 as "64";
            Extreme { is_max: false, keeps_nan: true }, minimum: f32 as "32", f64 as "64";
            Extreme { is_max: true, keeps_nan: true }, maximum: f32 as "32", f64 as "64";
        }
        known
    }

    /// Whether the update adds: all bytes zero change nothing then.
    pub(super) fn adds(self) -> bool {
        self.operation == Operation::Of("Add")
    }

    /// `gr_update`, in CUDA C.
    pub(super) fn text(self) -> String {
        let word = self.word;
        let statements = match self.operation {
            Operation::Of(operation) => format!("  atomic{operation}(({word}*)at, ({word})value);\n"),
            // The difference of 0 and the value would be a 0 without a sign.
            Operation::Subtract => format!("  atomicAdd(({word}*)at, ({word})-({word})value);\n"),
            Operation::Extreme { is_max, keeps_nan } => extreme(word, is_max, keeps_nan),
        };
        format!("static __device__ __forceinline__ void gr_update(gr_value* const at, const gr_value value) {{\n{statements}}}\n\n")
    }
}

/// The update of a float of so many bits by its minimum or maximum with another one.
///
/// The bits of floats without a sign ascend as integers, and those of floats with a sign descend: an atomic operation of integers does it.
/// NaN is the last float in the direction of the function, as the bits all set are, with the sign for a minimum and without it for a
/// maximum. So it stays; another NaN that was in the element before is not replaced. Where NaN does not count, it is only replaced.
fn extreme(bits: &str, is_max: bool, keeps_nan: bool) -> String {
    let to_bits = if bits == "32" { "__float_as_uint" } else { "(u64)__double_as_longlong" };
    let (with_sign, without, beyond) = if is_max { ("Min", "Max", ">") } else { ("Max", "Min", "<") };
    let nan = if is_max { format!("(u{bits})~(u{bits})0 >> 1") } else { format!("(u{bits})~(u{bits})0") };
    let before = match keeps_nan {
        true => format!(
            "  if (old != old) return;\n  \
               if (value != value) {{\n    \
                 atomicExch((u{bits}*)at, {nan});\n    \
                 return;\n  \
               }}\n  \
               if (!(value {beyond} old)) return;\n"
        ),
        false => format!(
            "  if (value != value) return;\n  \
               if (old != old) {{\n    \
                 // If another thread has replaced it, there is a number now.\n    \
                 if (atomicCAS((u{bits}*)at, {to_bits}(old), bits) == {to_bits}(old)) return;\n  \
               }} else if (!(value {beyond} old)) {{\n    \
                 return;\n  \
               }}\n"
        ),
    };
    format!(
        "  const gr_value old = *(volatile gr_value*)at;\n  \
           const u{bits} bits = {to_bits}(value);\n\
         {before}  \
           if ((i{bits})bits < 0) atomic{with_sign}((u{bits}*)at, bits);\n  \
           else atomic{without}((i{bits}*)at, (i{bits})bits);\n"
    )
}

/// Whether a ready-made function is associative. Sums and products of floats depend on the order in their last bits only.
pub(super) fn is_associative<F: 'static>() -> bool {
    is_known(TypeId::of::<F>())
}

fn is_known(function: TypeId) -> bool {
    let mut known = false;
    macro_rules! know {
        ([$($function:ident)*]) => {};
        ([$($function:ident)*] $T:ty; $($rest:tt)*) => {
            $(known |= function == TypeId::of::<functions::$function::Function<$T>>();)*
            know! { [$($function)*] $($rest)* }
        };
    }
    know! { [add mul min max minimum maximum] i8; i16; i32; i64; isize; u8; u16; u32; u64; usize; f32; f64; }
    #[cfg(feature = "half")]
    know! { [add mul min max minimum maximum] half::f16; half::bf16; }
    #[cfg(feature = "complex")]
    {
        use crate::functions::ArithmeticElement;
        use num_complex::Complex;
        known |= function == TypeId::of::<<Complex<f32> as ArithmeticElement>::Add>();
        known |= function == TypeId::of::<<Complex<f32> as ArithmeticElement>::Mul>();
        known |= function == TypeId::of::<<Complex<f64> as ArithmeticElement>::Add>();
        known |= function == TypeId::of::<<Complex<f64> as ArithmeticElement>::Mul>();
    }
    known
}
