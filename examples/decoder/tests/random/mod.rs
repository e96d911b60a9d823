//! A model of random weights: its file, and the scores of plain Rust.

use half::f16;

const WIDTH: usize = 128;
const HEAD: usize = 64;
const KEYS: usize = 64;
const HIDDEN: usize = 160;
const LAYERS: usize = 2;
pub const VOCABULARY: usize = 264;
const EPSILON: f32 = 1e-5;
const BASE: f32 = 10_000.0;

/// A tensor in the file's form, and as numbers.
struct Tensor {
    name: String,
    rows: usize,
    columns: usize,
    format: u32,
    bytes: Vec<u8>,
    numbers: Vec<f32>,
}

pub struct RandomModel {
    tensors: Vec<Tensor>,
}

struct Random(u32);

impl Random {
    fn byte(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 24) as u8
    }

    /// From 0.5 to 1.5, times `scale`.
    fn scale(&mut self, scale: f32) -> f16 {
        f16::from_f32((f32::from(self.byte()) / 256.0 + 0.5) * scale)
    }

    fn tensor(&mut self, name: String, rows: usize, columns: usize, format: u32) -> Tensor {
        let mut tensor = Tensor { name, rows, columns, format, bytes: Vec::new(), numbers: Vec::new() };
        for _ in 0..rows * columns / 32 {
            match format {
                0 => self.floats(&mut tensor),
                3 => self.block_of_4_bits(&mut tensor, 0.03),
                _ => self.block_of_8_bits(&mut tensor, 0.002),
            }
        }
        tensor
    }

    fn floats(&mut self, tensor: &mut Tensor) {
        for _ in 0..32 {
            let x = self.scale(1.0).to_f32();
            tensor.bytes.extend(x.to_le_bytes());
            tensor.numbers.push(x);
        }
    }

    fn block_of_4_bits(&mut self, tensor: &mut Tensor, scale: f32) {
        let (scale, offset) = (self.scale(scale), self.scale(-7.0 * scale));
        let quants: Vec<u8> = (0..16).map(|_| self.byte()).collect();
        tensor.bytes.extend([scale.to_le_bytes(), offset.to_le_bytes()].concat());
        tensor.bytes.extend(&quants);
        let elements = quants.iter().map(|byte| byte & 15).chain(quants.iter().map(|byte| byte >> 4));
        tensor.numbers.extend(elements.map(|element| scale.to_f32() * f32::from(element) + offset.to_f32()));
    }

    fn block_of_8_bits(&mut self, tensor: &mut Tensor, scale: f32) {
        let scale = self.scale(scale);
        let quants: Vec<u8> = (0..32).map(|_| self.byte()).collect();
        tensor.bytes.extend(scale.to_le_bytes());
        tensor.bytes.extend(&quants);
        tensor.numbers.extend(quants.iter().map(|byte| scale.to_f32() * f32::from(*byte as i8)));
    }
}

impl RandomModel {
    pub fn new() -> Self {
        let mut random = Random(1);
        let mut tensors = vec![random.tensor("token_embd.weight".into(), VOCABULARY, WIDTH, 8)];
        tensors.push(random.tensor("output_norm.weight".into(), 1, WIDTH, 0));
        for layer in 0..LAYERS {
            let mut add =
                |name, rows, columns, format| tensors.push(random.tensor(format!("blk.{layer}.{name}.weight"), rows, columns, format));
            add("attn_norm", 1, WIDTH, 0);
            add("attn_q", WIDTH, WIDTH, 3);
            add("attn_k", KEYS, WIDTH, 3);
            add("attn_v", KEYS, WIDTH, 3);
            add("attn_output", WIDTH, WIDTH, 3);
            add("ffn_norm", 1, WIDTH, 0);
            add("ffn_gate", HIDDEN, WIDTH, 3);
            add("ffn_up", HIDDEN, WIDTH, 3);
            add("ffn_down", WIDTH, HIDDEN, 3);
        }
        Self { tensors }
    }

    /// The bytes of a GGUF file.
    pub fn file(&self) -> Vec<u8> {
        let integers = [
            ("llama.block_count", LAYERS),
            ("llama.attention.head_count", WIDTH / HEAD),
            ("llama.attention.head_count_kv", KEYS / HEAD),
            ("llama.embedding_length", WIDTH),
            ("llama.feed_forward_length", HIDDEN),
            ("llama.rope.dimension_count", HEAD),
            ("tokenizer.ggml.eos_token_id", 1),
        ];
        let floats = [("llama.rope.freq_base", BASE), ("llama.attention.layer_norm_rms_epsilon", EPSILON)];
        let texts = [("general.architecture", "llama"), ("tokenizer.ggml.model", "gpt2"), ("tokenizer.ggml.pre", "smollm")];
        let lists = [("tokenizer.ggml.tokens", vocabulary()), ("tokenizer.ggml.merges", MERGES.map(String::from).to_vec())];
        let mut out = Vec::new();
        out.extend(b"GGUF");
        out.extend(3u32.to_le_bytes());
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend(((integers.len() + floats.len() + texts.len() + lists.len()) as u64).to_le_bytes());
        for (key, value) in integers {
            put_text(&mut out, key);
            out.extend([4u32, value as u32].map(u32::to_le_bytes).concat());
        }
        for (key, value) in floats {
            put_text(&mut out, key);
            out.extend([6, value.to_bits()].map(u32::to_le_bytes).concat());
        }
        for (key, value) in texts {
            put_text(&mut out, key);
            out.extend(8u32.to_le_bytes());
            put_text(&mut out, value);
        }
        for (key, values) in lists {
            put_text(&mut out, key);
            out.extend([9u32, 8].map(u32::to_le_bytes).concat());
            out.extend((values.len() as u64).to_le_bytes());
            values.iter().for_each(|value| put_text(&mut out, value));
        }
        let mut start = 0;
        for tensor in &self.tensors {
            put_text(&mut out, &tensor.name);
            out.extend(2u32.to_le_bytes());
            out.extend([tensor.columns as u64, tensor.rows as u64].map(u64::to_le_bytes).concat());
            out.extend(tensor.format.to_le_bytes());
            out.extend((start as u64).to_le_bytes());
            start += tensor.bytes.len().next_multiple_of(32);
        }
        for tensor in &self.tensors {
            out.resize(out.len().next_multiple_of(32), 0);
            out.extend(&tensor.bytes);
        }
        out
    }

