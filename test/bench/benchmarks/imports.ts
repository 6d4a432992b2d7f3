import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { files } from '../../../functions/clients/files.ts';
import { importFileKey } from '../../../functions/domain/block-list-imports.ts';
import { newIdentifier } from '../../../functions/domain/identifiers.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { importBlockList } from '../../../functions/jobs/import-block-list.ts';
import { blockListImports } from '../../../functions/store/block-list-imports.ts';
import type { Row } from '../benchmark.ts';
import { CpuGroup } from '../cpu-group.ts';
import { freshNumbers } from '../operations.ts';
import type { Used } from '../used.ts';

const eachWayMilliseconds = 5;
/** A million with `IMPORT_LINES=1000000`; the ratio is the same with fewer. */
const lines = Number(process.env.IMPORT_LINES ?? 40_000);
const asCsv = process.env.IMPORT_FORMAT === 'csv';
/** Of a million lines, a tenth in requests is enough to tell their pace. */
const requested = Math.min(lines, 100_000);
const mostMegabytes = 300;
const leastRatio = 4;

/** A function of this much memory has a full core. */
const fullCoreMegabytes = 1769;
const requestMegabytes = 512;

/** What V8 chooses for new objects where there are 1,769 MB of memory. On a large machine it chooses twice as much. */
const heapOption = '--max-semi-space-size=32';

/**
 * A file imported by its job against the same numbers in requests, one after the other: each in a process of its own, with
 * the share of a core and the heap that Lambda gives its function.
 */
export const imports: Row = {
  name: 'imports',
  title: `Importing ${lines.toLocaleString('en')} numbers, ${eachWayMilliseconds} ms each way`,

  async measure(open, say) {
    const group = CpuGroup.open();
    if (!group) say('No control group for CPU here: requests have a full core, and the ratio is not checked.');
    const world = await open();
    world.proxy.delay(eachWayMilliseconds);
    const { uid, apiKey } = world;
    const run = async (script: string, args: string[], megabytes = fullCoreMegabytes) => {
      group?.limit(Math.min(1, megabytes / fullCoreMegabytes));
      const path = join(import.meta.dirname, '..', script);
      const running = promisify(execFile)(process.execPath, [heapOption, path, ...args]);
      group?.add(running.child.pid as number);
      return JSON.parse((await running).stdout) as Used;
    };
    const some = await run('add-numbers.ts', [uid, await world.newAgent(), apiKey, `${requested}`], requestMegabytes);
    const inRequests = (used: number) => (used * lines) / requested;
    say(`In requests: ${Math.round(inRequests(some.milliseconds))} ms.`);
    const reference = { uid, importId: newIdentifier('import') };
    await blockListImports.get().add({ ...reference, agentId: await world.newAgent(), mode: 'add' });
    const rows = freshNumbers(lines).map((number) => (asCsv ? `${number},National register,\n` : `${number}\n`));
    const content = `${asCsv ? 'number,reason,expiresAt\n' : ''}${rows.join('')}`;
    await files.get().put(importFileKey(reference), Buffer.from(content));
    const ours = await run('import-file.ts', [uid, reference.importId], importBlockList.memoryMegabytes);
    group?.close();
    const record = await blockListImports.get().find(reference);
    if (record?.added !== lines) throw new Error(`The import ended as ${JSON.stringify(record)}.`);
    const what = `requests of ${limits.numbersPerRequest.toLocaleString('en')}, one after the other`;
    const against = (kind: 'milliseconds' | 'cpuMilliseconds') => ({
      ours: { value: ours[kind], unit: 'ms' as const },
      against: {
        what,
        quantity: { value: inRequests(some[kind]), unit: 'ms' as const },
        ratio: inRequests(some[kind]) / ours[kind],
      },
    });
    const time = against('milliseconds');
    return [
      {
        what: 'time',
        ...time,
        ...(group && { target: { text: `≥ ${leastRatio}×`, reached: time.against.ratio >= leastRatio } }),
      },
      { what: 'CPU of the process', ...against('cpuMilliseconds') },
      {
        what: 'memory of the process',
        ours: { value: ours.megabytes, unit: 'MB' },
        target: { text: `≤ ${mostMegabytes} MB`, reached: ours.megabytes <= mostMegabytes },
      },
    ];
  },
};
