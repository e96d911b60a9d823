//! Array expressions on a GPU: the CUDA C of their elements, and the kernel that maps them.
//!
//! A kernel of an expression has the inputs in one struct parameter, `gr_inputs`, and a function `gr_element(in, i)` that
//! computes the element with index `i` in C order. What surrounds it, here a loop that stores the elements, is up to the
//! kernel: reductions and scans have their own.
//!
//! A thread computes four elements, a block's width apart. On an H200 that reads and writes as fast as 16-byte accesses do
//! (vector addition of 100 M `f32`: 4290 GB/s, with one element per thread 3370), and needs no alignment.

use std::any::TypeId;
use std::fmt::Write as _;
use std::sync::LazyLock;

use super::folded::fields;
use super::histogram::HistogramKernel;
use super::input::{Input, InputKind};
use super::item::Component;
use super::plan::{Access, Operand, Plan};
use super::scan::ScanKernel;
use super::{Code, Item};
use crate::backend::cuda::{LoadedKernel, Queue, Slots};
use crate::compile::{self, Options, Variant};
use crate::dims::LaunchDims;
use crate::failure::Work;
use crate::kernel::Parameters;
use crate::source::{Callee, Segment, Sites, SourceUnit};
use crate::{Error, Result};

/// Threads of a block.
pub(crate) const BLOCK: u32 = 256;

/// Elements that a thread computes, unless it can fail: the coordinates of a thread that fails then name the element.
const PER_THREAD: u32 = 4;

/// Writes the bodies of `gr_load` and `gr_compute`: a statement per input and per function call, so that everything happens in
/// Rust's order.
pub struct ElementWriter {
    /// How each input is accessed, in order.
    inputs: Vec<InputText>,
    /// How many of them have been named.
    named: usize,
    /// How many function calls there are.
    calls: usize,
    /// The fields of `gr_inputs`.
    fields: String,
    /// The fields of `gr_values`, and the statements that read them.
    values: String,
    loads: String,
    /// Whether any of the functions can.
    can_fail: bool,
    body: Vec<Segment>,
    text: String,
}

/// What the text of a kernel depends on, for one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct InputText {
    access: Access,
    /// The input that is the same memory seen the same way.
    same_as: Option<usize>,
}

impl ElementWriter {
    fn new(inputs: Vec<InputText>) -> Self {
        let (fields, values, loads) = (String::new(), String::new(), String::new());
        Self { inputs, named: 0, calls: 0, fields, values, loads, can_fail: false, body: Vec::new(), text: String::new() }
    }

    fn next(&mut self) -> (usize, InputText) {
        let number = self.named;
        self.named += 1;
        (number, self.inputs[number])
    }

    /// Reads the element of the next input, an array of `c_type`.
    pub(super) fn load(&mut self, c_type: &'static str) -> String {
        let (number, input) = self.next();
        let _ = writeln!(self.fields, "  const {c_type}* p{number};");
        if let Some(same) = input.same_as {
            return format!("x.v{same}");
        }
        let index = index_text(input.access, &format!("s{number}"));
        self.value_read(number, c_type, &format!("in.p{number}[{index}]"))
    }

    /// A value that `gr_load` reads.
    fn value_read(&mut self, number: usize, c_type: &str, value: &str) -> String {
        let _ = writeln!(self.values, "  {c_type} v{number};");
        let _ = writeln!(self.loads, "  x.v{number} = {value};");
        format!("x.v{number}")
    }

    /// Names the value of the next input, a scalar of `c_type`.
    pub(super) fn value(&mut self, c_type: &'static str) -> String {
        let (number, _) = self.next();
        let _ = writeln!(self.fields, "  alignas(8) {c_type} p{number};");
        format!("in.p{number}")
    }

    /// The index of the element along the axes of the next input.
    pub(super) fn index(&mut self) -> String {
        let (number, input) = self.next();
        let _ = writeln!(self.fields, "  u64 p{number};");
        let index = index_text(input.access, &format!("s{number}"));
        self.value_read(number, "usize", &format!("(usize)({index})"))
    }

    /// Calls a function; returns the components of its result.
    pub(super) fn call(&mut self, callee: fn() -> Callee, arguments: &[String], components: &[Component]) -> Vec<String> {
        let number = self.calls;
        self.calls += 1;
        let _ = write!(self.text, "  const auto r{number} = ");
        self.end_text();
        self.body.push(Segment::Function(callee));
        self.can_fail |= compile::can_fail(callee().unit);
        let _ = writeln!(self.text, "({});", arguments.join(", "));
        match components.len() {
            1 => vec![format!("r{number}")],
            count => (0..count).map(|component| format!("r{number}._{component}")).collect(),
        }
    }

