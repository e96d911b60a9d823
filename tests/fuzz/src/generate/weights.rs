//! How often each construct is chosen: all of the generator's taste.

use fastrand::Rng;

/// One of the choices, each as often as its weight says.
pub(super) fn choose<T: Copy>(rng: &mut Rng, weights: &[(u32, T)]) -> T {
    let mut left = rng.u32(..weights.iter().map(|(weight, _)| weight).sum::<u32>());
    for (weight, choice) in weights {
        if left < *weight {
            return *choice;
        }
        left -= weight;
    }
    unreachable!("the number is below the sum of the weights")
}

/// How deep expressions of a statement go.
pub(super) const DEPTH: u32 = 3;

/// The most nested blocks of statements.
pub(super) const DEEPEST: usize = 3;

/// The most indices in indices.
pub(super) const DEEPEST_INDEX: u32 = 2;

/// The most numbers in a value.
pub(super) const LARGEST: usize = 8;

/// How many expressions a statement may have.
pub(super) const BUDGET: u32 = 18;

/// How often a value whose type the attribute cannot see is given to a variable with that type before it is used.
pub(super) const NAMED_TYPE: f32 = 0.5;

#[derive(Clone, Copy)]
pub(super) enum TypeKind {
    Scalar,
    Tuple,
    Array,
    Option,
    Result,
    Declared,
}

pub(super) const TYPES: &[(u32, TypeKind)] = &[
    (50, TypeKind::Scalar),
    (14, TypeKind::Tuple),
    (12, TypeKind::Array),
    (10, TypeKind::Option),
    (8, TypeKind::Result),
    (20, TypeKind::Declared),
];

#[derive(Clone, Copy)]
pub(super) enum Expr {
    /// A place or a literal.
    Leaf,
    If,
    IfLet,
    Match,
    Block,
    LabelledBlock,
    Loop,
    Call,
    Constant,
    Unwrap,
    Closure,
    /// What makes a value of this type and no other.
    Own,
}

pub(super) const EXPRESSIONS: &[(u32, Expr)] = &[
    (10, Expr::Leaf),
    (5, Expr::If),
    (4, Expr::IfLet),
    (7, Expr::Match),
    (5, Expr::Block),
    (3, Expr::LabelledBlock),
    (2, Expr::Loop),
    (8, Expr::Call),
    (4, Expr::Constant),
    (2, Expr::Unwrap),
    (3, Expr::Closure),
    (56, Expr::Own),
];

#[derive(Clone, Copy)]
pub(super) enum Statement {
    /// A declaration or assignment.
    Line,
    Destructure,
    TypedByUse,
    AssignedLater,
    LetElse,
    If,
    IfLet,
    Match,
    Loop,
    Jump,
    LabelledBlock,
    Block,
    Assert,
    Return,
    Value,
    Closure,
    Method,
    Form,
    Trace,
}

pub(super) const STATEMENTS: &[(u32, Statement)] = &[
    (38, Statement::Line),
    (4, Statement::Destructure),
    (3, Statement::TypedByUse),
    (3, Statement::AssignedLater),
    (4, Statement::LetElse),
    (8, Statement::If),
    (4, Statement::IfLet),
    (6, Statement::Match),
    (13, Statement::Loop),
    (4, Statement::Jump),
    (3, Statement::LabelledBlock),
    (2, Statement::Block),
    (1, Statement::Assert),
    (1, Statement::Return),
    (2, Statement::Value),
    (3, Statement::Closure),
    (4, Statement::Method),
    (12, Statement::Form),
    (14, Statement::Trace),
];

#[derive(Clone, Copy)]
pub(super) enum Form {
    /// A chain of iterators.
    Chain,
    /// `flat_map`, `scan`, and what follows `windows` and `chunks`.
    NestedChain,
    /// Functions of `std::mem` and `std::cmp`.
    Exchange,
    OptionMethods,
    ResultMethods,
    ChangingClosure,
    BesideConstant,
    /// A loop that changes the elements of an array.
    ChangingLoop,
    SlicePattern,
    /// `let part = &slice[from..to];`
    Part,
    /// `condition.then(|| value)`
    ConditionalOption,
    ArrayMap,
    /// `for chunk in array.chunks_mut(2)`
    Chunks,
    /// `match (x.get(i), y.get(j))`
    OptionsInTuple,
    /// A constant array of tuples.
    PairTable,
    /// `Index` and `IndexMut` of a struct.
    OwnIndex,
    /// A closure that changes variables, as an argument.
    ChangingArgument,
    /// `array[1..].rotate_left(2);`
    ChangedSlice,
    /// `array.contains(&2)`, and parts with names.
    SliceMethod,
    /// `options[i].take()`
    OptionsInArray,
}

pub(super) const FORMS: &[(u32, Form)] = &[
    (6, Form::Chain),
    (4, Form::Exchange),
    (3, Form::OptionMethods),
    (3, Form::ResultMethods),
    (3, Form::ChangingClosure),
    (3, Form::BesideConstant),
    (4, Form::ChangingLoop),
    (3, Form::SlicePattern),
    (3, Form::Part),
    (2, Form::ConditionalOption),
    (3, Form::ArrayMap),
    (3, Form::Chunks),
    (3, Form::OptionsInTuple),
    (3, Form::PairTable),
    (4, Form::OwnIndex),
    (3, Form::ChangingArgument),
    (5, Form::NestedChain),
    (6, Form::ChangedSlice),
    (5, Form::SliceMethod),
    (3, Form::OptionsInArray),
];

#[derive(Clone, Copy)]
pub(super) enum Loop {
    For,
    Gather,
    While,
    WhileLet,
    WithValue,
}

pub(super) const LOOPS: &[(u32, Loop)] = &[(6, Loop::For), (3, Loop::Gather), (2, Loop::While), (2, Loop::WhileLet), (1, Loop::WithValue)];

#[derive(Clone, Copy)]
pub(super) enum Pattern {
    Any,
    Binding,
    At,
    Or,
    /// What the type's values look like.
    Own,
}

pub(super) const PATTERNS: &[(u32, Pattern)] =
    &[(2, Pattern::Any), (4, Pattern::Binding), (1, Pattern::At), (2, Pattern::Or), (12, Pattern::Own)];
