// SPDX-License-Identifier: MIT
// libtest's empty benchmark: its iter() keeps the value that the closure returns.
#![feature(test)]
extern crate test;

#[bench]
fn empty_value(b: &mut test::Bencher) {
    b.iter(|| 1u64);
}
