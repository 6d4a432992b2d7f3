import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { listen } from '../../../../bin/local/listen.ts';
import { newApiKey } from '../../../../functions/domain/api-keys.ts';
import { start, writeTestFile } from '../../../support/outcomes-tool.ts';

const rows = 10_000;
const rowBytes = 8000;
/** The maximum additional memory compared with a file of one row. Rows kept as strings would take twice their bytes. */
const maxMegabytes = 100;

/** A fake service that has every call. */
const startService = async () => {
  const server = createServer(async (request, response) => {
    // The agent declares no outcomes.
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ configuration: {} }));
    }
    const { items } = (await json(request)) as { items: { callIdOrPhone: string; agentId: string }[] };
    const updated = items.map(({ callIdOrPhone, agentId }, index) => {
      const fields = ['custom_call_outcome', 'custom_call_metadata'];
      return { index, call_id: callIdOrPhone, agent_id: agentId, phone: '+14155550100', updated_fields: fields };
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ updated, failed: [] }));
  });
  return listen(server);
};

/** Makes a process write its maximum resident memory in KB to a file when it exits. */
const recordMemory = (file: string) =>
  `--import data:text/javascript,${encodeURIComponent(
    `import { writeFileSync } from 'node:fs'; process.on('exit', () => writeFileSync(${JSON.stringify(file)}, String(process.resourceUsage().maxRSS)));`,
  )}`;

const writeRows = async (count: number) => {
  const file = writeTestFile('large.csv', '');
  const writing = createWriteStream(file);
  writing.write('agentId,callIdOrPhone,custom_call_outcome,custom_call_metadata\n');
  const note = 'n'.repeat(rowBytes);
  for (let row = 0; row < count; row++) {
    if (!writing.write(`agent_1,call-${row},won,"{""note"": ""${note} ${row}""}"\n`)) await once(writing, 'drain');
  }
  writing.end();
  await once(writing, 'close');
  return file;
};

/** Pushes a file of so many rows, and returns the maximum resident memory of the process in MB. */
const memoryOfPush = async (baseUrl: string, count: number) => {
  const file = await writeRows(count);
  const memoryFile = join(dirname(file), 'memory');
  const env = { NODE_OPTIONS: recordMemory(memoryFile) };
  const { code, stdout, stderr } = await start(file, { baseUrl, apiKey: newApiKey(), env }).ended;
  expect([code, stderr.replace(/^[\d,]+ of .*\n/gm, '')]).toEqual([0, '']);
  expect(stdout).toContain(`${count.toLocaleString('en')} set, 0 failed`);
  expect(readFileSync(`${file}.results.csv`, 'utf8').trim().split('\n')).toHaveLength(count + 1);
  return Number(readFileSync(memoryFile, 'utf8')) / 1024;
};

it(`outcomes push sends ${(rows * rowBytes) / 1_000_000} MB in at most ${maxMegabytes} MB more memory than one row`, {
  tags: 'heavy',
}, async () => {
  const { endpoint: baseUrl, stop } = await startService();
  // The first run of a clone also compiles the program, which takes memory of its own.
  await memoryOfPush(baseUrl, 1);
  const withOneRow = await memoryOfPush(baseUrl, 1);
  const withAllRows = await memoryOfPush(baseUrl, rows);
  await stop();
  expect(withAllRows - withOneRow).toBeLessThan(maxMegabytes);
});
