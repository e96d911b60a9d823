//! Text by a language model: the weights of a GGUF file, in blocks of 4 bits.
//!
//! The README of this folder explains how it computes, and how fast it is.

mod decoder;
pub mod gguf;
pub mod kernels;
pub mod model;
pub mod sample;
pub mod tokenizer;

pub use decoder::Decoder;
