//! CUDA C with holes: the output of the CUDA emitter, and the input of the Rust emitter.

use crate::model::{ConstArgument, FunctionPath, Inequality, NamedNumber, Part, Type, UniformParameters};
use proc_macro2::{Ident, Span, TokenStream};

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
    /// Where the threads of the grid wait for each other.
    pub(crate) cooperation: Cooperation,
    /// What its barriers need to be the same for all threads of a block.
    pub(crate) uniformity: UniformParameters,
    /// The constants whose numbers it relies on.
    pub(crate) numbers: Vec<NamedNumber>,
    /// The same function for arrays that other threads may write to at the same time, if it takes any.
    pub(crate) racing: Option<Box<Source>>,
}

/// Whether a function contains a grid barrier: in its own body, or in its callees.
#[derive(Clone, Default)]
pub(crate) struct Cooperation {
    pub(crate) has_barrier: bool,
    /// The functions whose calls are awaited, in which they may.
    pub(crate) awaited: Vec<Callee>,
}

/// A piece of CUDA C. Becomes the runtime's `Segment`.
#[derive(Clone)]
pub(crate) enum Piece {
    Text(String),
    /// CUDA C of the user, a constant expression of type `&str`.
    Foreign(TokenStream),
    /// PTX of the user, a constant expression of type `&str`, which the program is linked with.
    Linked(TokenStream),
    /// The value of a Rust constant expression, as a C literal of its own type.
    Constant(TokenStream),
    /// The value of the user's constant at this path, of whatever type.
    Value(TokenStream),
    /// The C type of the array that is the constant at this path.
    TableType(TokenStream),
    /// Its elements, in the braces of an initialiser.
    Table(TokenStream),
    /// A variant without data, of an enum with or without any, and what else is known of its type.
    Variant(TokenStream, Known),
    /// Behind a value of such an enum: the comparison with its variant of this name.
    VariantTest(Known, String),
    /// The C name of a device function. With `races`, it is called with arrays that other threads may write to at the same time.
    Function {
        callee: Callee,
        races: bool,
    },
    /// The same in 32 bits, if it has them. With `relies`, the caller has 32 bits only then.
    NarrowFunction {
        callee: Callee,
        races: bool,
        relies: bool,
    },
    /// The function computes in 32 bits, if its caller does, where these inequalities of constants hold.
    NarrowIf(Vec<Inequality>),
    /// The C name of a function of a type, and whether it is called with such arrays.
    Associated {
        callee: AssociatedCallee,
        races: bool,
    },
    /// The C name of the function of an operator or a method: a user's, or the helper of this name.
    Operator(Overload, String),
    /// What stands where the operator or method is a user's, and what otherwise.
    Overloaded {
        callee: Overload,
        own: Vec<Piece>,
        otherwise: Vec<Piece>,
    },
    /// The C name of the type of an operand: of the left one, or with `true` of the right one.
    OperandType(OperatorCallee, bool),
    /// The C name of the type of what is known.
    TypeOf(Known),
    /// Behind an array of what is known, so that it is passed as a pointer and a length: `.data, 4ull`. Nothing for other values.
    ElementsOf(Known),
    /// The C name of a type: what a type parameter stands for, or what the user's path names.
    Type(TokenStream),
    /// The C name of a tuple type that lies in memory, which makes the program lay it out as rustc does.
    Tuple(Type),
    OwnName,
    /// The first statement of a kernel, which waits for the kernel before it.
    Start,
    /// The threads of a block, and the elements of a thread, in the variant for several elements.
    ForallBlock,
    ElementsPerThread,
    /// The program-wide number of the function's site with this index.
    Site(usize),
    /// Only in the variant with the checks that a launch may make redundant.
    Checked(u32, Vec<Piece>),
    /// Only where the launch satisfies all of these conditions.
    Shown(u32, Vec<Piece>),
    /// Only in the variants without them.
    Proved(Vec<Piece>),
    /// Only where this constant expression of type `bool` holds.
    If(TokenStream, Vec<Piece>),
    /// Only in a program in which the threads of the grid wait for each other.
    Cooperative(Vec<Piece>),
    /// The code for a thread with one element, and for a thread with several.
    Elements {
        one: Vec<Piece>,
        several: Vec<Piece>,
    },
    /// The code for a `usize` of 64 bits, and for one of 32.
    Width {
        wide: Vec<Piece>,
        narrow: Vec<Piece>,
    },
    /// The next line of C comes from this line of the Rust file.
    Line(u32),
}

