//! The names that a function calls, each under a name of ours that always leads to something.
//!
//! `f(x)` is the call of a function behind the *module* `f`, and of a missing module rustc speaks as of a missing crate. So generated
//! code names `f` through an import, which takes whatever there is of that name, in a block inside of one where ours is a substitute:
//!
//! ```text
//! use ::core::unreachable as f;                // a macro, so that there is something to import
//! use ::gpu_runtime::calls::missing::function as f_as_called_here;
//! {
//!     use f as f_as_called_here;                        // hides the substitute if `f` is a module
//!     … <f_as_called_here::gpu_device>::on(thread).call(x) …
//! }
//! ```
//!
//! The import takes the module, and a reader of the kernel sees a function: `pub use theirs::*; pub use mine::f;` has the module of the one and
//! the function of the other. So the module of a device function has the function too, and rustc compares:
//!
//! ```text
//! const _: () = {
//!     use f as __written;
//!     use ::gpu_runtime::calls::unknown_function::{__meant, __same};
//!     {
//!         use f_as_called_here::itself::*;              // `__meant`; of a generic function `__same` too, which knows an instance
//!         __same(__meant, __written)
//!     }
//! };
//! ```
//!
//! What the substitutes say is in the runtime's module `calls::missing`. Where the file shows that there is such a module, there is none.
//!
//! Of a function of a type, rustc looks for the hidden ones. Where there is none, it speaks of a trait in scope that has one, and of the
//! bound that keeps the type from having that trait: so there is such a trait, and the bound, which nothing satisfies, says what to write.

use super::method::{code_name, twin_name};
use super::source_unit::expand_constants;
use super::tokens::glue;
use crate::cuda_names::function_instead;
use crate::idents::{syntax_context, words_of};
use crate::model::*;
use crate::source_scope::Surroundings;
use crate::syntax::without_arguments;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::ext::IdentExt;

/// What is called by a path.
#[derive(Clone, Copy, PartialEq)]
enum Callee {
    /// A device function.
    Function,
    /// What is passed by its name: a device function, if no variable has the name.
    Passed,
    Intrinsic {
        is_generic: bool,
    },
}

/// The name of ours for the last name of `path`.
pub(super) fn called_name(path: &syn::Path) -> Ident {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect();
    let span = path.segments.last().map_or_else(Span::mixed_site, |last| last.ident.span());
    let mut name = names.join("__");
    // No other path may have the name: `a__b` is not `a::b`, and a crate is not a module.
    if names.iter().any(|name| name.contains("__") || name.starts_with('_') || name.ends_with('_')) {
        names.iter().for_each(|part| name += &format!("__{}", part.len()));
    }
    if path.leading_colon.is_some() {
        name += "__0";
    }
    // A macro's `$crate` is a name too, and of another macro it may be another crate.
    if let Some(root) = path.segments.first().filter(|first| first.ident == "$crate") {
        name += &syntax_context(root.ident.span()).unwrap_or_default().replace('#', "__");
    }
    format_ident!("{}{NAME_OF_CALLED}", name.replace('$', ""), span = glue(span))
}

