//! The functions of [`table`](super::table), which are methods of floats and integers.

use super::table::methods_of_numbers;
use crate::scalar::{Float, Integer};
use crate::vectorize;

macro_rules! functions {
    ($Bound:ident: $($(#[$doc:meta])* fn $name:ident($($arg:ident: $A:ident)?) -> $Out:tt;)*) => {$(
        $(#[$doc])*
        #[vectorize]
        pub fn $name<T: $Bound>(x: T $(, $arg: $A)?) -> $Out {
            x.$name($($arg)?)
        }
    )*};
}

methods_of_numbers! { functions }
