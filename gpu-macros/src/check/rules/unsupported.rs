//! Valid Rust that cannot be translated to CUDA C.

use super::conversions::{Declared, check_conversions, check_declared, check_value};
use super::own_functions::check_own_function;
use crate::check::walk::assigned_locals::{changes_variables, reads_what_changes_in};
use crate::errors::Errors;
use crate::model::*;
use proc_macro2::Span;
use std::cell::RefCell;
use std::collections::HashSet;
use syn::spanned::Spanned;

/// Reports everything in `function` that the CUDA emitter has no way to say.
pub(crate) fn check_translatable(function: &Function, errors: &Errors) {
    if let Some(value) = &function.body.value {
        check_value(&function.output, value, errors);
    }
    Checker { function, errors, declarations: RefCell::default(), declared: Declared::default() }.check_block(&function.body);
}

struct Checker<'f> {
    function: &'f Function,
    errors: &'f Errors,
    /// Where shared memory is declared: the initialisers that `check_let` has seen.
    declarations: RefCell<HashSet<*const Expr>>,
    declared: Declared,
}

const NOT_VISIBLE: &str = "it depends on a constant or a device function, whose type the macro cannot see";

const UNNAMED: &str = "shared memory needs a name\nhelp: write `let mut tile = shared::<[f32; 256]>();`";

