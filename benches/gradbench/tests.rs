//! Each evaluation with a tiny input: the gradients are compared with differences of the values.

use gpu_runtime::Device;
use serde_json::{Value, json};

use crate::protocol::Tool;

/// What a function returns.
fn output(module: &str, function: &str, input: &Value) -> Value {
    let tool = Tool::new(Device::cpu());
    let mut input = input.clone();
    if input.is_object() {
        input["min_runs"] = json!(2);
        input["min_seconds"] = json!(0);
    }
    let message = json!({ "id": 7, "kind": "evaluate", "module": module, "function": function, "input": input });
    let mut response = tool.answer(&message.to_string()).unwrap();
    assert_eq!((&response["id"], &response["error"]), (&json!(7), &Value::Null));
    assert_eq!(response["success"], json!(true));
    let timings = response["timings"].as_array().unwrap();
    assert_eq!(timings.iter().filter(|timing| timing["name"] == "evaluate").count(), if input.is_object() { 2 } else { 1 });
    response["output"].take()
}

/// The numbers in a value, in order.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        Value::Number(number) => vec![number.as_f64().unwrap()],
        other => panic!("{other} is no number"),
    }
}

/// The first `limit` numbers in a value, each one as it is called with.
fn for_each(value: &mut Value, call: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|value| for_each(value, call)),
        number => call(number),
    }
}

/// The derivatives of the numbers that `function` returns by the numbers in a field: one list for each of those.
fn differences(module: &str, function: &str, input: &Value, field: &str) -> Vec<Vec<f64>> {
    const WIDTH: f64 = 1e-5;
    let moved = |by: usize, width: f64| {
        let (mut input, mut index) = (input.clone(), 0);
        for_each(&mut input[field], &mut |number| {
            if index == by {
                *number = json!(number.as_f64().unwrap() + width);
            }
            index += 1;
        });
        numbers(&output(module, function, &input))
    };
    (0..numbers(&input[field]).len())
        .map(|by| moved(by, WIDTH).iter().zip(moved(by, -WIDTH)).map(|(above, below)| (above - below) / (2.0 * WIDTH)).collect())
        .collect()
}

/// Panics if the numbers are not those.
#[track_caller]
fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{found} is not {expected}");
    }
}

/// Panics if the gradient by a field is not that of differences of a number.
#[track_caller]
fn check_gradient(module: &str, [value, gradient]: [&str; 2], input: &Value, field: &str) {
    let expected: Vec<f64> = differences(module, value, input, field).concat();
    assert_close(&numbers(&output(module, gradient, input)), &expected);
}

/// Numbers that look like random ones.
fn some(count: usize) -> Vec<f64> {
    (0..count).map(|i| ((i as f64 + 1.0) * 12.9898).sin() * 0.8).collect()
}

fn some_rows(rows: usize, columns: usize) -> Vec<Vec<f64>> {
    some(rows * columns + 3)[3..].chunks(columns).map(<[f64]>::to_vec).collect()
}

#[test]
fn messages_are_answered() {
    let tool = Tool::new(Device::cpu());
    let answer = |message: Value| tool.answer(&message.to_string()).unwrap();
    assert_eq!(answer(json!({ "id": 0, "kind": "start", "eval": "lse" }))["tool"], "gpu-runtime");
    assert_eq!(answer(json!({ "id": 1, "kind": "define", "module": "lse" })), json!({ "id": 1, "success": true }));
    assert_eq!(answer(json!({ "id": 2, "kind": "define", "module": "other" })), json!({ "id": 2, "success": false }));
    assert_eq!(answer(json!({ "id": 3, "kind": "analysis", "of": 1, "valid": true })), json!({ "id": 3 }));
    let failed = answer(json!({ "id": 4, "kind": "evaluate", "module": "lse", "function": "primal", "input": {} }));
    assert_eq!(failed["success"], false);
    assert_eq!(failed["error"], "the input has no field `min_runs`");
}

