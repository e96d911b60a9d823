//! Trains GPT-2, on a GPU and on the CPU from one source.
//!
//! ```text
//! tokens ──embed──▶ x ──attention, mlp of each layer──▶ x ──classify──▶ loss          model.rs: traced arrays of f32
//!                        │ layers.rs: each with its gradient, in the precision of `T`
//!                        ├──▶ precision.rs   products on tensor cores: TF32 for f32, bf16
//!                        └──▶ kernels/       norms, attention by tiles, the loss and its gradient in place
//! weights, gradients ──▶ adamw.rs
//! ```

pub mod adamw;
pub mod checkpoint;
pub mod kernels;
pub mod layers;
pub mod model;
pub mod precision;
pub mod tokens;
pub mod training;

pub use model::{Config, Gpt};
pub use precision::Activation;
pub use training::Training;
