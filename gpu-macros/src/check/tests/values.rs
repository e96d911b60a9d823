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
