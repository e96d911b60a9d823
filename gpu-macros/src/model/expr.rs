//! Statements and expressions.

use super::{
    Assembly, AtomicAnswer, AtomicMethod, AtomicOrdering, AtomicScope, Builtin, Constructor, FunctionPath, GenericArgument, LabelId,
    Length, LocalId, Member, Method, Pattern, Scalar, SiteId, StdVariant, TileOperation, Type,
};
use proc_macro2::{Ident, Span, TokenStream};
use std::cell::Cell;

pub(crate) struct Block {
    pub(crate) stmts: Vec<Stmt>,
    /// The value of the block: a last expression without `;`.
    pub(crate) value: Option<Box<Expr>>,
    /// Written `unsafe { … }`.
    pub(crate) is_unsafe: bool,
    pub(crate) span: Span,
}

// Statements are few, and most are expressions.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Stmt {
    Let(Box<Let>),
    /// An expression whose value is dropped.
    Expr(Box<Expr>),
}

pub(crate) struct Let {
    pub(crate) pattern: Pattern,
    /// The user's tokens for an annotated type.
    pub(crate) tokens: Option<TokenStream>,
    /// The type of the whole pattern.
    pub(crate) ty: Type,
    pub(crate) init: Option<Expr>,
    /// The block of `let … else`, which diverges.
    pub(crate) otherwise: Option<Block>,
    pub(crate) span: Span,
    /// The last token of the user's initialiser; else where it starts.
    pub(crate) end: Span,
}

pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) ty: Type,
    /// Where it starts.
    pub(crate) span: Span,
    /// The operator of an operation, the brackets of an index, the parentheses of a method call; else where it starts.
    pub(crate) operator: Span,
    /// It is an operand, and a reference to this value in Rust, `&v + w`: an operator of the user's may be for references.
    pub(crate) by_reference: bool,
}

