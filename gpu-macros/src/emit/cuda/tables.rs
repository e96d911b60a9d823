//! Constants that are arrays: in constant memory, which a function declares for itself.
//!
//! ```c
//! static __constant__ const gr_array<f32, 3> WEIGHTS = {{0.25f, 0.5f, 0.25f}};
//! ```

use super::Emitter;
use super::text::{CText, c};
use crate::emit::Piece;
use crate::idents::text_of;
use crate::model::*;
use quote::ToTokens;

impl Emitter<'_> {
    /// Declares every array that the function names, before anything else.
    pub(super) fn declare_tables(&mut self) {
        let mut paths = Vec::new();
        self.function.body.for_each_child(&mut |expr| collect_tables(expr, &mut paths));
        for path in paths {
            self.need("array");
            // Only rustc knows whether there are tuples in it.
            self.need("tuple");
            let last = path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
            let name = self.namer.local(&last);
            let [ty, value] = [Piece::TableType(path.to_token_stream()), Piece::Table(path.to_token_stream())].map(CText::hole);
            self.writer.line(c!["static __constant__ const ", ty, " ", name, " = ", value, ";"]);
            self.tables.push((path, name));
        }
    }

    /// The C name of an array.
    pub(super) fn table(&self, path: &syn::Path) -> String {
        let declared = self.tables.iter().find(|(declared, _)| is_same(declared, path));
        declared.map(|(_, name)| name.clone()).expect("every array was declared")
    }
}

fn collect_tables(expr: &Expr, paths: &mut Vec<syn::Path>) {
    if let (ExprKind::Constant(path), Type::Table(_)) = (&expr.kind, &expr.ty)
        && !paths.iter().any(|known| is_same(known, path))
    {
        paths.push(path.clone());
    }
    expr.for_each_child(&mut |child| collect_tables(child, paths));
}

/// One path that is written twice. Two paths to one constant are two arrays.
fn is_same(a: &syn::Path, b: &syn::Path) -> bool {
    text_of(a) == text_of(b)
}
