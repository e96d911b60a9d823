//! The constraints of each construct.

use super::calls::{bytes_of, is_literal};
use super::operators::BesideOwn;
use super::table::Table;
use crate::errors::Errors;
use crate::model::*;
use crate::source_scope::Surroundings;

pub(super) struct Inference<'f> {
    pub(super) function: &'f Function,
    pub(super) table: Table,
    pub(super) errors: &'f Errors,
    /// The type of `break` values, per label.
    label_types: Vec<Type>,
    /// Methods whose result's type needs the receiver's, which was not known yet: `(receiver, result, operand)`.
    pub(super) deferred: Vec<(Type, Type, Operand)>,
    /// The numbers beside operands of types that may have operators of their own.
    pub(super) beside: Vec<BesideOwn>,
    /// The types of values that come from several branches, for which C declares a variable before them.
    in_branches: Vec<Type>,
    /// The types of ranges whose numbers have positions.
    pub(super) range_types: Vec<Type>,
    /// The return types of the closures around the current expression, innermost last.
    closure_outputs: Vec<Type>,
    /// What the types of closures must not follow from literals or their callee alone: `(type, where, message)`.
    closure_types: Vec<ClosureType>,
    /// The text around the function, once it was needed.
    pub(super) surroundings: Option<Surroundings>,
    /// The names in the function that may be those of constants outside of it.
    constant_names: &'f [proc_macro2::Ident],
    /// The fields whose types it tells.
    pub(super) field_types: Vec<FieldType>,
}

/// A type in the signature of a closure, which must be visible.
struct ClosureType {
    ty: Type,
    span: proc_macro2::Span,
    /// The parameter; `None` for the return type of the closure.
    param: Option<proc_macro2::Ident>,
}

impl<'f> Inference<'f> {
    pub(super) fn new(
        function: &'f Function,
        variables: usize,
        surroundings: Option<Surroundings>,
        constant_names: &'f [proc_macro2::Ident],
        errors: &'f Errors,
    ) -> Self {
        let mut table = Table::new(variables);
        let label_types = function.labels.iter().map(|_| table.fresh()).collect();
        Inference {
            function,
            table,
            errors,
            label_types,
            deferred: Vec::new(),
            beside: Vec::new(),
            in_branches: Vec::new(),
            range_types: Vec::new(),
            closure_outputs: Vec::new(),
            closure_types: Vec::new(),
            surroundings,
            constant_names,
            field_types: Vec::new(),
        }
    }

    pub(super) fn infer_body(&mut self) {
        let function = self.function;
        if let Some(value) = &function.body.value {
            self.expect(value, &function.output);
        }
        let ty = self.infer_block(&function.body);
        if ty != Type::Never {
            self.table.unify(&function.output, &ty);
        } else if let Some(value) = &function.body.value {
            // The value is never reached, and rustc types it all the same.
            self.table.unify(&function.output, &value.ty);
        }
        self.solve_deferred();
        for ty in std::mem::take(&mut self.in_branches) {
            self.table.follow(&ty);
        }
        for ty in std::mem::take(&mut self.range_types) {
            self.table.suppose_usize(&ty);
        }
        self.solve_literals();
    }

    /// Reports types of closures that only the callee knows: the macro does not see it.
    pub(super) fn check_closures(&mut self) {
        for ClosureType { ty, span, param } in std::mem::take(&mut self.closure_types) {
            let is_unknown = match &param {
                Some(_) => matches!(self.table.resolve(&ty), Type::Variable(_)),
                None => self.table.is_undetermined(&ty),
            };
            if !is_unknown {
                continue;
            }
            match param {
                Some(name) => self.errors.push(span, format!("cannot infer the type of `{name}`\nhelp: write it, such as `|{name}: f32|`")),
                None => {
                    self.errors.push(span, "cannot infer the return type of this closure\nhelp: write it, such as `|x: f32| -> f32 { … }`");
                }
            }
            // One message for it is enough.
            self.table.unify(&ty, &Type::Refused);
        }
    }

    fn infer_closure(&mut self, closure: &Closure) {
        for (local, tokens) in &closure.params {
            let Local { name, ty, .. } = self.function.local(*local);
            if tokens.is_none() {
                self.closure_types.push(ClosureType { ty: ty.clone(), span: name.span(), param: Some(name.clone()) });
            }
        }
        self.closure_types.push(ClosureType { ty: closure.output.clone(), span: closure.body.span, param: None });
        self.closure_outputs.push(closure.output.clone());
        self.infer_as(&closure.body, &closure.output);
        self.closure_outputs.pop();
    }

