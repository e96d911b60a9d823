//! Writes a function as CUDA C.
//!
//! Rust's order of evaluation is kept: an expression becomes statements for all parts that can fail or have an effect (one check or
//! assignment per line), and a pure C expression for its value. A value is written where it is used, unless a later operand could change
//! it; then it is stored in a temporary first.
//!
//! Parts that only rustc can resolve (constants, the C names of device functions) and parts that the launch decides (the variant without
//! redundant checks) are holes in the text, each a [`Piece`].

mod ahead;
mod alternatives;
mod assembly;
mod atomics;
mod bounded;
mod builtins;
mod cache;
mod callee;
mod cast_index;
mod checks;
mod closure;
mod coarsening;
mod code;
mod control;
mod dynamic;
mod expr;
mod extremes;
mod foreign;
mod grid_barrier;
mod iterations;
mod matching;
mod method_spelling;
mod methods;
pub(crate) mod names;
mod operators;
mod parameter;
mod pattern;
mod ranges;
mod shared;
mod small_integers;
mod speculative;
mod std_enum;
mod stmt;
mod structs;
mod tables;
mod text;
mod tile;
mod tile_loop;
mod tile_running;
mod tile_tasks;
mod trigonometry;
mod types;
mod views;
mod width;
mod writer;

use crate::check::Analysis;
use crate::emit::array::Array;
use crate::emit::{Cooperation, Known, Piece, Source};
use crate::model::*;
use crate::vec_map::VecSet;
use code::Code;
use names::Namer;
use quote::quote;
use std::collections::HashMap;
use text::{CText, c, join};
use writer::Writer;

/// Writes `function` as CUDA C.
pub(crate) fn write_cuda_function(function: &Function, analysis: &Analysis) -> Source {
    if let Some(foreign) = &function.foreign {
        return foreign::write_foreign_function(function, analysis, foreign);
    }
    let source = Emitter::new(function, analysis).write_source();
    let lent = &analysis.racing_when_lent;
    let racing = (!lent.is_empty()).then(|| {
        let source = Emitter { racing: lent, ..Emitter::new(function, analysis) }.write_source();
        Box::new(Source { name: format!("{}_racing", source.name), ..source })
    });
    Source { racing, ..source }
}

/// Whether `body` does what is done by each thread of a kernel for itself: asks which one it is, or changes an atomic. In array functions,
/// this is refused.
fn needs_thread(body: &Block) -> bool {
    body.any(&|expr| match expr.action() {
        Action::Intrinsic(intrinsic) => !matches!(intrinsic, Intrinsic::Print(_)),
        action => matches!(action, Action::Atomic),
    })
}

struct Emitter<'f> {
    function: &'f Function,
    analysis: &'f Analysis,
    writer: Writer,
    snippets: VecSet<&'static str>,
    namer: Namer,
    /// The C name of each local; for a slice or view, of its pointer.
    names: Vec<String>,
    /// What stands for the value of each local: its name, or in a guard the place that it will be bound to.
    places: Vec<Code>,
    /// The C name of each slice's length and of each view's layout (empty for other locals).
    lengths: Vec<String>,
    /// The parameters that are references to arrays, each with the C name of the pointer to its elements.
    whole_arrays: Vec<(LocalId, String, String)>,
    /// The C name of each local's angle, once that is declared.
    angles: Vec<Option<String>>,
    /// Where the value of a labelled block or loop goes, and the C labels that named jumps need.
    labels: Vec<LabelState>,
    /// For variables whose type only rustc knows: the call that determines it.
    origins: HashMap<LocalId, Known>,
    /// The constants that are arrays, each with its C name.
    tables: Vec<(syn::Path, String)>,
    /// The places whose indices are checked elsewhere, where a loop is written whose checks are [ahead], [before it](bounded) or
    /// [behind it](speculative).
    checked: checks::Checked,
    /// Where the last dynamic shared array ends.
    dynamic_end: Option<CText>,
    /// What operations of tiles need of the block's shared memory, each a C++ type that says how much.
    tile_uses: Vec<CText>,
    /// The loops over tiles that are pipelines.
    tile_loops: Vec<tile_loop::TileLoop>,
    /// In such a loop, the operands that are copied before they are multiplied, each with the C name of what copies it.
    tile_streams: Vec<(*const Expr, String)>,
    /// What has been written in which the threads of the grid wait for each other.
    cooperation: Cooperation,
    /// How many places have been written where a thread of a kernel returns.
    ends: usize,
    /// How many closures this is inside of.
    closures: usize,
    /// Whether a `usize` has 64 bits in every variant: in an index that is checked.
    wide: bool,
    /// The arrays that other threads may write to at the same time, and the names of places in them.
    racing: &'f [LocalId],
    /// Whether what is written is evaluated where Rust does it: what is known there holds. Not of what loops compute before they check it.
    is_in_place: bool,
}

