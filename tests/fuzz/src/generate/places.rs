//! Variables in scope, and the places in them.

use super::Generator;
use super::scalar::{Scalar, USIZE};
use super::text::either;
use super::types::{Struct, Type};
use super::weights::{DEEPEST_INDEX, NAMED_TYPE};
use std::rc::Rc;

/// A variable in scope.
#[derive(Clone)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) mutable: bool,
    /// The attribute does not see its type: it came out of a field.
    pub(super) opaque: bool,
}

#[derive(Clone)]
pub(super) enum Kind {
    Value(Type),
    /// `&T` or `&mut T`.
    Reference(Type),
    /// `&self` or `&mut self`.
    Receiver(Rc<Struct>),
    /// Of unknown length, which is not 0, in a device function.
    Slice {
        element: Type,
        length: Option<usize>,
    },
    View {
        element: Scalar,
        shape: [usize; 2],
    },
    Atomics {
        value: Scalar,
        length: usize,
    },
    Closure {
        params: Vec<Type>,
        /// Whether it takes references.
        lent: bool,
        output: Type,
    },
}

/// Something that can be read, and perhaps written.
#[derive(Clone)]
pub(super) struct Place {
    /// Where an index belongs, between two `@`, is what it must be below.
    pub(super) text: String,
    pub(super) ty: Type,
    pub(super) opaque: bool,
}

impl Generator<'_> {
    /// What `inner` makes in a scope of its own.
    pub(super) fn scoped<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(Vec::new());
        let made = inner(self);
        self.scopes.pop();
        made
    }

    /// What `inner` makes where the variables around it are only read.
    pub(super) fn read_only<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> R {
        let frozen = std::mem::replace(&mut self.frozen, self.scopes.len());
        let made = self.scoped(inner);
        self.frozen = frozen;
        made
    }

    pub(super) fn declare(&mut self, name: &str, kind: Kind, mutable: bool) {
        self.declare_variable(Variable { name: name.to_owned(), kind, mutable, opaque: false });
    }

    pub(super) fn declare_variable(&mut self, variable: Variable) {
        self.scopes.last_mut().expect("there is a scope").push(variable);
    }

    /// The variables that are not shadowed, as they can be used here.
    pub(super) fn visible(&self) -> Vec<Variable> {
        let mut visible: Vec<Variable> = Vec::new();
        let mut hidden: Vec<&str> = Vec::new();
        for (depth, scope) in self.scopes.iter().enumerate().rev() {
            for variable in scope.iter().rev() {
                if hidden.contains(&variable.name.as_str()) {
                    continue;
                }
                hidden.push(&variable.name);
                let frozen = depth < self.frozen;
                let borrowed = matches!(variable.kind, Kind::Slice { .. } | Kind::View { .. } | Kind::Receiver(_) | Kind::Reference(_));
                if !(frozen && self.moved && variable.mutable && borrowed) {
                    visible.push(Variable { mutable: variable.mutable && !frozen, ..variable.clone() });
                }
            }
        }
        visible
    }

    /// A place of type `ty`, or of any.
    pub(super) fn any_place(&mut self, ty: Option<&Type>, writes: bool) -> Option<Place> {
        let mut found = Vec::new();
        for variable in self.visible().into_iter().filter(|variable| variable.mutable || !writes) {
            let place = |text: String, ty: Type| Place { text, ty, opaque: variable.opaque };
            match &variable.kind {
                Kind::Value(of) => collect(place(variable.name.clone(), of.clone()), ty, &mut found),
                Kind::Reference(of) => collect(place(format!("(*{})", variable.name), of.clone()), ty, &mut found),
                Kind::Receiver(of) => collect_fields(&variable.name, of, ty, &mut found),
                Kind::Slice { element, length } => {
                    let length = length.map_or_else(|| format!("{}.len()", variable.name), |length| length.to_string());
                    collect(place(format!("{}[@{length}@]", variable.name), element.clone()), ty, &mut found);
                }
                Kind::View { element, shape: [rows, columns] } => {
                    let (before, name) = (either("", "(*"), &variable.name);
                    let text = format!("{before}{name}{}@{rows}@, @{columns}@{}", either("[[", ".at(["), either("]]", "]))"));
                    collect(place(text, Type::Scalar(*element)), ty, &mut found);
                }
                Kind::Atomics { .. } | Kind::Closure { .. } => {}
            }
        }
        let place = found.get(self.rng.usize(..found.len().max(1)))?.clone();
        // Only the chosen place gets its indices.
        let mut text = String::new();
        for (part, piece) in place.text.split('@').enumerate() {
            let index = (part % 2 == 1).then(|| self.index(piece));
            text += index.as_deref().unwrap_or(piece);
        }
        Some(Place { text, ..place })
    }

    /// Reads a place, in a way that tells its type where that is needed.
    pub(super) fn read(&mut self, place: Place) -> String {
        if place.opaque && self.chance(NAMED_TYPE) {
            return format!("({{ let field: {} = {}; field }})", place.ty.name(), place.text);
        }
        place.text
    }

    /// An index below `length`, but for a few.
    pub(super) fn index(&mut self, length: &str) -> String {
        let constant = length.parse::<usize>().ok();
        let simple = match constant {
            Some(length) => self.rng.usize(..length).to_string(),
            None => "0".to_owned(),
        };
        // Indices in indices come to an end.
        if self.indices == DEEPEST_INDEX || self.chance(0.6) {
            return simple;
        }
        self.indices += 1;
        let value = self.scalar(USIZE, 1, true);
        self.indices -= 1;
        if !self.safe && self.chance(0.02) { format!("({{ let index: usize = {value}; index }})") } else { format!("({value} % {length})") }
    }
}

fn collect(place: Place, ty: Option<&Type>, found: &mut Vec<Place>) {
    let text = &place.text;
    match &place.ty {
        Type::Scalar(_) | Type::Option(_) | Type::Result(..) | Type::Enum(_) => {}
        Type::Tuple(elements) => {
            for (i, element) in elements.iter().enumerate() {
                collect(Place { text: format!("{text}.{i}"), ty: element.clone(), ..place }, ty, found);
            }
        }
        Type::Array(element, length) => {
            collect(Place { text: format!("{text}[@{length}@]"), ty: (**element).clone(), ..place }, ty, found);
        }
        Type::Struct(of) => collect_fields(text, of, ty, found),
    }
    if ty.is_none_or(|ty| *ty == place.ty) {
        found.push(place);
    }
}

fn collect_fields(text: &str, of: &Struct, ty: Option<&Type>, found: &mut Vec<Place>) {
    for (name, field) in &of.fields.0 {
        collect(Place { text: format!("{text}.{name}"), ty: field.clone(), opaque: true }, ty, found);
    }
}
