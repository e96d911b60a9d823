//! Files of the format GGUF, version 3: a header, pairs of keys and values, a table of tensors, and their elements.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use gpu_examples::Failure;

/// A file in memory.
pub struct Gguf {
    bytes: Vec<u8>,
    values: HashMap<String, Value>,
    tensors: HashMap<String, Tensor>,
}

/// What a key has. Numbers of other types are none of a model's.
enum Value {
    Integer(u64),
    Float(f32),
    Text(String),
    Texts(Vec<String>),
    Other,
}

/// Rows of blocks, which have a size in bytes each, and so many elements.
struct Tensor {
    columns: usize,
    rows: usize,
    format: u32,
    start: usize,
}

/// How the elements of a tensor are stored, in blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Format {
    F32 = 0,
    /// 32 elements of 4 bits, with a scale and an offset of 16 bits: `scale * element + offset`.
    Q4_1 = 3,
    /// 32 elements of 8 bits, with a scale of 16 bits.
    Q8_0 = 8,
}

/// Elements of a block, of which all formats here but F32 have the same number.
pub const BLOCK: usize = 32;

impl Format {
    /// Bytes of 32 elements.
    const fn block_bytes(self) -> usize {
        match self {
            Self::F32 => 4 * BLOCK,
            Self::Q4_1 => 2 + 2 + BLOCK / 2,
            Self::Q8_0 => 2 + BLOCK,
        }
    }
}

impl Gguf {
    /// # Errors
    ///
    /// The file cannot be read, or is not of this format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Failure> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(bytes).map_err(|error| format!("{}: {error:?}", path.display()).into())
    }

    /// # Errors
    ///
    /// The bytes are not a file of this format.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, Failure> {
        let mut reader = Reader { bytes: &bytes, at: 0 };
        if reader.take(4)? != b"GGUF" || reader.u32()? != 3 {
            return Err("not a GGUF file of version 3".into());
        }
        let (tensor_count, value_count) = (reader.u64()?, reader.u64()?);
        let mut values = HashMap::new();
        for _ in 0..value_count {
            let key = reader.text()?;
            let kind = reader.u32()?;
            values.insert(key, reader.value(kind)?);
        }
        let mut tensors = HashMap::new();
        for _ in 0..tensor_count {
            tensors.insert(reader.text()?, reader.tensor()?);
        }
        let alignment = match values.get("general.alignment") {
            Some(Value::Integer(alignment)) => *alignment as usize,
            _ => 32,
        };
        let start = reader.at.next_multiple_of(alignment);
        tensors.values_mut().for_each(|tensor| tensor.start += start);
        Ok(Self { bytes, values, tensors })
    }

    /// # Errors
    ///
    /// The file has no such key, or its value is not an integer.
    pub fn integer(&self, key: &str) -> Result<usize, Failure> {
        match self.values.get(key) {
            Some(Value::Integer(value)) => Ok(*value as usize),
            _ => Err(format!("no integer `{key}`").into()),
        }
    }

    /// # Errors
    ///
    /// The file has no such key, or its value is not a number with 32 bits and a point.
    pub fn float(&self, key: &str) -> Result<f32, Failure> {
        match self.values.get(key) {
            Some(Value::Float(value)) => Ok(*value),
            _ => Err(format!("no float `{key}`").into()),
        }
    }

    /// # Errors
    ///
    /// The file has no such key, or its value is not a text.
    pub fn text(&self, key: &str) -> Result<&str, Failure> {
        match self.values.get(key) {
            Some(Value::Text(value)) => Ok(value),
            _ => Err(format!("no text `{key}`").into()),
        }
    }

    /// # Errors
    ///
    /// The file has no such key, or its value is not a list of texts.
    pub fn texts(&self, key: &str) -> Result<&[String], Failure> {
        match self.values.get(key) {
            Some(Value::Texts(values)) => Ok(values),
            _ => Err(format!("no list of texts `{key}`").into()),
        }
    }

    /// The rows of a tensor, in blocks.
    ///
    /// # Errors
    ///
    /// The file has no such tensor, or it has another format or other extents.
    pub fn rows(&self, name: &str, format: Format, [rows, columns]: [usize; 2]) -> Result<Vec<&[u8]>, Failure> {
        let tensor = self.tensors.get(name).ok_or_else(|| format!("no tensor `{name}`"))?;
        if (tensor.rows, tensor.columns, tensor.format) != (rows, columns, format as u32) || columns % BLOCK != 0 {
            let Tensor { rows: r, columns: c, format: f, .. } = tensor;
            return Err(format!("`{name}` is {r} × {c} of format {f}, expected {rows} × {columns} of {format:?}").into());
        }
        let row = columns / BLOCK * format.block_bytes();
        let bytes = self.bytes.get(tensor.start..tensor.start + rows * row).ok_or("the file is cut off")?;
        Ok(bytes.chunks_exact(row).collect())
    }

    /// A tensor of `f32` with one row.
    ///
    /// # Errors
    ///
    /// As [`rows`](Self::rows).
    pub fn floats(&self, name: &str, len: usize) -> Result<Vec<f32>, Failure> {
        let rows = self.rows(name, Format::F32, [1, len])?;
        Ok(rows[0].chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four bytes"))).collect())
    }

    /// Bytes of all tensors.
    #[must_use]
    pub fn tensor_bytes(&self) -> usize {
        self.bytes.len() - self.tensors.values().map(|tensor| tensor.start).min().unwrap_or(self.bytes.len())
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], Failure> {
        let end = self.at.checked_add(len).ok_or("the file is cut off")?;
        let taken = self.bytes.get(self.at..end).ok_or("the file is cut off")?;
        self.at = end;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, Failure> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into()?))
    }

    fn u64(&mut self) -> Result<u64, Failure> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into()?))
    }

    fn text(&mut self) -> Result<String, Failure> {
        let len = self.u64()?;
        Ok(String::from_utf8(self.take(len as usize)?.to_vec())?)
    }

    fn value(&mut self, kind: u32) -> Result<Value, Failure> {
        Ok(match kind {
            4 => Value::Integer(self.u32()?.into()),
            6 => Value::Float(f32::from_bits(self.u32()?)),
            8 => Value::Text(self.text()?),
            9 => self.list()?,
            10 => Value::Integer(self.u64()?),
            _ => {
                let bytes = match kind {
                    0 | 1 | 7 => 1,
                    2 | 3 => 2,
                    5 => 4,
                    11 | 12 => 8,
                    _ => return Err(format!("a value has the unknown type {kind}").into()),
                };
                self.take(bytes)?;
                Value::Other
            }
        })
    }

    fn list(&mut self) -> Result<Value, Failure> {
        let (kind, len) = (self.u32()?, self.u64()?);
        if kind == 8 {
            return Ok(Value::Texts((0..len).map(|_| self.text()).collect::<Result<_, _>>()?));
        }
        (0..len).try_for_each(|_| self.value(kind).map(drop))?;
        Ok(Value::Other)
    }

    fn tensor(&mut self) -> Result<Tensor, Failure> {
        let axes = self.u32()?;
        let columns = self.u64()? as usize;
        let rows = (1..axes).map(|_| self.u64()).product::<Result<u64, _>>()? as usize;
        Ok(Tensor { columns, rows, format: self.u32()?, start: self.u64()? as usize })
    }
}
