//! Calls of functions: intrinsics, conversions, device functions.

use super::associated::is_function_of_type;
use super::{Lowerer, without_parentheses};
use crate::cuda_names::{FOREIGN_MODULES, function_instead, is_of_another_language};
use crate::first_span::Start;
use crate::model::*;
use crate::unsupported_methods::{is_of_std, wrong_count};
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::parse_quote_spanned;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn lower_call(&mut self, call: &syn::ExprCall) -> Expr {
        let span = call.start();
        let syn::Expr::Path(function) = &*call.func else {
            let help = match without_parentheses(&call.func) {
                syn::Expr::Closure(_) => "write `let f = |x: f32| …;` and call `f(x)`",
                syn::Expr::Index(_) => "choose one with `match`, `let f = match i { 0 => double, _ => square };`, and call `f(x)`",
                _ => "call a `#[gpu_device]` function by its path",
            };
            return self.refuse(call.func.span(), format!("only functions can be called in kernels\nhelp: {help}"));
        };
        if let Some(refused) = self.refuse_hidden_function(function) {
            return refused;
        }
        if let Some(call) = self.call_of_function_name(call) {
            return self.lower_expr(&call);
        }
        if function.qself.is_some() {
            return self.lower_path_call(call, function);
        }
        if self.part_named(&call.func).is_some() {
            let message = format!(
                "`{}` is a part of a slice, not a function\nhelp: index it, or call a `#[gpu_device]` function",
                function.path.to_token_stream()
            );
            return self.refuse_invalid(function.path.span(), message);
        }
        if let Some(local) = function.path.get_ident().and_then(|name| self.lookup(name)) {
            return self.lower_call_of_local(local, call);
        }
        if let Some(tile) = self.lower_tile_constructor(call) {
            return tile;
        }
        if let Some(variant) = self.std_variant(&function.path) {
            return self.lower_variant(call, &function.path, variant);
        }
        if let Some(lowered) = self.lower_try_from(call, &function.path) {
            return lowered;
        }
        if let Some(lowered) = self.lower_associated(call, &function.path) {
            return lowered;
        }
        if let Some(lowered) = self.lower_intrinsic(call, &function.path) {
            return lowered;
        }
        if let Some(lowered) = self.lower_std_function(call, &function.path) {
            return lowered;
        }
        if let Some(help) = std_function_help(&function.path) {
            return self.refuse_invalid(function.path.span(), help);
        }
        if let Some(help) = allocation_help(&function.path) {
            return self.refuse(function.path.span(), help);
        }
        if let Some(message) = refuse_foreign_function(&function.path) {
            return self.refuse_invalid(function.path.span(), message);
        }
        if let Some(lowered) = self.lower_tuple_struct(call, &function.path) {
            return lowered;
        }
        if is_function_of_type(&function.path) {
            return self.lower_path_call(call, function);
        }
        let last = function.path.segments.last().expect("a path has a segment");
        if last.ident.to_string().ends_with(NAME_OF_CALLED) {
            return self.refuse(
                last.ident.span(),
                format!("a function whose name ends in `{NAME_OF_CALLED}` cannot be called in kernels\nhelp: rename it"),
            );
        }
        let Some(explicit) = self.lower_explicit(&last.arguments) else { return self.refused(span) };
        let args = call.args.iter().map(|arg| self.lower_argument(arg)).collect();
        self.expr(ExprKind::Call { path: function.path.clone(), explicit, args, awaited: false }, span)
    }

    /// An argument of a device function: a value, or an array by reference.
    pub(super) fn lower_argument(&mut self, arg: &syn::Expr) -> Expr {
        if let Some(part) = self.lower_part_argument(arg) {
            return part;
        }
        let reference = match arg {
            syn::Expr::Reference(reference) => reference,
            syn::Expr::Closure(closure) => return self.lower_closure(closure),
            syn::Expr::Path(path) if self.is_reference(arg) || self.is_self_reference(path) => {
                let operand = Box::new(self.lower_path(path));
                return self.borrow(operand, arg);
            }
            syn::Expr::Path(path) => {
                let lowered = match self.lower_function_item(path) {
                    Some(function) => function,
                    None => self.lower_expr(arg),
                };
                if let (ExprKind::Local(local), Type::Slice { mutable: true, .. } | Type::View { mutable: true, .. }) =
                    (&lowered.kind, self.local_type(&lowered))
                {
                    self.check_not_captured(*local, arg.start());
                }
                return lowered;
            }
            arg => return self.lower_expr(arg),
        };
        let operand = Box::new(self.lower_dereferenced(&reference.expr));
        if self.is_view(&operand) {
            return self.refuse_borrowed_view(&operand, arg.span());
        }
        if reference.mutability.is_some() {
            if let ExprKind::Local(local) = operand.kind {
                self.check_not_borrowed(local, arg.start());
            }
            self.check_element_not_captured(&operand);
        }
        let is_lent = match operand.kind {
            ExprKind::Array(_) | ExprKind::Repeat { .. } => false,
            _ => operand.is_place() || operand.is_refused() || reference.mutability.is_none(),
        };
        if !is_lent {
            return self.refuse(
                reference.expr.span(),
                "kernels can pass only variables and elements of arrays by reference\nhelp: bind the value with `let` first",
            );
        }
        self.expr(ExprKind::Borrow { mutable: reference.mutability.is_some(), operand }, arg.start())
    }

    /// A variable that is a reference, passed on.
    fn borrow(&mut self, operand: Box<Expr>, arg: &syn::Expr) -> Expr {
        let mutable = operand.place().variable().is_some_and(|local| self.locals[local.0].holds == Holds::Mutable);
        if mutable {
            self.check_element_not_captured(&operand);
        }
        self.expr(ExprKind::Borrow { mutable, operand }, arg.start())
    }

    /// The type of a variable as it was declared.
    pub(super) fn local_type<'t>(&'t self, expr: &'t Expr) -> &'t Type {
        match expr.kind {
            ExprKind::Local(local) => &self.locals[local.0].ty,
            _ => &expr.ty,
        }
    }

    /// `f32::from_bits(x)`, `u64::from(x)`, and methods called by path: `f32::max(a, b)`.
    fn lower_associated(&mut self, call: &syn::ExprCall, path: &syn::Path) -> Option<Expr> {
        let mut segments = path.segments.iter().rev();
        let (name, owner) = (&segments.next()?.ident, segments.next()?);
        let ty = match self.type_param(&owner.ident) {
            Some(param) if path.segments.len() == 2 => {
                // Of a type that is no number, or a trait of the user's.
                if param.class.is_none() || (!param.traits.is_empty() && !is_number_function(name)) {
                    return None;
                }
                Type::Parameter(param)
            }
            _ if !is_number_function(name) => return None,
            _ => {
                let scalar = Scalar::from_name(&owner.ident.to_string())?;
                self.assume(&FunctionPath { qself: None, path: path.clone() }.owner().path, scalar);
                Type::Scalar(scalar)
            }
        };
        let span = call.start();
        let mut args: Vec<Expr> = call.args.iter().map(|arg| self.lower_expr(arg)).collect();
        if let Some(conversion) = Conversion::from_name(&name.to_string()) {
            if args.len() != 1 {
                return Some(self.refuse_invalid(span, format!("`{name}` takes one argument")));
            }
            if matches!(conversion, Conversion::FromBits | Conversion::From | Conversion::FromBytes(_)) && ty.as_scalar().is_none() {
                return Some(self.refuse_invalid(
                    span,
                    format!(
                        "`{}::{name}` is not available for every type\nhelp: write `{0}::from_f64(x)`, `{0}::from_i32(x)` or `x.cast::<{0}>()`",
                        owner.ident
                    ),
                ));
            }
            let operand = Box::new(args.remove(0));
            return Some(self.expr(ExprKind::Convert { conversion, to: ty, operand }, span));
        }
        if args.is_empty() {
            return Some(self.refuse(span, format!("`{}::{name}` is not supported in kernels", owner.ident)));
        }
        // The path says the receiver's type.
        let receiver = Expr { ty, ..args.remove(0) };
        Some(self.lower_method(name, receiver, args, span))
    }

    fn lower_intrinsic(&mut self, call: &syn::ExprCall, path: &syn::Path) -> Option<Expr> {
        let span = call.start();
        let last = path.segments.last()?;
        let name = last.ident.to_string();
        if let Some(refused) = self.refuse_in_array_function(&name, span) {
            return Some(refused);
        }
        let intrinsic = match name.as_str() {
            "thread_idx" => Intrinsic::ThreadIdx,
            "block_idx" => Intrinsic::BlockIdx,
            "block_dim" => Intrinsic::BlockDim,
            "grid_dim" => Intrinsic::GridDim,
            "grid_1d" => Intrinsic::Grid1d,
            "grid_2d" => Intrinsic::Grid2d,
            "grid_3d" => Intrinsic::Grid3d,
            "shared" => return Some(self.lower_shared(call, path)),
            "dynamic_shared" => return Some(self.lower_dynamic_shared(call, path)),
            "grid_stride" => {
                return Some(self.refuse(
                    span,
                    "`grid_stride(n)` is only supported as the range of a `for` loop\nhelp: write `for i in grid_stride(n) { … }`",
                ));
            }
            _ => return Builtin::find(&name).map(|builtin| self.lower_builtin(builtin, call, path)),
        };
        if !call.args.is_empty() {
            return Some(self.refuse_invalid(call.args.span(), wrong_count(&name, "", 0, call.args.len())));
        }
        Some(self.expr(ExprKind::Intrinsic { intrinsic, path: path.clone(), args: Vec::new() }, span))
    }

    fn lower_builtin(&mut self, builtin: Builtin, call: &syn::ExprCall, path: &syn::Path) -> Expr {
        let (name, span) = (builtin.name, call.start());
        if self.is_array_function {
            return self.refuse(
                span,
                format!("`{name}` is not supported in array functions because their calls are independent\nhelp: remove it, or write a `#[gpu_kernel]`"),
            );
        }
        if builtin.suspends() && self.is_in_closure() {
            return self.refuse(span, format!("`{name}` is not supported in closures\nhelp: call it where the closure is called"));
        }
        if builtin.suspends() && !self.may_suspend() {
            return self.refuse(
                span,
                format!("`{name}()` waits for other threads, so this device function must be `async`\nhelp: declare it `async fn`, and write `.await` after each call of it"),
            );
        }
        if call.args.len() != builtin.params.len() {
            let message = wrong_count(name, "", builtin.params.len(), call.args.len());
            let at = if call.args.is_empty() { span } else { call.args.span() };
            return self.refuse_invalid(at, message);
        }
        let args = call.args.iter().map(|arg| self.lower_expr(arg)).collect();
        let site = builtin.suspends().then(|| {
            let kind = match builtin.effect {
                Effect::Collective => SiteKind::Barrier,
                Effect::GridCollective => SiteKind::GridBarrier,
                Effect::Yields => SiteKind::Yield,
                Effect::WarpCollective | Effect::LanesCollective => SiteKind::Warp,
                Effect::Reads | Effect::Writes => unreachable!("it does not suspend the thread"),
            };
            self.site(span, kind)
        });
        self.expr(ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, site }, path: path.clone(), args }, span)
    }

    /// Array functions are compiled into loops, and their threads are not visible to the user.
    pub(super) fn refuse_in_array_function(&mut self, intrinsic: &str, span: Span) -> Option<Expr> {
        if !self.is_array_function {
            return None;
        }
        let message = match intrinsic {
            "shared" | "dynamic_shared" => {
                format!(
                    "`{intrinsic}` is not supported in array functions because their calls are independent\nhelp: write a `#[gpu_kernel]` for threads that cooperate"
                )
            }
            "thread_idx" | "block_idx" | "block_dim" | "grid_dim" | "grid_1d" | "grid_2d" | "grid_3d" | "grid_stride" => {
                let help = match (self.is_elementwise, intrinsic) {
                    (true, "grid_stride") => {
                        "write `for _ in 0..n` to loop in this call, or write a `#[gpu_kernel]` whose threads share the loop"
                    }
                    (true, _) => "take the index of the element as a parameter, and pass `iota(n)`",
                    (false, _) => "loop over the core array, such as `for i in 0..x.len()`; pass `iota(n)` for the number of the call",
                };
                format!("`{intrinsic}` is not supported in array functions because they have no thread index\nhelp: {help}")
            }
            _ => return None,
        };
        Some(self.refuse(span, message))
    }

    /// `dynamic_shared::<T>(length)`: a slice. `check` checks the length.
    fn lower_dynamic_shared(&mut self, call: &syn::ExprCall, path: &syn::Path) -> Expr {
        let span = call.start();
        if !self.is_kernel {
            return self.refuse(
                span,
                "dynamic shared memory can only be declared in a kernel, because the launch computes its size\nhelp: pass it to the device function as `&mut tile`",
            );
        }
        let [length] = call.args.iter().collect::<Vec<_>>()[..] else {
            return self.refuse_invalid(
                span,
                "`dynamic_shared` takes one argument, the length\nhelp: write `dynamic_shared::<f32>(block_dim().x)`",
            );
        };
        let arguments = &path.segments.last().expect("a path has a segment").arguments;
        let element = match arguments {
            syn::PathArguments::AngleBracketed(generics) if generics.args.len() == 1 => match &generics.args[0] {
                syn::GenericArgument::Type(ty) => self.lower_element_type(ty),
                _ => None,
            },
            _ => {
                return self.refuse_invalid(
                    span,
                    format!(
                        "the type of the elements of this shared array is missing\nhelp: write `dynamic_shared::<f32>({})`, with that type",
                        length.to_token_stream()
                    ),
                );
            }
        };
        let length = self.lower_expr(length);
        let Some(element) = element else { return self.refused(span) };
        let is_element =
            matches!(element, Type::Scalar(_) | Type::Parameter(_) | Type::Atomic(_) | Type::Named(_) | Type::Array(..) | Type::Tuple(_));
        if !is_element || element == Type::BOOL {
            return self.refuse(
                arguments.span(),
                "the elements of a dynamic shared array must be numbers, atomics, structs, or arrays or tuples of these\nhelp: use `u8` instead of `bool`",
            );
        }
        let index = self.dynamic_arrays;
        self.dynamic_arrays += 1;
        let intrinsic = ExprKind::Intrinsic { intrinsic: Intrinsic::DynamicShared(index), path: path.clone(), args: vec![length] };
        let mutable = !matches!(element, Type::Atomic(_));
        Expr::new(intrinsic, Type::Slice { element: Box::new(element), mutable }, span)
    }

    fn lower_shared(&mut self, call: &syn::ExprCall, path: &syn::Path) -> Expr {
        let span = call.start();
        if self.is_in_closure() {
            return self.refuse(span, "shared memory cannot be declared in a closure\nhelp: declare it before the closure");
        }
        if !self.may_suspend() {
            return self.refuse(
                span,
                "shared memory can only be declared in a kernel or in an `async` device function\nhelp: pass it to the device function as `&mut tile`, or declare the function as `async fn`",
            );
        }
        if !call.args.is_empty() {
            return self
                .refuse_invalid(call.args.span(), "`shared` takes no arguments\nhelp: the type has the length: `shared::<[f32; 256]>()`");
        }
        let arguments = &path.segments.last().expect("a path has a segment").arguments;
        let array = match arguments {
            syn::PathArguments::AngleBracketed(generics) if generics.args.len() == 1 => match &generics.args[0] {
                syn::GenericArgument::Type(ty) => self.lower_element_type(ty),
                _ => None,
            },
            _ => return self.refuse_invalid(span, "the type of this shared array is missing\nhelp: write `shared::<[f32; 256]>()`"),
        };
        let (array, path) = match array {
            Some(array @ Type::Array(..)) => (array, path.clone()),
            // One value is an array of one element.
            Some(value @ (Type::Scalar(_) | Type::Parameter(_) | Type::Atomic(_) | Type::Named(_) | Type::Tuple(_))) => {
                self.single_values.push(self.shared_arrays);
                (Type::Array(Box::new(value), Length::of_elements(1, span)), with_array_of_one(path))
            }
            Some(_) => {
                return self.refuse_invalid(
                    arguments.span(),
                    "shared memory can hold only numbers, atomics, structs, and arrays and tuples of these\nhelp: write `shared::<[f32; 256]>()`",
                );
            }
            None => return self.refused(span),
        };
        let index = self.shared_arrays;
        self.shared_arrays += 1;
        let intrinsic = ExprKind::Intrinsic { intrinsic: Intrinsic::Shared(index), path, args: Vec::new() };
        Expr::new(intrinsic, Type::Shared(Box::new(array)), span)
    }

    /// Remembers that the variable of this pattern is one value in shared memory, if it is.
    pub(super) fn note_single_value(&mut self, pattern: &Pattern, init: Option<&Expr>) {
        if let (PatternKind::Bind { local, .. }, Some(Expr { kind: ExprKind::Intrinsic { intrinsic: Intrinsic::Shared(slot), .. }, .. })) =
            (&pattern.kind, init)
            && self.single_values.contains(slot)
        {
            self.single_shared.push(*local);
        }
    }

    /// `total[0]` for `total`, the variable of one value in shared memory.
    pub(super) fn element_of_single(&self, expr: &syn::Expr) -> Option<syn::Expr> {
        let syn::Expr::Path(path) = without_parentheses(expr) else { return None };
        let local = path.path.get_ident().and_then(|name| self.lookup(name))?;
        self.single_shared.contains(&local).then(|| parse_quote_spanned!(path.span()=> #path[0]))
    }
}

/// Whether a call of a function of this name means an intrinsic.
pub(super) fn is_intrinsic(name: &str) -> bool {
    const OF_COORDINATES_AND_MEMORY: [&str; 10] =
        ["thread_idx", "block_idx", "block_dim", "grid_dim", "grid_1d", "grid_2d", "grid_3d", "grid_stride", "shared", "dynamic_shared"];
    OF_COORDINATES_AND_MEMORY.contains(&name) || Builtin::find(name).is_some()
}

/// `shared::<[u32; 1]>` for `shared::<u32>`.
fn with_array_of_one(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    if let Some(syn::PathSegment { arguments: syn::PathArguments::AngleBracketed(generics), .. }) = path.segments.last_mut()
        && let Some(syn::GenericArgument::Type(ty)) = generics.args.first_mut()
    {
        *ty = parse_quote_spanned!(ty.span()=> [#ty; 1]);
    }
    path
}

/// Whether numbers have a function of this name, here or on the host.
fn is_number_function(name: &Ident) -> bool {
    is_of_std(name) || Conversion::from_name(&name.to_string()).is_some()
}

/// Help for functions of std that have a method in kernels.
fn std_function_help(path: &syn::Path) -> Option<String> {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let [first, .., name] = names.as_slice() else { return None };
    // A module of the user's may be called `mem` too.
    let is_std = match first.as_str() {
        "std" | "core" => true,
        "cmp" => matches!(name.as_str(), "min" | "max"),
        "mem" => matches!(name.as_str(), "swap" | "take" | "replace"),
        _ => false,
    };
    if !is_std {
        return None;
    }
    Some(match name.as_str() {
        "min" | "max" => format!("`{}` cannot be called in kernels\nhelp: use the method, `a.{name}(b)`", names.join("::")),
        "from_fn" => {
            "`std::array::from_fn` needs the type of the array here\nhelp: write `let a: [f32; 4] = std::array::from_fn(|i| …);`".into()
        }
        "size_of" | "align_of" => format!(
            "`{name}` cannot be called in kernels\nhelp: declare a constant outside of the function, `const SIZE: usize = size_of::<f32>();`"
        ),
        "swap" => "`swap` cannot be called in kernels\nhelp: write `(a, b) = (b, a)`".into(),
        _ => format!("`{}` cannot be called in kernels\nhelp: call methods of numbers and `#[gpu_device]` functions", names.join("::")),
    })
}

/// Help for functions of types whose values kernels cannot create: `Vec::new()`, `AtomicU32::new(0)`.
fn allocation_help(path: &syn::Path) -> Option<String> {
    let mut segments = path.segments.iter().rev();
    let (name, owner) = (&segments.next()?.ident, &segments.next()?.ident);
    if AtomicValue::from_atomic_name(&owner.to_string()).is_some() {
        return Some(local_atomic(&owner.to_string()));
    }
    // A struct of the user's may be called `Box` too.
    let allocates = ["Vec", "String", "Box", "HashMap"].iter().any(|known| owner == known)
        && ["new", "with_capacity", "from"].iter().any(|known| name == known);
    allocates.then(|| {
        format!("`{owner}` needs an allocator, which kernels do not have\nhelp: use numbers, an array `[T; N]` or a slice parameter")
    })
}

/// The message for an atomic of the type `name` outside of memory that threads share.
pub(super) fn local_atomic(name: &str) -> String {
    format!(
        "an atomic is shared between threads, so it cannot be a local value\nhelp: use a plain variable for a number of one thread; for a number that threads share, take `&[{name}]`, or declare `shared::<[{name}; 256]>()`"
    )
}

/// The message for a function of CUDA C or Numba that cannot be a function of the user's.
fn refuse_foreign_function(path: &syn::Path) -> Option<String> {
    let last = path.segments.last()?.ident.to_string();
    let is_foreign = match path.get_ident() {
        Some(_) => is_of_another_language(&last) || Scalar::from_name(&last).is_some(),
        None => FOREIGN_MODULES.iter().any(|module| path.segments[0].ident == module),
    };
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let name = names.get(1..).filter(|inner| inner.len() > 1).map_or(last, |inner| inner.join("::"));
    is_foreign.then(|| foreign_function_message(&names.join("::"), &name)).flatten()
}

/// For the function `name`, which is written as `written`.
pub(super) fn foreign_function_message(written: &str, name: &str) -> Option<String> {
    let is_atomic = name.strip_prefix("atomic").is_some_and(|rest| rest.starts_with(char::is_uppercase)) || name.starts_with("atomic::");
    let help = match function_instead(name) {
        Some(instead) => format!("write `{instead}`"),
        None if is_atomic => {
            "take a slice of atomics and call their methods, such as `counts[i].fetch_add(1, Ordering::Relaxed)` of a `&[AtomicU32]`".into()
        }
        None => return None,
    };
    let message = match Scalar::from_name(written) {
        Some(_) => format!("`{written}` is a type, not a function"),
        None => format!("there is no `{written}` in kernels"),
    };
    Some(format!("{message}\nhelp: {help}"))
}
