//! Files of weights, as llm.c has them: 256 numbers of 32 bits, among them the size of the model, and all weights as `f32`. The tensors of one kind follow
//! each other, those of all layers.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;

use gpu_runtime::Shape;
use gpu_runtime::prelude::*;

use crate::model::{Config, Gpt};

const MAGIC: u32 = 20_240_326;
const VERSION: u32 = 3;
const HEADER: usize = 256;
/// The tensors of a layer, and those before the first.
const OF_LAYER: usize = 12;
const BEFORE: usize = 2;

/// For each tensor of the file, which of the model's it is.
fn order(config: &Config) -> Vec<usize> {
    let kinds = (0..OF_LAYER).flat_map(|kind| (0..config.layers).map(move |layer| BEFORE + layer * OF_LAYER + kind));
    let end = BEFORE + config.layers * OF_LAYER;
    (0..BEFORE).chain(kinds).chain(end..end + 2).collect()
}

/// Reads a model.
///
/// # Errors
///
/// The file cannot be read, or is no such file; the device has too little memory.
pub fn read(device: &Device, path: impl AsRef<Path>) -> Result<(Config, Gpt)> {
    let bytes = std::fs::read(path)?;
    let word = |i: usize| bytes.get(4 * i..4 * i + 4).map_or(0, |bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes")));
    let config = Config {
        context: word(2) as usize,
        vocabulary: word(3) as usize,
        layers: word(4) as usize,
        heads: word(5) as usize,
        width: word(6) as usize,
        rows: word(7) as usize,
    };
    let shapes: Vec<Shape> = config.tensors().into_iter().map(|(shape, _)| shape).collect();
    let mut rest = bytes.get(4 * HEADER..).unwrap_or_default();
    let count: usize = shapes.iter().map(|shape| shape.extents().iter().product::<usize>()).sum();
    if (word(0), word(1)) != (MAGIC, VERSION) || rest.len() != 4 * count {
        return Err(Error::new(ErrorKind::InvalidData, "this is no file of weights"));
    }
    let mut weights: Vec<Option<DeviceArray<f32>>> = shapes.iter().map(|_| None).collect();
    for i in order(&config) {
        let shape = shapes[i];
        let (own, others) = rest.split_at(4 * shape.extents().iter().product::<usize>());
        let numbers: Vec<f32> = own.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four bytes"))).collect();
        weights[i] = Some(device.to_device(&numbers).and_then(|array| array.reshape(shape)).map_err(Error::other)?);
        rest = others;
    }
    Ok((config, Gpt { weights: weights.into_iter().flatten().collect() }))
}

/// Writes a model.
///
/// # Errors
///
/// The file cannot be written, or the device fails.
pub fn write(config: &Config, model: &Gpt, path: impl AsRef<Path>) -> Result<()> {
    let Config { layers, heads, width, context, vocabulary, rows } = *config;
    let mut header = vec![MAGIC, VERSION];
    header.extend([context, vocabulary, layers, heads, width, rows].map(|n| n as u32));
    header.resize(HEADER, 0);
    let mut bytes: Vec<u8> = header.iter().flat_map(|word| word.to_le_bytes()).collect();
    for i in order(config) {
        bytes.extend(model.weights[i].to_host().map_err(Error::other)?.iter().flat_map(|x| x.to_le_bytes()));
    }
    std::fs::write(path, bytes)
}
