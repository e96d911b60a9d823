//! Training: a step of the weights, as a graph, on one device or on several.
//!
//! Each rank has all weights, and sequences of its own. The gradients are added up, so all ranks make the same step: that of one rank with the sequences
//! of all. The gradients of the last layers are known first. So they go first, and in a graph, where only memory orders what is done, they go while those
//! of the layers before are computed.

use gpu_runtime::Result;
use gpu_runtime::cluster::{Communicator, Operation};
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
    /// The loss before the last step, for the sequences of all ranks.
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
    /// The training of the model that rank 0 has.
    ///
    /// # Errors
    ///
    /// A device has too little memory, or fails.
    pub fn new(ranks: &Communicator, mut model: Gpt) -> Result<Self> {
        for weights in &mut model.weights {
            ranks.broadcast(weights, 0)?;
        }
        let (adamw, loss) = (AdamW::new(&model.weights)?, ranks.device().zeros([])?);
        Ok(Self { model, adamw, loss })
    }

    /// One step of all ranks, with activations of type `T`.
    ///
    /// # Errors
    ///
    /// A device fails.
    pub fn step<T: Activation>(&mut self, ranks: &Communicator, config: &Config, rates: Rates, batch: &Batch) -> Result<()> {
        let gradients = self.gradients::<T>(ranks, config, batch)?;
        self.adamw.step(rates, &mut self.model.weights, &gradients)
    }

    /// The same, before other kernels than those of the gradients are loaded: that may wait for the device, which may wait for other ranks.
    ///
    /// # Errors
    ///
    /// A device fails.
    pub fn first_step<T: Activation>(&mut self, ranks: &Communicator, config: &Config, rates: Rates, batch: &Batch) -> Result<()> {
        let gradients = self.gradients::<T>(ranks, config, batch)?;
        ranks.barrier()?;
        self.adamw.step(rates, &mut self.model.weights, &gradients)
    }

    /// The gradients of the mean loss of all ranks.
    fn gradients<T: Activation>(&mut self, ranks: &Communicator, config: &Config, batch: &Batch) -> Result<Vec<DeviceArray<f32>>> {
        let mut gradients = {
            let weights = variable(&self.model.weights[..]);
            let share = loss::<T>(&weights, config, &batch.tokens, &batch.targets)? / ranks.size() as f32;
            self.loss.copy_from(&share.value()?)?;
            share.gradient(&weights[..])?
        };
        ranks.all_reduce(&mut self.loss, Operation::Sum)?;
        gradients.iter_mut().rev().try_for_each(|gradient| ranks.all_reduce(gradient, Operation::Sum))?;
        Ok(gradients)
    }
}
