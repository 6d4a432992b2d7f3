import { createHmac } from 'node:crypto';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { blockListImports } from '../../functions/block-list-import/block-list-imports.ts';
import { runImport } from '../../functions/block-list-import/run-import.ts';
import { importFiles } from '../../functions/clients/files.ts';
import { extractDocument } from '../../functions/jobs/extract-document.ts';
import { blockList } from '../../functions/store/block-list/block-list.ts';
import { calls } from '../../functions/store/calls/calls.ts';
import { credentials } from '../../functions/store/credentials.ts';
import { blockedNumberKey, parkedDeliveryCollections, userKey } from '../../functions/store/keys.ts';
import { documents } from '../../functions/store/sources/documents.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { writeQuota } from '../../functions/store/write-quota.ts';
import '../support/quiet-logs.ts';
import { callsTool, type ModelPart, model, says, talk } from '../support/chat.ts';
import { newClientWorld, newMaker, pickError } from '../support/clients.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { newHookSecret } from '../support/hook-signers.ts';
import { isForm, sendSigned, signedHook } from '../support/signed-hooks.ts';
import { until } from '../support/until.ts';
import { list, sendForm } from '../support/uploads.ts';
import { ends, readBody, rejected, send, starts } from '../support/voice-platforms.ts';
import { newEndpoint, newReceiver } from '../support/webhooks.ts';
import { call } from '../support/world.ts';

const platforms = ['twilio', 'vapi', 'retell', 'elevenlabs', 'telnyx'];
/** Telnyx sends what Twilio sends. */
const of = <T>(all: Record<string, T>, platform: string) => all[platform === 'telnyx' ? 'twilio' : platform] as T;
const findCallId = (platform: string) => (of(ends, platform).call as { callId: string }).callId.split(':')[1];
const acknowledged = (platform: string) =>
  isForm(platform) ? '<?xml version="1.0" encoding="UTF-8"?><Response/>' : {};
const refused = [403, 'user_suspended'];

describe.each(platforms)('a suspended user of %s', (platform) => {
  it(`a call of a suspended user of ${platform} is rejected in the form of the platform, and its end is recorded, by key and by signature`, async () => {
    const world = await newClientWorld();
    const { uid, agentId } = world;
    const start = of(starts, platform);
    const query = { uid, agentId, unsure: 'accept', ...start.query } as Record<string, string>;
    const { secret, fields } = newHookSecret(platform);
    await world.suspend(true);
    if (platform !== 'telnyx') {
      const byKey = await send(world, platform, { ...start, query });
      expect([byKey.status, readBody(byKey)]).toEqual(of(rejected, platform));
      expect((await send(world, platform, { body: of(ends, platform).body })).status).toBe(200);
      expect(pickError(await send(world, platform, { body: { event: 'transcript_updated' } }))).toEqual(refused);
    }
    await world.suspend(false);
    await world.call('PUT', `/hook-secrets/${platform}`, { body: { uid, ...fields } });
    const signed = (body: Record<string, unknown>) => sendSigned(signedHook(platform, { query, body, secret }));
    const acceptedAs = readBody(await signed(start.body));
    await world.suspend(true);
    const answer = await signed(start.body);
    expect([answer.status, readBody(answer)]).toEqual(of(rejected, platform));
    const end = await signed(of(ends, platform).body);
    expect([end.status, readBody(end)]).toEqual([200, acknowledged(platform)]);
    expect(pickError(await signed({ event: 'transcript_updated' }))).toEqual(refused);
    const other = newHookSecret(platform).secret;
    const wrong = await sendSigned(signedHook(platform, { query, body: start.body, secret: other }));
    expect(pickError(wrong)).toEqual([401, 'invalid_signature']);
    await world.suspend(false);
    expect(readBody(await signed(start.body))).toEqual(acceptedAs);
    const { calls } = (await world.call('GET', `/calls/${agentId}`)).body;
    expect(calls).toMatchObject([{ ...of(ends, platform).call, callId: `${platform}:${findCallId(platform)}` }]);
  });
});

