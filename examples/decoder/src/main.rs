//! Continues a prompt, or answers it.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use decoder::Decoder;
use decoder::gguf::Gguf;
use decoder::model::Model;
use decoder::sample::Sampler;
use decoder::tokenizer::Tokenizer;
use gpu_examples::Failure;
use gpu_runtime::prelude::*;

const HELP: &str = "\
Answers a prompt by a language model.

usage: decoder [OPTIONS] PROMPT

  --model FILE       a GGUF file; else $DECODER_MODEL, else SmolLM2-135M-Instruct.Q4_1.gguf in this folder
  --tokens N         the longest answer (256)
  --context N        the longest prompt and answer together (2048)
  --temperature T    0 takes the most likely token (0); with more, the answer is drawn by chance
  --top-k K          from the K most likely tokens (40)
  --top-p P          and of these from so many as have the probability P together (0.95)
  --seed S           other numbers, other answers (1)
  --plain            continues the prompt instead of answering it
  --ids              prints the numbers of the tokens
  --cpu              runs on the CPU even where there is a GPU";

struct Options {
    model: String,
    prompt: Option<String>,
    tokens: usize,
    context: usize,
    sampler: Sampler,
    plain: bool,
    ids: bool,
    cpu: bool,
}

impl Options {
    fn parse() -> Result<Self, Failure> {
        let model = std::env::var("DECODER_MODEL").unwrap_or_else(|_| "SmolLM2-135M-Instruct.Q4_1.gguf".into());
        let sampler = Sampler { temperature: 0.0, ..Sampler::new(0.0, 40, 0.95, 1) };
        let mut options = Self { model, prompt: None, tokens: 256, context: 2048, sampler, plain: false, ids: false, cpu: false };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
            match word.as_str() {
                "--help" | "-h" => {
                    println!("{HELP}");
                    std::process::exit(0)
                }
                "--model" => options.model = value()?,
                "--tokens" => options.tokens = value()?.parse()?,
                "--context" => options.context = value()?.parse()?,
                "--temperature" => options.sampler.temperature = value()?.parse()?,
                "--top-k" => options.sampler.top_k = value()?.parse()?,
                "--top-p" => options.sampler.top_p = value()?.parse()?,
                "--seed" => options.sampler.state = value()?.parse()?,
                "--plain" => options.plain = true,
                "--ids" => options.ids = true,
                "--cpu" => options.cpu = true,
                _ if word.starts_with("--") => return Err(format!("unknown option `{word}`; `--help` lists them").into()),
                _ => options.prompt = Some(word),
            }
        }
        Ok(options)
    }

    /// The prompt in the form of a conversation, as the model has learned it.
    fn text(&self) -> Result<String, Failure> {
        let prompt = self.prompt.as_ref().ok_or("no prompt; `--help` shows the options")?;
        Ok(if self.plain { prompt.clone() } else { decoder::tokenizer::conversation(prompt) })
    }
}

fn main() -> Result<(), Failure> {
    let mut options = Options::parse()?;
    let device = if options.cpu { Device::cpu() } else { Device::best()? };
    let text = options.text()?;
    progress(&format!("reading {} …", options.model));
    let file = Gguf::open(&options.model)?;
    let tokenizer = Tokenizer::new(&file)?;
    let model = Model::load(&device, &file, options.context)?;
    let mut decoder = Decoder::new(&model)?;
    let prompt = tokenizer.encode(&text)?;
    if prompt.is_empty() || prompt.len() >= options.context {
        return Err(format!("the prompt has {} tokens, and there is room for {}: see `--context`", prompt.len(), options.context).into());
    }
    progress(&format!("{device}: reading {} tokens …", prompt.len()));
    let start = Instant::now();
    decoder.read(&prompt)?;
    decoder.token()?;
    let reading = start.elapsed();
    progress("");
    let start = Instant::now();
    let written = write(&mut decoder, &tokenizer, &mut options, prompt.len())?;
    let rate = |tokens: usize, time: Duration| tokens as f64 / time.as_secs_f64();
    let (read, wrote) = (rate(prompt.len(), reading), rate(written, start.elapsed()));
    eprintln!("\n{device}: read {} tokens, {read:.0} a second; wrote {written}, {wrote:.1} a second", prompt.len());
    Ok(())
}

/// Prints what follows the prompt, each token as soon as it is known, and returns how many these are.
fn write(decoder: &mut Decoder<'_>, tokenizer: &Tokenizer, options: &mut Options, prompt: usize) -> Result<usize, Failure> {
    let limit = options.tokens.min(options.context - prompt);
    let mut out = std::io::stdout().lock();
    for written in 0..limit {
        if options.sampler.temperature > 0.0 {
            decoder.choose(options.sampler.choose(&decoder.scores()?))?;
        }
        let token = decoder.token()?;
        if token == tokenizer.end() {
            return Ok(written);
        }
        decoder.advance()?;
        if options.ids {
            write!(out, "{token} ")?;
        } else {
            out.write_all(tokenizer.bytes(token))?;
        }
        out.flush()?;
    }
    Ok(limit)
}

/// Replaces the line on a terminal.
fn progress(line: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K{line}");
    }
}
