import { expect, it } from 'vitest';
import { limits } from '../../functions/domain/limits.ts';
import { newWorld, type World } from '../support/world.ts';

const number = '+14155550100';
const disclosure = { 'en-US': 'You speak with an AI.', de: 'Sie sprechen mit einer KI — Straße 7.' };
const makeStartTime = () => new Date(Date.now() - 600_000).toISOString();

const makeWorld = async (configuration: object = { disclosure }) => {
  const world = await newWorld(['agents', 'calls', 'hooks', 'block-list']);
  const { status, text } = await configure(world, configuration);
  expect(status, text).toBe(200);
  return world;
};
const configure = (world: World, configuration: object) =>
  world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration } });
const hook = async (world: World, platform: string, body: object, query: object = {}) => {
  const options = { query: { uid: world.uid, agentId: world.agentId, assistantId: 'a', ...query }, body };
  const { status, body: answer, text } = await world.call('POST', `/hooks/${platform}`, options);
  expect(status, text).toBe(200);
  return answer;
};
const getCall = async (world: World, callId: string) =>
  (await world.call('GET', `/calls/${world.agentId}/${callId}`)).body;

const vapiEnd = (id: string, artifact?: object, more: object = {}) => ({
  message: {
    ...{ type: 'end-of-call-report', call: { id, customer: { number }, ...more } },
    ...{ startedAt: makeStartTime(), durationSeconds: 60, artifact },
  },
});

it('the greeting that each platform gets begins with the disclosure, in the language of the version', async () => {
  const greetings = async (configuration: object) => {
    const world = await makeWorld({ disclosure, ...configuration });
    const overrides = { overrides: 'true' };
    const vapi = await hook(
      world,
      'vapi',
      { message: { type: 'assistant-request', call: { customer: { number } } } },
      overrides,
    );
    const retell = await hook(
      world,
      'retell',
      { event: 'call_inbound', call_inbound: { from_number: number } },
      overrides,
    );
    const eleven = await hook(
      world,
      'elevenlabs',
      { caller_id: number, called_number: number, call_sid: 's' },
      overrides,
    );
    const all = [
      vapi.assistantOverrides.firstMessage,
      retell.call_inbound.agent_override.retell_llm.begin_message,
      eleven.conversation_config_override.agent.first_message,
    ];
    expect(new Set(all).size).toBe(1);
    return all[0];
  };
  expect(await greetings({ greeting: 'Hello.' })).toBe(`${disclosure['en-US']} Hello.`);
  expect(await greetings({ greeting: 'Hallo.', language: 'de-CH' })).toBe(`${disclosure.de} Hallo.`);
  expect(await greetings({ greeting: 'Hi.', language: 'EN-us' })).toBe(`${disclosure['en-US']} Hi.`);
  expect(await greetings({ language: 'fr' })).toBe(disclosure['en-US']);
  expect(await greetings({ disclosure: 'I am a machine.', greeting: '' })).toBe('I am a machine.');
});

it('variables have the disclosure, also without overrides, and before one of the agent’s own', async () => {
  const world = await makeWorld({ disclosure, language: 'de', variables: { disclosure: 'own', company: 'Dental' } });
  const body = { uid: world.uid, agentId: world.agentId, from: number, include: ['variables'] };
  const start = async () => (await world.call('POST', '/call-starts', { body })).body.variables;
  expect(await start()).toMatchObject({ disclosure: disclosure.de, company: 'Dental' });
  const answer = await hook(world, 'retell', { event: 'call_inbound', call_inbound: { from_number: number } });
  expect(answer.call_inbound.dynamic_variables.disclosure).toBe(disclosure.de);
  await configure(world, { disclosure: null });
  expect(await start()).toMatchObject({ disclosure: 'own' });
});

const said = {
  yes: ['Hello!', 'you speak — with an A.I'],
  german: ['Guten Tag. sie SPRECHEN mit einer KI: STRASSE 7'],
  late: ['One', 'Two', 'You speak with an AI.'],
  no: ['You speak with an A'],
};

it('a call has whether its transcript discloses in one of the first two turns, whatever platform sent it', async () => {
  const world = await makeWorld();
  const turns = (texts: string[], [agent, caller]: [string, string], text: string) =>
    texts.flatMap((one) => [
      { role: agent, [text]: one },
      { role: caller, [text]: 'Yes, you speak with an AI.' },
    ]);
  const ends: Record<string, (texts: string[], id: string) => Promise<unknown>> = {
    vapi: (texts, id) =>
      hook(
        world,
        'vapi',
        vapiEnd(id, {
          messages: [{ role: 'system', message: 'You speak with an AI.' }, ...turns(texts, ['bot', 'user'], 'message')],
        }),
      ),
    retell: (texts, id) =>
      hook(world, 'retell', {
        event: 'call_ended',
        call: { call_id: id, from_number: number, transcript_object: turns(texts, ['agent', 'user'], 'content') },
      }),
    elevenlabs: (texts, id) =>
      hook(world, 'elevenlabs', {
        type: 'post_call_transcription',
        data: { conversation_id: id, transcript: turns(texts, ['agent', 'user'], 'message') },
      }),
  };
  for (const [platform, send] of Object.entries(ends))
    for (const [id, texts] of Object.entries(said)) {
      await send(texts, id);
      const expected = id === 'yes' || id === 'german' ? 'yes' : 'no';
      expect([platform, id, (await getCall(world, `${platform}:${id}`)).disclosed]).toEqual([platform, id, expected]);
    }
  await hook(world, 'vapi', vapiEnd('text', { transcript: 'AI: You speak\nUser: What?\nAI: with an AI.' }));
  expect((await getCall(world, 'vapi:text')).disclosed).toBe('no');
  await hook(world, 'vapi', vapiEnd('lines', { transcript: 'AI: Hello, you speak\nwith an AI\nUser: What?' }));
  expect((await getCall(world, 'vapi:lines')).disclosed).toBe('yes');
  const cut = [
    { role: 'bot', message: 'You speak' },
    { role: 'tool_calls', message: '' },
    { role: 'bot', message: 'with an AI.' },
  ];
  await hook(world, 'vapi', vapiEnd('cut', { messages: cut }));
  expect((await getCall(world, 'vapi:cut')).disclosed).toBe('yes');
});

