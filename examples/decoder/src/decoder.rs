//! One token after another: a step of the model as a graph.

use gpu_runtime::Result;
use gpu_runtime::prelude::*;

use crate::model::{Activations, Memory, Model};

/// Positions of a prompt that are computed at once.
const CHUNK: usize = 64;

/// A text that grows.
pub struct Decoder<'m> {
    model: &'m Model,
    memory: Memory,
    step: Activations,
    graph: Graph<'m, (&'static mut Activations, &'static mut Memory)>,
}

impl<'m> Decoder<'m> {
    /// # Errors
    ///
    /// The device has too little memory, or cannot compile the kernels.
    pub fn new(model: &'m Model) -> Result<Self> {
        let (mut memory, mut step) = (model.memory()?, model.activations(&[0])?);
        let graph = Graph::record_with(model.device(), model, (&mut step, &mut memory), |model, (step, memory)| model.step(step, memory))?;
        Ok(Self { model, memory, step, graph })
    }

    /// Reads these tokens, of which there must be one at least.
    ///
    /// # Errors
    ///
    /// The device fails, or the text is longer than the context of the model.
    pub fn read(&mut self, tokens: &[u32]) -> Result<()> {
        for tokens in tokens.chunks(CHUNK) {
            let mut step = self.model.activations(tokens)?;
            self.model.step(&mut step, &mut self.memory)?;
            self.step.tokens.copy_from_device(step.tokens.slice(..1))?;
        }
        Ok(())
    }

    /// Forgets all from this position on.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn rewind(&mut self, position: u32) -> Result<()> {
        self.memory.position.copy_from_host(&[position])
    }

    /// The token that comes next: the most likely one, if no other one was chosen.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn token(&self) -> Result<u32> {
        self.step.tokens.get([0])
    }

    /// Another token comes next.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn choose(&mut self, token: u32) -> Result<()> {
        self.step.tokens.copy_from_host(&[token])
    }

    /// The scores of all tokens to come next.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn scores(&self) -> Result<Vec<f32>> {
        self.memory.scores.to_host()
    }

    /// Appends the token that comes next. On a GPU, it returns before the step is done.
    ///
    /// # Errors
    ///
    /// The device fails, or the text is longer than the context of the model.
    pub fn advance(&mut self) -> Result<()> {
        self.graph.launch((&mut self.step, &mut self.memory))
    }
}
