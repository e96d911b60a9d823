//! From text to tokens and back: pairs of bytes merged in the order of the file's list, as GPT-2 does.

use std::collections::HashMap;

use fancy_regex::Regex;
use gpu_examples::Failure;

use crate::gguf::Gguf;

/// A vocabulary, and which tokens merge to one.
pub struct Tokenizer {
    tokens: Vec<Vec<u8>>,
    /// By their bytes.
    numbers: HashMap<Vec<u8>, u32>,
    /// How early two tokens merge.
    ranks: HashMap<(Vec<u8>, Vec<u8>), usize>,
    words: Regex,
    /// Tokens such as `<|im_start|>`, which no text contains.
    special: Vec<String>,
    end: u32,
}

/// Merges stay inside of a word: a digit, a contraction, letters or signs with the space before them, or spaces.
const WORDS: &str = r"\p{N}|'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+";

impl Tokenizer {
    /// # Errors
    ///
    /// The file has a tokenizer of another kind.
    pub fn new(file: &Gguf) -> Result<Self, Failure> {
        if file.text("tokenizer.ggml.model")? != "gpt2" || file.text("tokenizer.ggml.pre")? != "smollm" {
            return Err("only tokenizers of the kind `smollm`".into());
        }
        let bytes = bytes_of_characters();
        let decode = |text: &str| text.chars().map(|c| bytes.get(&c).copied()).collect::<Option<Vec<u8>>>();
        let texts = file.texts("tokenizer.ggml.tokens")?;
        let tokens: Vec<Vec<u8>> = texts.iter().map(|text| decode(text).unwrap_or_else(|| text.clone().into_bytes())).collect();
        let numbers = tokens.iter().cloned().zip(0..).collect();
        let merges = file.texts("tokenizer.ggml.merges")?.iter().enumerate();
        let pair = |text: &str| text.split_once(' ').and_then(|(a, b)| Some((decode(a)?, decode(b)?)));
        let ranks = merges.map(|(rank, text)| Some((pair(text)?, rank))).collect::<Option<_>>().ok_or("a merge is not a pair")?;
        let special = texts.iter().filter(|text| text.starts_with("<|") && text.ends_with("|>")).cloned().collect();
        let end = file.integer("tokenizer.ggml.eos_token_id")? as u32;
        Ok(Self { tokens, numbers, ranks, words: Regex::new(WORDS)?, special, end })
    }

    /// The token that ends an answer.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.end
    }

    /// The bytes of a token; those of a character may be in two.
    #[must_use]
    pub fn bytes(&self, token: u32) -> &[u8] {
        self.tokens.get(token as usize).map_or(&[], Vec::as_slice)
    }

    /// # Errors
    ///
    /// The vocabulary lacks a byte.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, Failure> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let next = self.special.iter().filter_map(|special| Some((rest.find(special)?, special))).min_by_key(|(at, _)| *at);
            let plain = next.map_or(rest.len(), |(at, _)| at);
            for word in self.words.find_iter(&rest[..plain]) {
                self.encode_word(word?.as_str().as_bytes(), &mut tokens)?;
            }
            let len = next.map_or(0, |(_, special)| special.len());
            if let Some((_, special)) = next {
                tokens.push(self.numbers[special.as_bytes()]);
            }
            rest = &rest[plain + len..];
        }
        Ok(tokens)
    }

    fn encode_word(&self, word: &[u8], tokens: &mut Vec<u32>) -> Result<(), Failure> {
        let mut parts: Vec<Vec<u8>> = word.iter().map(|byte| vec![*byte]).collect();
        let rank = |pair: &[Vec<u8>]| self.ranks.get(&(pair[0].clone(), pair[1].clone())).copied();
        while let Some((_, at)) = parts.windows(2).enumerate().filter_map(|(at, pair)| Some((rank(pair)?, at))).min() {
            let second = parts.remove(at + 1);
            parts[at].extend(second);
        }
        for part in parts {
            tokens.push(*self.numbers.get(&part).ok_or("the vocabulary lacks a byte")?);
        }
        Ok(())
    }
}

/// GPT-2's names of bytes: printable characters of Latin-1 are themselves, and the others the characters from 256 on.
fn bytes_of_characters() -> HashMap<char, u8> {
    let mut next = 256;
    let mut name = |byte: u8| match byte {
        b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff => char::from(byte),
        _ => {
            next += 1;
            char::from_u32(next - 1).expect("a character")
        }
    };
    (0..=255).map(|byte| (name(byte), byte)).collect()
}

/// A question in the form in which the model has learned to answer: the template of the file, which is not evaluated.
#[must_use]
pub fn conversation(question: &str) -> String {
    let system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face";
    format!("<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n")
}
