/** `npm run bench`: what the service costs, in figures and in ratios that hold on any machine. */
import { run } from './command-line.ts';

process.exitCode = await run(process.argv.slice(2));