/// A call of a device function, as far as its macro knows its types. Becomes a path to an instance of the runtime's
/// `DeviceFunction`.
#[derive(Clone)]
pub(crate) struct Callee {
    pub(crate) path: syn::Path,
    /// The arguments that the call names: `f::<f32, 8>`.
    pub(crate) explicit: Vec<Known>,
    pub(crate) output: Known,
    /// Of an array, slice or view, its elements.
    pub(crate) args: Vec<Known>,
    /// The function is named and not called: only the explicit arguments are known.
    pub(crate) by_name: bool,
}

/// The known part of a type, or of a constant in its place.
#[derive(Clone)]
pub(crate) enum Known {
    Nothing,
    Type(Type),
    /// It is a reference to an array of this type.
    Lent(Type),
    Const(ConstArgument),
    /// It is the result type of this call.
    OutputOf(Box<Callee>),
    /// It is what this call of a function of a type returns.
    Returned(Box<AssociatedCallee>),
    /// It is a part of something known.
    Part(Box<Known>, Part),
    /// It is the value of this operator.
    Operation(Box<OperatorCallee>),
    /// It is the value of this expression: a literal or a constant.
    Expression(TokenStream),
    /// It is that of a literal, with `true` a float, which these operators take.
    Literal(bool, Vec<KnownUse>),
    /// It is a reference to something known, with `true` a mutable one.
    Reference(Box<Known>, bool),
}

/// A call of a function of a type, as far as its macro knows its types. Becomes an expression of the same shape, from which rustc
/// finds the function and which nothing evaluates.
#[derive(Clone)]
pub(crate) struct AssociatedCallee {
    pub(crate) function: AssociatedFunction,
    /// Beside the receiver.
    pub(crate) args: Vec<Known>,
    /// The type that it is a function of, where the path leaves that open and the value's place tells it.
    pub(crate) owner: Option<Type>,
}

/// The use of an operator, as far as its macro knows the types of the operands.
#[derive(Clone)]
pub(crate) struct OperatorCallee {
    /// The trait of the operator, whose name the runtime's type has too.
    pub(crate) op: &'static str,
    /// Which operands are references in Rust, the left one first.
    pub(crate) by_reference: [bool; 2],
    pub(crate) operands: Operands,
}

/// An operator that takes a literal.
#[derive(Clone)]
pub(crate) struct KnownUse {
    /// Of the literal and another value.
    pub(crate) callee: OperatorCallee,
    pub(crate) assigns: bool,
}

impl KnownUse {
    /// The variable that is the literal.
    pub(crate) fn literal() -> Ident {
        Ident::new("__literal", Span::mixed_site())
    }
}

/// What numbers have, and users' types may have too.
#[derive(Clone)]
pub(crate) enum Overload {
    Operator(OperatorCallee),
    /// `left op= right`
    Assignment(OperatorCallee),
    /// `base[index]`
    Index(OperatorCallee),
    /// The same where the element is changed.
    IndexMut(OperatorCallee),
    Method(AssociatedCallee),
}

#[derive(Clone)]
pub(crate) enum Operands {
    One(Known),
    Two(Box<(Known, Known)>),
}

#[derive(Clone)]
pub(crate) enum AssociatedFunction {
    /// The method of this name, of a receiver of such a type.
    Method(Known, proc_macro2::Ident),
    Path(FunctionPath),
}
