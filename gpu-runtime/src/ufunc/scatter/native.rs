//! Updates for which CUDA has atomic operations.

use std::any::TypeId;

use crate::functions;

/// An atomic operation of CUDA that is an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Native {
    /// The function, without `atomic`.
    operation: &'static str,
    /// The type that it takes in place of the elements'.
    word: &'static str,
}

impl Native {
    /// That of the function `F`.
    pub(super) fn of<F: 'static>() -> Option<Self> {
        let mut known = None;
        macro_rules! know {
            ($($operation:literal $function:ident: $($T:ident as $word:literal),*;)*) => {
                $($(
                    if TypeId::of::<F>() == TypeId::of::<functions::$function::Function<$T>>() {
                        known = Some(Self { operation: $operation, word: $word });
                    }
                )*)*
            };
        }
        know! {
            "Add" add: f32 as "f32", f64 as "f64", i32 as "u32", u32 as "u32", i64 as "u64", u64 as "u64", isize as "u64", usize as "u64";
            "Min" min: i32 as "i32", u32 as "u32", i64 as "i64", u64 as "u64", isize as "i64", usize as "u64";
            "Max" max: i32 as "i32", u32 as "u32", i64 as "i64", u64 as "u64", isize as "i64", usize as "u64";
            "Min" minimum: i32 as "i32", u32 as "u32", i64 as "i64", u64 as "u64", isize as "i64", usize as "u64";
            "Max" maximum: i32 as "i32", u32 as "u32", i64 as "i64", u64 as "u64", isize as "i64", usize as "u64";
        }
        known
    }

    /// Whether the update adds: all bytes zero change nothing then.
    pub(super) fn adds(self) -> bool {
        self.operation == "Add"
    }

    /// `gr_update`, in CUDA C.
    pub(super) fn text(self) -> String {
        let Self { operation, word } = self;
        format!(
            "static __device__ __forceinline__ void gr_update(gr_value* const at, const gr_value value) {{\n  \
               atomic{operation}(({word}*)at, ({word})value);\n}}\n\n"
        )
    }
}
