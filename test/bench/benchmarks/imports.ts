import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addBlockedNumbers } from '../../../functions/api/add-blocked-numbers.ts';
import { files } from '../../../functions/clients/files.ts';
import { importFileKey } from '../../../functions/domain/block-list-imports.ts';
import { newIdentifier } from '../../../functions/domain/identifiers.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { blockListImports } from '../../../functions/store/block-list-imports.ts';
import type { Row } from '../benchmark.ts';
import { freshNumbers } from '../operations.ts';
import { invoke } from '../world.ts';

const run = promisify(execFile);
const eachWayMilliseconds = 5;
/** A million with `IMPORT_LINES=1000000`; the ratio is the same with fewer. */
const lines = Number(process.env.IMPORT_LINES ?? 40_000);
const mostMegabytes = 300;

/** A file imported by its job, in a process of its own, against the same numbers in requests, one after the other. */
export const imports: Row = {
  name: 'imports',
  title: `Importing ${lines.toLocaleString('en')} numbers, ${eachWayMilliseconds} ms each way`,

  async measure(open, say) {
    const world = await open();
    world.proxy.delay(eachWayMilliseconds);
    const { uid, apiKey } = world;
    const numbers = freshNumbers(lines);
    const requested = await world.newAgent();
    const begin = performance.now();
    // Of a million lines, a tenth in requests is enough to tell their pace.
    const asked = Math.min(lines, 100_000);
    for (let start = 0; start < asked; start += limits.numbersPerRequest) {
      const body = { uid, agentId: requested, numbers: numbers.slice(start, start + limits.numbersPerRequest) };
      await invoke(addBlockedNumbers, { apiKey, body });
    }
    const requests = ((performance.now() - begin) * lines) / asked;
    say(`In requests: ${Math.round(requests)} ms.`);
    const reference = { uid, importId: newIdentifier('import') };
    await blockListImports.get().add({ ...reference, agentId: await world.newAgent(), mode: 'add' });
    await files.get().put(importFileKey(reference), Buffer.from(numbers.map((number) => `${number}\n`).join('')));
    const script = join(import.meta.dirname, '../import-file.ts');
    const { stdout } = await run(process.execPath, [script, uid, reference.importId], { env: process.env });
    const record = await blockListImports.get().find(reference);
    if (record?.added !== lines) throw new Error(`The import ended as ${JSON.stringify(record)}.`);
    const { milliseconds, megabytes } = JSON.parse(stdout) as { milliseconds: number; megabytes: number };
    const ratio = requests / milliseconds;
    const what = `requests of ${limits.numbersPerRequest.toLocaleString('en')}, one after the other`;
    return [
      {
        what: 'time',
        ours: { value: milliseconds, unit: 'ms' },
        against: { what, quantity: { value: requests, unit: 'ms' }, ratio },
      },
      {
        what: 'memory of the process',
        ours: { value: megabytes, unit: 'MB' },
        target: { text: `≤ ${mostMegabytes} MB`, reached: megabytes <= mostMegabytes },
      },
    ];
  },
};
