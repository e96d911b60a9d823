//! A crate that passes on the runtime's items but for one: division, of which the proof of a race takes for granted what it is.

#![forbid(unsafe_code)]

pub use gpu_runtime::*;

#[doc(hidden)]
pub mod __private {
    pub use gpu_runtime::__private::*;

    pub mod ops {
        pub use gpu_runtime::__private::ops::*;

        /// Not `a / b`.
        pub fn div<T: Default, A, B>(_thread: A, _a: T, _b: T, _site: B) -> Result<T, gpu_runtime::__private::Stop> {
            Ok(T::default())
        }
    }
}

/// How many elements a row has.
pub const WIDTH: usize = 64;

/// Calls a macro with it.
#[macro_export]
macro_rules! with_width {
    ($called:ident) => {
        $called!($crate::WIDTH);
    };
}