pub(crate) enum ExprKind {
    /// What was refused, and reported. Its type is [`Type::Refused`]; later stages pass it over, and emitters never see one.
    Refused,
    Int(IntLiteral),
    Float(FloatLiteral),
    Bool(bool),
    /// A number that its type determines. Inference replaces it.
    Start(StartOf),
    Local(LocalId),
    /// A path that is not a local: a constant, resolved by rustc. Its type is known where the path tells (`f32::MAX`,
    /// `std::f64::consts::PI`), else it follows from use or stays [`Type::Opaque`].
    Constant(syn::Path),
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    /// Arithmetic, bit operations, shifts and comparisons. `site` for integer (or unknown) `/` and `%`.
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
        site: Option<SiteId>,
    },
    /// `&&` and `||`.
    Logical {
        op: LogicalOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `operand as ty` (the target is the expression's type).
    Cast {
        operand: Box<Expr>,
        to: Scalar,
    },
    /// `f32::from_bits(x)`, the lossless `u64::from(x)`, `T::from_f64(x)`, `x.cast::<T>()`: a number of type `to`, which only a
    /// cast may leave to inference.
    Convert {
        conversion: Conversion,
        to: Type,
        operand: Box<Expr>,
    },
    /// `base[index]`: a place. The base is a local or another index expression.
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
        site: SiteId,
    },
    /// `base[start..end]`, which is borrowed as an argument of a device function. Fails at `site` where the range is not within the array.
    Subslice {
        mutable: bool,
        base: Box<Expr>,
        start: Box<Expr>,
        /// Without one, the end of the array.
        end: Option<Box<Expr>>,
        site: SiteId,
    },
    /// `view[[i, j]]`: a place. The base is a local; there is an index and a site for each axis.
    Element {
        base: Box<Expr>,
        indices: Vec<Expr>,
        sites: Vec<SiteId>,
    },
    /// `view.shape()[axis]`.
    Extent {
        base: Box<Expr>,
        axis: usize,
    },
    /// `.0`, `.1` of a tuple.
    TupleField {
        base: Box<Expr>,
        index: usize,
    },
    /// `.mass` of a struct.
    Field {
        base: Box<Expr>,
        name: Ident,
    },
    /// `Particle { mass: 1.0, ..base }`, or with `positional` the call `Pair(a, b)`; the same of a variant, `Shape::Circle { r }`.
    Struct {
        constructor: Constructor,
        fields: Vec<(Member, Expr)>,
        base: Option<Box<Expr>>,
        positional: bool,
    },
    /// `.x`, `.y`, `.z` of a [`Type::Dim3`].
    Axis {
        base: Box<Expr>,
        axis: Axis,
        name: Ident,
    },
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    Repeat {
        element: Box<Expr>,
        length: Length,
    },
    /// A method of a number, array or slice. `site` where it can fail (`rem_euclid`, `div_euclid`, `div_ceil`).
    Method {
        method: Method,
        name: Ident,
        receiver: Box<Expr>,
        args: Vec<Expr>,
        site: Option<SiteId>,
    },
    /// A method of the atomic at `place`.
    Atomic {
        method: AtomicMethod,
        name: Ident,
        place: Box<Expr>,
        args: Vec<Expr>,
        orderings: Vec<AtomicOrdering>,
        scope: AtomicScope,
        answer: AtomicAnswer,
    },
    /// A call to one of the runtime's intrinsics; `path` as the user wrote it, for rustc to confirm.
    Intrinsic {
        intrinsic: Intrinsic,
        path: syn::Path,
        args: Vec<Expr>,
    },
    /// A call to a device function. `explicit`: what stands between `::<` and `>`. `awaited`: threads may wait for each other in it.
    Call {
        path: syn::Path,
        explicit: Vec<GenericArgument>,
        args: Vec<Expr>,
        awaited: bool,
    },
    /// `receiver.name(args)`, or `Particle::name(args)`.
    Associated {
        /// `None` where there is a receiver.
        path: Option<FunctionPath>,
        receiver: Option<Box<Expr>>,
        name: Ident,
        args: Vec<Expr>,
    },
    /// A call to a closure, or to a parameter that takes a function.
    CallLocal {
        function: LocalId,
        args: Vec<Expr>,
    },
    /// A closure where it is bound, or passed to a device function. It changes nothing outside of itself.
    Closure(Box<Closure>),
    /// A device function that is passed to another, by its path.
    FunctionItem {
        path: syn::Path,
        explicit: Vec<GenericArgument>,
    },
    /// `&x` or `&mut x` of an array, as an argument of a device function.
    Borrow {
        mutable: bool,
        operand: Box<Expr>,
    },
    If {
        condition: Box<Expr>,
        then: Block,
        otherwise: Option<Box<Expr>>,
    },
    /// `let pattern = value`, a condition: only in the condition of `if` or `while`, alone or joined to others by `&&`.
    Let {
        pattern: Box<Pattern>,
        value: Box<Expr>,
    },
    Match {
        scrutinee: Box<Expr>,
        arms: Vec<Arm>,
    },
    /// `Some(value)`, `None`, `Ok(value)` or `Err(value)`.
    Variant {
        variant: StdVariant,
        value: Option<Box<Expr>>,
    },
    /// `Some` or `Ok` of the value, or with `of_rest` `None` or `Err`: the same enum that `like` is. Inference replaces it.
    Again {
        like: Type,
        value: Box<Expr>,
        of_rest: bool,
    },
    /// What is an `Option` or a `Result`, and matched by [`StdVariant::Value`] and [`StdVariant::Rest`]. After inference, what only rustc
    /// knows.
    Either(Box<Expr>),
    /// What depends on a type that is not known yet. Inference replaces it.
    ByType(Box<ByType>),
    /// `label` for `'a: { … }`.
    Block {
        label: Option<LabelId>,
        block: Block,
    },
    Loop {
        label: LabelId,
        body: Block,
    },
    While {
        label: LabelId,
        condition: Box<Expr>,
        body: Block,
    },
    /// The counter of `for` over `range`.
    For {
        label: LabelId,
        counter: LocalId,
        range: Range,
        body: Block,
    },
    /// `named`: the user wrote the label out.
    Break {
        label: LabelId,
        named: bool,
        value: Option<Box<Expr>>,
    },
    Continue {
        label: LabelId,
        named: bool,
    },
    Return(Option<Box<Expr>>),
    Assign {
        target: Target,
        value: Box<Expr>,
    },
    /// `place op= value`. `site` for integer (or unknown) `/=` and `%=`.
    CompoundAssign {
        op: BinaryOp,
        place: Box<Expr>,
        value: Box<Expr>,
        site: Option<SiteId>,
    },
    Panic {
        site: SiteId,
    },
    /// An operation of tiles, at the method's name.
    Tile {
        operation: TileOperation,
        name: Ident,
        args: Vec<Expr>,
    },
    /// `ptx!(…)`.
    Assembly(Box<Assembly>),
    /// `debug`: only where the user's crate has debug assertions.
    Assert {
        condition: Box<Expr>,
        site: SiteId,
        debug: bool,
    },
}

