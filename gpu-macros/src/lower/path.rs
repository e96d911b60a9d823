//! Paths in value position: locals, else constants.

use super::Lowerer;
use super::stmt::written_scalar;
use crate::cuda_names::{FOREIGN_MODULES, value_instead};
use crate::first_span::Start;
use crate::model::*;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn lower_path(&mut self, path: &syn::ExprPath) -> Expr {
        let span = path.start();
        if let Some(function) = self.lower_function_name_as_value(path) {
            return function;
        }
        if let Some(name) = path.path.get_ident() {
            if self.named(name).is_some_and(|name| name.part.is_some()) {
                return self.refuse(
                    span,
                    format!("`{name}` is a part of a slice, which cannot be used as a value in kernels\nhelp: use its elements, `{name}[i]` or `{name}.iter()`, or pass it to a `#[gpu_device]` function"),
                );
            }
            if let Some(local) = self.lookup(name) {
                self.check_not_copied(name, span);
                // Operations of tiles look at it.
                if let ty @ Type::Tile(_) = &self.locals[local.0].ty {
                    return Expr::new(ExprKind::Local(local), ty.clone(), span);
                }
                return self.expr(ExprKind::Local(local), span);
            }
            if name == "self" {
                return self.refuse_invalid(span, "`self` is not available in kernels\nhelp: pass its fields as parameters");
            }
            if self.locals.iter().any(|local| local.name.unraw() == name.unraw()) {
                return self.refuse_invalid(
                    span,
                    format!("`{name}` is not in scope here\nhelp: declare it before the block that gives it a value"),
                );
            }
            if let Some(instead) = value_instead(&name.to_string()) {
                return self.refuse_invalid(span, format!("there is no value `{name}` in kernels\nhelp: write `{instead}`"));
            }
        }
        self.lower_constant(path)
    }

    /// Numba's `cuda` in `cuda.threadIdx.x`, where no variable has that name.
    pub(super) fn foreign_module<'e>(&self, expr: &'e syn::Expr) -> Option<&'e syn::Ident> {
        let syn::Expr::Path(path) = expr else { return None };
        let name = path.path.get_ident()?;
        (FOREIGN_MODULES.iter().any(|module| name == module) && self.lookup(name).is_none()).then_some(name)
    }

    /// A path that is no local's.
    pub(super) fn lower_constant(&mut self, path: &syn::ExprPath) -> Expr {
        let span = path.start();
        if let (None, Some(param)) = (&path.qself, path.path.get_ident().and_then(|name| self.const_param(name)))
            && self.nested_constant_type(&path.path).is_none()
        {
            return Expr::new(ExprKind::Constant(path.path.clone()), Type::Scalar(param.scalar), span);
        }
        if let (Some(variant), Some(name)) = (self.imported_variant(&path.path), path.path.get_ident()) {
            self.remember_known(KnownName::Imported(name.clone(), variant.clone()));
            return self.expr(ExprKind::Constant(variant), span);
        }
        if let Some(qself) = &path.qself {
            return self.refuse(qself.span(), "a qualified path is not supported in kernels\nhelp: declare a `const` for it");
        }
        if self.std_variant(&path.path) == Some(StdVariant::None) {
            return self.expr(ExprKind::NONE, span);
        }
        if let [owner, name] = path.path.segments.iter().collect::<Vec<_>>()[..]
            && let Some(param @ TypeParam { class: Some(class), .. }) = self.type_param(&owner.ident)
            && (class.has_constant(&name.ident.to_string()) || param.traits.is_empty())
        {
            if !class.has_constant(&name.ident.to_string()) {
                return self.refuse_invalid(
                    span,
                    format!("the constant `{}` is not available for every `{}`\nhelp: every `Num` has `ZERO`, `ONE`, `MIN` and `MAX`; only a `Float` has `PI`, `EPSILON`, `INFINITY`, `NEG_INFINITY` and `NAN`", name.ident, class.name()),
                );
            }
            return Expr::new(ExprKind::Constant(path.path.clone()), Type::Parameter(param), span);
        }
        let ty = known_constant_type(&path.path).or_else(|| self.nested_constant_type(&path.path));
        let constant = self.expr(ExprKind::Constant(path.path.clone()), span);
        Expr { ty: ty.unwrap_or(constant.ty), ..constant }
    }

    /// The type of a `const` item that the body declares, before its first use.
    fn nested_constant_type(&self, path: &syn::Path) -> Option<Type> {
        let name = path.get_ident()?;
        let (constant, _) = self.constants.iter().find(|(constant, _)| constant.ident == *name)?;
        written_scalar(&constant.ty).map(Type::Scalar)
    }
}

/// The type of constants whose path shows it: `f32::MAX`, `u32::BITS`, `std::f64::consts::PI`.
fn known_constant_type(path: &syn::Path) -> Option<Type> {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let [.., scope, name] = names.as_slice() else { return None };
    if scope == "consts" {
        let owner = names.len().checked_sub(3).map(|i| names[i].as_str())?;
        return Scalar::from_name(owner).filter(|scalar| scalar.is_float()).map(Type::Scalar);
    }
    if let Some(half) = half_constant_type(path) {
        return Some(half);
    }
    let scalar = Scalar::from_name(scope)?;
    let of_standard_type = names.len() == 2 || matches!(names[0].as_str(), "std" | "core");
    match name.as_str() {
        "BITS" | "MANTISSA_DIGITS" | "DIGITS" | "RADIX" if of_standard_type => Some(Type::U32),
        "MIN_EXP" | "MAX_EXP" | "MIN_10_EXP" | "MAX_10_EXP" if of_standard_type => Some(Type::I32),
        "ZERO" | "ONE" if names.len() == 2 => Some(Type::Scalar(scalar)),
        "PI" if names.len() == 2 && scalar.is_float() => Some(Type::Scalar(scalar)),
        "MIN" | "MAX" | "EPSILON" | "MIN_POSITIVE" | "INFINITY" | "NEG_INFINITY" | "NAN" if of_standard_type => Some(Type::Scalar(scalar)),
        _ => None,
    }
}

/// The type of the constants of the crate `half`: `f16::MAX`, `half::bf16::ONE`.
fn half_constant_type(path: &syn::Path) -> Option<Type> {
    let mut owner = path.clone();
    let name = owner.segments.pop()?.ident.to_string();
    owner.segments.pop_punct();
    let owner = NamedType { path: owner };
    owner.half_name()?;
    match name.as_str() {
        "DIGITS" | "MANTISSA_DIGITS" | "RADIX" => Some(Type::U32),
        "MIN_EXP" | "MAX_EXP" | "MIN_10_EXP" | "MAX_10_EXP" => Some(Type::I32),
        _ => Some(Type::Named(owner)),
    }
}
