//! A model of the architecture `llama`, and its state on a device.

use gpu_examples::Failure;
use gpu_runtime::prelude::*;
use gpu_runtime::vector::Uint4;
use half::f16;

use crate::gguf::{BLOCK, Format, Gguf};
use crate::kernels::{self, ATTENTION_BLOCK, HEAD, Matrix, OUTPUT_PAIRS, PAIRS, Vocabulary};

/// The weights.
#[derive(GraphData)]
pub struct Model {
    vocabulary: Vocabulary,
    layers: Vec<Layer>,
    gain: DeviceArray<Float4>,
    /// The cosine and sine of each pair of elements of a head, at each position.
    turns: DeviceArray<Float2>,
    epsilon: f32,
    heads: usize,
    of_keys: usize,
    /// Elements of the activations, and of those inside of a gated layer.
    width: usize,
    hidden: usize,
}

/// The weights of one of the layers.
#[derive(GraphData)]
pub struct Layer {
    attention_gain: DeviceArray<Float4>,
    queries_keys_values: Matrix,
    output: Matrix,
    gated_gain: DeviceArray<Float4>,
    gated: Matrix,
    down: Matrix,
}

/// What a step changes, for a number of positions at once.
#[derive(GraphData)]
pub struct Activations {
    positions: usize,
    pub(crate) tokens: DeviceArray<u32>,
    x: DeviceArray<f32>,
    queries: DeviceArray<f32>,
    attended: DeviceArray<f32>,
    hidden: DeviceArray<f32>,
}

/// What stays from one step to the next: keys and values of the positions so far, and how many these are.
#[derive(GraphData)]
pub struct Memory {
    pub(crate) position: DeviceArray<u32>,
    keys: Vec<DeviceArray<f32>>,
    values: Vec<DeviceArray<f32>>,
    pub(crate) scores: DeviceArray<f32>,
}

/// The order in which activations are stored: element `32 c + 4 g + r` is at `[g, c, r]`. See [`kernels`].
#[must_use]
pub fn activation_order(len: usize) -> Vec<usize> {
    let blocks = len / BLOCK;
    (0..len).map(|i| i / 4 % blocks * BLOCK + i / 4 / blocks * 4 + i % 4).collect()
}

fn ordered<T: Copy>(values: &[T]) -> Vec<T> {
    activation_order(values.len()).into_iter().map(|i| values[i]).collect()
}

fn words(bytes: &[u8]) -> Uint4 {
    let word = |i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes"));
    Uint4::new(word(0), word(1), word(2), word(3))
}

fn half(bytes: &[u8]) -> f16 {
    f16::from_le_bytes([bytes[0], bytes[1]])
}

impl Matrix {
    /// Of rows in the format `Q4_1`.
    fn pack(device: &Device, rows: &[&[u8]]) -> gpu_runtime::Result<Self> {
        let pairs: Vec<(&[u8], &[u8])> = rows.chunks_exact(2).flat_map(|pair| pair[0].chunks(20).zip(pair[1].chunks(20))).collect();
        let quants: Vec<Uint4> = pairs.iter().flat_map(|(a, b)| [words(&a[4..]), words(&b[4..])]).collect();
        let scales: Vec<[f16; 4]> = pairs.iter().map(|(a, b)| [half(a), half(&a[2..]), half(b), half(&b[2..])]).collect();
        let (quants, scales) = (device.to_device(&quants)?, device.to_device(&scales)?);
        Ok(Self { quants, scales, blocks: rows[0].len() / 20 })
    }
}

impl Vocabulary {
    /// Of rows in the format `Q8_0`.
    fn pack(device: &Device, rows: &[&[u8]]) -> gpu_runtime::Result<Self> {
        let pairs: Vec<(&[u8], &[u8])> = rows.chunks_exact(2).flat_map(|pair| pair[0].chunks(34).zip(pair[1].chunks(34))).collect();
        let quarters = |(a, b): &(&[u8], &[u8])| [words(&a[2..]), words(&b[2..]), words(&a[18..]), words(&b[18..])];
        let quants: Vec<Uint4> = pairs.iter().flat_map(quarters).collect();
        let scales: Vec<[f16; 2]> = pairs.iter().map(|(a, b)| [half(a), half(b)]).collect();
        let (quants, scales) = (device.to_device(&quants)?, device.to_device(&scales)?);
        Ok(Self { quants, scales, blocks: rows[0].len() / 34 })
    }
}

