//! Warnings about host arrays that are copied to a GPU again and again: they name the line of the program that does so.

#[path = "support/messages.rs"]
mod messages;
mod support;

use gpu_runtime::prelude::*;
use messages::Messages;
use support::gpu_or_skip;

#[guvectorize("(n)->()")]
fn total(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

/// What is warned of while `work` runs, twice.
fn warnings(work: impl Fn() -> gpu_runtime::Result<()>) -> Vec<String> {
    let messages = Messages::default();
    tracing::subscriber::with_default(messages.clone(), || {
        work().unwrap();
        work().unwrap();
    });
    messages.take().into_iter().filter(|message| message.contains("host arrays")).collect()
}

#[test]
fn each_line_that_copies_a_host_array_again_is_warned_of_by_its_name() {
    let Some(device) = gpu_or_skip("each_line_that_copies_a_host_array_again_is_warned_of_by_its_name") else { return };
    let x = vec![1.0f32; 100_000];
    let first = line!() + 2;
    let found = warnings(|| {
        total::map(&x).on(&device).to_vec()?;
        total::map(&x).on(&device).collect()?;
        let mut out = device.zeros::<f32>([])?;
        total::map(&x).on(&device).collect_into(&mut out)?;
        lazy(&x).on(&device).sum()?;
        lazy(&x).on(&device).collect()?;
        Ok(())
    });
    let lines = [first, first + 1, first + 3, first + 4, first + 5];
    assert_eq!(found.len(), lines.len(), "{found:?}");
    for (message, line) in found.iter().zip(lines) {
        assert!(message.contains(&format!("advice.rs:{line}:")), "line {line}: {message}");
    }
}
