//! Barriers of a block and functions of a warp: all of their threads must reach them.

use super::races::{assert_proved, assert_unproved, kernel_source, races, races_with};
use super::*;

#[test]
fn barriers_need_the_whole_block() {
    for body in [
        "if n > 3 { sync_threads(); }",
        "if block_idx().x == 0 { sync_threads(); }",
        "let i = grid_1d(); if i >= n { return; } sync_threads();",
        "for k in 0..n { if k == w { break; } sync_threads(); }",
        "let mut s = n; while s > 0 { s /= 2; sync_threads(); }",
        "for k in 0..x.len() { if x[k] > 0.0 { sync_threads(); } }",
        "if n > 3 && { sync_threads(); true } { }",
        // A constant beside a literal is a number, of whatever type.
        "if T > 1 { sync_threads(); }",
        "if sizes::T >= 2 { if thread_idx().x < 256 { let y = x[n]; } sync_threads(); }",
        "let mut s = T / 2; while s > 0 { sync_threads(); s /= 2; }",
        "let mut s = sizes::T - 1; while s > 1 { sync_threads(); s >>= 1; }",
        "let wide = T % 2 == 0; if wide && T + 1 > 2 { sync_threads(); }",
    ] {
        assert_proved(body, "3 3");
    }
    for body in [
        // Constants and results that may have operators of the user's.
        "if T > sizes::T { sync_threads(); }",
        "if T > sizes::T * 2 { sync_threads(); }",
        "let w = f(n); if w * T > 1 { sync_threads(); }",
        "let mut w = T * 2; w = w * f(n); if w > 1 { sync_threads(); }",
        "let mut w = T * 2; w += thread_idx().x; if w > 1 { sync_threads(); }",
        "let w = f(T); if w > 1 { sync_threads(); }",
        "if T.width > 1 { sync_threads(); }",
        "if thread_idx().x == 0 { sync_threads(); }",
        "if grid_1d() < n { } else { sync_threads(); }",
        "let t = thread_idx().x; let late = t > 3; if late { sync_threads(); }",
        "for k in 0..thread_idx().x { sync_threads(); }",
        "for i in grid_stride(n) { sync_threads(); }",
        "let mut s = 0; if thread_idx().x == 0 { s = 1; } if s == 1 { sync_threads(); }",
        "let mut s = thread_idx().x; while s > 0 { s -= 1; sync_threads(); }",
        "let t = thread_idx().x; for k in 0..n { if k == t { break; } sync_threads(); }",
        "let t = thread_idx().x; for k in 0..n { if k == t { continue; } sync_threads(); }",
        "let t = thread_idx().x; let mut k = 0; loop { k += 1; if k > t { break; } } if k > 3 { sync_threads(); }",
        "let t = thread_idx().x; 'a: for k in 0..n { for j in 0..n { if j == t { continue 'a; } } sync_threads(); }",
        "let t = thread_idx().x; 'a: { if t > 3 { break 'a; } sync_threads(); }",
        "let i = grid_1d(); if x[i] > 0.0 { sync_threads(); }",
        "let mut tile = shared::<[u32; 4]>(); if tile[0] > 0 { sync_threads(); }",
        "let mut a = [0; 4]; a[0] = thread_idx().x; if a[0] > 0 { sync_threads(); }",
        "let t = thread_idx().x; if t > 3 && { sync_threads(); true } { }",
        "let mut late = 0; let mut early = 0; for _ in 0..n { if early > 0 { sync_threads(); } early = late; late = thread_idx().x; }",
    ] {
        assert_unproved(body);
    }
}

#[test]
fn what_a_block_agreed_on_may_decide_about_barriers() {
    for body in [
        "let t = thread_idx().x; if sync_threads_or(t > 3) { sync_threads(); }",
        "let mut more = true; while sync_threads_or(more) { more = x[thread_idx().x] > 0.0; sync_threads(); }",
        "let n = sync_threads_count(x[grid_1d()] > 0.0); for k in 0..n { sync_threads(); }",
        "let all = sync_threads_and(x[grid_1d()] > 0.0); let mut k = 0; if all { k = 2; } if k == 2 { let s = warp_sum(1); }",
    ] {
        assert_proved(body, "3 3");
    }
    assert_unproved("let t = thread_idx().x; if sync_threads_or(t > 3) && t > 1 { sync_threads(); }");
    assert_unproved("if sync_threads_count(true) > thread_idx().x { sync_threads(); }");
}

