import { importServices, runImport } from '../../functions/block-list-import/run-import.ts';
import { lazyServices } from '../../functions/service.ts';
import { usedSince } from './used.ts';

/** Runs an import in a process of its own: prints what that took. */
const [uid = '', importId = ''] = process.argv.slice(2);
const used = usedSince();
await runImport({ uid, importId }, lazyServices(importServices), Number.POSITIVE_INFINITY);
console.log(JSON.stringify(used()));
