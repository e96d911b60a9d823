//! What the examples that draw share.

use std::fs::File;
use std::io::BufWriter;

use gpu_examples::Failure;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar for `len` steps on standard error, if that is a terminal.
pub(crate) fn progress(what: &'static str, len: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}, {eta} left").expect("the template is valid");
    ProgressBar::new(len as u64).with_style(style).with_message(what)
}

/// A picture in colours of red, green and blue, row by row.
#[allow(dead_code, reason = "one of the examples writes an animation")]
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Reads a PNG file with 8 bits for each colour.
    #[allow(dead_code, reason = "one of the examples reads a picture")]
    pub(crate) fn read(file: &[u8]) -> Result<Self, Failure> {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info()?;
        let mut bytes = vec![0; reader.output_buffer_size().ok_or("the picture is too large")?];
        let frame = reader.next_frame(&mut bytes)?;
        if (frame.color_type, frame.bit_depth) != (png::ColorType::Rgb, png::BitDepth::Eight) {
            return Err(format!("a picture of {:?} with {:?} bits", frame.color_type, frame.bit_depth).into());
        }
        let pixels = bytes[..frame.buffer_size()].as_chunks().0.to_vec();
        Ok(Self { width: frame.width as usize, height: frame.height as usize, pixels })
    }

    /// Writes a PNG file.
    #[allow(dead_code, reason = "one of the examples writes an animation")]
    pub(crate) fn write(&self, path: &str) -> Result<(), Failure> {
        let file = File::create(path).map_err(|error| format!("{path}: {error}"))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        println!("drawn in {path}");
        Ok(())
    }
}