it('nobody knows without a transcript, and what was known stays', async () => {
  const world = await makeWorld();
  await hook(world, 'vapi', vapiEnd('one', { messages: [] }));
  expect((await getCall(world, 'vapi:one')).disclosed).toBe('unknown');
  await hook(world, 'vapi', vapiEnd('one', { messages: [{ role: 'bot', message: 'You speak with an AI' }] }));
  expect((await getCall(world, 'vapi:one')).disclosed).toBe('yes');
  await hook(world, 'vapi', vapiEnd('one'));
  const facts = { phone: number, direction: 'inbound', startedAt: makeStartTime() };
  expect((await world.call('PUT', `/calls/${world.agentId}/vapi:one`, { body: facts })).body.disclosed).toBe('yes');
  expect((await world.recordCall('put')).body.disclosed).toBe('unknown');
  await world.call('POST', '/calls', { body: { items: [{ agentId: world.agentId, callId: 'bulk', ...facts }] } });
  const { agentId, uid } = world;
  const twilio = new URLSearchParams({ CallStatus: 'completed', CallSid: 'CA1', From: number }).toString();
  await world.call('POST', '/hooks/twilio', { query: { uid, agentId }, body: twilio });
  await world.block([number]);
  await hook(world, 'vapi', { message: { type: 'assistant-request', call: { id: 'rejected', customer: { number } } } });
  const { body } = await world.call('GET', `/calls/${agentId}`, { query: { disclosed: 'unknown' } });
  expect(body.calls.map(({ callId }: { callId: string }) => callId).sort()).toEqual(
    ['bulk', 'put', 'twilio:CA1', 'vapi:rejected'].sort(),
  );
  const yes = await world.call('GET', '/calls', { query: { uid, disclosed: 'yes' } });
  expect(yes.body.calls).toHaveLength(1);
  for (const disclosed of ['', 'maybe'])
    for (const path of ['/calls', `/calls/${agentId}`])
      expect((await world.call('GET', path, { query: { uid, disclosed } })).body.details?.[0].path).toBe('disclosed');
});

it('a call of an agent without a disclosure has no such field', async () => {
  const world = await makeWorld({ greeting: 'Hello.' });
  await hook(world, 'vapi', vapiEnd('one', { messages: [{ role: 'bot', message: 'Hello.' }] }));
  expect(await getCall(world, 'vapi:one')).not.toHaveProperty('disclosed');
});

it.each([
  '',
  'x'.repeat(limits.disclosureCharacters + 1),
  {},
  { 'en-US': '' },
  { 'not a tag': 'Hello' },
  { en: 5 },
  ['en'],
  7,
  Object.fromEntries(Array.from('abcdefghijklmnopqrstu', (letter) => [`en-x-${letter}`, 'Hello'])),
])('the disclosure %j is refused', async (one) => {
  const world = await newWorld();
  const { status, body } = await configure(world, { disclosure: one });
  expect([status, body.details?.[0].path]).toEqual([400, 'configuration.disclosure']);
});

it('the end of an outbound call has the consent that held when it started', async () => {
  const world = await makeWorld({ calling: { consent: { purpose: 'marketing' } } });
  const at = new Date(Date.now() - 3_600_000).toISOString();
  const revokedAt = new Date(Date.now() - 60_000).toISOString();
  const consents = [
    { number, purpose: 'marketing', state: 'given', at },
    { number, purpose: '*', state: 'revoked', at: revokedAt },
  ];
  const { body } = await world.call('POST', '/consents', { body: { uid: world.uid, consents } });
  await hook(world, 'vapi', vapiEnd('out', undefined, { type: 'outboundPhoneCall' }));
  expect((await getCall(world, 'vapi:out')).details.consentId).toBe(body.recorded[0].consentId);
  await hook(world, 'vapi', vapiEnd('in'));
  expect((await getCall(world, 'vapi:in')).details?.consentId).toBeUndefined();
  const late = vapiEnd('late', undefined, { type: 'outboundPhoneCall' });
  late.message.startedAt = new Date(Date.now() - 30_000).toISOString();
  await hook(world, 'vapi', late);
  expect((await getCall(world, 'vapi:late')).details?.consentId).toBeUndefined();
});
