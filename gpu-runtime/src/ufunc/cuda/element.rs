//! The CUDA C of one element of an expression.

use std::fmt::Write as _;
use std::mem::MaybeUninit;

use super::access::{AccessPattern, InputText, write_coordinates};
use super::generated::leak;
use crate::compile;
use crate::source::{Callee, Segment};
use crate::ufunc::formula::Formula;
use crate::ufunc::input::{Input, InputKind};
use crate::ufunc::item::Component;
use crate::ufunc::plan::Plan;

/// Writes the bodies of `gr_load` and `gr_compute`: a statement per input and per function call, so that everything happens in
/// Rust's order.
pub struct ElementWriter {
    /// How each input is accessed, in order.
    inputs: Vec<InputText>,
    /// The number of the input that the kernel computes itself, if it does.
    product: Option<usize>,
    /// How many of them have been named.
    named: usize,
    /// How many function calls there are.
    calls: usize,
    /// The size of the largest element or value.
    largest: usize,
    /// The bytes that are read for an element.
    read: usize,
    /// The fields of `gr_inputs`.
    fields: String,
    /// The fields of `gr_values`, and the statements that read them.
    values: String,
    loads: String,
    /// The same statements for an element of a tile.
    tile_loads: String,
    /// The same statements for elements side by side, beside a piece of a product.
    piece_loads: String,
    /// The inputs that are read through a tile in shared memory, with their types.
    turned: Vec<(usize, &'static str)>,
    /// Whether any of the functions can.
    can_fail: bool,
    body: Vec<Segment>,
    text: String,
    /// The snippets that declare the types of the inputs.
    snippets: Vec<&'static str>,
    /// The names that the kernel declares for types that each program names.
    aliases: Vec<Segment>,
}

impl ElementWriter {
    fn new(inputs: Vec<InputText>, product: Option<usize>) -> Self {
        let (fields, values, loads) = (String::new(), String::new(), String::new());
        Self {
            inputs,
            product,
            named: 0,
            calls: 0,
            largest: 0,
            read: 0,
            fields,
            values,
            loads,
            tile_loads: String::new(),
            piece_loads: String::new(),
            turned: Vec::new(),
            can_fail: false,
            body: Vec::new(),
            text: String::new(),
            snippets: Vec::new(),
            aliases: Vec::new(),
        }
    }

    /// The name of a type, which is declared if it needs to be.
    fn name(&mut self, component: Component, alias: impl FnOnce() -> String) -> &'static str {
        self.largest = self.largest.max(component.size);
        component.declare(alias, &mut self.aliases, &mut self.snippets)
    }

    fn next(&mut self) -> (usize, InputText) {
        let number = self.named;
        self.named += 1;
        (number, self.inputs[number])
    }

    /// Reads the element of the next input, an array of such elements.
    pub(in crate::ufunc) fn load(&mut self, component: Component) -> String {
        let (number, input) = self.next();
        let c_type = self.name(component, || format!("gr_type{number}"));
        self.read += component.size;
        self.load_of(number, input, c_type)
    }

    /// Reads the element of an input in memory.
    fn load_of(&mut self, number: usize, input: InputText, c_type: &'static str) -> String {
        let _ = writeln!(self.fields, "  const {c_type}* p{number};");
        if let Some(same) = input.same_as {
            return format!("x.v{same}");
        }
        if self.product == Some(number) {
            let _ = writeln!(self.values, "  {c_type} v{number};");
            return format!("x.v{number}");
        }
        let index = input.index(&format!("s{number}"));
        let value = format!("in.p{number}[{index}]");
        if let Some(beside) = input.beside_product {
            beside.write_load(&mut self.piece_loads, number, c_type);
        }
        if input.turned {
            self.turned.push((number, c_type));
            let _ = writeln!(self.tile_loads, "  x.v{number} = tiles.t{number}[place];");
        } else {
            let _ = writeln!(self.tile_loads, "  x.v{number} = {value};");
        }
        self.value_read(number, c_type, &value)
    }

    /// A value that `gr_load` reads.
    fn value_read(&mut self, number: usize, c_type: &str, value: &str) -> String {
        let _ = writeln!(self.values, "  {c_type} v{number};");
        let _ = writeln!(self.loads, "  x.v{number} = {value};");
        format!("x.v{number}")
    }

    /// Names the value of the next input, a scalar.
    pub(in crate::ufunc) fn value(&mut self, component: Component) -> String {
        let (number, input) = self.next();
        let c_type = self.name(component, || format!("gr_type{number}"));
        let used = input.same_as.unwrap_or(number);
        if component.is_number() {
            let _ = writeln!(self.fields, "  alignas(8) {c_type} p{number};");
            return format!("in.p{used}");
        }
        // Its alignment may be larger than that of the words around it.
        self.snippets.push("words");
        let _ = writeln!(self.fields, "  u64 p{number}[{}];", component.size.div_ceil(size_of::<u64>()));
        format!("gr_of_words<{c_type}>(in.p{used})")
    }

    /// The index of the element along the axes of the next input.
    pub(in crate::ufunc) fn index(&mut self) -> String {
        let (number, input) = self.next();
        if input.in_memory {
            return self.load_of(number, input, "usize");
        }
        let _ = writeln!(self.fields, "  u64 p{number};");
        let index = input.index(&format!("s{number}"));
        let value = format!("(usize)(in.p{number} + (u64)({index}))");
        if let Some(beside) = input.beside_product {
            beside.write_number(&mut self.piece_loads, number);
        }
        let _ = writeln!(self.tile_loads, "  x.v{number} = {value};");
        self.value_read(number, "usize", &value)
    }

