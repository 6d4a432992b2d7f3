import { expect, it } from 'vitest';
import { eventTypes } from '../../../functions/domain/webhooks.ts';
import { json, newFile } from '../../support/operator-command.ts';
import type { Received } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import { send } from '../../support/voice-platforms.ts';
import { newEndpoint, newReceiver, verified } from '../../support/webhooks.ts';
import { makeWebsites, newFolder } from '../../support/websites.ts';
import { newWorld, target } from '../../support/world.ts';
import { importPackage } from '../packages.ts';

const { Webhook } = await importPackage('svix');

/** A request in the form that the library of Svix takes. */
const ofSvix = ({ headers, body }: Received) => ({
  body,
  headers: {
    'svix-id': headers['webhook-id'],
    'svix-timestamp': headers['webhook-timestamp'],
    'svix-signature': headers['webhook-signature'],
  },
});

it('the libraries of Standard Webhooks and of Svix accept every type of event, those of imports by the operator included', async () => {
  const world = await newWorld();
  const { uid, agentId, call } = world;
  const receiver = await newReceiver();
  const { secret } = await newEndpoint(world, receiver.url);
  const events = async () => {
    const requests = await receiver.received();
    for (const { headers, body } of requests.map(ofSvix)) new Webhook(secret).verify(body, headers);
    return requests.map((request) => verified(secret, request));
  };
  /** Waits for an event of a type with these ids. */
  const expectEvent = async (type: string, about: object) => {
    const found = await until(async () => (await events()).find((event) => event.type === type));
    expect(found.data).toMatchObject({ uid, ...about });
  };

  await call('PATCH', `/agents/${agentId}`, { body: { name: 'Front desk' } });
  await expectEvent('agent.updated', { agentId, name: 'Front desk' });
  const split = [{ version: 1, percent: 100 }];
  await call('PUT', `/agents/${agentId}/traffic`, { body: { uid, split } });
  await expectEvent('agent.traffic_updated', { agentId, split });
  const other = (await call('POST', '/agents', { body: { uid, name: 'Other' } })).body.agentId;
  await call('DELETE', `/agents/${other}`);
  await expectEvent('agent.deleted', { agentId: other });

  // The operator's command creates an import and sends its file by the form.
  const numbers = newFile('+14155550101\n+14155550102\n');
  await json('block-list', 'import', numbers, '--agent-id', agentId, '--base-url', target.baseUrl);
  const added = { count: 2, numbers: ['+14155550101', '+14155550102'] };
  await expectEvent('block_list.updated', { agentId, scope: 'agent', added, removed: { count: 0, numbers: [] } });

  const phone = '+14155550100';
  const facts = { agentId, callId: 'call-1', phone, direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' };
  await json('calls', 'import', newFile(JSON.stringify(facts)));
  await expectEvent('call.recorded', { call_id: 'call-1', agent_id: agentId, phone });
  await json('calls', 'update', 'call-1', '--agent-id', agentId, '--outcome', 'booked');
  await expectEvent('call.outcome_updated', { call_id: 'call-1', custom_call_outcome: 'booked' });

  await call('PATCH', `/agents/${agentId}`, {
    body: { configuration: { outcomes: [{ name: 'booked', found: { minSeconds: 3600 } }] } },
  });
  for (const [id, custom_call_outcome] of Object.entries({ a: 'booked', b: 'interested' })) {
    const analysis = { structuredData: { custom_call_outcome } };
    const message = {
      type: 'end-of-call-report',
      call: { id, customer: { number: phone } },
      durationSeconds: 60,
      analysis,
    };
    await send(world, 'vapi', { body: { message } });
  }
  await expectEvent('call.outcome_held', { call_id: 'vapi:a' });
  await expectEvent('call.outcome_refused', { call_id: 'vapi:b', refusedOutcome: 'interested' });

  const { url, put } = newFolder();
  await put('', '<title>Hours</title><p>Open.');
  const { add, remove } = makeWebsites(world);
  const [{ websiteId }, { websiteId: failing }] = [(await add(url)).body, (await add(`${url}not-there`)).body];
  await expectEvent('website.ready', { agentId, websiteId });
  await expectEvent('website.failed', { agentId, websiteId: failing });
  await remove(websiteId);
  await expectEvent('website.deleted', { agentId, websiteId });

  const form = new FormData();
  for (const [name, value] of Object.entries({ uid, agentId })) form.set(name, value);
  form.append('files', new Blob(['Opening hours']), 'notes.txt');
  form.append('files', new Blob(['%PDF-1.4 broken']), 'broken.pdf');
  const [ready, broken] = (await call('POST', '/agent-documents', { body: form })).body.documentIds;
  await expectEvent('document.ready', { agentId, documentId: ready });
  await expectEvent('document.failed', { agentId, documentId: broken });
  await call('DELETE', '/agent-documents', { query: { uid, agentId, documentId: ready } });
  await expectEvent('document.deleted', { agentId, documentId: ready });

  const gone = await newReceiver({ status: 410 });
  const { endpointId } = await newEndpoint(world, gone.url, { events: ['call.deleted'] });
  await call('DELETE', `/calls/${agentId}/call-1`);
  await expectEvent('call.deleted', { call_id: 'call-1', agent_id: agentId });
  await expectEvent('webhook_endpoint.disabled', { endpointId, disabledReason: 'gone' });

  const prefixes = [{ prefix: '+4190' }];
  expect((await call('PUT', '/block-list-rules', { body: { uid, agentId, prefixes, allow: [] } })).status).toBe(200);
  await expectEvent('block_list.rules_updated', { agentId });
  const consents = [{ number: phone, purpose: 'offers', state: 'given' }];
  expect((await call('POST', '/consents', { body: { uid, consents } })).body.failed).toEqual([]);
  await expectEvent('consent.recorded', { number: phone, purpose: 'offers', state: 'given' });

  const types = (await events()).map(({ type }) => type);
  // A count reaches a budget, of a client: see test/api/budgets.test.ts.
  const ofTheUser = Object.keys(eventTypes).filter((type) => type !== 'user.budget_reached');
  expect(ofTheUser.filter((type) => !types.includes(type))).toEqual([]);
});