#[derive(Default, Clone)]
struct LabelState {
    /// The variable that takes `break` values.
    result: Option<CText>,
    /// C label after the construct, if something jumps there.
    break_label: Option<String>,
    /// C label at the end of the loop's body, if something jumps there.
    continue_label: Option<String>,
}

impl<'f> Emitter<'f> {
    fn new(function: &'f Function, analysis: &'f Analysis) -> Self {
        let mut namer = Namer::new();
        let names: Vec<String> = function.locals.iter().map(|local| namer.local(&local.name.to_string())).collect();
        let lengths = function
            .locals
            .iter()
            .zip(&names)
            .map(|(local, name)| match Array::of(&local.ty) {
                Some(Array { rank: None, .. }) => namer.length(name),
                Some(Array { rank: Some(_), .. }) => namer.layout(name),
                None => String::new(),
            })
            .collect();
        Emitter {
            function,
            analysis,
            writer: Writer::new(),
            snippets: VecSet::of("types"),
            namer,
            places: function.locals.iter().zip(&names).map(|(local, name)| name_of(local, name)).collect(),
            names,
            lengths,
            whole_arrays: Vec::new(),
            angles: vec![None; function.locals.len()],
            labels: vec![LabelState::default(); function.labels.len()],
            origins: HashMap::new(),
            tables: Vec::new(),
            checked: checks::Checked::new(),
            dynamic_end: None,
            tile_uses: Vec::new(),
            tile_loops: Vec::new(),
            tile_streams: Vec::new(),
            cooperation: Cooperation::default(),
            ends: 0,
            closures: 0,
            wide: false,
            racing: &analysis.racing_arrays,
            is_in_place: !function.is_tiled(),
        }
    }

    /// The whole function.
    fn write_source(mut self) -> Source {
        let (function, analysis) = (self.function, self.analysis);
        let header = self.write_header();
        let prologue = c![self.write_start(), self.write_grid_prologue(), self.write_block_assumptions()];
        self.write_body();
        if matches!(function.kind, FunctionKind::Device) && needs_thread(&function.body) {
            self.need("thread");
        }
        let epilogue = self.write_grid_epilogue();
        let tile_loops = self.write_tile_loops();
        let footer = c![self.write_footer(), self.write_tile_memory(), self.write_tasks_constant()];
        let mut body = c![tile_loops, header, " {\n", prologue];
        self.writer.finish(&mut body);
        body.push(c![epilogue, "}\n", footer]);
        let prototype = if matches!(function.kind, FunctionKind::Kernel(_)) { CText::default() } else { header };
        Source {
            name: names::function_name(&function.full_name),
            prototype: prototype.into_pieces(),
            body: body.into_pieces(),
            snippets: self.snippets.into_iter().collect(),
            several_elements: analysis.several_elements,
            cooperation: self.cooperation,
            uniformity: analysis.uniformity.clone(),
            numbers: if analysis.uses_numbers { function.numbers.clone() } else { Vec::new() },
            racing: None,
        }
    }

    /// Makes the runtime put the helper snippet `name` before this function.
    fn need(&mut self, name: &'static str) {
        self.snippets.insert(name);
    }

    fn name(&self, local: LocalId) -> &str {
        &self.names[local.0]
    }

    /// A name for a variable that goes with `local`.
    fn companion(&mut self, local: LocalId, what: &str) -> String {
        self.namer.temporary(&format!("{}_{what}", self.names[local.0]))
    }

