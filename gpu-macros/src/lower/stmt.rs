//! Blocks and statements.

use super::Lowerer;
use super::length::integer;
use super::reference::Shape;
use super::std_functions::names_from_std;
use super::unroll::is_unroll;
use crate::first_span::Start;
use crate::idents::{idents_of, literals_of, words_of};
use crate::model::*;
use crate::syntax::ends_of_import;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn lower_block(&mut self, block: &syn::Block) -> Block {
        self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let mut value = None;
            let count = block.stmts.len();
            for (i, stmt) in block.stmts.iter().enumerate() {
                match stmt {
                    syn::Stmt::Local(local) => match lowerer.lower_let_of_statements(local) {
                        Some(part) => stmts.extend(part),
                        None => stmts.push(lowerer.lower_let(local)),
                    },
                    syn::Stmt::Item(item) => lowerer.lower_item(item, block),
                    // A `;` alone.
                    syn::Stmt::Expr(syn::Expr::Verbatim(nothing), Some(_)) if nothing.is_empty() => {}
                    syn::Stmt::Expr(expr, semicolon) => {
                        let lowered = lowerer.lower_expr(expr);
                        if semicolon.is_none() && i + 1 == count {
                            value = Some(Box::new(lowered));
                        } else {
                            stmts.push(Stmt::Expr(Box::new(lowered)));
                        }
                    }
                    syn::Stmt::Macro(stmt) => {
                        lowerer.check_attributes(&stmt.attrs);
                        let lowered = lowerer.lower_macro(&stmt.mac);
                        if stmt.semi_token.is_none() && i + 1 == count {
                            value = Some(Box::new(lowered));
                        } else {
                            stmts.push(Stmt::Expr(Box::new(lowered)));
                        }
                    }
                }
            }
            Block { stmts, value, is_unsafe: false, span: block.start() }
        })
    }

    /// A `let` that becomes statements.
    fn lower_let_of_statements(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        let part = self.lower_let_of_part(local).or_else(|| self.lower_let_of_elements(local));
        let part = part.or_else(|| self.lower_let_of_split(local)).or_else(|| self.lower_let_of_function(local));
        part.or_else(|| self.lower_let_of_get_mut(local))
    }

    pub(super) fn lower_let(&mut self, local: &syn::Local) -> Stmt {
        self.check_attributes(&local.attrs);
        if let Some(lowered) = self.lower_let_of_shape(local) {
            return lowered;
        }
        if let Some(lowered) = self.lower_let_of_reference(local) {
            return lowered;
        }
        // The initialiser does not see the new name.
        let mut shape = Shape::Value;
        let init = local.init.as_ref().map(|init| match (&local.pat, &*init.expr) {
            (syn::Pat::Ident(_), syn::Expr::Closure(closure)) => self.lower_closure(closure),
            // The `Result` of an exchange has no variable.
            (pattern @ (syn::Pat::Ident(_) | syn::Pat::Type(_)), init) => {
                let ty = if let syn::Pat::Type(typed) = pattern { Some(&*typed.ty) } else { None };
                self.lower_from_fn(ty, init).or_else(|| self.lower_array_map(ty, init)).unwrap_or_else(|| {
                    let (lowered, of_init) = self.lower_with_shape(init);
                    shape = of_init;
                    lowered
                })
            }
            (_, init) => {
                let (lowered, of_init) = self.lower_with_shape(init);
                shape = of_init;
                lowered
            }
        });
        let diverge = local.init.as_ref().and_then(|init| init.diverge.as_ref());
        let otherwise = diverge.map(|(_, block)| self.lower_otherwise(block));
        let (pattern, tokens) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some((*typed.ty).clone())),
            pattern => (pattern, None),
        };
        let ty = match (&tokens, &init) {
            // The type is often the same mistake.
            (_, Some(Expr { kind: ExprKind::Refused, .. })) => Type::Refused,
            (Some(tokens), _) => self.lower_type(tokens).unwrap_or(Type::Refused),
            // Calls look at it.
            (None, Some(Expr { kind: ExprKind::Closure(_), ty, .. })) => ty.clone(),
            // Methods of arrays look at it.
            (None, Some(init @ Expr { kind: ExprKind::Repeat { .. } | ExprKind::Array(_), .. })) => self.type_of_array(init),
            // Loops look at it.
            (
                None,
                Some(Expr { kind: ExprKind::Intrinsic { intrinsic: Intrinsic::Shared(_) | Intrinsic::DynamicShared(_), .. }, ty, .. }),
            ) => ty.clone(),
            // Operations of tiles look at it.
            (None, Some(Expr { ty: ty @ Type::Tile(_), .. })) => ty.clone(),
            (None, Some(Expr { kind: ExprKind::Tuple(parts), .. })) if parts.iter().any(|part| part.ty.tile().is_some()) => {
                Type::Tuple(parts.iter().map(|part| part.ty.clone()).collect())
            }
            (None, _) => self.fresh(),
        };
        let pattern = match otherwise {
            Some(_) => self.lower_refutable_of(pattern, ty.clone(), &shape),
            None => self.lower_irrefutable_of(pattern, ty.clone(), &shape),
        };
        self.note_tiles(&pattern, &ty);
        self.note_single_value(&pattern, init.as_ref());
        let span = local.start();
        let last = local.init.as_ref().and_then(|init| init.expr.to_token_stream().into_iter().last());
        let end = last.map_or(span, |token| token.span());
        Stmt::Let(Box::new(Let { pattern, tokens: tokens.map(ToTokens::into_token_stream), ty, init, otherwise, span, end }))
    }

    /// Gives the names in `let (x, y) = …` the types of tiles: operations of tiles look at them.
    fn note_tiles(&mut self, pattern: &Pattern, ty: &Type) {
        let (PatternKind::Tuple(Sequence { parts, rest: None }), Type::Tuple(types)) = (&pattern.kind, ty) else { return };
        for (part, ty) in parts.iter().zip(types) {
            if let (Some(local), Type::Tile(_)) = (part.as_name(), ty) {
                self.locals[local.0].ty = ty.clone();
            }
        }
    }

    /// The type of an array that is written out, as far as its form shows.
    fn type_of_array(&mut self, expr: &Expr) -> Type {
        match &expr.kind {
            ExprKind::Repeat { element, length } => Type::Array(Box::new(self.type_of_array(element)), length.clone()),
            ExprKind::Array(elements) => {
                let element = match elements.first() {
                    Some(element) => self.type_of_array(element),
                    None => self.fresh(),
                };
                Type::Array(Box::new(element), Length::of_elements(elements.len(), expr.span))
            }
            _ => self.fresh(),
        }
    }

    /// The block of `let … else`, which does not see the new names either.
    fn lower_otherwise(&mut self, block: &syn::Expr) -> Block {
        match block {
            syn::Expr::Block(block) => self.lower_block(&block.block),
            other => unreachable!("syn parses a block after `else`, not {}", other.to_token_stream()),
        }
    }

    fn lower_item(&mut self, item: &syn::Item, block: &syn::Block) {
        match item {
            syn::Item::Const(constant) => {
                self.check_attributes(&constant.attrs);
                let uses = uses_of(&constant.ident, block.to_token_stream());
                self.constants.push((constant.clone(), uses));
            }
            syn::Item::Fn(_)
            | syn::Item::Use(_)
            | syn::Item::Type(_)
            | syn::Item::Struct(_)
            | syn::Item::Enum(_)
            | syn::Item::Trait(_)
            | syn::Item::Impl(_) => {
                let is_inner = !std::ptr::eq(block, &*self.source.block);
                if is_inner && brings_methods(item, block) {
                    let message = "a trait is only supported at the start of the function, because generated code joins the items of all blocks, and its methods would be seen by all of them\nhelp: move it to the start of the function";
                    self.errors.push(item.span(), message);
                }
                let mut item = item.clone();
                if let syn::Item::Use(import) = &mut item {
                    if imports_all(&import.tree) && is_inner {
                        let message = "`*` in a `use` is only supported at the start of the function, because generated code joins the items of all blocks\nhelp: write the names that you import, or move the `use` to the start of the function";
                        self.errors.push(import.span(), message);
                    }
                    self.imports.extend(names_from_std(&import.tree));
                    // The twin has something else in place of some functions of std.
                    import.attrs.push(syn::parse_quote!(#[allow(unused_imports)]));
                }
                let names = names_of(&item).into_iter().map(|name| {
                    let uses = uses_of(&name, block.to_token_stream());
                    (name, uses)
                });
                self.items.push(BodyItem { names: names.collect(), item });
            }
            syn::Item::Static(item) => {
                self.errors.push(item.span(), "a `static` cannot be used in kernels\nhelp: for a value that is read, use a `const` or a parameter; for a counter that threads share, take `&[AtomicU32]`");
                self.declare(&item.ident, true, Type::Refused, LocalKind::Let);
            }
            other => self.errors.push(other.span(), "this item is not supported inside a kernel\nhelp: move it out of the function"),
        }
    }
}

impl Lowerer<'_> {
    /// The constants of the body, which become constants of the whole body. This does not change the meaning if all uses of the name are in
    /// the block that declares the constant; otherwise the constant is refused. A name of the signature would be a parameter that
    /// the constant hides from rustc, or an array length that means something else in the generated code around the body.
    pub(super) fn constants_of(&mut self, function: &syn::ItemFn) -> Vec<Constant> {
        let body = &function.block;
        for (constant, uses) in &self.constants {
            let name = &constant.ident;
            if name != "_" && uses_of(name, function.sig.to_token_stream()) > 0 {
                self.errors.push(
                    name.span(),
                    format!("this constant has a name that the signature of the function uses: `{name}`\nhelp: rename the constant"),
                );
            } else if uses_of(name, body.to_token_stream()) > *uses {
                let message = format!(
                    "this block declares a constant `{name}`, but another `{name}` exists outside of the block\nhelp: rename one of them, or move the constant to the start of the function"
                );
                self.errors.push(name.span(), message);
            }
        }
        let constants: Vec<syn::ItemConst> = self.constants.iter().map(|(constant, _)| constant.clone()).collect();
        constants.iter().map(|constant| self.lower_constant_item(constant)).collect()
    }

    /// What proofs and inference know of a constant is what its type's name says.
    fn lower_constant_item(&mut self, constant: &syn::ItemConst) -> Constant {
        let scalar = written_scalar(&constant.ty);
        if let (Some(scalar), syn::Type::Path(ty)) = (scalar, &*constant.ty) {
            self.assume(&ty.path, scalar);
        }
        // One under a `cfg` may not be there, and another constant of that name in its place.
        let literal = scalar.filter(|_| constant.attrs.is_empty()).and_then(|scalar| Some((scalar, integer(&constant.expr)?)));
        Constant { name: constant.ident.clone(), item: constant.to_token_stream(), literal }
    }

    /// The other items of the body, as generated code has them, beside each other. The same holds for their names.
    pub(super) fn items_of(&self, function: &syn::ItemFn, kind: &FunctionKind, runtime: &RuntimePath) -> Vec<TokenStream> {
        let extents: Vec<Ident> = extents_of(kind).flat_map(idents_of).collect();
        let glob = self.items.iter().filter_map(BodyItem::as_import).find(|import| imports_all(&import.tree));
        if let (Some(glob), Some(name)) = (glob, extents.iter().find(|name| uses_of(name, function.block.to_token_stream()) > 0)) {
            let message = format!(
                "this may import another `{name}` than that of `block = …`\nhelp: write the names that you import, or move the `use` out of the function"
            );
            self.errors.push(glob.use_token.span, message);
        }
        for (name, uses) in self.items.iter().flat_map(|item| &item.names) {
            let is_extent = extents.iter().any(|extent| extent.unraw() == name.unraw());
            if is_extent || uses_of(name, function.sig.to_token_stream()) > 0 {
                let place = if is_extent { "`block = …`" } else { "the signature of the function" };
                self.errors.push(
                    name.span(),
                    format!("this item has a name that {place} uses: `{name}`\nhelp: rename the item, or move it out of the function"),
                );
            } else if uses_of(name, function.block.to_token_stream()) > *uses {
                let message = format!(
                    "this block declares an item `{name}`, but another `{name}` exists outside of the block\nhelp: rename one of them, or move the item to the start of the function"
                );
                self.errors.push(name.span(), message);
            }
        }
        self.items.iter().map(|BodyItem { item, .. }| expand_item(item, runtime)).collect()
    }

    /// Refuses attributes that could change the meaning of a part of the body, such as `cfg`. Lints and documentation cannot.
    pub(super) fn check_attributes(&self, attributes: &[syn::Attribute]) {
        for attribute in attributes.iter().filter(|attribute| !is_lint(attribute) && !attribute.path().is_ident("doc")) {
            if is_unroll(attribute) {
                self.errors.push(attribute.span(), "only a loop can be unrolled\nhelp: put `#[unroll]` on a `for`, `while` or `loop`");
                continue;
            }
            self.errors.push(
                attribute.span(),
                "this attribute is not supported inside a kernel\nhelp: lints, `#[unroll]`, and `#[cfg]` with at most four different conditions are supported",
            );
        }
    }
}

