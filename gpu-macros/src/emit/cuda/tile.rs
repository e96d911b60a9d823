//! Tiles: values of templates of the snippet `tile`.
//!
//! A tile of a view is only where it lies, until an operation reads it: no copy of it is made for a product.

use super::Emitter;
use super::code::Code;
use super::text::{CText, c, join};
use super::types::length;
use crate::emit::Piece;
use crate::model::*;

impl Emitter<'_> {
    /// `gr_tile<f32, 128, 64, 256>`, whose last number is that of the block's threads.
    pub(super) fn tile_type(&mut self, tile: &TileType) -> Option<CText> {
        self.need("tile");
        let (element, threads) = (self.known_type_name(&tile.element)?, self.threads_of_tiles());
        let rows = length(&tile.rows);
        Some(match &tile.columns {
            Some(columns) => c!["gr_tile<", element, ", ", rows, ", ", length(columns), ", ", threads, ">"],
            None => c!["gr_column<", element, ", ", rows, ", ", threads, ">"],
        })
    }

    pub(super) fn threads_of_tiles(&self) -> CText {
        let block = self.options().and_then(|options| options.block.as_deref());
        block.and_then(<[Length]>::first).map_or_else(|| unreachable!("`check` refuses tiles without a block"), length)
    }

    /// How many steps of a loop the kernel's attribute allows in memory at once.
    pub(super) fn stages(&self) -> Option<u32> {
        self.options().and_then(|options| options.stages).map(|stages| stages.count)
    }

    /// The value of the operation `whole`.
    pub(super) fn tile(&mut self, operation: &TileOperation, args: &[Expr], whole: &Expr) -> Code {
        let ty = &whole.ty;
        self.need("tile");
        let result = self.type_name(ty);
        if let Some(place) = self.place_of_tile(whole, false) {
            return Code::call(c![place, ".load()"]);
        }
        match operation {
            TileOperation::Zeros(_) => Code::constant(c![result, "::zeros()"]),
            TileOperation::Splat(_) => Code::atom(c![result, "::splat(", self.value(&args[0]).text, ")"]),
            TileOperation::Load | TileOperation::Transpose => unreachable!("it is a place"),
            TileOperation::Store(_) => {
                self.need("tile_part");
                let (tile, _) = args.split_last().unwrap_or_else(|| unreachable!("a store has a tile"));
                let Some(of_store) = tile.ty.tile() else { unreachable!("lowering refuses other values") };
                self.use_tile_memory("store", &[of_store.columns.as_ref()], of_store);
                let mut operands = self.values_in_order(&args[1..], false);
                let tile = operands.pop().unwrap_or_default();
                let place = self.place(&args[0], [Some(&of_store.rows), of_store.columns.as_ref()], operands);
                Code::call(c!["gr_tile_store(", place, ", ", tile, ")"])
            }
            TileOperation::Dot(precision) => {
                self.use_memory_of_product("dot", [&args[0], &args[1]], *precision);
                Code::call(c!["gr_tile_dot<", result, ">(", self.factors(args, *precision), ")"])
            }
            TileOperation::AddDot(_) => unreachable!("it is an assignment"),
            TileOperation::Binary(op) => self.tile_map(&result, c![function_of(*op), "()"], args),
            TileOperation::Negate => self.tile_map(&result, "gr_tile_negative()".into(), args),
            TileOperation::Cast => {
                let element = ty.tile().map(|tile| self.type_name(&tile.element)).unwrap_or_default();
                self.tile_map(&result, c!["gr_tile_cast<", element, ">()"], args)
            }
            TileOperation::Map | TileOperation::MapAt => {
                let (closure, tiles) = args.split_last().unwrap_or_else(|| unreachable!("a map has a closure"));
                let operands = self.tile_operands(tiles);
                let closure = self.value(closure).text;
                let name = if matches!(operation, TileOperation::MapAt) { "gr_tile_map_at" } else { "gr_tile_map" };
                Code::call(c![name, "<", result, ">(", closure, ", ", operands, ")"])
            }
            TileOperation::RowMax | TileOperation::RowSum => {
                if let Some(tile) = args[0].ty.tile() {
                    self.use_tile_memory("rows", &[tile.columns.as_ref()], tile);
                }
                let function = if matches!(operation, TileOperation::RowMax) { "gr_tile_larger" } else { "gr_tile_plus" };
                Code::call(c!["gr_tile_rows<", result, ">(", function, "(), ", self.tile_operands(args), ")"])
            }
        }
    }

    fn tile_map(&mut self, result: &CText, function: CText, args: &[Expr]) -> Code {
        Code::call(c!["gr_tile_map<", result, ">(", function, ", ", self.tile_operands(args), ")"])
    }

    /// `sum += a.dot(b)`, in place: a product of its own would need as many registers as the sum.
    pub(super) fn write_add_dot(&mut self, args: &[Expr], precision: Precision) {
        self.use_memory_of_product("dot", [&args[1], &args[2]], precision);
        let operands = self.factors(&args[1..], precision);
        let sum = self.value(&args[0]).text;
        self.writer.line(c!["gr_tile_add_dot(", sum, ", ", operands, ");"]);
    }

    /// A loop over `counter` that does nothing but add the products of a row of tiles and a column, with loads ahead of the products. Whether
    /// `body` is such a loop's.
    pub(super) fn write_add_dots(&mut self, counter: LocalId, [start, end]: [&CText; 2], body: &Block) -> bool {
        let Some((args, precision)) = body.row_by_column(counter) else { return false };
        let outer = self.writer.begin_capture();
        self.writer.indent();
        let factors = self.factors(&args[1..], precision);
        self.writer.dedent();
        if !self.writer.end_capture(outer).is_empty() {
            return false;
        }
        self.use_memory_of_product("dots", [&args[1], &args[2]], precision);
        let (sum, counter) = (self.value(&args[0]).text, self.name(counter));
        let pair = c!["[&](const usize ", counter, ") { return gr_tile_pair_of(", factors, "); }"];
        let most = self.stages().map_or_else(CText::default, |most| c![format!("<{most}>")]);
        self.writer.line(c!["gr_tile_add_dots", most, "(", sum, ", ", start.clone(), ", ", end.clone(), ", ", pair, ");"]);
        true
    }

    /// The lines that tell the runtime how much shared memory a block of the kernel needs, and people how it multiplies.
    pub(super) fn write_tile_memory(&mut self) -> CText {
        if self.tile_uses.is_empty() {
            return CText::default();
        }
        let uses = join(std::mem::take(&mut self.tile_uses), ", ");
        let of_kernel = |what: &'static str| c![what, "_of_", CText::hole(Piece::OwnName)];
        let (all, bytes, products) = (of_kernel("gr_tile_uses"), of_kernel("gr_tile_bytes"), of_kernel("gr_tile_products"));
        let mut lines = c!["typedef gr_tile_uses<", uses, "> ", all, ";\n"];
        lines.push(&c!["extern \"C\" __device__ const u32 ", bytes, " = ", all, "::memory;\n"]);
        lines.push(&c!["extern \"C\" __device__ const u32 ", products, " = ", all, "::kinds | ", all, "::stages << 8;\n"]);
        lines
    }

    /// An operation needs what `gr_tile_KIND_use<T, rows, others…, threads>` says.
    fn use_tile_memory(&mut self, kind: &str, others: &[Option<&Length>], tile: &TileType) {
        self.use_memory_of_factor(kind, others, tile, Precision::Full);
    }

    /// The same of an operation that multiplies the tile.
    pub(super) fn use_memory_of_factor(&mut self, kind: &str, others: &[Option<&Length>], tile: &TileType, precision: Precision) {
        let Some(element) = self.element_of_factor(tile, precision) else { return };
        let others = join(others.iter().flatten().map(|extent| c![", ", length(extent)]), "");
        let most = if kind == "dots" { self.stages().map(|most| format!(", {most}")) } else { None }.unwrap_or_default();
        let memory = c!["gr_tile_", kind, "_use<", element, ", ", length(&tile.rows), others, ", ", self.threads_of_tiles(), most, ">"];
        self.use_memory(memory);
    }

    /// An operation needs what this type says.
    pub(super) fn use_memory(&mut self, memory: CText) {
        if !self.tile_uses.contains(&memory) {
            self.tile_uses.push(memory);
        }
    }

    /// The elements of a tile as they are multiplied.
    pub(super) fn element_of_factor(&mut self, tile: &TileType, precision: Precision) -> Option<CText> {
        match precision {
            Precision::Full => self.known_type_name(&tile.element),
            Precision::Tf32 => Some("gr_tf32".into()),
        }
    }

    pub(super) fn use_memory_of_product(&mut self, kind: &str, [a, b]: [&Expr; 2], precision: Precision) {
        // A product in a pipeline uses that of the loop.
        if self.tile_stream(b).is_some() {
            return;
        }
        if let (Some(a), Some(b)) = (a.ty.tile(), b.ty.tile()) {
            self.use_memory_of_factor(kind, &[a.columns.as_ref(), b.columns.as_ref()], a, precision);
        }
    }

    /// `gr_tile_at<128, 64, 256>(a, a_layout, i, k)` of a tile of a view, transposed or not. `pinned`: its variables may change before its use.
    fn place_of_tile(&mut self, tile: &Expr, pinned: bool) -> Option<CText> {
        let (args, is_transposed) = tile.tile_of_view()?;
        let TileType { rows, columns, .. } = tile.ty.tile()?;
        let size = if is_transposed { [columns.as_ref(), Some(rows)] } else { [Some(rows), columns.as_ref()] };
        let index = self.values_in_order(&args[1..], pinned);
        let place = self.place(&args[0], size, index);
        Some(if is_transposed { c!["gr_tile_transpose(", place, ")"] } else { place })
    }

    /// A variable that is only where a tile lies: then the products that it is in copy the tile from there. Whether it is one.
    pub(super) fn write_factor(&mut self, local: LocalId, init: &Expr) -> bool {
        if !is_factor(self.function, local, init) {
            return false;
        }
        let is_read = |expr: &Expr| matches!(expr.kind, ExprKind::Local(used) if used == local) && self.tile_stream(expr).is_none();
        if self.function.body.any(&is_read)
            && let Some(place) = self.place_of_tile(init, false)
        {
            self.writer.line(c!["const auto ", self.name(local).to_owned(), " = ", place, ";"]);
        }
        true
    }

    /// Of a tile of that size.
    pub(super) fn place(&mut self, view: &Expr, size: [Option<&Length>; 2], index: Vec<CText>) -> CText {
        let size = join(size.into_iter().flatten().map(length).chain([self.threads_of_tiles()]), ", ");
        let (view, layout) = (self.value(view).text, self.layout_of(view));
        c!["gr_tile_at<", size, ">(", view, ", ", layout, ", ", join(index, ", "), ")"]
    }

    /// The operands of a product, which reads tiles of views where they lie.
    pub(super) fn factors(&mut self, args: &[Expr], precision: Precision) -> CText {
        self.need("tile_dot");
        if args.iter().filter_map(|arg| arg.ty.tile()).any(|tile| has_tensor_cores(&tile.element, precision)) {
            self.need("tile_mma");
            self.need(if precision == Precision::Tf32 { "tile_turned" } else { "tile_wgmma" });
        }
        let operands = self.operands_in_order(args, false, |emitter, arg, is_changed| {
            if let Some(copies) = emitter.tile_stream(arg) {
                return Code::constant(copies);
            }
            match (emitter.place_of_tile(arg, is_changed), precision) {
                (Some(place), _) => Code::constant(multiplied(place, precision)),
                (None, Precision::Full) => emitter.value(arg),
                (None, Precision::Tf32) => Code::call(multiplied(emitter.value(arg).text, precision)),
            }
        });
        join(operands, ", ")
    }

    /// One of them.
    pub(super) fn factor(&mut self, arg: &Expr, precision: Precision) -> CText {
        self.factors(std::slice::from_ref(arg), precision)
    }

    fn tile_stream(&self, tile: &Expr) -> Option<CText> {
        self.tile_streams.iter().find(|(operand, _)| std::ptr::eq(*operand, tile)).map(|(_, name)| name.clone().into())
    }

    /// The operands of any other operation.
    fn tile_operands(&mut self, args: &[Expr]) -> CText {
        join(self.values_in_order(args, false), ", ")
    }

    fn values_in_order(&mut self, args: &[Expr], pinned: bool) -> Vec<CText> {
        self.operands_in_order(args, pinned, |emitter, arg, _| emitter.value(arg))
    }

    /// Operands, evaluated from left to right. `pinned`: what comes after them may change variables. `value` gets whether that or a later
    /// operand does.
    fn operands_in_order(&mut self, args: &[Expr], pinned: bool, mut value: impl FnMut(&mut Self, &Expr, bool) -> Code) -> Vec<CText> {
        let mut operands = Vec::new();
        for (position, arg) in args.iter().enumerate() {
            let is_changed = pinned || args[position + 1..].iter().any(changes_variables);
            let code = value(self, arg, is_changed);
            operands.push(if is_changed && !code.is_constant() { self.spill(code, &arg.ty, "value").text } else { code.text });
        }
        operands
    }
}

