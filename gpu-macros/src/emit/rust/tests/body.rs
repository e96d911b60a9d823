//! The twin's body: one test for each group of constructs.

use super::*;
use crate::infer::infer_function_in;
use crate::source_scope::Surroundings;
use expect_test::{Expect, expect};

/// Checks the twin of a kernel with these parameters and this body.
fn check_body(params: &str, body: &str, expected: Expect) {
    let text = print(&kernel(&format!("fn k({params}) {{ {body} }}")), &proved(), &source());
    expected.assert_eq(&excerpt(&text, "let __value: () = ", "#[allow(unreachable_code)]"));
}

#[test]
fn arithmetic_is_spelled_out() {
    check_body(
        "a: i32, b: u8, x: f32, flag: bool",
        "let c = -a + 2 * 3; let d = (b << a) >> 1u64; let e = -x * 2.; let f = -128i8; let g = a / 3 % c; let h = !flag & (a == c || x < 1.0);
         let mut i = a; i -= 1; i |= c; let mut y = x; y /= 2.0; let j = SOME + OTHER; let l = !SOME << -OTHER;",
        expect![[r#"
            let __value: () = {
                let c: i32 = __thread
                    .add(__thread.neg(a), __thread.mul(2i32, 3i32));
                let d: u8 = __thread
                    .shr(__thread.shl(b, a), 1u64);
                let e: f32 = (-x) * 2.0f32;
                let f: i8 = -128i8;
                let g: i32 = $ops::rem(
                    __thread,
                    (a / 3i32),
                    c,
                    1,
                )?;
                let h: bool = (!flag)
                    & ((a == c) || (x < 1.0f32));
                let mut i: i32 = a;
                {
                    let __value: i32 = 1i32;
                    i = __thread.sub(i, __value);
                };
                i |= c;
                let mut y: f32 = x;
                y /= 2.0f32;
                let j = __thread.add(SOME, OTHER);
                let l = __thread
                    .shl(
                        $ops::not(SOME),
                        __thread.neg(OTHER),
                    );
            };
        "#]],
    );
}

#[test]
fn methods_that_could_panic_are_replaced() {
    check_body(
        "a: i32, u: u32, x: f64",
        "let b = a.abs().pow(2).max(3); let c = x.abs().max(1.0).sin_cos().0; let d = a.rem_euclid(b); let e = x.rem_euclid(2.0); let f = a.clamp(0, b);
         let g = u.div_ceil(4) as f32; let h = u64::from(u); let i = f32::from_bits(u);",
        expect![[r#"
            let __value: () = {
                let b: i32 = ::core::cmp::Ord::max(
                    __thread.pow(__thread.abs(a), 2u32),
                    3i32,
                );
                let c: f64 = x.abs().max(1.0f64).sin_cos().0;
                let d: i32 = $ops::rem_euclid(
                    __thread,
                    a,
                    b,
                    0,
                )?;
                let e: f64 = x.rem_euclid(2.0f64);
                let f: i32 = {
                    let __value: i32 = a;
                    let __low: i32 = 0i32;
                    let __high: i32 = b;
                    if __thread.stops_unless(__low <= __high, 2) {
                        return $STOPPED;
                    }
                    ::core::cmp::Ord::clamp(__value, __low, __high)
                };
                let g: f32 = $ops::div_ceil(
                    __thread,
                    u,
                    4u32,
                    3,
                )? as f32;
                let h: u64 = ::gpu_runtime::calls::number_from::<
                    u64,
                    _,
                >(u);
                let i: f32 = f32::from_bits(
                    u,
                );
            };
        "#]],
    );
}

#[test]
fn places_are_evaluated_after_values() {
    check_body(
        "x: &[f32], out: &mut [f32], i: usize",
        "let mut tile = [[0.0; N]; 4]; tile[i][1] = x[i]; out[i] += tile[1][i]; let mut pair = (1, 2.0); (pair.0, _, out[i]) = (5, true, pair.1); pair.1 = 3.0; _ = pair;",
        expect![[r#"
            let __value: () = {
                let mut tile: [[f32; N]; 4] = [[0.0f32; N]; 4];
                {
                    let __value: f32 = x[{
                        if __thread.stops_at_read(i, &x, 0) {
                            return $STOPPED;
                        }
                        i
                    }];
                    if __thread.stops_at_index(i, 4, 1) {
                        return $STOPPED;
                    }
                    if __thread.stops_at_index(1usize, N, 2) {
                        return $STOPPED;
                    }
                    tile[i][1usize] = __value;
                };
                {
                    let __value: f32 = tile[{
                        if __thread.stops_at_index(1usize, 4, 4) {
                            return $STOPPED;
                        }
                        1usize
                    }][{
                        if __thread.stops_at_index(i, N, 5) {
                            return $STOPPED;
                        }
                        i
                    }];
                    if __thread.stops_at_update(i, &out, 3) {
                        return $STOPPED;
                    }
                    out[i] = out[i] + __value;
                };
                let mut pair: (i32, f32) = (
                    1i32,
                    2.0f32,
                );
                {
                    let (__value0, _, __value1) = (5i32, true, pair.1);
                    {
                        pair.0 = __value0;
                    }
                    {
                        if __thread.stops_at_write(i, &out, 6) {
                            return $STOPPED;
                        }
                        out[i] = __value1;
                    }
                };
                {
                    let __value: f32 = 3.0f32;
                    pair.1 = __value;
                };
                {
                    let _ = pair;
                };
            };
        "#]],
    );
}

#[test]
fn effects_in_the_index_of_a_row_happen_once() {
    check_body(
        "rows: &[[i32; 4]], mut k: usize",
        "let value = rows[{ k += 1; k }][2];",
        expect![[r#"
            let __value: () = {
                let value: i32 = ({
                    let __position: usize = {
                        {
                            let __value: usize = 1usize;
                            k = __thread.add(k, __value);
                        };
                        k
                    };
                    if __thread
                        .stops_at_index(
                            __position,
                            ::gpu_runtime::calls::length(&rows),
                            0,
                        )
                    {
                        return $STOPPED;
                    }
                    let __index0 = __position;
                    if __thread.stops_at_read(2usize, &rows[__index0], 1) {
                        return $STOPPED;
                    }
                    rows[__index0][2usize]
                });
            };
        "#]],
    );
}

#[test]
fn control_flow_stays_as_it_is() {
    check_body(
        "n: u32",
        "'a: for i in (0..n).rev().step_by(2) { for _ in 0..=n { if i == 2 { continue 'a; } else if i == 3 { break; } } }
         let v = 'b: { if n == 0 { break 'b 1; } 2 }; let w = loop { break v; }; while n > w { return; }
         assert!(n > 0); debug_assert!(n < 9); let late; late = n; for i in grid_stride(9) { panic!(\"no\"); }",
        expect![[r#"
            let __value: () = {
                'a: for i in ({
                    let __range = ::core::iter::Iterator::rev(0u32..n);
                    let __step: usize = 2usize;
                    if __thread.stops_unless(__step != 0, 0) {
                        return $STOPPED;
                    }
                    ::core::iter::Iterator::step_by(__range, __step)
                }) {
                    for _ in (0u32..=n) {
                        if (i == 2u32) {
                            continue 'a;
                        } else if (i == 3u32) {
                            break;
                        }
                    }
                }
                let v: u32 = 'b: {
                    if (n == 0u32) {
                        break 'b 1u32;
                    }
                    2u32
                };
                let w: u32 = loop {
                    break v;
                };
                while (n > w) {
                    return ::core::result::Result::Ok::<
                        _,
                        $Stop,
                    >(());
                }
                if __thread.stops_unless(n > 0u32, 1) {
                    return $STOPPED;
                }
                if ::core::cfg!(debug_assertions) {
                    if __thread.stops_unless(n < 9u32, 2) {
                        return $STOPPED;
                    }
                }
                let late: u32;
                late = n;
                for i in (({
                    let _ = grid_stride_as_called_here::__intrinsic;
                    ::gpu_runtime::intrinsics::grid_stride::__intrinsic
                })(__thread, 9usize)) {
                    return ::core::result::Result::Err(
                        __thread.fail(3, [0, 0]),
                    );
                }
            };
        "#]],
    );
}

#[test]
fn a_barrier_makes_the_twin_asynchronous() {
    let function = kernel("fn k(x: &[f32]) { let mut tile = gpu::shared::<[f32; 4]>(); tile[thread_idx().x] = x[0]; sync_threads(); }");
    expect![[r#"
        fn run_blocks(
            __args: &Self::Args<'_>,
            __blocks: $Blocks<'_>,
        ) -> ::core::result::Result<(), $Stop> {
            let (x,) = unsafe { $Arguments::host(__args) };
            __blocks
                .for_each_thread_async(|__thread| async move {
                    let __thread: &$Thread<'_> = &__thread;
                    let _ = ::gpu_runtime::calls::names_mean::<
                        (f32,),
                        (f32,),
                    >;
                    let __value: () = {
                        let mut tile = unsafe {
                            ({
                                let _ = gpu__shared_as_called_here::__intrinsic::<[f32; 4]>;
                                ::gpu_runtime::intrinsics::shared::__intrinsic::<[f32; 4]>
                            })(__thread, 0)
                        };
                        {
                            let __value: f32 = x[{
                                if __thread.stops_at_read(0usize, &x, 0) {
                                    return $STOPPED;
                                }
                                0usize
                            }];
                            let __position: usize = ({
                                let _ = thread_idx_as_called_here::__intrinsic;
                                ::gpu_runtime::intrinsics::thread_idx::__intrinsic
                            })(__thread)
                                .x;
                            if __thread.stops_at_write(__position, &tile, 1) {
                                return $STOPPED;
                            }
                            let __index0 = __position;
                            tile[__index0] = __value;
                        };
                        ({
                            let _ = sync_threads_as_called_here::__intrinsic;
                            ::gpu_runtime::intrinsics::sync_threads::__intrinsic
                        })(__thread, 2)
                            .await;
                    };
    "#]]
    .assert_eq(&excerpt(&print(&function, &proved(), &source()), "fn run_blocks", "#[allow(unreachable_code)]"));
}

#[test]
fn calls_pass_the_thread_and_handles() {
    check_body(
        "x: &[f32], out: &mut [f32], i: usize",
        "let mut rows = [[1.0f32; 2]; 3]; let last = [[2.0f32; 2]; 3]; a::f(x, out, &last[i], &mut rows[0], &mut out, f(1.0));",
        expect![[r#"
            let __value: () = {
                let mut rows: [[f32; 2]; 3] = [[1.0f32; 2]; 3];
                let last: [[f32; 2]; 3] = [[2.0f32; 2]; 3];
                (match <a__f_as_called_here::gpu_device>::on(__thread)
                    .call(
                        x,
                        $IntoSliceMut::into_slice_mut(
                            &mut out,
                        ),
                        {
                            if __thread.stops_at_index(i, 3, 0) {
                                return $STOPPED;
                            }
                            &last[i]
                        },
                        {
                            if __thread.stops_at_index(0usize, 3, 1) {
                                return $STOPPED;
                            }
                            &mut rows[0usize]
                        },
                        &mut out,
                        (match <f_as_called_here::gpu_device>::on(__thread)
                            .call(1.0)
                        {
                            ::core::result::Result::Ok(__value) => __value,
                            ::core::result::Result::Err(__stop) => {
                                return ::core::result::Result::Err(__stop);
                            }
                        }),
                    )
                {
                    ::core::result::Result::Ok(__value) => __value,
                    ::core::result::Result::Err(__stop) => {
                        return ::core::result::Result::Err(__stop);
                    }
                });
            };
        "#]],
    );
}

#[test]
fn an_atomic_is_found_before_its_arguments_are_evaluated() {
    check_body(
        "a: &[AtomicU32], f: &[AtomicF64], i: usize",
        "let old = a[i].block_scope().fetch_add(2, Ordering::Relaxed); f[0].store(1.0, Release);
         while a[1].compare_exchange(old, 3, Acquire, Relaxed).is_err() { spin_loop(); }
         a[0].fetch_inc_wrapping(7, Ordering::SeqCst);",
        expect![[r#"
            let __value: () = {
                let old: u32 = {
                    if __thread.stops_at_atomic(i, &a, 0) {
                        return $STOPPED;
                    }
                    let __atomic: &::core::sync::atomic::AtomicU32 = &a[i];
                    __atomic
                        .fetch_add(
                            2u32,
                            $ordering(
                                Ordering::Relaxed,
                                ::core::sync::atomic::Ordering::Relaxed,
                            ),
                        )
                };
                {
                    if __thread.stops_at_atomic(0usize, &f, 1) {
                        return $STOPPED;
                    }
                    let __atomic: &::gpu_runtime::atomic::AtomicF64 = &f[0usize];
                    __thread.synchronizes();
                    __atomic
                        .store(
                            1.0f64,
                            $ordering(
                                Release,
                                ::core::sync::atomic::Ordering::Release,
                            ),
                        )
                };
                while ({
                    if __thread.stops_at_atomic(1usize, &a, 2) {
                        return $STOPPED;
                    }
                    let __atomic: &::core::sync::atomic::AtomicU32 = &a[1usize];
                    __thread.synchronizes();
                    ::core::result::Result::is_err(
                        &__atomic
                            .compare_exchange(
                                old,
                                3u32,
                                $ordering(
                                    Acquire,
                                    ::core::sync::atomic::Ordering::Acquire,
                                ),
                                $ordering(
                                    Relaxed,
                                    ::core::sync::atomic::Ordering::Relaxed,
                                ),
                            ),
                    )
                }) {
                    ({
                        let _ = spin_loop;
                        __thread.give_way()
                    })
                        .await;
                }
                {
                    if __thread.stops_at_atomic(0usize, &a, 4) {
                        return $STOPPED;
                    }
                    let __atomic: &::core::sync::atomic::AtomicU32 = &a[0usize];
                    __thread.synchronizes();
                    ::gpu_runtime::atomic::AtomicCounter::fetch_inc_wrapping(
                        __atomic,
                        7u32,
                        $ordering(
                            Ordering::SeqCst,
                            ::core::sync::atomic::Ordering::SeqCst,
                        ),
                    )
                };
            };
        "#]],
    );
}

#[test]
fn numbers_of_constants_are_asserted_where_a_proof_relies_on_them() {
    let code = "fn k(out: &mut [u32]) { let i = grid_1d(); if i / GROUP < out.len() { out[i / GROUP] = 1; } }";
    let around = Surroundings::in_source(&format!("const GROUP: usize = 4 * 4; {code}"), "k");
    let errors = Errors::new();
    let item = parse(code);
    let item = Item::free(&item, FunctionKind::Kernel(KernelOptions::default()), RuntimePath::default());
    let function = infer_function_in(lower_function(item, &errors).expect("a kernel"), Some(around), &errors);
    errors.check().expect("the kernel is accepted");
    let expanded = |uses_numbers| print_analyzed(&function, &Analysis { uses_numbers, ..analysis(&function, &proved()) }, &source());
    let asserted = "let _: [(); 16] = [(); GROUP as usize];";
    assert!(expanded(true).contains(asserted), "{}", expanded(true));
    assert!(!expanded(false).contains("[(); GROUP"));
}
