use super::*;

/// The bound of each index site, in order: `always`, `unknown`, or the inequalities.
fn bounds_with(arguments: &str, source: &str) -> Vec<String> {
    let mut function = kernel_with(arguments, source);
    check_bounds(&mut function);
    let sites = function.sites.iter().filter(|site| site.kind == SiteKind::Index);
    sites
        .map(|site| match &site.bound {
            Bound::Unknown => "unknown".into(),
            Bound::Below(needs) if needs.is_empty() => "always".into(),
            Bound::Below(needs) => needs.iter().map(|need| show_inequality(need, &function)).collect::<Vec<_>>().join(" and "),
        })
        .collect()
}

fn bounds(source: &str) -> Vec<String> {
    bounds_with("", source)
}

#[test]
fn dump() {
    for (args, source) in [
        ("", "fn k(x: &[i32], y: &[i32], out: &mut [i32]) { let i = grid_1d(); if i < out.len() { out[i] = x[i] + y[i]; } }"),
        (
            "",
            "fn mm(a: &[f32], b: &[f32], c: &mut [f32], m: usize, n: usize, k: usize) { let (col, row) = grid_2d(); if row < m && col < n { let mut acc = 0.0; for i in 0..k { acc += a[row * k + i] * b[i * n + col]; } c[row * n + col] = acc; } }",
        ),
        (
            "block = (T, T)",
            "fn mm(a: &[f32], b: &[f32], c: &mut [f32], m: usize, n: usize, k: usize) {
            let mut ta = shared::<[[f32; T]; T]>(); let mut tb = shared::<[[f32; T]; T]>();
            let tx = thread_idx().x; let ty = thread_idx().y;
            let col = block_idx().x * T + tx; let row = block_idx().y * T + ty;
            let mut acc = 0.0f32;
            for t in 0..k.div_ceil(T) {
                let ax = t * T + tx;
                ta[ty][tx] = if row < m && ax < k { a[row * k + ax] } else { 0.0 };
                tb[ty][tx] = if col < n && t * T + ty < k { b[(t * T + ty) * n + col] } else { 0.0 };
                sync_threads();
                for i in 0..T { acc += ta[ty][i] * tb[i][tx]; }
                sync_threads();
            }
            if row < m && col < n { c[row * n + col] = acc; }
        }",
        ),
    ] {
        let f = kernel_with(args, source);
        let t = std::time::Instant::now();
        println!("{:#?}", bounds_with(args, source));
        println!("{:?}", t.elapsed());
        let t = std::time::Instant::now();
        let r = check_races(&f);
        println!("{:?}", t.elapsed());
        if let RaceFreedom::Proved { grid_axes, block_axes, conditions } = r {
            println!("{grid_axes} {block_axes}");
            for c in &conditions {
                println!("{}", show_inequality(c, &f));
            }
        }
    }
}