    fn end_text(&mut self) {
        if !self.text.is_empty() {
            self.body.push(Segment::Text(leak(std::mem::take(&mut self.text))));
        }
    }
}

/// The index of an element in an operand whose strides are the field `strides`.
pub(crate) fn index_text(access: Access, strides: &str) -> String {
    match access {
        Access::Flat => "i".to_owned(),
        Access::Fixed => "0".to_owned(),
        Access::Strided => format!("gr_offset(c, in.{strides})"),
    }
}

/// What the text of a kernel depends on beside the code: how operands are accessed, and whether indices fit 32 bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    /// How many axes the coordinates have; 0 where none are needed.
    pub(crate) rank: usize,
    inputs: Vec<InputText>,
    outputs: Vec<Access>,
    wide: bool,
}

impl Form {
    /// The form for a plan whose operands are these inputs and then the outputs.
    pub(crate) fn new(plan: &Plan, inputs: &[Input<'_>]) -> Self {
        let (of_inputs, of_outputs) = plan.operands.split_at(inputs.len());
        Self {
            rank: if plan.needs_coordinates() { plan.extents.len() } else { 0 },
            inputs: of_inputs
                .iter()
                .enumerate()
                .map(|(index, operand)| InputText { access: operand.access, same_as: super::plan::same_as(inputs, index) })
                .collect(),
            outputs: of_outputs
                .iter()
                .map(|operand| if operand.access == Access::Strided { Access::Strided } else { Access::Flat })
                .collect(),
            wide: plan.needs_coordinates() && u32::try_from(plan.len).is_err(),
        }
    }

    /// The form for a plan whose operands are all alike to the kernel.
    pub(crate) fn of_operands(plan: &Plan) -> Self {
        let input = |operand: &Operand| InputText { access: operand.access, same_as: None };
        Self { inputs: plan.operands.iter().map(input).collect(), ..Self::new(plan, &[]) }.without_outputs()
    }

    fn without_outputs(self) -> Self {
        Self { outputs: Vec::new(), ..self }
    }

    /// How an input is accessed.
    pub(crate) fn access(&self, input: usize) -> Access {
        self.inputs[input].access
    }

    /// The last fields of the struct of operands: what [`Plan::coordinate_words`] fills in.
    pub(crate) fn write_coordinate_fields(&self, out: &mut String) {
        let rank = self.rank;
        if rank > 0 {
            let _ = writeln!(out, "  u64 extents[{rank}];");
            for (number, _) in self.inputs.iter().enumerate().filter(|(_, input)| input.access == Access::Strided) {
                let _ = writeln!(out, "  i64 s{number}[{rank}];");
            }
            for (number, _) in self.outputs.iter().enumerate().filter(|(_, access)| **access == Access::Strided) {
                let _ = writeln!(out, "  i64 t{number}[{rank}];");
            }
        }
        // A struct has at least one field.
        out.push_str("  u64 end;\n");
    }
}

/// The common part of the kernels of an expression, and whether an element can fail: `gr_load(in, i)` reads what the element with
/// index `i` is made of, `gr_compute(in, x)` makes it, and `gr_element(in, i)` does both. A thread with several elements reads
/// for all of them first: branches in the functions would keep later loads waiting.
pub(crate) fn write_element<C: Code>(form: &Form) -> (Vec<Segment>, bool) {
    let mut writer = ElementWriter::new(form.inputs.clone());
    let components = C::write(&mut writer);
    writer.end_text();

    let mut head = String::new();
    if form.rank > 0 {
        write_coordinates(&mut head, form);
    }
    head.push_str("struct gr_inputs {\n");
    head.push_str(&writer.fields);
    form.write_coordinate_fields(&mut head);
    head.push_str("};\n\n");

    let types: Vec<&str> = C::Item::COMPONENTS.iter().map(|component| component.c_type).collect();
    let item = if types.len() == 1 { types[0].to_owned() } else { format!("gr_tuple{}<{}>", types.len(), types.join(", ")) };
    let _ = writeln!(head, "typedef {item} gr_item;\n");
    let ElementWriter { values, loads, .. } = &writer;
    let coordinates = if form.rank > 0 { "  const gr_coordinates c = gr_coordinates_of(i, in.extents);\n" } else { "" };
    let _ = write!(
        head,
        "struct gr_values {{\n{values}}};\n\n\
         static __device__ __forceinline__ gr_values gr_load(const gr_inputs& in, const u64 i) {{\n{coordinates}\
         \x20 gr_values x;\n{loads}  return x;\n}}\n\n\
         static __device__ __forceinline__ gr_item gr_compute(const gr_inputs& in, const gr_values& x) {{\n"
    );

    let result = if components.len() == 1 { components[0].clone() } else { format!("{{{}}}", components.join(", ")) };
    let mut segments = vec![Segment::Text(leak(head))];
    segments.append(&mut writer.body);
    let text = format!(
        "  return {result};\n}}\n\n\
         static __device__ __forceinline__ gr_item gr_element(const gr_inputs& in, const u64 i) {{\n\
         \x20 return gr_compute(in, gr_load(in, i));\n}}\n\n"
    );
    segments.push(Segment::Text(leak(text)));
    (segments, writer.can_fail)
}

/// The coordinates of an element, and the offset in an operand that they give.
pub(crate) fn write_coordinates(out: &mut String, form: &Form) {
    let (rank, word) = (form.rank, if form.wide { "u64" } else { "u32" });
    let _ = writeln!(out, "struct gr_coordinates {{\n  {word} at[{rank}];\n}};\n");
    let _ = writeln!(out, "static __device__ __forceinline__ gr_coordinates gr_coordinates_of(const u64 i, const u64* extents) {{");
    let _ = writeln!(out, "  gr_coordinates c;\n  {word} rest = ({word})i;");
    for axis in (1..rank).rev() {
        let _ = writeln!(out, "  c.at[{axis}] = rest % ({word})extents[{axis}];\n  rest /= ({word})extents[{axis}];");
    }
    out.push_str("  c.at[0] = rest;\n  return c;\n}\n\n");
    out.push_str("static __device__ __forceinline__ i64 gr_offset(const gr_coordinates& c, const i64* strides) {\n");
    let terms: Vec<String> = (0..rank).map(|axis| format!("(i64)c.at[{axis}] * strides[{axis}]")).collect();
    let _ = writeln!(out, "  return {};\n}}\n", terms.join(" + "));
}

/// The struct `gr_inputs` for these inputs, as 64-bit words.
pub(crate) fn input_words(plan: &Plan, inputs: &[Input<'_>]) -> Vec<u64> {
    let mut words: Vec<u64> = inputs
        .iter()
        .map(|input| match input.kind {
            InputKind::Scalar { bits } => bits,
            kind => kind.pointer().map_or(0, |pointer| pointer.addr() as u64),
        })
        .collect();
    words.extend(plan.coordinate_words());
    words
}

/// The kernel that stores the elements of an expression.
fn write_map<C: Code>(form: &Form) -> Generated {
    let (mut body, can_fail) = write_element::<C>(form);
    let per_thread = if can_fail { 1 } else { PER_THREAD };
    let outputs: Vec<String> = C::Item::COMPONENTS
        .iter()
        .enumerate()
        .map(|(number, component)| format!("{}* __restrict__ out{number}", component.c_type))
        .collect();
    let mut stores = String::new();
    let values = fields("item", form.outputs.len());
    for (number, (access, value)) in form.outputs.iter().zip(values).enumerate() {
        let index = match access {
            Access::Strided => format!("gr_offset(c, in.t{number})"),
            _ => "i".to_owned(),
        };
        let _ = writeln!(stores, "  out{number}[{index}] = {value};");
    }
    let names: Vec<String> = (0..form.outputs.len()).map(|number| format!("out{number}")).collect();
    let (parameters, names) = (outputs.join(", "), names.join(", "));
    let coordinates =
        if form.outputs.contains(&Access::Strided) { "  const gr_coordinates c = gr_coordinates_of(i, in.extents);\n" } else { "" };
    let text = format!(
        "static __device__ __forceinline__ void gr_store(const gr_inputs& in, const u64 i, const gr_item& item, {parameters}) {{\n\
         {coordinates}{stores}}}\n\n\
         extern \"C\" __global__ void __launch_bounds__({BLOCK})\n"
    );
    body.push(Segment::Text(leak(text)));
    body.push(Segment::OwnName);
    let text = format!(
        "(const gr_inputs in, {parameters}, const u64 len) {{\n\
         \x20 const u64 first = (u64)blockIdx.x * {stride} + threadIdx.x;\n\
         \x20 if (first + {last} < len) {{\n\
         \x20   gr_values x[{per_thread}];\n\
         #pragma unroll\n\
         \x20   for (u32 k = 0; k < {per_thread}; ++k) x[k] = gr_load(in, first + k * {BLOCK});\n\
         #pragma unroll\n\
         \x20   for (u32 k = 0; k < {per_thread}; ++k) gr_store(in, first + k * {BLOCK}, gr_compute(in, x[k]), {names});\n\
         \x20 }} else {{\n\
         \x20   for (u64 i = first; i < len && i <= first + {last}; i += {BLOCK}) gr_store(in, i, gr_element(in, i), {names});\n\
         \x20 }}\n\
         }}\n",
        stride = BLOCK * per_thread,
        last = BLOCK * (per_thread - 1),
    );
    body.push(Segment::Text(leak(text)));
    Generated { unit: unit(leak(format!("map_{}", C::NAME)), body), per_thread }
}

/// A kernel that was written.
pub(crate) struct Generated {
    pub(crate) unit: &'static SourceUnit,
    /// How many elements a thread takes.
    pub(crate) per_thread: u32,
}

/// A source unit that is made at run time. Kernels are kept for good, so it may be leaked.
pub(crate) fn unit(name: &'static str, body: Vec<Segment>) -> &'static SourceUnit {
    unit_with_sites(name, body, &Sites::NONE)
}

/// As [`unit`], for a kernel that can fail itself.
pub(crate) fn unit_with_sites(name: &'static str, body: Vec<Segment>, sites: &'static Sites) -> &'static SourceUnit {
    let snippets = with_declared_types(if sites.is_empty() { &["tuple"] } else { &["tuple", "panic"] }, &body);
    Box::leak(Box::new(SourceUnit { name, file: file!(), prototype: &[], body: body.leak(), snippets, sites, several_elements: false }))
}

/// `snippets`, and the one that declares the element types of 16 bits, if the text names one.
pub(crate) fn with_declared_types(snippets: &'static [&'static str], body: &[Segment]) -> &'static [&'static str] {
    let names_half = |text: &str| text.contains("gr_f16") || text.contains("gr_bf16");
    if !body.iter().any(|segment| matches!(segment, Segment::Text(text) if names_half(text))) {
        return snippets;
    }
    snippets.iter().copied().chain(["half"]).collect::<Vec<_>>().leak()
}

