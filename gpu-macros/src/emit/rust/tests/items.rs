//! What stands around the body: launcher, module, definition, tables.

use super::super::expand_fallback;
use super::*;
use expect_test::expect;

#[test]
fn a_kernel_is_a_launcher_a_module_and_a_definition() {
    let function =
        kernel("/// Doubles.\n#[cfg(any())] #[expect(unused)] pub(crate) fn k(x: &[f32], mut n: u32, out: &mut [f32]) { n += 1; }");
    let text = print(&function, &proved(), &source());
    expect![[r#"
        /// Doubles.
        #[cfg(any())]
        #[allow(unused)]
        #[cfg_attr(
            clippy,
            allow(
                clippy::elidable_lifetime_names,
                clippy::needless_lifetimes,
                clippy::used_underscore_binding
            )
        )]
        pub(crate) fn k<'a>(
            x: impl $IntoDeviceSlice<'a, f32>,
            n: u32,
            out: impl $IntoDeviceSliceMut<'a, f32>,
        ) -> ::gpu_runtime::Launch<'a, k::Kernel> {
            ::gpu_runtime::Launch::new((
                $IntoDeviceSlice::into_device_slice(x),
                n,
                $IntoDeviceSliceMut::into_device_slice_mut(out),
            ))
        }
        #[cfg(any())]
        #[allow(unused)]
        #[allow(dead_code, unreachable_pub, unused_imports)]
        ///The compiled code of the kernel `k`.
        pub(crate) mod k {
            ///The kernel `k` as a type.
            pub(crate) struct Kernel;
            #[doc(hidden)]
            pub use ::gpu_runtime::calls::missing::kernel::{gpu_device, itself};
            $kernel_tools! {
                [self::Kernel] [] [] []
            }
        }
        #[cfg(any())]
        #[allow(unused)]
        #[cfg_attr(
            clippy,
            allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)
        )]
        #[allow(unused_braces, unused_parens)]
        #[doc(hidden)]
        const _: () = {
            extern crate gpu_runtime as gpu_runtime_must_be_the_crate_itself;
            extern crate core as core_must_be_the_crate_itself;
            mod meant_by_paths {
                pub(super) use ::{
                    core as core_must_be_the_crate_itself,
                    gpu_runtime as gpu_runtime_must_be_the_crate_itself,
                };
            }
            {
                use meant_by_paths::*;
                #[allow(unused_imports)]
                use {
                    core_must_be_the_crate_itself as _, gpu_runtime_must_be_the_crate_itself as _,
                };
            }
            unsafe impl $KernelDefinition for k::Kernel {
                type Args<'a> = (
                    ::gpu_runtime::DeviceSlice<'a, f32>,
                    u32,
                    ::gpu_runtime::DeviceSliceMut<'a, f32>,
                );
                const META: &'static $KernelMeta = &$KernelMeta {
                    name: "k",
                    params: &["x", "n", "out"],
                    block: ::core::option::Option::None,
                    proved_for: $ProvedFor {
                        grid_axes: 1u8,
                        block_axes: 2u8,
                    },
                    fmad: true,
                    findings: &[],
                    remaining_checks: &[],
                    conditions: &[],
                    index_width: &["64 bits: with 32, the kernel would compute as much"],
                    loops: &[],
                    unit: &$SourceUnit {
                        name: "k",
                        prototype: &[],
                        body: &[],
                        snippets: &[],
                        sites: &$Sites::none_in(::core::file!()),
                        several_elements: false,
                    },
                };
                #[inline]
                fn run_blocks(
                    __args: &Self::Args<'_>,
                    __blocks: $Blocks<'_>,
                ) -> ::core::result::Result<(), $Stop> {
                    let (x, n, out) = unsafe {
                        $Arguments::host(__args)
                    };
                    let _ = (&n,);
                    __blocks
                        .lines()
                        .for_each_thread(move |__thread| {
                            #[allow(unused_mut)]
                            let mut n = n;
                            #[allow(unused_mut)]
                            let mut out = unsafe {
                                $SharedSliceMut::of_thread(&out)
                            };
                            let _ = ::gpu_runtime::calls::names_mean::<
                                (f32, u32),
                                (f32, u32),
                            >;
                            let __value: () = {
                                {
                                    let __value: u32 = 1u32;
                                    n = __thread.add(n, __value);
                                };
                            };
                            #[allow(unreachable_code)]
                            return ::core::result::Result::Ok::<
                                _,
                                $Stop,
                            >(__value);
                        })
                }
            }
            unsafe impl ::gpu_runtime::RaceFree for k::Kernel {}
        };
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_unproved_kernel_says_what_could_not_be_proved() {
    let access = UnprovedAccess {
        what: "line 3: `out[{0}]`: the index is the same for all threads".into(),
        help: "use atomics".into(),
        span: Span::call_site(),
        array: None,
    };
    let text = print(&kernel("/// Doc.\nfn k(out: &mut [u8]) {}"), &RaceFreedom::Unproved(vec![access]), &source());
    expect![[r#"
        /// Doc.
        #[cfg_attr(
            clippy,
            allow(
                clippy::elidable_lifetime_names,
                clippy::needless_lifetimes,
                clippy::used_underscore_binding
            )
        )]
        /**

        # Data races

        This kernel is not proved free of data races, so its launch is `unsafe`: `launch_unchecked` or `forall_unchecked`. This could not be proved:

        * line 3: `out[{0}]`: the index is the same for all threads
        */
        fn k<'a>(
            out: impl $IntoDeviceSliceMut<'a, u8>,
        ) -> ::gpu_runtime::Launch<'a, k::Kernel> {
            ::gpu_runtime::Launch::new((
                $IntoDeviceSliceMut::into_device_slice_mut(out),
            ))
        }
        #[allow(dead_code, unreachable_pub, unused_imports)]
        ///The compiled code of the kernel `k`.
    "#]].assert_eq(&excerpt(&text, "/// Doc.", "mod k"));
    expect![[r#"
        proved_for: $ProvedFor {
            grid_axes: 0u8,
            block_axes: 0u8,
        },
    "#]]
    .assert_eq(&excerpt(&text, "proved_for", "fmad"));
    expect![[r##"
        #[diagnostic::on_unimplemented(
            message = "the kernel `k` is not proved free of data races",
            label = "line 3: `out[{{0}}]`: the index is the same for all threads",
            note = "for a safe launch, use atomics",
            note = "if you know that no two threads of a launch race: `unsafe {{ k(…).launch_unchecked(grid, block) }}`, or `forall_unchecked(n)`"
        )]
        pub trait NoDataRace<const HOLDS: bool> {}
        impl NoDataRace<true> for () {}
        unsafe impl<By_: NoDataRace<false>> ::gpu_runtime::RaceFree<By_> for k::Kernel {}
    "##]].assert_eq(&excerpt(&text, "#[diagnostic", "};"));
}

#[test]
fn rustc_decides_conditions_on_constants() {
    let below = |most: TokenStream, length: TokenStream| {
        let atom = |tokens| Polynomial { terms: vec![Term { coefficient: 1, factors: [Atom::constant(tokens)].into() }] };
        Inequality::below(atom(most), atom(length))
    };
    let condition = |inequality, text: &str| Condition { inequality, text: text.into(), access: "line 3: `out[i]`".into() };
    let function = kernel("fn k<const N: usize>(out: &mut [u8]) { const HALO: usize = 3; }");
    let conditions = vec![
        condition(below(quote!(HALO), quote!(super::TILE)), "HALO + 1 <= super::TILE"),
        condition(below(quote!(N), quote!(HALO)), "N + 1 <= HALO"),
    ];
    let text = print(&function, &RaceFreedom::Proved { grid_axes: 1, block_axes: 1, conditions }, &source());
    assert!(!text.contains("fn race_free"), "the launch has nothing to decide: {text}");
    expect![[r##"
        #[diagnostic::on_unimplemented(
            message = "the kernel `k` is not proved free of data races, because `HALO + 1 <= super::TILE` is false",
            label = "`HALO + 1 <= super::TILE` is false",
            note = "line 3: `out[i]`: no two threads have the same index if `HALO + 1 <= super::TILE`",
            note = "for a safe launch, compute the index so that the proof sees different elements for different threads, such as from `grid_1d()`, or choose constants for which `HALO + 1 <= super::TILE`",
            note = "if you know that no two threads of a launch race: `unsafe {{ k(…).launch_unchecked(grid, block) }}`, or `forall_unchecked(n)`"
        )]
        pub trait NoDataRace<const HOLDS: bool> {}
        impl NoDataRace<true> for () {}
        unsafe impl<
            const N: usize,
            By_: NoDataRace<
                    {
                        #[allow(dead_code)]
                        const HALO: usize = 3;
                        0 + 1i128 + 1i128 * ((HALO) as i128)
                            <= 0 + 1i128 * ((super::TILE) as i128)
                    },
                >,
        > ::gpu_runtime::RaceFree<By_> for k::Kernel<N> {
            const CONDITIONS: () = {
                #[allow(dead_code)]
                const HALO: usize = 3;
                if !(0 + 1i128 + 1i128 * ((N) as i128)
                    <= 0 + 1i128 * ((HALO) as i128))
                {
                    ::core::panic!(
                        "{}",
                        "line 3: `out[i]`: the kernel `k` is free of data races only if `N + 1 <= HALO`, which is false for these parameters\nhelp: use other parameters, or `launch_unchecked` if no two threads use the same element"
                    )
                }
    "##]].assert_eq(&excerpt(&text, "#[diagnostic", "};"));
}

#[test]
fn the_cuda_source_becomes_segments() {
    let function = kernel("fn k(x: &[i32]) { const N: usize = 3; let y = x[N] / 2; }");
    let body = vec![
        Piece::Line(7),
        Piece::OwnName,
        Piece::Text("(\"".into()),
        Piece::Checked(1, vec![Piece::Site(0)]),
        Piece::Constant(quote!(N)),
        Piece::Function {
            callee: Callee {
                path: syn::parse_quote!(super::f),
                explicit: Vec::new(),
                output: Known::Type(Type::Scalar(Scalar::F32)),
                args: vec![Known::Nothing],
                by_name: false,
            },
            races: false,
        },
        Piece::Type(syn::parse_quote!(T)),
    ];
    let prototype = vec![Piece::Text("void".into())];
    let source = Source {
        name: "k_".into(),
        prototype,
        body,
        snippets: vec!["panic"],
        several_elements: true,
        cooperation: Cooperation::default(),
        uniformity: UniformParameters::NONE,
        numbers: Vec::new(),
        racing: None,
    };
    expect![""].assert_eq(&excerpt(&print(&function, &proved(), &source), "fn source()", "fn run_blocks"));
}

#[test]
fn inequalities_are_tested_once() {
    let function = kernel("fn k(x: &[i32], n: u32, out: &mut [i32], p: P) { const N: usize = 3; let y = x[0] + x[1] + x[2]; }");
    let term = |coefficient, factors: &[Atom]| Term { coefficient, factors: factors.into() };
    let inequality = |most: Vec<Term>, length: Atom| Inequality::below(Polynomial { terms: most }, Polynomial::atom(length));
    let real = inequality(vec![term(2, &[Atom::Param(Passed::whole(1)), Atom::BlockDim(Axis::Y)]), term(-1, &[])], Atom::Len(0));
    let constant = inequality(vec![term(1, &[Atom::GridDim(Axis::X)])], Atom::constant(quote!(N)));
    let member = |name: &str| Member::Name(Ident::new(name, Span::call_site()));
    let width = Atom::Param(Passed::whole(3).member(&member("size")).member(&member("width")));
    let needed = inequality(vec![term(5, &[width])], Atom::Len(2));
    let conditions = vec![Condition { inequality: needed, text: "6 <= out.len()".into(), access: "line 1: `out[5]`".into() }];
    let proof = RaceFreedom::Proved { grid_axes: 3, block_axes: 3, conditions };
    let bounds = [real.clone(), real, constant].map(|bound| Bound::Below(vec![bound])).to_vec();
    let analyzed = Analysis { conditions: Conditions::of(&bounds), bounds, ..analysis(&function, &proof) };
    let text = print_analyzed(&function, &analyzed, &source());
    expect![[r#"
        fn shown(
            __args: &Self::Args<'_>,
            __dims: &$LaunchDims,
        ) -> $Shown {
            #[allow(dead_code)]
            const N: usize = 3;
            let (__argument0, __argument1, _, _) = __args;
            let __value1 = (*__argument1 as u64)
                as i128;
            let __block1 = __dims.threads_along(1);
            let __len0 = (__argument0.len()) as i128;
            let __grid0 = __dims.blocks_along(0);
            $Shown::of(
                [
                    (2 * __value1 * __block1 + -1) < (__len0),
                    __dims
                        .is_below(
                            ::core::option::Option::Some(__grid0),
                            __dims.sum(&[1, 1, (N) as i128]),
                        ),
                ],
                false,
            )
        }
        #[inline]
        fn race_free(
            __args: &Self::Args<'_>,
            __dims: &$LaunchDims,
        ) -> ::core::result::Result<(), $Unmet> {
            #[allow(dead_code)]
            const N: usize = 3;
            let (_, _, __argument2, __argument3) = __args;
            let __value3_4size_5width = (__argument3.size.width
                as u64) as i128;
            let __len2 = (__argument2.len()) as i128;
            __dims
                .require(
                    ::core::option::Option::Some(1 + 5 * __value3_4size_5width),
                    ::core::option::Option::Some(__len2),
                    "6 <= out.len()",
                    "line 1: `out[5]`",
                )?;
            ::core::result::Result::Ok(())
        }
        #[inline]
    "#]]
    .assert_eq(&excerpt(&text, "fn shown", "fn run_blocks"));

    let bounds = vec![Bound::Below(Vec::new()); 3];
    let analyzed = Analysis { conditions: Conditions::of(&bounds), bounds, ..analysis(&function, &proved()) };
    let text = print_analyzed(&function, &analyzed, &source());
    assert!(!text.contains("fn shown"), "a launch is in bounds by default: {text}");
}

#[test]
fn a_refused_kernel_keeps_its_launcher_and_its_body() {
    let code = "fn k(x: &[f32]) { nothing }";
    let text = format(expand_fallback(&kernel(code), Some(&parse(code))));
    expect![[r#"
        const _: () = {
            fn k(x: &[f32]) {
                nothing
            }
        };
        #[cfg_attr(
            clippy,
            allow(
                clippy::elidable_lifetime_names,
                clippy::needless_lifetimes,
                clippy::used_underscore_binding
            )
        )]
        fn k<'a>(
            x: impl $IntoDeviceSlice<'a, f32>,
        ) -> ::gpu_runtime::Launch<'a, k::Kernel> {
            ::gpu_runtime::Launch::new((
                $IntoDeviceSlice::into_device_slice(x),
            ))
        }
    "#]]
    .assert_eq(&excerpt(&text, "const _: () = {", "#[allow("));
    assert!(text.contains("::gpu_runtime::Launch<'a, k::Kernel>"), "{text}");
    assert!(text.contains("$KernelDefinition for k::Kernel"), "{text}");
    assert!(text.contains("RaceFree for k::Kernel"), "nobody is told to write `unsafe`: {text}");
}

#[test]
fn the_path_of_the_runtime_holds_inside_the_module() {
    for (given, inside) in [("self::gpu", "super::gpu"), ("super::gpu", "super::super::gpu"), ("crate::gpu", "crate::gpu")] {
        let errors = Errors::new();
        let lowered = lower_function(
            Item::free(
                &parse("fn k(n: u32) {}"),
                kernel("fn k() {}").signature.kind,
                RuntimePath::trusted(syn::parse_str(given).expect("a path")),
            ),
            &errors,
        );
        let function = infer_function(lowered.expect("a sound signature"), &errors);
        errors.check().expect("an accepted function");
        let text = print(&function, &proved(), &source());
        let tools = format!(" {inside}::__private::kernel_tools!");
        assert!(text.contains(&format!("{given}::Launch<'a")) && text.contains(&tools), "{text}");
    }
}

#[test]
fn the_host_computes_by_the_functions_of_the_integers_alone() {
    for length in ["sizes::SIDE * n + 1", "(m % 3 - sizes::EDGE) as usize", "n.div_ceil(sizes::SIDE).min(n).saturating_sub(sizes::EDGE)"] {
        let function = kernel(&format!("fn k(n: usize, m: u32) {{ let own = dynamic_shared::<f32>({length}); }}"));
        let arrays = analysis(&function, &proved()).dynamic_arrays;
        let text = super::super::dynamic::expand_dynamic_shared(&function, &arrays).to_string();
        assert!(text.contains(":: core :: primitive :: usize > :: ") || text.contains(":: core :: primitive :: u32 > :: "), "{text}");
        for method in ["checked_add", "checked_sub", "checked_mul", "checked_rem", "div_ceil", "min", "saturating_sub"] {
            assert!(!text.contains(&format!(". {method}")), "{text}");
        }
    }
}
