//! Kernels whose threads work together: shared memory between barriers, warps, atomics whose sum depends on no order.
//!
//! A thread that failed would not arrive where the others wait, so nothing in them can fail: see `Generator::safe`.

use fastrand::Rng;

use super::kernel::{Case, Kernel, attribute};
use super::places::Kind;
use super::scalar::{SCALARS, Scalar, U32, USIZE};
use super::text::either;
use super::trace::TRACE;
use super::types::Type;
use super::weights::BUDGET;
use super::{Generator, World};

pub(super) fn kernel(rng: &mut Rng, number: u64, world: &World) -> Kernel {
    let mut generator = Generator::new(rng, world, None);
    generator.safe = true;
    let (blocks, threads) = (generator.rng.usize(1..3), [32, 64, 96][generator.rng.usize(..3)]);
    let mut case = Case::default();
    let mut list = Vec::new();
    let mut names = Vec::new();
    for position in 0..generator.rng.u32(1..4) {
        let (name, argument) = (generator.other_name(&names), format!("a{position}"));
        let (element, length) = (generator.any_layout(1), generator.rng.usize(1..6));
        list.push(format!("{name}: &[{}]", element.name()));
        case.lets.push(format!("let mut {argument}: Vec<{}> = values.array({length});", element.name()));
        case.kernel_args.push(format!("&{argument}"));
        case.plain_args.push(format!("&{argument}"));
        generator.declare(&name, Kind::Slice { element, length: Some(length) }, false);
        names.push(name);
    }
    let value = Scalar::any_integer(generator.rng);
    let (ty, atomic) = (value.name(), value.atomic());
    list.push(format!("sums: &[{atomic}]"));
    case.lets.push(format!("let mut sums: Vec<{ty}> = values.array(4);"));
    case.plain_lets.push(format!("let atomic_sums: Vec<{atomic}> = sums.iter().map(|v| {atomic}::new(*v)).collect();"));
    case.plain_after.push(format!("sums = atomic_sums.into_iter().map({atomic}::into_inner).collect();"));
    case.kernel_args.push("&mut sums".to_owned());
    case.plain_args.push("&atomic_sums".to_owned());
    list.push("trace: &mut [u64]".to_owned());
    case.lets.push(format!("let mut trace: Vec<u64> = vec![0; {}];", blocks * threads * TRACE));
    case.kernel_args.push("&mut trace".to_owned());
    case.outputs = vec!["sums".to_owned(), "trace".to_owned()];

    let mut lines = vec![
        format!("    let thread = {};", either("thread_idx().x", "team.thread")),
        format!("    let base = {};", either(&format!("grid_1d() * {TRACE}"), "0usize")),
        format!("    let number = {};", either("grid_1d()", "team.grid_1d()")),
    ];
    generator.scopes.push(Vec::new());
    for name in ["thread", "number"] {
        generator.declare(name, Kind::Value(Type::Scalar(USIZE)), false);
    }
    let operation = generator.pick(&["fetch_add", "fetch_sub", "fetch_min", "fetch_max", "fetch_and", "fetch_or", "fetch_xor"]);
    let mut tiles = Vec::new();
    for phase in 0..generator.rng.u32(2..5) {
        let count = generator.rng.u32(1..4);
        generator.stmts(count, 1, &mut lines);
        generator.budget = BUDGET;
        match generator.rng.u32(..5) {
            0 => generator.share(phase, threads, &mut tiles, &mut lines),
            1 => generator.exchange_tiles(phase, threads, &mut tiles, &mut lines),
            2 => generator.meet(&mut lines),
            _ => {
                let (index, value) = (generator.scalar(USIZE, 2, true), generator.scalar(value, 2, true));
                lines.push(match generator.rng.bool() {
                    true => format!("    sums[({index}) % 4].{operation}({value}, Ordering::Relaxed);"),
                    false => format!(
                        "    {{\n        let atomic_slot = &sums[({index}) % 4];\n        atomic_slot.{operation}({value}, Ordering::Relaxed);\n    }}"
                    ),
                });
            }
        }
    }
    generator.trace_all("    ", &mut lines);

    let mut plain_args = vec!["team".to_owned()];
    plain_args.append(&mut case.plain_args);
    plain_args.push("trace".to_owned());
    let mut plain_list = String::new();
    for (tile, element) in &tiles {
        let ty = element.name();
        plain_list += &format!(", {tile}: Shared<{ty}>");
        case.plain_lets.push(format!("let mut {tile} = vec![{ty}::default(); {threads}]; let {tile} = Shared::new(&mut {tile});"));
        plain_args.push(tile.clone());
    }
    let call = format!("run_team({blocks}, {threads}, &mut trace, |team, trace| k{number}({}))", plain_args.join(", "));
    let list = format!("{}{}{}", either("", "team: &Team, "), list.join(", "), either("", &plain_list));
    let definition = format!("{}\npub fn k{number}({list}) {{\n{}\n}}\n", attribute(), lines.join("\n"));
    Kernel { definition, case: case.text(number, &format!("{blocks}, {threads}"), &call) }
}

