/** Agents as files: `npm run agents -- COMMAND`, or `voice-agents-agents COMMAND` once installed. */
import { run } from './agents/command-line.ts';

process.exitCode = await run(process.argv.slice(2));
