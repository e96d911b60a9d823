//! Writes the tokens of texts into a file as llm.c has them. The tokens are those of GPT-2, `r50k_base` of the crate tiktoken-rs.

use std::io::Write as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let Some((out, texts)) = paths.split_last().filter(|(_, texts)| !texts.is_empty()) else {
        return Err("usage: tokenize TEXT… TOKENS".into());
    };
    let encoding = tiktoken_rs::r50k_base()?;
    let end_of_text = 50256;
    let mut tokens: Vec<u16> = Vec::new();
    for path in texts {
        let text = std::fs::read_to_string(path)?;
        tokens.push(end_of_text);
        tokens.extend(encoding.encode_ordinary(&text).into_iter().map(|token| token as u16));
    }
    let mut header = vec![20_240_520u32, 1, u32::try_from(tokens.len())?];
    header.resize(256, 0);
    let mut file = std::io::BufWriter::new(std::fs::File::create(out)?);
    header.iter().try_for_each(|word| file.write_all(&word.to_le_bytes()))?;
    tokens.iter().try_for_each(|token| file.write_all(&token.to_le_bytes()))?;
    println!("{} tokens of {} texts", tokens.len(), texts.len());
    Ok(())
}