impl Layer {
    fn load(device: &Device, file: &Gguf, layer: usize, [width, of_keys, hidden]: [usize; 3]) -> Result<Self, Failure> {
        let rows = |name: &str, extents| file.rows(&format!("blk.{layer}.{name}.weight"), Format::Q4_1, extents);
        let gain = |name: &str| -> Result<_, Failure> {
            let gain = file.floats(&format!("blk.{layer}.{name}.weight"), width)?;
            Ok(device.to_device(&fours(&ordered(&gain)))?.reshape([1, 8, width / BLOCK])?)
        };
        let attention = [rows("attn_q", [width, width])?, rows("attn_k", [of_keys, width])?, rows("attn_v", [of_keys, width])?];
        let (gate, up) = (ordered(&rows("ffn_gate", [hidden, width])?), ordered(&rows("ffn_up", [hidden, width])?));
        let gated: Vec<&[u8]> = gate.into_iter().zip(up).flat_map(|(gate, up)| [gate, up]).collect();
        Ok(Self {
            attention_gain: gain("attn_norm")?,
            queries_keys_values: Matrix::pack(device, &attention.concat())?,
            output: Matrix::pack(device, &ordered(&rows("attn_output", [width, width])?))?,
            gated_gain: gain("ffn_norm")?,
            gated: Matrix::pack(device, &gated)?,
            down: Matrix::pack(device, &ordered(&rows("ffn_down", [width, hidden])?))?,
        })
    }
}

fn fours(values: &[f32]) -> Vec<Float4> {
    values.chunks_exact(4).map(|v| Float4::new(v[0], v[1], v[2], v[3])).collect()
}

