//! `Option` in the memory of a device.
//!
//! Rust does not say where the parts of an `Option` lie. But rustc decides when it compiles the program, and constants can ask: of a type
//! without values to spare, an `Option` is a number, 0 or 1, as wide as the alignment of the type, and then the value. The template
//! `gr_option` has that layout. Where rustc decides otherwise, such as for `Option<bool>`, which takes one byte, the program does not
//! compile.

use std::ptr::from_ref;

use super::DeviceType;
use crate::backend::cpu::SharedElement;

/// Where the parts of the `Option` lie.
struct Layout<T>(T);

impl<T: DeviceType> Layout<T> {
    /// That they lie where those of `gr_option` do.
    const IS_THAT_OF_C: () = {
        assert!(
            T::ANY_BITS,
            "device memory cannot hold an `Option` of a `bool`, an enum, another `Option`, or a struct that contains one: use your own enum with `#[derive(Clone, Copy, DeviceType)]` and `#[repr(u8)]`"
        );
        assert!(align_of::<T>() <= 8, "device memory cannot hold an `Option` of a type whose alignment is over 8 bytes");
        // SAFETY: zeros are a value of a device type.
        let some: Option<T> = Some(unsafe { std::mem::zeroed() });
        let Some(value) = &some else { unreachable!() };
        // SAFETY: the value is a part of `some`.
        let offset = unsafe { from_ref(value).cast::<u8>().offset_from(from_ref(&some).cast()) };
        assert!(offset == align_of::<T>() as isize && size_of::<Option<T>>() == align_of::<T>() + size_of::<T>());
        assert!(Self::tag(&some) == 1 && Self::tag(&None) == 0);
    };

    /// What lies before the value. It does not compile where these bytes are not initialized.
    const fn tag(option: &Option<T>) -> u64 {
        let at = from_ref(option).cast::<u8>();
        let (mut tag, mut byte) = (0, align_of::<T>());
        while byte > 0 {
            byte -= 1;
            // SAFETY: the byte is before the value, which starts after as many bytes as the alignment.
            tag = tag << 8 | unsafe { *at.add(byte) } as u64;
        }
        tag
    }
}

// SAFETY: the template has the layout of this type, as is asserted. Zeros are `None`.
unsafe impl<T: DeviceType> DeviceType for Option<T> {
    const ANY_BITS: bool = {
        let () = Layout::<T>::IS_THAT_OF_C;
        false
    };
}

// SAFETY: zeros are `None`.
unsafe impl<T: DeviceType> SharedElement for Option<T> {
    const POISON: u8 = 0;
    const IN_SHARED: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_of_an_option_is_that_of_a_tag_and_a_value() {
        const fn check<T: DeviceType>() {
            let () = Layout::<T>::IS_THAT_OF_C;
        }
        const { check::<u8>() };
        const { check::<[i16; 3]>() };
        const { check::<f32>() };
        const { check::<(u8, f32)>() };
        const { check::<[u64; 2]>() };
        const { check::<(u8, f64, u8)>() };
        assert_eq!(Layout::<f64>::tag(&Some(-1.0)), 1);
        assert_eq!(Layout::<f64>::tag(&None), 0);
    }
}
