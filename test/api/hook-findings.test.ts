import { beforeAll, describe, expect, it } from 'vitest';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { caller, findings, own, send } from '../support/voice-platforms.ts';
import { newWorld, unique, type World } from '../support/world.ts';

type Fields = Record<string, unknown>;

const vapiEnd = (message: object, id = '1') => ({
  message: { type: 'end-of-call-report', call: { id, customer: { number: caller } }, ...message },
});

/** Wraps a platform's findings about a call in the event that it sends. */
const events: Record<string, { platform: string; ended: (fields: Fields, id?: string) => Fields }> = {
  'a structured output of Vapi': {
    platform: 'vapi',
    ended: (result, id) =>
      vapiEnd({ artifact: { structuredOutputs: { '7a0c': { name: 'Call outcome', result } } } }, id),
  },
  'the structured outputs of Vapi': {
    platform: 'vapi',
    ended: (fields, id) => {
      const named = Object.entries(fields).map(([name, result], index) => [`id-${index}`, { name, result }]);
      return vapiEnd({ artifact: { structuredOutputs: Object.fromEntries(named) } }, id);
    },
  },
};
events['the analysis in the call of Vapi'] = {
  platform: 'vapi',
  ended: (structuredData, id = '1') =>
    vapiEnd({ analysis: { summary: '' }, call: { id, customer: { number: caller }, analysis: { structuredData } } }),
};
events['the list of results of ElevenLabs without an envelope'] = {
  platform: 'elevenlabs',
  ended: (fields, id = '1') => {
    const results = Object.entries(fields).map(([data_collection_id, value]) => ({ data_collection_id, value }));
    return { conversation_id: id, status: 'done', analysis: { data_collection_results_list: results } };
  },
};
for (const [platform, toEvent] of Object.entries(findings))
  events[`the analysis of ${platform}`] = { platform, ended: (fields, id) => toEvent({ fields, id }) };
const retellEnd = (fields: Fields) => findings.retell?.({ fields }) ?? {};

const parsePlatform = (callId: string) => callId.split(':')[0] as string;

/** Sends the events of one call, and returns the call. */
const callAfter = async (world: World, callId: string, ...sent: Fields[]) => {
  for (const body of sent) expect((await send(world, parsePlatform(callId), { body })).status).toBe(200);
  return (await world.call('GET', `/calls/${world.agentId}/${callId}`)).body;
};

const configure = (world: World, configuration: object) =>
  world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration } });

const found = { custom_call_outcome: 'booked', custom_call_outcome_value: 149.5, custom_call_metadata: { seats: 2 } };

describe.each(Object.entries(events))('%s', (name, { platform, ended }) => {
  const callId = `${platform}:1`;

  it(`${name} is the outcome of the call, once, however often it is sent`, async () => {
    const world = await newWorld();
    const call = await callAfter(world, callId, ended(found));
    expect(call).toMatchObject({
      ...found,
      outcomeHistory: [{ keyId: `hook:${platform}`, fields: Object.keys(found) }],
    });
    expect(await callAfter(world, callId, ended(found), ended(found))).toEqual(call);
  });

  // One place reads the findings of every platform.
  if (platform !== 'retell') return;

  it(`${name} may have other names, which the agent configures`, async () => {
    const world = await newWorld();
    await configure(world, { outcomeFrom: { outcome: 'call_result', value: 'order total' } });
    const fields = { call_result: 'sold', 'order total': 20, custom_call_outcome: 'booked' };
    const expected = { custom_call_outcome: 'sold', custom_call_outcome_value: 20 };
    expect(await callAfter(world, callId, ended(fields))).toMatchObject(expected);
  });

  it(`${name} does not change an outcome that a user has set or cleared`, async () => {
    for (const change of [
      { custom_call_outcome: 'lost' },
      { custom_call_outcome_value: 5 },
      { custom_call_outcome: null, custom_call_metadata: { a: 1 } },
    ]) {
      const world = await newWorld();
      await callAfter(world, callId, ended({ ...found, custom_call_outcome: 'first' }));
      await world.call('PATCH', `/calls/${world.agentId}/${callId}`, { body: change });
      const before = (await world.call('GET', `/calls/${world.agentId}/${callId}`)).body;
      expect(await callAfter(world, callId, ended(found))).toMatchObject({
        outcomeUpdatedAt: before.outcomeUpdatedAt,
        outcomeHistory: before.outcomeHistory,
      });
    }
  });

  it(`${name} blocks the caller once, if the agent declares that this outcome blocks when it is found`, async () => {
    const world = await newWorld();
    await configure(world, { outcomes: [{ name: 'do_not_call', blocks: 'found' }] });
    const blocked = { custom_call_outcome: 'do_not_call' };
    expect(await callAfter(world, callId, ended(blocked))).toMatchObject(blocked);
    const { uid, agentId } = world;
    const list = async () =>
      (await world.call('GET', '/agent-block-list/check', { query: { uid, agentId, number: caller } })).body;
    expect(await list()).toMatchObject({ blocked: true, scope: 'user', reason: 'do_not_call' });
    await world.call('DELETE', '/block-list', { body: { uid, numbers: [caller] } });
    await callAfter(world, callId, ended(blocked));
    expect(await list()).toMatchObject({ blocked: false });
  });

  let world: World;
  beforeAll(async () => {
    world = await newWorld();
    await configure(world, { outcomeFrom: { outcome: 'constructor', value: 'toString' } });
  });
  const [label, value, metadata] = Object.keys(found) as [string, string, string];
  it.each([
    ['a number as the outcome', { [label]: 5 }, []],
    ['an outcome that is too long', { [label]: 'x'.repeat(257) }, []],
    ['half of a surrogate pair', { [label]: 'a\ud800' }, []],
    ['a text as the value', { ...found, [value]: '149,50' }, [label, metadata]],
    ['a list as the metadata', { ...found, [metadata]: [1] }, [label, value]],
    ['a text as the metadata', { ...found, [metadata]: 'none' }, [label, value]],
    ['metadata of 60 KB', { ...found, [metadata]: { a: 'x'.repeat(60_000) } }, [label, value]],
    ['nothing', { [label]: null, [value]: null, [metadata]: null }, []],
    ['an inherited name', { other: 'booked' }, []],
  ])(`${name} sets what can be an outcome, and not %s`, async (_, fields, set) => {
    const id = unique('call');
    const call = await callAfter(world, `${platform}:${id}`, ended(fields as Fields, id));
    expect(call.callId).toBe(`${platform}:${id}`);
    expect(Object.keys(found).filter((field) => field in call)).toEqual(set);
    expect(call.outcomeHistory?.length ?? 0).toBe(set.length === 0 ? 0 : 1);
  });
});

