//! Kernels whose `usize` may have 32 bits, under which conditions, and that they then do the same.

use super::generate::Random;
use super::interpret::Machine;
use super::simulation::{Launch, positions};
use super::*;
use crate::check::clients::index_width::{Checks, LIMIT, LONGEST, Narrow, SmallOperations};
use crate::check::walk::walker::walk_recording;
use std::collections::HashSet;

/// When the kernel may compute in 32 bits, besides that its indices are in bounds, and that no operation is to be small. `None`: never.
pub(super) fn needs(function: &Function) -> Option<(Vec<Bound>, Vec<Inequality>)> {
    let (bounds, needs, _) = needs_of(function, &Narrow::of(function).ok()?, Checks::Always, false)?;
    Some((bounds, needs))
}

/// The same, and the operations that are small.
fn needs_of(function: &Function, narrow: &Narrow, checks: Checks, small: bool) -> Option<(Vec<Bound>, Vec<Inequality>, SmallOperations)> {
    let walk = walk_recording(function, narrow.recorded(), Assumed::default());
    let bounds = prove_bounds(function, &walk);
    let fits = matches!(function.kind, FunctionKind::Device);
    let walk = if fits { walk_recording(function, narrow.recorded(), Assumed { fits: true, ..Assumed::default() }) } else { walk };
    let small = if small { narrow.small_operations(function, &walk, &bounds) } else { SmallOperations::default() };
    let needs = narrow.prove(function, &walk, &bounds, checks, &narrow.plain_loops(&walk), &small).ok()?;
    Some((bounds, needs, small))
}

fn shown(source: &str) -> String {
    shown_of(kernel(source))
}

