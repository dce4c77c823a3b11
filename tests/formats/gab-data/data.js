window.BENCHMARK_DATA = {"lastUpdate": 3, "repoUrl": "https://example.com/x", "entries": {
 "C++": [
  {"date": 1, "tool": "googlecpp", "benches": [{"name": "walk", "value": 9.5, "unit": "ns/iter"}]},
  {"date": 2, "tool": "googlecpp", "benches": [
   {"name": "walk", "value": 0.385, "unit": "ns/iter", "extra": "iterations: 1000000000\ncpu: 0.390625 ns\nthreads: 1"}]}],
 "Go": [{"date": 1, "tool": "go", "benches": [
   {"name": "BenchmarkLog/a", "value": "9177", "unit": "ns/op\t    6125 B/op\t      69 allocs/op", "extra": "121102 times\n2 procs"},
   {"name": "BenchmarkLog/a - B/op", "value": 6125, "unit": "B/op"}]}],
 "JS": [{"date": 1, "tool": "benchmarkjs", "benches": [{"name": "fib(10)", "value": 2000000, "range": "±10.00%", "unit": "ops/sec", "extra": "94 samples"}]}],
 "Py": [{"date": 1, "tool": "pytest", "benches": [
   {"name": "t.py::test_fib", "value": 1000000, "range": "stddev: 0.000000125", "unit": "iter/sec", "extra": "mean: 1 usec\nrounds: 29984"}]}],
 "Catch2": [{"date": 1, "tool": "catch2", "benches": [{"name": "walk", "value": 2.5, "range": "± 373.112", "unit": "us", "extra": "100 samples\n4 iterations"}]}],
 "Rust": [{"date": 1, "tool": "cargo", "benches": [{"name": "walk", "value": 20, "range": "+/- 2,802", "unit": "ns/iter"}]}],
 "Mine": [{"date": 1, "tool": "customSmallerIsBetter", "benches": [{"name": "walk", "value": 1.5, "range": "10%", "unit": "ms"}]}]}};