it('a call of a suspended user of Vapi is rejected in its form if the signature is in a header of the user’s choice', async () => {
  const world = await newClientWorld();
  const { uid, agentId } = world;
  const secret = 'vapi-secret-0123456789abcdef';
  const header = 'x-vapi-signature';
  await world.call('PUT', '/hook-secrets/vapi', { body: { uid, secret, header } });
  const query = { uid, agentId, unsure: 'accept', assistantId: 'assistant-1' };
  const { address, body } = signedHook('vapi', { query, body: starts.vapi?.body ?? {}, secret });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  await world.suspend(true);
  const answer = await sendSigned({ address, body, headers: { [header]: signature } });
  expect([answer.status, answer.body]).toEqual(rejected.vapi);
});

it('a suspension by the operator is ended by the operator alone, and keeps the user from being deleted', async () => {
  const { uid, maker, suspend, call: asClient } = await newClientWorld();
  const change = (body: object) => maker.call('PATCH', `/users/${uid}`, { body });
  const remove = () => maker.call('DELETE', `/users/${uid}`, { query: { confirm: uid } });
  await suspend(true);
  await users.get().change(uid, { suspended: true });
  for (const answer of [await change({ suspended: false, name: 'Free' }), await remove()])
    expect(pickError(answer)).toEqual([409, 'suspended_by_operator']);
  expect((await change({ name: 'Acme', suspended: true })).body).toMatchObject({ name: 'Acme', suspended: true });
  expect(pickError(await asClient('GET', '/key'))).toEqual([403, 'user_suspended']);
  const other = await newMaker();
  const foreign = await other.call('PATCH', `/users/${uid}`, { body: { suspended: false } });
  expect(pickError(foreign)).toEqual([404, 'user_not_found']);
  await users.get().change(uid, { suspended: false });
  expect((await asClient('GET', '/key')).status).toBe(200);
  await suspend(true);
  expect((await change({ suspended: false })).body.suspended).toBe(false);
  expect((await remove()).status).toBe(200);
});

it('AI clients and the chat refuse a suspended user, and a turn under way does nothing more', async () => {
  const world = await newClientWorld();
  const { apiKey } = world;
  const answers = [callsTool('getAgent', { agentId: world.agentId }), callsTool('listAgents', {}), says('So.')];
  let calls = 0;
  const chatModel = new MockLanguageModelV4({
    doStream: async () => {
      if (calls === 1) await world.suspend(true);
      return { stream: simulateReadableStream({ chunks: answers[calls++] as ModelPart[] }) };
    },
  });
  const { chunks } = await talk(chatModel, { apiKey });
  expect(chunks.filter(({ type }) => type.startsWith('tool-output')).map(({ type }) => type)).toEqual([
    'tool-output-available',
    'tool-output-error',
  ]);
  expect([calls, chunks.some(({ type }) => type === 'text-delta')]).toEqual([2, false]);
  const next = await talk(model(says('Hello.')), { apiKey });
  expect([next.status, JSON.parse(next.text).error]).toEqual([403, 'user_suspended']);
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expect(pickError(await call('POST', '/mcp', { apiKey, body: message }))).toEqual([403, 'user_suspended']);
});

it('webhooks of a suspended user wait, and are sent when the suspension ends', async () => {
  const world = await newClientWorld();
  const { uid, agentId } = world;
  const receiver = await newReceiver({ status: 200 });
  await newEndpoint(world, receiver.url, { events: ['call.recorded'] });
  const record = (callId: string) =>
    calls.get().record(agentId, callId, { direction: 'inbound', startedAt: '2026-03-01T10:00:00.000Z' });
  await record('before');
  await receiver.waitFor(1);
  await world.suspend(true);
  // Jobs that are under way end.
  await record('during');
  const resting = async () => {
    const items = parkedDeliveryCollections(uid).map((shard) => Array.fromAsync(table.get().query(shard)));
    return (await Promise.all(items)).flat().length;
  };
  await until(async () => (await resting()) === 1);
  expect(await receiver.received()).toHaveLength(1);
  await world.suspend(false);
  const [, request] = await receiver.waitFor(2);
  expect(JSON.parse(request?.body ?? '').data.call_id).toBe('during');
  expect(await resting()).toBe(0);
});

