//! What other libraries call the types of elements.

use std::any::{TypeId, type_name};

use crate::source::DeviceType;
use crate::{Error, Result};

/// The type of an element as DLPack has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(super) struct ElementKind {
    /// What its bits mean: `DLDataTypeCode`.
    pub(super) code: u8,
    pub(super) bits: u8,
    /// Several in a vector. Always 1 here.
    pub(super) lanes: u16,
}

impl ElementKind {
    const INT: u8 = 0;
    const UINT: u8 = 1;
    const FLOAT: u8 = 2;
    #[cfg(feature = "half")]
    const BFLOAT: u8 = 4;
    #[cfg(feature = "complex")]
    const COMPLEX: u8 = 5;
    const BOOL: u8 = 6;

    /// That of `T`, if other libraries have it.
    pub(super) fn of<T: DeviceType>() -> Result<Self> {
        let kinds = [
            (TypeId::of::<f32>(), Self::FLOAT),
            (TypeId::of::<f64>(), Self::FLOAT),
            (TypeId::of::<i8>(), Self::INT),
            (TypeId::of::<i16>(), Self::INT),
            (TypeId::of::<i32>(), Self::INT),
            (TypeId::of::<i64>(), Self::INT),
            (TypeId::of::<isize>(), Self::INT),
            (TypeId::of::<u8>(), Self::UINT),
            (TypeId::of::<u16>(), Self::UINT),
            (TypeId::of::<u32>(), Self::UINT),
            (TypeId::of::<u64>(), Self::UINT),
            (TypeId::of::<usize>(), Self::UINT),
            (TypeId::of::<bool>(), Self::BOOL),
            #[cfg(feature = "half")]
            (TypeId::of::<half::f16>(), Self::FLOAT),
            #[cfg(feature = "half")]
            (TypeId::of::<half::bf16>(), Self::BFLOAT),
            #[cfg(feature = "complex")]
            (TypeId::of::<num_complex::Complex<f32>>(), Self::COMPLEX),
            #[cfg(feature = "complex")]
            (TypeId::of::<num_complex::Complex<f64>>(), Self::COMPLEX),
        ];
        let Some((_, code)) = kinds.into_iter().find(|(id, _)| *id == TypeId::of::<T>()) else {
            return Err(Error::NotExchangeable {
                problem: format!("elements of type `{}` are known to this crate only", type_name::<T>()),
            });
        };
        Ok(Self { code, bits: (8 * size_of::<T>()) as u8, lanes: 1 })
    }

    /// NumPy's name for it, such as `float32`.
    pub(super) fn name(self) -> String {
        let Self { code, bits, lanes } = self;
        let kind = match code {
            0 => "int",
            1 => "uint",
            2 => "float",
            4 => "bfloat",
            5 => "complex",
            6 => "bool",
            _ => return format!("type {code} of DLPack"),
        };
        let bits = if code == Self::BOOL { String::new() } else { bits.to_string() };
        if lanes == 1 { format!("{kind}{bits}") } else { format!("{lanes} × {kind}{bits}") }
    }

    /// NumPy's `dtype.str`, such as `<f4`, if it has one.
    pub(super) fn typestr(self) -> Option<String> {
        let letter = match self.code {
            0 => 'i',
            1 => 'u',
            2 => 'f',
            5 => 'c',
            6 => 'b',
            _ => return None,
        };
        let order = if self.bits == 8 { '|' } else { '<' };
        Some(format!("{order}{letter}{}", self.bits / 8))
    }
}
