//! Types of the kernel language.

use super::{AtomicValue, Called, Length, NamedType, Operation, Part, Returned, StdEnum, TileType, TypeParam};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type {
    Unit,
    /// The type of `return`, `break`, `continue` and `panic!`.
    Never,
    Scalar(Scalar),
    /// A scalar of a type that the caller chooses.
    Parameter(TypeParam),
    Tuple(Vec<Type>),
    Array(Box<Type>, Length),
    /// `Option<T>` or `Result<T, E>`.
    Std(StdEnum, Vec<Type>),
    /// `&[T]` or `&mut [T]`.
    Slice {
        element: Box<Type>,
        mutable: bool,
    },
    /// `View<T, N>` or `ViewMut<T, N>`: a parameter with `rank` axes, of any strides.
    View {
        element: Box<Type>,
        rank: usize,
        mutable: bool,
    },
    /// What `shared::<A>()` returns: a handle to the block's array of type `A` (always an [`Type::Array`]).
    Shared(Box<Type>),
    /// An atomic: an element of a `&[AtomicU32]` or of a shared array, used through its methods only.
    Atomic(AtomicValue),
    /// A tile or a column of one, which the threads of a block have together.
    Tile(Box<TileType>),
    /// A closure, or a parameter that takes a function.
    Function(Box<FunctionType>),
    /// The type that `thread_idx()` and similar functions return; its fields are `usize`.
    Dim3,
    /// A type by its path: a user's struct.
    Named(NamedType),
    /// The type of the array that is the constant at this path, which only rustc and C++ know.
    Table(NamedType),
    /// The type of the number that is the constant at this path, which only rustc and C++ know: that of literals beside it.
    Constant(NamedType),
    /// The type of the number that this call of a device function returns: that of literals beside it.
    Called(Box<Called>),
    /// The type of a part of a value whose type is [`Type::Named`] or itself such a part.
    Part(Box<Type>, Part),
    /// The type of what a function of a type returns, which is called by its path.
    Returned(Box<Returned>),
    /// The type of a product of values of two followed types.
    Operation(Box<Operation>),
    /// A type that the macro cannot see: of a constant, or of what a device function returns.
    Opaque,
    /// The type of what was refused, which is as good as any other: nothing that follows from it is reported.
    Refused,
    /// A type not found yet. Only during inference; `infer` leaves none behind.
    Variable(TypeVariable),
}

/// `Fn(f32, f32) -> f32`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FunctionType {
    pub(crate) inputs: Vec<Type>,
    /// Which of them it takes by reference: `Fn(&Vector) -> f32`.
    pub(crate) by_reference: Vec<bool>,
    pub(crate) output: Type,
    /// `FnMut`: a call may change what the function has captured.
    pub(crate) is_mut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TypeVariable(pub(crate) usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    F32,
    F64,
    Bool,
}

impl Scalar {
    pub(crate) const ALL: [Scalar; 13] = [
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::Isize,
        Scalar::U8,
        Scalar::U16,
        Scalar::U32,
        Scalar::U64,
        Scalar::Usize,
        Scalar::F32,
        Scalar::F64,
        Scalar::Bool,
    ];

    /// The Rust name, which is also the `typedef` in the generated C (but `bool`, which C++ has).
    pub(crate) fn name(self) -> &'static str {
        match self {
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::Isize => "isize",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::Usize => "usize",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::Bool => "bool",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|scalar| scalar.name() == name)
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    pub(crate) fn is_integer(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }

    pub(crate) fn is_signed_integer(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize)
    }

    pub(crate) fn is_unsigned_integer(self) -> bool {
        self.is_integer() && !self.is_signed_integer()
    }

    /// Size in bits (8 for `bool`).
    pub(crate) fn bits(self) -> u32 {
        match self {
            Scalar::I8 | Scalar::U8 | Scalar::Bool => 8,
            Scalar::I16 | Scalar::U16 => 16,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::U64 | Scalar::Isize | Scalar::Usize | Scalar::F64 => 64,
        }
    }

    /// The unsigned type of the same size, for integers.
    pub(crate) fn to_unsigned(self) -> Scalar {
        match self {
            Scalar::I8 => Scalar::U8,
            Scalar::I16 => Scalar::U16,
            Scalar::I32 => Scalar::U32,
            Scalar::I64 => Scalar::U64,
            Scalar::Isize => Scalar::Usize,
            other => other,
        }
    }
}

