#!/usr/bin/env node
// The former name of `voice-agents agents`.
process.argv.splice(2, 0, 'agents');
await import('./voice-agents.mjs');
