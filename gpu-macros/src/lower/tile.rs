//! Tiles: `Tile::<f32, 128, 256>::zeros()`, `a.tile::<128, 64>(i, k)`, `x.dot(y)`, `c.tile_mut(i, j).store(x)`.
//!
//! What is a tile is seen by its form: it begins with one of the first two, or with a variable that does.

use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;

/// The extents that a tile can have.
const EXTENTS: [u64; 5] = [16, 32, 64, 128, 256];

impl Lowerer<'_> {
    /// The type at a path that ends in `Tile<T, R, C>` or `Column<T, R>`. `None` for any other path.
    pub(super) fn lower_tile_type(&mut self, path: &syn::Path) -> Option<Type> {
        let last = path.segments.last()?;
        let is_column = last.ident == "Column";
        let syn::PathArguments::AngleBracketed(generics) = &last.arguments else { return None };
        let (element, extents) = match generics.args.iter().collect::<Vec<_>>()[..] {
            [syn::GenericArgument::Type(element), rows] if is_column => (element, vec![rows]),
            [syn::GenericArgument::Type(element), rows, columns] if last.ident == "Tile" => (element, vec![rows, columns]),
            _ => return None,
        };
        let extents: Vec<Length> = extents.into_iter().map(|extent| self.lower_tile_extent(extent)).collect::<Option<_>>()?;
        let element = self.lower_type(element).unwrap_or(Type::Refused);
        let mut extents = extents.into_iter();
        let rows = extents.next()?;
        Some(Type::Tile(Box::new(TileType { element, rows, columns: extents.next() })))
    }

    /// A number of rows or columns between `<` and `>`.
    fn lower_tile_extent(&mut self, argument: &syn::GenericArgument) -> Option<Length> {
        let extent = match argument {
            syn::GenericArgument::Const(extent) => self.lower_length(extent),
            syn::GenericArgument::Type(syn::Type::Path(path)) if path.qself.is_none() => {
                let path = syn::ExprPath { attrs: Vec::new(), qself: None, path: path.path.clone() };
                self.lower_length(&syn::Expr::Path(path))
            }
            _ => return None,
        };
        if extent.value().is_some_and(|extent| !EXTENTS.contains(&extent)) {
            let message = "a tile has 16, 32, 64, 128 or 256 rows and as many columns\nhelp: write one of these numbers; what is outside of an array is read as zero and not stored";
            self.errors.push(extent.span(), message);
        }
        Some(extent)
    }

    /// The view that this is the name of.
    fn view_named(&self, expr: &syn::Expr) -> Option<LocalId> {
        let syn::Expr::Path(path) = without_parentheses(expr) else { return None };
        let local = self.lookup(path.path.get_ident()?)?;
        matches!(self.locals[local.0].ty, Type::View { .. }).then_some(local)
    }

    /// Whether the value of `expr` is a tile or a column.
    pub(super) fn is_tile(&self, expr: &syn::Expr) -> bool {
        match without_parentheses(expr) {
            syn::Expr::Path(path) => {
                let local = path.path.get_ident().and_then(|name| self.lookup(name));
                local.is_some_and(|local| matches!(self.locals[local.0].ty, Type::Tile(_)))
            }
            syn::Expr::MethodCall(call) => {
                // Methods that tiles do not have are refused there.
                (call.method == "tile" && self.view_named(&call.receiver).is_some()) || self.is_tile(&call.receiver)
            }
            syn::Expr::Call(call) => matches!(&*call.func, syn::Expr::Path(function) if is_constructor(function)),
            syn::Expr::Binary(binary) => is_operator(&binary.op) && (self.is_tile(&binary.left) || self.is_tile(&binary.right)),
            syn::Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Neg(_)) && self.is_tile(&unary.expr),
            _ => false,
        }
    }

    /// `Tile::<f32, 128, 256>::zeros()` and `splat(x)`. `None` for any other call.
    pub(super) fn lower_tile_constructor(&mut self, call: &syn::ExprCall) -> Option<Expr> {
        let syn::Expr::Path(function) = &*call.func else { return None };
        if !is_constructor(function) {
            return self.refuse_constructor_without_size(function);
        }
        let mut owner = function.path.clone();
        let name = owner.segments.last()?.ident.clone();
        owner.segments.pop();
        owner.segments.pop_punct();
        let ty = self.lower_tile_type(&owner)?;
        let (operation, arity) = match name == "zeros" {
            true => (TileOperation::Zeros(function.path.clone()), 0),
            false => (TileOperation::Splat(function.path.clone()), 1),
        };
        let args: Vec<Expr> = call.args.iter().map(|arg| self.lower_expr(arg)).collect();
        Some(self.tile(operation, &name, args, arity, ty, call.start()))
    }

    /// `Tile::zeros()`, where a kernel stores tiles: elsewhere, it may be a user's type.
    fn refuse_constructor_without_size(&self, function: &syn::ExprPath) -> Option<Expr> {
        let (owner, name) = owner_and_name(function)?;
        if !owner.arguments.is_none() || !self.has_word("tile_mut") {
            return None;
        }
        let (owner, argument) = (owner.ident.to_string(), if name == "splat" { "x" } else { "" });
        let (parts, extents) = if owner == "Tile" { ("elements, rows and columns", "128, 256") } else { ("elements and rows", "128") };
        let message = format!(
            "the type and the size of this {} are missing\nhelp: write its {parts}, such as `{owner}::<f32, {extents}>::{name}({argument})`",
            owner.to_lowercase(),
        );
        Some(self.refuse(name.span(), message))
    }

    /// A method of a view that is about tiles, or a method of a tile. `None` for any other call.
    pub(super) fn lower_tile_call(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        if let Some(view) = self.view_named(&call.receiver) {
            return match call.method.to_string().as_str() {
                "tile" => Some(self.lower_load(view, call)),
                "tiles" => Some(self.lower_number_of_tiles(view, call)),
                "tile_mut" => {
                    let message = "a tile of a view is stored at once\nhelp: write `c.tile_mut(i, j).store(tile)`";
                    Some(self.refuse(call.method.span(), message))
                }
                _ => None,
            };
        }
        if let syn::Expr::MethodCall(place) = without_parentheses(&call.receiver)
            && place.method == "tile_mut"
            && let Some(view) = self.view_named(&place.receiver)
        {
            return Some(self.lower_store(view, place, call));
        }
        if !self.is_tile(&call.receiver) {
            return None;
        }
        Some(self.lower_tile_method(call))
    }

    /// `a.tile::<128, 64>(i, k)`
    fn lower_load(&mut self, view: LocalId, call: &syn::ExprMethodCall) -> Expr {
        let name = self.locals[view.0].name.to_string();
        let (element, rank, is_mutable) = match &self.locals[view.0].ty {
            Type::View { element, rank: rank @ (2 | 3), mutable } => ((**element).clone(), *rank, *mutable),
            _ => return self.refuse_axes(&name, call),
        };
        if is_mutable {
            let message = format!(
                "a tile of `{name}` cannot be read: it is a `ViewMut`, which other blocks may write to\nhelp: pass what is read as another parameter, a `View`"
            );
            return self.refuse(call.method.span(), message);
        }
        let extents = call.turbofish.as_ref().map(|turbofish| turbofish.args.iter().collect::<Vec<_>>()).unwrap_or_default();
        let [rows, columns] = extents[..] else {
            let message =
                format!("the size of the tile is missing\nhelp: write its rows and columns, such as `{name}.tile::<128, 64>(i, k)`");
            return self.refuse(call.method.span(), message);
        };
        let (Some(rows), Some(columns)) = (self.lower_tile_extent(rows), self.lower_tile_extent(columns)) else {
            return self.refuse(call.turbofish.span(), "the rows and columns of a tile are numbers\nhelp: write `tile::<128, 64>(i, k)`");
        };
        if call.args.len() != rank {
            let message = format!(
                "`{name}` has {rank} axes, and its tiles as many indices\nhelp: write `{name}.tile::<128, 64>({})`",
                index_of(rank)
            );
            return self.refuse_invalid(call.method.span(), message);
        }
        let ty = Type::Tile(Box::new(TileType { element, rows, columns: Some(columns) }));
        let args = self.view_and_values(view, call);
        self.tile(TileOperation::Load, &call.method, args, 1 + rank, ty, call.start())
    }

    /// `a.tiles(1, 64)` as `a.shape()[1].div_ceil(64)`.
    fn lower_number_of_tiles(&mut self, view: LocalId, call: &syn::ExprMethodCall) -> Expr {
        let span = call.start();
        let Type::View { rank, .. } = self.locals[view.0].ty else { unreachable!("the caller has found a view") };
        let axis = match call.args.first().map(without_parentheses) {
            Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(axis), .. })) => axis.base10_parse::<usize>().ok(),
            _ => None,
        };
        let (Some(axis), 2) = (axis.filter(|axis| *axis < rank), call.args.len()) else {
            let message = "`tiles` takes the number of an axis and the size of a tile along it\nhelp: write `a.tiles(1, 64)`";
            return self.refuse_invalid(call.method.span(), message);
        };
        let base = Box::new(self.expr(ExprKind::Local(view), call.receiver.span()));
        let extent = self.expr(ExprKind::Extent { base, axis }, span);
        let size = self.lower_expr(&call.args[1]);
        self.lower_method(&Ident::new("div_ceil", call.method.span()), extent, vec![size], span)
    }

    /// Whether it is a variable whose value was refused, or what a method makes of one.
    fn is_of_refused_name(&self, expr: &syn::Expr) -> bool {
        match without_parentheses(expr) {
            syn::Expr::Path(path) => {
                let local = path.path.get_ident().and_then(|name| self.lookup(name));
                local.is_some_and(|local| self.locals[local.0].ty == Type::Refused)
            }
            syn::Expr::MethodCall(call) => self.is_of_refused_name(&call.receiver),
            _ => false,
        }
    }

    /// `c.tile_mut(i, j).store(tile)`
    fn lower_store(&mut self, view: LocalId, place: &syn::ExprMethodCall, call: &syn::ExprMethodCall) -> Expr {
        let name = self.locals[view.0].name.to_string();
        let rank = match &self.locals[view.0].ty {
            Type::View { rank: rank @ (2 | 3), mutable: true, .. } => *rank,
            Type::View { rank: 2 | 3, .. } => {
                let message = format!("`{name}` is a `View`, so no tile of it can be stored\nhelp: declare it as a `ViewMut`");
                return self.refuse_invalid(place.method.span(), message);
            }
            _ => return self.refuse_axes(&name, place),
        };
        let index = index_of(rank);
        if call.method != "store" || call.args.len() != 1 || place.args.len() != rank {
            let message = format!("a tile of a view is stored at once\nhelp: write `{name}.tile_mut({index}).store(tile)`");
            return self.refuse_invalid(call.method.span(), message);
        }
        if !self.is_tile(&call.args[0]) && !self.is_of_refused_name(&call.args[0]) {
            let message = format!(
                "what is stored here is not seen to be a tile\nhelp: write its type, such as `let x: Tile<f32, 64, 64> = …;`, then `{name}.tile_mut({index}).store(x)`"
            );
            return self.refuse(call.args[0].span(), message);
        }
        let mut args = self.view_and_values(view, place);
        args.push(self.lower_expr(&call.args[0]));
        if args.iter().any(Expr::is_refused) || self.is_of_refused_name(&call.args[0]) {
            return self.refused(call.start());
        }
        if args[1 + rank].ty.tile().is_some_and(|tile| tile.columns.is_none()) {
            return self.refuse_invalid(call.args[0].span(), "a column cannot be stored\nhelp: add it to a tile of zeros");
        }
        let sites = args[1..=rank].iter().map(|index| self.site(index.span, SiteKind::Unchecked)).collect();
        self.tile(TileOperation::Store(sites), &call.method, args, 2 + rank, Type::Unit, call.start())
    }

    fn refuse_axes(&mut self, name: &str, call: &syn::ExprMethodCall) -> Expr {
        self.refuse(call.method.span(), format!("tiles are parts of views with two or three axes, but `{name}` has neither\nhelp: declare it as a view with two axes, and pass such a part of it to the launch"))
    }

    /// The view itself and the arguments of the call.
    fn view_and_values(&mut self, view: LocalId, call: &syn::ExprMethodCall) -> Vec<Expr> {
        let ty = self.locals[view.0].ty.clone();
        let view = Expr::new(ExprKind::Local(view), ty, call.receiver.span());
        let values: Vec<Expr> = call.args.iter().map(|arg| self.lower_expr(arg)).collect();
        std::iter::once(view).chain(values).collect()
    }

    fn lower_tile_method(&mut self, call: &syn::ExprMethodCall) -> Expr {
        let span = call.start();
        let name = call.method.to_string();
        let Some((operation, arity)) = TileOperation::of_method(&name) else {
            let help = match Method::all().find(|method| method.name == name && !matches!(method.receiver, Receiver::Array)) {
                Some(method) => format!("call it for each element: `x.map(|v| v.{})`", method.call()),
                None => "tiles have `dot`, `dot_tf32`, `map`, `zip`, `map_at`, `cast`, `row_max`, `row_sum`, `transpose` and the operators `+ - * /`".to_owned(),
            };
            return self.refuse_invalid(call.method.span(), format!("a tile has no method `{name}`\nhelp: {help}"));
        };
        let receiver = self.lower_expr(&call.receiver);
        let mut args = vec![receiver];
        for arg in &call.args {
            args.push(match (&operation, arg) {
                (TileOperation::Map | TileOperation::MapAt, syn::Expr::Closure(closure)) => self.lower_closure(closure),
                (TileOperation::Dot(_) | TileOperation::Map, arg) if self.is_tile(arg) => self.lower_expr(arg),
                (TileOperation::Map | TileOperation::MapAt, arg) => {
                    self.refuse(arg.span(), format!("`{name}` takes a closure\nhelp: write it out, `|x| f(x)`"))
                }
                (_, arg) => self.refuse(
                    arg.span(),
                    "this operand is not seen to be a tile\nhelp: write its type, such as `let x: Tile<f32, 64, 64> = …;`, and use `x`",
                ),
            });
        }
        if args.iter().any(Expr::is_refused) {
            return self.refused(span);
        }
        let takes_closure = matches!(operation, TileOperation::Map | TileOperation::MapAt);
        let closure = args.iter().position(|arg| matches!(arg.kind, ExprKind::Closure(_)));
        if takes_closure && (args.len() != arity + 1 || closure != Some(arity)) {
            let form = match name.as_str() {
                "zip" => "x.zip(y, |a, b| …)",
                "map_at" => "x.map_at(|row, column, v| …)",
                _ => "x.map(|v| …)",
            };
            return self.refuse_invalid(call.method.span(), format!("`{name}` has other arguments\nhelp: write `{form}`"));
        }
        let Some(tile) = args[0].ty.tile().cloned() else { return self.refused(span) };
        let is_column = tile.columns.is_none();
        if is_column
            && matches!(
                operation,
                TileOperation::Dot(_) | TileOperation::MapAt | TileOperation::RowMax | TileOperation::RowSum | TileOperation::Transpose
            )
        {
            return self.refuse_invalid(
                call.method.span(),
                format!("a column has no method `{name}`\nhelp: columns have `map`, `zip`, `cast` and the operators `+ - * /`"),
            );
        }
        let element = self.fresh();
        let ty = match &operation {
            TileOperation::Dot(_) => {
                let columns = args.get(1).and_then(|other| other.ty.tile()).and_then(|other| other.columns.clone());
                let Some(columns) = columns else {
                    return self.refuse_invalid(call.method.span(), format!("`{name}` takes one tile\nhelp: write `a.{name}(b)`"));
                };
                TileType { element, columns: Some(columns), ..tile }
            }
            TileOperation::Cast => {
                let target = call.turbofish.as_ref().and_then(|turbofish| match turbofish.args.first() {
                    Some(syn::GenericArgument::Type(ty)) if turbofish.args.len() == 1 => Some(ty),
                    _ => None,
                });
                let Some(target) = target else {
                    return self.refuse_invalid(call.method.span(), "`cast` takes one type\nhelp: write `x.cast::<f32>()`");
                };
                let Some(element) = self.lower_type(target) else { return self.refused(span) };
                TileType { element, ..tile }
            }
            TileOperation::RowMax | TileOperation::RowSum => TileType { columns: None, ..tile },
            TileOperation::Transpose if !matches!(args[0].kind, ExprKind::Tile { operation: TileOperation::Load, .. }) => {
                return self.refuse(
                    call.method.span(),
                    "only a tile of a view can be transposed\nhelp: transpose it where it is loaded: `a.tile::<64, 128>(i, j).transpose()`",
                );
            }
            TileOperation::Transpose => {
                let Some(columns) = tile.columns else { return self.refused(span) };
                TileType { rows: columns, columns: Some(tile.rows), element: tile.element }
            }
            _ => TileType { element, ..tile },
        };
        self.tile(operation, &call.method, args, arity + 1, Type::Tile(Box::new(ty)), span)
    }

    /// `a op b` or `a op= b`, of which one is a tile. `None` for any other operands.
    pub(super) fn lower_tile_binary(&mut self, op: BinaryOp, assigns: bool, binary: &syn::ExprBinary) -> Option<Expr> {
        if !(self.is_tile(&binary.left) || self.is_tile(&binary.right)) {
            return None;
        }
        let span = binary.start();
        if !is_arithmetic(op) {
            return Some(self.refuse_operator(op, assigns, binary));
        }
        let name = Ident::new("operator", binary.op.span());
        let left = self.lower_expr(&binary.left);
        let right = self.lower_expr(&binary.right);
        if left.is_refused() || right.is_refused() {
            return Some(self.refused(span));
        }
        let ty = match (left.ty.tile(), right.ty.tile()) {
            (Some(a), Some(b)) if a.columns.is_none() && b.columns.is_some() => right.ty.clone(),
            (Some(_), _) => left.ty.clone(),
            _ => right.ty.clone(),
        };
        if !assigns {
            return Some(self.tile(TileOperation::Binary(op), &name, vec![left, right], 2, ty, span));
        }
        let ExprKind::Local(variable) = left.kind else {
            return Some(
                self.refuse_invalid(binary.left.span(), "only a variable can be assigned here\nhelp: bind the tile with `let mut`"),
            );
        };
        let target = Target::Place(Box::new(Expr::new(ExprKind::Local(variable), left.ty.clone(), left.span)));
        let value = match right.kind {
            // A product of the sum itself is complete before it is added.
            ExprKind::Tile { operation: TileOperation::Dot(precision), name, args }
                if op == BinaryOp::Add
                    && !args.iter().any(|arg| arg.any(&|expr| matches!(expr.kind, ExprKind::Local(used) if used == variable))) =>
            {
                let args = std::iter::once(left).chain(args).collect();
                self.tile(TileOperation::AddDot(precision), &name, args, 3, ty, span)
            }
            kind => {
                let right = Expr { kind, ..right };
                self.tile(TileOperation::Binary(op), &name, vec![left, right], 2, ty, span)
            }
        };
        Some(self.expr(ExprKind::Assign { target, value: Box::new(value) }, span))
    }

    /// An operator that tiles do not have.
    fn refuse_operator(&self, op: BinaryOp, assigns: bool, binary: &syn::ExprBinary) -> Expr {
        let symbol = op.symbol();
        let (assignment, target) = if assigns { ("=", "x = ") } else { ("", "") };
        let right = match &*binary.right {
            syn::Expr::Lit(number) => number.to_token_stream().to_string(),
            _ => "y".to_owned(),
        };
        let help = match self.is_tile(&binary.left) && self.is_tile(&binary.right) {
            _ if op.is_comparison() => format!("choose a value for each element: `x.map(|v| if v {symbol} {right} {{ … }} else {{ … }})`"),
            true => format!("compute it for each element: `{target}x.zip(y, |v, w| v {symbol} w)`"),
            false => format!("compute it for each element: `{target}x.map(|v| v {symbol} {right})`"),
        };
        let message = format!("tiles have no operator `{symbol}{assignment}`\nhelp: {help}");
        self.refuse_invalid(binary.op.span(), message)
    }

    /// `-tile`
    pub(super) fn lower_tile_negation(&mut self, unary: &syn::ExprUnary) -> Option<Expr> {
        if !matches!(unary.op, syn::UnOp::Neg(_)) || !self.is_tile(&unary.expr) {
            return None;
        }
        let operand = self.lower_expr(&unary.expr);
        let ty = operand.ty.clone();
        Some(self.tile(TileOperation::Negate, &Ident::new("operator", unary.op.span()), vec![operand], 1, ty, unary.start()))
    }

    /// The operation, if it has so many operands.
    fn tile(&mut self, operation: TileOperation, name: &Ident, args: Vec<Expr>, arity: usize, ty: Type, span: Span) -> Expr {
        if args.iter().any(Expr::is_refused) {
            return self.refused(span);
        }
        if args.len() != arity {
            return self.refuse_invalid(name.span(), format!("`{name}` has another number of arguments"));
        }
        Expr::new(ExprKind::Tile { operation, name: name.clone(), args }, ty, span)
    }
}