    fn options(&self) -> Option<&'f KernelOptions> {
        match &self.function.kind {
            FunctionKind::Kernel(options) => Some(options),
            FunctionKind::Device | FunctionKind::Array(_) | FunctionKind::Generalized(_) => None,
        }
    }

    fn write_header(&mut self) -> CText {
        let own_name = CText::hole(Piece::OwnName);
        let params: Vec<CText> = self.function.params.iter().map(|param| self.write_param(param.local)).collect();
        let list = c![join(&params, ", "), self.grid_param(), self.tasks_param()];
        match &self.function.kind {
            FunctionKind::Kernel(options) => {
                let bounds = self.write_launch_bounds(options);
                let kernel = c!["extern \"C\" __global__ void ", bounds, own_name, "(", list, ")"];
                if self.analysis.several_elements { coarsening::alternatives(kernel, coarsening::header(&params)) } else { kernel }
            }
            FunctionKind::Device | FunctionKind::Array(_) | FunctionKind::Generalized(_) => {
                // A caller that does not know the type may compute with it, so it has 64 bits in both widths.
                let output = if self.function.output == Type::USIZE { "usize".into() } else { self.type_name(&self.function.output) };
                let reference = if self.function.returns == Holds::Mutable { "&" } else { "" };
                c![
                    self.condition_of_narrow(),
                    self.function_template(),
                    "static __device__ ",
                    output,
                    reference,
                    " ",
                    own_name,
                    "(",
                    list,
                    ")"
                ]
            }
        }
    }

    /// `__launch_bounds__(256, 2) `. Nothing with `max_registers`, which the assembler ignores where there are bounds.
    fn write_launch_bounds(&mut self, options: &KernelOptions) -> CText {
        match options {
            KernelOptions { max_registers: Some(_), .. } => CText::default(),
            KernelOptions { launch_bounds: Some(LaunchBounds { threads, blocks }), .. } => {
                let numbers = std::iter::once(threads).chain(blocks).map(launch_bound);
                c!["__launch_bounds__(", join(numbers, ", "), ") "]
            }
            KernelOptions { block: Some(block), .. } => c!["__launch_bounds__(", threads_of_block(block), ") "],
            _ => CText::default(),
        }
    }

    /// The first statement of a kernel. The function for one element has none.
    fn write_start(&self) -> CText {
        match self.options() {
            Some(_) if self.analysis.several_elements => coarsening::alternatives(CText::hole(Piece::Start), CText::default()),
            Some(_) => CText::hole(Piece::Start),
            None => CText::default(),
        }
    }

    /// `__builtin_assume(threadIdx.x < 16);` for each axis of the declared block. From the launch bounds, NVRTC only knows the number of
    /// threads.
    fn write_block_assumptions(&self) -> CText {
        let block = self.options().and_then(|options| options.block.as_deref()).unwrap_or_default();
        let assumptions = block
            .iter()
            .zip([Axis::X, Axis::Y, Axis::Z])
            .map(|(extent, axis)| c!["  __builtin_assume(threadIdx.", expr::axis_name(axis), " < ", launch_bound(extent), ");\n"]);
        join(assumptions, "")
    }

    fn write_body(&mut self) {
        let function = self.function;
        self.writer.indent();
        self.declare_tables();
        self.write_alignments();
        self.declare_whole_arrays();
        for param in &function.params {
            self.write_angle(param.local);
        }
        if let Some(product) = function.product_of_tiles() {
            self.write_tasks(&product);
            self.writer.dedent();
            return;
        }
        match &function.body.value {
            Some(value) if function.output != Type::Unit => {
                self.write_stmts(&function.body);
                self.write_return(Some(value));
            }
            _ => self.write_block_contents(&function.body),
        }
        self.writer.dedent();
    }
}

/// The name of a variable. What a reference refers to may be shared memory, which another thread changes between two reads of it: such a name
/// stands for its place, and not for a value that may be written twice.
fn name_of(local: &Local, name: &str) -> Code {
    if local.is_reference() && !local.is_copied() { Code::atom(name) } else { Code::word(name) }
}

fn launch_bound(number: &Length) -> CText {
    match number.value() {
        Some(value) => value.to_string().into(),
        None => {
            let number = number.tokens();
            CText::hole(Piece::Constant(quote!((#number) as u32)))
        }
    }
}

fn threads_of_block(block: &[Length]) -> CText {
    if let Some(threads) = block.iter().map(Length::value).try_fold(1u64, |product, value| Some(product * value?)) {
        return threads.to_string().into();
    }
    let extents = block.iter().map(Length::tokens);
    CText::hole(Piece::Constant(quote!(#((#extents) as u32 *)* 1u32)))
}
