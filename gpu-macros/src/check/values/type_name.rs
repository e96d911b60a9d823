//! Names of types in the names of operations: operations on equal forms are only equal if they are operations of the same types.
//!
//! `1u32` and `1u64` have one form, and so have values of a user's types that are made of it. So an operation is named after the types
//! of its operands. Where the text of the program does not determine a type, the type has no name, and neither has the operation:
//! each of its results is a value of its own.

use crate::idents::text_of;
use crate::model::{Argument, Part, Type};

/// The name of an operation `op` on operands of these types.
pub(crate) fn operation_name<'t>(types: impl IntoIterator<Item = &'t Type>, op: &str) -> Option<String> {
    Some(format!("{} {op}", names(types)?))
}

/// The same of an operation whose result has type `result`. Of a float it is no function of the operands: the bits of a NaN may differ from
/// one evaluation to the next, and a compiler may round a product and a sum once or twice.
pub(crate) fn name_of_result<'t>(types: impl IntoIterator<Item = &'t Type>, op: &str, result: &Type) -> Option<String> {
    let is_exact = result.as_scalar().is_some_and(|scalar| !scalar.is_float());
    operation_name(types, op).filter(|_| is_exact)
}

/// The names of all of them.
fn names<'t>(types: impl IntoIterator<Item = &'t Type>) -> Option<String> {
    Some(types.into_iter().map(type_name).collect::<Option<Vec<_>>>()?.join(", "))
}

/// A name that only this type has in a function.
fn type_name(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Unit => "()".into(),
        Type::Dim3 => "Dim3".into(),
        Type::Scalar(scalar) => scalar.name().into(),
        Type::Parameter(param) => param.name.to_string(),
        Type::Named(named) => text_of(&named.path),
        Type::Table(constant) | Type::Constant(constant) => format!("typeof({})", text_of(&constant.path)),
        Type::Tuple(parts) => format!("({})", names(parts)?),
        Type::Array(element, length) => format!("[{}; {}]", type_name(element)?, text_of(&length.tokens())),
        Type::Std(kind, arguments) => format!("{kind:?}<{}>", names(arguments)?),
        Type::Part(of, part) => format!("{}{}", type_name(of)?, part_name(part)?),
        Type::Operation(operation) => {
            let [left, right] = operation.by_reference.map(|by_reference| if by_reference { "&" } else { "" });
            let (left_type, right_type) = (type_name(&operation.left)?, type_name(&operation.right)?);
            format!("({left}{left_type} {} {right}{right_type})", operation.op.symbol())
        }
        Type::Called(call) if call.explicit.is_empty() => {
            format!("{}({})", text_of(&call.path), argument_names(&call.args)?)
        }
        Type::Returned(call) => format!("{:?}({})", call.path, argument_names(&call.args)?),
        // A closure has a type of its own, and what is in an array is no matter for what a function returns.
        Type::Called(_)
        | Type::Function(_)
        | Type::Slice { .. }
        | Type::View { .. }
        | Type::Shared(_)
        | Type::Atomic(_)
        | Type::Tile(_)
        | Type::Never
        | Type::Opaque
        | Type::Refused
        | Type::Variable(_) => return None,
    })
}

fn part_name(part: &Part) -> Option<String> {
    match part {
        Part::Field(name) => Some(format!(".{name}")),
        Part::Position(index) => Some(format!(".{index}")),
        Part::Element => Some("[]".into()),
        Part::ElementAt(key) => Some(format!("[{}]", type_name(key)?)),
        Part::Variant(_, name) => Some(format!("::{name}")),
        Part::Argument(index) => Some(format!("<{index}>")),
        Part::Literal { is_float, uses } => Some(format!(" beside {is_float} {uses:?}")),
        // A trait for each type of an argument may have a method of this name.
        Part::Output(..) => None,
    }
}

fn argument_names(args: &[Argument]) -> Option<String> {
    let name = |arg: &Argument| Some(format!("{:?} {}", arg.reference, type_name(&arg.ty)?));
    Some(args.iter().map(name).collect::<Option<Vec<_>>>()?.join(", "))
}