impl Model {
    /// The model of a file, for at most `context` positions.
    ///
    /// # Errors
    ///
    /// The model has another architecture or other formats, or the device has too little memory.
    pub fn load(device: &Device, file: &Gguf, context: usize) -> Result<Self, Failure> {
        let (architecture, integer) = (file.text("general.architecture")?, |key: &str| file.integer(&format!("llama.{key}")));
        let (heads, key_heads) = (integer("attention.head_count")?, integer("attention.head_count_kv")?);
        let (width, hidden) = (integer("embedding_length")?, integer("feed_forward_length")?);
        if architecture != "llama" || heads * HEAD != width || integer("rope.dimension_count")? != HEAD {
            return Err(format!("only models of the architecture `llama` whose heads have {HEAD} elements").into());
        }
        let of_keys = key_heads * HEAD;
        let tokens = file.texts("tokenizer.ggml.tokens")?.len();
        let layers = 0..integer("block_count")?;
        let base = f64::from(file.float("llama.rope.freq_base")?);
        let turns: Vec<Float2> = (0..context * HEAD / 2)
            .map(|i| ((i / (HEAD / 2)) as f64, (i % (HEAD / 2)) as f64))
            .map(|(position, pair)| (position * base.powf(-2.0 * pair / HEAD as f64)).sin_cos())
            .map(|(sin, cos)| Float2::new(cos as f32, sin as f32))
            .collect();
        Ok(Self {
            vocabulary: Vocabulary::pack(device, &file.rows("token_embd.weight", Format::Q8_0, [tokens, width])?)?,
            layers: layers.map(|layer| Layer::load(device, file, layer, [width, of_keys, hidden])).collect::<Result<_, _>>()?,
            gain: device.to_device(&fours(&ordered(&file.floats("output_norm.weight", width)?)))?,
            turns: device.to_device(&turns)?.reshape([context, HEAD / 2])?,
            epsilon: file.float("llama.attention.layer_norm_rms_epsilon")?,
            heads,
            of_keys,
            width,
            hidden,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.turns.device()
    }

    /// Kernels of a step: five in a layer, those before and after the layers, and two that find the most likely token.
    #[must_use]
    pub fn kernels(&self) -> usize {
        5 * self.layers.len() + 5
    }

    /// The state before the first token.
    ///
    /// # Errors
    ///
    /// The device has too little memory.
    pub fn memory(&self) -> gpu_runtime::Result<Memory> {
        let device = self.device();
        let cache = || {
            self.layers.iter().map(|_| device.zeros::<f32>([self.turns.shape()[0], self.of_keys])).collect::<gpu_runtime::Result<Vec<_>>>()
        };
        let tokens = 2 * self.vocabulary.scales.len() / self.vocabulary.blocks;
        Ok(Memory { position: device.zeros(1)?, keys: cache()?, values: cache()?, scores: device.zeros(tokens)? })
    }

    /// A step of these tokens.
    ///
    /// # Errors
    ///
    /// The device has too little memory.
    pub fn activations(&self, tokens: &[u32]) -> gpu_runtime::Result<Activations> {
        let (device, positions) = (self.device(), tokens.len());
        Ok(Activations {
            positions,
            tokens: device.to_device(tokens)?,
            x: device.zeros([positions, self.width])?,
            queries: device.zeros([positions, self.width])?,
            attended: device.zeros([positions, self.width])?,
            hidden: device.zeros([positions, self.hidden])?,
        })
    }

    /// The scores of all tokens after those in `step`, which then begins with the most likely one. On a GPU, it returns before the step is done.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn step(&self, step: &mut Activations, memory: &mut Memory) -> gpu_runtime::Result<()> {
        let n = step.positions;
        let grid = ((self.width / BLOCK).div_ceil(32), 8, n);
        kernels::embed(&self.vocabulary, &step.tokens, blocks_mut(&mut step.x)?).launch(grid, (32, 1, 1))?;
        for (i, layer) in self.layers.iter().enumerate() {
            self.attend(layer, step, &memory.position, &mut memory.keys[i], &mut memory.values[i])?;
            self.feed_forward(layer, step)?;
        }
        let grid = (memory.scores.len() / 2).div_ceil(OUTPUT_PAIRS);
        let (x, scores) = (step.x.as_vectors()?, memory.scores.as_vectors_mut()?);
        kernels::output(&self.vocabulary, &self.gain, self.epsilon, x, n - 1, scores).launch(grid, kernels::BLOCK)?;
        let best = memory.scores.argmax_axis(0)?;
        kernels::advance(&best, n as u32, &mut step.tokens, &mut memory.position).launch(1, 32)
    }

    fn attend(
        &self,
        layer: &Layer,
        step: &mut Activations,
        position: &DeviceArray<u32>,
        keys: &mut DeviceArray<f32>,
        values: &mut DeviceArray<f32>,
    ) -> gpu_runtime::Result<()> {
        let (n, x) = (step.positions, blocks(&step.x)?);
        let grid = (((self.width + 2 * self.of_keys) / 2).div_ceil(PAIRS), n);
        let (queries, new_keys, new_values) = (pairs_mut(&mut step.queries)?, pairs_mut(keys)?, pairs_mut(values)?);
        let (matrix, gain) = (&layer.queries_keys_values, &layer.attention_gain);
        kernels::queries_keys_values(matrix, gain, self.epsilon, x, position, &self.turns, queries, new_keys, new_values)
            .launch(grid, kernels::BLOCK)?;
        let (queries, keys, values) = (vectors(&step.queries)?, vectors(keys)?, vectors(values)?);
        kernels::attention(queries, keys, values, position, blocks_mut(&mut step.attended)?).launch((self.heads, n), ATTENTION_BLOCK)?;
        add(&layer.output, &step.attended, &mut step.x)
    }

    fn feed_forward(&self, layer: &Layer, step: &mut Activations) -> gpu_runtime::Result<()> {
        let (x, grid) = (blocks(&step.x)?, (self.hidden.div_ceil(PAIRS), step.positions));
        kernels::gated(&layer.gated, &layer.gated_gain, self.epsilon, x, &mut step.hidden).launch(grid, kernels::BLOCK)?;
        add(&layer.down, &step.hidden, &mut step.x)
    }
}

fn add(matrix: &Matrix, input: &DeviceArray<f32>, x: &mut DeviceArray<f32>) -> gpu_runtime::Result<()> {
    let grid = ((x.shape()[1] / 2).div_ceil(PAIRS), x.shape()[0]);
    kernels::add_product(matrix, blocks(input)?, pairs_mut(x)?).launch(grid, kernels::BLOCK)
}

/// A matrix, with each four elements of a row as one.
fn vectors(x: &DeviceArray<f32>) -> gpu_runtime::Result<DeviceView<'_, Float4>> {
    let [rows, columns] = [x.shape()[0], x.shape()[1]];
    x.as_vectors()?.reshape([rows, columns / 4])
}

/// A matrix to write to, with each two elements of a row as one.
fn pairs_mut(x: &mut DeviceArray<f32>) -> gpu_runtime::Result<DeviceViewMut<'_, Float2>> {
    let [rows, columns] = [x.shape()[0], x.shape()[1]];
    x.as_vectors_mut()?.reshape([rows, columns / 2])
}

/// Activations, as the vectors of their blocks: `[position, g, block]`.
fn blocks(x: &DeviceArray<f32>) -> gpu_runtime::Result<DeviceView<'_, Float4>> {
    let [positions, len] = [x.shape()[0], x.shape()[1]];
    x.as_vectors()?.reshape([positions, 8, len / BLOCK])
}

/// The same, to write to.
fn blocks_mut(x: &mut DeviceArray<f32>) -> gpu_runtime::Result<DeviceViewMut<'_, Float4>> {
    let [positions, len] = [x.shape()[0], x.shape()[1]];
    x.as_vectors_mut()?.reshape([positions, 8, len / BLOCK])
}
