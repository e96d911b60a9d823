//! Kernels with tiles: a sum of products, then operations on it, of arrays of any size and strides.
//!
//! The text is the same for plain Rust, which has types of these names. All numbers are small and whole, so that sums have the same bits in any
//! order: `bound` is the largest that a number can be.

use fastrand::Rng;

use super::kernel::{Case, Kernel};
use super::text::either;

/// The type of the elements of a product, that of its sums, and which whole numbers the first represents.
const ELEMENTS: [(&str, &str, u64); 6] = [
    ("f32", "f32", 1 << 24),
    ("f16", "f32", 1 << 11),
    ("bf16", "f32", 1 << 8),
    ("f64", "f64", 1 << 53),
    ("i8", "i32", 127),
    ("i32", "i32", 1 << 30),
];
/// What arguments are at most.
const NUMBERS: u64 = 4;

/// A kernel in the making.
struct Program<'r> {
    rng: &'r mut Rng,
    list: Vec<String>,
    case: Case,
    lines: Vec<String>,
    /// The type of sums, and what they represent.
    sum: &'static str,
    most: u64,
    /// The shape of `x`, and of all of which it is a tile.
    tile: [usize; 2],
    extents: [usize; 2],
    bound: u64,
}

pub(super) fn kernel(rng: &mut Rng, number: u64) -> Kernel {
    let (element, sum, _) = ELEMENTS[rng.usize(..ELEMENTS.len())];
    let threads = [32, 64, 128][rng.usize(..3)];
    let tile = [size(rng), size(rng)];
    let extents = [extent(rng, tile[0]), extent(rng, tile[1])];
    let most = ELEMENTS.iter().find(|(name, ..)| *name == sum).map_or(0, |(.., most)| *most);
    let mut program = Program { rng, list: Vec::new(), case: Case::default(), lines: Vec::new(), sum, most, tile, extents, bound: 0 };
    program.products(element);
    for _ in 0..program.rng.u32(0..6) {
        program.operation();
    }
    program.store();
    let Program { rng, list, case, lines, tile, extents, .. } = program;
    // Some blocks may have tiles outside of the array.
    let [rows, columns] = [0, 1].map(|axis| extents[axis].div_ceil(tile[axis]) + usize::from(rng.u8(..6) == 0));
    let attribute = either(&format!("#[gpu_kernel(block = {threads}, fmad = false)]"), "");
    let place = "    let (i, j) = (block_idx().y, block_idx().x);";
    let (list, lines) = (list.join(", "), lines.join("\n"));
    let definition =
        format!("{attribute}\npub fn k{number}({}{list}) {{\n{}\n{lines}\n}}\n", either("", "i: usize, j: usize, "), either(place, ""));
    let call = format!("for i in 0..{rows} {{ for j in 0..{columns} {{ k{number}(i, j, {}) }} }}", case.plain_args.join(", "));
    Kernel { definition, case: case.text(number, &format!("({columns}, {rows}), {threads}"), &call) }
}

/// Rows or columns of a tile.
fn size(rng: &mut Rng) -> usize {
    [16, 16, 32, 32, 64][rng.usize(..5)]
}

/// The extent of an array along an axis with tiles of that size.
fn extent(rng: &mut Rng, tile: usize) -> usize {
    match rng.u8(..6) {
        0 => 1,
        1 => tile,
        2 => rng.usize(1..=2 * tile),
        3 => rng.usize(1..=tile / 4) * 8,
        4 => tile + 1,
        _ => 2 * tile - 1,
    }
}