    pub fn decoder(&self) -> PlainDecoder<'_> {
        PlainDecoder { model: self, keys: vec![Vec::new(); LAYERS], values: vec![Vec::new(); LAYERS] }
    }

    fn numbers(&self, name: &str) -> &[f32] {
        &self.tensors.iter().find(|tensor| tensor.name == name).expect("a tensor").numbers
    }

    fn multiply(&self, name: &str, x: &[f32]) -> Vec<f32> {
        self.numbers(name).chunks(x.len()).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
    }

    fn norm(&self, name: &str, x: &[f32]) -> Vec<f32> {
        let mean = x.iter().map(|x| x * x).sum::<f32>() / x.len() as f32;
        x.iter().zip(self.numbers(name)).map(|(x, gain)| x / (mean + EPSILON).sqrt() * gain).collect()
    }
}

const MERGES: [&str; 3] = ["h e", "t he", "Ġ the"];

/// Two special tokens, all bytes, the merges, and what is left.
fn vocabulary() -> Vec<String> {
    let special = ["<|im_start|>", "<|im_end|>"].map(String::from);
    let printable = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let bytes = (0..=255).filter(printable).map(char::from).chain((256..).map_while(char::from_u32)).take(256);
    let merges = MERGES.map(|merge| merge.replace(' ', ""));
    let mut tokens: Vec<String> = special.into_iter().chain(bytes.map(String::from)).chain(merges).collect();
    tokens.resize_with(VOCABULARY, || "unused".into());
    tokens
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

/// The same computation as one would write it first.
pub struct PlainDecoder<'m> {
    model: &'m RandomModel,
    keys: Vec<Vec<Vec<f32>>>,
    values: Vec<Vec<Vec<f32>>>,
}

impl PlainDecoder<'_> {
    /// The scores of all tokens after this one.
    pub fn scores(&mut self, token: u32) -> Vec<f32> {
        let model = self.model;
        let mut x = model.numbers("token_embd.weight")[token as usize * WIDTH..][..WIDTH].to_vec();
        for layer in 0..LAYERS {
            let name = |name: &str| format!("blk.{layer}.{name}.weight");
            let position = self.keys[layer].len();
            let normed = model.norm(&name("attn_norm"), &x);
            let q = turned(model.multiply(&name("attn_q"), &normed), position);
            self.keys[layer].push(turned(model.multiply(&name("attn_k"), &normed), position));
            self.values[layer].push(model.multiply(&name("attn_v"), &normed));
            let attended: Vec<f32> = q.chunks(HEAD).flat_map(|q| self.attend(layer, q)).collect();
            add(&mut x, &model.multiply(&name("attn_output"), &attended));
            let normed = model.norm(&name("ffn_norm"), &x);
            let (gate, up) = (model.multiply(&name("ffn_gate"), &normed), model.multiply(&name("ffn_up"), &normed));
            let hidden: Vec<f32> = gate.iter().zip(up).map(|(gate, up)| gate / (1.0 + (-gate).exp()) * up).collect();
            add(&mut x, &model.multiply(&name("ffn_down"), &hidden));
        }
        model.multiply("token_embd.weight", &model.norm("output_norm.weight", &x))
    }

    /// All heads share one of keys.
    fn attend(&self, layer: usize, q: &[f32]) -> Vec<f32> {
        let dot = |k: &Vec<f32>| q.iter().zip(k).map(|(q, k)| q * k).sum::<f32>() / (HEAD as f32).sqrt();
        let weights: Vec<f32> = self.keys[layer].iter().map(|k| dot(k).exp()).collect();
        let mut sum = vec![0.0; HEAD];
        for (weight, value) in weights.iter().zip(&self.values[layer]) {
            sum.iter_mut().zip(value).for_each(|(sum, value)| *sum += weight * value);
        }
        let total: f32 = weights.iter().sum();
        sum.iter().map(|sum| sum / total).collect()
    }
}

fn turned(mut x: Vec<f32>, position: usize) -> Vec<f32> {
    for (i, pair) in x.chunks_exact_mut(2).enumerate() {
        let (sin, cos) = (position as f32 * BASE.powf(-2.0 * (i % (HEAD / 2)) as f32 / HEAD as f32)).sin_cos();
        (pair[0], pair[1]) = (pair[0] * cos - pair[1] * sin, pair[0] * sin + pair[1] * cos);
    }
    x
}

fn add(x: &mut [f32], y: &[f32]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
}
