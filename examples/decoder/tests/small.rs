//! A small model of random weights, beside plain Rust, and the parts by themselves. All on the CPU.

mod random;

use decoder::Decoder;
use decoder::gguf::Gguf;
use decoder::kernels::{ATTENTION_BLOCK, HEAD, add_product, attention, gated, output, queries_keys_values};
use decoder::model::Model;
use decoder::sample::Sampler;
use decoder::tokenizer::Tokenizer;
use gpu_examples::Failure;
use gpu_runtime::prelude::*;
use random::{RandomModel, VOCABULARY};

fn assert_close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-4 * largest, "{i}: {found} instead of {expected}");
    }
}

#[test]
fn scores_are_those_of_plain_rust() -> Result<(), Failure> {
    let random = RandomModel::new();
    let file = Gguf::parse(random.file())?;
    let model = Model::load(&Device::cpu(), &file, 80)?;
    let mut decoder = Decoder::new(&model)?;
    // More than are computed at once.
    let prompt: Vec<u32> = (0..70).map(|i| i * 7 % VOCABULARY as u32).collect();
    let mut plain = random.decoder();
    let mut expected = Vec::new();
    prompt.iter().for_each(|token| expected = plain.scores(*token));
    decoder.read(&prompt)?;
    assert_close(&decoder.scores()?, &expected);
    for _ in 0..3 {
        let token = decoder.token()?;
        let best = expected.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(token, _)| token);
        assert_eq!(Some(token as usize), best);
        decoder.advance()?;
        expected = plain.scores(token);
        assert_close(&decoder.scores()?, &expected);
    }
    decoder.choose(5)?;
    decoder.advance()?;
    assert_close(&decoder.scores()?, &plain.scores(5));
    Ok(())
}

#[test]
fn a_text_longer_than_the_context_is_an_error() -> Result<(), Failure> {
    let file = Gguf::parse(RandomModel::new().file())?;
    let model = Model::load(&Device::cpu(), &file, 4)?;
    let mut decoder = Decoder::new(&model)?;
    decoder.read(&[1, 2, 3])?;
    decoder.advance()?;
    let fails = decoder.advance().and_then(|()| decoder.token());
    assert!(fails.is_err(), "{fails:?}");
    Ok(())
}

/// Six heads of queries and three of keys, of which two share one.
#[test]
fn attention_is_that_of_the_library() -> Result<(), Failure> {
    let (device, positions, heads, of_keys) = (Device::cpu(), 130, 6, 3);
    let mut rng = device.random(1);
    let q = rng.normal::<f32>([positions, heads * HEAD])?;
    let (k, v) = (rng.normal::<f32>([positions, of_keys * HEAD])?, rng.normal::<f32>([positions, of_keys * HEAD])?);
    let by_heads =
        |x: &DeviceArray<f32>, heads| Ok::<_, Failure>(x.view().reshape([positions, heads, HEAD])?.swap_axes(0, 1).lazy().collect()?);
    let expected = by_heads(&q, heads)?.attention(&by_heads(&k, of_keys)?, &by_heads(&v, of_keys)?, Mask::Causal)?;
    let expected = expected.view().swap_axes(0, 1).to_host()?;
    let blocks = heads * HEAD / 32;
    let mut out = device.zeros::<Float4>([positions, 8, blocks])?;
    let vectors = |x: &'_ DeviceArray<f32>| {
        Ok::<_, Failure>(device.to_device(&x.as_vectors::<Float4>()?.to_host()?)?.reshape([positions, x.shape()[1] / 4])?)
    };
    let start = device.zeros::<u32>(1)?;
    attention(&vectors(&q)?, &vectors(&k)?, &vectors(&v)?, &start, &mut out).launch((heads, positions), ATTENTION_BLOCK)?;
    // From `[position, g, block]` to `[position, block, g]`.
    let found = out.view().swap_axes(1, 2).to_host()?;
    let found: Vec<f32> = found.iter().flat_map(|v| [v.x, v.y, v.z, v.w]).collect();
    assert_close(&found, &expected);
    Ok(())
}

#[test]
fn the_order_of_accesses_to_shared_memory_is_proved() {
    let findings = [queries_keys_values::findings(), attention::findings(), add_product::findings(), gated::findings(), output::findings()];
    assert_eq!(findings.concat(), Vec::<String>::new());
}

#[test]
fn texts_become_tokens_and_back() -> Result<(), Failure> {
    let tokenizer = Tokenizer::new(&Gguf::parse(RandomModel::new().file())?)?;
    let text = "<|im_start|>then the hen\n  12 thé<|im_end|>";
    let tokens = tokenizer.encode(text)?;
    let bytes: Vec<u8> = tokens.iter().flat_map(|token| tokenizer.bytes(*token)).copied().collect();
    assert_eq!(String::from_utf8(bytes)?, text);
    let parts: Vec<_> = tokens[..6].iter().map(|token| String::from_utf8_lossy(tokenizer.bytes(*token))).collect();
    assert_eq!(parts, ["<|im_start|>", "the", "n", " the", " ", "he"]);
    assert_eq!(tokens.last(), Some(&tokenizer.end()));
    Ok(())
}

#[test]
fn files_that_are_cut_off_are_errors() {
    let bytes = RandomModel::new().file();
    for len in [0, 3, 10, 100, bytes.len() / 2] {
        let file = Gguf::parse(bytes[..len].to_vec());
        assert!(file.and_then(|file| Model::load(&Device::cpu(), &file, 8)).is_err(), "{len}");
    }
}

#[test]
fn samples_are_of_the_likely_tokens() {
    let scores = [0.0, 3.0, 1.0, 2.9, -1.0];
    let draw = |temperature, top_k, top_p, seed| {
        let mut sampler = Sampler::new(temperature, top_k, top_p, seed);
        (0..200).map(|_| sampler.choose(&scores)).collect::<Vec<_>>()
    };
    assert!(draw(1.0, 1, 1.0, 1).iter().all(|token| *token == 1));
    assert!(draw(1.0, 5, 0.1, 1).iter().all(|token| *token == 1));
    assert_eq!(draw(1.0, 2, 1.0, 1), draw(1.0, 2, 1.0, 1));
    assert_ne!(draw(1.0, 2, 1.0, 1), draw(1.0, 2, 1.0, 2));
    let firsts = draw(1.0, 2, 1.0, 3).iter().filter(|token| **token == 1).count();
    assert!((80..130).contains(&firsts), "{firsts} of 200, expected about 105");
}
