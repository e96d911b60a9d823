//! Trains GPT-2.

use std::time::Instant;

use gpt2::adamw::Rates;
use gpt2::tokens::Tokens;
use gpt2::training::Batch;
use gpt2::{Activation, Config, Gpt, Training, checkpoint};
use gpu_runtime::cluster::{Communicator, on_all_devices, on_devices};
use gpu_runtime::prelude::*;
use half::bf16;

const HELP: &str = "\
Trains GPT-2 on tokens.

usage: gpt2 [OPTIONS] TOKENS

  TOKENS             a file as llm.c has them: scripts/data.py writes one
  --model FILE       weights to begin with, as llm.c has them; else random ones of GPT-2's size
  --save FILE        writes the weights at the end
  --bf16             activations and products of 16 bits; else products in TF32
  --batch N          sequences in a step, for each rank (4)
  --length N         tokens in a sequence (1024)
  --steps N          (20)
  --rate R           (3e-4)
  --decay D          of matrices (0)
  --no-graph         launches each kernel by itself
  --ranks N          so many GPUs of this host, or as many ranks that share the CPU; else all GPUs, or those of a launcher
  --cpu              runs on the CPU even where there is a GPU";

type Failure = Box<dyn std::error::Error>;

struct Options {
    tokens: String,
    model: Option<String>,
    save: Option<String>,
    bf16: bool,
    batch: usize,
    length: usize,
    steps: usize,
    rates: Rates,
    graph: bool,
    ranks: Option<usize>,
    cpu: bool,
}

impl Options {
    fn parse() -> Result<Self, Failure> {
        let (tokens, rates) = (String::new(), Rates::default());
        let (model, save, ranks) = (None, None, None);
        let mut options =
            Self { tokens, model, save, bf16: false, batch: 4, length: 1024, steps: 20, rates, graph: true, ranks, cpu: false };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
            match word.as_str() {
                "--help" | "-h" => {
                    println!("{HELP}");
                    std::process::exit(0)
                }
                "--model" => options.model = Some(value()?),
                "--save" => options.save = Some(value()?),
                "--bf16" => options.bf16 = true,
                "--batch" => options.batch = value()?.parse()?,
                "--length" => options.length = value()?.parse()?,
                "--steps" => options.steps = value()?.parse::<std::num::NonZero<usize>>()?.get(),
                "--rate" => options.rates.rate = value()?.parse()?,
                "--decay" => options.rates.decay = value()?.parse()?,
                "--no-graph" => options.graph = false,
                "--ranks" => options.ranks = Some(value()?.parse()?),
                "--cpu" => options.cpu = true,
                _ if word.starts_with("--") => return Err(format!("unknown option `{word}`; `--help` lists them").into()),
                _ => options.tokens = word,
            }
        }
        if options.tokens.is_empty() { Err("no tokens; `--help` shows the options".into()) } else { Ok(options) }
    }
}

fn main() -> Result<(), Failure> {
    let options = Options::parse()?;
    let tokens = Tokens::open(&options.tokens)?;
    let work = |ranks: &Communicator| Ok(train_and_say(&options, ranks, tokens.clone()));
    let outcomes = match (options.ranks, options.cpu) {
        (None, false) => on_all_devices(work),
        (ranks, true) => on_devices(&vec![Device::cpu(); ranks.unwrap_or(1)], work),
        (Some(ranks), false) => on_devices(&(0..ranks).map(Device::gpu).collect::<gpu_runtime::Result<Vec<_>>>()?, work),
    }?;
    Ok(outcomes.into_iter().collect::<Result<(), String>>()?)
}

/// Trains; an error goes from thread to thread as text.
fn train_and_say(options: &Options, ranks: &Communicator, tokens: Tokens) -> Result<(), String> {
    let outcome = if options.bf16 { train::<bf16>(options, ranks, tokens) } else { train::<f32>(options, ranks, tokens) };
    outcome.map_err(|failure| failure.to_string())
}

fn train<T: Activation>(options: &Options, ranks: &Communicator, mut tokens: Tokens) -> Result<(), Failure> {
    let device = ranks.device();
    let (config, model) = match &options.model {
        Some(path) => checkpoint::read(device, path)?,
        None => (Config::GPT2, Gpt::random(device, &Config::GPT2, 1)?),
    };
    let mut batch = Batch::new(device, options.batch, options.length)?;
    let mut training = Training::new(ranks, model)?;
    let (count, rates) = (options.batch * options.length, options.rates);
    let of_all = count * ranks.size();
    let mut graph = None;
    let mut times = Vec::new();
    for step in 1..=options.steps {
        let start = Instant::now();
        batch.set(&tokens.batch(of_all)[ranks.rank() * count..])?;
        match &mut graph {
            // It compiles the kernels.
            _ if step == 1 => training.first_step::<T>(ranks, &config, rates, &batch)?,
            _ if !options.graph => training.step::<T>(ranks, &config, rates, &batch)?,
            None => {
                let recorded =
                    Graph::record(device, (&mut training, &batch), |(training, batch)| training.step::<T>(ranks, &config, rates, batch))?;
                graph.insert(recorded).launch((&mut training, &batch))?;
            }
            Some(graph) => graph.launch((&mut training, &batch))?,
        }
        let loss = training.loss.to_host()?[0];
        let seconds = start.elapsed().as_secs_f64();
        if ranks.rank() == 0 {
            println!("step {step}: loss {loss:.6}, {:.2} ms, {:.0} tokens a second", seconds * 1e3, of_all as f64 / seconds);
        }
        times.push(seconds);
    }
    if ranks.rank() > 0 {
        return Ok(());
    }
    times.sort_by(f64::total_cmp);
    let (median, size) = (times[times.len() / 2], ranks.size());
    let teraflops = config.flops() * of_all as f64 / median / 1e12;
    println!("{size} × {device}: median {:.2} ms, {:.0} tokens a second, {teraflops:.0} TFLOP/s", median * 1e3, of_all as f64 / median);
    if let Some(path) = &options.save {
        checkpoint::write(&config, &training.model, path)?;
    }
    Ok(())
}
