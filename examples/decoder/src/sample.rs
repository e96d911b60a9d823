//! The next token by chance.

/// How the next token is chosen.
pub struct Sampler {
    /// By how much scores are divided: above 1, unlikely tokens become more likely.
    pub temperature: f32,
    /// So many of the most likely tokens are considered,
    pub top_k: usize,
    /// and of these, so many that they have this part of the probability.
    pub top_p: f32,
    pub state: u64,
}

impl Sampler {
    #[must_use]
    pub fn new(temperature: f32, top_k: usize, top_p: f32, seed: u64) -> Self {
        Self { temperature, top_k, top_p, state: seed }
    }

    /// One of the tokens with these scores.
    pub fn choose(&mut self, scores: &[f32]) -> u32 {
        let mut tokens: Vec<usize> = (0..scores.len()).collect();
        let k = self.top_k.clamp(1, scores.len());
        tokens.select_nth_unstable_by(k - 1, |a, b| scores[*b].total_cmp(&scores[*a]));
        tokens.truncate(k);
        tokens.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        let weights = tokens.iter().map(|token| ((scores[*token] - scores[tokens[0]]) / self.temperature).exp());
        // The sums of the weights up to each token.
        let sums: Vec<f32> = weights
            .scan(0.0, |sum, weight| {
                Some({
                    *sum += weight;
                    *sum
                })
            })
            .collect();
        let enough = sums.iter().position(|sum| *sum >= self.top_p * sums[k - 1]).unwrap_or(k - 1);
        let place = self.uniform() * sums[enough];
        let chosen = sums[..enough].iter().position(|sum| *sum > place).unwrap_or(enough);
        tokens[chosen] as u32
    }

    /// From 0 to 1, by SplitMix64.
    fn uniform(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 24) as f32
    }
}
