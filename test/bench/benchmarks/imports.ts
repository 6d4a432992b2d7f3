import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { blockListImports } from '../../../functions/block-list-import/block-list-imports.ts';
import { files } from '../../../functions/clients/files.ts';
import { importFileKey } from '../../../functions/domain/block-list-imports.ts';
import { newIdentifier } from '../../../functions/domain/identifiers.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { importBlockList } from '../../../functions/jobs/import-block-list.ts';
import { bundling } from '../../../lib/bundling.ts';
import type { Row } from '../benchmark.ts';
import { CpuGroup } from '../cpu-group.ts';
import { freshNumbers } from '../operations.ts';
import type { Used } from '../used.ts';
import type { World } from '../world.ts';

const eachWayMilliseconds = 5;
/** With fewer, a larger part of the time goes into code that is not compiled yet: 40,000 are imported at 3.4 to 4.3×. */
const lines = Number(process.env.IMPORT_LINES ?? 1_000_000);
/** The count of numbers sent in requests. A tenth is enough to measure their pace. */
const requested = Math.min(lines, 100_000);
const mostMegabytes = 300;
const leastRatio = 4;

/** A function of this much memory has a full core. */
const fullCoreMegabytes = 1769;
const requestMegabytes = 512;

/** V8's own choice for new objects with 1,769 MB of memory. On a large machine it chooses twice as much. */
const heapOption = '--max-semi-space-size=32';

/**
 * A file imported by its job against the same numbers in requests, one after the other: each in a process of its own, with
 * the share of a core and the heap that Lambda gives its function. DynamoDB Local takes one insert after the other and needs
 * more of a processor for each than both: the proxy answers the inserts in its place.
 */
export const imports: Row = {
  name: 'imports',
  title: `Importing ${lines.toLocaleString('en')} numbers, ${eachWayMilliseconds} ms each way`,

  async measure(open, say) {
    const group = CpuGroup.open();
    if (!group) say('No control group for CPU here: requests have a full core, and the ratio is not checked.');
    const programs = await bundlePrograms();
    const world = await open();
    world.proxy.delay(eachWayMilliseconds);
    const run = async (script: string, args: string[], megabytes: number) => {
      group?.limit(Math.min(1, megabytes / fullCoreMegabytes));
      const running = promisify(execFile)(process.execPath, [heapOption, join(programs, script), ...args]);
      group?.add(running.child.pid as number);
      return JSON.parse((await running).stdout) as Used;
    };
    const inRequests = async (count: number) => {
      const args = [world.uid, await world.newAgent(), world.apiKey, `${count}`];
      return run('add-numbers.mjs', args, requestMegabytes);
    };
    const inFile = async (count: number) => {
      const reference = await newImport(world, count);
      const used = await run(
        'import-file.mjs',
        [reference.uid, reference.importId],
        importBlockList.memoryMegabytes ?? fullCoreMegabytes,
      );
      const record = await blockListImports.get().find(reference);
      if (record?.added !== count) throw new Error(`The import ended as ${JSON.stringify(record)}.`);
      return used;
    };
    world.proxy.insertHere(true);
    const { milliseconds } = await inRequests(requested);
    say('The requests are done.');
    const file = await inFile(lines);
    group?.close();
    rmSync(programs, { recursive: true });
    const requests = (milliseconds * lines) / requested;
    const ratio = requests / file.milliseconds;
    return [
      {
        what: 'time',
        ours: { value: file.milliseconds, unit: 'ms' },
        against: {
          what: `requests of ${limits.numbersPerRequest.toLocaleString('en')}, one after the other`,
          quantity: { value: requests, unit: 'ms' },
          ratio,
        },
        ...(group && { target: { text: `≥ ${leastRatio}×`, reached: ratio >= leastRatio } }),
      },
      {
        what: 'memory of the process',
        ours: { value: file.megabytes, unit: 'MB' },
        target: { text: `≤ ${mostMegabytes} MB`, reached: file.megabytes <= mostMegabytes },
      },
    ];
  },
};

/** The programs that are measured, bundled as functions are: Node's own loader of TypeScript takes 50 MB. */
const bundlePrograms = async () => {
  // The bundles are as deep in the repository as their sources, because they read its package.json.
  const local = join(import.meta.dirname, '..', '..', '..', '.local');
  mkdirSync(local, { recursive: true });
  const outdir = mkdtempSync(join(local, 'bench-'));
  const entryPoints = ['add-numbers.ts', 'import-file.ts'].map((file) => join(import.meta.dirname, '..', file));
  await build({ ...bundling, entryPoints, outdir, outExtension: { '.js': '.mjs' } });
  return outdir;
};

/** An import of an agent's own, whose file waits for it. */
const newImport = async (world: World, count: number) => {
  const reference = { uid: world.uid, importId: newIdentifier('import') };
  await blockListImports.get().add({ ...reference, keyId: world.keyId, agentId: await world.newAgent(), mode: 'add' });
  await files.get().put(importFileKey(reference), Buffer.from(freshNumbers(count).join('\n')));
  return reference;
};
