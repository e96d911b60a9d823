//! The table of type variables: union-find with literal classes.

use crate::errors::Errors;
use crate::model::{Part, Scalar, StdEnum, Type, TypeParam, TypeVariable};
use proc_macro2::Span;

/// The known part of a class of equal type variables.
#[derive(Debug, Clone)]
struct Class {
    kind: Kind,
    /// Something that only rustc can type (a constant, a device function's result or argument) belongs to the class.
    opaque: bool,
    /// Its type, in terms of one of these.
    source: Option<Type>,
    /// The unsuffixed literals in the class.
    literals: Vec<Literal>,
}

#[derive(Debug, Clone, Copy)]
struct Literal {
    span: Span,
    /// Stands where C converts it exactly: alone as an argument of a device function, or, if an integer, in a pattern.
    exact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    Integer,
    Float,
}

#[derive(Debug, Clone)]
enum Entry {
    Link(usize),
    Known(Type),
    Root(Class),
}

pub(crate) struct Table {
    entries: Vec<Entry>,
    /// Literals that stand where a value of a type parameter's type must.
    misfits: Vec<(Span, Kind, TypeParam)>,
    /// Variables whose types have too many parts.
    too_large: Vec<usize>,
}

/// A type with more parts than this is refused. `let b = (a, a);` in twenty lines would make a million.
const MOST_PARTS: usize = 4096;

impl Table {
    pub(super) fn new(variables: usize) -> Table {
        let unknown = Entry::Root(Class { kind: Kind::Any, opaque: false, source: None, literals: Vec::new() });
        Table { entries: vec![unknown; variables], misfits: Vec::new(), too_large: Vec::new() }
    }

    pub(super) fn fresh(&mut self) -> Type {
        self.entries.push(Entry::Root(Class { kind: Kind::Any, opaque: false, source: None, literals: Vec::new() }));
        Type::Variable(TypeVariable(self.entries.len() - 1))
    }

    fn fresh_literal(&mut self, kind: Kind, span: Span) -> Type {
        let literals = vec![Literal { span, exact: false }];
        self.entries.push(Entry::Root(Class { kind, opaque: false, source: None, literals }));
        Type::Variable(TypeVariable(self.entries.len() - 1))
    }

    pub(super) fn fresh_integer(&mut self, span: Span) -> Type {
        self.fresh_literal(Kind::Integer, span)
    }

    pub(super) fn fresh_float(&mut self, span: Span) -> Type {
        self.fresh_literal(Kind::Float, span)
    }

    fn root(&self, mut index: usize) -> usize {
        while let Entry::Link(next) = self.entries[index] {
            index = next;
        }
        index
    }

    /// Follows variables at the top of `ty` only.
    pub(super) fn resolve(&self, ty: &Type) -> Type {
        let Type::Variable(variable) = ty else { return ty.clone() };
        let root = self.root(variable.0);
        match &self.entries[root] {
            Entry::Known(known) => self.resolve(known),
            _ => Type::Variable(TypeVariable(root)),
        }
    }

    /// Follows every variable; variables that are still unknown become opaque.
    pub(crate) fn resolve_fully(&self, ty: &Type) -> Type {
        self.resolve_parts(ty, &mut MOST_PARTS.saturating_mul(2))
    }

    /// The same with at most `left` parts; those beyond are refused.
    fn resolve_parts(&self, ty: &Type, left: &mut usize) -> Type {
        let mut ty = self.resolve(ty);
        if let Type::Variable(_) = ty {
            return Type::Opaque;
        }
        match left.checked_sub(1) {
            Some(rest) => *left = rest,
            None => return Type::Refused,
        }
        ty.for_each_part_mut(&mut |part| *part = self.resolve_parts(part, left));
        ty
    }

    /// Whether the type was refused because it has too many parts.
    pub(super) fn is_too_large(&self, ty: &Type) -> bool {
        matches!(ty, Type::Variable(variable) if self.too_large.contains(&self.root(variable.0)))
    }

    pub(super) fn has_too_large(&self) -> bool {
        !self.too_large.is_empty()
    }

    /// Whether `ty` is unknown, or only literals determine it.
    pub(super) fn is_undetermined(&self, ty: &Type) -> bool {
        match self.resolve(ty) {
            Type::Variable(variable) => matches!(&self.entries[variable.0], Entry::Root(class) if class.kind != Kind::Any || !class.opaque),
            _ => false,
        }
    }

