//! A tool of GradBench: it answers the messages of an evaluation, one line of JSON each, on the GPU or on the CPU. See `README.md`.

mod ba;
mod descent;
mod det;
mod gmm;
mod hello;
mod ht;
mod input;
mod kmeans;
mod llsq;
mod lse;
mod lstm;
mod ode;
mod particle;
mod protocol;
mod saddle;
#[cfg(test)]
mod tests;

use std::io::{BufRead as _, Write as _};

use gpu_benches::Result;
use gpu_runtime::Device;

use protocol::Tool;

fn main() -> Result<()> {
    let device = match std::env::args().nth(1).as_deref() {
        None => Device::best()?,
        Some("--cpu") => Device::cpu(),
        Some("--gpu") => Device::gpu(0)?,
        Some(other) => return Err(format!("unknown argument `{other}`: write `--cpu`, `--gpu` or nothing").into()),
    };
    let tool = Tool::new(device);
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        writeln!(output, "{}", tool.answer(&line?)?)?;
        output.flush()?;
    }
    Ok(())
}
