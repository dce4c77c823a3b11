// SPDX-License-Identifier: MIT

// Package empty holds the empty loops of Go's testing package.
package empty

import "testing"

func BenchmarkEmptyN(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}

func BenchmarkEmptyParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
		}
	})
}