    /// Of a number that only literals determine: whether it is a float.
    pub(super) fn literal_kind(&self, ty: &Type) -> Option<bool> {
        match self.resolve(ty) {
            Type::Variable(variable) => match &self.entries[variable.0] {
                Entry::Root(class) if class.kind != Kind::Any && !class.opaque => Some(class.kind == Kind::Float),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether only rustc can type `ty`.
    pub(super) fn is_opaque(&self, ty: &Type) -> bool {
        match self.resolve(ty) {
            Type::Variable(variable) => matches!(&self.entries[variable.0], Entry::Root(class) if class.kind == Kind::Any && class.opaque),
            ty => ty == Type::Opaque,
        }
    }

    /// The enum of std that `ty` is, or is taken for where nothing is known of it. `None`: only rustc knows.
    pub(super) fn std_enum(&self, ty: &Type) -> Option<StdEnum> {
        match self.resolve(ty) {
            Type::Std(owner, _) => Some(owner),
            known if known.is_followed() => None,
            _ => Some(StdEnum::Option),
        }
    }

    /// Marks the class of `ty` as containing something only rustc can type.
    pub(super) fn mark_opaque(&mut self, ty: &Type) {
        if let Type::Variable(variable) = self.resolve(ty)
            && let Entry::Root(class) = &mut self.entries[variable.0]
        {
            class.opaque = true;
        }
    }

    /// The same of something that `source` is the type of.
    pub(super) fn mark_opaque_as(&mut self, ty: &Type, source: Type) {
        if let Type::Variable(variable) = self.resolve(ty)
            && let Entry::Root(class) = &mut self.entries[variable.0]
        {
            class.opaque = true;
            class.source.get_or_insert(source);
        }
    }

    /// Supposes that a number whose type only rustc sees is a `usize`, which rustc confirms or refuses.
    pub(super) fn suppose_usize(&mut self, ty: &Type) {
        if let Type::Variable(variable) = self.resolve(ty)
            && matches!(&self.entries[variable.0], Entry::Root(Class { opaque: true, .. }))
        {
            self.bind(variable.0, Type::USIZE);
        }
    }

    /// What is known of `ty` where a part of its value is used: a type that only rustc sees is followed from where it comes.
    pub(super) fn follow(&mut self, ty: &Type) -> Type {
        if let Type::Variable(variable) = self.resolve(ty)
            && let Entry::Root(Class { kind: Kind::Any, source: Some(source), .. }) = &self.entries[variable.0]
        {
            let source = source.clone();
            self.bind(variable.0, source);
        }
        self.resolve(ty)
    }

    /// A type that only rustc sees, in terms of where it comes from.
    pub(super) fn source(&self, ty: &Type) -> Option<Type> {
        match self.resolve(ty) {
            Type::Variable(variable) => match &self.entries[variable.0] {
                Entry::Root(Class { kind: Kind::Any, source, .. }) => source.clone(),
                _ => None,
            },
            known => known.is_followed().then_some(known),
        }
    }

    /// Marks the one literal of `ty`'s class as standing where C converts it exactly.
    pub(super) fn mark_exact(&mut self, ty: &Type) {
        if let Type::Variable(variable) = self.resolve(ty)
            && let Entry::Root(class) = &mut self.entries[variable.0]
        {
            class.literals.iter_mut().for_each(|literal| literal.exact = true);
        }
    }

    /// Makes `a` and `b` equal where they can be. A clash is left for rustc to report; literals in it stay unstamped.
    pub(super) fn unify(&mut self, a: &Type, b: &Type) {
        let (a, b) = (self.resolve(a), self.resolve(b));
        match (a, b) {
            (Type::Variable(a), Type::Variable(b)) => self.join(a.0, b.0),
            (Type::Refused, Type::Tuple(parts) | Type::Std(_, parts)) | (Type::Tuple(parts) | Type::Std(_, parts), Type::Refused) => {
                parts.iter().for_each(|part| self.unify(part, &Type::Refused));
            }
            (Type::Refused, Type::Array(part, _)) | (Type::Array(part, _), Type::Refused) => {
                self.unify(&part, &Type::Refused);
            }
            (Type::Variable(variable), known) | (known, Type::Variable(variable)) => self.bind(variable.0, known),
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                for (a, b) in a.iter().zip(&b) {
                    self.unify(a, b);
                }
            }
            // A field, or an alias, that may be a tuple.
            (followed, Type::Tuple(elements)) | (Type::Tuple(elements), followed) if followed.is_followed() => {
                for (position, element) in elements.iter().enumerate() {
                    self.unify(element, &followed.part(Part::Position(position)));
                }
            }
            // The same of an `Option` in a field.
            (followed, Type::Std(_, arguments)) | (Type::Std(_, arguments), followed) if followed.is_followed() => {
                for (index, argument) in arguments.iter().enumerate() {
                    self.unify(argument, &followed.part(Part::Argument(index)));
                }
            }
            (Type::Std(owner, a), Type::Std(other, b)) if owner == other => a.iter().zip(&b).for_each(|(a, b)| self.unify(a, b)),
            (Type::Array(a, _), Type::Array(b, _)) => self.unify(&a, &b),
            (Type::Tile(a), Type::Tile(b)) => self.unify(&a.element, &b.element),
            // Of an array in a field, C++ knows the elements, and so the literals among them.
            (Type::Array(element, _), followed) | (followed, Type::Array(element, _)) if followed.is_followed() => {
                self.unify(&element, &followed.part(Part::Element));
            }
            // Nothing in them is unknown, or they differ, which rustc reports.
            (
                Type::Unit
                | Type::Never
                | Type::Scalar(_)
                | Type::Parameter(_)
                | Type::Tuple(_)
                | Type::Array(..)
                | Type::Std(..)
                | Type::Slice { .. }
                | Type::View { .. }
                | Type::Shared(_)
                | Type::Atomic(_)
                | Type::Tile(_)
                | Type::Function(_)
                | Type::Dim3
                | Type::Named(_)
                | Type::Table(_)
                | Type::Part(..)
                | Type::Returned(_)
                | Type::Operation(_)
                | Type::Constant(_)
                | Type::Called(_)
                | Type::Opaque
                | Type::Refused,
                _,
            ) => {}
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        let (Entry::Root(left), Entry::Root(right)) = (&self.entries[a], &self.entries[b]) else { return };
        let kind = match (left.kind, right.kind) {
            (Kind::Any, kind) | (kind, Kind::Any) => kind,
            (left, right) if left == right => left,
            // An integer literal where a float literal stands: rustc will say so.
            _ => return,
        };
        let class = Class {
            kind,
            opaque: left.opaque || right.opaque,
            source: left.source.as_ref().or(right.source.as_ref()).cloned(),
            literals: left.literals.iter().chain(&right.literals).copied().collect(),
        };
        self.entries[a] = Entry::Root(class);
        self.entries[b] = Entry::Link(a);
    }

    fn bind(&mut self, variable: usize, known: Type) {
        let Entry::Root(class) = &self.entries[variable] else { return };
        let fits = match (class.kind, &known) {
            (Kind::Any, _) => true,
            // A number of a type that C++ follows.
            (_, followed) if followed.is_followed() => true,
            (_, Type::Refused) => true,
            (kind, Type::Parameter(param)) => {
                self.misfits.extend(class.literals.iter().map(|literal| (literal.span, kind, param.clone())));
                false
            }
            (Kind::Integer, Type::Scalar(scalar)) => scalar.is_integer(),
            (Kind::Float, Type::Scalar(scalar)) => scalar.is_float(),
            (_, _) => false,
        };
        let mut left = MOST_PARTS;
        self.resolve_parts(&known, &mut left);
        if left == 0 {
            self.too_large.push(variable);
            self.entries[variable] = Entry::Known(Type::Refused);
            return;
        }
        let known = self.without(&known, variable);
        // A type that is part of itself, such as that of `x` in `[x] * x`, is a clash.
        let fits = fits && !self.contains(&known, variable);
        self.entries[variable] = Entry::Known(if fits { known } else { Type::Opaque });
    }

    /// `ty` without `variable` among the arguments of calls: `sum = S::add(sum, x)` makes the type of `sum` that of a call with it.
    fn without(&self, ty: &Type, variable: usize) -> Type {
        let is_call = matches!(ty, Type::Returned(_) | Type::Called(_) | Type::Operation(_));
        let mut ty = ty.clone();
        ty.for_each_part_mut(&mut |part| {
            *part = match is_call {
                true if self.contains(part, variable) => Type::Opaque,
                true => part.clone(),
                false => self.without(part, variable),
            }
        });
        ty
    }

    fn contains(&self, ty: &Type, variable: usize) -> bool {
        let ty = self.resolve(ty);
        let mut found = ty == Type::Variable(TypeVariable(variable));
        ty.for_each_part(&mut |part| found = found || self.contains(part, variable));
        found
    }

    /// Gives literals that nothing else types Rust's defaults, `i32` and `f64`, or the type of a constant or a call beside them; refuses those
    /// that have neither beside them, and whose type only rustc can see.
    pub(crate) fn apply_defaults(&mut self, errors: &Errors) {
        for (span, kind, TypeParam { name, .. }) in &self.misfits {
            let conversion = if *kind == Kind::Float { "from_f64(0.5)" } else { "from_i32(2)" };
            errors.push_invalid(
                *span,
                format!("the caller chooses `{name}`, so a literal cannot have this type\nhelp: write `{name}::{conversion}`, `{name}::ZERO` or `{name}::ONE`"),
            );
        }
        for index in 0..self.entries.len() {
            let Entry::Root(class) = &self.entries[index] else { continue };
            let (default, example) = match class.kind {
                Kind::Any => continue,
                Kind::Integer => (Scalar::I32, "`2usize`"),
                Kind::Float => (Scalar::F64, "`2.0f32`"),
            };
            let is_exact = class.literals.iter().all(|literal| literal.exact);
            if let (true, false, Some(source)) = (class.opaque, is_exact, &class.source) {
                let source = source.clone();
                self.bind(index, source);
            } else if class.opaque && !is_exact {
                let span = class.literals.first().map_or_else(Span::call_site, |literal| literal.span);
                errors.push(
                    span,
                    format!(
                        "cannot infer the type of this literal: it depends on a function, whose types the macro cannot see\nhelp: write its type, such as {example}, or annotate the variable that it is assigned to"
                    ),
                );
            } else if !class.opaque {
                self.entries[index] = Entry::Known(Type::Scalar(default));
            }
        }
    }
}