#[test]
fn what_all_threads_read_between_two_barriers_may_decide_about_barriers() {
    for body in [
        // One thread writes, all read.
        "let mut s = shared::<u32>(); if t == 0 { *s = ids[n]; } sync_threads(); let v = *s; sync_threads(); if v > 3 { sync_threads(); }",
        "let mut s = shared::<u32>(); if t == 0 { *s = ids[n]; } sync_threads(); if *s > 3 { sync_threads(); }",
        "let mut s = shared::<u32>(); loop { if t == 0 { *s = ids[n]; } sync_threads(); let v = *s; sync_threads(); if v > 3 { break; } }",
        "let mut s = shared::<u32>(); let mut v = 9; while v > 3 { if t == 0 { *s = ids[n]; } sync_threads(); v = *s; sync_threads(); }",
        // Each writes, all read one.
        "let mut s = shared::<[u32; 256]>(); s[t] = ids[grid_1d()]; sync_threads(); if s[0] + s[n] > 3 { sync_threads(); }",
        "let mut s = shared::<[u32; 256]>(); for k in 0..n { s[t] = ids[k]; sync_threads(); for _ in 0..s[k] { sync_threads(); } sync_threads(); }",
        "let mut s = shared::<[[u32; 4]; 64]>(); s[t / 4][t % 4] = 1; sync_threads(); if s[n][block_idx().x] > 3 { sync_threads(); }",
        "let mut s = dynamic_shared::<u32>(n); s[t] = 1; sync_threads(); if s[0] > 3 { sync_threads(); }",
        // The threads that are still there.
        "let mut s = shared::<u32>(); if grid_1d() >= n { return; } *s = 1; sync_threads(); if *s > 3 { sync_threads(); }",
        // Where they race, one value remains.
        "let mut s = shared::<u32>(); *s = ids[grid_1d()]; sync_threads(); if *s > 3 { sync_threads(); }",
        "let mut s = shared::<u32>(); *s = ids[n]; sync_threads(); let v = *s; sync_threads(); *s = ids[v as usize]; sync_threads(); if *s > v { sync_threads(); }",
        "let mut s = shared::<u32>(); let mut r = shared::<u32>(); *s = 1; sync_threads(); *r = t as u32; if *s > 3 { sync_threads(); }",
        "let mut s = shared::<u32>(); if warp_id() == 0 { *s = 1; } sync_threads(); if warp_id() == 1 { if *s > 3 { sync_warp(); } }",
    ] {
        assert_proved(&format!("let t = thread_idx().x; {body}"), "3 3");
    }
    for body in [
        // The next round writes what a slow thread still reads.
        "let mut s = shared::<u32>(); loop { if t == 0 { *s = ids[n]; } sync_threads(); let v = *s; if v > 3 { break; } }",
        "let mut s = shared::<u32>(); let mut v = 9; while v > 3 { if t == 0 { *s = ids[n]; } sync_threads(); v = *s; }",
        "let mut s = shared::<u32>(); loop { if t == 0 { *s = ids[n]; } if n > 3 { sync_threads(); } let v = *s; sync_threads(); if v > 3 { break; } }",
        "let mut s = shared::<u32>(); loop { if t == 0 { *s = ids[n]; } sync_threads(); let v = *s; if n > 3 { sync_threads(); } if v > 3 { break; } }",
        "let mut s = shared::<u32>(); *s = 1; sync_threads(); let v = *s; *s = 2; if v > 3 { sync_threads(); }",
        "let mut s = shared::<u32>(); *s = 1; sync_threads(); *s += 1; if *s > 3 { sync_threads(); }",
        "let mut s = shared::<u32>(); *s = 1; sync_threads(); let v = *s; if t == 0 { let r = &mut *s; *r = 2; } if v > 3 { sync_threads(); }",
        "let mut s = shared::<[u32; 4]>(); s[0] = 1; sync_threads(); let v = s[0]; for e in s.iter_mut() { *e = 2; } if v > 3 { sync_threads(); }",
        "let mut s = shared::<[u32; 4]>(); s[0] = 1; sync_threads(); let v = s[0]; s[1..3].fill(2); if v > 3 { sync_threads(); }",
        "let mut s = shared::<[u32; 4]>(); s[0] = 1; sync_threads(); let v = s[0]; s.swap(0, 1); if v > 3 { sync_threads(); }",
        "let mut s = shared::<[u32; 4]>(); s[0] = 1; sync_threads(); let v = s[0]; change(&mut s); if v > 3 { sync_threads(); }",
        "let mut s = shared::<[u32; 4]>(); s[0] = 1; sync_threads(); let v = s[0]; change(&mut s[1]); if v > 3 { sync_threads(); }",
        // Each its own element.
        "let mut s = shared::<[u32; 256]>(); s[t] = 1; sync_threads(); if s[t] > 3 { sync_threads(); }",
        "let mut s = shared::<[[u32; 4]; 64]>(); s[t / 4][t % 4] = 1; sync_threads(); if s[t][0] > 3 { sync_threads(); }",
        "let mut s = shared::<[[u32; 4]; 64]>(); s[t / 4][t % 4] = 1; sync_threads(); if s[0][t] > 3 { sync_threads(); }",
        // No barrier since the write, or none since another array's.
        "let mut s = shared::<u32>(); *s = 1; if *s > 3 { sync_threads(); }",
        "let mut s = shared::<u32>(); *s = 1; sync_warp(); if *s > 3 { sync_threads(); }",
        "let mut s = shared::<u32>(); let mut r = shared::<u32>(); *r = 1; sync_threads(); *s = 1; if *s > 3 { sync_threads(); }",
        // Never written.
        "let mut s = shared::<[u32; 4]>(); sync_threads(); if s[0] > 3 { sync_threads(); }",
        "let s = shared::<AtomicU32>(); s.store(1, Relaxed); sync_threads(); if s.load(Relaxed) > 3 { sync_threads(); }",
        "let s = shared::<[AtomicU32; 4]>(); s[0].store(1, Relaxed); sync_threads(); if s[0].load(Relaxed) > 3 { sync_threads(); }",
        // Other blocks read another value.
        "let mut s = shared::<u32>(); *s = 1; sync_threads(); if *s > 3 { sync_grid(); }",
    ] {
        assert_unproved(&format!("let t = thread_idx().x; {body}"));
    }
}