/// The indices of a tile of a view with so many axes.
fn index_of(rank: usize) -> &'static str {
    if rank == 2 { "i, j" } else { "n, i, j" }
}

/// The type and the function of a path that may be that of a constructor of tiles or columns.
fn owner_and_name(function: &syn::ExprPath) -> Option<(&syn::PathSegment, &Ident)> {
    let mut segments = function.path.segments.iter().rev();
    let (name, owner) = (&segments.next()?.ident, segments.next()?);
    let is_one = function.qself.is_none() && (owner.ident == "Tile" || owner.ident == "Column") && (name == "zeros" || name == "splat");
    is_one.then_some((owner, name))
}

/// Whether the path is `Tile::<T, R, C>::zeros` or one like it.
fn is_constructor(function: &syn::ExprPath) -> bool {
    let Some((owner, _)) = owner_and_name(function) else { return false };
    let wanted = if owner.ident == "Tile" { 3 } else { 2 };
    matches!(&owner.arguments, syn::PathArguments::AngleBracketed(generics) if generics.args.len() == wanted)
}

/// Whether it gives a tile of tiles. The remainder is refused where it is lowered.
fn is_operator(op: &syn::BinOp) -> bool {
    matches!(op, syn::BinOp::Add(_) | syn::BinOp::Sub(_) | syn::BinOp::Mul(_) | syn::BinOp::Div(_) | syn::BinOp::Rem(_))
}

fn is_arithmetic(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide)
}