pub(crate) fn leak(text: String) -> &'static str {
    text.leak()
}

/// The kernel that maps an expression, loaded.
#[derive(Clone, Copy)]
pub(super) struct MapKernel {
    queue: &'static Queue,
    kernel: &'static LoadedKernel,
    per_thread: u32,
}

impl MapKernel {
    /// The kernel of `C` for operands that are accessed as in `plan`.
    pub(super) fn new<C: Code>(queue: &'static Queue, plan: &Plan, inputs: &[Input<'_>]) -> Result<Self> {
        let (kernel, per_thread) = generated_kernel::<C>(queue, Purpose::Map, Form::new(plan, inputs), write_map::<C>)?;
        Ok(Self { queue, kernel, per_thread })
    }

    /// Whether an element can fail. Its thread is then the only thing that tells which one it was.
    pub(super) fn can_fail(self) -> bool {
        self.per_thread == 1
    }

    /// Stores the elements at `outputs`.
    ///
    /// # Safety
    ///
    /// The plan's operands are `inputs`, of the types that the code names and on the GPU, and then `outputs`, which nothing else
    /// uses, and all of them are as large as it says. They are accessed as in the plan that the kernel was made for.
    pub(super) unsafe fn launch(self, plan: &Plan, inputs: &[Input<'_>], outputs: &[u64]) -> Result<()> {
        let mut parameters = KernelParameters::new();
        parameters.push_words(&input_words(plan, inputs));
        outputs.iter().for_each(|&output| parameters.push(output));
        parameters.push(plan.len as u64);
        let dims = LaunchDims::along_x(plan.len.div_ceil((BLOCK * self.per_thread) as usize), BLOCK);
        // SAFETY: the parameters are those of `write_map`; the caller guarantees the arrays, and every element has one thread.
        unsafe { launch(self.queue, self.kernel, &dims, parameters) }
    }
}

