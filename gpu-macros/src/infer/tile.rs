//! The elements of tiles. Their shapes are known.

use super::body::Inference;
use crate::model::*;

impl Inference<'_> {
    /// The operation `operation` of type `ty`, at the method `name`.
    pub(super) fn infer_tile(&mut self, operation: &TileOperation, name: &proc_macro2::Ident, args: &[Expr], ty: &Type) -> Type {
        let element_of = |ty: &Type| ty.tile().map(|tile| tile.element.clone());
        let element = element_of(ty);
        match operation {
            TileOperation::Zeros(_) => {}
            TileOperation::Splat(_) => args.iter().zip(&element).for_each(|(value, element)| self.infer_as(value, element)),
            TileOperation::Load | TileOperation::Store(_) => {
                self.infer_expr(&args[0]);
                let Some((stored, rank)) = args[0].ty.view() else { return ty.clone() };
                args[1..=rank].iter().for_each(|index| self.infer_as(index, &Type::USIZE));
                if let Some(tile) = args.get(1 + rank) {
                    self.infer_expr(tile);
                    element_of(&tile.ty).iter().for_each(|element| self.table.unify(element, stored));
                }
            }
            TileOperation::Dot(precision) | TileOperation::AddDot(precision) => {
                args.iter().for_each(|arg| drop(self.infer_expr(arg)));
                let [.., a, b] = args else { return ty.clone() };
                if let (Some(a), Some(b)) = (element_of(&a.ty), element_of(&b.ty)) {
                    self.table.unify(&a, &b);
                    if *precision == Precision::Tf32 {
                        self.table.unify(&a, &Type::Scalar(Scalar::F32));
                    }
                    self.infer_sum(&a, name, &element);
                }
            }
            TileOperation::Binary(_) | TileOperation::Negate => {
                for (arg, element) in args.iter().filter_map(|arg| Some((arg, element.as_ref()?))) {
                    match element_of(&arg.ty) {
                        Some(of_arg) => {
                            self.infer_expr(arg);
                            self.table.unify(&of_arg, element);
                        }
                        None => self.infer_as(arg, element),
                    }
                }
            }
            TileOperation::Map | TileOperation::MapAt => self.infer_tile_map(operation, args, &element),
            TileOperation::Cast | TileOperation::RowMax | TileOperation::RowSum | TileOperation::Transpose => {
                drop(self.infer_expr(&args[0]));
            }
        }
        ty.clone()
    }

    /// The elements of a product of tiles with elements of type `of`.
    fn infer_sum(&mut self, of: &Type, name: &proc_macro2::Ident, sum: &Option<Type>) {
        let of = self.table.resolve(of);
        match (of.sum_of_products(), sum) {
            (Some(expected), Some(sum)) => self.table.unify(sum, &expected),
            _ if matches!(of, Type::Refused) => {}
            _ => self.errors.push(
                name.span(),
                "a product of tiles needs elements of a type that is written out: `f32`, `f64`, `f16`, `bf16`, `i8` or `i32`\nhelp: cast the operands, `a.cast::<f32>()`",
            ),
        }
    }

    fn infer_tile_map(&mut self, operation: &TileOperation, args: &[Expr], element: &Option<Type>) {
        let Some((closure, tiles)) = args.split_last() else { return };
        let ExprKind::Closure(function) = &closure.kind else { return };
        let mut inputs = if matches!(operation, TileOperation::MapAt) { vec![Type::USIZE; 2] } else { Vec::new() };
        for tile in tiles {
            self.infer_expr(tile);
            inputs.extend(tile.ty.tile().map(|tile| tile.element.clone()));
        }
        if inputs.len() != function.params.len() {
            let wanted = inputs.len();
            self.errors.push_invalid(closure.span, format!("this closure must take {wanted} value{}", if wanted == 1 { "" } else { "s" }));
        }
        for ((param, _), input) in function.params.iter().zip(&inputs) {
            let param = self.function.local(*param).ty.clone();
            self.table.unify(&param, input);
        }
        if let Some(element) = element {
            self.table.unify(&function.output, element);
        }
        self.infer_expr(closure);
        // What a device function returns, only rustc sees. It checks that this is an element like those before, if the user writes no other type.
        if self.table.is_opaque(&function.output)
            && let Some(tile) = tiles[0].ty.tile()
        {
            self.table.unify(&function.output, &tile.element);
        }
    }
}
