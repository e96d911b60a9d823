//! A kernel's arguments in host memory, and their way to where the kernel runs.

use gpu_runtime::{Device, DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, Element, Shape};

/// The values of a kernel's parameters, each in eight bytes or several times that.
#[derive(Default)]
pub struct Values {
    words: Vec<u64>,
    /// Where each begins.
    starts: Vec<usize>,
}

impl Values {
    pub fn push(&mut self, value: &[u64]) {
        self.starts.push(self.words.len());
        self.words.extend_from_slice(value);
    }

    /// A pointer to each value.
    pub fn pointers(&mut self) -> Vec<*mut std::ffi::c_void> {
        let words = self.words.as_mut_ptr();
        // SAFETY: each value begins in the vector.
        self.starts.iter().map(|&start| unsafe { words.add(start) }.cast()).collect()
    }
}

/// What a kernel's launch takes for one parameter, known by its type: it tells what a case gives for it.
pub trait Argument: Sized {
    /// A number, `&Vec` or `&mut Vec`.
    type Host<'h>;
    /// The argument on a device.
    type Uploaded;

    fn upload(host: &Self::Host<'_>, device: &Device) -> Self::Uploaded;

    /// # Safety
    ///
    /// What is returned must be gone before `uploaded` is used or dropped.
    unsafe fn bind(uploaded: &mut Self::Uploaded) -> Self;

    fn download(host: &mut Self::Host<'_>, uploaded: &Self::Uploaded);

    /// Appends the values that the kernel's C function takes for it.
    fn push_values(host: &mut Self::Host<'_>, values: &mut Values);
}

impl<T: Element> Argument for DeviceSlice<'static, T> {
    type Host<'h> = &'h Vec<T>;
    type Uploaded = DeviceArray<T>;

    fn upload(host: &&Vec<T>, device: &Device) -> DeviceArray<T> {
        device.to_device(host).expect("the device takes the input")
    }

    unsafe fn bind(uploaded: &mut DeviceArray<T>) -> Self {
        // SAFETY: the caller uses the slice only while the array lives and nothing else uses it.
        unsafe { &*std::ptr::from_ref(uploaded) }.slice(..)
    }

    fn download(_: &mut &Vec<T>, _: &DeviceArray<T>) {}

    fn push_values(host: &mut &Vec<T>, values: &mut Values) {
        values.push(&[host.as_ptr().expose_provenance() as u64]);
        values.push(&[host.len() as u64]);
    }
}

impl<T: Element> Argument for DeviceSliceMut<'static, T> {
    type Host<'h> = &'h mut Vec<T>;
    type Uploaded = DeviceArray<T>;

    fn upload(host: &&mut Vec<T>, device: &Device) -> DeviceArray<T> {
        device.to_device(host).expect("the device takes the output")
    }

    unsafe fn bind(uploaded: &mut DeviceArray<T>) -> Self {
        // SAFETY: the caller uses the slice only while the array lives and nothing else uses it.
        unsafe { &mut *std::ptr::from_mut(uploaded) }.slice_mut(..)
    }

    fn download(host: &mut &mut Vec<T>, uploaded: &DeviceArray<T>) {
        uploaded.copy_to_host(host).expect("the output comes back");
    }

    fn push_values(host: &mut &mut Vec<T>, values: &mut Values) {
        values.push(&[host.as_mut_ptr().expose_provenance() as u64]);
        values.push(&[host.len() as u64]);
    }
}

/// What a case gives for a `View`: elements in C order with a shape, and which part of that array the kernel gets.
pub struct HostView<'h, T: Element> {
    elements: &'h Vec<T>,
    shape: Shape,
    part: ViewPart<T>,
}

/// What a case gives for a `ViewMut`.
pub struct HostViewMut<'h, T: Element> {
    elements: &'h mut Vec<T>,
    shape: Shape,
    part: ViewPartMut<T>,
}

pub type ViewPart<T> = for<'v> fn(DeviceView<'v, T>) -> DeviceView<'v, T>;
pub type ViewPartMut<T> = for<'v> fn(DeviceViewMut<'v, T>) -> DeviceViewMut<'v, T>;

/// `elements` as an array of that shape.
pub fn view<T: Element>(elements: &Vec<T>, shape: impl Into<Shape>) -> HostView<'_, T> {
    HostView { elements, shape: shape.into(), part: |view| view }
}

/// `elements` as an array of that shape that is written.
pub fn view_mut<T: Element>(elements: &mut Vec<T>, shape: impl Into<Shape>) -> HostViewMut<'_, T> {
    HostViewMut { elements, shape: shape.into(), part: |view| view }
}

impl<T: Element> HostView<'_, T> {
    pub fn part(self, part: ViewPart<T>) -> Self {
        Self { part, ..self }
    }
}

impl<T: Element> HostViewMut<'_, T> {
    pub fn part(self, part: ViewPartMut<T>) -> Self {
        Self { part, ..self }
    }
}

/// An array on a device, and which part of it the kernel gets.
pub struct Viewed<T: Element, P> {
    array: DeviceArray<T>,
    part: P,
}

fn upload_array<T: Element>(elements: &[T], shape: Shape, device: &Device) -> DeviceArray<T> {
    let array = device.to_device(elements).expect("the device takes the array");
    array.reshape(shape).expect("the elements have that shape")
}