#[test]
fn a_condition_that_differs_is_divergent_however_it_is_spelled() {
    for condition in [
        // Variables.
        "let k; if t > 3 { k = 1 } else { k = 2 } if k == 1 { sync_threads(); }",
        "let mut k = 0; let mut j = t; std::mem::swap(&mut k, &mut j); if k > 3 { sync_threads(); }",
        "let mut k = n; let old = std::mem::replace(&mut k, t); if k > 3 { sync_threads(); }",
        "let (mut k, mut j) = (n, t); (k, j) = (j, k); if k > 3 { sync_threads(); }",
        "let mut pair = (n, n); pair.0 += t; if pair.0 > 3 { sync_threads(); }",
        "let mut pair = (n, n); pair.0 = t; let (a, _) = pair; if a > 3 { sync_threads(); }",
        "let mut k = n; let mut add = |v: usize| k += v; add(t); if k > 3 { sync_threads(); }",
        "let k = n; { let k = t; if k > 3 { sync_threads(); } }",
        "let k = t; { let k = n; let j = k; } if k > 3 { sync_threads(); }",
        "let mut k = n; let r = &mut k; *r = t; if k > 3 { sync_threads(); }",
        "let mut k = [n; 2]; k[0] = t; if k[1] > 3 { sync_threads(); }",
        "let mut k = [n; 2]; for v in k.iter_mut() { *v = t; } if k[0] > 3 { sync_threads(); }",
        "let k = [n, t]; if k[1] > 3 { sync_threads(); }",
        "let k = [n, t]; let [_, b] = k; if b > 3 { sync_threads(); }",
        "let mut k = 0; for _ in 0..n { k += t; } if k > 3 { sync_threads(); }",
        "let mut k = 0; let mut j = 0; for _ in 0..n { k = j; j = t; } if k > 3 { sync_threads(); }",
        // Operators and conversions.
        "let b = t > 3; if b ^ true { sync_threads(); }",
        "if (t > 3) as u32 == 1 { sync_threads(); }",
        "if !(n > 3 && t > 3) { sync_threads(); }",
        "if n > 3 || t > 3 { sync_threads(); }",
        "if (t as f32).sqrt() > 3.0 { sync_threads(); }",
        "if n.min(t) > 3 { sync_threads(); }",
        "if n > 3 && { let b = t > 3; b } { sync_threads(); }",
        "if { if t > 3 { return; } true } && { if t == 2 { false } else { true } } { sync_threads(); }",
        "let v = match n { 0 => t, _ => 0 }; if v > 3 { sync_threads(); }",
        "let v = 'a: { if t > 3 { break 'a 1; } 2 }; if v == 1 { sync_threads(); }",
        "let v = loop { break t; }; if v == 1 { sync_threads(); }",
        "let mut k = 0; let v = loop { k += 1; if k > t { break 1; } if k > n { break 2; } }; if v == 1 { sync_threads(); }",
        // Patterns.
        "if matches!(t, 0..=3) { sync_threads(); }",
        "match (n, t) { (_, 0) => sync_threads(), _ => {} }",
        "match n { k if k > t => sync_threads(), _ => {} }",
        "match n { 0 if t > 3 => {} 0 => sync_threads(), _ => {} }",
        "if let (0, k @ 1..=3) = (n, t) { sync_threads(); }",
        "let 0..=3 = t else { sync_threads(); return; };",
        "for k in 0..n { let 0..=3 = t else { continue; }; sync_threads(); }",
        "match t.cmp(&n) { std::cmp::Ordering::Less => sync_threads(), _ => {} }",
        // Options.
        "let o = if t > 3 { Some(1) } else { None }; if o.is_some() { sync_threads(); }",
        "let o = if t > 3 { Some(1) } else { None }; if let Some(_) = o { sync_threads(); }",
        "let o = Some(t); if let Some(k) = o { if k > 3 { sync_threads(); } }",
        "let o = n.checked_sub(t); if o.is_none() { sync_threads(); }",
        "let k = n.checked_sub(t).unwrap_or(0); if k > 3 { sync_threads(); }",
        "if x.get(t).is_some() { sync_threads(); }",
        "if let Some(v) = x.first() { if *v > t as f32 { sync_threads(); } }",
        // Loops.
        "for k in (t..n).rev() { sync_threads(); }",
        "for k in (0..n).step_by(t + 1) { sync_threads(); }",
        "for k in 0..n.min(t) { sync_threads(); }",
        "for c in x.chunks(t + 1) { sync_threads(); }",
        "for c in x.windows(t + 1) { sync_threads(); }",
        "for c in x[..t].iter() { sync_threads(); }",
        "for (a, b) in x.iter().zip(0..t) { sync_threads(); }",
        "for a in x.iter().take(t) { sync_threads(); }",
        "for a in x.iter().skip(t) { sync_threads(); }",
        "for a in x.iter().step_by(t + 1) { sync_threads(); }",
        "for a in x.iter().take_while(|v| **v > t as f32) { sync_threads(); }",
        "for a in x.iter().filter(|v| **v > t as f32) { sync_threads(); }",
        "for a in 0..n { for b in 0..n { if b == t { break; } } if a == t { break; } sync_threads(); }",
        "'a: loop { loop { if t > 3 { break 'a; } break; } sync_threads(); }",
        "'a: for k in 0..n { for j in 0..n { if j > t { continue 'a; } sync_threads(); } }",
        "let mut k = 0; while { k += 1; k < t } { sync_threads(); }",
        "let mut k = 0; while k < n { k += if t > 3 { 1 } else { 2 }; sync_threads(); }",
        "for k in 0..n { if k > 3 { if t > 3 { return; } else { break; } } } for k in 0..t { sync_threads(); }",
        // What a function does is not known.
        "if f(n) > 3 { sync_threads(); }",
        "let g = |v: usize| v + t; if g(n) > 3 { sync_threads(); }",
    ] {
        assert_unproved(&format!("let t = thread_idx().x; {condition}"));
    }
    // What differs is not what decides.
    for condition in [
        "let mut k = n; let r = &mut k; *r = 3; sync_threads(); let j = t; if n > j { } if n > 3 { sync_threads(); }",
        "let mut k = n; k += 1; let v = match k { 0 => 1, _ => 2 }; if v == 1 { sync_threads(); }",
        "let o = n.checked_sub(3); if let Some(k) = o { if k > 3 { sync_threads(); } }",
        "for a in x.iter().take(n).skip(2) { sync_threads(); }",
        "let mut s = shared::<[u32; 8]>(); s[t] = 1; sync_threads(); let mut sum = 0; for v in s.iter() { sum += *v; } if sum > 3 { sync_threads(); }",
        "let mut s = shared::<[u32; 8]>(); s[t] = 1; sync_threads(); let sum: u32 = s.iter().sum(); if sum > 3 { sync_threads(); }",
    ] {
        assert_proved(&format!("let t = thread_idx().x; {condition}"), "3 3");
    }
}

