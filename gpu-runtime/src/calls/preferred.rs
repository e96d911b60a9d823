//! That rustc prefers no method of the user's to the one that a kernel calls. It looks for methods by the type of the receiver, first as it is
//! and then behind its references, and takes one of the type itself before those of traits: a method anywhere in the program may come before.
//!
//! What rustc finds first is asked in code that never runs, where a trait of ours has a method of the same name for every type.

use std::marker::PhantomData;

use crate::source::DeviceTypesCannotImplementDeref;

/// The type of a method of `T`, as a path leads to it.
#[derive(Debug)]
pub struct FoundMethod<T, F>(PhantomData<fn() -> (T, F)>);

/// The method that a path leads to. It is not called.
pub fn found_method<T, F>(_method: F) -> FoundMethod<T, F> {
    FoundMethod(PhantomData)
}

/// A method of every type, which rustc finds where the type has none of its own.
#[derive(Debug)]
pub struct OfEveryType;

/// A method of the type itself.
#[derive(Debug)]
pub struct OfType;

impl<T, F: Fn() -> OfEveryType> FoundMethod<T, F> {
    /// Whose it is.
    pub fn owner(&self) -> OfEveryType {
        OfEveryType
    }
}

/// What rustc finds for other methods, of types with `#[derive(DeviceType)]`.
pub trait OwnMethod {
    /// Whose it is.
    fn owner(&self) -> OfType;
}

impl<T: DeviceTypesCannotImplementDeref, F> OwnMethod for FoundMethod<T, F> {
    fn owner(&self) -> OfType {
        OfType
    }
}

/// And of types of std and other crates, whose methods a trait repeats for kernels.
pub trait RepeatedMethod {
    /// As if the type had none.
    fn owner(&self) -> OfEveryType;
}

impl<T, F> RepeatedMethod for &FoundMethod<T, F> {
    fn owner(&self) -> OfEveryType {
        OfEveryType
    }
}

/// What has the CUDA C of a method of this owner: its neighbour.
#[diagnostic::on_unimplemented(
    message = "a method of the type itself has the name of this one, without `#[gpu_device]`",
    label = "Rust prefers the other method to this one of the trait",
    note = "rename one of the two, or write `#[gpu_device]` above the `impl` of the other"
)]
pub trait Beside<Owner> {}

#[diagnostic::do_not_recommend]
impl Beside<OfEveryType> for OfEveryType {}
#[diagnostic::do_not_recommend]
impl Beside<OfType> for OfType {}

macro_rules! owners {
    ($($Owner:ident)+) => {$(
        impl $Owner {
            /// Called with the owner of what has the CUDA C of the method.
            pub fn and<OfCode: Beside<Self>>(self, _of_code: OfCode) {}
        }
    )+};
}

owners! { OfType OfEveryType }

/// That the type has no methods of these names, or has them with the attribute. Each stands with the hidden function beside it, and with the
/// call that compares their owners, for its place. The module sees no trait but its own, and the type by another, because a type in a block has
/// no path.
#[doc(hidden)]
#[macro_export]
macro_rules! __methods_of_trait {
    ($Type:ty { $($name:ident $code:ident $comparison:expr;)* }) => {
        #[allow(non_snake_case, dead_code)]
        const _: () = {
            #[no_implicit_prelude]
            mod methods {
                pub(super) trait Known {
                    type Type;
                }
                pub(super) struct Of;
                trait EveryType {
                    $(
                        fn $name() -> $crate::calls::preferred::OfEveryType {
                            $crate::calls::preferred::OfEveryType
                        }
                        fn $code() -> $crate::calls::preferred::OfEveryType {
                            $crate::calls::preferred::OfEveryType
                        }
                    )*
                }
                impl<T> EveryType for T {}
                type Type = <Of as Known>::Type;

                const _: fn() = || {
                    #[allow(unused_imports)]
                    use $crate::calls::preferred::{OwnMethod as _, RepeatedMethod as _};
                    $({
                        let $name = (&$crate::calls::preferred::found_method::<Type, _>(<Type>::$name)).owner();
                        let $code = (&$crate::calls::preferred::found_method::<Type, _>(<Type>::$code)).owner();
                        $comparison
                    })*
                };
            }
            impl methods::Known for methods::Of {
                type Type = $Type;
            }
        };
    };
}

pub use crate::__methods_of_trait as methods_of_trait;

/// What the method returns that rustc finds last for a reference or an array, before it looks behind that.
#[derive(Debug)]
pub struct Behind;

/// What a call on a reference or an array returns where the method is that of the value or the slice behind it.
#[diagnostic::on_unimplemented(
    message = "a trait has a method of this name, and Rust prefers it to that of std",
    label = "Rust calls the method of the trait",
    note = "for the method of a number behind a reference `x`, write `(*x).abs()`",
    note = "otherwise rename the method of the trait, or do not import the trait here; kernels call your own functions with `#[gpu_device]`"
)]
pub trait FoundBehind {}

impl FoundBehind for Behind {}

/// Called with what the method returns, in a closure that is not called.
pub fn found_behind(_: impl FoundBehind) {}
