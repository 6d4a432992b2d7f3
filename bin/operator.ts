/** The operator's command line: `npm run operator -- COMMAND`, or `voice-agents COMMAND` once installed. */
import { run } from './operator/command-line.ts';

// A reader that stops early, as in `… key list | head -1`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await run(process.argv.slice(2));
