//! The tokens that follow ten prompts, beside a reference: `reference.py` made `greedy.txt`. Runs if `DECODER_MODEL` names the file of the weights.

use decoder::Decoder;
use decoder::gguf::Gguf;
use decoder::model::Model;
use decoder::tokenizer::Tokenizer;
use gpu_examples::Failure;
use gpu_runtime::prelude::*;

/// Scores that are as close as this may come in either order: the sums have other orders.
const ROUNDING: f32 = 0.002;

#[test]
fn greedy_tokens_are_those_of_the_reference() -> Result<(), Failure> {
    let Ok(path) = std::env::var("DECODER_MODEL") else {
        eprintln!("skipped: DECODER_MODEL names no file");
        return Ok(());
    };
    let file = Gguf::open(path)?;
    let tokenizer = Tokenizer::new(&file)?;
    let model = Model::load(&Device::best()?, &file, 128)?;
    let lines: Vec<&str> = include_str!("greedy.txt").lines().collect();
    let mut agree = 0;
    for prompt in lines.chunks_exact(5) {
        let text = prompt[0].trim_matches('"').replace("\\n", "\n");
        let [tokens, expected, _] = [1, 2, 3].map(|line| prompt[line].split(' ').map(str::parse).collect::<Result<Vec<u32>, _>>());
        let (tokens, expected) = (tokens?, expected?);
        assert_eq!(tokenizer.encode(&text)?, tokens, "{text}");
        let mut decoder = Decoder::new(&model)?;
        decoder.read(&tokens)?;
        agree += 1;
        for (place, expected) in expected.into_iter().enumerate() {
            let found = decoder.token()?;
            if found != expected {
                let scores = decoder.scores()?;
                let (ours, theirs) = (scores[found as usize], scores[expected as usize]);
                println!("{text:?} parts at token {place}: {found} with {ours} instead of {expected} with {theirs}");
                assert!(ours - theirs < ROUNDING);
                agree -= 1;
                break;
            }
            decoder.advance()?;
        }
    }
    println!("{agree} of {} agree to the end", lines.len() / 5);
    Ok(())
}