/// What of a tile is multiplied.
pub(super) fn multiplied(tile: CText, precision: Precision) -> CText {
    match precision {
        Precision::Full => tile,
        Precision::Tf32 => c!["gr_tile_tf32(", tile, ")"],
    }
}

/// The tile of a view that an operand is, by itself or as a variable that is only where the tile lies; else the operand.
pub(super) fn tile_of_operand<'m>(function: &'m Function, operand: &'m Expr) -> &'m Expr {
    let ExprKind::Local(local) = operand.kind else { return operand };
    function.body.initial_value(local).filter(|init| is_factor(function, local, init)).unwrap_or(operand)
}

/// Whether the variable is a tile of a view that is multiplied, and nothing else.
fn is_factor(function: &Function, local: LocalId, init: &Expr) -> bool {
    let is_use = |expr: &Expr| matches!(expr.kind, ExprKind::Local(used) if used == local);
    let is_product = |expr: &Expr| expr.factors().is_some();
    init.tile_of_view().is_some() && !function.local(local).mutable && !has_other_use(&function.body, &is_use, &is_product)
}

/// Whether something in the block is used elsewhere than as an operand of a product.
fn has_other_use(block: &Block, is_use: &dyn Fn(&Expr) -> bool, is_product: &dyn Fn(&Expr) -> bool) -> bool {
    fn visit(expr: &Expr, is_use: &dyn Fn(&Expr) -> bool, is_product: &dyn Fn(&Expr) -> bool, found: &mut bool) {
        let is_product_here = is_product(expr);
        expr.for_each_child(&mut |child| match is_use(child) {
            true => *found |= !is_product_here,
            false => visit(child, is_use, is_product, found),
        });
    }
    let mut found = false;
    block.for_each_child(&mut |expr| match is_use(expr) {
        true => found = true,
        false => visit(expr, is_use, is_product, &mut found),
    });
    found
}

/// Whether evaluating it may change a variable. A tile that is only read does not.
fn changes_variables(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Tile { args, .. } => args.iter().any(changes_variables),
        _ => expr.writes(),
    }
}

/// Whether tensor cores multiply such elements, on some GPU.
fn has_tensor_cores(element: &Type, precision: Precision) -> bool {
    precision == Precision::Tf32 || matches!(element, Type::Named(_) | Type::Scalar(Scalar::F64 | Scalar::I8))
}

fn function_of(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "gr_tile_plus",
        BinaryOp::Subtract => "gr_tile_minus",
        BinaryOp::Multiply => "gr_tile_times",
        _ => "gr_tile_quotient",
    }
}