impl Generator<'_> {
    /// Every thread writes its element of an array; from then on all of them read it.
    fn share(&mut self, phase: u32, threads: usize, tiles: &mut Vec<(String, Scalar)>, lines: &mut Vec<String>) {
        let (tile, element) = (format!("tile{phase}"), SCALARS[self.rng.usize(..SCALARS.len())]);
        let ty = element.name();
        let value = self.scalar(element, 2, false);
        let other = self.scalar(USIZE, 2, true);
        let name = self.name();
        let sync = either("sync_threads();", "team.wait();");
        lines.push(either(&format!("    let mut {tile} = shared::<[{ty}; {threads}]>();"), ""));
        let (before, open, close) = (either("", "*"), either("[", ".at("), either("]", ")"));
        lines.push(format!("    let written: {ty} = {value};"));
        lines.push(format!("    {before}{tile}{open}thread{close} = written;"));
        lines.push(format!("    {sync}"));
        lines.push(format!("    let mut {name}: {ty} = {before}{tile}{open}(({other}) % {threads}){close};"));
        self.declare(&name, Kind::Value(Type::Scalar(element)), true);
        tiles.push((tile, element));
    }

    /// Two arrays of which the threads read one and write the other, and which they exchange in each round.
    fn exchange_tiles(&mut self, phase: u32, threads: usize, tiles: &mut Vec<(String, Scalar)>, lines: &mut Vec<String>) {
        let element = Scalar::any_integer(self.rng);
        let (ty, from, to) = (element.name(), format!("from{phase}"), format!("to{phase}"));
        let value = self.scalar(element, 2, false);
        let (rounds, step, name) = (self.rng.usize(1..4), self.rng.usize(1..threads), self.name());
        let sync = either("sync_threads();", "team.wait();");
        for tile in [&from, &to] {
            lines.push(either(&format!("    let mut {tile} = shared::<[{ty}; {threads}]>();"), &format!("    let mut {tile} = {tile};")));
        }
        let (before, open, close) = (either("", "*"), either("[", ".at("), either("]", ")"));
        lines.push(format!("    let written: {ty} = {value};"));
        lines.push(format!("    {before}{from}{open}thread{close} = written;"));
        lines.push(format!("    {before}{to}{open}thread{close} = written;"));
        lines.push(format!("    {sync}"));
        lines.push(format!("    for round in 0..{rounds}usize {{"));
        lines.push(format!("        let other: {ty} = {before}{from}{open}((thread + {step} + round) % {threads}){close};"));
        lines.push(format!("        {before}{to}{open}thread{close} = other.wrapping_mul(3) ^ written;"));
        lines.push(format!("        {sync}"));
        lines.push(match self.rng.bool() {
            true => format!("        ({from}, {to}) = ({to}, {from});"),
            false => format!("        std::mem::swap(&mut {from}, &mut {to});"),
        });
        lines.push("    }".to_owned());
        lines.push(format!("    let mut {name}: {ty} = {before}{from}{open}((thread + 1) % {threads}){close};"));
        self.declare(&name, Kind::Value(Type::Scalar(element)), true);
        tiles.extend([(from, element), (to, element)]);
    }

    /// The threads of a warp, or of the block, exchange something.
    fn meet(&mut self, lines: &mut Vec<String>) {
        let name = self.name();
        let call = |function: &str| either(&format!("{function}("), &format!("team.{function}("));
        let (ty, text) = match self.rng.u32(..10) {
            0..4 => {
                let function = self.pick(&["warp_shuffle", "warp_shuffle_up", "warp_shuffle_down", "warp_shuffle_xor"]);
                let scalar = Scalar::any(self.rng);
                let (value, amount) = (self.scalar(scalar, 2, false), self.scalar(USIZE, 1, true));
                lines.push(given(scalar, &value));
                (scalar, format!("{}given, {amount})", call(function)))
            }
            4..6 => {
                let function = self.pick(&["warp_sum", "warp_min", "warp_max", "warp_xor"]);
                let scalar = Scalar::any_integer(self.rng);
                let value = self.scalar(scalar, 2, false);
                lines.push(given(scalar, &value));
                (scalar, format!("{}given)", call(function)))
            }
            6 => {
                let scalar = Scalar::any_integer(self.rng);
                let value = self.scalar(scalar, 2, false);
                lines.push(given(scalar, &value));
                (U32, format!("{}given)", call("warp_match_any")))
            }
            kind => {
                let condition = self.condition(2);
                lines.push(given(Scalar::Bool, &condition));
                match kind {
                    7 => (U32, format!("{}given)", call("warp_ballot"))),
                    8 => (USIZE, format!("{}given)", call("sync_threads_count"))),
                    _ => (Scalar::Bool, format!("{}given)", call(self.pick(&["warp_all", "warp_any"])))),
                }
            }
        };
        lines.push(format!("    let mut {name}: {} = {text};", ty.name()));
        self.declare(&name, Kind::Value(Type::Scalar(ty)), true);
    }
}

fn given(scalar: Scalar, value: &str) -> String {
    format!("    let given: {} = {value};", scalar.name())
}
