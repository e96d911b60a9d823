//! Files of tokens, as llm.c has them: 256 numbers of 32 bits, of which the third is how many tokens follow, each of 16 bits.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;

const MAGIC: u32 = 20_240_520;
const HEADER: usize = 256 * 4;

/// Tokens, read batch after batch.
#[derive(Clone)]
pub struct Tokens {
    tokens: Vec<u32>,
    next: usize,
}

impl Tokens {
    /// # Errors
    ///
    /// The file cannot be read, or is no such file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let bytes = std::fs::read(path)?;
        if bytes.len() < HEADER || bytes[..8] != [MAGIC.to_le_bytes(), 1u32.to_le_bytes()].concat() {
            return Err(Error::new(ErrorKind::InvalidData, "this is no file of tokens"));
        }
        Ok(Self::new(bytes[HEADER..].chunks_exact(2).map(|pair| u32::from(u16::from_le_bytes([pair[0], pair[1]]))).collect()))
    }

    pub fn new(tokens: Vec<u32>) -> Self {
        Self { tokens, next: 0 }
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The next `count` tokens, and the one after them, which is the first of the next batch. After the last batch comes the first.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    pub fn batch(&mut self, count: usize) -> &[u32] {
        assert!(count < self.tokens.len(), "a batch needs {count} tokens and one more, and there are {}", self.tokens.len());
        if self.next + count >= self.tokens.len() {
            self.next = 0;
        }
        self.next += count;
        &self.tokens[self.next - count..=self.next]
    }
}