impl<T: Element> Argument for DeviceView<'static, T> {
    type Host<'h> = HostView<'h, T>;
    type Uploaded = Viewed<T, ViewPart<T>>;

    fn upload(host: &HostView<'_, T>, device: &Device) -> Self::Uploaded {
        Viewed { array: upload_array(host.elements, host.shape, device), part: host.part }
    }

    unsafe fn bind(uploaded: &mut Self::Uploaded) -> Self {
        // SAFETY: the caller uses the view only while the array lives and nothing else uses it.
        (uploaded.part)(unsafe { &*std::ptr::from_ref(&uploaded.array) }.view())
    }

    fn download(_: &mut HostView<'_, T>, _: &Self::Uploaded) {}

    fn push_values(host: &mut HostView<'_, T>, values: &mut Values) {
        let twin = upload_array(host.elements, host.shape, &Device::cpu());
        let (whole, part) = (twin.view(), (host.part)(twin.view()));
        let first = host.elements.as_ptr().expose_provenance() as u64;
        push_view(values, first, host_address(&part) - host_address(&whole), &part);
    }
}

impl<T: Element> Argument for DeviceViewMut<'static, T> {
    type Host<'h> = HostViewMut<'h, T>;
    type Uploaded = Viewed<T, ViewPartMut<T>>;

    fn upload(host: &HostViewMut<'_, T>, device: &Device) -> Self::Uploaded {
        Viewed { array: upload_array(host.elements, host.shape, device), part: host.part }
    }

    unsafe fn bind(uploaded: &mut Self::Uploaded) -> Self {
        // SAFETY: the caller uses the view only while the array lives and nothing else uses it.
        (uploaded.part)(unsafe { &mut *std::ptr::from_mut(&mut uploaded.array) }.view_mut())
    }

    fn download(host: &mut HostViewMut<'_, T>, uploaded: &Self::Uploaded) {
        uploaded.array.copy_to_host(host.elements).expect("the output comes back");
    }

    fn push_values(host: &mut HostViewMut<'_, T>, values: &mut Values) {
        let mut twin = upload_array(host.elements, host.shape, &Device::cpu());
        let whole = host_address(&twin.view());
        let part = (host.part)(twin.view_mut());
        let first = host.elements.as_mut_ptr().expose_provenance() as u64;
        push_view(values, first, host_address(&part.view()) - whole, &part.view());
    }
}

/// A pointer and a `gr_layout`.
fn push_view<T: Element>(values: &mut Values, first: u64, offset: u64, part: &DeviceView<'_, T>) {
    values.push(&[first + offset]);
    let shape = part.shape();
    let words = shape.extents().iter().map(|&extent| extent as u64).chain(part.strides().iter().map(|&stride| stride as u64));
    values.push(&words.collect::<Vec<_>>());
}

fn host_address<T: Element>(view: &DeviceView<'_, T>) -> u64 {
    gpu_runtime::__private::view_address(view)
}

macro_rules! scalars {
    ($($T:ty: $host:ident => $bytes:expr;)*) => {
        $(impl Argument for $T {
            type Host<'h> = $T;
            type Uploaded = $T;

            fn upload(host: &$T, _: &Device) -> $T {
                *host
            }

            unsafe fn bind(uploaded: &mut $T) -> $T {
                *uploaded
            }

            fn download(_: &mut $T, _: &$T) {}

            fn push_values($host: &mut $T, values: &mut Values) {
                let mut bytes = [0; 8];
                bytes[..size_of::<$T>()].copy_from_slice(&$bytes);
                values.push(&[u64::from_ne_bytes(bytes)]);
            }
        })*
    };
}

scalars! {
    i8: x => x.to_ne_bytes();
    i16: x => x.to_ne_bytes();
    i32: x => x.to_ne_bytes();
    i64: x => x.to_ne_bytes();
    isize: x => x.to_ne_bytes();
    u8: x => x.to_ne_bytes();
    u16: x => x.to_ne_bytes();
    u32: x => x.to_ne_bytes();
    u64: x => x.to_ne_bytes();
    usize: x => x.to_ne_bytes();
    f32: x => x.to_ne_bytes();
    f64: x => x.to_ne_bytes();
    bool: x => [u8::from(*x)];
}

/// What a kernel's launch takes: a tuple of [`Argument`]s, one per parameter.
pub trait Arguments: Sized {
    type Host<'h>;
    type Uploaded;

    fn upload(host: &Self::Host<'_>, device: &Device) -> Self::Uploaded;

    /// # Safety
    ///
    /// What is returned must be gone before `uploaded` is used or dropped.
    unsafe fn bind(uploaded: &mut Self::Uploaded) -> Self;

    fn download(host: &mut Self::Host<'_>, uploaded: &Self::Uploaded);
    fn push_values(host: &mut Self::Host<'_>, values: &mut Values);
}

macro_rules! tuples {
    ($($A:ident $index:tt),*) => {
        impl<$($A: Argument),*> Arguments for ($($A,)*) {
            type Host<'h> = ($($A::Host<'h>,)*);
            type Uploaded = ($($A::Uploaded,)*);

            fn upload(host: &Self::Host<'_>, device: &Device) -> Self::Uploaded {
                ($($A::upload(&host.$index, device),)*)
            }

            unsafe fn bind(uploaded: &mut Self::Uploaded) -> Self {
                // SAFETY: the caller promises the same for all of them.
                unsafe { ($($A::bind(&mut uploaded.$index),)*) }
            }

            fn download(host: &mut Self::Host<'_>, uploaded: &Self::Uploaded) {
                $($A::download(&mut host.$index, &uploaded.$index);)*
            }

            fn push_values(host: &mut Self::Host<'_>, values: &mut Values) {
                $($A::push_values(&mut host.$index, values);)*
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13);
tuples!(
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21, W 22, X 23,
    Y 24, Z 25
);
