//! Device functions.

use super::super::expand_fallback;
use super::*;
use expect_test::expect;

#[test]
fn a_device_function_is_callable_on_the_host_and_in_kernels() {
    let function = device("pub fn f(x: &[f32], out: &mut [f32], mut i: usize) -> f32 { if i == 0 { return 0.5; } i -= 1; x[i] }");
    expect![[r##"
        #[inline]
        #[allow(clippy::used_underscore_binding)]
        pub fn f(x: &[f32], out: &mut [f32], i: usize) -> f32 {
            $on_host(|__thread| {
                f::gpu_device::on(__thread).call(x, out, i)
            })
        }
        #[allow(dead_code, non_camel_case_types)]
        #[doc(hidden)]
        pub mod f {
            ///The device function `f` as kernels see it.
            pub struct gpu_device;
            #[doc(hidden)]
            #[allow(unused_imports)]
            pub use ::gpu_runtime::calls::unknown_function as itself;
            #[doc(hidden)]
            pub struct in_thread<'t, 'b> {
                pub thread: &'t ::gpu_runtime::calls::Thread<'b>,
            }
        }
        #[cfg_attr(
            clippy,
            allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)
        )]
        #[allow(unused_braces, unused_parens)]
        #[doc(hidden)]
        const _: () = {
            static __SITES: $Sites = $Sites::new(
                ::core::file!(),
                "1:95i",
                &[],
            );
            impl f::gpu_device {
                #[inline(always)]
                pub fn on<'t, 'b>(
                    __thread: &'t $Thread<'b>,
                ) -> f::in_thread<'t, 'b> {
                    f::in_thread { thread: __thread }
                }
                #[allow(unused)]
                pub fn on_async(
                    _: &$Thread<'_>,
                ) -> <Self as ::gpu_runtime::calls::missing::IsAsync>::Output
                where
                    for<'unmet> Self: ::gpu_runtime::calls::missing::IsAsync,
                {
                    ::core::unreachable!()
                }
                #[inline(always)]
                fn __host() {
                    let _ = f;
                }
            }
            impl<'t, 'b> f::in_thread<'t, 'b> {
                #[inline]
                pub fn call<'a0, 'a1>(
                    self,
                    x: impl $IntoSlice<'a0, f32>,
                    out: impl $IntoSliceMut<'a1, f32>,
                    i: usize,
                ) -> ::core::result::Result<f32, $Stop> {
                    let __thread = self.thread;
                    f::gpu_device::__host();
                    let __thread = &__thread.in_function(&__SITES);
                    let x = $IntoSlice::into_slice(x);
                    #[allow(unused_mut)]
                    let mut out = $IntoSliceMut::into_slice_mut(out);
                    #[allow(unused_mut)]
                    let mut i = i;
                    let _ = ::gpu_runtime::calls::names_mean::<
                        (f32, usize),
                        (f32, usize),
                    >;
                    let __value: f32 = {
                        if (i == 0usize) {
                            {
                                let __value: f32 = 0.5f32;
                                return ::core::result::Result::Ok::<
                                    _,
                                    $Stop,
                                >(__value);
                            };
                        }
                        {
                            let __value: usize = 1usize;
                            i = __thread.sub(i, __value);
                        };
                        x[{
                            if __thread.stops_at_read(i, &x, 0) {
                                return ::core::result::Result::Err(
                                    $Stop,
                                );
                            }
                            i
                        }]
                    };
                    #[allow(unreachable_code)]
                    return ::core::result::Result::Ok::<
                        _,
                        $Stop,
                    >(__value);
                }
            }
            pub struct __Instance(::core::marker::PhantomData<()>);
            unsafe impl ::gpu_runtime::calls::DeviceInstance for __Instance {
                const UNIT: &'static $SourceUnit = {
                    &$SourceUnit {
                        name: "k",
                        prototype: &[],
                        body: &[],
                        snippets: &[],
                        sites: &__SITES,
                        several_elements: false,
                    }
                };
            }
            unsafe impl<
                Explicit_,
                Evidence_,
            > ::gpu_runtime::calls::DeviceFunction<Explicit_, Evidence_> for f::gpu_device {
                type Output = f32;
                type Instance = __Instance;
            }
        };
    "##]]
    .assert_eq(&print(&function, &proved(), &source()));
}

