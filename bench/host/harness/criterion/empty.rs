// SPDX-License-Identifier: MIT
// Criterion's empty loops: a closure that returns nothing, and one whose value is kept.
use criterion::{criterion_group, criterion_main, Criterion};

fn empty(c: &mut Criterion) {
    c.bench_function("empty_unit", |b| b.iter(|| ()));
    c.bench_function("empty_value", |b| b.iter(|| 1u64));
}

criterion_group!(benches, empty);
criterion_main!(benches);
