//! A function that is refused can still be mapped, as far as its callers are concerned.

use gpu_runtime::prelude::*;

#[vectorize]
fn choose(x: f32) -> (f32, i32) {
    eprintln!("{}", x);
    (x, (x > 0.0) as i32)
}

fn main() -> gpu_runtime::Result<()> {
    let (x, i) = choose::map(&[1.0f32]).to_vec()?;
    println!("{x:?} {i:?} {:?}", choose(2.0));
    Ok(())
}