    /// Calls a function; returns the components of its result.
    pub(in crate::ufunc) fn call(&mut self, callee: fn() -> Callee, arguments: &[String], components: &[Component]) -> Vec<String> {
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

/// The common part of the kernels of an expression.
pub(crate) struct ElementText {
    pub(crate) body: Vec<Segment>,
    /// What it needs.
    pub(crate) snippets: Vec<&'static str>,
    /// Whether an element can fail.
    pub(crate) can_fail: bool,
    /// Whether functions compute it.
    pub(crate) has_calls: bool,
    /// The size of the largest of its inputs and components.
    pub(crate) largest: usize,
    /// The bytes of its inputs.
    pub(crate) read: usize,
}

/// The common part of the kernels of an expression: `gr_load(in, i)` reads what the element with
/// index `i` is made of, `gr_compute(in, x)` makes it, and `gr_element(in, i)` does both. A thread with several elements reads
/// for all of them first: branches in the functions would keep later loads waiting.
pub(in crate::ufunc) fn write_element(formula: Formula, pattern: &AccessPattern) -> ElementText {
    let mut writer = ElementWriter::new(pattern.inputs.clone(), pattern.product.map(|product| product.input));
    let components = formula.write(&mut writer);
    writer.end_text();

    let mut head = String::new();
    if pattern.rank > 0 {
        write_coordinates(&mut head, pattern);
    }
    head.push_str("struct gr_inputs {\n");
    head.push_str(&writer.fields);
    pattern.write_coordinate_fields(&mut head);
    head.push_str("};\n\n");

    let types = formula.components.iter().enumerate();
    let types: Vec<&str> = types.map(|(number, &component)| writer.name(component, || component_alias(number))).collect();
    let item = if types.len() == 1 { types[0].to_owned() } else { format!("gr_tuple{}<{}>", types.len(), types.join(", ")) };
    let _ = writeln!(head, "typedef {item} gr_item;\n");
    let ElementWriter { values, loads, .. } = &writer;
    let _ = write!(head, "struct gr_values {{\n{values}}};\n\n");
    if let (Some(tiling), false) = (pattern.tiling, writer.can_fail) {
        tiling.write_loads(&mut head, &writer.turned, &writer.tile_loads);
    }
    if let Some(product) = pattern.product {
        product.write_loads(&mut head, &writer.piece_loads);
    }
    let function = "static __device__ __forceinline__ gr_values";
    let _ = if pattern.rank > 0 {
        write!(
            head,
            "{function} gr_load_at(const gr_inputs& in, const u64 i, const gr_coordinates& c) {{\n  gr_values x;\n{loads}  return x;\n}}\n\n\
             {function} gr_load(const gr_inputs& in, const u64 i) {{\n  return gr_load_at(in, i, gr_coordinates_of(i, in.extents));\n}}\n\n"
        )
    } else {
        write!(head, "{function} gr_load(const gr_inputs& in, const u64 i) {{\n  gr_values x;\n{loads}  return x;\n}}\n\n")
    };
    let _ = writeln!(head, "static __device__ __forceinline__ gr_item gr_compute(const gr_inputs& in, const gr_values& x) {{");

    let result = if components.len() == 1 { components[0].clone() } else { format!("{{{}}}", components.join(", ")) };
    let mut segments = std::mem::take(&mut writer.aliases);
    segments.push(Segment::Text(leak(head)));
    segments.append(&mut writer.body);
    let text = format!(
        "  return {result};\n}}\n\n\
         static __device__ __forceinline__ gr_item gr_element(const gr_inputs& in, const u64 i) {{\n\
         \x20 return gr_compute(in, gr_load(in, i));\n}}\n\n"
    );
    segments.push(Segment::Text(leak(text)));
    let mut snippets = vec!["tuple"];
    snippets.append(&mut writer.snippets);
    ElementText {
        body: segments,
        snippets,
        can_fail: writer.can_fail,
        has_calls: writer.calls > 0,
        largest: writer.largest,
        read: writer.read,
    }
}

/// What an element of the result with so many components calls the type of this one, if each program names that.
pub(in crate::ufunc) fn component_alias(number: usize) -> String {
    format!("gr_component{number}")
}

/// The struct `gr_inputs` for these inputs, as 64-bit words. Structs may have bytes without a value.
pub(crate) fn input_words(plan: &Plan, inputs: &[Input<'_>]) -> Vec<MaybeUninit<u64>> {
    let mut words = Vec::with_capacity(inputs.len());
    for input in inputs {
        match input.kind {
            InputKind::Scalar { pointer } => {
                let first = words.len();
                words.resize(first + input.size.div_ceil(size_of::<u64>()), MaybeUninit::new(0));
                // SAFETY: the value is borrowed as long as the input, and there are words for all of its bytes.
                unsafe { words[first..].as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(pointer, input.size) };
            }
            InputKind::Index { first } => words.push(MaybeUninit::new(first as u64)),
            kind => words.push(MaybeUninit::new(kind.pointer().map_or(0, |pointer| pointer.addr() as u64))),
        }
    }
    words.extend(plan.coordinate_words().into_iter().map(MaybeUninit::new));
    words
}
