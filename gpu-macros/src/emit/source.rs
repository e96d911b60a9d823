//! CUDA C with holes: what the CUDA emitter hands to the Rust emitter.

use crate::model::{ConstArgument, Type};
use proc_macro2::TokenStream;

/// A function's CUDA C. Becomes the runtime's `SourceUnit`.
pub(crate) struct Source {
    /// The function's name as a C identifier.
    pub(crate) name: String,
    /// The forward declaration without `;`. Empty for kernels.
    pub(crate) prototype: Vec<Piece>,
    pub(crate) body: Vec<Piece>,
    /// Names of the runtime's helper snippets that the body uses, sorted.
    pub(crate) snippets: Vec<&'static str>,
    /// Whether a thread may run the function for several elements.
    pub(crate) several_elements: bool,
}

/// A piece of CUDA C. Becomes the runtime's `Segment`.
#[derive(Clone)]
pub(crate) enum Piece {
    Text(String),
    /// CUDA C of the user, a constant expression of type `&str`.
    Foreign(TokenStream),
    /// The value of a Rust constant expression, as a C literal of its own type.
    Constant(TokenStream),
    /// The value of the user's constant at this path, of whatever type.
    Value(TokenStream),
    /// The C type of the array that is the constant at this path.
    TableType(TokenStream),
    /// Its elements, in the braces of an initialiser.
    Table(TokenStream),
    /// A variant without data, of an enum with or without any.
    Variant(TokenStream),
    /// The C name of a device function.
    Function(Callee),
    /// The C name of the function of this name of a struct.
    Associated(syn::Path, proc_macro2::Ident),
    /// The C name of a type: what a type parameter stands for, or what the user's path names.
    Type(TokenStream),
    /// The C name of a tuple type that lies in memory, which makes the program lay it out as rustc does.
    Tuple(Type),
    OwnName,
    /// The program-wide number of the function's site with this index.
    Site(usize),
    /// Only in the variant with the checks that a launch may make redundant.
    Checked(Vec<Piece>),
    /// What a thread with one element runs, and what a thread with several does.
    Elements {
        one: Vec<Piece>,
        several: Vec<Piece>,
    },
    /// The next line of C comes from this line of the Rust file.
    Line(u32),
}

/// A call of a device function, as far as its macro knows its types. Becomes a path to an instance of the runtime's
/// `DeviceFunction`.
#[derive(Clone)]
pub(crate) struct Callee {
    pub(crate) path: syn::Path,
    /// What the call names: `f::<f32, 8>`.
    pub(crate) explicit: Vec<Known>,
    pub(crate) output: Known,
    /// Of an array, slice or view, its elements.
    pub(crate) args: Vec<Known>,
    /// The function is named and not called: nothing is known but what is explicit.
    pub(crate) by_name: bool,
}

/// What is known of a type, or of a constant in its place.
#[derive(Clone)]
pub(crate) enum Known {
    Nothing,
    Type(Type),
    Const(ConstArgument),
    /// It is what this call returns.
    OutputOf(Box<Callee>),
}
