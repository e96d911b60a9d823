//! What `#[gpu_device]` on an `impl` would generate, for types of other crates.

/// The CUDA C of a function with these parameters, which returns that expression: the body of a `gpu_code_…`.
macro_rules! code {
    ($name:literal in $snippet:literal, ($first:ident: $First:ty $(, $arg:ident: $Arg:ty)*) -> $Output:ty, $value:literal) => {{
        use $crate::source::{DeviceInstance, Found, Segment, Sites, SourceUnit, c_type};
        struct Marker;
        // SAFETY: the function has no arrays.
        unsafe impl DeviceInstance for Marker {
            const UNIT: &'static SourceUnit = &SourceUnit {
                name: $name,
                prototype: code!(@segments [] ($first: $First $(, $arg: $Arg)*) -> $Output),
                body: code!(@segments [Segment::Text(concat!(" {\n  return ", $value, ";\n}\n"))] ($first: $First $(, $arg: $Arg)*) -> $Output),
                snippets: &[$snippet],
                sites: &Sites::NONE,
                several_elements: true,
            };
        }
        // SAFETY: the CUDA C was just written.
        unsafe { Found::<Marker, $Output>::new() }
    }};
    (@segments [$($end:expr)?] ($first:ident: $First:ty $(, $arg:ident: $Arg:ty)*) -> $Output:ty) => {
        &[
            Segment::Text("static __device__ __forceinline__ "),
            Segment::Type(c_type::<$Output>),
            Segment::Text(" "),
            Segment::OwnName,
            Segment::Text("("),
            Segment::Type(c_type::<$First>),
            Segment::Text(concat!(" ", stringify!($first))),
            $(
                Segment::Text(", "),
                Segment::Type(c_type::<$Arg>),
                Segment::Text(concat!(" ", stringify!($arg))),
            )*
            Segment::Text(")"),
            $($end,)?
        ]
    };
}
