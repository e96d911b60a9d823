//! Array functions: the module that maps and folds arrays, and what the runtime knows of them.

use super::*;
use expect_test::expect;

#[test]
fn an_array_function_has_a_module_that_maps_and_folds_arrays() {
    let reduction = Some(Reduction { identity: Some(syn::parse_quote!(T::ZERO)) });
    let kind = FunctionKind::Array(ArrayOptions { fmad: false, reduction });
    let text = print(&model("fn f<T: Num>(r#in: T, A: T) -> T { r#in + A }", kind), &proved(), &source());
    expect![[r#"
        pub(super) enum gpu_device {}
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub(super) use ::gpu_runtime::calls::unknown_function as itself;
        #[doc(hidden)]
        pub(super) struct in_thread<'t, 'b> {
            pub(super) thread: &'t ::gpu_runtime::calls::Thread<'b>,
        }
        ///The function `f` as a type.
        pub(super) struct Function<T> {
            types: ::core::marker::PhantomData<(T,)>,
        }
        /**`f` of the elements of arrays, as a lazy array: it is computed when it is collected or reduced.

        rgument is a device array, a host slice, a number or another lazy array. Their shapes are broadcast.*/
        pub(super) fn map<T: ::gpu_runtime::Num, A, B>(
            r#in: impl ::gpu_runtime::IntoLazy<T, Expression = A>,
            A: impl ::gpu_runtime::IntoLazy<T, Expression = B>,
        ) -> ::gpu_runtime::Lazy<
            $Apply<self::Function<T>, (A, B)>,
        > {
            ::gpu_runtime::Lazy::new(
                $Apply::new((
                    ::gpu_runtime::Lazy::into_inner(
                        ::gpu_runtime::IntoLazy::into_lazy(r#in),
                    ),
                    ::gpu_runtime::Lazy::into_inner(::gpu_runtime::IntoLazy::into_lazy(A)),
                )),
            )
        }
        /**`f` of every element of the first array with every element of the second (NumPy: `outer`), as a lazy array: it is computed when it is collected or reduced.

        shape is the shape of the first array followed by the shape of the second.*/
        pub(super) fn outer<
            T: ::gpu_runtime::Num,
            A: $Expression,
            B: $Expression,
        >(
            r#in: impl ::gpu_runtime::IntoLazy<T, Expression = A>,
            A: impl ::gpu_runtime::IntoLazy<T, Expression = B>,
        ) -> ::gpu_runtime::Lazy<
            $Apply<
                self::Function<T>,
                ($AppendAxes<A>, B),
            >,
        > {
            $outer(
                ::gpu_runtime::IntoLazy::into_lazy(r#in),
                ::gpu_runtime::IntoLazy::into_lazy(A),
            )
        }
        /**Sets `target[i]` to the `f` of `target[i]` and a value, for every index and its value (NumPy: `at`).

        ces and values are broadcast. An index may occur more than once: its updates happen in the order of the indices. On a GPU, functions for which CUDA has an atomic operation update in any order, and functions that are associative may combine neighbouring values first.

    "#]].assert_eq(&excerpt(&text, "pub(super) enum gpu_device", "# Errors"));
    assert!(text.contains("type Instance = f::Function<T>;"), "{text}");
    expect![[r#"
        unsafe impl<T: ::gpu_runtime::Num> $ArrayFunction
        for f::Function<T> {
            type Args = (T, T);
            type Output = T;
            const NAME: &'static str = "f";
            const FMAD: bool = false;
            const ASSOCIATIVE: bool = true;
            fn source() -> &'static $SourceUnit {
                <Self as ::gpu_runtime::calls::DeviceInstance>::UNIT
            }
            #[inline(always)]
            fn call(
                __thread: &$Thread<'_>,
                (__argument0, __argument1): Self::Args,
            ) -> ::core::result::Result<T, $Stop> {
                f::gpu_device::on(__thread).call::<T>(__argument0, __argument1)
            }
        }
        impl<T: ::gpu_runtime::Num> $ReduceFunction
        for f::Function<T> {
            fn identity() -> ::core::option::Option<T> {
                ::core::option::Option::Some(const { T::ZERO })
            }
            #[inline(always)]
            fn combine(
                __thread: &$Thread<'_>,
                __a: T,
                __b: T,
            ) -> ::core::result::Result<T, $Stop> {
                <Self as $ArrayFunction>::call(__thread, (__a, __b))
            }
        }

    "#]]
    .assert_eq(&excerpt(&text, "unsafe impl<T: ::gpu_runtime::Num> $ArrayFunction", "THE END"));
}

#[test]
fn a_fold_of_pairs_takes_their_components() {
    let kind = FunctionKind::Array(ArrayOptions { fmad: true, reduction: Some(Reduction { identity: None }) });
    let text = print(&model("fn f(a: f32, i: u32, b: f32, j: u32) -> (f32, u32) { (a + b, i + j) }", kind), &proved(), &source());
    expect![[r#"
        impl $ReduceFunction for f::Function {
            fn identity() -> ::core::option::Option<
                (f32, u32),
            > {
                ::core::option::Option::None
            }
            #[inline(always)]
            fn combine(
                __thread: &$Thread<'_>,
                __a: (f32, u32),
                __b: (f32, u32),
            ) -> ::core::result::Result<
                (f32, u32),
                $Stop,
            > {
                <Self as $ArrayFunction>::call(
                    __thread,
                    (__a.0, __a.1, __b.0, __b.1),
                )
            }
        }

    "#]]
    .assert_eq(&excerpt(&text, "$ReduceFunction for", "THE END"));
    expect![[r#"
        pub(super) fn reduce_axis<
            A: ::gpu_runtime::IntoLazy<(f32, u32)>,
        >(
            array: A,
            axis: impl ::core::convert::Into<::gpu_runtime::Axes>,
        ) -> ::gpu_runtime::Result<
            (
                ::gpu_runtime::DeviceArray<f32>,
                ::gpu_runtime::DeviceArray<u32>,
            ),
        > {
    "#]]
    .assert_eq(&excerpt(&text, "pub(super) fn reduce_axis", "$reduce_axis"));
}