/// The parameters of a generated kernel: as many bytes as CUDA has room for, from 12.1 on. Before, NVRTC refuses kernels with more
/// than 4096.
pub(crate) type KernelParameters = Parameters<32_764>;

/// Puts a launch of a generated kernel on the queue.
///
/// # Safety
///
/// As for [`Queue::launch`].
pub(crate) unsafe fn launch(queue: &Queue, kernel: &LoadedKernel, dims: &LaunchDims, mut parameters: KernelParameters) -> Result<()> {
    assert!(parameters.fit(), "a kernel with more parameters than there can be was compiled");
    // SAFETY: the caller guarantees the same.
    parameters.with_pointers(|pointers| unsafe { queue.launch(kernel, dims, pointers) })
}

/// Runs `C` on `queue` and stores its elements at `outputs`.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that `C` names and on `queue`, and then `outputs`, which nothing else uses,
/// and all of them are as large as it says.
pub(super) unsafe fn map<C: Code>(queue: &'static Queue, plan: &Plan, inputs: &[Input<'_>], outputs: &[*mut u8]) -> Result<()> {
    if plan.len == 0 {
        return Ok(());
    }
    let targets: Vec<u64> = outputs.iter().map(|pointer| pointer.addr() as u64).collect();
    // SAFETY: the caller guarantees the operands.
    unsafe { MapKernel::new::<C>(queue, plan, inputs)?.launch(plan, inputs, &targets) }
}

