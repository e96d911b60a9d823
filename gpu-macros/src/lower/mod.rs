//! From syn to the model: resolves names, gives every failing place a site, refuses what kernels cannot say.
//!
//! Every expression leaves here with a fresh type variable (or a type that its form settles); `infer` finds the rest.

mod assembly;
mod associated;
mod atomic;
mod awaiting;
mod cache;
mod call;
mod closure;
mod control;
mod core_signature;
mod exchange;
mod expr;
mod foreign;
mod function_value;
mod generalized;
mod generics;
mod get_mut;
mod integer_conversion;
mod iteration;
mod length;
mod macros;
mod matching;
mod method_call;
mod option;
mod option_syntax;
mod options;
mod ordering;
mod path;
mod pattern;
mod print;
mod reference;
mod signature;
mod slice_pattern;
mod std_functions;
mod stmt;
mod structs;
#[cfg(test)]
mod tests;
mod tile;
mod tuning;
mod types;
mod unroll;
mod unsupported;
mod views;
mod written;

pub(crate) use foreign::parse_device_options;
pub(crate) use generalized::parse_generalized_options;
pub(crate) use generics::name_impl_traits;
pub(crate) use options::{
    Argument, parse_distinct_arguments, parse_kernel_options, parse_reduce_options, parse_runtime, parse_vectorize_options,
};
pub(crate) use unroll::without_unroll;

use crate::errors::Errors;
use crate::first_span::Start;
use crate::idents::{has_several_contexts, idents_of, syntax_context, word, words_of};
use crate::model::*;
use crate::source_scope::is_in_module_of_its_name;
use crate::syntax::without_arguments;
use closure::Capture;
use foreign::check_foreign;
use function_value::FunctionName;
use iteration::Part;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use reference::Shape;
use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use stmt::BodyItem;

/// Lowers `item`. Errors go to `errors`; `None` when the signature is too broken to continue.
pub(crate) fn lower_function(item: Item<'_>, errors: &Errors) -> Option<Untyped> {
    let full_name = item.full_name();
    let Item { function, kind, owner, foreign, structures, is_in_impl, may_return_reference, runtime } = item;
    let (is_free, owner) = (owner.is_none(), owner.map(|owner| owner.ty.clone()));
    let mut lowerer = Lowerer { owner, ..Lowerer::new(function, errors, &kind) };
    let params = lowerer.lower_signature(&function.sig)?;
    let generics = lowerer.host_generics(&function.sig.generics, &runtime);
    let (output, output_tokens) = match &function.sig.output {
        syn::ReturnType::Type(arrow, returned) if may_return_reference => match &**returned {
            syn::Type::Reference(reference) => {
                lowerer.returns = if reference.mutability.is_some() { Holds::Mutable } else { Holds::Shared };
                lowerer.lower_output(&syn::ReturnType::Type(*arrow, reference.elem.clone()))
            }
            _ => lowerer.lower_output(&function.sig.output),
        },
        output => lowerer.lower_output(output),
    };
    lowerer.output = output.clone();
    let mut body = lowerer.lower_block(&function.block);
    lowerer.join_exchanged(&mut body);
    let constants = lowerer.constants_of(function);
    // What the body declares or imports may have the name of a constant outside of it.
    let constant_names = if lowerer.items.is_empty() { names_of_constants(function, &kind) } else { Vec::new() };
    let items = lowerer.items_of(function, &kind, &runtime);
    let signature = Signature {
        kind,
        attrs: function.attrs.clone(),
        vis: function.vis.clone(),
        name: function.sig.ident.clone(),
        full_name,
        is_in_impl,
        is_in_module_of_its_name: is_free && !is_in_impl && is_in_module_of_its_name(&function.sig.ident),
        type_params: lowerer.type_params,
        const_params: lowerer.const_params,
        function_params: lowerer.function_params,
        generics,
        has_receiver: lowerer.has_receiver,
        params,
        structures,
        output,
        output_tokens,
        returns: lowerer.returns,
        const_body: function.sig.constness.map(|_| function.block.to_token_stream()),
        is_async: lowerer.is_async,
        foreign,
        runtime,
    };
    let Lowerer { assumptions, known_names, same_names, std_functions, slice_methods, locals, labels, sites, variables, .. } = lowerer;
    let function = Function {
        signature,
        assumptions,
        known_names: known_names.into_inner(),
        same_names: same_names.into_inner(),
        field_types: Vec::new(),
        std_functions,
        slice_methods,
        numbers: Vec::new(),
        constants,
        items,
        body,
        locals,
        labels,
        sites,
    };
    check_foreign(&function, errors);
    Some(Untyped { function, variables, constant_names })
}

