//! Functions of NVIDIA's libraries, called with the signatures of the crate cudarc.
//!
//! cudarc declares types, constants and functions. Its own functions are not called, for three reasons. They return the status as an enum
//! of Rust, for which a status that a later library adds is undefined behaviour. They panic if the library or the function is missing. And
//! they load a library by its name, while [`search`](super::search) finds several, by their paths. So [`call`] takes the type of cudarc's
//! function, replaces what it returns by a [`Status`], and calls the address in a table that [`functions`] defines.

use std::ffi::c_void;
use std::mem::transmute_copy;

use libloading::Library;

/// What a function returns: 0 is success. Any integer is one.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Status(pub(crate) u32);

impl Status {
    pub(crate) const SUCCESS: Self = Self(0);
    /// What a missing function returns: `CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND` of the driver.
    pub(crate) const MISSING: Self = Self(302);
}

/// Where a function is. It is null if the library does not have it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address(*mut c_void);

// SAFETY: it is an address of code.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Address {
    pub(crate) const NULL: Self = Self(std::ptr::null_mut());

    /// Of the function `name`.
    pub(crate) fn find(library: &Library, name: &str) -> Result<Self, libloading::Error> {
        // SAFETY: an address may be read as one; it is not dereferenced here.
        unsafe { library.get::<*mut c_void>(name) }.map(|symbol| Self(*symbol))
    }

    /// Whether the library has the function.
    pub(crate) fn is_there(self) -> bool {
        !self.0.is_null()
    }

    /// Of `function`.
    #[cfg(test)]
    pub(crate) fn of<F: Declared>(function: F::InC) -> Self {
        const { assert!(size_of::<F::InC>() == size_of::<Address>()) };
        // SAFETY: a pointer to a function, which is an address.
        Self(unsafe { transmute_copy(&function) })
    }

    /// The function.
    ///
    /// # Safety
    ///
    /// `F` is a pointer to functions of the type of this one, which is not null.
    #[inline]
    pub(crate) unsafe fn function<F: Copy>(self) -> F {
        const { assert!(size_of::<F>() == size_of::<Address>()) };
        // SAFETY: the caller guarantees it.
        unsafe { transmute_copy(&self.0) }
    }
}

/// The type of a function as cudarc declares it.
pub(crate) trait Declared: Copy {
    /// The type that it has in C, but for the status.
    type InC: Copy;

    /// The function of this type at an address. If the address is null, one that returns [`Status::MISSING`].
    ///
    /// # Safety
    ///
    /// The function at the address has this type.
    unsafe fn at(address: Address) -> Self::InC;
}

/// [`Declared::at`] for the type of a function.
///
/// # Safety
///
/// The same.
#[inline]
pub(crate) unsafe fn like<F: Declared>(_: F, address: Address) -> F::InC {
    // SAFETY: the caller guarantees it.
    unsafe { F::at(address) }
}

/// Implements [`Declared`] for each number of parameters.
macro_rules! declared {
    ($First:ident $($Rest:ident)*) => {
        declared!(@one $First $($Rest)*);
        declared!($($Rest)*);
    };
    () => {
        declared!(@one);
    };
    (@one $($Parameter:ident)*) => {
        impl<R, $($Parameter),*> Declared for unsafe fn($($Parameter),*) -> R {
            type InC = unsafe extern "C" fn($($Parameter),*) -> Status;

            #[inline]
            unsafe fn at(address: Address) -> Self::InC {
                unsafe extern "C" fn missing<$($Parameter),*>($(_: $Parameter),*) -> Status {
                    Status::MISSING
                }
                if address.0.is_null() {
                    return missing::<$($Parameter),*>;
                }
                // SAFETY: the caller guarantees it. An enumeration of C is an integer of the size of a status.
                unsafe { address.function() }
            }
        }
    };
}

declared!(A B C D E F G H I J K L M N O P Q S T U V W X);

/// The addresses of functions of a library, by their names. `Functions::of` finds them, or says which one is missing.
macro_rules! functions {
    ($(#[$doc:meta])* $Functions:ident { $($name:ident)* }) => {
        $(#[$doc])*
        #[allow(non_snake_case)]
        struct $Functions {
            $($name: $crate::compile::symbols::Address,)*
        }

        impl $Functions {
            fn of(library: &libloading::Library) -> std::result::Result<Self, libloading::Error> {
                Ok(Self { $($name: $crate::compile::symbols::Address::find(library, stringify!($name))?,)* })
            }
        }
    };
}
pub(crate) use functions;

/// Calls a function: `call!(functions, header::cublasCreate_v2(&mut handle))`, where `header` is the module of cudarc that declares it. What
/// cudarc declares differently is called with its type: `call!(functions, (cuEventQuery: unsafe fn(CUevent) -> Status)(event))`.
///
/// Needs `unsafe`.
macro_rules! call {
    ($functions:expr, $header:ident::$name:ident($($argument:expr),* $(,)?)) => {{
        let declared: unsafe fn($($crate::compile::symbols::any_type!($argument)),*) -> _ = $header::$name;
        $crate::compile::symbols::like(declared, $functions.$name)($($argument),*)
    }};
    ($functions:expr, ($name:ident: $Declared:ty)($($argument:expr),* $(,)?)) => {
        <$Declared as $crate::compile::symbols::Declared>::at($functions.$name)($($argument),*)
    };
}
pub(crate) use call;

/// `_`, whatever the argument is.
macro_rules! any_type {
    ($argument:expr) => {
        _
    };
}
pub(crate) use any_type;

/// The loader's own words, which `libloading` keeps as the source of its errors.
pub(crate) fn reason(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), reason)
}