fn shown_of(function: Function) -> String {
    match needs(&function) {
        None => "64 bits".into(),
        Some((_, needs)) => {
            let text = |need: &Inequality| match need.length.as_constant() {
                Some(LIMIT) => show(&need.most, &function),
                Some(most) if most == LONGEST + 1 && show(&need.most, &function).ends_with(".len") => show(&need.most, &function),
                _ => show_inequality(need, &function),
            };
            format!("32 bits: {}", needs.iter().map(text).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The same of a device function: what rustc must find of constants.
fn shown_of_device(around: &str, source: &str) -> String {
    shown_of(device_function_in(around, source))
}

fn device_function_in(around: &str, source: &str) -> Function {
    let item: syn::ItemFn = syn::parse_str(source).unwrap_or_else(|error| panic!("{error}: {source}"));
    let errors = Errors::new();
    let around = Surroundings::in_source(&format!("{around} {source}"), &item.sig.ident.to_string());
    let lowered = lower_function(Item::free(&item, FunctionKind::Device, RuntimePath::default()), &errors);
    let function = lowered.map(|lowered| infer_function_in(lowered, Some(around), &errors));
    errors.check().unwrap_or_else(|error| panic!("{error}: {source}"));
    function.expect("a function without errors")
}

/// A kernel with this body, in which `x` and `out` are arrays, and `n` and `m` numbers.
fn with_body(body: &str) -> String {
    shown(&format!("fn k(x: &[f32], out: &mut [f32], n: usize, m: usize) {{ {body} }}"))
}

#[test]
fn what_looks_at_all_bits_must_be_below_the_limit() {
    let forms = [
        ("for i in 0..n { if i < x.len() { out[0] += x[i]; } }", "32 bits: +n, +x.len, +out.len"),
        // An index in bounds may wrap around before.
        ("let i = grid_1d(); if i < out.len() { for j in 0..4 { out[i] += 1.0; } }", "32 bits: -1+grid.x*block.x, +x.len, +out.len"),
        ("for i in 0..n { if i * m - 5 < x.len() { out[0] += x[i * m - 5]; } }", "64 bits"),
        ("let (tx, ty) = (thread_idx().x, thread_idx().y); for i in 0..n { out[m * 5 - ty + tx] = 1.0; }", "32 bits: +n, +x.len, +out.len"),
        // A quotient depends on all bits of its operands, and so does the distance of two numbers.
        ("for i in 0..n / 4 { }", "32 bits: +n, +(+n/+4), +x.len, +out.len"),
        ("for i in 0..4 { if i < n - m { } }", "32 bits: +n-m, -1+m < +n, +x.len, +out.len"),
        ("for i in 0..4 { if n >= m && i < n - m { } }", "32 bits: +n, +m, +x.len, +out.len"),
        ("for i in 0..4 { if i + (n + m) > 5 { } }", "32 bits: +3+n+m, +x.len, +out.len"),
        // An element of a table is no `usize`.
        ("for i in 0..4 { out[0] += WEIGHTS[i]; }", "32 bits: +x.len, +out.len"),
        // So does what has more bits, but not what has fewer.
        ("for i in 0..4 { let word = (n * m) as u64; }", "32 bits: +n*m, +x.len, +out.len"),
        ("for i in 0..4 { let word = (n * m) as i32; let byte = (n - m) as u8; }", "32 bits: +x.len, +out.len"),
        ("for i in 0..4 { let real = n as f32; }", "32 bits: +n, +x.len, +out.len"),
        ("for i in 0..4 { let part = n << 3; let other = part >> 3; }", "32 bits: +8*n, +x.len, +out.len"),
        ("for i in 0..4 { let part = n << 33; }", "64 bits"),
        ("for i in 0..4 { let part = n << m; }", "64 bits"),
        // A variable that a loop changes has a bound if what it is given has one.
        ("let mut i = m; while i < n { i += m; }", "32 bits: +n, +m, -1+n+m, +x.len, +out.len"),
        ("let mut i = 1; while i < n { i *= 2; }", "32 bits: +n, -2+2*n, +x.len, +out.len"),
        ("let mut i = 1; while i < n { i *= 2; if i > m { i = x[i] as usize; } }", "64 bits"),
        ("let mut i = 1; while i != n { i *= 2; }", "64 bits"),
        ("let mut sum = 0; for i in 0..4 { sum += n * i; } let low = sum as u32;", "32 bits: +x.len, +out.len"),
        // What makes it smaller looks at all bits: so all that it is given has a bound.
        ("let mut i = m; while i > 0 { i /= 2; }", "32 bits: +m, +x.len, +out.len"),
        ("let mut i = n ^ m; for k in 0..4 { i >>= 1; }", "32 bits: +n+m, +x.len, +out.len"),
        ("let mut i = n; for k in 0..4 { i %= 7; out[i] = 1.0; }", "32 bits: +n, +x.len, +out.len"),
        ("let mut i = n; for k in 0..4 { i -= 1; i >>= 1; }", "64 bits"),
        ("let mut i = n; for k in 0..4 { i >>= 32; }", "64 bits"),
        // What a closure gives it is not seen.
        ("let mut i = 0; { let mut set = || i = n; set(); } i *= m; while i > 0 { i /= m; }", "64 bits"),
        // The high bits count too, but those of a complement are 1.
        ("for k in 0..n.trailing_zeros() { }", "32 bits: +n, +x.len, +out.len"),
        ("for k in 0..4 { let zeros = (!(n + k)).trailing_zeros(); }", "32 bits: +3+n, +x.len, +out.len"),
        ("for k in 0..4 { let zeros = (!(n + k)).leading_zeros(); }", "64 bits"),
        // Of numbers below the limit, these methods make the same in 32 bits.
        ("for i in 0..n.div_ceil(16) { }", "32 bits: +n, +x.len, +out.len"),
        ("for i in 0..4 { let left = (i + n).saturating_sub(m); }", "32 bits: +3+n, +m, +x.len, +out.len"),
        ("for i in 0..4 { let near = i.abs_diff(n).clamp(1, 7); }", "32 bits: +n, +x.len, +out.len"),
        ("for i in 0..4 { let is_one = n.is_power_of_two() && n.ilog2() < 8; }", "32 bits: +n, +x.len, +out.len"),
        ("for i in 0..4 { let next = n.wrapping_add(m) * n.pow(2); }", "32 bits: +x.len, +out.len"),
        ("for i in 0..4 { if n.wrapping_sub(m) < 5 { } }", "32 bits: +n-m, -1+m < +n, +x.len, +out.len"),
        ("for i in 0..4 { let sum = n.saturating_add(m); }", "64 bits"),
        // Of these, nothing is known, or a value has 64 bits in memory.
        ("for i in 0..4 { let pair = (n, m); }", "64 bits"),
        ("for i in 0..4 { let all = [n; 4]; }", "64 bits"),
        ("for i in 0..4 { let next = |k: usize| k + 1; }", "64 bits"),
        ("for i in 0..4 { match n { 0 => {} _ => {} } }", "64 bits"),
        ("for i in 0..4 { let place = thread_idx(); let t = place.x; }", "64 bits"),
        // A kernel without a loop waits for memory.
        ("let i = grid_1d(); if i < out.len() { out[i] = 1.0; }", "64 bits"),
    ];
    let wrong = forms.iter().map(|(body, expected)| (body, with_body(body), expected)).filter(|(_, found, expected)| found != *expected);
    let wrong: Vec<String> = wrong.map(|(body, found, expected)| format!("{body}\n  found    {found}\n  expected {expected}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_check_shows_that_an_operand_behind_it_is_below_the_limit() {
    let with_loop = |body: &str| {
        let double = "let first = first[0] as usize; let double = first * 2;";
        shown(&format!("fn k(first: &[u32], rows: &[u32], x: &[i32], out: &mut [i32]) {{ {double} for k in 0..rows.len() {{ {body} }} }}"))
    };
    let lengths = "32 bits: +first.len, +rows.len, +x.len, +out.len";
    assert_eq!(with_loop("out[0] += x[rows[k] as usize + first * 2]; out[1] += x[double + k];"), lengths);
    assert_eq!(with_loop("out[1] += x[double + k]; out[0] += x[rows[k] as usize + first * 2];"), "64 bits");
}

#[test]
fn loops_with_steps_views_and_fields_may_have_32_bits() {
    let forms = [
        // The step is added to the counter after the last round, unless it is not known.
        ("", "n: usize", "for i in (0..n).step_by(3) { }", "32 bits: +n < +4294967293"),
        ("", "n: usize, m: usize", "for i in (m..n).rev().step_by(n / m) { }", "32 bits: +m, +n, +(+n/+m)"),
        ("", "n: usize, m: usize", "for i in m..=n { }", "32 bits: +m, +n"),
        // To which all threads along x are added after the last round.
        ("", "n: usize", "for i in grid_stride(n) { }", "32 bits: +n < +4294967296-grid.x*block.x"),
        // The same of an end that a method makes of numbers below the limit.
        ("", "n: usize, m: usize", "for i in (0..n.min(m)).step_by(3) { }", "32 bits: +m < +4294967293, +n"),
        ("", "n: usize, m: usize", "for i in grid_stride(n.min(m)) { }", "32 bits: +n, +m < +4294967296-grid.x*block.x"),
        (
            "",
            "x: &[f32], y: &mut [f32]",
            "for i in grid_stride(x.len()) { if i < y.len() { y[i] = x[i]; } }",
            "32 bits: +x.len < +4294967296-grid.x*block.x, +x.len, +y.len",
        ),
        // The extents of an empty view may be large.
        (
            "",
            "a: View<f32, 2>, mut c: ViewMut<f32, 2>",
            "let (x, y) = grid_2d(); if y < c.shape()[0] && x < c.shape()[1] { c[[y, x]] += 1.0; }",
            "32 bits: +c.shape[0], -1+grid.x*block.x, +c.shape[1], +a.is_scattered < +1, +c.is_scattered < +1",
        ),
        (
            "",
            "a: View<usize, 1>, mut c: ViewMut<f32, 1>",
            "let i = thread_idx().x; if i < a.len() && i < c.len() { c[[i]] = a[[i]] as f32; }",
            "64 bits",
        ),
        // What is not proved to be in bounds is compared.
        ("", "a: View<f32, 2>, n: usize", "let i = thread_idx().x; let _ = a[[i, n]];", "32 bits: +a.is_scattered < +1"),
        ("", "a: View<f32, 2>, n: usize", "let mut i = n; loop { i += a[[i, i]] as usize; }", "64 bits"),
        // A parameter has a value before it is given a small one.
        ("", "mut n: usize, y: &mut [f32]", "for i in 0..4 { if i < n { y[0] = 1.0; } n = 0; }", "32 bits: +n, +y.len"),
        ("", "n: usize, y: &mut [f32]", "let mut k = 7; for i in 0..4 { if i < k { y[0] = 1.0; } k = 0; }", "32 bits: +y.len"),
        // What closures get is below the limit, and what they do with it need not be.
        (
            "",
            "n: usize, x: &[f32], y: &mut [f32]",
            "let at = |i: usize, j: usize| x[i * n + j]; for i in 0..4 { y[0] = at(i, n); }",
            "32 bits: +n, +x.len, +y.len",
        ),
        // Nor need the index that is checked.
        (
            "",
            "n: usize, w: &[u32], y: &mut [f32]",
            "for i in 0..4 { let k = w[i] as usize; y[0] += w[k * n + i] as f32; }",
            "32 bits: +n, +w.len, +y.len",
        ),
        ("", "w: &[u64], y: &mut [f32]", "for i in 0..4 { let k = w[i] as usize; y[0] += y[k + i]; }", "64 bits"),
        // A quotient is at most its dividend, which must be below the limit as well.
        (
            "",
            "n: usize, m: usize, k: usize",
            "let i = grid_1d(); if i < n * m * k { let z = i / (n * m); let next = (z + k - 1) % k; }",
            "32 bits: -1+grid.x*block.x, +n*m*k, +n*m, -2+2*k, +k",
        ),
        // Of a struct in memory, the low bits are read.
        (
            "#[derive(Clone, Copy, DeviceType)] struct P { w: usize, h: u32 }",
            "p: P, y: &mut [f32]",
            "for i in 0..p.w { let k = p.w * p.w + i; if k < y.len() { y[k] = p.h as f32; } }",
            "32 bits: +p.w, -1+p.w+p.w*p.w, +y.len",
        ),
        (
            "#[derive(Clone, Copy, DeviceType)] struct P { w: usize }",
            "p: P, y: &mut [f32]",
            "for i in 0..4 { let k = (p.w - i) as u32; }",
            "32 bits: +y.len",
        ),
        (
            "#[derive(Clone, Copy, DeviceType)] struct P { w: usize }",
            "p: P, n: usize",
            "for i in 0..4 { let mut q = p; q.w = n; }",
            "64 bits",
        ),
    ];
    let found = forms.map(|(around, params, body, expected)| {
        let found = shown_of(kernel_in(around, "", &format!("fn k({params}) {{ {body} }}")));
        (found != expected).then(|| format!("{body}\n  found    {found}\n  expected {expected}"))
    });
    let wrong: Vec<String> = found.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Numbers at which something happens in 32 bits.
const SIZES: &[u64] = &[0, 1, 2, 3, 5, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 2, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, u64::MAX];

/// An expression of the variables `i`, `j` and `v`, the parameters `n` and `m`, and literals.
fn random_index(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.one_in(4) {
        return (*random.pick(&[
            "i",
            "j",
            "v",
            "n",
            "m",
            "x.len()",
            "thread_idx().y",
            "1usize",
            "2usize",
            "7usize",
            "65536usize",
            "4294967295usize",
            "p.w",
            "a.shape()[0]",
        ]))
        .to_owned();
    }
    let [a, b] = [(); 2].map(|()| random_index(random, depth - 1));
    match random.below(13) {
        12 => format!("(({}{a}).{}() as usize)", random.pick(&["", "!"]), random.pick(&["trailing_zeros", "leading_zeros", "count_ones"])),
        0 | 1 => format!("({a} + {b})"),
        2 | 3 => format!("({a} - {b})"),
        4 => format!("({a} * {b})"),
        5 => format!("({a} / {})", random.pick(&["2", "3", "65536"])),
        6 => format!("({a} % {})", random.pick(&["2", "3", "65536"])),
        7 => format!("({a} & {})", random.pick(&["1", "255", "65535"])),
        8 => format!("({a}).{}({b})", random.pick(&["wrapping_add", "wrapping_sub", "wrapping_mul"])),
        9 => format!("({a}).{}", random.pick(&["div_ceil(3)", "rem_euclid(7)", "clamp(2, 65536)", "isqrt()"])),
        10 => format!("({a}).{}({b})", random.pick(&["saturating_sub", "abs_diff", "max"])),
        _ => format!("({a}).min({b})"),
    }
}

fn random_statements(random: &mut Random, depth: usize) -> String {
    let (a, b) = (random_index(random, 2), random_index(random, 1));
    let inner = if depth == 0 { String::new() } else { random_statements(random, depth - 1) };
    let statement = match random.below(19) {
        15 => format!("let f = x[{a} as i32 as usize]; {inner}"),
        16 => {
            let (number, factor) = (random.pick(&["i32", "u32", "i16", "i8"]), random.pick(&["1", "3", "TILE", "65536", "2147483648"]));
            let addend = random.pick(&["7", "(n as u8) as usize", "(v as u16) as usize + 1"]);
            format!("let f = x[({a} as {number}) as usize * {factor} + {addend}]; {inner}")
        }
        17 => format!("let s = {a} as i32 as usize; let f = x[s] + x[s * 3 + 1] + x[s * {b} + i]; {inner}"),
        18 => format!(
            "let mut s = {b} as i32 as usize; for q in 0..2 {{ if s < {a} {{ out[s * 2] = x[s]; }} s = ({a} as i16) as usize; }} {inner}"
        ),
        13 => format!("v {}; {inner}", random.pick(&["/= 2", "/= m", "%= n", "%= 1000", ">>= 1", ">>= 31"])),
        14 => format!("v += {b}; {inner}"),
        9 => format!("let f = x[{a}]; {inner}"),
        10 => format!("let f = x[words[(thread_idx().x + k) % 2] as usize * {b} + {a}]; {inner}"),
        11 => format!("let at = |p: usize, q: usize| x[p * n + q]; let f = at({a}, {b}) + at(i, v); {inner}"),
        12 => format!("v = words[{b}] as usize; {inner}"),
        0 => format!("if {a} < {b} {{ {inner} }}"),
        1 => format!("for j in 0..{b} {{ {inner} }}"),
        2 => format!("v = {a}; {inner}"),
        3 => format!("let i = {a}; {inner}"),
        4 => format!("if {b} <= {a} {{ let i = {a} - {b}; {inner} }}"),
        5 => format!("for j in grid_stride({b}) {{ {inner} }}"),
        6 => format!("for j in ({b}..{a}).step_by({}) {{ {inner} }}", random.pick(&["1", "3", "m", "4294967295"])),
        7 => format!("if {a} < a.shape()[0] && {b} < a.shape()[1] {{ let f = a[[{a}, {b}]]; {inner} }}"),
        _ => format!("{inner} if {a} < out.len() {{ out[{a}] = 1.0; }}"),
    };
    if random.one_in(2) { format!("{statement} if i < out.len() {{ out[i] = 2.0; }}") } else { statement }
}

#[test]
fn no_random_kernel_does_something_else_in_32_bits() {
    let mut random = Random(0x7f4a_7c15_9e37_79b9);
    let (mut kernels, mut launches, mut checked, mut partly, mut plain_loops, mut small_results) = (0, 0, 0, 0, 0, 0);
    for _ in 0..400 * effort() {
        let body = random_statements(&mut random, 3);
        let source = format!(
            "fn k(x: &[f32], out: &mut [f32], n: usize, m: usize, a: View<f32, 2>, p: P, words: &[u32]) {{
                let (i, j) = (grid_1d(), thread_idx().x); let mut v = m; for k in 0..2 {{ {body} }}
            }}"
        );
        let function = kernel_in("#[derive(Clone, Copy, DeviceType)] struct P { w: usize }", "", &source);
        let Ok(narrow) = Narrow::of(&function) else { continue };
        let checks = *random.pick(&[Checks::Always, Checks::Any]);
        let Some((bounds, needs, small)) = needs_of(&function, &narrow, checks, true) else { continue };
        let (wide, casts) = (narrow.wide(&bounds), narrow.casts(&bounds));
        let plain = narrow.plain_loops(&walk_recording(&function, narrow.recorded(), Assumed::default())).counters;
        (kernels, plain_loops) = (kernels + 1, plain_loops + plain.len());
        checked += usize::from(!wide.is_empty());
        for _ in 0..6 {
            let mut launch = Launch::random(&mut random, &function);
            let numbers = [random.pick(SIZES), random.pick(SIZES)].map(|size| *size);
            launch.params[2..4].copy_from_slice(&numbers);
            launch.fields = vec![(".w".into(), *random.pick(SIZES))];
            // Of a large block, the first threads run: so few rounds of `grid_stride` come to the largest numbers.
            (launch.grid, launch.block) = ([2, 1, 1], [*random.pick(&[2, 2, 1 << 30]), 1, 1]);
            let holds = |bound: &Bound| matches!(bound, Bound::Below(needs) if needs.iter().all(|need| launch.satisfies(need)));
            let unchecked: Vec<bool> = bounds.iter().map(holds).collect();
            let is_index = |site: &Site| site.kind == SiteKind::Index;
            let is_shown = |(site, (bound, unchecked)): (&Site, (&Bound, &bool))| *unchecked || *bound == Bound::Unknown || !is_index(site);
            let in_bounds = function.sites.iter().zip(bounds.iter().zip(&unchecked)).all(is_shown);
            if (in_bounds || checks == Checks::Any) && needs.iter().all(|need| launch.satisfies(need)) {
                launches += 1;
                partly += usize::from(!in_bounds);
                small_results += compare(&source, &function, &launch, &unchecked, (&wide, &casts, &small), &plain);
            }
        }
    }
    assert!(kernels > 50 && launches > 50 && checked > 50, "only {kernels} kernels, {checked} with checks, and {launches} launches");
    assert!(partly > 20, "only {partly} launches check what others do not");
    assert!(small_results > 100, "only {small_results} operations were small");
    assert!(plain_loops > 20, "only {plain_loops} loops with a step are plain");
}

/// Runs two threads of each block with 64 bits and with 32. How often operations were small.
fn compare(
    source: &str,
    function: &Function,
    launch: &Launch,
    unchecked: &[bool],
    (wide, casts, small): (&HashSet<*const Expr>, &HashSet<*const Expr>, &SmallOperations),
    plain: &HashSet<LocalId>,
) -> usize {
    let mut small_results = 0;
    for block_idx in positions(launch.grid) {
        for thread_idx in positions([2, 1, 1]) {
            let mut run = |narrow: bool| {
                let mut machine = Machine::new(function, launch, block_idx, thread_idx, unchecked);
                (machine.narrow, machine.fuel) = (narrow, 500);
                machine.wide.clone_from(wide);
                machine.casts.clone_from(casts);
                machine.plain.clone_from(plain);
                machine.exact = if narrow { HashSet::new() } else { small.all() };
                let finished = machine.run();
                small_results += machine.exact_results;
                assert!(machine.overflow.is_none(), "{:?}\nparams {:?}\n{source}", machine.overflow, launch.params);
                (finished, machine.touched, machine.overrun)
            };
            let (wide, narrow) = (run(false), run(true));
            let launch = format!("params {:?}, grid {:?}, block {:?}", launch.params, launch.grid, launch.block);
            assert!(wide == narrow, "{wide:?}\n{narrow:?}\n{launch}\n{source}");
        }
    }
    small_results
}

#[test]
fn indices_in_loops_are_computed_of_small_numbers() {
    let forms = [
        ("if i < m { for k in 0..n { out[0] += x[i * n + k]; } }", 2),
        ("if i < m { for k in 0..n { let j = k + i * n; out[0] += x[j]; } }", 2),
        ("for k in 3..n { out[0] += x[k - 3]; }", 1),
        // Not of what every launch checks, or what is not in a loop.
        ("for k in 0..n { out[0] += x[k - 3]; }", 0),
        ("for k in 0..n { } if i < m { out[0] += x[i * n]; }", 0),
    ];
    let found = forms.map(|(body, expected)| {
        let function = kernel(&format!("fn k(x: &[f32], out: &mut [f32], n: usize, m: usize) {{ let i = grid_1d(); {body} }}"));
        let (_, needs, small) =
            needs_of(&function, &Narrow::of(&function).expect("it has a loop"), Checks::Always, true).expect("it has 32 bits");
        let found = small.all().len();
        (found != expected).then(|| format!("{body}\n  found    {found}, {needs:?}\n  expected {expected}"))
    });
    let wrong: Vec<String> = found.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn device_functions_may_have_32_bits_where_their_arguments_do() {
    let forms = [
        // What callers pass is below the limit.
        (
            "fn f(board: &[i8; 15], depth: usize) -> bool { for row in 0..depth { let far = (depth - row) as i8; if board[row] == far { return false; } } true }",
            "32 bits: ",
        ),
        ("fn f(x: &[f32], n: usize) -> f32 { let mut sum = 0.0; for i in 0..n { sum += x[i * n + 1]; } sum }", "32 bits: "),
        // And so is what they get.
        ("fn f(x: &[u32], n: usize) -> usize { if n < x.len() { x[n] as usize } else { n } }", "32 bits: "),
        ("fn f(x: &[u32], n: usize) -> usize { if n < x.len() { return x[n] as usize; } n }", "32 bits: "),
        ("fn f(n: usize, m: usize) -> usize { n % 7 }", "32 bits: "),
        ("fn f(n: usize, m: usize) -> usize { n.min(m) }", "32 bits: "),
        ("fn f(n: usize, m: usize) -> usize { n * m }", "64 bits"),
        ("fn f(n: usize, m: usize) -> usize { if m > 3 { return n + m; } 0 }", "64 bits"),
        // Of a wrapped number, all bits count.
        ("fn f(x: &mut [f32], n: usize) { for i in 0..n - 1 { x[i] = 1.0; } }", "64 bits"),
        ("fn f(x: &mut [f32], n: usize) { for i in 0..n + 1 { x[i] = 1.0; } }", "64 bits"),
        ("fn f(x: &mut [f32], n: usize) { for i in 0..n { if i * n > 5 { x[i] = 1.0; } } }", "64 bits"),
        // Constants are for rustc, and the launch is not known.
        ("fn f(x: &mut [f32; 8]) { for i in 0..SIDE { x[i] = 1.0; } }", "32 bits: +SIDE"),
        ("fn f(x: &mut [f32; 8]) { x[grid_1d()] = 1.0; }", "64 bits"),
        // What is not passed as a value may hold any.
        ("fn f(x: &mut [f32; 8], n: &mut usize) { x[*n] = 1.0; }", "64 bits"),
        ("fn f(x: &mut [f32; 8], n: [usize; 2]) { x[n[0]] = 1.0; }", "64 bits"),
        ("fn f(x: View<f32, 1>, n: usize) -> f32 { x[[n]] }", "64 bits"),
        ("fn f(x: &mut [f32; 8], next: impl Fn(usize) -> f32) { x[0] = next(1); }", "64 bits"),
        // Only rustc knows that the result is a `usize`, if it is one.
        ("fn f<T: Num>(board: &[u8; 8], a: T, b: T) -> T { if board[0] > 0 { a + b } else { a } }", "64 bits"),
        ("fn f(board: &[u8; 8], r: usize, n: usize) -> Place { r * n + board[0] as usize }", "64 bits"),
        ("fn f(board: &[u8; 8], n: usize, m: usize) -> bool { let q: Place = n * m; board[0] as u64 == q as u64 }", "64 bits"),
    ];
    let found = forms.map(|(source, expected)| {
        let found = shown_of_device("const SIDE: usize = 8;", source);
        (found != expected).then(|| format!("{source}\n  found    {found}\n  expected {expected}"))
    });
    let wrong: Vec<String> = found.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The calls that may be of functions in 32 bits, in the order of their text, each with whether the kernel relies on the result.
fn calls_in(body: &str) -> String {
    let source =
        format!("fn k(x: &[f32], out: &mut [f32], n: usize, m: usize) {{ let mut a = [0.0f32; 8]; for i in 0..4usize {{ {body} }} }}");
    let function = kernel_in("const SIDE: usize = 8; const HALF: f32 = 0.5;", "", &source);
    let Some(narrow) = Narrow::of(&function).ok().filter(|narrow| needs_of(&function, narrow, Checks::Always, false).is_some()) else {
        return "64 bits".into();
    };
    let mut calls: Vec<bool> = narrow.calls().map(|(_, relies)| relies).collect();
    calls.sort_unstable();
    calls.iter().map(|relies| if *relies { "relies " } else { "calls " }).collect()
}

#[test]
fn kernels_call_functions_in_32_bits_with_what_is_below_the_limit() {
    let forms = [
        ("f(&a, n); f(&mut a, i);", "calls calls "),
        ("f(n * m);", "calls "),
        ("f(n - m - i);", "calls "),
        ("let p = f(n); if p < m { out[0] = 1.0; }", "relies "),
        ("let mut p = 0; p = f(n); out[p] = 1.0;", "relies "),
        ("if f(n) < m { out[0] = 1.0; }", "relies "),
        ("for j in 0..f(n) { out[j] = 1.0; }", "relies "),
        // These look at the low bits, or at all of 64.
        ("out[f(n)] = 1.0; out[f(n) + 3 * i] = 1.0; let low = f(n) as u32 + 1;", "calls calls calls "),
        // What is added to the result may need more.
        ("if f(n) + 1 < m { out[0] = 1.0; }", "64 bits"),
        ("for j in (0..f(n)).step_by(7) { out[j] = 1.0; }", "relies "),
        ("for j in grid_stride(f(n)) { out[j] = 1.0; }", "64 bits"),
        // An argument of a type that rustc alone knows may have 64 bits.
        ("let q = g(); f(q);", "calls "),
        ("let q = g(); let p = f(q); if p < m { }", "64 bits"),
        ("f(4294967295); f(4294967296); f(SIDE); f(HALF);", "calls calls "),
    ];
    let found = forms.map(|(body, expected)| {
        let found = calls_in(body);
        (found != expected).then(|| format!("{body}\n  found    {found}\n  expected {expected}"))
    });
    let wrong: Vec<String> = found.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn casts_of_what_may_have_more_bits_are_compared_in_64() {
    let forms = [
        ("for i in 0..4 { let k = small[i]; if k as usize == n { } }", "32 bits: +n, +small.len"),
        ("for i in 0..4 { let k = small[i]; if n - m < k as usize { } }", "32 bits: +n, +m, +small.len"),
        ("for i in 0..4 { let k = small[i]; if n - (i * m - n) < k as usize { } }", "32 bits: +n, +m, +small.len"),
        ("for i in 0..4 { let k = small[i]; for j in 0..k as usize { } }", "64 bits"),
        ("for i in 0..4 { let k = small[i]; if (k as usize + n) / 2 == k as usize { } }", "64 bits"),
    ];
    let found = forms.map(|(body, expected)| {
        let found = shown(&format!("fn k(small: &[i8], n: usize, m: usize) {{ {body} }}"));
        (found != expected).then(|| format!("{body}\n  found    {found}\n  expected {expected}"))
    });
    let wrong: Vec<String> = found.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn casts_are_indices_of_32_bits() {
    let forms = [
        ("out[0] = x[small[0] as usize];", "32 bits: +small.len, +x.len, +out.len"),
        ("out[0] = x[small[0] as usize * 256 + bytes[0] as usize];", "32 bits: +bytes.len, +small.len, +x.len, +out.len"),
        (
            "out[0] = x[bytes[0] as usize + small[0] as usize * TILE];",
            "32 bits: +bytes.len, +small.len, +x.len, +out.len, +255 < +TILE, +TILE < +2147483649",
        ),
        ("out[0] = x[words[0] as usize * 3];", "32 bits: +words.len, +x.len, +out.len"),
        // The others are below 2^32, and multiplied in 64 bits.
        ("out[0] = x[small[0] as usize * n];", "32 bits: +n, +small.len, +x.len, +out.len"),
        ("out[0] = x[words[0] as usize];", "64 bits"),
        ("out[0] = x[long[0] as usize];", "64 bits"),
        // Variables that hold casts.
        ("let s = small[0] as usize; if s < n { out[s] = x[s * 3]; }", "32 bits: +n, +small.len, +x.len, +out.len"),
        ("let mut s = small[0] as usize; while s != 7 { out[s] = 1.0; s = small[1] as usize; }", "32 bits: +small.len, +out.len"),
        ("let mut s = small[0] as usize; s += 1; if s < n { out[s] = x[small[0] as usize]; }", "64 bits"),
        ("let mut s = small[0] as usize; s = long[0] as usize; if s < n { out[s] = x[small[0] as usize]; }", "64 bits"),
        ("let s = long[0] as usize; if s < n { out[s] = x[small[0] as usize]; }", "64 bits"),
        // A negative number and enough are an index.
        ("out[0] = x[small[0] as usize * 3 + 2];", "32 bits: +small.len, +x.len, +out.len"),
        ("out[0] = x[small[0] as usize * 3 + 3];", "64 bits"),
        ("let mut s = small[0] as usize; (s, _) = (n, 1); out[s] = x[small[0] as usize];", "64 bits"),
        ("let s = small[0] as usize; for k in 0..s { out[k] = x[small[0] as usize]; }", "64 bits"),
        ("let s = small[0] as usize; if s / 2 < n { out[0] = x[s]; }", "64 bits"),
    ];
    let found = forms.map(|(body, expected)| {
        let params = "x: &[f32], small: &[i32], words: &[u32], bytes: &[u8], long: &[i64], out: &mut [f32], n: usize";
        let all = shown_of(kernel_in("", "", &format!("fn k({params}) {{ {body} }}")));
        // All arrays have a length.
        let of_others = ["x", "small", "words", "bytes", "long"].map(|name| format!("+{name}.len, "));
        let plain = |text: &str| of_others.iter().fold(text.to_owned(), |text, length| text.replace(length, ""));
        (plain(&all) != plain(expected)).then(|| format!("{body}\n  found    {all}\n  expected {expected}"))
    });
    let wrong: Vec<String> = found.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_random_device_function_returns_something_else_in_32_bits() {
    let mut random = Random(0x51ed_270b_9f2c_4d13);
    let (mut functions, mut results) = (0, 0);
    for _ in 0..400 * effort() {
        // What a function does not have that is called in 32 bits: views, and a launch that it knows.
        let statements = random_statements(&mut random, 2);
        if statements.contains("a[[") || statements.contains("grid_stride") {
            continue;
        }
        let body = statements.replace("a.shape()[0]", "n").replace("a.shape()[1]", "m").replace("p.w", "m").replace("TILE", "3");
        let output = *random.pick(&["v", "i + 1", "n % 1000", "v.min(m)", "x.len()", "words[0] as usize", "n - m"]);
        let source = format!(
            "fn f(x: &[f32], out: &mut [f32], n: usize, m: usize, words: &[u32]) -> usize {{
                let (i, j) = (thread_idx().y, thread_idx().x); let mut v = m; for k in 0..2 {{ {body} }} if n > m {{ return {output}; }} {output}
            }}"
        );
        let function = device_function_in("", &source);
        let Ok(narrow) = Narrow::of(&function) else { continue };
        let Some((bounds, needs, small)) = needs_of(&function, &narrow, Checks::Always, true) else { continue };
        assert_eq!(needs, [], "{source}");
        let (wide, casts) = (narrow.wide(&bounds), narrow.casts(&bounds));
        let plain =
            narrow.plain_loops(&walk_recording(&function, narrow.recorded(), Assumed { fits: true, ..Assumed::default() })).counters;
        let unchecked: Vec<bool> = bounds.iter().map(|bound| *bound != Bound::Unknown).collect();
        functions += 1;
        for _ in 0..6 {
            let mut launch = Launch::random(&mut random, &function);
            let numbers = [random.pick(SIZES), random.pick(SIZES)].map(|size| *size & u64::from(u32::MAX));
            launch.params[2..4].copy_from_slice(&numbers);
            [0, 1, 4].into_iter().for_each(|slice| launch.params[slice] %= LONGEST as u64 + 1);
            (launch.grid, launch.block) = ([1, 1, 1], [2, 1, 1]);
            compare(&source, &function, &launch, &unchecked, (&wide, &casts, &small), &plain);
            let result = |narrow: bool| {
                let mut machine = Machine::new(&function, &launch, [0, 0, 0], [1, 0, 0], &unchecked);
                (machine.narrow, machine.fuel) = (narrow, 500);
                machine.wide.clone_from(&wide);
                machine.casts.clone_from(&casts);
                machine.plain.clone_from(&plain);
                machine.run_for_result()
            };
            let (wide, narrow) = (result(false), result(true));
            results += usize::from(wide.is_some());
            assert!(wide == narrow, "{wide:?} {narrow:?} params {:?}\n{source}", launch.params);
        }
    }
    assert!(functions > 30 && results > 50, "only {functions} functions and {results} results");
}
