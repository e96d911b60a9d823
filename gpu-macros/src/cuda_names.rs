//! Names of CUDA C, Numba, NumPy and C's mathematical functions, and what a kernel has in their place.

use crate::model::Method;

/// What to write for a call of a function: `x.sqrt()` for `sqrt`. Also for `sqrtf` and `__sqrtf`.
pub(crate) fn function_instead(name: &str) -> Option<&'static str> {
    let find = |name: &str| FUNCTIONS.iter().find(|(names, _)| names.contains(&name)).map(|(_, instead)| *instead);
    let of_double = |name: &str| find(name.strip_suffix('f')?);
    let plain = name.trim_start_matches('_');
    find(name).or_else(|| of_double(name)).or_else(|| find(plain)).or_else(|| of_double(plain))
}

/// What to write for a value: `thread_idx()` for `threadIdx`.
pub(crate) fn value_instead(name: &str) -> Option<&'static str> {
    VALUES.iter().find(|(names, _)| names.contains(&name)).map(|(_, instead)| *instead)
}

/// What to write for a method that neither numbers nor arrays have: `sqrt` for `Sqrt`, `len` for `length`.
pub(crate) fn method_instead(name: &str) -> Option<String> {
    if ["length", "size", "count"].contains(&name) {
        return Some("x.len()".into());
    }
    let lower = name.to_lowercase();
    let call = |method: Method| format!("x.{}", method.call());
    let of_this_name = Method::find(&lower).map(call).or_else(|| function_instead(&lower).map(Into::into));
    of_this_name.or_else(|| Method::all().find(|method| are_similar(&lower, method.name)).map(call))
}

/// Whether one letter was added, left out or replaced, or two were exchanged. A short name is similar to too many.
pub(crate) fn are_similar(written: &str, meant: &str) -> bool {
    let (written, meant) = (written.as_bytes(), meant.as_bytes());
    let same = written.iter().zip(meant).take_while(|(a, b)| a == b).count();
    let (a, b) = (&written[same..], &meant[same..]);
    let is_exchanged = || a.len() > 1 && b.len() > 1 && a[..2] == [b[1], b[0]] && a[2..] == b[2..];
    meant.len() > 2
        && written.len() > 2
        && (a.get(1..) == Some(b)
            || Some(a) == b.get(1..)
            || (meant.len() > 4 && !a.is_empty() && a.get(1..) == b.get(1..))
            || is_exchanged())
}

/// Whether a Rust program spells no function of its own like this.
pub(crate) fn is_of_another_language(name: &str) -> bool {
    name.starts_with('_')
        || name.contains(char::is_uppercase)
        || ["printf", "syncthreads", "syncwarp", "this_grid", "grid_group"].contains(&name)
}

/// The modules that Numba's and CuPy's names stand in.
pub(crate) const FOREIGN_MODULES: &[&str] = &["cuda", "numba", "math", "np", "numpy", "cupy", "rand", "libm"];

