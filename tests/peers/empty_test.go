// SPDX-License-Identifier: MIT

// Package empty holds the empty loop of Go's testing package.
package empty

import "testing"

func BenchmarkEmpty(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}