/// `pattern if guard => body`
pub(crate) struct Arm {
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Expr,
    /// Of the user's last token, behind which rustc proposes another arm.
    pub(crate) end: Option<Span>,
}

pub(crate) struct Closure {
    /// The parameters, each with the user's tokens for its type.
    pub(crate) params: Vec<(LocalId, Option<TokenStream>)>,
    pub(crate) output: Type,
    /// It has copies of the variables that it names.
    pub(crate) is_move: bool,
    pub(crate) body: Expr,
}

/// The left side of `=`.
pub(crate) enum Target {
    Place(Box<Expr>),
    Wildcard(Span),
    Tuple(Vec<Target>, Span),
}

/// One of two expressions, by the type of a third, which is not evaluated.
pub(crate) struct ByType {
    pub(crate) of: Expr,
    pub(crate) question: TypeQuestion,
    pub(crate) then: Expr,
    pub(crate) otherwise: Expr,
}

pub(crate) enum TypeQuestion {
    /// Whether it is an array or an `Option`, whose methods are std's: the answer of inference, which has typed that expression only.
    OfStd(Cell<bool>),
    /// Whether it is an integer with a sign. Both expressions have the same type.
    Signed,
    /// Whether it is a number, or parts that are. Both expressions have the same type.
    Number,
}

/// What a number is the first value of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartOf {
    /// Zero; of floats -0.0, to which -0.0 can be added.
    Sum,
    /// One.
    Product,
    /// `Default::default()`.
    Default,
}

#[derive(Debug, Clone)]
pub(crate) struct IntLiteral {
    pub(crate) value: u128,
    /// Written with a type suffix.
    pub(crate) suffix: Option<Scalar>,
}

#[derive(Debug, Clone)]
pub(crate) struct FloatLiteral {
    /// Digits as Rust writes them, without suffix and underscores.
    pub(crate) digits: String,
    pub(crate) suffix: Option<Scalar>,
}

impl Expr {
    pub(crate) fn new(kind: ExprKind, ty: Type, span: Span) -> Expr {
        Expr { kind, ty, span, operator: span, by_reference: false }
    }

    /// The type of `self op right`, for an arithmetic `op`: that of the left operand, except for a number that is combined with what may
    /// be complex or a vector.
    pub(crate) fn arithmetic_type<'t>(&'t self, right: &'t Expr) -> &'t Type {
        if self.ty.yields_to(&right.ty) { &right.ty } else { &self.ty }
    }

    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.kind, ExprKind::Refused)
    }

    /// A literal, possibly negated, or a constant.
    pub(crate) fn is_constant_operand(&self) -> bool {
        match &self.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Constant(_) => true,
            ExprKind::Unary { op: UnaryOp::Negate, operand } => operand.is_constant_operand(),
            _ => false,
        }
    }
}