describe('findings of Retell', () => {
  let world: World;
  beforeAll(async () => {
    world = await newWorld();
  });

  it('findings that come after the end set the outcome, and an end that comes again does not remove it', async () => {
    const ended = { event: 'call_ended', call: { call_id: '1', from_number: caller, call_status: 'ended' } };
    expect(await callAfter(world, 'retell:1', ended)).not.toHaveProperty('custom_call_outcome');
    expect(await callAfter(world, 'retell:1', retellEnd(found), ended)).toMatchObject({ ...found, status: 'ended' });
  });

  it('findings that are corrected by the platform correct the outcome', async () => {
    const corrected = { ...found, custom_call_outcome: 'lost', custom_call_outcome_value: 0 };
    expect(await callAfter(world, 'retell:1', retellEnd(corrected))).toMatchObject(corrected);
  });

  it('a text that holds an object is the metadata', async () => {
    const fields = { custom_call_metadata: '{"seats":3,"at":1.50}' };
    await callAfter(world, 'retell:1', retellEnd(fields));
    const { text } = await world.call('GET', `/calls/${world.agentId}/retell:1`);
    expect(text).toContain('"custom_call_metadata":{"seats":3,"at":1.50}');
  });

  it('metadata that a user has set stays, and the outcome is still taken from the findings', async () => {
    const world = await newWorld();
    await world.recordCall('retell:1');
    const body = { custom_call_metadata: { crm: 7 } };
    await world.call('PATCH', `/calls/${world.agentId}/retell:1`, { body });
    const expected = { custom_call_outcome: 'booked', custom_call_outcome_value: 149.5, ...body };
    expect(await callAfter(world, 'retell:1', retellEnd(found))).toMatchObject(expected);
  });

  it('an analysis of almost 1 MB sets the outcome', async () => {
    const fields = { ...found, notes: 'x'.repeat(990_000) };
    const call = await callAfter(await newWorld(), 'retell:1', retellEnd(fields));
    expect(call).toMatchObject(found);
    expect(call.details.analysis.custom_analysis_data).toEqual(found);
  });

  it('findings for an agent that is found by its number, or that is shared, use its configuration', async () => {
    const [owner, guest] = [await newWorld(), await newWorld()];
    await owner.call('PATCH', `/agents/${owner.agentId}`, {
      body: {
        phoneNumber: own,
        configuration: { outcomeFrom: { outcome: 'result' }, outcomes: [{ name: 'Won' }, { name: 'Lost' }] },
      },
    });
    const { secret: key } = await apiKeys.get().create(owner.uid, { name: 'hooks', scopes: ['hooks'] });
    const query = { uid: owner.uid, agentId: undefined, key };
    await send(owner, 'retell', { query, body: retellEnd({ result: 'won' }), apiKey: undefined });
    const path = `/calls/${owner.agentId}/retell:1`;
    expect((await owner.call('GET', path)).body).toMatchObject({ custom_call_outcome: 'Won' });
    await agentSharing.get().share(owner.agentId, owner.uid, guest.uid);
    await send({ ...guest, agentId: owner.agentId }, 'retell', { body: retellEnd({ result: 'lost' }) });
    expect((await owner.call('GET', path)).body).toMatchObject({ custom_call_outcome: 'Lost' });
  });
});
