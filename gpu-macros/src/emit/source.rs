//! CUDA C with holes: what the CUDA emitter hands to the Rust emitter.

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
    /// The value of a Rust constant expression, as a C literal of its own type.
    Constant(TokenStream),
    /// The C name of the device function at this path.
    Function(syn::Path),
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