const FUNCTIONS: &[(&[&str], &str)] = &[
    // Of two names of one function, CUDA C's is the first.
    (&["__syncthreads", "syncthreads", "barrier", "sync_block", "sync"], "sync_threads()"),
    (&["this_grid", "grid_group"], "sync_grid()"),
    (&["__syncwarp", "syncwarp"], "sync_warp()"),
    (&["__threadfence", "threadfence"], "thread_fence()"),
    (&["__threadfence_block", "threadfence_block"], "thread_fence_block()"),
    (&["__threadfence_system", "threadfence_system"], "thread_fence_system()"),
    (&["__activemask", "activemask"], "active_mask()"),
    (&["__shfl_sync", "shfl_sync"], "warp_shuffle(value, lane)"),
    (&["__shfl_up_sync", "shfl_up_sync"], "warp_shuffle_up(value, lanes)"),
    (&["__shfl_down_sync", "shfl_down_sync"], "warp_shuffle_down(value, lanes)"),
    (&["__shfl_xor_sync", "shfl_xor_sync"], "warp_shuffle_xor(value, mask)"),
    (&["__ballot_sync", "ballot_sync"], "warp_ballot(condition)"),
    (&["__any_sync", "any_sync"], "warp_any(condition)"),
    (&["__all_sync", "all_sync"], "warp_all(condition)"),
    (&["__nanosleep"], "nanosleep(ns)"),
    (&["clock", "clock64"], "clock_cycles()"),
    (&["grid", "grid1d", "get_global_id", "global_id", "global_idx"], "grid_1d()"),
    (&["grid2d"], "grid_2d()"),
    (&["threadidx", "get_local_id", "local_id"], "thread_idx().x"),
    (&["blockidx", "get_group_id"], "block_idx().x"),
    (&["blockdim", "get_local_size"], "block_dim().x"),
    (&["griddim", "get_num_groups"], "grid_dim().x"),
    (&["shared::array", "shared_array", "shared_memory"], "shared::<[f32; 256]>()"),
    (&["local::array", "local_array"], "[0.0f32; 16]"),
    (&["atomic_add"], "counts[i].fetch_add(1, Ordering::Relaxed)` of a `&[AtomicU32]"),
    (&["atomic_max"], "values[i].fetch_max(x, Ordering::Relaxed)` of a `&[AtomicU32]"),
    (&["atomic_min"], "values[i].fetch_min(x, Ordering::Relaxed)` of a `&[AtomicU32]"),
    (&["random", "rand", "curand", "curand_uniform"], "random_uniform_f32(seed, stream, index)` of `gpu_runtime::rng"),
    (&["thread_idx_x", "thread_x"], "thread_idx().x"),
    (&["thread_idx_y"], "thread_idx().y"),
    (&["block_idx_x", "block_x"], "block_idx().x"),
    (&["block_idx_y"], "block_idx().y"),
    (&["block_dim_x"], "block_dim().x"),
    (&["block_dim_y"], "block_dim().y"),
    (&["grid_dim_x"], "grid_dim().x"),
    (&["index_1d"], "grid_1d()"),
    (&["index_2d"], "grid_2d()"),
    (&["gridsize"], "grid_dim().x * block_dim().x"),
    (&["printf", "print"], "println!(\"{}\", x)"),
    (&["len"], "x.len()"),
    (&["range", "xrange"], "for i in 0..n"),
    (&["__ldg", "ldg"], "x[i]"),
    // Conversions.
    (&["float", "f32", "float32"], "x as f32"),
    (&["double", "f64", "float64"], "x as f64"),
    (&["int", "i32", "int32"], "x as i32"),
    (&["uint", "u32", "uint32"], "x as u32"),
    (&["long", "i64", "int64"], "x as i64"),
    (&["u64", "uint64"], "x as u64"),
    (&["usize", "size_t"], "x as usize"),
    (&["__float_as_int", "__float_as_uint"], "x.to_bits()"),
    (&["__int_as_float", "__uint_as_float"], "f32::from_bits(x)"),
    // Mathematics.
    (&["sqrt"], "x.sqrt()"),
    (&["rsqrt"], "x.rsqrt()"),
    (&["cbrt"], "x.cbrt()"),
    (&["pow", "power"], "x.powf(y)` or, for an integer, `x.powi(n)"),
    (&["__exp"], "x.fast_exp()"),
    (&["exp"], "x.exp()"),
    (&["exp2"], "x.exp2()"),
    (&["expm1"], "x.exp_m1()"),
    (&["__log"], "x.fast_ln()"),
    (&["log"], "x.ln()"),
    (&["log2"], "x.log2()"),
    (&["log10"], "x.log10()"),
    (&["log1p"], "x.ln_1p()"),
    (&["__sin"], "x.fast_sin()"),
    (&["sin"], "x.sin()"),
    (&["__cos"], "x.fast_cos()"),
    (&["cos"], "x.cos()"),
    (&["tan"], "x.tan()"),
    (&["asin"], "x.asin()"),
    (&["acos"], "x.acos()"),
    (&["atan"], "x.atan()"),
    (&["atan2", "arctan2"], "y.atan2(x)"),
    (&["sinh"], "x.sinh()"),
    (&["cosh"], "x.cosh()"),
    (&["tanh"], "x.tanh()"),
    (&["hypot"], "x.hypot(y)"),
    (&["fabs", "abs", "absolute"], "x.abs()"),
    (&["fmin", "min", "minimum"], "x.min(y)"),
    (&["fmax", "max", "maximum"], "x.max(y)"),
    (&["clamp", "clip"], "x.clamp(low, high)"),
    (&["fma", "mad"], "x.mul_add(y, z)"),
    (&["fmod"], "x % y"),
    (&["floor"], "x.floor()"),
    (&["ceil"], "x.ceil()"),
    (&["round"], "x.round()"),
    (&["rint", "nearbyint"], "x.round_ties_even()"),
    (&["trunc"], "x.trunc()"),
    (&["copysign"], "x.copysign(y)"),
    (&["sign"], "x.signum()"),
    (&["isnan"], "x.is_nan()"),
    (&["isinf"], "x.is_infinite()"),
    (&["isfinite"], "x.is_finite()"),
    (&["erf"], "x.erf()"),
    (&["erfc"], "x.erfc()"),
    (&["__popc", "popc", "popcount"], "x.count_ones()"),
    (&["__clz", "clz"], "x.leading_zeros()"),
    (&["__brev", "brev"], "x.reverse_bits()"),
    (&["__umulhi", "__mulhi"], "x.mul_hi(y)"),
];

