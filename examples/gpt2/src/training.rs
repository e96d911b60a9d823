//! Training: a step of the weights, as a graph.

use gpu_runtime::Result;
use gpu_runtime::gradient::variable;
use gpu_runtime::prelude::*;

use crate::adamw::{AdamW, Rates};
use crate::model::{Config, Gpt, loss};
use crate::precision::Activation;

/// Tokens, and for each of them the one after it.
#[derive(GraphData)]
pub struct Batch {
    pub tokens: DeviceArray<u32>,
    pub targets: DeviceArray<u32>,
}

/// A model, and what its steps need.
#[derive(GraphData)]
pub struct Training {
    pub model: Gpt,
    pub adamw: AdamW,
    /// The loss before the last step.
    pub loss: DeviceArray<f32>,
}

impl Batch {
    /// Room for sequences.
    ///
    /// # Errors
    ///
    /// The device has too little memory.
    pub fn new(device: &Device, sequences: usize, length: usize) -> Result<Self> {
        Ok(Self { tokens: device.zeros([sequences, length])?, targets: device.zeros([sequences, length])? })
    }

    /// Takes these tokens, of which there is one more.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn set(&mut self, tokens: &[u32]) -> Result<()> {
        let count = self.tokens.len();
        self.tokens.copy_from_host(&tokens[..count])?;
        self.targets.copy_from_host(&tokens[1..=count])
    }
}

impl Training {
    /// # Errors
    ///
    /// The device has too little memory.
    pub fn new(model: Gpt) -> Result<Self> {
        let (adamw, loss) = (AdamW::new(&model.weights)?, model.weights[0].device().zeros([])?);
        Ok(Self { model, adamw, loss })
    }

    /// One step, with activations of type `T`.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn step<T: Activation>(&mut self, config: &Config, rates: Rates, batch: &Batch) -> Result<()> {
        let gradients = {
            let weights = variable(&self.model.weights[..]);
            let loss = loss::<T>(&weights, config, &batch.tokens, &batch.targets)?;
            self.loss.copy_from(&loss.value()?)?;
            loss.gradient(&weights[..])?
        };
        self.adamw.step(rates, &mut self.model.weights, &gradients)
    }
}