/// The extents of the block that a kernel declares.
fn extents_of(kind: &FunctionKind) -> impl Iterator<Item = TokenStream> {
    let options = if let FunctionKind::Kernel(options) = kind { Some(options) } else { None };
    options.and_then(|options| options.block.as_deref()).into_iter().flatten().map(Length::tokens)
}

/// An item of the body, and its names, each with how often its block has it.
pub(super) struct BodyItem {
    item: syn::Item,
    names: Vec<(Ident, usize)>,
}

impl BodyItem {
    pub(super) fn as_import(&self) -> Option<&syn::ItemUse> {
        if let syn::Item::Use(import) = &self.item { Some(import) } else { None }
    }

    pub(super) fn as_enum(&self) -> Option<&syn::ItemEnum> {
        if let syn::Item::Enum(item) = &self.item { Some(item) } else { None }
    }

    /// Whether it is a type of this name.
    pub(super) fn is_type(&self, name: &Ident) -> bool {
        self.declares(name) && self.as_import().is_none()
    }

    pub(super) fn declares(&self, name: &Ident) -> bool {
        self.names.iter().any(|(declared, _)| declared == name)
    }
}

/// The names that an item declares.
fn names_of(item: &syn::Item) -> Vec<Ident> {
    match item {
        syn::Item::Fn(item) => vec![item.sig.ident.clone()],
        syn::Item::Type(item) => vec![item.ident.clone()],
        syn::Item::Struct(item) => vec![item.ident.clone()],
        syn::Item::Enum(item) => vec![item.ident.clone()],
        syn::Item::Trait(item) => vec![item.ident.clone()],
        syn::Item::Use(item) => imported_names(&item.tree),
        _ => Vec::new(),
    }
}

