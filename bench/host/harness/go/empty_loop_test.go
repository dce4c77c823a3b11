// SPDX-License-Identifier: MIT

//go:build go1.24

package empty

import "testing"

func BenchmarkEmptyLoop(b *testing.B) {
	for b.Loop() {
	}
}
