/** `npm run bench`: measures the costs of the service, as figures and as ratios that hold on any machine. */
import { rows } from './benchmarks.ts';
import { run } from './command-line.ts';
import { measureApart } from './measure-apart.ts';

process.exitCode = await run(process.argv.slice(2), rows, ({ name }) => measureApart(name));
