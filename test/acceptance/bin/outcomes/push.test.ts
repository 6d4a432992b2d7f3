import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { getOutcome, manyRows, readResults, worldWithCalls } from '../../../support/outcome-files.ts';
import { push, start } from '../../../support/outcomes-tool.ts';
import { startProxy } from '../../../support/proxy.ts';
import { until } from '../../../support/until.ts';

it('outcomes push continues after SIGKILL: each row is in the results once', async () => {
  const world = await worldWithCalls(5);
  const file = manyRows(world, 4000, 5);
  const third = Promise.withResolvers<void>();
  await using proxy = await startProxy(async ({ number }) => {
    if (number < 3) return undefined;
    third.resolve();
    await sleep(number === 3 ? 60_000 : 0, undefined, { ref: false });
    return undefined;
  });
  const options = { baseUrl: proxy.baseUrl, apiKey: world.apiKey };
  const run = start(file, options);
  await third.promise;
  const readProgress = () => JSON.parse(readFileSync(`${file}.progress.json`, 'utf8')).state.rows;
  await until(() => readProgress() > 0);
  run.child.kill('SIGKILL');
  await run.ended;
  const rows = readProgress();
  expect([1000, 2000]).toContain(rows);
  // This is the state after a kill between writing the results and the progress.
  writeFileSync(`${file}.results.csv`, '9,half a li', { flag: 'a' });

  const seen = proxy.rowsSeen();
  const again = await push(file, options);
  expect([again.code, proxy.rowsSeen() - seen]).toEqual([0, 4000 - rows]);
  expect(readResults(file).map(({ line, status }) => `${line} ${status}`)).toEqual(
    Array.from({ length: 4000 }, (_, row) => `${row + 2} updated`),
  );
  expect((await getOutcome(world, 'c4')).custom_call_outcome).toBe('row 3999');
});

it('outcomes push says how to continue after SIGTERM, and then sends every row', async () => {
  const world = await worldWithCalls(2);
  const begun = Promise.withResolvers<void>();
  await using proxy = await startProxy(async ({ number }) => {
    begun.resolve();
    if (number === 1) await sleep(20_000, undefined, { ref: false });
    return undefined;
  });
  const options = { baseUrl: proxy.baseUrl, apiKey: world.apiKey };
  const run = start(world.file, options);
  await begun.promise;
  run.child.kill('SIGTERM');
  expect(await run.ended).toMatchObject({ code: 3, stderr: expect.stringContaining('Run the same command again') });
  expect((await push(world.file, options)).code).toBe(0);
});

it('outcomes push does not run twice at once for one file', async () => {
  const world = await worldWithCalls(1);
  const begun = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  await using proxy = await startProxy(async () => {
    begun.resolve();
    await second.promise;
    return undefined;
  });
  const options = { baseUrl: proxy.baseUrl, apiKey: world.apiKey };
  const first = start(world.file, options);
  await begun.promise;
  const other = await push(world.file, options);
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`Process ${first.child.pid} is working on this file`),
  });
  second.resolve();
  expect((await first.ended).code).toBe(0);
});
