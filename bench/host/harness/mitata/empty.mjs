// SPDX-License-Identifier: MIT
// mitata's empty loop.
import { bench, run } from 'mitata';

bench('empty', () => {});

await run({ format: 'json' });
