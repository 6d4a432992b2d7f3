import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../bin/local/listen.ts';
import { openTable } from '../../functions/store/table.ts';
import { useTargetInThisProcess } from '../support/world.ts';

useTargetInThisProcess();

it('more calls at once than there are connections wait for a free one, and all of them succeed', async () => {
  let served = 0;
  // The calls that wait longest wait for 1.2 seconds.
  const server = createServer(async (request, response) => {
    request.resume();
    await sleep(400);
    served++;
    response.setHeader('content-type', 'application/x-amz-json-1.0').end('{"Items": []}');
  });
  const { endpoint, stop } = await listen(server);
  onTestFinished(stop);
  const table = openTable('table', { endpoint });
  const queries = Array.from({ length: 200 }, (_, n) => Array.fromAsync(table.query({ pk: `agent-${n}` })));
  expect((await Promise.all(queries)).flat()).toEqual([]);
  expect(served).toBe(200);
});