/// Whether it is a trait, or an import of a name that the block does not write: that of a trait, whose methods are called.
fn brings_methods(item: &syn::Item, block: &syn::Block) -> bool {
    match item {
        syn::Item::Trait(_) => true,
        syn::Item::Use(import) => {
            let is_unwritten = |name: &Ident| uses_of(name, block.to_token_stream()) <= uses_of(name, import.to_token_stream());
            let is_nameless = |end: &&syn::UseTree| matches!(end, syn::UseTree::Rename(rename) if rename.rename == "_");
            ends_of_import(&import.tree).iter().any(is_nameless) || imported_names(&import.tree).iter().any(is_unwritten)
        }
        _ => false,
    }
}

fn imports_all(tree: &syn::UseTree) -> bool {
    ends_of_import(tree).iter().any(|end| matches!(end, syn::UseTree::Glob(_)))
}

fn imported_names(tree: &syn::UseTree) -> Vec<Ident> {
    let name = |end: &syn::UseTree| match end {
        syn::UseTree::Name(name) => Some(name.ident.clone()),
        syn::UseTree::Rename(rename) if rename.rename != "_" => Some(rename.rename.clone()),
        _ => None,
    };
    ends_of_import(tree).into_iter().filter_map(name).collect()
}

/// A function, a trait or an `impl` in the body of a function for GPUs is one for GPUs too.
fn expand_item(item: &syn::Item, runtime: &RuntimePath) -> TokenStream {
    let attributes = match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        _ => return item.to_token_stream(),
    };
    let is_marked = |attribute: &syn::Attribute| attribute.path().segments.last().is_some_and(|last| last.ident == "gpu_device");
    if attributes.iter().any(is_marked) {
        return item.to_token_stream();
    }
    quote_spanned!(Span::mixed_site()=> #[#runtime::gpu_device(unsafe(crate = #runtime))] #item)
}

