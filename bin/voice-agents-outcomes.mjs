#!/usr/bin/env node
// The former name of `voice-agents outcomes`.
process.argv.splice(2, 0, 'outcomes');
await import('./voice-agents.mjs');
