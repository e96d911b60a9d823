//! That names mean what the CUDA C takes them for: those of number types Rust's numbers, those of functions the ones of the runtime and std.

use crate::intrinsics::IntrinsicName;

/// The type that a name means in a module. That of a number must mean `Number`.
///
/// ```compile_fail,E0200
/// struct Byte(u8);
///
/// impl gpu_runtime::calls::NumberName<f64> for Byte {} // CUDA C would read 8 bytes where there is one
/// ```
///
/// # Safety
///
/// It is that type.
#[diagnostic::on_unimplemented(
    message = "the name `{Number}` means `{Self}` here, but in kernels `{Number}` must be Rust's type of that name",
    label = "this function uses the name `{Number}`",
    note = "rename the `type` alias or the import that has the name `{Number}`"
)]
pub unsafe trait NumberName<Number> {}

// SAFETY: each type is itself.
unsafe impl<T> NumberName<T> for T {}

/// The types that names mean in a module. (Of a trait that is implemented for tuples, messages would list those.)
pub trait NumberNames<Numbers> {}

impl<T: Each<Numbers>, Numbers> NumberNames<Numbers> for T {}

/// The same for each type of a tuple.
pub trait Each<Numbers> {}

macro_rules! tuples {
    ($($Written:ident $Number:ident)*) => {
        impl<$($Written: NumberName<$Number>, $Number),*> Each<($($Number,)*)> for ($($Written,)*) {}
    };
}

tuples! { A A0 }
tuples! { A A0 B B0 }
tuples! { A A0 B B0 C C0 }
tuples! { A A0 B B0 C C0 D D0 }
tuples! { A A0 B B0 C C0 D D0 E E0 }
tuples! { A A0 B B0 C C0 D D0 E E0 F F0 }
tuples! { A A0 B B0 C C0 D D0 E E0 F F0 G G0 }
tuples! { A A0 B B0 C C0 D D0 E E0 F F0 G G0 H H0 }
tuples! { A A0 B B0 C C0 D D0 E E0 F F0 G G0 H H0 I I0 }
tuples! { A A0 B B0 C C0 D D0 E E0 F F0 G G0 H H0 I I0 J J0 }
tuples! { A A0 B B0 C C0 D D0 E E0 F F0 G G0 H H0 I I0 J J0 K K0 }
tuples! { A A0 B B0 C C0 D D0 E E0 F F0 G G0 H H0 I I0 J J0 K K0 L L0 }

/// Named where a function names number types; not called.
pub fn names_mean<Written: NumberNames<Numbers>, Numbers>() {}

/// Called, in a function that is not, with what the module of an intrinsic returns, as a name leads to it.
pub fn name_means<Intrinsic, Written: IntrinsicName<Intrinsic>>(_: Written) {}
