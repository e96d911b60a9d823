/// The prices of European options by Black and Scholes.
#[gpu_kernel]
pub fn option_prices(spot: &[f32], strike: &[f32], years: &[f32], rate: f32, volatility: f32, call: &mut [f32], put: &mut [f32]) {
    let i = grid_1d();
    if i < call.len() && i < put.len() {
        let (s, k, t) = (spot[i], strike[i], years[i]);
        let root = t.sqrt();
        let d1 = ((s / k).ln() + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
        let d2 = d1 - volatility * root;
        let discounted = k * (-rate * t).exp();
        let (n1, n2) = (normal_cdf(d1), normal_cdf(d2));
        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.0 - n2) - s * (1.0 - n1);
    }
}