impl FloatLiteral {
    /// `2.` as `2.0`: a suffix may follow.
    pub(crate) fn digits_with_fraction(&self) -> String {
        if self.digits.ends_with('.') { format!("{}0", self.digits) } else { self.digits.clone() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Negate,
    Not,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `partial_cmp`, an `Option` of an `Ordering`.
    PartialOrder,
    /// `cmp`, an `Ordering`.
    TotalOrder,
}

impl BinaryOp {
    #[cfg(test)]
    pub(crate) const ALL: [BinaryOp; BinaryOp::TotalOrder as usize + 1] = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Remainder,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
        BinaryOp::PartialOrder,
        BinaryOp::TotalOrder,
    ];

    pub(crate) fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }

    pub(crate) fn is_shift(self) -> bool {
        matches!(self, BinaryOp::ShiftLeft | BinaryOp::ShiftRight)
    }

    pub(crate) fn can_fail(self) -> bool {
        matches!(self, BinaryOp::Divide | BinaryOp::Remainder)
    }

    /// Whether its result says how the operands are ordered.
    pub(crate) fn is_order(self) -> bool {
        matches!(self, BinaryOp::PartialOrder | BinaryOp::TotalOrder)
    }

    /// The operator, the same in Rust and C; of an order, the name of the method.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::PartialOrder => "partial_cmp",
            BinaryOp::TotalOrder => "cmp",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogicalOp {
    And,
    Or,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Axis {
    X,
    Y,
    Z,
}

impl Axis {
    pub(crate) fn from_name(name: &Ident) -> Option<Axis> {
        [("x", Axis::X), ("y", Axis::Y), ("z", Axis::Z)].into_iter().find_map(|(text, axis)| (name == text).then_some(axis))
    }
}

/// What a `for` loop runs over.
pub(crate) enum Range {
    /// `start..end` or `start..=end`, then adapters.
    Bounds {
        start: Box<Expr>,
        end: Box<Expr>,
        inclusive: bool,
        /// `.rev()` and `.step_by(k)`, in the order written.
        adapters: Vec<RangeAdapter>,
    },
    /// `grid_stride(n)`.
    GridStride { path: syn::Path, length: Box<Expr> },
}

pub(crate) enum RangeAdapter {
    Rev(Ident),
    /// Fails at `site` when the step is 0. Without one, that is a loop without an end.
    StepBy {
        name: Ident,
        step: Box<Expr>,
        site: Option<SiteId>,
    },
}

/// The functions of the runtime that kernels call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Intrinsic {
    ThreadIdx,
    BlockIdx,
    BlockDim,
    GridDim,
    Grid1d,
    /// `(x, y)`.
    Grid2d,
    /// `(x, y, z)`.
    Grid3d,
    /// The n-th shared array of the function; its type is the expression's.
    Shared(usize),
    /// The n-th dynamic shared array of the kernel, a slice; the argument is its length.
    DynamicShared(usize),
    /// `print!` and `println!` of the arguments; the site has the text.
    Print(SiteId),
    /// One of the table. `site` where the threads of the block wait for each other.
    Builtin {
        builtin: Builtin,
        site: Option<SiteId>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conversion {
    FromBits,
    From,
    FromF64,
    FromI32,
    Cast,
    /// Whether the integer is one of the type too: a `bool`.
    Fits,
    /// `u32::from_be_bytes(bytes)`, by its name.
    FromBytes(&'static str),
}

impl Conversion {
    /// Those called by the type's path: `f32::from_bits(x)`.
    pub(crate) fn from_name(name: &str) -> Option<Conversion> {
        Some(match name {
            "from_bits" => Conversion::FromBits,
            "from_be_bytes" => Conversion::FromBytes("from_be_bytes"),
            "from_le_bytes" => Conversion::FromBytes("from_le_bytes"),
            "from_ne_bytes" => Conversion::FromBytes("from_ne_bytes"),
            "from" => Conversion::From,
            "from_f64" => Conversion::FromF64,
            "from_i32" => Conversion::FromI32,
            _ => return None,
        })
    }
}