#[test]
fn hello() {
    assert_eq!(output("hello", "square", &json!(1.5)), json!(2.25));
    assert_eq!(output("hello", "double", &json!(1.5)), json!(3.0));
}

#[test]
fn log_sum_exp() {
    let input = json!({ "x": some(9) });
    let expected = some(9).iter().map(|x| x.exp()).sum::<f64>().ln();
    assert_close(&numbers(&output("lse", "primal", &input)), &[expected]);
    check_gradient("lse", ["primal", "gradient"], &input, "x");
}

#[test]
fn least_squares() {
    let input = json!({ "x": [0.5, -1.0, 0.25], "n": 5 });
    // The points -1, -0.5, 0, 0.5 and 1.
    let expected =
        [(-1.0, 1.75), (-1.0, 1.0625), (0.0, 0.5), (1.0, 0.0625), (1.0, -0.25)].map(|(s, y): (f64, f64)| (s - y) * (s - y) / 2.0);
    assert_close(&numbers(&output("llsq", "primal", &input)), &[expected.iter().sum()]);
    check_gradient("llsq", ["primal", "gradient"], &input, "x");
}

#[test]
fn determinant() {
    // Rows are swapped once: the sign changes.
    let mut diagonal = vec![0.0; 25];
    [(0, 1, 2.0), (1, 0, 3.0), (2, 2, 5.0), (3, 3, 7.0), (4, 4, 0.5)].iter().for_each(|&(row, column, x)| diagonal[row * 5 + column] = x);
    assert_close(&numbers(&output("det", "primal", &json!({ "A": diagonal, "ell": 5 }))), &[-105.0]);
    for ell in 4..=6 {
        check_gradient("det", ["primal", "gradient"], &json!({ "A": some(ell * ell), "ell": ell }), "A");
    }
}

#[test]
fn mixture_of_normal_distributions() {
    let (n, d, k) = (4, 3, 2);
    let mut input = json!({
        "d": d, "k": k, "n": n, "m": 2, "gamma": 0.75, "x": some_rows(n, d),
        "alpha": some(k), "mu": some_rows(k, d), "q": some_rows(k, d), "l": some_rows(k, d * (d - 1) / 2),
    });
    let gradient = output("gmm", "jacobian", &input);
    for field in ["alpha", "mu", "q", "l"] {
        assert_close(&numbers(&gradient[field]), &differences("gmm", "objective", &input, field).concat());
    }
    // One normal distribution of one dimension: its density, times that of its precision, which is √precision^m · e^(−γ²/2 · precision) · (γ/√2)^(m + 2) / Γ((m + 2) / 2).
    input = json!({
        "d": 1, "k": 1, "n": 1, "m": 2, "gamma": 0.75, "x": [[1.5]], "alpha": [3.0], "mu": [[0.25]], "q": [[0.5]], "l": [[]],
    });
    let precision = 1.0f64.exp();
    let density = (precision / std::f64::consts::TAU).sqrt() * (-0.5 * precision * 1.25f64.powi(2)).exp();
    let prior = precision * (-0.5 * 0.75f64.powi(2) * precision).exp() * (0.75 / 2f64.sqrt()).powi(4);
    assert_close(&numbers(&output("gmm", "objective", &input)), &[(density * prior).ln()]);
}

#[test]
fn centres_of_clusters() {
    let points = some_rows(9, 2);
    let input = json!({ "points": points, "centroids": points[..3] });
    let check = |input: &Value| {
        let first = differences("kmeans", "cost", input, "centroids").concat();
        // The number of points whose nearest centre that is, twice: the second derivative by each of its coordinates.
        let nearest = |point: &[f64]| {
            let centres: Vec<Vec<f64>> = input["centroids"].as_array().unwrap().iter().map(numbers).collect();
            let square = |centre: &[f64]| centre.iter().zip(point).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            (0..centres.len()).min_by(|&a, &b| square(&centres[a]).total_cmp(&square(&centres[b]))).unwrap()
        };
        let mut counts = [0.0; 3];
        points.iter().for_each(|point| counts[nearest(point)] += 1.0);
        let expected: Vec<f64> = first.iter().enumerate().map(|(i, first)| first / (2.0 * counts[i / 2])).collect();
        assert_close(&numbers(&output("kmeans", "dir", input)), &expected);
    };
    check(&input);
}