/// The CUDA C of the kernel that [`map`] would launch.
pub(super) fn map_source<C: Code>(plan: &Plan, inputs: &[Input<'_>]) -> String {
    compile::readable_source(write_map::<C>(&Form::new(plan, inputs)).unit, Variant::Checked)
}

/// What the elements of an expression are for: which kernel surrounds `gr_element`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    /// Storing them.
    Map,
    /// Folding all of them into one.
    ReduceAll,
    /// Folding the elements of each row.
    ReduceRows,
    /// Folding the elements of each column.
    ReduceColumns,
    /// Folding the elements of each column, a short one.
    ReduceEach,
    /// Storing what they give up to each one.
    Scan(ScanKernel),
    /// Counting them.
    Histogram(HistogramKernel),
    /// Updating the elements of an array that they name.
    Scatter,
    /// None: there is no expression, but a generalised function.
    Batch,
}

impl Purpose {
    /// How a failure of such a kernel is told.
    fn work(self) -> Work {
        match self {
            Self::Map | Self::Scatter => Work::Elements { width: BLOCK },
            Self::ReduceAll | Self::ReduceRows | Self::ReduceColumns | Self::ReduceEach => Work::Fold,
            Self::Scan(_) | Self::Histogram(_) => Work::Fold,
            Self::Batch => Work::Elements { width: super::generalized::BLOCK },
        }
    }
}

/// What a kernel was generated for: the number of a GPU, and an expression's code or a function.
type KernelKey = (usize, TypeId, Purpose, Form);

/// The generated kernels, each with how many elements a thread takes.
static GENERATED: LazyLock<Slots<KernelKey, (&'static LoadedKernel, u32)>> = LazyLock::new(Slots::default);

/// The kernel of `C` for a purpose and form, written, compiled and loaded if this is its first use on this GPU; and
/// how many elements one of its threads takes.
pub(crate) fn generated_kernel<C: Code>(
    queue: &'static Queue,
    purpose: Purpose,
    form: Form,
    write: impl FnOnce(&Form) -> Generated,
) -> Result<(&'static LoadedKernel, u32)> {
    generated_kernel_of::<C>(queue, purpose, (C::NAME, C::FMAD), form, write)
}

/// The kernel of anything that a type stands for, by its name and whether it may be contracted: see [`generated_kernel`].
pub(crate) fn generated_kernel_of<Subject: 'static>(
    queue: &'static Queue,
    purpose: Purpose,
    (name, fmad): (&'static str, bool),
    form: Form,
    write: impl FnOnce(&Form) -> Generated,
) -> Result<(&'static LoadedKernel, u32)> {
    let key = (queue.gpu().ordinal(), TypeId::of::<Subject>(), purpose, form);
    GENERATED.find_or_make(&key, || {
        let Generated { unit, per_thread } = write(&key.3);
        if compile::callees_need_a_thread(unit) {
            return Err(Error::NoThreads { function: name });
        }
        let kernel =
            queue.gpu().load_program(compile::assemble(unit, Variant::Checked), &Options::with_fmad(fmad), name, purpose.work())?;
        Ok((kernel, per_thread))
    })
}
