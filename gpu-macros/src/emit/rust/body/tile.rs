//! Operations of tiles: functions of the runtime, which borrow their operands.

use super::super::tokens::{expand_or_stop, expand_type, glue};
use super::Body;
use crate::model::*;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};

impl Body<'_> {
    /// The operation `whole`.
    pub(super) fn expand_tile(&self, operation: &TileOperation, name: &Ident, args: &[Expr], whole: &Expr) -> TokenStream {
        let (span, runtime) = (glue(whole.span), self.runtime.located_at(whole.span));
        let tiles = quote_spanned!(span=> #runtime::__private::tiles);
        let method = format_ident!("{}", function_of(operation, name), span = glue(name.span()));
        match operation {
            TileOperation::Zeros(path) | TileOperation::Splat(path) => {
                let kind = if whole.ty.tile().is_some_and(|tile| tile.columns.is_none()) { "column" } else { "tile" };
                let (kind, values) = (Ident::new(kind, span), args.iter().map(|arg| self.expand_expr(arg)));
                quote_spanned!(span=> #tiles::#kind(#path(#(#values),*)))
            }
            TileOperation::Load => {
                let (view, index) = (self.expand_operand(&args[0]), args[1..].iter().map(|index| self.expand_expr(index)));
                let extents = whole.ty.tile().map(|tile| [Some(&tile.rows), tile.columns.as_ref()]).into_iter().flatten().flatten();
                let extents = extents.map(Length::tokens);
                quote_spanned!(span=> #tiles::load::<#({ #extents },)* _, _>(&#view, [#(#index),*]))
            }
            TileOperation::Store(sites) => {
                let (indices, tile) = args[1..].split_at(sites.len());
                let (view, index) = (self.expand_operand(&args[0]), indices.iter().map(|index| self.expand_expr(index)));
                let tile = self.expand_tile_operand(&tile[0]);
                quote_spanned!(span=> { let __index = [#(#index),*]; let __tile = #tile; #tiles::store(&mut #view, __index, __tile) })
            }
            TileOperation::AddDot(_) => unreachable!("it is an assignment"),
            TileOperation::Map | TileOperation::MapAt => {
                let args = args.iter().map(|arg| self.expand_tile_operand(arg));
                expand_or_stop(&quote_spanned!(span=> #tiles::#method(#(#args),*)), whole.span)
            }
            TileOperation::Cast => {
                let to =
                    whole.ty.tile().and_then(|tile| expand_type(&tile.element, whole.span)).unwrap_or_else(|| quote_spanned!(span=> _));
                let operand = self.expand_tile_operand(&args[0]);
                quote_spanned!(span=> #tiles::#method::<#to, _>(#operand))
            }
            TileOperation::Dot(_)
            | TileOperation::Binary(_)
            | TileOperation::Negate
            | TileOperation::RowMax
            | TileOperation::RowSum
            | TileOperation::Transpose => {
                let args = args.iter().map(|arg| self.expand_tile_operand(arg));
                quote_spanned!(span=> #tiles::#method(#(#args),*))
            }
        }
    }

    /// `sum += a.dot(b)`, if the value is that.
    pub(super) fn expand_tile_assign(&self, value: &Expr) -> Option<TokenStream> {
        let ExprKind::Tile { operation: TileOperation::AddDot(precision), args, .. } = &value.kind else { return None };
        let (span, runtime) = (glue(value.span), self.runtime.located_at(value.span));
        let ExprKind::Local(sum) = args[0].kind else { return None };
        let sum = self.expand_local(sum, args[0].span);
        let (a, b) = (self.expand_tile_operand(&args[1]), self.expand_tile_operand(&args[2]));
        let add = Ident::new(if *precision == Precision::Tf32 { "add_dot_tf32" } else { "add_dot" }, span);
        Some(quote_spanned!(span=> { let (__a, __b) = (#a, #b); #runtime::__private::tiles::#add(&mut #sum, __a, __b) }))
    }

    /// A tile by reference, anything else by value.
    fn expand_tile_operand(&self, operand: &Expr) -> TokenStream {
        let span = glue(operand.span);
        match (&operand.ty, &operand.kind) {
            (Type::Tile(_), ExprKind::Local(local)) => {
                let name = self.expand_local(*local, operand.span).into_token_stream();
                quote_spanned!(span=> &#name)
            }
            (Type::Tile(_), _) => {
                let value = self.expand_expr(operand);
                quote_spanned!(span=> &(#value))
            }
            _ => self.expand_expr(operand),
        }
    }
}

/// The function of the runtime.
fn function_of(operation: &TileOperation, name: &Ident) -> String {
    match operation {
        TileOperation::Binary(BinaryOp::Add) => "add".into(),
        TileOperation::Binary(BinaryOp::Subtract) => "sub".into(),
        TileOperation::Binary(BinaryOp::Multiply) => "mul".into(),
        TileOperation::Binary(_) => "div".into(),
        TileOperation::Negate => "neg".into(),
        _ => name.to_string(),
    }
}
