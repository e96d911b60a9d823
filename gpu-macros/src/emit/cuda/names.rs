//! The one owner of every C identifier.
//!
//! Each Rust binding gets a unique C name within its function, so shadowing needs no scopes in C. A name stays as the user wrote it, unless
//! C++, CUDA or the generated code itself uses it.

use std::collections::HashSet;

/// Gives out the C identifiers of one function.
pub(super) struct Namer {
    taken: HashSet<String>,
}

impl Namer {
    pub(super) fn new() -> Namer {
        Namer { taken: HashSet::new() }
    }

    /// A C name for the Rust name `rust`, different from every other name of the function.
    pub(super) fn local(&mut self, rust: &str) -> String {
        let base = legal(rust);
        let base = if is_reserved(&base) { format!("{base}_") } else { base };
        self.unique(&base)
    }

    /// A name for a slice's length, derived from the slice's name.
    pub(super) fn length(&mut self, slice: &str) -> String {
        self.unique(&format!("{slice}_len"))
    }

    /// A name for a view's layout, derived from the view's name.
    pub(super) fn layout(&mut self, view: &str) -> String {
        self.unique(&format!("{view}_layout"))
    }

    /// A name for a temporary or label of the generated code.
    pub(super) fn temporary(&mut self, base: &str) -> String {
        self.unique(base)
    }

    fn unique(&mut self, base: &str) -> String {
        let mut name = base.to_owned();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{base}_{count}");
        }
        name
    }
}

/// The C name of a field. Fields of different names have different ones, wherever they are named.
pub(crate) fn field_name(rust: &str) -> String {
    let rust = rust.strip_prefix("r#").unwrap_or(rust);
    if legal(rust) != rust {
        let bytes: String = rust.bytes().map(|byte| format!("{byte:02x}")).collect();
        format!("m_x{bytes}")
    } else if is_reserved(rust) || rust.starts_with("m_") {
        format!("m_{rust}")
    } else {
        rust.to_owned()
    }
}

/// The C name of the fields of a variant in the definition of its enum.
pub(crate) fn variant_name(rust: &str) -> String {
    format!("as_{}", variant_stem(rust))
}

/// The C name of the function that tests whether an enum has a variant.
pub(crate) fn variant_getter(rust: &str) -> String {
    format!("is_{}", variant_stem(rust))
}

/// The C name of the function that makes an enum one of a variant.
pub(crate) fn variant_setter(rust: &str) -> String {
    format!("set_{}", variant_stem(rust))
}

/// Variants of different names have different ones, wherever they are named.
pub(crate) fn variant_stem(rust: &str) -> String {
    let rust = rust.strip_prefix("r#").unwrap_or(rust);
    if legal(rust) == rust && !rust.starts_with("m_") { rust.to_owned() } else { field_name(rust) }
}

/// The C name of the field of a tuple or tuple struct.
pub(crate) fn position_name(index: usize) -> String {
    format!("_{index}")
}

/// The C name of a kernel, device function or type: these share one scope with CUDA's own functions.
pub(crate) fn function_name(rust: &str) -> String {
    let name = legal(rust);
    if is_reserved(&name) || is_cuda_function(&name) { format!("{name}_") } else { name }
}

/// `rust` in the characters of a C identifier: no `r#`, no letters outside ASCII, no `__` and no leading `_` (C++ reserves both).
fn legal(rust: &str) -> String {
    let rust = rust.strip_prefix("r#").unwrap_or(rust);
    let mut name = String::new();
    for character in rust.chars() {
        match character {
            '_' if name.is_empty() => name.push_str("v_"),
            '_' if name.ends_with('_') => name.push_str("u_"),
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => name.push(character),
            other => name.push_str(&format!("u{:x}", u32::from(other))),
        }
    }
    name
}

/// Words of C++, names of the generated code, and CUDA's names that it uses.
fn is_reserved(name: &str) -> bool {
    let is_ours = name.starts_with("gr_") || name.starts_with("GR_");
    is_ours || RESERVED.binary_search(&name).is_ok() || MATH.binary_search(&name.strip_suffix('f').unwrap_or(name)).is_ok()
}

/// Functions and types that CUDA declares without an include. Any of them in any spelling that ends in `f`, `l` or `ll` too.
fn is_cuda_function(name: &str) -> bool {
    let stem = name.trim_end_matches('l');
    let stem = stem.strip_suffix('f').unwrap_or(stem);
    [name, stem].iter().any(|name| MATH.binary_search(name).is_ok() || CUDA.binary_search(name).is_ok())
        || name.starts_with("cuda")
        || name.starts_with("atomic")
        || is_vector_type(name)
}