/// The number or `bool` whose name the type is. Who relies on it [assumes](Lowerer::assume) it.
pub(super) fn written_scalar(ty: &syn::Type) -> Option<Scalar> {
    match ty {
        syn::Type::Path(syn::TypePath { qself: None, path, .. }) => Scalar::from_name(&path.get_ident()?.to_string()),
        _ => None,
    }
}

/// How often `name` stands in `tokens`, in the texts that `println!` prints too.
fn uses_of(name: &Ident, tokens: TokenStream) -> usize {
    let name = name.unraw().to_string();
    let placeholder = ["{", &name].concat();
    let in_texts = literals_of(tokens.clone()).iter().filter(|text| text.contains(&placeholder)).count();
    words_of(tokens).iter().filter(|word| **word == name).count() + in_texts
}

/// The attributes on an expression that loops may not have either.
pub(super) fn checked_attributes(expr: &syn::Expr) -> Vec<syn::Attribute> {
    let is_loop = matches!(expr, syn::Expr::ForLoop(_) | syn::Expr::While(_) | syn::Expr::Loop(_));
    attributes_of(expr).iter().filter(|attribute| !(is_loop && is_unroll(attribute))).cloned().collect()
}

/// The attributes on an expression that kernels may have.
pub(super) fn attributes_of(expr: &syn::Expr) -> &[syn::Attribute] {
    macro_rules! attributes {
        ($($variant:ident),*) => {
            match expr {
                $(syn::Expr::$variant(expr) => &expr.attrs,)*
                _ => &[],
            }
        };
    }
    attributes!(
        Array, Assign, Binary, Block, Break, Call, Cast, Continue, Field, ForLoop, Group, If, Index, Let, Lit, Loop, Macro, Match,
        MethodCall, Paren, Path, Repeat, Return, Struct, Tuple, Unary, Unsafe, While
    )
}

fn is_lint(attribute: &syn::Attribute) -> bool {
    ["allow", "expect", "warn", "deny", "forbid"].iter().any(|lint| attribute.path().is_ident(lint))
}