const VALUES: &[(&[&str], &str)] = &[
    (&["threadIdx", "thread_idx"], "thread_idx()"),
    (&["blockIdx", "block_idx"], "block_idx()"),
    (&["blockDim", "block_dim"], "block_dim()"),
    (&["gridDim", "grid_dim"], "grid_dim()"),
    (&["laneid", "laneId", "lane_id"], "lane_id()"),
    (&["warpSize", "warpsize"], "32"),
    (&["grid_1d"], "grid_1d()"),
    (&["grid_2d"], "grid_2d()"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Builtin;

    #[test]
    fn each_name_stands_once() {
        for table in [FUNCTIONS, VALUES] {
            let names: Vec<_> = table.iter().flat_map(|(names, _)| *names).collect();
            for (index, name) in names.iter().enumerate() {
                assert!(!names[index + 1..].contains(name), "{name} stands twice");
            }
        }
    }

    /// The name of the method or function in `x.sqrt()`, if that is what it is.
    fn called(instead: &str) -> Option<(&str, bool)> {
        let (before, _) = instead.split_once('(')?;
        let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        match before.split_once('.') {
            Some((_, method)) => Some((method, true)).filter(|(method, _)| is_word(method)),
            None => Some((before, false)).filter(|(function, _)| is_word(function)),
        }
    }

    #[test]
    fn what_to_write_exists() {
        let coordinates = ["thread_idx", "block_idx", "block_dim", "grid_dim", "grid_1d", "grid_2d", "random_uniform_f32"];
        for (_, instead) in FUNCTIONS.iter().chain(VALUES) {
            match called(instead) {
                Some((method, true)) => {
                    let exists = Method::find(method).is_some() || crate::model::AtomicMethod::find(method).is_some();
                    assert!(exists, "there is no method `{method}`");
                }
                Some((function, false)) => {
                    assert!(coordinates.contains(&function) || Builtin::find(function).is_some(), "there is no function `{function}`");
                }
                None => {}
            }
        }
    }

    #[test]
    fn names_of_c_are_found_with_the_suffix_of_floats() {
        assert_eq!(function_instead("sqrtf"), Some("x.sqrt()"));
        assert_eq!(function_instead("__expf"), Some("x.fast_exp()"));
        assert_eq!(function_instead("fabsf"), Some("x.abs()"));
        assert_eq!(function_instead("lerp"), None);
        for typo in ["sqr", "sqqrt", "sqrtt", "sqtr"] {
            assert_eq!(method_instead(typo).as_deref(), Some("x.sqrt()"), "{typo}");
        }
        assert_eq!(method_instead("rount").as_deref(), Some("x.round()"));
        assert_eq!(method_instead("normalize"), None);
        assert_eq!(method_instead("Sqrt").as_deref(), Some("x.sqrt()"));
        assert_eq!(method_instead("length").as_deref(), Some("x.len()"));
    }
}
