import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gateway } from '../../bin/local/gateway.ts';
import { type Listening, listen } from '../../bin/local/listen.ts';
import { useTargetInThisProcess } from '../support/world.ts';

let service: Listening;
beforeAll(async () => {
  useTargetInThisProcess();
  Object.assign(process.env, { CHAT_MODEL_ID: 'a-model', CHAT_SIGNING_SECRET: 'a secret' });
  service = await listen(createServer(gateway({ origins: [], pages: { files: () => new Map(), demo: {} } })));
});
afterAll(() => service.stop());

/** Sends an invalid conversation: the response shows whether it was validated. */
const send = async () => {
  const response = await fetch(`${service.endpoint}/chat/build`, { method: 'POST', body: '{}' });
  return [response.status, ((await response.json()) as { error: string }).error];
};

it('a chat for callers with a key rejects a request without one before it looks at the conversation, a public chat does not', async () => {
  process.env.CHAT_ACCESS = 'key';
  expect(await send()).toEqual([401, 'missing_api_key']);
  process.env.CHAT_ACCESS = 'public';
  expect(await send()).toEqual([400, 'invalid_request']);
});