/// The names in a kernel that may be those of constants outside of it.
fn names_of_constants(function: &syn::ItemFn, kind: &FunctionKind) -> Vec<Ident> {
    let FunctionKind::Kernel(options) = kind else { return Vec::new() };
    let extents = options.block.iter().flatten().map(Length::tokens);
    let mut names: Vec<Ident> = Vec::new();
    let is_constant = |name: &Ident| name.to_string().chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    for name in extents.chain([function.block.to_token_stream()]).flat_map(idents_of).filter(is_constant) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

struct Lowerer<'e> {
    source: &'e syn::ItemFn,
    errors: &'e Errors,
    is_kernel: bool,
    /// Declared `async`, because the device function contains a barrier.
    is_async: bool,
    /// Each call is one index of a loop, not one thread.
    is_array_function: bool,
    /// Each of its arguments is one element.
    is_elementwise: bool,
    /// The struct of the associated function.
    owner: Option<NamedType>,
    has_receiver: bool,
    /// Every name and keyword of its source, once something asks: generated names must differ from them.
    words: OnceCell<HashSet<String>>,
    /// The names of which it has calls, once something asks.
    called: OnceCell<HashSet<String>>,
    /// Whether its tokens come from several macros, once something asks.
    is_of_several_macros: OnceCell<bool>,
    known_names: RefCell<Vec<KnownName>>,
    same_names: RefCell<Vec<SameName>>,
    /// Its name in messages.
    what: &'static str,
    /// The return type.
    output: Type,
    /// What is returned of that.
    returns: Holds,
    /// The return type was refused; a closure or reference in its place is not refused again.
    output_refused: bool,
    /// The generics were refused, so the types of the parameters are not checked.
    generics_refused: bool,
    type_params: Vec<TypeParam>,
    const_params: Vec<ConstParam>,
    function_params: Vec<FunctionParam>,
    assumptions: Vec<Assumption>,
    locals: Vec<Local>,
    labels: Vec<Label>,
    sites: Vec<Site>,
    /// The constants that the body declares, each with how often its block has its name.
    constants: Vec<(syn::ItemConst, usize)>,
    /// What stands in the body beside statements: functions, types, imports.
    items: Vec<BodyItem>,
    /// Functions of std, in place of which the body has something else: by the user's paths, and by std's.
    std_functions: Vec<(syn::Path, syn::Path)>,
    slice_methods: Vec<SliceMethod>,
    /// The names that the body imports from std, with their paths.
    imports: Vec<(Ident, syn::Path)>,
    shared_arrays: usize,
    /// Those of the shared arrays that are one value, and their variables.
    single_values: Vec<usize>,
    single_shared: Vec<LocalId>,
    /// The shared arrays that an assignment exchanges, and where.
    exchanges: Vec<(Vec<LocalId>, Span)>,
    dynamic_arrays: usize,
    /// How many `unsafe` blocks are around the current expression.
    unsafe_depth: usize,
    /// Whether the type that is being lowered is one of elements, which may be atomics.
    atomics_allowed: bool,
    variables: usize,
    /// The variables in scope by name, innermost last. So few that comparing names is faster than hashing one.
    scope: Vec<Name>,
    /// Loops and labelled blocks around the current expression, innermost last.
    enclosing: Vec<LabelId>,
    /// Loops that are one loop for the user, `flat_map`: each outer one with an inner one.
    loops_in_loops: Vec<(LabelId, LabelId)>,
    /// The closures around the current expression, innermost last.
    closures: Vec<Capture>,
    /// The names that stand for functions, innermost last.
    functions: Vec<FunctionName>,
    /// What loops around the current expression run over by reference.
    borrowed: Vec<LocalId>,
    /// Inside of a closure whose body stands where it would be called: the block that a `return` leaves, if it has one.
    inlined: Option<Option<LabelId>>,
    /// The enclosing `move` closures whose bodies stand where they would be called.
    moved: Vec<Moved>,
    /// The variables of which the user has been told that such a closure has a copy.
    told_of_copies: Vec<LocalId>,
    /// The first variable of the chain of iterators around the current expression.
    chain_start: usize,
}

/// What there was before a `move` closure, which has copies of that.
#[derive(Clone, Copy)]
struct Moved {
    locals: usize,
    names: usize,
}

