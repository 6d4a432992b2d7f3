import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Context } from 'aws-lambda';
import { serveMcp } from '../../../functions/api/serve-mcp.ts';
import { Scope } from '../../../functions/domain/api-keys.ts';
import { lambdaWithoutKey } from '../../../functions/http/lambda.ts';
import type { Row } from '../benchmark.ts';
import { eventOf } from '../world.ts';

const lists = 300;
const maxMilliseconds = 5;
const maxKibibytes = 80;

/** Measures the cost of the list of tools for the function of AI clients. */
export const mcp: Row = {
  name: 'mcp',
  title: 'AI clients: tools/list',

  async measure(open) {
    const { apiKey } = await open();
    const keys = await startKeys();
    process.env.API_URL = keys.endpoint;
    const handler = lambdaWithoutKey(serveMcp);
    const event = eventOf(serveMcp, { apiKey, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    const list = () => handler(event, {} as Context);
    const { statusCode, body = '' } = await list();
    if (statusCode !== 200) throw new Error(`tools/list responded with ${statusCode}: ${body}`);
    for (let warm = 0; warm < lists; warm++) await list();
    const before = process.cpuUsage();
    for (let made = 0; made < lists; made++) await list();
    const { user, system } = process.cpuUsage(before);
    await keys.stop();
    const [milliseconds, kibibytes] = [(user + system) / 1000 / lists, Buffer.byteLength(body) / 1024];
    return [
      {
        what: 'processor time',
        ours: { value: milliseconds * 1000, unit: 'µs' },
        target: { text: `≤ ${maxMilliseconds} ms`, reached: milliseconds <= maxMilliseconds },
      },
      {
        what: 'size of the response',
        ours: { value: kibibytes, unit: 'KiB' },
        target: { text: `≤ ${maxKibibytes} KiB`, reached: kibibytes <= maxKibibytes },
      },
    ];
  },
};

/** Starts an API that returns the user of a key, in a separate process whose CPU time does not count. */
const startKeys = async () => {
  const body = JSON.stringify({ keyId: 'key_1', uid: 'bench-user', scopes: Scope.options });
  const program = `
    require('node:http').createServer((request, response) => response.end(${JSON.stringify(body)}))
      .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;
  const child = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  return {
    endpoint: `http://127.0.0.1:${String(port).trim()}`,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
};
