#!/usr/bin/env node
// The command that `npm link` installs: `voice-agents COMMAND` is `npm run operator -- COMMAND`.
import process from 'node:process';

// An npm script of another project may have set this. The user's folder is the current one.
delete process.env.INIT_CWD;
process.argv.splice(2, 0, 'bin/voice-agents.ts');
await import('./run.mjs');