/// A name for a variable.
#[derive(Clone)]
struct Name {
    word: String,
    /// Where it is declared.
    at: Span,
    local: LocalId,
    /// Where it stands for references.
    shape: Shape,
    /// The part of a slice that it stands for; then there is no variable.
    part: Option<Part>,
    /// By this name the variable is used wherever the name is visible, whatever the user calls like it meanwhile.
    is_pinned: bool,
}

impl<'e> Lowerer<'e> {
    fn new(source: &'e syn::ItemFn, errors: &'e Errors, kind: &FunctionKind) -> Self {
        Lowerer {
            source,
            errors,
            is_kernel: matches!(kind, FunctionKind::Kernel(_)),
            is_async: false,
            is_array_function: matches!(kind, FunctionKind::Array(_) | FunctionKind::Generalized(_)),
            is_elementwise: matches!(kind, FunctionKind::Array(_)),
            owner: None,
            has_receiver: false,
            words: OnceCell::new(),
            called: OnceCell::new(),
            is_of_several_macros: OnceCell::new(),
            known_names: RefCell::default(),
            same_names: RefCell::default(),
            what: kind.description(),
            output: Type::Unit,
            returns: Holds::Value,
            output_refused: false,
            generics_refused: false,
            type_params: Vec::new(),
            const_params: Vec::new(),
            function_params: Vec::new(),
            assumptions: Vec::new(),
            locals: Vec::new(),
            labels: Vec::new(),
            sites: Vec::new(),
            constants: Vec::new(),
            items: Vec::new(),
            std_functions: Vec::new(),
            slice_methods: Vec::new(),
            imports: Vec::new(),
            shared_arrays: 0,
            single_values: Vec::new(),
            single_shared: Vec::new(),
            exchanges: Vec::new(),
            dynamic_arrays: 0,
            unsafe_depth: 0,
            atomics_allowed: false,
            variables: 0,
            scope: Vec::new(),
            enclosing: Vec::new(),
            loops_in_loops: Vec::new(),
            closures: Vec::new(),
            functions: Vec::new(),
            borrowed: Vec::new(),
            inlined: None,
            moved: Vec::new(),
            told_of_copies: Vec::new(),
            chain_start: usize::MAX,
        }
    }

    fn fresh(&mut self) -> Type {
        self.variables += 1;
        Type::Variable(TypeVariable(self.variables - 1))
    }

    /// An expression whose type is to be found.
    fn expr(&mut self, kind: ExprKind, span: Span) -> Expr {
        match &kind {
            ExprKind::Borrow { mutable: true, operand: place } | ExprKind::CompoundAssign { place, .. } => self.mark_changed(place),
            ExprKind::Assign { target, .. } => target.for_each_place(&mut |place| self.mark_changed(place)),
            _ => {}
        }
        let ty = self.fresh();
        Expr::new(kind, ty, span)
    }

    /// Remembers of the indices in `place` that they lead to what is changed.
    fn mark_changed(&mut self, place: &Expr) {
        if let ExprKind::Index { site, .. } = &place.kind {
            self.sites[site.0].is_changed = true;
        }
        if let Place::Field(base) | Place::Element(base) = place.place() {
            self.mark_changed(base);
        }
    }

    /// The node for an expression that was refused.
    fn refused(&self, span: Span) -> Expr {
        Expr::new(ExprKind::Refused, Type::Refused, span)
    }

    fn refuse(&self, span: Span, message: impl std::fmt::Display) -> Expr {
        self.errors.push(span, message);
        self.refused(span)
    }

    /// Refuses code that is not valid Rust either.
    fn refuse_invalid(&self, span: Span, message: impl std::fmt::Display) -> Expr {
        self.errors.push_invalid(span, message);
        self.refused(span)
    }

    fn site(&mut self, span: Span, kind: SiteKind) -> SiteId {
        self.sites.push(Site { span, kind, cache: None, is_changed: false });
        SiteId(self.sites.len() - 1)
    }

    fn declare(&mut self, name: &Ident, mutable: bool, ty: Type, kind: LocalKind) -> LocalId {
        self.check_not_hidden(name);
        let id = LocalId(self.locals.len());
        // A variable that is known under another name is still used, by that name.
        let own_word = word(name);
        let hides_used = |known: &Name| (known.is_pinned || known.word != own_word) && self.locals[known.local.0].name == *name;
        let own = if self.scope.iter().any(hides_used) { self.renamed(name) } else { name.clone() };
        self.locals.push(Local { name: own, mutable, mut_token: None, ty, kind, holds: Holds::Value });
        self.show(name, id);
        id
    }