macro_rules! parts {
    ($name:ident, $iter:ident $(, $mutability:tt)?) => {
        /// Calls `visit` on every type directly inside this one.
        pub(crate) fn $name(&$($mutability)? self, visit: &mut dyn FnMut(&$($mutability)? Type)) {
            match self {
                Type::Unit
                | Type::Never
                | Type::Scalar(_)
                | Type::Parameter(_)
                | Type::Atomic(_)
                | Type::Dim3
                | Type::Named(_)
                | Type::Table(_)
                | Type::Constant(_)
                | Type::Opaque
                | Type::Refused
                | Type::Variable(_) => {}
                Type::Tuple(elements) | Type::Std(_, elements) => elements.$iter().for_each(visit),
                Type::Array(part, _)
                | Type::Slice { element: part, .. }
                | Type::View { element: part, .. }
                | Type::Shared(part)
                | Type::Part(part, _) => visit(part),
                Type::Tile(tile) => visit(&$($mutability)? tile.element),
                Type::Function(function) => {
                    function.inputs.$iter().for_each(&mut *visit);
                    visit(&$($mutability)? function.output);
                }
                Type::Operation(operation) => {
                    visit(&$($mutability)? operation.left);
                    visit(&$($mutability)? operation.right);
                }
                Type::Called(call) => call.args.$iter().for_each(|arg| visit(&$($mutability)? arg.ty)),
                Type::Returned(call) => call.args.$iter().for_each(|arg| visit(&$($mutability)? arg.ty)),
            }
        }
    };
}

impl Type {
    parts!(for_each_part, iter);
    parts!(for_each_part_mut, iter_mut, mut);
}

impl Type {
    pub(crate) const BOOL: Type = Type::Scalar(Scalar::Bool);
    pub(crate) const USIZE: Type = Type::Scalar(Scalar::Usize);
    pub(crate) const U32: Type = Type::Scalar(Scalar::U32);
    pub(crate) const I32: Type = Type::Scalar(Scalar::I32);

    pub(crate) fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// Whether it is one number or `bool`, of a known type or a type parameter's.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Type::Scalar(_) | Type::Parameter(_))
    }

    /// Whether an array function can take or return it: a scalar, or a type with a name, of which rustc finds whether it is an element.
    pub(crate) fn is_array_element(&self) -> bool {
        self.is_scalar() || matches!(self, Type::Named(_))
    }

    /// Of a tuple, its elements; of any other type, that type.
    pub(crate) fn components(&self) -> &[Type] {
        match self {
            Type::Tuple(elements) => elements,
            other => std::slice::from_ref(other),
        }
    }

    /// Whether C++ picks the operation by the type: the macro does not know it.
    pub(crate) fn is_picked_by_c(&self) -> bool {
        matches!(self, Type::Opaque | Type::Parameter(_)) || self.is_followed()
    }

    /// Whether a slice can have it as its element: a scalar, or an atomic of one.
    pub(crate) fn is_element(&self) -> bool {
        self.is_scalar() || matches!(self, Type::Atomic(_))
    }

    /// The part of it, or itself, for which memory has no place: `None` where all of it has one. Of a struct, rustc knows.
    pub(crate) fn misfit_in_memory(&self) -> Option<&Type> {
        match self {
            Type::Scalar(_) | Type::Parameter(_) | Type::Named(_) => None,
            Type::Array(element, _) => element.misfit_in_memory(),
            Type::Tuple(elements) if elements.len() <= 8 => elements.iter().find_map(Type::misfit_in_memory),
            // Of a type with values to spare, `None` is one of these, and there is no tag.
            Type::Std(StdEnum::Option, arguments) => match &arguments[..] {
                [Type::Scalar(Scalar::Bool) | Type::Std(StdEnum::Option, _)] => Some(self),
                arguments => arguments.iter().find_map(Type::misfit_in_memory),
            },
            other => Some(other),
        }
    }

    /// Of a slice of atomics, what they are atomics of.
    pub(crate) fn atomic_element(&self) -> Option<AtomicValue> {
        match self {
            Type::Slice { element, .. } => match **element {
                Type::Atomic(value) => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is a slice or a view of atomics.
    pub(crate) fn shares_elements(&self) -> bool {
        self.atomic_element().is_some() || matches!(self.view(), Some((Type::Atomic(_), _)))
    }

    /// Of a view, its element and how many axes it has.
    pub(crate) fn view(&self) -> Option<(&Type, usize)> {
        match self {
            Type::View { element, rank, .. } => Some((element, *rank)),
            _ => None,
        }
    }

    /// Whether it is a parameter whose elements the kernel may write.
    pub(crate) fn is_mutable_parameter(&self) -> bool {
        matches!(self, Type::Slice { mutable: true, .. } | Type::View { mutable: true, .. })
    }

    /// Of an array, what its innermost arrays consist of; of any other type, that type.
    pub(crate) fn innermost(&self) -> &Type {
        match self {
            Type::Array(element, _) | Type::Shared(element) => element.innermost(),
            other => other,
        }
    }

    /// What indexing with one number yields, and the length where the type knows it (`None` inside: a slice, whose length is a run-time value).
    pub(crate) fn element(&self) -> Option<(&Type, Option<&Length>)> {
        match self {
            Type::Slice { element, .. } => Some((element, None)),
            Type::Array(element, length) => Some((element, Some(length))),
            Type::Shared(array) => array.element(),
            _ => None,
        }
    }
}