/// `float4`, `make_uint2` and the other vector names.
fn is_vector_type(name: &str) -> bool {
    let name = name.strip_prefix("make_").unwrap_or(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    name.len() != stem.len()
        && matches!(
            stem,
            "char"
                | "uchar"
                | "short"
                | "ushort"
                | "int"
                | "uint"
                | "long"
                | "ulong"
                | "longlong"
                | "ulonglong"
                | "float"
                | "double"
                | "dim"
        )
}

/// C++ keywords and alternative tokens, the typedefs of the preamble, CUDA's variables, and macros that NVRTC predefines.
#[rustfmt::skip]
static RESERVED: &[&str] = &[
    "EOF", "INFINITY", "NAN", "NULL", "alignas", "alignof", "and", "and_eq", "asm", "assert", "atomic_cancel", "atomic_commit", "atomic_noexcept",
    "auto", "bitand", "bitor", "blockDim", "blockIdx", "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class",
    "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype",
    "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "f32", "f64", "false", "float", "for",
    "friend", "goto", "gridDim", "i16", "i32", "i64", "i8", "if", "inline", "int", "isize", "linux", "long", "mutable", "namespace", "new",
    "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "reflexpr", "register", "reinterpret_cast",
    "requires", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "synchronized",
    "template", "this", "threadIdx", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "u16", "u32", "u64", "u8",
    "union", "unix", "unsigned", "using", "usize", "virtual", "void", "volatile", "warpSize", "wchar_t", "while", "xor", "xor_eq",
];

/// Stems of the mathematical functions of CUDA (`sin` stands for `sin`, `sinf` and `sinl`).
#[rustfmt::skip]
static MATH: &[&str] = &[
    "abs", "acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan", "atan2", "atan2pi", "atanh", "atanpi", "cbrt", "ceil", "copysign", "cos",
    "cosh", "cospi", "cyl_bessel_i0", "cyl_bessel_i1", "erf", "erfc", "erfcinv", "erfcx", "erfinv", "exp", "exp10", "exp2", "expm1", "fabs", "fdim",
    "fdivide", "floor", "fma", "fmax", "fmin", "fmod", "frexp", "hypot", "ilogb", "isfinite", "isinf", "isnan", "j0", "j1", "jn", "labs", "ldexp",
    "lgamma", "llabs", "llmax", "llmin", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint", "lround", "max", "min", "modf", "nan",
    "nearbyint", "nextafter", "norm", "norm3d", "norm4d", "normcdf", "normcdfinv", "pow", "powi", "rcbrt", "remainder", "remquo", "rhypot", "rint",
    "rnorm", "rnorm3d", "rnorm4d", "round", "rsqrt", "scalbln", "scalbn", "signbit", "sin", "sincos", "sincospi", "sinh", "sinpi", "sqrt", "tan",
    "tanh", "tanpi", "tgamma", "trunc", "ullmax", "ullmin", "umax", "umin", "y0", "y1", "yn",
];

/// Other functions and types that CUDA or NVRTC declares.
#[rustfmt::skip]
static CUDA: &[&str] = &[
    "alloca", "clock", "clock64", "clock_t", "cooperative_groups", "dim3", "finite", "free", "isfinited", "isinfd", "isnand", "main", "malloc",
    "memchr", "memcmp", "memcpy", "memmove", "memset", "nanosleep", "nullptr_t", "nv", "nvcuda", "nvstd", "printf", "ptrdiff_t", "puts", "size_t",
    "std", "strcmp", "strcpy", "strlen", "surfaceReference", "textureReference", "uchar", "uint", "ulong", "ushort", "vprintf", "wchar",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_binary_search() {
        for list in [RESERVED, MATH, CUDA] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }

    #[test]
    fn names_are_kept_where_they_are_legal() {
        let mut namer = Namer::new();
        assert_eq!(namer.local("x"), "x");
        assert_eq!(namer.local("x"), "x_2");
        assert_eq!(namer.local("x_2"), "x_2_2");
        assert_eq!(namer.local("r#for"), "for_");
        assert_eq!(namer.local("threadIdx"), "threadIdx_");
        assert_eq!(namer.local("sinf"), "sinf_");
        assert_eq!(namer.local("gr_panic"), "gr_panic_");
        assert_eq!(namer.local("GR_OFFSET"), "GR_OFFSET_");
        assert_eq!(namer.local("α"), "u3b1");
        assert_eq!(namer.local("_unused"), "v_unused");
        assert_eq!(namer.local("a__b"), "a_u_b");
    }

    #[test]
    fn fields_keep_their_names_where_they_can_and_never_meet() {
        assert_eq!(field_name("mass"), "mass");
        let names = ["x", "r#type", "double", "m_double", "m_m_double", "α", "_x", "a__b", "gr_panic", "u3b1", "unix"];
        let fields: Vec<String> = names.iter().map(|name| field_name(name)).collect();
        assert_eq!(fields[1..4], ["type", "m_double", "m_m_double"]);
        assert!(fields.iter().enumerate().all(|(i, name)| !fields[..i].contains(name)), "{fields:?}");
    }

    #[test]
    fn function_names_avoid_what_cuda_declares() {
        for name in
            ["sincos", "abs", "min", "sinf", "llmin", "float4", "make_float4", "atomicAdd", "malloc", "main", "norm3df", "j0", "y1f"]
        {
            assert_eq!(function_name(name), format!("{name}_"));
        }
        assert_eq!(function_name("add_kernel"), "add_kernel");
    }
}