    /// The type of a constant outside of the function, where the text around it shows one, which rustc confirms or refuses.
    fn type_of_constant(&mut self, path: &syn::Path) -> Option<Scalar> {
        let function = self.function;
        self.constant_names.contains(&path.segments.last()?.ident).then_some(())?;
        self.surroundings.get_or_insert_with(|| Surroundings::of(&function.name)).type_of_constant(path)
    }

    pub(super) fn finish(self) -> (Table, Vec<FieldType>, Option<Surroundings>) {
        (self.table, self.field_types, self.surroundings)
    }

    fn solve_deferred(&mut self) {
        for (receiver, result, operand) in std::mem::take(&mut self.deferred) {
            match self.table.resolve(&receiver) {
                Type::Variable(_) => self.deferred.push((receiver, result, operand)),
                known => {
                    let ty = self.operand_type(operand, &known);
                    self.table.unify(&result, &ty);
                }
            }
        }
    }

    /// The type of a block's value; `Never` if its end is not reached.
    fn infer_block(&mut self, block: &Block) -> Type {
        let mut diverges = false;
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(local) => diverges |= self.infer_let(local),
                Stmt::Expr(expr) => diverges |= self.infer_expr(expr) == Type::Never,
            }
        }
        match &block.value {
            Some(value) => {
                let ty = self.infer_expr(value);
                if diverges { Type::Never } else { ty }
            }
            None if diverges => Type::Never,
            None => Type::Unit,
        }
    }

    fn infer_let(&mut self, local: &Let) -> bool {
        let ty = local.init.as_ref().map(|init| {
            self.expect(init, &local.ty);
            self.infer_expr(init)
        });
        if let Some(ty) = &ty
            && *ty != Type::Never
        {
            self.table.unify(&local.ty, ty);
        }
        self.infer_pattern(&local.pattern, &local.ty);
        if let Some(otherwise) = &local.otherwise {
            self.infer_block(otherwise);
        }
        ty == Some(Type::Never)
    }

    /// Types `expr` and everything in it. Returns its type, or `Never` if it does not return.
    pub(super) fn infer_expr(&mut self, expr: &Expr) -> Type {
        let ty = self.infer_kind(expr);
        self.table.unify(&expr.ty, &ty);
        if let ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Block { .. } | ExprKind::Loop { .. } = expr.kind {
            self.in_branches.push(expr.ty.clone());
        }
        ty
    }

    fn infer_kind(&mut self, expr: &Expr) -> Type {
        let function = self.function;
        match &expr.kind {
            ExprKind::Refused => Type::Refused,
            ExprKind::Start(_) => expr.ty.clone(),
            ExprKind::Int(literal) => literal.suffix.map_or_else(|| self.table.fresh_integer(expr.span), Type::Scalar),
            ExprKind::Float(literal) => literal.suffix.map_or_else(|| self.table.fresh_float(expr.span), Type::Scalar),
            ExprKind::Bool(_) => Type::BOOL,
            ExprKind::Local(local) => function.local(*local).ty.clone(),
            ExprKind::Constant(path) if enum_of_variant(path).is_some() => self.infer_variant_without_data(path, &expr.ty),
            ExprKind::Constant(path) => {
                if let Some(scalar) = self.type_of_constant(path) {
                    return Type::Scalar(scalar);
                }
                // What is spelled like a variable is none that exists: its parts are not looked for.
                match path.get_ident().is_some_and(is_variable_name) {
                    true => self.table.mark_opaque(&expr.ty),
                    false => self.table.mark_opaque_as(&expr.ty, Type::Constant(NamedType { path: path.clone() })),
                }
                expr.ty.clone()
            }
            ExprKind::Unary { operand, .. } => self.infer_expr(operand),
            ExprKind::Binary { op, left, right, .. } => self.infer_binary(*op, left, right, false),
            ExprKind::Logical { left, right, .. } => {
                self.infer_as(left, &Type::BOOL);
                self.infer_as(right, &Type::BOOL);
                Type::BOOL
            }
            ExprKind::Cast { operand, to } => {
                let ty = self.infer_expr(operand);
                self.check_cast_of_dual(&ty, *to, operand.span);
                // As in Rust, `255 as u8` types the literal by the target.
                if is_literal(operand) {
                    let both_float = matches!(literal_kind(operand), ExprKind::Float(_)) && to.is_float();
                    let both_integer = matches!(literal_kind(operand), ExprKind::Int(_)) && to.is_integer();
                    if both_float || both_integer {
                        self.table.unify(&ty, &Type::Scalar(*to));
                    }
                }
                Type::Scalar(*to)
            }
            ExprKind::Convert { conversion, to, operand } => {
                let ty = self.infer_expr(operand);
                let from = match conversion {
                    Conversion::FromBits if to.as_scalar() == Some(Scalar::F32) => Some(Type::U32),
                    Conversion::FromBits => Some(Type::Scalar(Scalar::U64)),
                    Conversion::FromF64 => Some(Type::Scalar(Scalar::F64)),
                    Conversion::FromI32 => Some(Type::I32),
                    Conversion::FromBytes(_) => to.as_scalar().map(bytes_of),
                    Conversion::From | Conversion::Cast | Conversion::Fits => None,
                };
                if let Some(from) = from {
                    self.table.unify(&ty, &from);
                }
                if *conversion == Conversion::Fits { Type::BOOL } else { to.clone() }
            }
            ExprKind::Index { base, index, .. } => self.infer_index(base, index),
            ExprKind::Subslice { mutable, base, start, end, .. } => {
                let element = Box::new(self.infer_index(base, start));
                end.iter().for_each(|end| self.infer_as(end, &Type::USIZE));
                Type::Slice { element, mutable: *mutable }
            }
            ExprKind::Element { base, indices, .. } => {
                let view = self.infer_expr(base);
                for index in indices {
                    self.infer_as(index, &Type::USIZE);
                }
                view.view().map_or_else(|| self.table.fresh(), |(element, _)| element.clone())
            }
            ExprKind::Extent { base, .. } => {
                self.infer_expr(base);
                Type::USIZE
            }
            ExprKind::TupleField { base, index } => self.infer_tuple_field(expr, base, *index),
            ExprKind::Field { base, name } => self.infer_field(base, name),
            ExprKind::Struct { constructor, fields, base, .. } => self.infer_struct(&expr.ty, constructor, fields, base.as_deref()),
            ExprKind::Associated { path, receiver, name, args } => {
                self.infer_associated(expr, path.as_ref(), receiver.as_deref(), name, args)
            }
            ExprKind::Axis { base, .. } => {
                self.infer_expr(base);
                Type::USIZE
            }
            ExprKind::Tuple(elements) if elements.is_empty() => Type::Unit,
            ExprKind::Tuple(elements) => Type::Tuple(elements.iter().map(|element| self.infer_expr(element)).collect()),
            ExprKind::Array(elements) => {
                let element_type = self.table.fresh();
                for element in elements {
                    self.infer_as(element, &element_type);
                }
                Type::Array(Box::new(element_type), Length::of_elements(elements.len(), expr.span))
            }
            ExprKind::Repeat { element, length } => Type::Array(Box::new(self.infer_expr(element)), length.clone()),
            ExprKind::Method { method, name, receiver, args, .. } => self.infer_method(expr, *method, name, receiver, args),
            ExprKind::Atomic { method, name, place, args, answer, .. } => {
                let value = self.infer_atomic(*method, place, args, answer);
                self.check_atomic_method(&place.ty, name);
                value
            }
            ExprKind::Intrinsic { intrinsic, args, .. } => match intrinsic {
                Intrinsic::ThreadIdx | Intrinsic::BlockIdx | Intrinsic::BlockDim | Intrinsic::GridDim => Type::Dim3,
                Intrinsic::Grid1d => Type::USIZE,
                Intrinsic::Grid2d => Type::Tuple(vec![Type::USIZE; 2]),
                Intrinsic::Grid3d => Type::Tuple(vec![Type::USIZE; 3]),
                Intrinsic::Shared(_) => expr.ty.clone(),
                Intrinsic::DynamicShared(_) => {
                    args.iter().for_each(|length| self.infer_as(length, &Type::USIZE));
                    expr.ty.clone()
                }
                Intrinsic::Builtin { builtin, .. } => self.infer_builtin(*builtin, args),
                Intrinsic::Print(_) => {
                    for arg in args {
                        self.infer_expr(arg);
                    }
                    Type::Unit
                }
            },
            ExprKind::Call { path, explicit, args, .. } => {
                self.infer_literals_in_tuples(path, args);
                self.infer_arguments(args);
                let args = args.iter().map(Argument::new).collect();
                let call = Called { path: path.clone(), explicit: explicit.clone(), args };
                self.table.mark_opaque_as(&expr.ty, Type::Called(Box::new(call)));
                expr.ty.clone()
            }
            ExprKind::Tile { operation, name, args } => self.infer_tile(operation, name, args, &expr.ty),
            ExprKind::CallLocal { function: called, args } => self.infer_call_of_local(*called, args, expr.span),
            ExprKind::Closure(closure) => {
                self.infer_closure(closure);
                expr.ty.clone()
            }
            ExprKind::FunctionItem { .. } => {
                self.table.mark_opaque(&expr.ty);
                expr.ty.clone()
            }
            ExprKind::Borrow { operand, .. } => self.infer_expr(operand),
            ExprKind::If { condition, then, otherwise } => self.infer_if(condition, then, otherwise.as_deref()),
            ExprKind::Let { pattern, value } => {
                let ty = self.infer_expr(value);
                self.infer_pattern(pattern, &ty);
                Type::BOOL
            }
            ExprKind::Match { scrutinee, arms } => self.infer_match(scrutinee, arms),
            ExprKind::Variant { variant, value } => self.infer_variant(*variant, value.as_deref()),
            ExprKind::Again { like, value, of_rest } => self.infer_again(like, value, *of_rest),
            ExprKind::Either(operand) => self.infer_either(operand),
            ExprKind::ByType(choice) => self.infer_by_type(choice),
            ExprKind::Block { label, block } => {
                let ty = self.infer_block(block);
                match label {
                    None => ty,
                    Some(label) => {
                        if ty == Type::Never && !block_breaks_to(block, *label) {
                            return Type::Never;
                        }
                        let breaks = self.label_types[label.0].clone();
                        if ty != Type::Never {
                            self.table.unify(&breaks, &ty);
                        }
                        breaks
                    }
                }
            }
            ExprKind::Loop { label, body } => {
                self.infer_block(body);
                if block_breaks_to(body, *label) { self.label_types[label.0].clone() } else { Type::Never }
            }
            ExprKind::While { condition, body, .. } => {
                self.infer_as(condition, &Type::BOOL);
                self.infer_block(body);
                Type::Unit
            }
            ExprKind::For { counter, range, body, .. } => {
                self.infer_range(*counter, range);
                self.infer_block(body);
                Type::Unit
            }
            ExprKind::Break { label, value, .. } => {
                let breaks = self.label_types[label.0].clone();
                match value {
                    Some(value) => self.infer_as(value, &breaks),
                    None => self.table.unify(&breaks, &Type::Unit),
                }
                Type::Never
            }
            ExprKind::Continue { .. } | ExprKind::Panic { .. } => Type::Never,
            ExprKind::Return(value) => {
                if let Some(value) = value {
                    let output = self.closure_outputs.last().unwrap_or(&function.output).clone();
                    self.infer_as(value, &output);
                }
                Type::Never
            }
            ExprKind::Assign { target, value } => {
                self.infer_assign(target, value);
                Type::Unit
            }
            ExprKind::CompoundAssign { op, place, value, .. } => {
                self.infer_binary(*op, place, value, true);
                self.check_assigned(place);
                Type::Unit
            }
            ExprKind::Assembly(assembly) => {
                for input in &assembly.inputs {
                    self.infer_expr(input);
                }
                let output = assembly.output();
                let alternative = self.infer_block(&assembly.alternative);
                if alternative != Type::Never {
                    self.table.unify(&output, &alternative);
                }
                output
            }
            ExprKind::Assert { condition, .. } => {
                self.infer_as(condition, &Type::BOOL);
                Type::Unit
            }
        }
    }

    pub(super) fn infer_as(&mut self, expr: &Expr, ty: &Type) {
        self.expect(expr, ty);
        let found = self.infer_expr(expr);
        if found != Type::Never {
            self.table.unify(ty, &found);
        }
    }

    fn infer_index(&mut self, base: &Expr, index: &Expr) -> Type {
        let base_type = self.infer_array(base);
        let base_type = self.table.follow(&base_type);
        if base_type.is_followed()
            && let Some(key) = self.infer_own_key(index)
        {
            return base_type.part(Part::ElementAt(Box::new(key)));
        }
        self.infer_as(index, &Type::USIZE);
        match base_type.element() {
            Some((element, _)) => element.clone(),
            None if base_type.is_followed() => base_type.part(Part::Element),
            // A copy of a view, which `check` refuses.
            None if base_type.view().is_some() || base_type == Type::Refused => Type::Refused,
            None => {
                if matches!(base_type, Type::Variable(_)) {
                    self.errors
                        .push(base.span, "cannot infer the type of this array\nhelp: annotate the variable, such as `let a: [f32; 4] = …`");
                } else if let Type::Std(..) = base_type {
                    // `map` of a value whose type is not visible is that of an `Option`.
                    self.errors.push_invalid(
                        base.span,
                        "this value is taken for an `Option` or a `Result`, which cannot be indexed\nhelp: write the type of an array that `.map(…)` returns, such as `let a: [f32; 4] = v.to_array().map(|x| x * 2.0);`",
                    );
                } else {
                    self.errors.push_invalid(
                        base.span,
                        "only arrays and slices can be indexed\nhelp: remove the index; this value is one element",
                    );
                }
                self.table.unify(&base_type, &Type::Refused);
                Type::Refused
            }
        }
    }

    /// The type of an index that is no number, which a user's `Index` may take. The numbers in it count elements.
    fn infer_own_key(&mut self, index: &Expr) -> Option<Type> {
        let may_be_own = |kind: &ExprKind| !matches!(kind, ExprKind::Int(_) | ExprKind::Binary { .. } | ExprKind::Cast { .. });
        let ty = may_be_own(&index.kind).then(|| self.infer_expr(index))?;
        if let ExprKind::Constant(path) = &index.kind
            && let Some(owner) = enum_of_variant(path)
        {
            self.table.unify(&ty, &Type::Named(owner));
        }
        match self.table.resolve(&ty) {
            Type::Tuple(elements) => {
                for element in
                    elements.iter().filter(|element| matches!(self.table.resolve(element), Type::Variable(_))).cloned().collect::<Vec<_>>()
                {
                    self.table.unify(&element, &Type::USIZE);
                }
                Some(self.table.resolve_fully(&ty))
            }
            named @ Type::Named(_) => Some(named),
            _ => {
                self.table.unify(&Type::USIZE, &ty);
                None
            }
        }
    }

    /// What is indexed, or asked for its length: a constant that is, is an array.
    pub(super) fn infer_array(&mut self, array: &Expr) -> Type {
        if let ExprKind::Constant(path) = &array.kind
            && matches!(self.table.resolve(&array.ty), Type::Variable(_))
        {
            let table = Type::Table(NamedType { path: path.clone() });
            self.table.unify(&array.ty, &table);
            return table;
        }
        self.infer_expr(array)
    }

    fn infer_if(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Expr>) -> Type {
        self.infer_as(condition, &Type::BOOL);
        let then = self.infer_block(then);
        let Some(otherwise) = otherwise else { return Type::Unit };
        let otherwise = self.infer_expr(otherwise);
        match (then, otherwise) {
            (Type::Never, Type::Never) => Type::Never,
            (Type::Never, ty) | (ty, Type::Never) => ty,
            (then, otherwise) => {
                self.table.unify(&then, &otherwise);
                then
            }
        }
    }

    fn infer_range(&mut self, counter: LocalId, range: &Range) {
        let counter = self.function.local(counter).ty.clone();
        match range {
            Range::Bounds { start, end, adapters, .. } => {
                self.infer_as(start, &counter);
                self.infer_as(end, &counter);
                for adapter in adapters {
                    if let RangeAdapter::StepBy { step, .. } = adapter {
                        self.infer_as(step, &Type::USIZE);
                    }
                }
            }
            Range::GridStride { length, .. } => {
                self.infer_as(length, &Type::USIZE);
                self.table.unify(&counter, &Type::USIZE);
            }
        }
    }

    pub(super) fn infer_target(&mut self, target: &Target, ty: &Type) {
        match target {
            Target::Wildcard(_) => {}
            Target::Place(target) => {
                let place = self.infer_expr(target);
                self.check_assigned(target);
                if *ty != Type::Never {
                    self.table.unify(&place, ty);
                }
            }
            Target::Tuple(targets, _) => {
                let elements = match self.table.resolve(ty) {
                    Type::Tuple(elements) if elements.len() == targets.len() => elements,
                    followed if followed.is_followed() => {
                        (0..targets.len()).map(|position| followed.part(Part::Position(position))).collect()
                    }
                    Type::Refused => vec![Type::Refused; targets.len()],
                    _ => targets.iter().map(|_| self.table.fresh()).collect(),
                };
                for (target, ty) in targets.iter().zip(&elements) {
                    self.infer_target(target, ty);
                }
            }
        }
    }
}

pub(super) fn literal_kind(expr: &Expr) -> &ExprKind {
    match &expr.kind {
        ExprKind::Unary { op: UnaryOp::Negate, operand } => &operand.kind,
        kind => kind,
    }
}

fn block_breaks_to(block: &Block, label: LabelId) -> bool {
    block.any(&|expr| matches!(&expr.kind, ExprKind::Break { label: target, .. } if *target == label))
}
