//! Variables that change in a part, and expressions that are there for something else than their value.

use super::bounds::{bounds, of};
use super::races::{assert_proved, assert_unproved, races_with};
use super::*;

#[test]
fn a_copy_of_an_array_is_not_what_the_array_was_made_of() {
    // Nothing writes to these.
    assert_eq!(of("let a = [0, 1]; let b = a; let v = x[b[1]];"), "always, +1 < +x.len");
    assert_eq!(of("let t = ([0, 1], 2); let (b, _) = t; let v = x[b[1]];"), "always, +1 < +x.len");
    for changed in [
        "let mut a = [0, 1]; a[1] = n; let b = a;",
        "let mut a = [0, 1]; a[1] += n; let b = a;",
        "let mut a = [0, 1]; (a[1], _) = (n, m); let b = a;",
        "let mut t = ([0, 1], 2); t.0[1] = n; let b = t.0;",
        "let mut t = ([0, 1], 2); t.0[1] = n; let (b, _) = t;",
    ] {
        let found = of(&format!("{changed} let v = x[b[1]];"));
        assert!(found.ends_with("unknown"), "{found}: {changed}");
    }
    let lent = of("let mut a = [[0usize, 1], [2, 3]]; f(&mut a[0]); let b = a; let c = b[0]; let v = x[c[0]];");
    assert!(lent.ends_with("unknown"), "{lent}");
}

#[test]
fn threads_need_not_agree_on_an_array_that_changes() {
    assert_proved("let a = [n, w]; let [p, _] = a; if p == 0 { sync_threads(); }", "3 3");
    assert_unproved("let mut a = [n, w]; a[0] = thread_idx().x; let [p, _] = a; if p == 0 { sync_threads(); }");
    assert_unproved("let mut a = [n, w]; a[0] = thread_idx().x; let (b, _) = (a, 0); let c = b[0]; if c == 0 { sync_threads(); }");
    assert_unproved("let mut a = [0usize]; a[0] = thread_idx().x; match a { [0] => sync_threads(), _ => {} }");
}

#[test]
fn an_array_is_evaluated_for_its_length() {
    assert_unproved("let i = grid_1d(); let k = [{ out[i + 1] = 1.0; n }, 1].len(); out[i] = 1.0;");
    assert_unproved("let mut m = 0; let k = [{ m = thread_idx().x; n }, 1].len(); if m == 0 { sync_threads(); }");
}

#[test]
fn an_element_of_an_element_of_a_view_is_written() {
    let races = |body: &str| races_with("", &format!("fn k(v: ViewMut<Body, 2>) {{ let (x, y) = grid_2d(); {body} }}"));
    assert_eq!(races("v[[y, x]].axes[1] = 5.0;"), "proved 2 2");
    for body in ["v[[0, 0]].axes[1] = 5.0;", "v[[0, 0]].axes[1] += 5.0;", "v[[0, x]].parts[1].axes[2].x = 5.0;"] {
        assert_ne!(races(body), "proved 2 2", "{body}");
    }
}

#[test]
fn conversions_to_two_type_parameters_differ() {
    let kernel = |index: &str| {
        bounds(&format!(
            "fn k<T: Float, U: Float>(x: &[u32], t: T, u: U, n: i32) {{
                if (T::from_i32(n).cast::<u32>() as usize) < x.len() {{ let v = x[{index}::from_i32(n).cast::<u32>() as usize]; }}
            }}"
        ))
    };
    assert_eq!(kernel("T"), ["always"]);
    assert_eq!(kernel("U"), ["unknown"]);
}

