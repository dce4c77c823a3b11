// SPDX-License-Identifier: MIT
// tinybench's empty call, as its console table.
import { Bench } from 'tinybench';

const bench = new Bench({ time: 200 });
bench.add('empty', () => {});
await bench.run();
console.log(JSON.stringify(bench.tasks.map((task) => ({ name: task.name, result: task.result }))));
