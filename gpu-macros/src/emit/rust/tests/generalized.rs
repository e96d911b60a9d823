//! What a generalized function has beside a device function.

use super::super::expand_fallback;
use super::*;

use crate::lower::parse_generalized_options;
use expect_test::expect;

/// The function, and what its signature has against it.
fn generalized(arguments: TokenStream, code: &str) -> (Function, Vec<String>) {
    let errors = Errors::new();
    let (options, runtime) = parse_generalized_options(arguments, &errors);
    let lowered =
        lower_function(Item::free(&parse(code), FunctionKind::Generalized(options), runtime), &errors).expect("there is no `self`");
    let function = infer_function(lowered, &errors);
    check_function(&function, 0, &errors);
    let messages = errors.check().err().into_iter().flatten();
    (function, messages.map(|error| error.to_string().lines().next().unwrap_or_default().to_owned()).collect())
}

fn accepted(arguments: TokenStream, code: &str) -> Function {
    let (function, messages) = generalized(arguments, code);
    assert_eq!(messages, [""; 0], "{code}");
    function
}

fn refused(arguments: TokenStream, code: &str) -> Vec<String> {
    generalized(arguments, code).1
}

#[test]
fn the_module_has_the_function_over_arrays() {
    let function =
        accepted(quote!("(n),()->(n)"), "#[cfg(any())] pub(crate) fn scaled(r#in: &[f32], factor: f64, out: &mut [i32]) { out[0] = 1; }");
    let text = print(&function, &proved(), &source());
    expect![[r#"
        pub(crate) mod scaled {
            #[doc(hidden)]
            pub(crate) enum gpu_device {}
            #[doc(hidden)]
            #[allow(unused_imports)]
            pub(crate) use ::gpu_runtime::calls::unknown_function as itself;
            #[doc(hidden)]
            pub(crate) struct in_thread<'t, 'b> {
                pub(crate) thread: &'t ::gpu_runtime::calls::Thread<'b>,
            }
            ///The function `scaled` as a type.
            pub(crate) struct Function {
                types: ::core::marker::PhantomData<()>,
            }
            /**Calls `scaled` for every index of the loop axes: `(n),()->(n)`.

        The last axes of an argument are its core axes, which one call uses: `in` `(n)`, `factor` `()`. The axes before them are loop axes, which are broadcast. The collected array has the loop axes, followed by those of `out` `(n)`.*/
            pub(crate) fn map<'a>(
                r#in: impl ::gpu_runtime::IntoLazy<f32, Expression: 'a>,
                factor: impl ::gpu_runtime::IntoLazy<f64, Expression: 'a>,
            ) -> ::gpu_runtime::Batch<'a, self::Function> {
                ::gpu_runtime::Batch::new()
                    .argument(::gpu_runtime::IntoLazy::<f32>::into_lazy(r#in))
                    .argument(
                        ::gpu_runtime::IntoLazy::<f64>::into_lazy(factor),
                    )
            }
        }
    "#]]
    .assert_eq(&excerpt(&text, "pub(crate) mod scaled", "#[cfg(any())]"));
}

#[test]
fn the_runtime_is_told_the_signature_and_how_to_call_the_twin() {
    let function = accepted(
        quote!("(m,n),()->(),(m,3),()", fmad = false),
        "fn f(x: &[f32], k: i8, out: &mut [bool], n: usize) -> (u8, f64) { (1, 2.0) }",
    );
    let text = print(&function, &proved(), &source());
    expect![[r#"
        unsafe impl $GeneralizedFunction for f::Function {
            type Output = (
                u8,
                bool,
                f64,
            );
            const SIGNATURE: &'static $Signature = &$Signature {
                text: "(m,n),()->(),(m,3),()",
                dimensions: &[
                    $Dimension {
                        name: "m",
                        extent: ::core::option::Option::None,
                    },
                    $Dimension {
                        name: "n",
                        extent: ::core::option::Option::None,
                    },
                    $Dimension {
                        name: "3",
                        extent: ::core::option::Option::Some(3usize),
                    },
                ],
                operands: &[
                    $CoreOperand {
                        name: "x",
                        element: $Component::of::<
                            f32,
                        >(),
                        core: &[0usize, 1usize],
                    },
                    $CoreOperand {
                        name: "k",
                        element: $Component::of::<
                            i8,
                        >(),
                        core: &[],
                    },
                    $CoreOperand {
                        name: "result",
                        element: $Component::of::<
                            u8,
                        >(),
                        core: &[],
                    },
                    $CoreOperand {
                        name: "out",
                        element: $Component::of::<
                            bool,
                        >(),
                        core: &[0usize, 2usize],
                    },
                    $CoreOperand {
                        name: "result",
                        element: $Component::of::<
                            f64,
                        >(),
                        core: &[],
                    },
                ],
                inputs: 2usize,
                extent_parameters: &[1usize],
            };
            const NAME: &'static str = "f";
            const FMAD: bool = false;
            fn source() -> &'static $SourceUnit {
                <Self as ::gpu_runtime::calls::DeviceInstance>::UNIT
            }
            unsafe fn call(
                __thread: &$Thread<'_>,
                __operands: &[*mut u8],
                __extents: &[usize],
            ) -> ::core::result::Result<(), $Stop> {
                unsafe {
                    let __returned = f::gpu_device::on(__thread)
                        .call(
                            $core_slice::<
                                f32,
                            >(__operands[0usize], &[__extents[0usize], __extents[1usize]]),
                            __operands[1usize].cast::<i8>().read(),
                            $core_slice_mut::<
                                bool,
                            >(__operands[3usize], &[__extents[0usize], __extents[2usize]]),
                            __extents[1usize],
                        )?;
                    __operands[2usize].cast::<u8>().write(__returned.0);
                    __operands[4usize].cast::<f64>().write(__returned.1);
                }
                ::core::result::Result::Ok(())
            }
        }

    "#]]
    .assert_eq(&excerpt(&text, "unsafe impl $GeneralizedFunction", "\u{0}"));
}

#[test]
fn a_function_must_fit_its_signature() {
    let refused = |arguments, code| refused(arguments, code);
    assert_eq!(
        refused(quote!("(m,n),(n)->(m)"), "fn f(a: &[f32], out: &mut [f32]) {}"),
        ["`(m,n),(n)->(m)` needs 3 parameters besides the extents, but this function has 2"]
    );
    assert_eq!(
        refused(quote!("(n),()->(n)"), "fn f(x: f32, y: &[f32], out: &[f32], m: usize, n: i32) {}"),
        [
            "`x` is the input `(n)`, an array",
            "`y` is the input `()`, a single element",
            "`out` is the output `(n)`, which the function writes",
            "`m` is not a dimension of `(n),()->(n)`",
            "an extent must be a `usize`",
        ]
    );
    assert_eq!(
        refused(quote!("()->()"), "fn f(x: f32) -> (f32, f32) { (x, x) }"),
        ["the function must return the output `()` of `()->()`"]
    );
    assert_eq!(refused(quote!("(3)->()"), "fn f(x: &[f32], n: usize) -> f32 { 0.0 }"), ["`n` is not a dimension of `(3)->()`"]);
    assert_eq!(refused(quote!("(n)->()"), "fn f(x: &[f32], n: usize) -> f32 { 0.0 }"), [""; 0]);
    // A parameter whose type was refused is not refused again.
    assert_eq!(refused(quote!("(n)->()"), "fn f(x: &[Vec<f32>], n: usize) -> f32 { 0.0 }").len(), 1);
}

#[test]
fn callers_of_a_refused_function_are_not_at_fault() {
    let (function, _) = generalized(quote!("(n"), "fn f(x: &[f32], k: f32, out: &mut [f32]) {}");
    let text = format(expand_fallback(&function, None));
    expect![[r#"
        pub fn map<'a>(
            _: impl ::core::marker::Sized + 'a,
            _: impl ::core::marker::Sized + 'a,
        ) -> ::gpu_runtime::Batch<'a, Refused> {
            ::core::unreachable!()
        }

    "#]]
    .assert_eq(&excerpt(&text, "pub fn map", "#["));
}
