import { importServices, runImport } from '../../functions/block-list-import/run-import.ts';
import { lazyServices } from '../../functions/service.ts';

/** Runs an import in a process of its own: prints how long it took and how much memory the process had at most. */
const [uid = '', importId = ''] = process.argv.slice(2);
const begin = performance.now();
await runImport({ uid, importId }, lazyServices(importServices), Number.POSITIVE_INFINITY);
const milliseconds = performance.now() - begin;
console.log(JSON.stringify({ milliseconds, megabytes: process.resourceUsage().maxRSS / 1024 }));
