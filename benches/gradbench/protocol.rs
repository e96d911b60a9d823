//! The protocol: a response for each message.

use std::time::Instant;

use gpu_benches::Result;
use gpu_runtime::Device;
use serde_json::{Value, json};

use crate::input::Input;
use crate::{ba, det, gmm, hello, ht, kmeans, llsq, lse, lstm, ode, particle, saddle};

/// Evaluates a function of a module, as often as the runs ask for.
type Evaluate = fn(&Device, &str, &Input<'_>, Runs) -> Result<Evaluated>;

/// The modules, which have the names of the evaluations.
const MODULES: [(&str, Evaluate); 12] = [
    ("ba", ba::evaluate),
    ("det", det::evaluate),
    ("gmm", gmm::evaluate),
    ("hello", hello::evaluate),
    ("ht", ht::evaluate),
    ("kmeans", kmeans::evaluate),
    ("llsq", llsq::evaluate),
    ("lse", lse::evaluate),
    ("lstm", lstm::evaluate),
    ("ode", ode::evaluate),
    ("particle", particle::evaluate),
    ("saddle", saddle::evaluate),
];

/// What answers messages.
pub(crate) struct Tool {
    device: Device,
}

impl Tool {
    pub(crate) fn new(device: Device) -> Self {
        Self { device }
    }

    /// The response to a message.
    pub(crate) fn answer(&self, message: &str) -> Result<Value> {
        let message: Value = serde_json::from_str(message)?;
        let id = &message["id"];
        let module = message["module"].as_str().unwrap_or_default();
        let evaluate = MODULES.iter().find(|(name, _)| *name == module).map(|(_, evaluate)| evaluate);
        Ok(match (message["kind"].as_str(), evaluate) {
            (Some("start"), _) => json!({ "id": id, "tool": "gpu-runtime", "config": { "device": self.device.to_string() } }),
            (Some("define"), found) => json!({ "id": id, "success": found.is_some() }),
            (Some("evaluate"), Some(evaluate)) => {
                let (function, input) = (message["function"].as_str().unwrap_or_default(), Input::new(&message["input"]));
                match Runs::read(&input).and_then(|runs| evaluate(&self.device, function, &input, runs)) {
                    Ok(Evaluated { output, timings }) => json!({ "id": id, "success": true, "output": output, "timings": timings }),
                    Err(error) => json!({ "id": id, "success": false, "error": error.to_string() }),
                }
            }
            (Some("evaluate"), None) => json!({ "id": id, "success": false, "error": format!("there is no module `{module}`") }),
            _ => json!({ "id": id }),
        })
    }
}

/// How often a function is to be evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    least: usize,
    seconds: f64,
}

/// The output of a function, and how long each run took.
pub(crate) struct Evaluated {
    output: Value,
    timings: Vec<Value>,
}

impl Runs {
    fn read(input: &Input<'_>) -> Result<Self> {
        if input.is_number() {
            return Ok(Self { least: 1, seconds: 0.0 });
        }
        Ok(Self { least: input.count("min_runs")?, seconds: input.number("min_seconds")? })
    }

    /// Evaluates `f`, whose result is on the host: nothing is left to wait for. The first run compiles kernels, and counts as preparation.
    pub(crate) fn of<O: Into<Value>>(self, mut f: impl FnMut() -> Result<O>) -> Result<Evaluated> {
        let mut timings = Vec::new();
        let mut run = |name: &str, elapsed: &mut f64| -> Result<O> {
            let start = Instant::now();
            let output = f()?;
            let taken = start.elapsed();
            timings.push(json!({ "name": name, "nanoseconds": u64::try_from(taken.as_nanos())? }));
            *elapsed += taken.as_secs_f64();
            Ok(output)
        };
        let mut output = run("prepare", &mut 0.0)?;
        let (mut runs, mut elapsed) = (0, 0.0);
        while runs < self.least || elapsed < self.seconds {
            output = run("evaluate", &mut elapsed)?;
            runs += 1;
        }
        Ok(Evaluated { output: output.into(), timings })
    }
}

/// The error of a module that has no such function.
pub(crate) fn unknown<T>(function: &str) -> Result<T> {
    Err(format!("there is no function `{function}`").into())
}
