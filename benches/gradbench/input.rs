//! What an evaluation passes to a function.

use gpu_benches::Result;
use serde_json::Value;

/// The input of a function: a number, or an object with fields.
pub(crate) struct Input<'v>(&'v Value);

impl<'v> Input<'v> {
    pub(crate) fn new(value: &'v Value) -> Self {
        Self(value)
    }

    pub(crate) fn is_number(&self) -> bool {
        self.0.is_number()
    }

    /// The input that is a number itself.
    pub(crate) fn as_number(&self) -> Result<f64> {
        float(self.0)
    }

    pub(crate) fn field(&self, name: &str) -> Result<&'v Value> {
        self.0.get(name).ok_or_else(|| format!("the input has no field `{name}`").into())
    }

    pub(crate) fn number(&self, name: &str) -> Result<f64> {
        float(self.field(name)?)
    }

    pub(crate) fn count(&self, name: &str) -> Result<usize> {
        count(self.field(name)?)
    }

    pub(crate) fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        list(self.field(name)?)?.iter().map(float).collect()
    }

    /// The numbers of a matrix, row after row, and the numbers of rows and columns.
    pub(crate) fn matrix(&self, name: &str) -> Result<(Vec<f64>, [usize; 2])> {
        matrix(self.field(name)?)
    }
}

pub(crate) fn list(value: &Value) -> Result<&Vec<Value>> {
    value.as_array().ok_or_else(|| "the input has something else where a list belongs".into())
}

pub(crate) fn float(value: &Value) -> Result<f64> {
    value.as_f64().ok_or_else(|| format!("{value} is no number").into())
}

pub(crate) fn count(value: &Value) -> Result<usize> {
    Ok(usize::try_from(value.as_u64().ok_or_else(|| format!("{value} is no count"))?)?)
}

pub(crate) fn matrix(value: &Value) -> Result<(Vec<f64>, [usize; 2])> {
    let rows = list(value)?;
    let columns = rows.first().map_or(Ok(0), |row| list(row).map(Vec::len))?;
    let mut elements = Vec::with_capacity(rows.len() * columns);
    for row in rows {
        let row = list(row)?;
        if row.len() != columns {
            return Err("the rows of a matrix have different lengths".into());
        }
        for element in row {
            elements.push(float(element)?);
        }
    }
    Ok((elements, [rows.len(), columns]))
}

/// A matrix as a list of its rows.
pub(crate) fn rows_of(elements: &[f64], columns: usize) -> Value {
    match columns {
        0 => Value::Array(Vec::new()),
        _ => elements.chunks(columns).map(<[f64]>::to_vec).collect(),
    }
}