#[test]
fn differential_equations() {
    let input = json!({ "x": [0.5, -1.0, 0.25], "s": 3 });
    // Polynomials of degree up to 3, of which the method is exact.
    let (t, [a, b, c]) = (2.0f64, [0.5, -1.0, 0.25]);
    assert_close(&numbers(&output("ode", "primal", &input)), &[a * t, a * b * t * t / 2.0, a * b * c * t.powi(3) / 6.0]);
    let of_last: Vec<f64> = differences("ode", "primal", &input, "x").iter().map(|by| by[2]).collect();
    assert_close(&numbers(&output("ode", "gradient", &input)), &of_last);
}

#[test]
fn bundle_adjustment() {
    let (n, m, p) = (2, 3, 16);
    for turn in [0.0, 0.3] {
        let cam: Vec<f64> = [turn, -turn, 2.0 * turn].into_iter().chain(some(8)).collect();
        let input = json!({ "n": n, "m": m, "p": p, "cam": cam, "x": [0.3, -0.7, 4.0], "w": 0.75, "feat": [0.1, 0.2] });
        let values = output("ba", "objective", &input);
        assert_close(&numbers(&values["w_err"]["element"]), &[1.0 - 0.75 * 0.75]);
        assert_eq!((&values["reproj_error"]["repeated"], &values["w_err"]["repeated"]), (&json!(p), &json!(p)));
        let jacobian = output("ba", "jacobian", &input);
        let found = numbers(&jacobian["vals"]);
        let moved = |field: &str, index: Option<usize>, width: f64| {
            let mut input = input.clone();
            let number = match index {
                Some(index) => &mut input[field][index],
                None => &mut input[field],
            };
            *number = json!(number.as_f64().unwrap() + width);
            numbers(&output("ba", "objective", &input)["reproj_error"]["elements"])
        };
        let all = (0..11).map(|i| ("cam", Some(i))).chain((0..3).map(|i| ("x", Some(i)))).chain([("w", None)]);
        for (place, (field, index)) in all.enumerate() {
            // At no rotation at all, the formula is another one.
            if turn == 0.0 && place < 3 {
                continue;
            }
            let (above, below) = (moved(field, index, 1e-5), moved(field, index, -1e-5));
            for axis in 0..2 {
                assert_close(&[found[axis * 15 + place]], &[(above[axis] - below[axis]) / 2e-5]);
            }
        }
        assert_close(&[found[30]], &[-1.5]);
        let columns: Vec<f64> = (0..11).chain(22..25).chain([31]).map(f64::from).collect();
        assert_eq!(numbers(&jacobian["cols"]), [&columns[..], &columns, &[46.0]].concat());
        let rows: Vec<f64> = (0..30).map(|row| f64::from(15 * row)).chain([f64::from(31 * p)]).collect();
        assert_eq!(numbers(&jacobian["rows"]), rows);
    }
}

#[test]
fn descents_end_where_they_should() {
    let found = numbers(&output("particle", "ff", &json!({ "w": 0.0 })));
    assert!((found[0] - 0.2071918746486116).abs() < 1e-6, "{found:?}");
    let found = numbers(&output("saddle", "ff", &json!({ "start": [1.0, 1.0] })));
    assert!(found.len() == 4 && found.iter().all(|x| (x - 8.246324826140356e-6).abs() < 1e-9), "{found:?}");
    // In reverse mode, from nearby: without optimization it takes long.
    let input = json!({ "w": 0.207 });
    assert_close(&numbers(&output("particle", "rf", &input)), &numbers(&output("particle", "ff", &input)));
}

