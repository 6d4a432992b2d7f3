import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Context } from 'aws-lambda';
import { gateway } from '../../../bin/local/gateway.ts';
import { listen } from '../../../bin/local/listen.ts';
import { pagesWith } from '../../../bin/local/pages.ts';
import { serveMcp } from '../../../functions/api/serve-mcp.ts';
import { Scope } from '../../../functions/domain/api-keys.ts';
import { lambdaWithoutKey } from '../../../functions/http/lambda.ts';
import { median, type Row } from '../benchmark.ts';
import { eventOf } from '../world.ts';

const lists = 300;
const calls = 300;
const maxListMilliseconds = 2;
const maxListKibibytes = 80;
/** Of the two medians that a call is held against, which are measured apart from it. */
const tolerance = 1.15;

/** What AI clients cost: the list of tools in the function itself, and a tool call against the request that it makes. */
export const mcp: Row = {
  name: 'mcp',
  title: 'AI clients: tools/list and tools/call',

  async measure(open) {
    const { apiKey, agentId } = await open();
    const message = (method: string, params: object = {}, id: number | undefined = 1) => ({
      jsonrpc: '2.0',
      ...(id && { id }),
      method,
      params,
    });

    const keys = await startKeys();
    process.env.API_URL = keys.endpoint;
    const handler = lambdaWithoutKey(serveMcp);
    const event = eventOf(serveMcp, { apiKey, body: message('tools/list') });
    const list = () => handler(event, {} as Context);
    const { statusCode, body = '' } = await quietly(list);
    if (statusCode !== 200) throw new Error(`tools/list responded with ${statusCode}: ${body}`);
    for (let warm = 0; warm < lists; warm++) await quietly(list);
    const before = process.cpuUsage();
    await quietly(async () => {
      for (let made = 0; made < lists; made++) await list();
    });
    const { user, system } = process.cpuUsage(before);
    await keys.stop();

    const server = createServer(gateway({ origins: ['https://app.example.com'], pages: pagesWith({}) }));
    const { endpoint, stop } = await listen(server);
    process.env.API_URL = endpoint;
    let requests = 0;
    server.on('request', () => {
      requests++;
    });
    const send = async (path: string, sent?: object) => {
      const began = performance.now();
      const headers = { 'x-authorization': apiKey };
      const response = await fetch(
        endpoint + path,
        sent ? { method: 'POST', headers, body: JSON.stringify(sent) } : { headers },
      );
      const text = await response.text();
      if (!response.ok || text.includes('"isError":true'))
        throw new Error(`${path} responded with ${response.status}: ${text}`);
      return performance.now() - began;
    };
    const ways = {
      direct: () => send(`/agents/${agentId}`),
      // A notification: the function does nothing with it.
      hop: () => send('/mcp', message('notifications/initialized', {}, 0)),
      call: () => send('/mcp', message('tools/call', { name: 'getAgent', arguments: { agentId } })),
    };
    const taken = { direct: [] as number[], hop: [] as number[], call: [] as number[] };
    await quietly(async () => {
      for (let round = 0; round < calls; round++) {
        for (const way of ['direct', 'hop', 'call'] as const) {
          const milliseconds = await ways[way]();
          if (round >= calls / 10) taken[way].push(milliseconds);
        }
      }
    });
    requests = 0;
    await quietly(ways.call);
    const perCall = requests;
    await stop();

    const [direct, hop, call] = [median(taken.direct), median(taken.hop), median(taken.call)];
    const listMilliseconds = (user + system) / 1000 / lists;
    const listKibibytes = Buffer.byteLength(body) / 1024;
    const most = (direct + hop) * tolerance;
    return [
      {
        what: 'tools/list, processor time',
        ours: { value: listMilliseconds, unit: 'ms' },
        target: { text: `≤ ${maxListMilliseconds} ms`, reached: listMilliseconds <= maxListMilliseconds },
      },
      {
        what: 'tools/list, size of the response',
        ours: { value: listKibibytes, unit: 'KiB' },
        target: { text: `≤ ${maxListKibibytes} KiB`, reached: listKibibytes <= maxListKibibytes },
      },
      {
        what: 'tools/call of a read, requests in all',
        ours: { value: perCall, unit: 'requests' },
        target: { text: '≤ 2 requests', reached: perCall <= 2 },
      },
      {
        what: 'tools/call of a read',
        ours: { value: call, unit: 'ms' },
        against: { what: 'the direct request', quantity: { value: direct, unit: 'ms' }, ratio: call / direct },
        target: { text: `≤ ${most.toFixed(1)} ms`, reached: call <= most },
        note: `a request that the function does nothing with takes ${hop.toFixed(1)} ms`,
      },
    ];
  },
};

/** An API in a process of its own that knows whose key it is, so that its processor time is not counted. */
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

/** With log lines made as ever, and thrown away: how fast a terminal takes them is not the question. */
const quietly = async <T>(work: () => Promise<T>): Promise<T> => {
  const { stderr } = process;
  const write = stderr.write;
  stderr.write = () => true;
  try {
    return await work();
  } finally {
    stderr.write = write;
  }
};
