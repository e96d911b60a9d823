//! A convolution with strides, padding and dilation: one flat index per output, taken apart by divisions.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

#[gpu_kernel]
#[expect(clippy::too_many_arguments, reason = "as a library passes them")]
pub(crate) fn dilated_conv(
    input: &[f32],
    weights: &[f32],
    output: &mut [f32],
    channels: usize,
    height: usize,
    width: usize,
    filters: usize,
    out_height: usize,
    out_width: usize,
    kernel: usize,
    stride: usize,
    padding: usize,
    dilation: usize,
) {
    let total = filters * out_height * out_width;
    for index in grid_stride(total) {
        let ow = index % out_width;
        let oh = index / out_width % out_height;
        let f = index / out_width / out_height;
        let mut sum = 0.0;
        for c in 0..channels {
            for kh in 0..kernel {
                let ih = (oh * stride + kh * dilation) as i32 - padding as i32;
                if ih < 0 || ih >= height as i32 {
                    continue;
                }
                for kw in 0..kernel {
                    let iw = (ow * stride + kw * dilation) as i32 - padding as i32;
                    if iw < 0 || iw >= width as i32 {
                        continue;
                    }
                    sum +=
                        input[(c * height + ih as usize) * width + iw as usize] * weights[((f * channels + c) * kernel + kh) * kernel + kw];
                }
            }
        }
        output[index] = sum;
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (channels, height, width, filters) = (32, 256, 256, 64);
    let (kernel, stride, padding, dilation) = (3usize, 1usize, 2usize, 2usize);
    let (oh, ow) = (
        (height + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1,
        (width + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1,
    );
    let mut random = noise(15);
    let mut uniform = move || random() as f32 / (1u32 << 31) as f32 - 0.5;
    let input: Vec<f32> = (0..channels * height * width).map(|_| uniform()).collect();
    let weights: Vec<f32> = (0..filters * channels * kernel * kernel).map(|_| uniform()).collect();
    let (di, dw) = (device.to_device(&input)?, device.to_device(&weights)?);
    let total = filters * oh * ow;
    let mut output = device.zeros::<f32>(total)?;
    let grid = total.div_ceil(256).min(132 * 16);
    let ours = || {
        dilated_conv(&di, &dw, &mut output, channels, height, width, filters, oh, ow, kernel, stride, padding, dilation).launch(grid, 256)
    };
    let (hi, hw, ho) = (cuda.upload(&input)?, cuda.upload(&weights)?, cuda.zeros::<f32>(total)?);
    let sizes = [channels, height, width, filters, oh, ow, kernel, stride, padding, dilation].map(|x| x as u64);
    let values: Vec<u64> = [hi.address(), hw.address(), ho.address()].into_iter().chain(sizes).collect();
    let mut hand = programs.gpu.by_hand(include_str!("dilated_convolution.cu"), "dilated_conv", [grid as u32, 1], [256, 1], &values)?;
    programs.compare("dilated convolution", 10, ours, &mut hand)?;
    let found = output.to_host()?;
    let (mut some, mut expected) = (vec![], vec![]);
    for index in (0..total).step_by(997) {
        let (x, y, f) = (index % ow, index / ow % oh, index / ow / oh);
        let mut sum = 0.0;
        for c in 0..channels {
            for kh in 0..kernel {
                for kw in 0..kernel {
                    let (ih, iw) = ((y * stride + kh * dilation).wrapping_sub(padding), (x * stride + kw * dilation).wrapping_sub(padding));
                    if ih < height && iw < width {
                        sum += input[(c * height + ih) * width + iw] * weights[((f * channels + c) * kernel + kh) * kernel + kw];
                    }
                }
            }
        }
        some.push(found[index]);
        expected.push(sum);
    }
    check(all_close(&some, &expected, 1e-4), "a dilated convolution")
}