#[test]
fn long_short_term_memory() {
    let (layers, bits, count) = (2, 3, 4);
    let input = json!({
        "main_params": some_rows(2 * layers, 4 * bits), "extra_params": some_rows(3, bits), "state": some_rows(2 * layers, bits),
        "sequence": [[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]],
    });
    assert_eq!(input["sequence"].as_array().unwrap().len(), count);
    let expected = ["main_params", "extra_params"].map(|field| differences("lstm", "objective", &input, field).concat()).concat();
    assert_close(&numbers(&output("lstm", "jacobian", &input)), &expected);
}

/// A matrix of 4 × 4 that moves and turns.
fn placed(seed: usize) -> Vec<Vec<f64>> {
    let numbers = some(seed + 12);
    let mut rows: Vec<Vec<f64>> = numbers[seed..].chunks(4).map(<[f64]>::to_vec).collect();
    rows.push(vec![0.0, 0.0, 0.0, 1.0]);
    rows
}

#[test]
fn hand_tracking() {
    // The wrist and two bones of the thumb, one of which is turned about two axes.
    let (bones, vertices, points) = (4, 5, 3);
    let base: Vec<Vec<f64>> = some_rows(vertices, 3).into_iter().map(|row| [&row[..], &[1.0]].concat()).collect();
    let model = json!({
        "bone_count": bones, "bone_names": ["a", "b", "c", "d"], "parents": [-1, 0, 1, 2],
        "base_relatives": (0..bones).map(placed).collect::<Vec<_>>(), "inverse_base_absolutes": (3..3 + bones).map(placed).collect::<Vec<_>>(),
        "base_positions": base, "weights": some_rows(vertices, bones), "triangles": [[0, 1, 2], [2, 3, 4]], "is_mirrored": true,
    });
    let data = |correspondences: &[usize]| json!({ "model": model, "correspondences": correspondences, "points": some_rows(points, 3) });
    let simple = json!({ "theta": some(26), "data": data(&[4, 0, 2]), "us": [] });
    let complicated = json!({ "theta": some(26), "data": data(&[1, 0, 1]), "us": some_rows(points, 2) });
    for (input, of_places) in [(simple, 0), (complicated, 2)] {
        let found: Vec<Vec<f64>> = output("ht", "jacobian", &input).as_array().unwrap().iter().map(numbers).collect();
        assert_eq!((found.len(), found[0].len()), (3 * points, of_places + 26));
        let column = |number: usize| found.iter().map(|row| row[number]).collect::<Vec<_>>();
        for (parameter, expected) in differences("ht", "objective", &input, "theta").iter().enumerate() {
            assert_close(&column(of_places + parameter), expected);
        }
        if of_places > 0 {
            let by_places = differences("ht", "objective", &input, "us");
            for axis in 0..2 {
                let expected: Vec<f64> = (0..3 * points).map(|row| by_places[row / 3 * 2 + axis][row]).collect();
                assert_close(&column(axis), &expected);
            }
        }
    }
    // Where nothing is turned and moved, the vertices are sums of moved ones.
    let theta = [0.0; 26];
    let input = json!({ "theta": theta, "data": data(&[4, 0, 2]), "us": [] });
    let product = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Vec<f64>> {
        (0..4).map(|i| (0..4).map(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()).collect()).collect()
    };
    let mut absolute = placed(0);
    let mut transforms = vec![product(&absolute, &placed(3))];
    for bone in 1..bones {
        absolute = product(&absolute, &placed(bone));
        transforms.push(product(&absolute, &placed(3 + bone)));
    }
    let weights = some_rows(vertices, bones);
    let mut expected = Vec::new();
    for (point, vertex) in [4, 0, 2].into_iter().enumerate() {
        for (axis, measured) in some_rows(points, 3)[point].iter().enumerate() {
            let of_bone = |bone: usize| (0..4).map(|k| transforms[bone][axis][k] * base[vertex][k]).sum::<f64>() * weights[vertex][bone];
            let place = (0..bones).map(of_bone).sum::<f64>() * if axis == 0 { -1.0 } else { 1.0 };
            expected.push(measured - place);
        }
    }
    assert_close(&numbers(&output("ht", "objective", &input)), &expected);
}
