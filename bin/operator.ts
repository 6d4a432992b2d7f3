/** The operator's command line: `npm run operator -- COMMAND`, or `voice-agents COMMAND` once installed. */
import { enableCompileCache } from 'node:module';

// Must come before the imports: halves the start-up time.
enableCompileCache();
const { run } = await import('./operator/command-line.ts');

// A reader that stops early, as in `… key list | head -1`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await run(process.argv.slice(2));