impl Checker<'_> {
    fn check_block(&self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(local) => self.check_let(local),
                Stmt::Expr(expr) => self.check_expr(expr),
            }
        }
        block.value.iter().for_each(|value| self.check_expr(value));
    }

    fn check_inside(&self, inside: Inside<'_>) {
        match inside {
            Inside::Expr(expr) => self.check_expr(expr),
            Inside::Block(block) => self.check_block(block),
            Inside::Pattern(pattern) => self.check_pattern(pattern),
            Inside::Type(_) => {}
        }
    }

    fn check_expr(&self, expr: &Expr) {
        self.check_comparison(expr);
        self.check_cast(expr);
        self.check_receiver(expr);
        self.check_borrow(expr);
        self.check_statement_value(expr);
        self.check_missing_else(expr);
        self.check_elements(expr);
        self.check_counter(expr);
        self.check_atomic_value(expr);
        self.check_guards(expr);
        self.check_order(expr);
        check_conversions(self.function, expr, &self.declared, self.errors);
        check_own_function(self.function, expr, self.errors);
        match &expr.kind {
            // Where an array's handle may stand.
            ExprKind::Index { base, index, .. } => self.check_element(base, std::slice::from_ref(index)),
            ExprKind::Element { base, indices, .. } => self.check_element(base, indices),
            ExprKind::Subslice { base, start, end, .. } => {
                self.check_element(base, std::slice::from_ref(start));
                end.iter().for_each(|end| self.check_expr(end));
            }
            ExprKind::Extent { base, .. } => self.check_handle_use(base),
            ExprKind::Tile { operation: TileOperation::Load | TileOperation::Store(_), args, .. } => {
                args[1..].iter().for_each(|arg| self.check_expr(arg));
            }
            ExprKind::Method { method, receiver, .. } if method.receiver == Receiver::Array => {
                self.check_handle_use(receiver);
                self.check_has_length(receiver);
            }
            ExprKind::Call { args, .. } => {
                self.check_borrowed_elements(args);
                args.iter().for_each(|arg| self.check_handle_use(arg));
            }
            ExprKind::Closure(closure) => self.check_expr(&closure.body),
            ExprKind::Associated { path: Some(_), args, .. } => {
                for (index, arg) in args.iter().enumerate() {
                    match &arg.kind {
                        // What the function may take as `&self`.
                        ExprKind::Borrow { operand, .. } if index == 0 && is_receiver(&operand.ty) => self.check_expr(operand),
                        _ => self.check_handle_use(arg),
                    }
                }
            }
            ExprKind::Associated { receiver, args, .. } => {
                receiver.iter().for_each(|receiver| self.check_order_of_receiver(receiver, args));
                receiver.iter().map(|receiver| &**receiver).chain(args).for_each(|arg| self.check_handle_use(arg));
            }
            ExprKind::Borrow { mutable: false, operand } if matches!(operand.ty, Type::Atomic(_)) => self.check_place_of_atomic(operand),
            ExprKind::Borrow { operand, .. } | ExprKind::Field { base: operand, .. } => self.check_handle_use(operand),
            ExprKind::Atomic { place, args, .. } => {
                self.check_place_of_atomic(place);
                args.iter().for_each(|arg| self.check_expr(arg));
            }
            // What cannot be printed has a message of its own.
            ExprKind::Intrinsic { intrinsic: Intrinsic::Print(_), args, .. } => args.iter().for_each(|arg| self.check_handle_use(arg)),
            ExprKind::Assign { target: Target::Place(place), value } if is_handle(place) && is_handle(value) => self.errors.push_invalid(
                place.span,
                "an array cannot be assigned as a whole in a kernel\nhelp: assign its elements, such as `out[i] = x[i]` in each thread",
            ),
            _ => {
                self.check_handle_copy(expr);
                expr.for_each_inside(&mut |inside| self.check_inside(inside));
            }
        }
    }

    /// Refuses guards that change something and may run several times.
    fn check_guards(&self, expr: &Expr) {
        let ExprKind::Match { arms, .. } = &expr.kind else { return };
        for arm in arms.iter().filter(|arm| arm.pattern.has_alternatives()) {
            if let Some(guard) = &arm.guard
                && (guard.any(&Expr::acts_beyond_variables) || changes_variables(self.function, guard))
            {
                self.errors.push(
                    guard.span,
                    "this guard runs for each alternative that matches, so in kernels it cannot change anything or wait for other threads\nhelp: write an arm for each alternative, or compute it before the `match`",
                );
            }
        }
    }

    /// Refuses `place op= value` where it matters which of the two is evaluated first: Rust starts with the value if both are numbers, and else with
    /// the place. Here, the value is always first.
    fn check_order(&self, expr: &Expr) {
        let ExprKind::CompoundAssign { place, value, .. } = &expr.kind else { return };
        if matches!((&place.ty, &value.ty), (Type::Scalar(_), Type::Scalar(_))) && !value.by_reference {
            return;
        }
        let acts = |part: &Expr| part.any(&|expr| expr.acts_beyond_variables() || matches!(expr.action(), Action::Call { .. }));
        if reads_what_changes_in(self.function, place, value)
            || reads_what_changes_in(self.function, value, place)
            || acts(place) && acts(value)
        {
            self.errors.push(
                value.span,
                "this value and the place that it is combined with depend on the order in which they are evaluated\nhelp: compute the value first, `let value = …;`",
            );
        }
    }

    /// Refuses two elements of an array by reference, of which one is mutable: of the second, rustc would report the check of its index too.
    fn check_borrowed_elements(&self, args: &[Expr]) {
        let mut borrowed: Vec<(LocalId, bool)> = Vec::new();
        for arg in args {
            let ExprKind::Borrow { mutable, operand } = &arg.kind else { continue };
            let (ExprKind::Index { base, .. } | ExprKind::Element { base, .. }) = &operand.kind else { continue };
            let ExprKind::Local(array) = base.kind else { continue };
            if borrowed.iter().any(|(other, changed)| *other == array && (*changed || *mutable)) {
                let name = &self.function.local(array).name;
                self.errors.push_invalid(
                    arg.span,
                    format!("this call borrows two elements of `{name}` at once, and changes one of them\nhelp: copy the elements into variables, pass those, and write them back; `{name}.swap(i, j)` exchanges two elements"),
                );
                return;
            }
            borrowed.push((array, *mutable));
        }
    }

    /// Refuses arguments that may change the receiver of a method that takes functions too: in CUDA C it is a template, which does not say whether
    /// the receiver is copied before them.
    fn check_order_of_receiver(&self, receiver: &Expr, args: &[Expr]) {
        let takes_functions = args.iter().any(|arg| Argument::new(arg).is_function());
        let changes = |arg: &&Expr| self.function.receiver_change(receiver, std::slice::from_ref(arg)) != ReceiverChange::No;
        if let (true, Some(arg)) = (takes_functions, args.iter().find(changes)) {
            self.errors.push(
                arg.span,
                "this argument may change the value whose method is called, which kernels do not support in a call that passes a function too\nhelp: compute the argument first, `let n = …;`",
            );
        }
    }

    /// Where an atomic itself may stand.
    fn check_place_of_atomic(&self, place: &Expr) {
        match &place.kind {
            ExprKind::Index { base, index, .. } => self.check_element(base, std::slice::from_ref(index)),
            ExprKind::Element { base, indices, .. } => self.check_element(base, indices),
            _ => {}
        }
    }

    fn check_element(&self, base: &Expr, indices: &[Expr]) {
        self.check_handle_use(base);
        indices.iter().for_each(|index| self.check_expr(index));
    }

    /// An array by name, or any other expression.
    fn check_handle_use(&self, base: &Expr) {
        if !matches!(base.kind, ExprKind::Local(_)) {
            self.check_expr(base);
        }
    }

    /// `len` and `is_empty` need an array. A type that only rustc and C++ know may be one.
    fn check_has_length(&self, array: &Expr) {
        let ty = &array.ty;
        // Inference has reported a value of unknown type.
        let may_have = ty.element().is_some() || ty.view().is_some() || ty.is_followed() || matches!(ty, Type::Opaque | Type::Refused);
        if !may_have {
            self.errors.push_invalid(array.span, "only arrays, slices and views have a length");
        }
    }

    /// A slice or shared array is used by name: a copy of the handle would be a second `&mut` to the same elements.
    fn check_handle_copy(&self, expr: &Expr) {
        if matches!((&expr.kind, &expr.ty), (ExprKind::Local(_), Type::Function(_))) {
            self.errors.push(
                expr.span,
                "a closure cannot be copied or assigned in a kernel\nhelp: call it by its name, or pass it to a `#[gpu_device]` function",
            );
        }
        if declares_shared(expr) {
            if !self.declarations.borrow().contains(&std::ptr::from_ref(expr)) {
                self.errors.push(expr.span, UNNAMED);
            }
            return;
        }
        if is_handle(expr) {
            self.errors.push(
                expr.span,
                "a slice, view or shared array cannot be copied or assigned in a kernel\nhelp: use its name: index it, or pass it to a `#[gpu_device]` function",
            );
        }
    }

    /// An atomic cannot be a value: rustc would report that it cannot be moved.
    fn check_atomic_value(&self, expr: &Expr) {
        if matches!(expr.ty, Type::Atomic(_)) && matches!(expr.kind, ExprKind::Index { .. } | ExprKind::Element { .. } | ExprKind::Local(_))
        {
            self.errors.push_invalid(
                expr.span,
                "an atomic cannot be copied or assigned: its methods read and change it\nhelp: append `.load(Ordering::Relaxed)` to read, or `.store(value, Ordering::Relaxed)` to write",
            );
        }
    }

    fn check_let(&self, local: &Let) {
        let name = local.pattern.as_name();
        let is_binding = name.is_some();
        if let Some(init) = local.init.as_ref().filter(|init| declares_shared(init)) {
            self.declarations.borrow_mut().insert(init);
            if !is_binding {
                self.errors.push(local.span, UNNAMED);
            } else if let (Some(tokens), false) = (&local.tokens, matches!(local.ty, Type::Shared(_) | Type::Slice { .. })) {
                self.errors.push(
                    tokens.span(),
                    "a type annotation is not supported on shared memory\nhelp: remove it; `shared::<[f32; 256]>()` already has the type",
                );
            }
        }
        if is_binding && local.ty == Type::Unit && local.init.as_ref().is_none_or(|init| value_without_else(init).is_none()) {
            self.errors.push(local.span, "a variable of type `()` is not supported in kernels\nhelp: remove the `let`");
        }
        if local.init.is_none() && local.ty == Type::Opaque {
            self.errors.push(local.span, "cannot infer the type of this variable\nhelp: annotate it, such as `let x: f32;`");
        }
        if let (Some(init), Some(name)) = (&local.init, name) {
            check_declared(name, &local.ty, init, &self.declared, self.errors);
        }
        local.init.iter().for_each(|init| self.check_expr(init));
        if !is_binding {
            self.check_pattern(&local.pattern);
        }
        local.otherwise.iter().for_each(|otherwise| self.check_block(otherwise));
    }

    /// What a name is bound to has a value in C.
    fn check_pattern(&self, pattern: &Pattern) {
        if let (PatternKind::Bind { .. }, Type::Unit) = (&pattern.kind, &pattern.ty) {
            self.errors.push(pattern.span, "a variable of type `()` is not supported in kernels\nhelp: write `_`");
        }
        pattern.for_each_inside(&mut |inside| self.check_inside(inside));
    }

    fn check_comparison(&self, expr: &Expr) {
        let ExprKind::Binary { op, left, .. } = &expr.kind else { return };
        if (op.is_comparison() || op.is_order()) && matches!(left.ty, Type::Dim3 | Type::Unit) {
            self.errors.push(
                expr.span,
                "these values cannot be compared in kernels\nhelp: compare the coordinates, such as `thread_idx().x == 0`",
            );
        }
    }

    fn check_cast(&self, expr: &Expr) {
        if let ExprKind::Convert { conversion: Conversion::Cast, to, .. } = &expr.kind
            && !(to.is_scalar() || matches!(to, Type::Named(_) | Type::Refused))
        {
            self.errors.push(expr.span, "cannot infer the type that this casts to\nhelp: write it, such as `x.cast::<f32>()`");
        }
        if let ExprKind::Cast { operand, to } = &expr.kind
            && let Type::Named(named) = &operand.ty
            && let Some(half) = named.half_name()
        {
            let help = match to {
                Scalar::F32 => "write `x.to_f32()`".to_owned(),
                Scalar::F64 => "write `x.to_f64()`".to_owned(),
                to => format!("write `x.to_f32() as {}`", to.name()),
            };
            self.errors.push_invalid(expr.span, format!("`as` cannot convert from `{half}`\nhelp: {help}"));
        }
        if let ExprKind::Binary { op, left, right, .. } | ExprKind::CompoundAssign { op, place: left, value: right, .. } = &expr.kind
            && let (Type::Named(named), Type::Scalar(scalar)) | (Type::Scalar(scalar), Type::Named(named)) = (&left.ty, &right.ty)
            && let (Some(half), true) = (named.half_name(), scalar.is_float() && !op.is_shift())
        {
            let float = scalar.name();
            self.errors.push_invalid(
                expr.span,
                format!(
                    "`{half}` and `{float}` cannot be combined without a conversion\nhelp: write `x.to_{float}()` or `{half}::from_{float}(y)`"
                ),
            );
        }
    }

    fn check_receiver(&self, expr: &Expr) {
        let ExprKind::Method { method, receiver, name, .. } = &expr.kind else { return };
        if receiver.ty == Type::Opaque || (receiver.ty.is_followed() && !works_on_every_number(*method)) {
            self.errors.push(
                receiver.span,
                format!("cannot infer the type of this value, so `{name}` cannot be translated\nhelp: bind it with its type first, such as `let x: f32 = …;`"),
            );
        }
    }

    fn check_borrow(&self, expr: &Expr) {
        let ExprKind::Borrow { operand, mutable } = &expr.kind else { return };
        if matches!(&operand.ty, Type::Shared(_)) && matches!(operand.ty.element(), Some((&Type::BOOL, _))) {
            self.errors.push(expr.span, "a shared array of `bool` cannot be passed to a device function\nhelp: share an array of `u8`");
        }
        let is_shared = |local| matches!(self.function.local(local).ty, Type::Shared(_));
        if *mutable && operand.ty == Type::BOOL && operand.place().variable().is_some_and(is_shared) {
            self.errors.push(expr.span, "a `bool` in shared memory cannot be changed by reference\nhelp: share an array of `u8`");
        }
        if *mutable && matches!(operand.ty, Type::Atomic(_)) {
            self.errors.push_invalid(expr.span, "atomics are changed through a shared reference\nhelp: write `&` instead of `&mut`");
        }
        if matches!(operand.ty, Type::Unit | Type::Dim3) {
            self.errors.push(
                expr.span,
                "this value cannot be passed to a device function by reference\nhelp: pass the array and the index, or a number by value, and return the result",
            );
        }
    }

    /// `if`, blocks and loops become statements that assign a variable, whose type C needs.
    fn check_statement_value(&self, expr: &Expr) {
        let is_statement = matches!(
            expr.kind,
            ExprKind::If { otherwise: Some(_), .. } | ExprKind::Match { .. } | ExprKind::Block { .. } | ExprKind::Loop { .. }
        );
        // Where some arms have a type, they have different ones, which rustc reports.
        let is_clash =
            matches!(&expr.kind, ExprKind::Match { arms, .. } if arms.iter().any(|arm| !matches!(arm.body.ty, Type::Opaque | Type::Never)));
        if let Some(integer) = integer_beside_float(expr) {
            self.errors.push_invalid(
                integer.span,
                "the values of this `if` have different types: this one is an integer, and the other one a float\nhelp: write the integer as a float, such as `1.0`",
            );
            return;
        }
        if is_statement && expr.ty == Type::Opaque && !is_clash {
            self.errors.push(
                expr.span,
                format!("cannot infer the type of this value: {NOT_VISIBLE}\nhelp: annotate it, such as `let x: f32 = …;`"),
            );
        }
    }

    /// An `if` without `else` has no value. rustc reports this too, but in the twin it blames the type of the last expression.
    fn check_missing_else(&self, expr: &Expr) {
        if let Some(value) = value_without_else(expr) {
            self.errors.push_invalid(
                value.span,
                "this `if` has a value but no `else`\nhelp: add `else { … }` with the other value, or end the value with `;`",
            );
        }
    }

    fn check_elements(&self, expr: &Expr) {
        match (&expr.kind, &expr.ty) {
            (ExprKind::Tuple(_), Type::Tuple(elements)) => {
                if elements.len() > 8 {
                    self.errors.push(expr.span, "tuples in kernels have at most 8 elements\nhelp: use an array, or nest tuples");
                }
                self.check_element_types(elements, expr.span);
            }
            (ExprKind::Array(_) | ExprKind::Repeat { .. }, Type::Array(element, _)) => {
                self.check_element_types(std::slice::from_ref(element), expr.span);
            }
            (ExprKind::Variant { .. }, Type::Std(_, arguments)) => {
                let values: Vec<Type> = arguments.iter().filter(|argument| **argument != Type::Unit).cloned().collect();
                self.check_element_types(&values, expr.span);
            }
            _ => {}
        }
    }

    fn check_element_types(&self, elements: &[Type], span: Span) {
        if elements.contains(&Type::Opaque) {
            self.errors.push(
                span,
                format!("cannot infer the type of an element: {NOT_VISIBLE}\nhelp: bind the element with its type first, such as `let x: f32 = …;`"),
            );
        }
        if elements.contains(&Type::Unit) {
            self.errors.push(span, "`()` as an element is not supported in kernels\nhelp: remove the element");
        }
    }

    fn check_counter(&self, expr: &Expr) {
        let ExprKind::For { counter, range: Range::Bounds { start, .. }, .. } = &expr.kind else { return };
        if let Some(float) = start.ty.as_scalar().filter(|scalar| scalar.is_float()) {
            let float = float.name();
            self.errors.push_invalid(
                start.span,
                format!("a loop cannot count with floats\nhelp: count with integers, and compute the float from them: `for i in 0..n {{ let t = i as {float} * step; … }}`"),
            );
        }
        if self.function.local(*counter).ty == Type::Opaque {
            self.errors.push(
                start.span,
                format!("cannot infer the type of this range: {NOT_VISIBLE}\nhelp: write the type of its start, such as `0usize..N`"),
            );
        }
    }
}

