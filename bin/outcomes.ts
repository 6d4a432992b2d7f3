/** The batch tool: `npm run outcomes -- COMMAND`, or `voice-agents-outcomes COMMAND` once installed. */
import { setFlagsFromString } from 'node:v8';
import { run } from './outcomes/command-line.ts';

// Makes V8 collect garbage earlier: 140 MB instead of 330 for 100,000 rows.
setFlagsFromString('--optimize-for-size');

process.exitCode = await run(process.argv.slice(2));
