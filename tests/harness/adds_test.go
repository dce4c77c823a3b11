// SPDX-License-Identifier: MIT

// Package adds is adds.c with Go's testing package.
package adds

import "testing"

var sink, three uint64 = 0, 3

func BenchmarkAdd0(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}

func BenchmarkAdd1(b *testing.B) {
	x, y := uint64(1), three
	for i := 0; i < b.N; i++ {
		x += y
	}
	sink = x
}

func BenchmarkAdd2(b *testing.B) {
	x, y := uint64(1), three
	for i := 0; i < b.N; i++ {
		x += y
		x += y
	}
	sink = x
}

func BenchmarkAdd4(b *testing.B) {
	x, y := uint64(1), three
	for i := 0; i < b.N; i++ {
		x += y
		x += y
		x += y
		x += y
	}
	sink = x
}