#[test]
fn shifts_by_amounts_that_wrap_around_are_not_shifts_by_fewer_bits() {
    // `a << s` is `a`, so `k` is `i + 31 * a`, or `i + (a >> 6) - a`.
    let guarded = |index: &str| format!("let i = grid_1d(); if i < out.len() {{ {index} out[k] += 1.0; }}");
    for index in [
        "let a = ids[i]; let s = 32u32; let k = i + (a << 5) as usize - (a << s) as usize;",
        "let a = ids[i] as u8; let s = 8u32; let k = i + (a << 3) as usize - (a << s) as usize;",
        "let a = ids[i] as i32; let s = 32u32; let k = i + (a >> 5) as usize - (a >> s) as usize;",
        "let a = ids[i] as isize - 1; let s = 64u32; let k = i + (a >> 6) as usize - (a >> s) as usize;",
        "let a = ids[i] as i64 - 1; let s = 64u32; let k = i + (a >> 6) as usize - (a >> s) as usize;",
    ] {
        assert_unproved(&guarded(index));
        let found = bounds(&format!("fn k(ids: &[u32], out: &mut [f32]) {{ {} }}", guarded(index)));
        assert_eq!(found.last().map(String::as_str), Some("unknown"), "{index}");
    }
    // Of one and the same word.
    for index in [
        "let a = ids[i]; let s = 32u32; let k = i + (a << s) as usize - (a << s) as usize;",
        "let a = ids[i]; let k = i + (a << 5) as usize - (a * 32) as usize;",
        "let a = ids[i]; let k = i + (a >> 5) as usize - (a / 32) as usize;",
        "let a = ids[i] as i32; let k = i + (a >> 5) as usize - (a >> 5) as usize;",
    ] {
        assert_proved(&guarded(index), "1 1");
    }
}

/// The bits of a NaN, and how often a sum of products is rounded, may differ between two evaluations of one expression.
#[test]
fn two_evaluations_of_a_float_are_two_values() {
    let guarded = |index: &str| format!("let i = grid_1d(); let v = x[i]; if i < out.len() {{ {index} out[k] += 1.0; }}");
    for index in [
        "let k = i + (v * 2.0 + 1.0) as usize - (v * 2.0 + 1.0) as usize;",
        "let k = i + (v / v).to_bits() as usize - (v / v).to_bits() as usize;",
        "let k = i + v.sqrt().to_bits() as usize - v.sqrt().to_bits() as usize;",
        "let k = i + (v as f64 as f32).to_bits() as usize - (v as f64 as f32).to_bits() as usize;",
    ] {
        assert_unproved(&guarded(index));
    }
    for index in [
        "let w = v * 2.0 + 1.0; let k = i + w as usize - w as usize;",
        "let k = i + v.to_bits() as usize - v.to_bits() as usize;",
        "let k = i + (i as f32) as usize - (i as f32) as usize;",
    ] {
        assert_proved(&guarded(index), "1 1");
    }
    assert_proved("if w as f32 * 0.5 > 3.0 { sync_threads(); }", "3 3");
}

/// The bounds of the indices in a method of `Particle`.
fn bounds_in_method(source: &str) -> Vec<Bound> {
    let item: syn::ItemFn = syn::parse_str(source).unwrap_or_else(|error| panic!("{error}: {source}"));
    let (owner, errors) = (NamedType { path: syn::parse_quote!(Particle) }, Errors::new());
    let owner = Some(Owner { ty: &owner, name: "Particle" });
    let method = Item { owner, ..Item::free(&item, FunctionKind::Device, RuntimePath::default()) };
    let lowered = lower_function(method, &errors).expect("a method");
    let function = infer_function(lowered, &errors);
    errors.check().unwrap_or_else(|error| panic!("{error}: {source}"));
    bounds_of(&function, |kind| *kind == SiteKind::Index)
}

#[test]
fn what_a_method_borrows_may_change_between_two_looks() {
    let read = |receiver: &str, second: &str| {
        let body = format!("let (t, n): ([u32; 4], usize) = ([0; 4], self.n); let m: usize = {second}; if n < 4 {{ t[m] }} else {{ 0 }}");
        bounds_in_method(&format!("fn f({receiver}) -> u32 {{ {body} }}"))
    };
    assert_eq!(read("self", "self.n"), [Bound::Below(vec![])]);
    assert_eq!(read("&self", "n"), [Bound::Below(vec![])]);
    // It may lie in shared memory.
    assert_eq!(read("&self", "self.n"), [Bound::Unknown]);
}