#[test]
fn a_barrier_inside_a_read_is_one_before_it() {
    for body in [
        "let v = s[0][{ sync_threads(); 0 }]; s[0][0] = 2; if v > 3 { sync_threads(); }",
        "let v = s[{ sync_threads(); 0 }][0]; s[0][0] = 2; if v > 3 { sync_threads(); }",
        "let v = s[0][0] + { sync_threads(); s[0][0] }; s[0][0] = 2; if v > 3 { sync_threads(); }",
        "s[0][{ sync_threads(); 0 }] = 2; if s[0][0] > 3 { sync_threads(); }",
        "s[0][0] = { sync_threads(); 2 }; if s[0][0] > 3 { sync_threads(); }",
        "if { sync_threads(); s[0][0] = 2; s[0][0] } > 3 { sync_threads(); }",
        "let (mut a, mut b) = (0, 1); if thread_idx().x > 3 { (a, b) = (b, a); } sync_threads(); if s[a][0] > 3 { sync_threads(); }",
    ] {
        assert_unproved(&format!("let mut s = shared::<[[u32; 4]; 4]>(); s[0][1] = 1; sync_threads(); {body}"));
    }
    for body in [
        "std::mem::swap(&mut a, &mut b); sync_threads(); if a[0] > 3 { sync_threads(); }",
        "for k in 0..n { b[0] = a[0]; sync_threads(); if b[1] > 3 { break; } sync_threads(); (a, b) = (b, a); }",
    ] {
        let arrays = "let mut a = shared::<[u32; 4]>(); let mut b = shared::<[u32; 4]>(); a[0] = 1; b[0] = 2; sync_threads();";
        assert_proved(&format!("{arrays} {body}"), "3 3");
    }
    for body in [
        "if thread_idx().x > 3 { std::mem::swap(&mut a, &mut b); } sync_threads(); if a[0] > 3 { sync_threads(); }",
        "for k in 0..thread_idx().x { (a, b) = (b, a); } sync_threads(); if a[0] > 3 { sync_threads(); }",
        "for k in 0..n { b[0] = a[0]; sync_threads(); if b[1] > 3 { break; } (a, b) = (b, a); }",
    ] {
        let arrays = "let mut a = shared::<[u32; 4]>(); let mut b = shared::<[u32; 4]>(); a[0] = 1; b[0] = 2; sync_threads();";
        assert_unproved(&format!("{arrays} {body}"));
    }
}

#[test]
fn what_a_warp_gets_from_one_lane_may_decide_about_its_functions() {
    for body in [
        "let v = warp_shuffle(x[grid_1d()], 0); if v > 3.0 { sync_warp(); }",
        "loop { let mut slot = 0; if lane_id() == 0 { slot = ids[n]; } slot = warp_shuffle(slot, 0); if slot >= w32 { break; } }",
        "let v = warp_shuffle(thread_idx().x, 64); while v > warp_shuffle(n, 0) { sync_warp(); }",
        "let v = warp_shuffle(n, 0); if v > 3 { return; } sync_warp();",
        "let v = warp_shuffle_in(n, 0, 0xffff_ffff) + warp_sum_in(1, 0xffff_ffff); if v > 3 { sync_warp(); }",
    ] {
        assert_proved(body, "3 3");
    }
    for body in [
        "let v = warp_shuffle(n, lane_id()); if v > 3 { sync_warp(); }",
        "let v = warp_shuffle(n, 0); if v > 3 { sync_threads(); }",
        "let v = warp_shuffle_down(n, 1); if v > 3 { sync_warp(); }",
        "let v = warp_shuffle_in(n, 0, 0xffff); if v > 3 { sync_warp(); }",
        "let v = warp_shuffle_xor(n, 0); if v > 3 { sync_warp(); }",
        // No thread of the last warp may have that lane.
        "let v = warp_shuffle(n, 5); if v > 3 { sync_warp(); }",
        "let v = warp_shuffle(n, warp_id()); if v > 3 { sync_warp(); }",
        // That thread may have returned.
        "if grid_1d() >= n { return; } let v = warp_shuffle(n, 0); if v > 3 { sync_warp(); }",
        "for k in 0..n { let v = warp_shuffle(n, 0); if v > 3 { sync_warp(); } if thread_idx().x == k { return; } }",
    ] {
        assert_unproved(body);
    }
    let of_lane = |lane: &str| kernel_source(&format!("let v = warp_shuffle(n, {lane}); if v > 3 {{ sync_warp(); }}"));
    for (block, lane) in [("64", "31"), ("64", "warp_id()"), ("(16, 2)", "31"), ("40", "7"), ("40", "32")] {
        assert_eq!(races_with(&format!("block = {block}"), &of_lane(lane)), "proved 3 3", "{block}, {lane}");
    }
    for (block, lane) in [("40", "8"), ("40", "warp_id()"), ("(5, 3)", "15")] {
        assert!(races_with(&format!("block = {block}"), &of_lane(lane)).starts_with("unproved"), "{block}, {lane}");
    }
}

