import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { expect, inject, it } from 'vitest';
import { toKebabCase } from '../../functions/domain/text.ts';
import { readTrace } from '../../functions/domain/trace.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { until } from '../support/until.ts';
import { sendForm } from '../support/uploads.ts';
import { newEndpoint, newReceiver } from '../support/webhooks.ts';
import { type Answer, call, newWorld, unique, type World } from '../support/world.ts';

const deployed = inject('deployed');
const logs = new CloudWatchLogsClient({});

/** Checks that a function has logged something under the id of a request, and under its trace, which follows from the id. */
const hasLogged = async (name: string, requestId: string): Promise<boolean> => {
  const logGroupName = `/aws/lambda/${deployed.stack}-${toKebabCase(name)}`;
  const { events = [] } = await logs.send(
    new FilterLogEventsCommand({ logGroupName, filterPattern: `"${requestId}"` }),
  );
  const lines = events.flatMap(({ message = '' }) => (message.startsWith('{') ? [JSON.parse(message)] : []));
  return lines.some((line) => line.requestId === requestId && line.traceId === readTrace(requestId).traceId);
};

/** Requests, each with the functions that work for it: those of operations, and then those of jobs. */
const requests: Record<string, { names: string[]; ask(world: World): Promise<Answer> }> = {
  'a number that an AI client blocks': {
    names: ['serveMcp', 'addBlockedNumbers', 'createDeliveries', 'deliverWebhook'],
    ask({ agentId, call }) {
      const params = { name: 'addBlockedNumbers', arguments: { agentId, numbers: ['+14155550101'] } };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      return call('POST', '/mcp', { body, headers: { 'mcp-protocol-version': '2025-11-25' } });
    },
  },
  'a call that is recorded': {
    names: ['recordCall', 'countCalls', 'createDeliveries', 'deliverWebhook'],
    ask: ({ agentId, call }) =>
      call('PUT', `/calls/${agentId}/${unique('call')}`, {
        body: { phone: '+14155550177', direction: 'inbound', startedAt: new Date().toISOString() },
      }),
  },
  'a website': {
    names: ['addWebsite', 'crawlWebsite', 'createDeliveries', 'deliverWebhook'],
    ask: ({ uid, agentId, call }) =>
      call('POST', '/agent-websites', { body: { uid, agentId, url: 'https://example.invalid/' } }),
  },
  'a document': {
    names: ['uploadDocuments', 'extractDocument', 'createDeliveries', 'deliverWebhook'],
    ask({ uid, agentId, call }) {
      const body = new FormData();
      for (const [name, value] of Object.entries({ uid, agentId })) body.set(name, value);
      body.append('files', new Blob(['Notes']), 'notes.txt');
      return call('POST', '/agent-documents', { body });
    },
  },
  'an import': {
    names: ['createBlockListImport', 'importBlockList', 'createDeliveries', 'deliverWebhook'],
    async ask({ uid, agentId, call }) {
      const content = 'number\n+14155550199\n';
      const answer = await call('POST', '/block-list-imports', { body: { uid, agentId, size: content.length } });
      await sendForm(answer.body, content);
      return answer;
    },
  },
  'a copy of an agent': {
    names: ['duplicateAgent', 'finishDuplication'],
    ask: ({ uid, agentId, call }) => call('POST', '/duplicate-agent', { body: { uid, agentId } }),
  },
  'an erasure': {
    names: ['createErasure', 'erasePerson', 'createDeliveries', 'deliverWebhook'],
    async ask({ uid, agentId, call }) {
      const number = '+14155550188';
      await call('PUT', `/calls/${agentId}/${unique('call')}`, {
        body: { phone: number, direction: 'inbound', startedAt: new Date().toISOString() },
      });
      return call('POST', '/erasures', { body: { uid, number } });
    },
  },
  'a deleted agent': {
    names: ['deleteAgent', 'finishDeletion', 'createDeliveries', 'deliverWebhook'],
    ask: ({ uid, agentId, call }) => call('DELETE', `/agents/${agentId}`, { query: { uid } }),
  },
};

/** A user with a key of all scopes that these requests need, and an endpoint for all events. */
const newOwner = async (): Promise<World> => {
  const world = await newWorld();
  const scopes = ['agents', 'knowledge', 'calls', 'block-list', 'webhooks', 'privacy'] as const;
  const { secret: apiKey } = await apiKeys.get().create(world.uid, { name: 'CRM', scopes: [...scopes] });
  const owner: World = { ...world, call: (method, path, options) => call(method, path, { apiKey, ...options }) };
  await newEndpoint(owner, (await newReceiver()).url);
  return owner;
};

/** Makes a request, and returns the functions that have not logged its id in time. */
const listSilent = async ({ names, ask }: (typeof requests)[string]): Promise<string[]> => {
  const { status, headers, text } = await ask(await newOwner());
  expect([status, text]).toEqual([200, expect.not.stringContaining('"isError":true')]);
  const requestId = headers.get('x-request-id') ?? '';
  const silent = new Set(names);
  const hasFoundAll = async () => {
    for (const name of silent) if (await hasLogged(name, requestId)) silent.delete(name);
    return silent.size === 0;
  };
  await until(hasFoundAll, { seconds: 180, interval: 1000 }).catch(() => undefined);
  return [...silent];
};

it.concurrent.each(Object.entries(requests))(
  'the id of a response, and its trace, find a log line of each function that works for the request: %s',
  async (_, request) => {
    // The emulator may lose the line of a function's first request.
    let silent = await listSilent(request);
    if (silent.length > 0) silent = await listSilent(request);
    expect(silent).toEqual([]);
  },
);