#[test]
fn a_generic_device_function_says_where_its_types_are_found() {
    let function = device("fn f<T: Float, U>(x: &[T], y: U, k: i32, z: T) -> T where U: Num { x[0] + T::from_f64(0.5) * z }");
    let text = print(&function, &proved(), &source());
    expect![[r#"
        fn f<T: Float, U>(x: &[T], y: U, k: i32, z: T) -> T
        where
            U: Num,
        {
            $on_host(|__thread| {
                f::gpu_device::on(__thread).call::<T, U>(x, y, k, z)
            })
        }
    "#]]
    .assert_eq(&excerpt(&text, "fn f<", "#[allow(dead_code"));
    expect![[r#"
        pub fn call<'a0, T: ::gpu_runtime::Float, U: ::gpu_runtime::Num>(
            self,
            x: impl $IntoSlice<'a0, T>,
            y: U,
            k: i32,
            z: T,
        ) -> ::core::result::Result<T, $Stop> {
            let __thread = self.thread;
            f::gpu_device::__host::<T, U>();
            let __thread = &__thread.in_function(&__SITES);
            let x = $IntoSlice::into_slice(x);
            let _ = ::gpu_runtime::calls::names_mean::<
                (i32,),
                (i32,),
            >;
            let __value: T = {
                __thread
                    .add(
                        x[{
                            if __thread.stops_at_read(0usize, &x, 0) {
                                return ::core::result::Result::Err(
                                    $Stop,
                                );
                            }
                            0usize
                        }],
                        __thread.mul(<T as ::gpu_runtime::Float>::from_f64(0.5f64), z),
                    )
            };
            #[allow(unreachable_code)]
            return ::core::result::Result::Ok::<
                _,
                $Stop,
            >(__value);
        }

        struct __Instance<T, U>(::core::marker::PhantomData<(T, U)>);
        fe impl<
        T: ::gpu_runtime::Float,
        U: ::gpu_runtime::Num,
        gpu_runtime::calls::DeviceInstance for __Instance<T, U> {
        const UNIT: &'static $SourceUnit = {
            &$SourceUnit {
                name: "k",
                prototype: &[],
                body: &[],
                snippets: &[],
                sites: &__SITES,
                several_elements: false,
            }
        };

        fe impl<
        Explicit_: ::gpu_runtime::calls::Explicit,
        Output_,
        Argument0_,
        Argument1_,
        Argument2_,
        Argument3_,
        T: ::gpu_runtime::Float,
        U: ::gpu_runtime::Num,
        gpu_runtime::calls::DeviceFunction<
        Explicit_,
        (Output_, Argument0_, Argument1_, Argument2_, Argument3_),
        r f::gpu_device
        e
        (
            <Explicit_ as ::gpu_runtime::calls::Explicit>::P0,
            (Argument0_, (Argument3_, (Output_, ()))),
        ): ::gpu_runtime::calls::Evidence<Type = T>,
        (
            <Explicit_ as ::gpu_runtime::calls::Explicit>::P1,
            (Argument1_, ()),
        ): ::gpu_runtime::calls::Evidence<Type = U>,

        type Output = T;
        type Instance = __Instance<T, U>;


    "#]]
    .assert_eq(&excerpt(&text, "pub fn call", "fn __host"));
    expect![[r#"
        impl<'t, 'b> f::in_thread<'t, 'b> {
            #[inline]
            pub fn call<'a0, T: ::gpu_runtime::Float, U: ::gpu_runtime::Num>(
                self,
                x: impl $IntoSlice<'a0, T>,
                y: U,
                k: i32,
                z: T,
            ) -> ::core::result::Result<T, $Stop> {
                let __thread = self.thread;
                f::gpu_device::__host::<T, U>();
                let __thread = &__thread.in_function(&__SITES);
                let x = $IntoSlice::into_slice(x);
                let _ = ::gpu_runtime::calls::names_mean::<
                    (i32,),
                    (i32,),
                >;
                let __value: T = {
                    __thread
                        .add(
                            x[{
                                if __thread.stops_at_read(0usize, &x, 0) {
                                    return ::core::result::Result::Err(
                                        $Stop,
                                    );
                                }
                                0usize
                            }],
                            __thread.mul(<T as ::gpu_runtime::Float>::from_f64(0.5f64), z),
                        )
                };
                #[allow(unreachable_code)]
                return ::core::result::Result::Ok::<
                    _,
                    $Stop,
                >(__value);
            }
        }
        pub struct __Instance<T, U>(::core::marker::PhantomData<(T, U)>);
        unsafe impl<
            T: ::gpu_runtime::Float,
            U: ::gpu_runtime::Num,
        > ::gpu_runtime::calls::DeviceInstance for __Instance<T, U> {
            const UNIT: &'static $SourceUnit = {
                &$SourceUnit {
                    name: "k",
                    prototype: &[],
                    body: &[],
                    snippets: &[],
                    sites: &__SITES,
                    several_elements: false,
                }
            };
        }
        unsafe impl<
            Explicit_: ::gpu_runtime::calls::Explicit,
            Output_,
            Argument0_,
            Argument1_,
            Argument2_,
            Argument3_,
            T: ::gpu_runtime::Float,
            U: ::gpu_runtime::Num,
        > ::gpu_runtime::calls::DeviceFunction<
            Explicit_,
            (Output_, Argument0_, Argument1_, Argument2_, Argument3_),
        > for f::gpu_device
        where
            (
                <Explicit_ as ::gpu_runtime::calls::Explicit>::P0,
                (Argument0_, (Argument3_, (Output_, ()))),
            ): ::gpu_runtime::calls::Evidence<Type = T>,
            (
                <Explicit_ as ::gpu_runtime::calls::Explicit>::P1,
                (Argument1_, ()),
            ): ::gpu_runtime::calls::Evidence<Type = U>,
        {
            type Output = T;
            type Instance = __Instance<T, U>;
        }

    "#]]
    .assert_eq(&excerpt(&text, "    impl<", "\n};"));
}

#[test]
fn a_refused_device_function_can_still_be_called() {
    let code = "fn f(x: &[f32], k: i32) -> f32 { nothing }";
    let text = format(expand_fallback(&device(code), Some(&parse(code))));
    expect![[r##"
        #[allow(elided_lifetimes_in_paths)]
        #[allow(unused)]
        fn f(x: &[f32], k: i32) -> f32 {
            nothing
        }
        #[allow(dead_code, non_camel_case_types)]
        #[doc(hidden)]
        mod f {
            ///The device function `f` as kernels see it.
            pub(super) struct gpu_device;
            #[doc(hidden)]
            #[allow(unused_imports)]
            pub(super) use ::gpu_runtime::calls::unknown_function as itself;
            #[doc(hidden)]
            pub(super) struct in_thread<'t, 'b> {
                pub(super) thread: &'t ::gpu_runtime::calls::Thread<'b>,
            }
        }
        #[allow(unused)]
        const _: () = {
            impl f::gpu_device {
                #[inline(always)]
                pub fn on<'t, 'b>(
                    __thread: &'t $Thread<'b>,
                ) -> f::in_thread<'t, 'b> {
                    f::in_thread { thread: __thread }
                }
                #[allow(unused)]
                pub fn on_async(
                    _: &$Thread<'_>,
                ) -> <Self as ::gpu_runtime::calls::missing::IsAsync>::Output
                where
                    for<'unmet> Self: ::gpu_runtime::calls::missing::IsAsync,
                {
                    ::core::unreachable!()
                }
            }
            impl<'t, 'b> f::in_thread<'t, 'b> {
                #[inline]
                pub fn call<'a0>(
                    self,
                    x: impl $IntoSlice<'a0, f32>,
                    k: i32,
                ) -> ::core::result::Result<f32, $Stop> {
                    let __thread = self.thread;
                    ::core::unreachable!()
                }
            }
            pub struct __Instance(::core::marker::PhantomData<()>);
            unsafe impl ::gpu_runtime::calls::DeviceInstance for __Instance {
                const UNIT: &'static $SourceUnit = {
                    &$SourceUnit {
                        name: "",
                        prototype: &[],
                        body: &[],
                        snippets: &[],
                        sites: &$Sites::none_in(::core::file!()),
                        several_elements: false,
                    }
                };
            }
            unsafe impl<
                Explicit_,
                Evidence_,
            > ::gpu_runtime::calls::DeviceFunction<Explicit_, Evidence_> for f::gpu_device {
                type Output = f32;
                type Instance = __Instance;
            }
        };
    "##]]
    .assert_eq(&text);
}