/// The content of a block, items or a value, in which the names of ours lead to the functions that `function` calls.
pub(super) fn with_called_names(function: &Function, content: TokenStream) -> TokenStream {
    match Imports::of(function) {
        // The content may declare the constants again.
        Some(Imports { substitutes, imports, own }) if items_use_constants(function) => {
            let constants = expand_constants(function);
            quote_spanned!(Span::mixed_site()=> #substitutes { #constants #own #imports { #content } })
        }
        Some(Imports { substitutes, imports, own }) if substitutes.is_empty() => {
            quote_spanned!(Span::mixed_site()=> #own #imports #content)
        }
        Some(Imports { substitutes, imports, own }) => quote_spanned!(Span::mixed_site()=> #substitutes { #own #imports #content }),
        None => content,
    }
}

/// What the file shows of the names that a function calls: the module to which one leads is certainly there.
pub(super) struct KnownNames {
    surroundings: Surroundings,
    /// An item of the body may hide what stands around the function.
    are_hidden: bool,
    /// All intrinsics are imported. The imports of their names then assert that the names mean them.
    pub(super) are_of_intrinsics: bool,
}

impl KnownNames {
    pub(super) fn of(function: &Function) -> Self {
        let (surroundings, are_hidden) = (Surroundings::of(&function.name), !function.items.is_empty());
        let imports_prelude = function.runtime.crate_name().is_some_and(|runtime| surroundings.imports_prelude(&runtime));
        Self { surroundings, are_hidden, are_of_intrinsics: imports_prelude && !are_hidden }
    }

    /// The path by which the file imports the function of this name.
    fn import_of(&self, path: &syn::Path) -> Option<syn::Path> {
        self.surroundings.import_of(path.get_ident().filter(|_| !self.are_hidden)?)
    }

    /// Whether the path of an intrinsic leads to a function, as far as the file shows: to what, rustc is asked. (Of a name that is not imported
    /// it would say so twice, and an intrinsic of another name has another module too.)
    fn is_function(&self, path: &syn::Path) -> bool {
        let is_own = |path: syn::Path, name: &Ident| {
            path.segments.last().is_some_and(|last| last.ident == *name || !is_intrinsic(&last.ident.to_string()))
        };
        path.get_ident().is_none_or(|name| match self.surroundings.import_of(name) {
            Some(path) => is_own(path, name),
            None => {
                self.are_of_intrinsics
                    || self.are_hidden
                    || self.surroundings.imports_all_of_something()
                    || self.surroundings.function_of_module(&name.to_string()).is_some()
            }
        })
    }

    fn lead_somewhere(&self, path: &syn::Path, callee: Callee) -> bool {
        match (callee, path.get_ident()) {
            (Callee::Intrinsic { .. }, _) => self.are_of_intrinsics,
            (Callee::Function | Callee::Passed, Some(name)) => {
                !self.are_hidden && self.surroundings.declares_device_function(&name.unraw().to_string())
            }
            (Callee::Function | Callee::Passed, None) => false,
        }
    }
}

/// Whether an item of the body has the name of a constant of the body.
fn items_use_constants(function: &Function) -> bool {
    let mut words = function.items.iter().flat_map(|item| words_of(item.clone()));
    !function.constants.is_empty() && words.any(|word| function.constants.iter().any(|constant| constant.name.unraw() == word))
}

struct Imports {
    /// The outer block's.
    substitutes: TokenStream,
    /// The inner block's.
    imports: TokenStream,
    /// The items of the body, which may be what is called.
    own: TokenStream,
}

impl Imports {
    /// `None` if there is no call, and no item in the body.
    fn of(function: &Function) -> Option<Self> {
        let called = called(function);
        let known = KnownNames::of(function);
        let substitutes = called.iter().filter(|(path, callee)| !known.lead_somewhere(path, *callee));
        let substitutes = substitutes.map(|(path, callee)| expand_substitute(function, path, *callee)).collect();
        let imports = called.iter().map(|(path, callee)| expand_import(function, path, *callee, &known)).collect();
        let hidden = expand_hidden(function);
        let items = &function.items;
        let own = quote_spanned!(Span::mixed_site()=> #(#items)* #hidden);
        (!called.is_empty() || !own.is_empty()).then_some(Self { substitutes, imports, own })
    }
}

/// A trait with the hidden functions of the functions of types that are called, which no type has. Nothing if none is called.
fn expand_hidden(function: &Function) -> TokenStream {
    let mut names = Vec::new();
    function.body.for_each_child(&mut |expr| collect_associated(expr, &mut names));
    if names.is_empty() {
        return TokenStream::new();
    }
    let runtime = &function.runtime;
    let names = names.into_iter().map(|name| Ident::new(&name, Span::mixed_site()));
    quote_spanned! {Span::mixed_site()=>
        #[allow(dead_code)]
        trait FunctionsForKernels {
            #(fn #names(&self) {})*
        }
        impl<T: #runtime::calls::missing::HasDeviceFunction> FunctionsForKernels for T {}
    }
}

fn collect_associated(expr: &Expr, found: &mut Vec<String>) {
    // Of a type parameter, rustc would propose the trait as a bound.
    let is_of_parameter = |receiver: &Expr| matches!(receiver.ty, Type::Parameter(_));
    if let ExprKind::Associated { name, receiver, .. } = &expr.kind
        && !receiver.as_deref().is_some_and(is_of_parameter)
    {
        for name in [twin_name(name), code_name(name)].map(|name| name.to_string()) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    expr.for_each_child(&mut |child| collect_associated(child, found));
}

/// Each path that the function calls, once.
fn called(function: &Function) -> Vec<(&syn::Path, Callee)> {
    let mut found = Vec::new();
    function.body.for_each_child(&mut |expr| collect(expr, &mut found));
    found
}

fn collect<'f>(expr: &'f Expr, found: &mut Vec<(&'f syn::Path, Callee)>) {
    let called = match &expr.kind {
        ExprKind::Call { path, .. } => Some((path, Callee::Function)),
        ExprKind::FunctionItem { path, .. } => Some((path, Callee::Passed)),
        ExprKind::Intrinsic { intrinsic, path, .. } => intrinsic_callee(*intrinsic).map(|callee| (path, callee)),
        ExprKind::For { range: Range::GridStride { path, .. }, .. } => Some((path, Callee::Intrinsic { is_generic: false })),
        _ => None,
    };
    let is_new = |(path, _): &(&syn::Path, Callee)| found.iter().all(|(other, _)| called_name(other) != called_name(path));
    if let Some(called) = called.filter(is_new) {
        found.push(called);
    }
    expr.for_each_child(&mut |child| collect(child, found));
}

fn is_intrinsic(name: &str) -> bool {
    let positions = ["thread_idx", "block_idx", "block_dim", "grid_dim", "grid_1d", "grid_2d", "grid_3d", "grid_stride"];
    positions.contains(&name) || matches!(name, "shared" | "dynamic_shared") || Builtin::find(name).is_some()
}

/// `None` for what the runtime has no function of.
fn intrinsic_callee(intrinsic: Intrinsic) -> Option<Callee> {
    let is_generic = match intrinsic {
        Intrinsic::Print(_) => return None,
        Intrinsic::Builtin { builtin, .. } if builtin.effect == Effect::Yields => return None,
        Intrinsic::Builtin { builtin, .. } => builtin.is_generic(),
        Intrinsic::Shared(_) | Intrinsic::DynamicShared(_) => true,
        Intrinsic::ThreadIdx
        | Intrinsic::BlockIdx
        | Intrinsic::BlockDim
        | Intrinsic::GridDim
        | Intrinsic::Grid1d
        | Intrinsic::Grid2d
        | Intrinsic::Grid3d => false,
    };
    Some(Callee::Intrinsic { is_generic })
}

/// Where `on_async` of a callee is called: what it is for a callee that is not `async`.
pub(super) fn fallback_of_awaited(runtime: &RuntimePath) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> #[allow(unused_imports)] use #runtime::calls::missing::OnAsync as _;)
}

fn expand_import(function: &Function, path: &syn::Path, callee: Callee, known: &KnownNames) -> TokenStream {
    let name = called_name(path);
    if let (Callee::Intrinsic { is_generic }, Some(intrinsic)) = (callee, hidden_intrinsic(&known.surroundings, path)) {
        return expand_hidden_intrinsic(&function.runtime, &name, intrinsic, is_generic);
    }
    let path = without_arguments(path);
    let import_of = |path: &syn::Path, name: &Ident| quote_spanned!(Span::mixed_site()=> #[allow(unused_imports)] use #path as #name;);
    match callee {
        Callee::Intrinsic { is_generic } => {
            // The module that is looked at and the function that the user sees may come from two imports.
            let same = known.is_function(&path).then(|| expand_same_intrinsic(&function.runtime, &path, is_generic));
            if known.are_of_intrinsics {
                let meaning = expand_meaning(&function.runtime, &path, &path);
                return quote_spanned!(Span::mixed_site()=> #meaning #same);
            }
            let (import, meaning) = (import_of(&path, &name), expand_meaning(&function.runtime, &path, &name.clone().into()));
            quote_spanned!(Span::mixed_site()=> #import #meaning #same)
        }
        // An import by name hides the function of a glob, and not the module. (rustc is to see that the user's import is used.)
        Callee::Function | Callee::Passed => {
            let (import, written) = (known.import_of(&path).map(|path| import_of(&path, &name)), format_ident!("{name}_as_written"));
            let written = if import.is_some() { &written } else { &name };
            let (written, same) = (import_of(&path, written), expand_same_function(&function.runtime, &path, &name));
            quote_spanned!(Span::mixed_site()=> #import #written #same)
        }
    }
}

/// That the module of an intrinsic, found by the user's path, is the one by which it is taken for an intrinsic: `use block_idx as thread_idx;`
/// is refused.
fn expand_meaning(runtime: &RuntimePath, path: &syn::Path, module: &syn::Path) -> TokenStream {
    let span = path.segments.last().map_or_else(Span::mixed_site, |last| glue(last.ident.span()));
    let intrinsic = path.segments.last().map(|last| Ident::new(&last.ident.to_string(), Span::mixed_site()));
    let meant = Ident::new("__meant", span);
    quote_spanned!(span=> const _: fn() = || #runtime::calls::name_means::<#runtime::intrinsics::#intrinsic::Meant, _>(#module::#meant());)
}

/// That the function that the user's path leads to is that of the module `called`.
fn expand_same_function(runtime: &RuntimePath, path: &syn::Path, called: &Ident) -> TokenStream {
    let span = path.segments.last().map_or_else(Span::mixed_site, |last| glue(last.ident.span()));
    quote_spanned! {span=>
        #[allow(unused_imports)]
        const _: () = {
            use #path as __written;
            // Of a path that leads to nothing, rustc says that alone.
            use #runtime::calls::unknown_function::{__meant, __same};
            {
                use #called::itself::*;
                __same(__meant, __written)
            }
        };
    }
}

/// The name of an intrinsic, whose module is hidden by one of the user's, `mod shared;`.
fn hidden_intrinsic<'p>(surroundings: &Surroundings, path: &'p syn::Path) -> Option<&'p Ident> {
    let name = path.segments.first().filter(|_| path.segments.len() == 1).map(|only| &only.ident)?;
    let text = name.to_string();
    surroundings.declares_module(&text).then_some(name)
}

/// The intrinsic by the runtime's path, and that the user's name means it.
fn expand_hidden_intrinsic(runtime: &RuntimePath, name: &Ident, intrinsic: &Ident, is_generic: bool) -> TokenStream {
    let of_runtime = Ident::new(&intrinsic.to_string(), Span::mixed_site());
    let same = expand_same_intrinsic(runtime, &intrinsic.clone().into(), is_generic);
    quote_spanned! {Span::mixed_site()=>
        #[allow(unused_imports)]
        use #runtime::intrinsics::#of_runtime as #name;
        #same
    }
}

/// That the function that the user's path leads to is the intrinsic of its last name.
fn expand_same_intrinsic(runtime: &RuntimePath, path: &syn::Path, is_generic: bool) -> TokenStream {
    let intrinsic = &path.segments.last().expect("a path has a name").ident;
    let generics = is_generic.then(|| match intrinsic == "shared" {
        true => quote_spanned!(Span::mixed_site()=> ::<[::core::primitive::u32; 1]>),
        false => quote_spanned!(Span::mixed_site()=> ::<::core::primitive::u32>),
    });
    let of_runtime = Ident::new(&intrinsic.to_string(), Span::mixed_site());
    let runtime = runtime.located_at(intrinsic.span());
    quote_spanned!(intrinsic.span()=> const _: () = #runtime::calls::same_function(#path #generics, #runtime::intrinsics::#of_runtime #generics);)
}

fn expand_substitute(function: &Function, path: &syn::Path, callee: Callee) -> TokenStream {
    let (runtime, name) = (&function.runtime, called_name(path));
    // Of a longer path, rustc says which name in it is missing.
    let anything =
        path.get_ident().map(|written| quote_spanned!(Span::mixed_site()=> #[allow(unused_imports)] use ::core::unreachable as #written;));
    if let Some(module) = module_of_its_name(function, path).filter(|_| matches!(callee, Callee::Function | Callee::Passed)) {
        return quote_spanned!(Span::mixed_site()=> #anything #[allow(unused_imports)] use #module as #name;);
    }
    if let (Some(written), Callee::Function | Callee::Passed) = (path.get_ident(), callee)
        && let Some(instead) = function_instead(&written.to_string())
    {
        let foreign = expand_foreign(runtime, written, instead);
        // rustc shows the name of the module.
        let module = format_ident!("{written}_in_kernels", span = Span::mixed_site());
        return quote_spanned! {Span::mixed_site()=>
            #anything
            #[allow(dead_code)]
            mod #module { #foreign }
            #[allow(unused_imports)]
            use #module as #name;
        };
    }
    let substitute = match callee {
        Callee::Function => "function",
        Callee::Passed => "value",
        Callee::Intrinsic { is_generic: true } => "generic_intrinsic",
        Callee::Intrinsic { is_generic: false } => "intrinsic",
    };
    let substitute = Ident::new(substitute, Span::mixed_site());
    quote_spanned! {Span::mixed_site()=>
        #anything
        #[allow(unused_imports)]
        use #runtime::calls::missing::#substitute as #name;
    }
}

/// `scale` for `scale::scale`, also for a `scale` that is imported from there: a module of a function's name has what kernels find of it.
fn module_of_its_name(function: &Function, path: &syn::Path) -> Option<syn::Path> {
    let imported = path.get_ident().and_then(|name| Surroundings::of(&function.name).import_of(name));
    let mut module = without_arguments(imported.as_ref().unwrap_or(path));
    let function = module.segments.pop()?;
    module.segments.pop_punct();
    module.segments.last().is_some_and(|last| last.ident == function.ident).then_some(module)
}

/// The substitute of a function that another language has, with what to write instead.
fn expand_foreign(runtime: &RuntimePath, name: &Ident, instead: &str) -> TokenStream {
    let runtime = runtime.seen_from_inside();
    let (message, label) = (format!("there is no function `{name}` in kernels"), format!("write `{instead}`"));
    let note = "a function of your own needs `#[gpu_device]`";
    quote_spanned! {Span::mixed_site()=>
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        pub trait Exists {
            type Output;
        }
        // Of a trait without any implementation rustc proposes to add one.
        #[diagnostic::do_not_recommend]
        impl Exists for ::core::convert::Infallible {
            type Output = ();
        }
        #runtime::calls::missing_function!(self::Exists);
    }
}