    /// From here on, `name` is that variable.
    fn show(&mut self, name: &Ident, local: LocalId) {
        self.scope.push(Name { word: word(name), at: name.span(), local, shape: Shape::Value, part: None, is_pinned: false });
    }

    /// Another name for a variable, which no variable hides that is declared later: for what is written now and lowered between the user's
    /// own statements.
    fn pinned(&mut self, path: &syn::ExprPath) -> syn::Expr {
        let Some(known) = path.path.get_ident().filter(|name| *name != "self").and_then(|name| self.named(name).cloned()) else {
            return syn::Expr::Path(path.clone());
        };
        let mut name = format!("{}_{}", known.word.trim_start_matches("r#"), known.local.0);
        while self.has_word(&name) {
            name.push('_');
        }
        let name = Ident::new(&name, path.start());
        if self.lookup(&name) != Some(known.local) {
            self.scope.push(Name { word: word(&name), at: name.span(), is_pinned: true, ..known });
        }
        syn::Expr::Path(syn::ExprPath { path: name.into(), ..path.clone() })
    }

    /// Refuses a variable that shadows another variable of the same name from another macro: rustc distinguishes them by hygiene, but here
    /// only the text is known.
    fn check_not_hidden(&mut self, name: &Ident) {
        if self.visible(name).is_some_and(|hidden| name != "_" && self.is_of_another_macro(name.span(), hidden.at)) {
            self.errors.push(name.span(), format!("two variables called `{name}` come from different macros\nhelp: rename one"));
        }
    }

    /// Whether the tokens at these places come from different macros, so that one name is two names to rustc.
    fn is_of_another_macro(&self, one: Span, other: Span) -> bool {
        let several = || has_several_contexts(self.source.to_token_stream());
        *self.is_of_several_macros.get_or_init(several) && syntax_context(one) != syntax_context(other)
    }

    fn lookup(&self, name: &Ident) -> Option<LocalId> {
        self.named(name).map(|name| name.local)
    }

    /// The variable that is used by this name.
    fn named(&self, name: &Ident) -> Option<&Name> {
        let known = self.visible(name)?;
        // Names that are not in the source are our own.
        if name != "self" && self.is_of_another_macro(name.span(), known.at) && self.has_word(&word(name)) {
            let mut declared = name.clone();
            declared.set_span(known.at);
            self.remember_same(SameName { declared, used: name.clone(), is_label: false });
        }
        Some(known)
    }

    fn remember_same(&self, new: SameName) {
        let mut names = self.same_names.borrow_mut();
        if !names.iter().any(|known| known.is_label == new.is_label && known.used == new.used && known.has_contexts_of(&new)) {
            names.push(new);
        }
    }

    /// The variant of an enum of std that a path names by its text.
    fn std_variant(&self, path: &syn::Path) -> Option<StdVariant> {
        let variant = StdVariant::find(path)?;
        self.remember_known(KnownName::Variant(without_arguments(path), variant));
        Some(variant)
    }

    /// Names that are not in the source are our own, and mean what we mean.
    fn remember_known(&self, new: KnownName) {
        let mut names = self.known_names.borrow_mut();
        if self.has_word(&word(new.name())) && !names.iter().any(|known| known.is_same(&new)) {
            names.push(new);
        }
    }

    /// The variable that has this text for a name, whatever macro either is from.
    fn visible(&self, name: &Ident) -> Option<&Name> {
        let name = word(name);
        self.scope.iter().rev().find(|known| known.word == name)
    }

    /// Whether the current expression is in a closure.
    fn is_in_closure(&self) -> bool {
        !self.closures.is_empty() || self.inlined.is_some()
    }

    /// Whether the source has that name or keyword.
    fn has_word(&self, word: &str) -> bool {
        let words = self.words.get_or_init(|| words_of(self.source.to_token_stream()).into_iter().collect());
        words.contains(word)
    }

    fn scoped<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        let (outside, functions) = (self.scope.len(), self.functions.len());
        let result = body(self);
        self.scope.truncate(outside);
        self.functions.truncate(functions);
        result
    }
}

/// `expr` without what is around it: parentheses, and the groups that macros leave.
fn without_parentheses(expr: &syn::Expr) -> &syn::Expr {
    match expr {
        syn::Expr::Paren(paren) => without_parentheses(&paren.expr),
        syn::Expr::Group(group) => without_parentheses(&group.expr),
        other => other,
    }
}