#[test]
fn functions_of_a_warp_need_the_whole_warp() {
    for body in [
        "let s = warp_sum(x[grid_1d()]);",
        "if n > 3 { sync_warp(); }",
        "if warp_id() == 0 { let s = warp_max(thread_idx().x); }",
        "for k in 0..warp_id() { sync_warp(); }",
        "let mut v = thread_idx().x; while warp_any(v > 0) { v = v / 2; }",
        "if warp_all(x[grid_1d()] > 0.0) { let b = warp_ballot(true); if b == 7 { sync_warp(); } }",
        "let i = grid_1d(); if i >= n { return; } let s = warp_shuffle_down(x[i], 1);",
        "let s = warp_sum_in(x[grid_1d()], 0xffff_ffff);",
    ] {
        assert_proved(body, "3 3");
    }
    for body in [
        "if thread_idx().x < 32 { let s = warp_sum(1); }",
        "if lane_id() < 16 { sync_warp(); }",
        "let t = thread_idx().x; while t > 3 && warp_any(true) { }",
        "if warp_id() == 0 { sync_threads(); }",
        "if warp_any(true) { sync_threads(); }",
        "let mut k = 0; if warp_id() == 1 { k = 1; } if k == 1 { sync_threads(); }",
        "let s = warp_sum_in(1, 0xffff);",
        "if grid_1d() / 32 < n { sync_warp(); }",
        "sync_warp_in(active_mask());",
        "if warp_match_any(n) == 3 { sync_warp(); }",
    ] {
        assert_unproved(body);
    }
    // What divides the threads between two warps is the same for each.
    for condition in [
        "t < 32",
        "t <= 31",
        "32 > t",
        "t >= 64 * w",
        "!(t as i32 > 31)",
        "t as u32 / 32 == 0",
        "(t as i32) / 32 == 1",
        "grid_1d() as u32 / 64 < w32",
        "(grid_1d() as u32 + 64) / 32 < w32",
        "(block_idx().x * 64 + t) >> 5 < n",
        "grid_1d() as u16 as u32 >= 96",
    ] {
        let source = kernel_source(&format!("let t = thread_idx().x; if {condition} {{ sync_warp(); }}"));
        assert_eq!(races_with("block = 64", &source), "proved 3 3", "{condition}");
    }
    for condition in [
        "t < 31",
        "t <= 32",
        "t > 32",
        "t < n",
        "t == 32",
        "t + t % 7 < 32",
        "t * 3 % 64 < 32",
        "(grid_1d() as u32 + 16) / 32 < w32",
        "grid_1d() as u8 as i8 / 32 == 0",
    ] {
        let source = kernel_source(&format!("let t = thread_idx().x; if {condition} {{ sync_warp(); }}"));
        assert!(races_with("block = 64", &source).starts_with("unproved"), "{condition}");
    }
    // Of signed integers that do not overflow.
    let row = kernel_source("let row = grid_1d() as i32 / 32; if row < n as i32 { let s = warp_sum(1); out[grid_1d()] = 1.0; }");
    let conditions = races_with("block = 64", &row);
    assert!(conditions.starts_with("proved 1 1 if ") && conditions.contains("-1+64*grid.x < +2147483648"), "{conditions}");
    // Whole warps, and parts of two.
    let row = kernel_source("if grid_1d() / 32 < n { sync_warp(); }");
    assert_eq!(races_with("block = 64", &row), "proved 3 3");
    assert!(races_with("block = 48", &row).starts_with("unproved"));
    assert_eq!(
        races("let t = thread_idx().x;\nif t > 3 {\nsync_warp();\n}"),
        "unproved: line 4: `sync_warp()` is under a condition that can differ between threads of a warp"
    );
    assert_eq!(
        races("sync_warp_in(3);"),
        "unproved: line 2: `sync_warp_in()` waits for the threads of a mask, which the proof does not follow"
    );
}

#[test]
fn a_device_function_with_barriers_is_for_the_whole_block() {
    assert_proved("let s = summed(x[grid_1d()]).await;", "3 3");
    assert_proved("if sync_threads_or(x[grid_1d()] > 0.0) { let s = summed(1.0).await; }", "3 3");
    assert_unproved("if warp_id() == 0 { let s = summed(1.0).await; }");
    assert_unproved("let v: f32 = summed(1.0).await; if v > 3.0 { sync_threads(); }");
}

#[test]
fn a_parameter_that_changes_is_what_the_block_agrees_on_in_a_device_function() {
    assert_eq!(uniform("mut v: f32, mut n: usize", "while n > 0 { n -= 1; sync_threads(); } v = 1.0;"), "n");
    assert_ne!(misses("async fn f(mut n: usize) { n += thread_idx().x; while n > 0 { n -= 1; sync_threads(); } }"), "");
    assert_proved("let mut k = n; while k > 0 { k -= 1; sync_threads(); }", "3 3");
}

fn async_function(source: &str, errors: &Errors) -> Function {
    let item: syn::ItemFn = syn::parse_str(source).unwrap_or_else(|error| panic!("{error}: {source}"));
    let lowered = lower_function(Item::free(&item, FunctionKind::Device, RuntimePath::default()), errors);
    infer_function(lowered.expect("a device function"), errors)
}

