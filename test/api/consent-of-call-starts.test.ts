import { expect, it } from 'vitest';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { newUser, newWorld, type World } from '../support/world.ts';

const number = '+525512345678';
const otherForm = '+5215512345678';
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const makeWorld = async (calling: object = { consent: { purpose: 'marketing' } }) => {
  const world = await newWorld();
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { calling } } });
  return world;
};
const record = async (world: World, ...consents: object[]) => {
  const all = consents.map((one) => ({ number, purpose: 'marketing', state: 'given', at: minutesAgo(10), ...one }));
  const { body, text } = await world.call('POST', '/consents', { body: { uid: world.uid, consents: all } });
  expect(body.failed, text).toEqual([]);
  return body.recorded.map(({ consentId }: { consentId: string }) => consentId) as string[];
};
const start = async (world: World, more: object = {}, apiKey = world.apiKey) => {
  const body = { uid: world.uid, agentId: world.agentId, direction: 'outbound', to: number, ...more };
  const { body: answer, text } = await world.call('POST', '/call-starts', { apiKey, body });
  return answer.decision === 'accept' ? ['accept', answer.consentId] : (answer.cause ?? text);
};
const check = async (world: World, numbers: string[], more: object = {}) =>
  (
    await world.call('POST', '/call-start-checks', {
      body: { uid: world.uid, agentId: world.agentId, numbers, ...more },
    })
  ).body;
const predial = async (world: World, to = number) =>
  (
    await world.call('POST', '/hooks/vapi', {
      query: { uid: world.uid, agentId: world.agentId },
      body: { message: { type: 'campaign.predial', customer: { number: to } } },
    })
  ).body.eligible;

it('an outbound call needs the consent that its agent names, by every way to start', async () => {
  const world = await makeWorld();
  const decisions = async () => {
    const { accepted, rejected } = await check(world, [otherForm]);
    return [await start(world), accepted[0] ?? rejected[0].cause, await predial(world)];
  };
  expect(await decisions()).toEqual(['no_consent', 'no_consent', false]);
  await record(world, { purpose: 'service' });
  expect(await start(world)).toBe('no_consent');
  const [consentId] = await record(world, { number: otherForm });
  expect(await decisions()).toEqual([['accept', consentId], otherForm, true]);
  expect(await start(world, { to: otherForm })).toEqual(['accept', consentId]);
  await record(world, { purpose: '*', state: 'revoked', at: minutesAgo(5) });
  expect(await decisions()).toEqual(['consent_revoked', 'consent_revoked', false]);
  expect(await start(world, { at: minutesAgo(7) })).toEqual(['accept', consentId]);
  expect(await check(world, [number], { at: minutesAgo(7) })).toMatchObject({ accepted: [number] });
  const [again] = await record(world, { at: minutesAgo(1) });
  expect(await decisions()).toEqual([['accept', again], otherForm, true]);
});

it('a consent that is over, or older than the agent accepts, is expired, without a time to retry', async () => {
  const world = await makeWorld({ consent: { purpose: 'marketing', maxAgeDays: 30 } });
  const [consentId] = await record(world, { expiresAt: new Date(Date.now() + 90 * 86_400_000).toISOString() });
  const days = (count: number) => new Date(Date.parse(minutesAgo(10)) + count * 86_400_000 + 60_000).toISOString();
  expect(await start(world)).toEqual(['accept', consentId]);
  expect(await start(world, { at: days(29.99) })).toEqual(['accept', consentId]);
  expect(await start(world, { at: days(30) })).toBe('consent_expired');
  const { body } = await world.call('POST', '/call-starts', {
    body: { uid: world.uid, agentId: world.agentId, direction: 'outbound', to: number, at: days(91) },
  });
  expect(body).toEqual({ decision: 'reject', cause: 'consent_expired', number, agentId: world.agentId, version: 2 });
});

it('a blocked number comes before the consent, hours and attempts after it, and a withheld number has none', async () => {
  const world = await makeWorld({ consent: { purpose: 'marketing' }, hours: { from: '00:00', to: '00:01' } });
  expect(await start(world)).toBe('no_consent');
  expect(await start(world, { to: null })).toBe('no_consent');
  await record(world, {});
  expect(await start(world, { at: '2099-01-01T12:00:00Z' })).toBe('outside_hours');
  await record(world, { state: 'revoked', at: minutesAgo(1) });
  await world.block([number]);
  expect(await start(world)).toBe('blocked');
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { rejectWithheldNumbers: true } } });
  expect(await start(world, { to: null })).toBe('withheld_number');
});

it('an accepted call id is rejected once the consent is revoked, and a call refused for its consent is no attempt', async () => {
  const world = await makeWorld({ consent: { purpose: 'marketing' }, attempts: [{ max: 1, hours: 24 }] });
  expect(await start(world, { callId: 'before' })).toBe('no_consent');
  const [consentId] = await record(world, {});
  const call = { callId: 'call' };
  expect([await start(world, call), await start(world, call)]).toEqual([
    ['accept', consentId],
    ['accept', consentId],
  ]);
  expect(await start(world, { callId: 'other' })).toBe('too_many_attempts');
  await record(world, { state: 'revoked', at: minutesAgo(1) });
  expect(await start(world, call)).toBe('consent_revoked');
});

it('a call that comes in, and an agent without the rule, need no consent', async () => {
  const world = await makeWorld();
  expect(await start(world, { direction: 'inbound', from: number, to: undefined })).toEqual(['accept', undefined]);
  const free = await makeWorld({});
  await record(free, { purpose: '*', state: 'revoked' });
  expect(await start(free)).toEqual(['accept', undefined]);
});

it('the consents of the owner count where a guest starts a call, and not those of the guest', async () => {
  const world = await makeWorld();
  const guest = await newUser();
  await agentSharing.get().share(world.agentId, world.uid, guest.uid);
  const asGuest = () => start(world, { uid: guest.uid }, guest.apiKey);
  const consents = [{ number, purpose: 'marketing', state: 'given' }];
  await world.call('POST', '/consents', { apiKey: guest.apiKey, body: { uid: guest.uid, consents } });
  expect(await asGuest()).toBe('no_consent');
  const [consentId] = await record(world, {});
  expect(await asGuest()).toEqual(['accept', consentId]);
});

it.each([
  [{ purpose: '*' }, 'configuration.calling.consent.purpose'],
  [{}, 'configuration.calling.consent.purpose'],
  [{ purpose: 'marketing', maxAgeDays: 0 }, 'configuration.calling.consent.maxAgeDays'],
  [{ purpose: 'marketing', maxAgeDays: 3651 }, 'configuration.calling.consent.maxAgeDays'],
  [{ purpose: 'marketing', days: 1 }, 'configuration.calling.consent'],
])('the rule %j is refused with the path of the field', async (consent, path) => {
  const world = await newWorld();
  const { status, body } = await world.call('PATCH', `/agents/${world.agentId}`, {
    body: { configuration: { calling: { consent } } },
  });
  expect([status, body.details?.[0].path]).toEqual([400, path]);
});