/// The last expression of a block, and any other expression.
fn value_of(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Block { block, .. } => block.value.as_deref().map_or(expr, value_of),
        _ => expr,
    }
}

/// The literal of an `if` whose other value is a float.
fn integer_beside_float(expr: &Expr) -> Option<&Expr> {
    let ExprKind::If { then, otherwise: Some(otherwise), .. } = &expr.kind else { return None };
    let (first, second) = (then.value.as_deref()?, value_of(otherwise));
    match (&first.kind, &second.kind) {
        (ExprKind::Int(_), ExprKind::Float(_)) => Some(first),
        (ExprKind::Float(_), ExprKind::Int(_)) => Some(second),
        _ => None,
    }
}

/// The value of an `if` that has no `else`.
fn value_without_else(expr: &Expr) -> Option<&Expr> {
    let ExprKind::If { then, otherwise: None, .. } = &expr.kind else { return None };
    let value = then.value.as_deref()?;
    matches!(value.ty, Type::Scalar(_) | Type::Parameter(_) | Type::Array(..) | Type::Named(_) | Type::Part(..)).then_some(value)
}

/// Whether a value of this type may be the `self` of a method. (What is a part of another may be an array.)
fn is_receiver(ty: &Type) -> bool {
    ty.is_scalar() || matches!(ty, Type::Named(_))
}

/// Whether the value stands for the elements of an array elsewhere.
fn is_handle(expr: &Expr) -> bool {
    matches!(expr.ty, Type::Slice { .. } | Type::View { .. } | Type::Shared(_))
}

fn declares_shared(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Intrinsic { intrinsic: Intrinsic::Shared(_) | Intrinsic::DynamicShared(_), .. })
}

/// Whether C++ finds the method, and its result's type, by the type of the receiver.
fn works_on_every_number(method: Method) -> bool {
    method.failure.is_some()
        || (!matches!(method.result, Operand::Unsigned | Operand::Bytes)
            && !matches!(method.receiver, Receiver::Unsigned | Receiver::Signed))
}