/// What is wrong with an `async` device function.
pub(super) fn misses(source: &str) -> String {
    let errors = Errors::new();
    check_collectives(&async_function(source, &errors), &errors);
    errors.check().map_or_else(|error| error.to_string(), |()| String::new())
}

/// The parameters that barriers depend on, and for each awaited call `argument: parameters`, or `argument: !` if it differs in any case.
fn uniform(parameters: &str, body: &str) -> String {
    let errors = Errors::new();
    let function = async_function(&format!("async fn f({parameters}) {{ {body} }}"), &errors);
    check_collectives(&function, &errors);
    errors.check().unwrap_or_else(|error| panic!("{error}: {body}"));
    let UniformParameters { required, calls, .. } = find_uniformity(&function, &walk(&function));
    let names = |set: ParameterSet| -> String {
        let names = set.numbers().map(|number| function.local(function.params[number].local).name.to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    let calls = calls.iter().map(|UniformArguments { divergent, through, decides }| {
        let differing = divergent.numbers().map(|argument| format!("{argument}: !"));
        let through = through.iter().map(|(argument, parameters)| format!("{argument}: {}", names(*parameters)));
        let decides = decides.map(|divergent| format!("decides with {divergent:?}").replace("ParameterSet", ""));
        differing.chain(through).chain(decides).collect::<Vec<_>>().join(", ")
    });
    std::iter::once(names(required)).chain(calls).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_condition_around_a_barrier_names_the_parameters_that_a_block_agrees_on() {
    for (body, expected) in [
        ("sync_threads();", ""),
        ("if v > 0.0 { sync_threads(); }", "v"),
        ("if v > 0.0 && n > 3 { sync_threads(); }", "v n"),
        ("for k in 0..n { sync_threads(); }", "n"),
        ("for k in 0..n { if k % 2 == m { sync_threads(); } }", "n m"),
        ("if v > 0.0 { return; } sync_threads();", "v"),
        ("sync_threads(); for k in 0..3 { if v > 0.0 { return; } }", "v"),
        ("let mut k = n; if v > 1.0 { k = m; } if k > 0 { sync_threads(); }", "v n m"),
        ("match n { 0 => {} 1 if m > 0 => sync_threads(), _ => {} }", "n m"),
        ("let all = sync_threads_and(v > 0.0); if all { sync_threads(); }", ""),
        ("if block_idx().x < n { sync_threads(); }", "n"),
        ("if pair.0 > 0 { sync_threads(); }", "pair"),
        ("g(v, n).await;", "; 0: v, 1: n"),
        ("g(v, 1, n + m, n + thread_idx().x, block_idx().x).await;", "; 3: !, 0: v, 2: n m"),
        ("if n > 0 { g(v).await; }", "n; 0: v"),
        ("let mut k = 0; while k < n { g(k).await; k += m; }", "n m; 0: n m"),
        ("g(x[0]).await;", "; 0: !"),
        ("let s = g(1).await; h(s).await;", "; ; 0: !"),
    ] {
        assert_eq!(uniform("v: f32, n: usize, m: usize, pair: (i32, f32), x: &[f32]", body), expected, "{body}");
    }
}

/// The parameters, and `call(its arguments that differ)`, that must be uniform so that the result is.
fn uniform_result(body: &str) -> String {
    let source = format!("async fn f(v: f32, n: usize, x: &[f32]) -> f32 {{ {body} }}");
    let errors = Errors::new();
    let function = async_function(&source, &errors);
    errors.check().unwrap_or_else(|error| panic!("{error}: {body}"));
    let Some(UniformResult { parameters, calls }) = find_uniformity(&function, &walk(&function)).result else { return "never".into() };
    let names = parameters.numbers().map(|number| function.local(function.params[number].local).name.to_string());
    let calls = calls.into_iter().map(|(number, divergent)| format!("{number}({})", divergent.0));
    names.chain(calls).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_result_of_a_device_function_may_be_one_for_the_block() {
    let shared = "let mut s = shared::<[f32; 32]>(); s[lane_id()] = v; sync_threads();";
    for (body, expected) in [
        ("1.0", ""),
        ("v", "v"),
        ("v * n as f32", "v n"),
        ("v + lane_id() as f32", "never"),
        ("x[0]", "never"),
        ("if sync_threads_or(v > 0.0) { 1.0 } else { v }", "v"),
        ("if sync_threads_or(v > 0.0) { return 1.0; } 2.0", ""),
        ("if v > 0.0 { return 1.0; } 2.0", "v"),
        ("if x[0] > 0.0 { return 1.0; } 2.0", "never"),
        ("let mut a = 1.0; if n > 3 { a = 2.0; } a", "n"),
        ("warp_sum(v)", "never"),
        ("let a = g(v).await; a", "0(1)"),
        ("let (a, b): (f32, f32) = (g(1.0).await, h(v, n).await); a + b", "0(0) 1(3)"),
        ("g(v).await; let b: f32 = h(v).await; b * v", "v 1(0)"),
        ("let a: f32 = g(v).await; h(a).await", "1(1)"),
    ] {
        assert_eq!(uniform_result(body), expected, "{body}");
    }
    for (body, expected) in [
        ("let a = s[0]; sync_threads(); a", ""),
        ("let mut a = s[0]; for k in 1..block_dim().x { a += s[k]; } sync_threads(); a", ""),
        ("let mut a = s[0]; for k in 1..n { a = a.max(s[k]); } sync_threads(); a", "n"),
        ("let mut a = s[0]; for k in 1..warp_id() { a += s[k]; } sync_threads(); a", "never"),
        ("let a = s[0]; a", "never"),
        ("let a = s[lane_id()]; sync_threads(); a", "never"),
    ] {
        assert_eq!(uniform_result(&format!("{shared} {body}")), expected, "{body}");
    }
    let generic = "async fn f<T: Num>(v: T) -> T { let mut s = shared::<[T; 32]>(); s[lane_id()] = v; sync_threads(); \
                   let mut a = s[0]; for k in 1..block_dim().x { a = (a + s[k]).min(s[k]); } sync_threads(); a }";
    let errors = Errors::new();
    let function = async_function(generic, &errors);
    errors.check().expect("a device function without errors");
    assert!(find_uniformity(&function, &walk(&function)).result.is_some_and(|result| result.parameters.is_empty()));
}

#[test]
fn what_a_call_returns_may_decide_about_barriers() {
    for (body, expected) in [
        ("let s: f32 = g(v).await; if s > 0.0 { sync_threads(); }", "; 0: v, decides with (1)"),
        ("let s: usize = g(n).await; let r: usize = g(v).await; if n > s { sync_threads(); }", "n; 0: n, decides with (0); 0: v"),
        ("let mut s: u32 = 1; while s > 0 { s = g(s).await; }", "; 0: !, decides with (0)"),
    ] {
        assert_eq!(uniform("v: f32, n: usize, x: &[f32]", body), expected, "{body}");
    }
    for body in [
        "let s: f32 = g(v).await; if s > x[0] { sync_threads(); }",
        "let s: f32 = g(v).await; if lane_id() == 0 { let r: f32 = g(s).await; }",
        "let s: f32 = g(v).await; if s > 0.0 { sync_grid(); }",
    ] {
        assert_ne!(misses(&format!("async fn f(v: f32, n: usize, x: &[f32]) {{ {body} }}")), "", "{body}");
    }
}

#[test]
fn a_kernel_whose_barriers_depend_on_a_call_is_proved_if_the_result_is_one_for_the_block() {
    let proof = |body: &str| {
        let function = kernel(&kernel_source(body));
        let crate::check::Analysis { race_freedom, uniformity, .. } = super::super::analysis::analyze(&function, Vec::new());
        let deciding = uniformity.calls.into_iter().filter_map(|call| call.decides).map(|ParameterSet(divergent)| divergent);
        (matches!(race_freedom, RaceFreedom::Proved { .. }), deciding.collect::<Vec<_>>())
    };
    for (body, deciding) in [
        ("let v: f32 = summed(x[grid_1d()]).await; if v > 3.0 { sync_threads(); }", vec![1]),
        ("let v: f32 = summed(x[grid_1d()], n).await; let u: f32 = summed(1.0).await; while v > 3.0 { sync_threads(); }", vec![1]),
        ("let v: f32 = summed(1.0).await; let u: f32 = summed(v, n).await; if u > 3.0 { sync_threads(); }", vec![1]),
        ("let v: f32 = summed(1.0).await; out[grid_1d()] = v;", vec![]),
    ] {
        assert_eq!(proof(body), (true, deciding), "{body}");
    }
    for body in [
        "let v: f32 = summed(1.0).await; if v > x[grid_1d()] { sync_threads(); }",
        "let v: f32 = summed(1.0).await; if v > 3.0 { sync_grid(); }",
        "let v: f32 = summed(1.0); if v > 3.0 { sync_threads(); }",
    ] {
        assert_eq!(proof(body), (false, vec![]), "{body}");
    }
}

#[test]
fn every_thread_reaches_the_barriers_of_a_device_function() {
    for body in [
        "let mut d = 1; while d < block_dim().x { sync_threads(); d *= 2; } v",
        "for k in 0..x.len() { sync_threads(); } v",
        "if warp_id() == 0 { warp_sum(v) } else { v }",
        "let all = sync_threads_and(v > 0.0); if all { return v; } sync_threads(); v",
        "if v > 0.0 { return v; } v + 1.0",
        "let mut sums = shared::<[f32; 32]>(); sums[lane_id()] = v; sync_threads(); sums[0]",
        "let mut sums = shared::<[f32; 32]>(); sums[lane_id()] = v; sync_threads(); let s = sums[0]; sync_threads(); if s > 0.0 { sync_threads(); } v",
        "g(v).await",
    ] {
        assert_eq!(misses(&format!("async fn f(v: f32, n: usize, x: &[f32]) -> f32 {{ {body} }}")), "", "{body}");
    }
    for body in [
        "let v = v + lane_id() as f32; if v > 0.0 { sync_threads(); } v",
        "for k in 0..n { if k == thread_idx().x { sync_threads(); } } v",
        "if v > x[0] { return v; } sync_threads(); v",
        "sync_threads(); for k in 0..3 { if x[k] > 0.0 { return v; } } v",
        "if x[0] > 0.0 { sync_warp(); } v",
        // Its next call writes while slow threads read.
        "let mut sums = shared::<[f32; 32]>(); sums[lane_id()] = v; sync_threads(); if sums[0] > 0.0 { sync_warp(); } v",
        "let mut sums = shared::<[f32; 32]>(); sums[lane_id()] = v; sync_threads(); if sums[0] > 0.0 { sync_threads(); } v",
        "let mut sums = shared::<[f32; 32]>(); let s = sums[0]; sync_threads(); sums[lane_id()] = v; if s > 0.0 { sync_threads(); } v",
        "let mut sums = shared::<[f32; 32]>(); if n > 3 { return v; } sums[lane_id()] = v; sync_threads(); let s = sums[0]; if n > 1 { return v; } sync_threads(); if s > 0.0 { sync_threads(); } v",
        // Its callers may have lost threads.
        "let s = warp_shuffle(v, 0); if s > 0.0 { sync_warp(); } v",
        "let mut n = n; while n > thread_idx().y { n -= 1; sync_threads(); } v",
        "let w = &v; if *w > 0.0 { sync_threads(); } let mut u = v; let r = &mut u; *r = x[0]; if u > 0.0 { sync_threads(); } v",
        "if lane_id() == 0 { g(v).await } else { v }",
        "warp_sum_in(v, 0xff)",
    ] {
        assert_ne!(misses(&format!("async fn f(v: f32, n: usize, x: &[f32]) -> f32 {{ {body} }}")), "", "{body}");
    }
}

#[test]
fn a_barrier_in_an_arm_is_reached_together_or_unproved() {
    for body in [
        "match n { 0 => sync_threads(), _ => {} }",
        "match block_idx().x { 0 => {} k if k < n => sync_threads(), _ => sync_threads() }",
        "let 0..=7 = n else { return; }; sync_threads();",
        "let mut k = n; while let 1.. = k { k -= 1; sync_threads(); }",
    ] {
        let body = format!("{body} out[grid_1d()] = 1.0;");
        assert_proved(&body, "1 1");
    }
    for body in [
        "match thread_idx().x { 0 => sync_threads(), _ => {} }",
        "match n { 0 => {} _ if thread_idx().x == 0 => {} _ => sync_threads() }",
        "match n { _ if x[grid_1d()] > 0.0 => sync_threads(), _ => {} }",
        "if let 0 = thread_idx().x { sync_threads(); }",
        "if let 0 = n { } else if let 1 = thread_idx().y { } else { sync_threads(); }",
        "let mut k = thread_idx().x; while let 1.. = k { k -= 1; sync_threads(); }",
        "loop { match thread_idx().x { 0 => break, _ => {} } sync_threads(); }",
        "loop { let 1.. = thread_idx().x else { break; }; sync_threads(); }",
        "let Some(k) = ids[grid_1d()].checked_add(1) else { sync_threads(); return; };",
    ] {
        assert_unproved(&format!("{body} out[grid_1d()] = 1.0;"));
    }
}

/// Behind a loop that threads leave in different rounds, its counter differs, and what is added up in it.
#[test]
fn what_rounds_change_differs_between_threads_that_leave_in_different_ones() {
    let leaving = "if k == thread_idx().x { last = k; break 'o; }";
    for body in [
        &format!("let mut last = 0; 'o: {{ for k in 0..n {{ {leaving} }} return; }} if last > 3 {{ sync_threads(); }}"),
        &format!("let mut last = 0; 'o: {{ for k in 0..n {{ {leaving} }} panic!(); }} if last > 3 {{ sync_threads(); }}"),
        &format!("let mut last = 0; 'o: loop {{ for k in 0..n {{ {leaving} }} }} if last > 3 {{ sync_threads(); }}"),
        "let mut at = 0u32; 'o: { for k in 0..60usize { if k == thread_idx().x { break 'o; } at += 2; } return; } if at > 3 { sync_threads(); }",
        "let mut at = 0; 'o: { for k in 0..60usize { if k == thread_idx().x / 32 { break 'o; } at += 2; } return; } if at > 3 { sync_threads(); }",
    ] {
        assert_unproved(&format!("{body} out[grid_1d()] = 1.0;"));
    }
    // Where the whole block leaves, it is in one round.
    let body = "let mut last = 0; 'o: { for k in 0..n { if k == w { last = k; break 'o; } } return; } if last > 3 { sync_threads(); }";
    assert_proved(&format!("{body} out[grid_1d()] = 1.0;"), "1 1");
}

#[test]
fn a_proof_under_a_condition_does_not_tell_a_barrier_that_arrays_are_alone() {
    let sees = |body: &str| sees_others_writes("block = 256", body);
    assert!(!sees("out[grid_1d()] = 1.0; sync_threads(); out[grid_1d()] += 1.0;"));
    assert!(!sees("let i = block_idx().x * n + thread_idx().x; out[i] = 1.0; out[i] += 1.0;"), "nothing orders threads");
    assert!(sees("let i = block_idx().x * n + thread_idx().x; out[i] = 1.0; sync_threads(); out[i] += 1.0;"));
    assert!(sees("let i = thread_idx().x; out[i] = 1.0; sync_threads(); out[n] += 1.0;"));
}

#[test]
fn a_proof_about_fewer_axes_does_not_tell_a_barrier_that_arrays_are_alone() {
    // A thread with another y may be the one that writes, in a launch that somebody vouches for.
    let body = "let i = grid_1d(); if thread_idx().y == 0 { out[i] = 1.0; } sync_threads(); out[n] = out[i];";
    let alone = "let i = grid_1d(); out[i] = 1.0; sync_threads(); out[i] += 1.0;";
    assert!(sees_others_writes("", body));
    assert!(sees_others_writes("", alone));
    assert!(sees_others_writes("block = (32, 2)", alone));
    assert!(!sees_others_writes("block = 32", alone));
    // Blocks with another y are ordered by more than a barrier of the block.
    assert!(sees_others_writes("block = 32", "let i = grid_1d(); out[i] = 1.0; sync_grid(); out[i] += 1.0;"));
}

fn sees_others_writes(arguments: &str, body: &str) -> bool {
    let function = kernel_with(arguments, &format!("fn k(n: usize, out: &mut [f32]) {{ {body} }}"));
    super::super::analysis::analyze(&function, Vec::new()).sees_others_writes
}
