//! What the syntax of an expression, and the declarations that it names, say of `Option` and `Result`: types are found later.

use super::{Lowerer, without_parentheses};
use crate::model::*;
use crate::source_scope::Surroundings;
use proc_macro2::Ident;

impl Lowerer<'_> {
    /// Whether the name and the arguments are those of a method of `Option` or `Result`.
    pub(super) fn is_method_of_std_enum(&self, call: &syn::ExprMethodCall) -> bool {
        let name = call.method.to_string();
        let function = call.args.last().map(without_parentheses);
        let is_closure = matches!(function, Some(syn::Expr::Closure(_)));
        match (name.as_str(), call.args.len()) {
            // The exchange itself answers.
            ("is_ok" | "is_err", 0) => !is_exchange(&call.receiver),
            ("is_some" | "is_none" | "ok" | "err" | "unwrap" | "unwrap_or_default", 0) => true,
            ("unwrap_or" | "ok_or", 1) | ("expect", _) => true,
            ("or" | "and", 1) | ("take", 0) | ("replace", 1) => self.may_be_option(&call.receiver),
            ("map_or" | "map_or_else", 2) | ("ok_or_else" | "map_err" | "is_ok_and" | "is_err_and", 1) => {
                is_closure || matches!(function, Some(syn::Expr::Path(_)))
            }
            ("map" | "and_then" | "is_some_and" | "is_none_or" | "unwrap_or_else" | "filter" | "or_else", 1) => {
                is_closure || (matches!(function, Some(syn::Expr::Path(_))) && self.is_option(&call.receiver))
            }
            _ => false,
        }
    }

    /// Whether the method is one of the user's own type. `None` if inference will find that.
    pub(super) fn is_of_own_type(&self, call: &syn::ExprMethodCall) -> Option<bool> {
        let receiver = without_parentheses(&call.receiver);
        let around = || Surroundings::of(&self.source.sig.ident);
        let returns_own = |name: &Ident, is_of_type| Some(around().returns_own_type(name, is_of_type));
        match receiver {
            syn::Expr::Struct(_) | syn::Expr::Binary(_) => Some(true),
            syn::Expr::Path(_) | syn::Expr::Field(_) | syn::Expr::Index(_) => match self.declared_type(receiver) {
                Some(Type::Named(named)) => Some(!around().declares_alias(&named.path)),
                None | Some(Type::Variable(_)) if around().has_method(&call.method) => None,
                _ => Some(false),
            },
            syn::Expr::MethodCall(inner) if !self.is_option(receiver) && !self.is_result(receiver) => returns_own(&inner.method, true),
            syn::Expr::Call(inner) => match &*inner.func {
                syn::Expr::Path(path) => returns_own(&path.path.segments.last()?.ident, path.path.segments.len() > 1),
                _ => Some(false),
            },
            _ => Some(false),
        }
    }

    /// Whether `expr` is an `Option`, as far as its declaration shows.
    pub(super) fn is_option(&self, expr: &syn::Expr) -> bool {
        match without_parentheses(expr) {
            place @ (syn::Expr::Path(_) | syn::Expr::Field(_) | syn::Expr::Index(_)) => {
                matches!(self.declared_type(place), Some(Type::Std(..)))
            }
            syn::Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let is_search = matches!(name.as_str(), "min" | "max" | "position" | "find" | "last" | "reduce")
                    && super::iteration::is_chain(&call.receiver);
                is_search
                    || matches!(
                        name.as_str(),
                        "get" | "first" | "last" | "map" | "and_then" | "checked_add" | "checked_sub" | "checked_mul"
                    )
                    || (matches!(name.as_str(), "filter" | "or" | "or_else" | "and" | "copied" | "cloned" | "take")
                        && self.is_option(&call.receiver))
            }
            syn::Expr::Call(call) => matches!(&*call.func, syn::Expr::Path(path) if StdVariant::find(&path.path) == Some(StdVariant::Some)),
            _ => false,
        }
    }

    /// Whether nothing in the declaration of `expr` says that it is something else.
    pub(super) fn may_be_option(&self, expr: &syn::Expr) -> bool {
        self.is_option(expr) || matches!(self.declared_type(expr), Some(Type::Variable(_)))
    }

    /// Whether it is a field or an element, and what is declared does not say of which type.
    pub(super) fn is_part_of_unknown_type(&self, expr: &syn::Expr) -> bool {
        let is_part = matches!(without_parentheses(expr), syn::Expr::Field(_) | syn::Expr::Index(_));
        is_part && matches!(self.declared_type(expr), None | Some(Type::Variable(_)))
    }

    /// The type of a variable, or of a part of a tuple or an array in one, as far as it is known by now.
    pub(super) fn declared_type(&self, expr: &syn::Expr) -> Option<&Type> {
        match without_parentheses(expr) {
            syn::Expr::Path(path) => path.path.get_ident().and_then(|name| self.lookup(name)).map(|local| &self.locals[local.0].ty),
            syn::Expr::Field(syn::ExprField { base, member: syn::Member::Unnamed(index), .. }) => match self.declared_type(base)? {
                Type::Tuple(parts) => parts.get(index.index as usize),
                _ => None,
            },
            syn::Expr::Index(index) if !matches!(without_parentheses(&index.index), syn::Expr::Range(_)) => {
                self.declared_type(&index.expr)?.element().map(|(element, _)| element)
            }
            _ => None,
        }
    }

    /// Whether `expr` is a `Result`, as far as its declaration or its name shows.
    pub(super) fn is_result(&self, expr: &syn::Expr) -> bool {
        match without_parentheses(expr) {
            syn::Expr::Path(path) => {
                let local = path.path.get_ident().and_then(|name| self.lookup(name));
                local.is_some_and(|local| matches!(self.locals[local.0].ty, Type::Std(StdEnum::Result, _)))
            }
            syn::Expr::MethodCall(call) => {
                let name = call.method.to_string();
                matches!(name.as_str(), "ok_or" | "ok_or_else" | "map_err" | "try_into" | "compare_exchange" | "compare_exchange_weak")
                    || (matches!(name.as_str(), "map" | "and_then" | "or" | "or_else" | "and") && self.is_result(&call.receiver))
            }
            syn::Expr::Call(call) => match &*call.func {
                syn::Expr::Path(path) => {
                    matches!(StdVariant::find(&path.path), Some(StdVariant::Ok | StdVariant::Err))
                        || path.path.segments.last().is_some_and(|last| last.ident == "try_from")
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// What a `?` after `attempt` leaves with: what the function around it returns, or, in a closure, what `attempt` looks like.
    pub(super) fn left_by_question_mark(&self, attempt: &syn::Expr) -> StdEnum {
        match (&self.output, self.is_in_closure()) {
            (Type::Std(owner, _), false) => *owner,
            _ if self.is_result(attempt) => StdEnum::Result,
            _ => StdEnum::Option,
        }
    }
}

/// Whether an argument is a closure.
pub(super) fn takes_closure(call: &syn::ExprMethodCall) -> bool {
    call.args.iter().any(|arg| matches!(without_parentheses(arg), syn::Expr::Closure(_)))
}

/// Whether types of the user's are likely to have a method of this name of `Option`.
pub(super) fn is_common_name(call: &syn::ExprMethodCall) -> bool {
    matches!((call.method.to_string().as_str(), call.args.len()), ("or" | "and" | "replace", 1) | ("take", 0))
}

fn is_exchange(expr: &syn::Expr) -> bool {
    let name = match without_parentheses(expr) {
        syn::Expr::MethodCall(call) => call.method.to_string(),
        _ => return false,
    };
    AtomicMethod::find(&name).is_some_and(|method| method.result == AtomicResult::Outcome)
}

/// Whether a closure gets what is in an `Err`: `unwrap_or_else(|error| …)`.
pub(super) fn takes_error(call: &syn::ExprMethodCall) -> bool {
    let function = match call.method.to_string().as_str() {
        "unwrap_or_else" | "or_else" | "map_or_else" => call.args.first().map(without_parentheses),
        _ => None,
    };
    matches!(function, Some(syn::Expr::Closure(closure)) if !closure.inputs.is_empty())
}