it('a file that is sent by a form while the user is suspended is read after it', async () => {
  const world = await newClientWorld();
  const { uid, agentId } = world;
  const body = { uid, agentId, files: [{ name: 'notes.txt', size: 5, type: 'text/plain' }] };
  const [form] = (await world.call('POST', '/agent-documents/uploads', { body })).body.uploads;
  await world.suspend(true);
  await sendForm(form, 'Notes');
  const document = { agentId, id: form.documentId };
  await until(async () => (await documents.get().findForJob(document))?.fileDeadlineAt === undefined);
  const message = { job: 'extractDocument', uid, agentId, documentId: form.documentId };
  expect(await deliverMessage(extractDocument, message)).toBe(true);
  expect(await documents.get().findForJob(document)).toMatchObject({ status: 'pending' });
  await world.suspend(false);
  expect(await deliverMessage(extractDocument, message)).toBe(true);
  expect((await list(world)).documents).toMatchObject([{ status: 'ready' }]);
});

it('a file of numbers that is sent while the user is suspended is imported after it, however late', async () => {
  const world = await newClientWorld();
  const { uid } = world;
  const created = await world.call('POST', '/block-list-imports', { body: { uid, size: 13 } });
  const reference = { uid, importId: created.body.importId };
  await world.suspend(true);
  await sendForm(created.body, '+14155550103\n');
  const sent: unknown[] = [];
  const services = {
    ...{
      writeQuota: writeQuota.get(),
      blockList: blockList.get(),
      credentials: credentials.get(),
      files: importFiles.get(),
    },
    ...{ imports: blockListImports.get(), jobQueue: { send: async (message: unknown) => void sent.push(message) } },
  };
  await runImport(reference, services, Date.now() + 60_000);
  expect(sent).toEqual([{ job: 'importBlockList', ...reference }]);
  expect(await blockListImports.get().find(reference)).toMatchObject({ status: 'awaiting_upload' });
  await world.suspend(false);
  await runImport(reference, services, Date.now() + 60_000);
  // The service's own job may have the import.
  await expect.poll(() => blockListImports.get().find(reference)).toMatchObject({ status: 'done', added: 1 });
});

it('a secret or a webhook endpoint that an earlier request sets during a suspension is refused', async () => {
  const world = await newClientWorld();
  await table.get().change(userKey(world.uid), { set: { suspended: true } });
  const { fields } = newHookSecret('vapi');
  const set = await world.call('PUT', '/hook-secrets/vapi', { body: { uid: world.uid, ...fields } });
  expect(pickError(set)).toEqual([403, 'user_suspended']);
  const body = { uid: world.uid, url: 'https://crm.example.com/hooks' };
  expect(pickError(await world.call('POST', '/webhook-endpoints', { body }))).toEqual([403, 'user_suspended']);
});

it('a suspension in the middle of a request with 500 numbers interrupts nothing: all are blocked, and the next request is refused', {
  tags: 'heavy',
}, async () => {
  const { uid, call, suspend } = await newClientWorld();
  const numbers = Array.from({ length: 500 }, (_, n) => `+1415${5_000_000 + n}`);
  const block = () => call('POST', '/block-list', { body: { uid, numbers } });
  const first = blockedNumberKey({ uid }, '+14155000000');
  const [blocked] = await Promise.all([
    block(),
    until(() => table.get().get(first), { interval: 5 }).then(() => suspend(true)),
  ]);
  expect([blocked.status, blocked.body.added.length, blocked.body.failed]).toEqual([200, 500, []]);
  expect(pickError(await block())).toEqual([403, 'user_suspended']);
  await suspend(false);
  const again = await block();
  expect([again.body.added, again.body.failed.length]).toEqual([[], 500]);
});

it('a guest of a suspended user, and the clients of a suspended maker, go on', async () => {
  const maker = await newMaker();
  const [world, guest] = await Promise.all([newClientWorld(undefined, maker), newClientWorld(undefined, maker)]);
  await table.get().change(userKey(maker.uid), { set: { suspended: true }, add: { revision: 1 } });
  expect((await users.get().findClient(maker.uid, guest.uid))?.suspended).toBeUndefined();
  expect((await world.call('GET', `/agents/${world.agentId}`)).status).toBe(200);
});