impl Program<'_> {
    /// `sum`, and `x` with its value.
    fn products(&mut self, element: &'static str) {
        let ([rows, columns], sum) = (self.tile, self.sum);
        self.lines.push(format!("    let mut sum = Tile::<{sum}, {rows}, {columns}>::zeros();"));
        match self.rng.u8(..3) {
            0 => self.steps(element),
            _ => self.row_by_column(element),
        }
        self.lines.push("    }\n    let x = sum;".to_owned());
    }

    /// A loop over the tiles of a row and a column.
    fn row_by_column(&mut self, element: &'static str) {
        let ([rows, columns], inner) = (self.tile, size(self.rng));
        let along = self.length(inner);
        let (a, left) = self.operand("a", element, [rows, inner], [self.extents[0], along], ["i", "k"]);
        let (_, right) = self.operand("b", element, [inner, columns], [along, self.extents[1]], ["k", "j"]);
        let mut factors = 1;
        self.lines.push(format!("    for k in 0..{a}.div_ceil({inner}) {{"));
        self.lines.push(match self.rng.u8(..7) {
            // As a pipeline of nothing else.
            0..3 => format!("        sum += {left}.dot({right});"),
            3 => {
                factors = 2;
                format!("        sum += ({left} + {left}).dot(-{right});")
            }
            4 => format!("        let left = {left};\n        sum = left.dot({right}) - sum;"),
            5 => {
                factors = 3;
                format!("        let (left, right) = ({left}, {right});\n        let twice = {right};\n        sum = left.dot(right) - sum + {left}.dot(twice + twice);")
            }
            _ => format!("        let right = {right};\n        let product = {left}.dot(right);\n        sum = product + sum;"),
        });
        self.bound = along.next_multiple_of(inner) as u64 * NUMBERS * NUMBERS * factors;
    }

    /// A loop from products with what no step changes to what is added to the sum.
    fn steps(&mut self, element: &'static str) {
        let ([rows, columns], inner, width) = (self.tile, [16, 32][self.rng.usize(..2)], size(self.rng));
        let largest = inner as u64 * NUMBERS * NUMBERS;
        let fits = |(_, sum, most): &&(&str, &str, u64)| *sum == self.sum && *most >= largest;
        let fitting: Vec<_> = ELEMENTS.iter().filter(fits).collect();
        let (narrow, ..) = *fitting[self.rng.usize(..fitting.len())];
        let (depth, along) = (extent(self.rng, inner), self.length(width));
        let (_, left) = self.operand("a", element, [rows, inner], [self.extents[0], depth], ["i", "0"]);
        let (b, right) = self.operand("b", element, [inner, width], [depth, along], ["0", "k"]);
        let (_, last) = self.operand("v", narrow, [width, columns], [along, self.extents[1]], ["k", "j"]);
        let first = self.rng.u8(..4) / 3;
        self.lines.push(format!("    let left = {left};\n    for k in {first}..{b}.div_ceil({width}) {{"));
        self.lines.push(format!("        let scores = left.dot({right});"));
        self.lines.extend(match self.rng.u8(..4) {
            0 => Some("        let most = scores.row_max();\n        sum = sum - most;".to_owned()),
            1 => Some("        sum = -sum;".to_owned()),
            2 => Some(format!("        let last = {last};")),
            _ => None,
        });
        let last = if self.lines.last().is_some_and(|line| line.contains("let last")) { "last" } else { &last };
        self.lines.push(format!("        sum += scores.cast::<{narrow}>().dot({last});"));
        self.bound = along.next_multiple_of(width) as u64 * largest * (NUMBERS + 1);
    }

    /// An extent along which a loop goes: sometimes several rounds of the steps that a pipeline has in shared memory.
    fn length(&mut self, step: usize) -> usize {
        extent(self.rng, step) + if self.rng.bool() { 8 * self.rng.usize(..6 * step / 8) } else { 0 }
    }

    /// A parameter of which a tile is an operand, transposed or not: its extent along the columns of the operand, and the operand.
    fn operand(&mut self, name: &str, element: &str, tile: [usize; 2], extents: [usize; 2], index: [&str; 2]) -> (String, String) {
        let is_transposed = self.rng.u8(..3) == 0;
        let turn = |pair: [usize; 2]| if is_transposed { [pair[1], pair[0]] } else { pair };
        let ([rows, columns], axis) = (turn(tile), usize::from(!is_transposed));
        let [i, j] = if is_transposed { [index[1], index[0]] } else { index };
        self.parameter(name, element, turn(extents), false);
        let transposed = if is_transposed { ".transpose()" } else { "" };
        (format!("{name}.shape()[{axis}]"), format!("{name}.tile::<{rows}, {columns}>({i}, {j}){transposed}"))
    }

    /// A view of that shape, which may be a part of an array, turned or not.
    fn parameter(&mut self, name: &str, element: &str, shape: [usize; 2], is_output: bool) {
        let [rows, columns] = shape;
        let (kind, function, borrow) = if is_output { ("ViewMut", "view_mut", "&mut ") } else { ("View", "view", "&") };
        let (whole, part, first, is_turned) = match self.rng.u8(..5) {
            0 => ([columns, rows], ".part(|view| view.t())".to_owned(), [0, 0], true),
            1 => {
                let part = format!(".part(|view| view.slice_axis(0, 1..).slice_axis(1, 3..{}))", columns + 3);
                ([rows + 1, columns + 4], part, [1, 3], false)
            }
            2 => {
                let part = format!(".part(|view| view.slice_axis(1, 16..{}))", columns + 16);
                ([rows, (columns + 16).next_multiple_of(16)], part, [0, 16], false)
            }
            _ => (shape, String::new(), [0, 0], false),
        };
        self.list.push(format!("{name}: {}", either(&format!("{kind}<{element}, 2>"), &format!("Plane<{element}>"))));
        self.case.lets.push(format!("let mut {name}: Vec<{element}> = values.numbers({});", whole[0] * whole[1]));
        self.case.kernel_args.push(format!("{function}({borrow}{name}, {whole:?}){part}"));
        self.case.plain_args.push(format!("Plane::new(&mut {name}, {whole:?}, {is_turned}).part({first:?}, {shape:?})"));
        if is_output {
            self.case.outputs.push(name.to_owned());
        }
    }

    /// A tile of another view, of the same shape as `x`.
    fn other(&mut self) -> String {
        let name = format!("d{}", self.list.len());
        let (sum, tile, extents) = (self.sum, self.tile, self.extents);
        self.operand(&name, sum, tile, extents, ["i", "j"]).1
    }

    /// A number, as the text of one of the type of sums.
    fn number(&mut self) -> String {
        let number = self.rng.i32(-3..=3);
        if self.sum == "i32" { format!("({number}i32)") } else { format!("({number}.0{})", self.sum) }
    }

    /// Another `x`, unless its numbers could be too large.
    fn operation(&mut self) {
        let ([rows, columns], bound, sum) = (self.tile.map(|extent| extent as u64), self.bound, self.sum);
        let n = self.number();
        let (text, larger) = match self.rng.u8(..13) {
            0 => (format!("x + {}", self.other()), bound + NUMBERS),
            1 => (format!("{} - x", self.other()), bound + NUMBERS),
            2 => (format!("x * {}", self.other()), bound * NUMBERS),
            3 => (format!("{n} * x - {n}"), bound * 3 + 3),
            4 => ("x - x.row_max()".to_owned(), 2 * bound),
            5 => ("x.row_sum() - x".to_owned(), (columns + 1) * bound),
            6 => (format!("x * (x.row_max() + {n})"), bound.saturating_mul(bound + 3)),
            7 => (format!("x.map(|v| if v < {n} {{ v * {n} }} else {{ v - {n} }})"), bound * 3 + 3),
            8 => (format!("x.zip({}, |v, w| if v < w {{ v }} else {{ w - {n} }})", self.other()), bound.max(NUMBERS + 3)),
            9 => (format!("x.map_at(|row, column, v| v + row as {sum} - (column as {sum}) * {n})"), bound + rows + 3 * columns),
            10 => (format!("x.map_at(|row, column, v| if column <= row {{ v }} else {{ {n} }})"), bound.max(3)),
            11 => (format!("if (i + j) % 2 == 0 {{ x = -x + {n}; }}"), bound + 3),
            _ => return self.another_product(),
        };
        if larger > self.most {
            return;
        }
        self.bound = larger;
        self.lines.push(match text.starts_with("if ") {
            true => format!("    let mut x = x;\n    {text}"),
            false => format!("    let x = {text};"),
        });
    }

    /// `x` times a matrix.
    fn another_product(&mut self) {
        let fits = |(_, sum, most): &&(&str, &str, u64)| *sum == self.sum && *most >= self.bound;
        let fitting: Vec<_> = ELEMENTS.iter().filter(fits).collect();
        let larger = self.bound * NUMBERS * self.tile[1] as u64;
        if larger > self.most || fitting.is_empty() {
            return;
        }
        let (element, ..) = *fitting[self.rng.usize(..fitting.len())];
        let (name, columns) = (format!("e{}", self.list.len()), size(self.rng));
        // Each block multiplies with the same columns of the matrix, those of its own number.
        let extents = [extent(self.rng, self.tile[1]), extent(self.rng, columns)];
        let (_, right) = self.operand(&name, element, [self.tile[1], columns], extents, ["0", "j"]);
        self.lines.push(format!("    let x = x.cast::<{element}>().dot({right});"));
        (self.tile[1], self.extents[1], self.bound) = (columns, extents[1], larger);
    }

    /// Stores `x`, in its type or another. The sum with zero makes one zero of both.
    fn store(&mut self) {
        let is_float = self.sum != "i32";
        let (zero, types) = if is_float { ("0.0", ["f32", "f64", "f16", "bf16"]) } else { ("0", ["i32", "f32", "f64", "i32"]) };
        let (element, extents) = (types[self.rng.usize(..4)], self.extents);
        if is_float && self.rng.bool() {
            self.lines.push("    let x = x / (x.row_max() * x.row_max() + 1.0);".to_owned());
        }
        self.parameter("c", element, extents, true);
        self.lines.push(format!("    c.tile_mut(i, j).store((x + {zero}).cast::<{element}>());"));
    }
}
