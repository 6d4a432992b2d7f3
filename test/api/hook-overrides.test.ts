import { beforeAll, expect, it } from 'vitest';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { type Sent, send, starts } from '../support/voice-platforms.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

const [greeting, instructions] = ['Guten Tag!', 'Answer briefly.\nOffer an appointment.'];
const whole = { greeting, instructions, language: 'de', model: 'openai/gpt-4.1' };
const cleared = { greeting: null, instructions: null, language: null, model: null, variables: null };

/** The response to a call that is accepted, for an agent with a configuration. */
const acceptStart = async (platform: string, configuration: object, overrides = 'true') => {
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { ...cleared, ...configuration } } });
  const { query, body } = starts[platform] as Sent;
  const response = await send(world, platform, { query: { ...query, overrides }, body });
  expect(response.status).toBe(200);
  return response.body;
};

const withoutVersion = (response: object) => JSON.stringify(response).replace(/"agent_version":"\d+"/, '');

it('an accepted call gets the overrides of the version that its caller gets', async () => {
  const former = await acceptStart('vapi', { greeting: 'Hello!' });
  const version = Number(former.assistantOverrides.variableValues.agent_version);
  await acceptStart('vapi', { greeting });
  const { uid, agentId } = world;
  const split = (body: object) => world.call('PUT', `/agents/${agentId}/traffic`, { body: { uid, ...body } });
  expect((await split({ split: [{ version, percent: 100 }] })).status).toBe(200);
  const { query, body } = starts.vapi as Sent;
  const { assistantOverrides } = (await send(world, 'vapi', { query: { ...query, overrides: 'true' }, body })).body;
  expect(assistantOverrides).toMatchObject({
    firstMessage: 'Hello!',
    variableValues: { agent_version: `${version}` },
  });
  await split({ split: [] });
});

it('an accepted call at Vapi gets greeting and instructions, and variables for the prompt', async () => {
  expect((await acceptStart('vapi', whole)).assistantOverrides).toEqual({
    firstMessage: greeting,
    model: { provider: 'openai', model: 'gpt-4.1', messages: [{ role: 'system', content: instructions }] },
    variableValues: expect.objectContaining({ agent_instructions: instructions, agent_language: 'de' }),
  });
});

it.each([undefined, 'gpt-4.1', 'nobody/gpt', 'custom-llm/x', 'openai/', '/gpt', 'toString/x'])(
  'an accepted call at Vapi keeps its model without the provider of another: %j',
  async (model) => {
    const { assistantOverrides } = await acceptStart('vapi', {
      ...whole,
      ...(model !== undefined ? { model } : { model: null }),
    });
    expect(assistantOverrides).not.toHaveProperty('model');
    expect(assistantOverrides).toMatchObject({
      firstMessage: greeting,
      variableValues: { agent_instructions: instructions },
    });
  },
);

it('an accepted call at Vapi takes a model whose name has a slash', async () => {
  const { assistantOverrides } = await acceptStart('vapi', { ...whole, model: 'openrouter/anthropic/claude' });
  expect(assistantOverrides.model).toMatchObject({ provider: 'openrouter', model: 'anthropic/claude' });
});

it('an accepted call at Retell gets greeting and language, and the instructions as a variable', async () => {
  const { call_inbound } = await acceptStart('retell', whole);
  expect(call_inbound).toEqual({
    dynamic_variables: expect.objectContaining({ agent_instructions: instructions, agent_language: 'de' }),
    override_agent_id: 'agent_2',
    agent_override: { agent: { language: 'de-DE' }, retell_llm: { begin_message: greeting } },
  });
});

it('an accepted call at ElevenLabs gets greeting, instructions and language', async () => {
  expect((await acceptStart('elevenlabs', whole)).conversation_config_override).toEqual({
    agent: { first_message: greeting, prompt: { prompt: instructions }, language: 'de' },
  });
});

it.each([
  ['en', 'en-US', 'en'],
  ['en-GB', 'en-GB', 'en'],
  ['de-AT', 'de-DE', 'de'],
  ['en-CA', 'en-US', 'en'],
  ['es-MX', 'es-419', 'es'],
  ['es', 'es-ES', 'es'],
  ['pt', 'pt-BR', 'pt'],
  ['pt-BR', 'pt-BR', 'pt-br'],
  ['es-419', 'es-419', 'es'],
  ['nb', 'no-NO', 'nb'],
  ['zh-Hans', 'zh-CN', 'zh'],
  ['eo', undefined, 'eo'],
])('the language %s has the platforms’ own names', async (language, ofRetell, ofElevenLabs) => {
  const { call_inbound } = await acceptStart('retell', { language });
  expect(call_inbound.agent_override?.agent?.language).toBe(ofRetell);
  const { conversation_config_override } = await acceptStart('elevenlabs', { language });
  expect(conversation_config_override.agent).toEqual({ language: ofElevenLabs });
});

it.each(['vapi', 'retell', 'elevenlabs'])(
  'an accepted call at %s without overrides gets only variables',
  async (platform) => {
    const plain = await acceptStart(platform, whole, 'false');
    expect(withoutVersion(await acceptStart(platform, {}))).toEqual(withoutVersion(plain));
    expect(JSON.stringify(plain)).not.toContain(greeting);
  },
);

it('an empty greeting is one: the agent waits for the caller', async () => {
  expect((await acceptStart('vapi', { greeting: '' })).assistantOverrides.firstMessage).toBe('');
  expect((await acceptStart('retell', { greeting: '' })).call_inbound.agent_override).toEqual({
    retell_llm: { begin_message: '' },
  });
  expect((await acceptStart('elevenlabs', { greeting: '' })).conversation_config_override).toEqual({
    agent: { first_message: '' },
  });
});

it('a rejected call gets no overrides, and Twilio none at all', async () => {
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: whole } });
  const { query, body } = starts.twilio as Sent;
  expect((await send(world, 'twilio', { query: { ...query, overrides: 'true' }, body })).text).not.toContain(greeting);
  const blocked = await newWorld();
  await blocked.block(['+14155550100']);
  for (const platform of ['vapi', 'retell', 'elevenlabs']) {
    const start = starts[platform] as Sent;
    const { text } = await send(blocked, platform, {
      query: { ...start.query, overrides: 'true' },
      body: start.body,
    });
    expect(text).not.toMatch(/verride/);
  }
});

it('a key for hooks alone gets no overrides, in the address or in a header, and one with agents gets them', async () => {
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: whole } });
  const { secret } = await apiKeys.get().create(world.uid, { name: 'hooks', scopes: ['hooks'] });
  const { query, body } = starts.vapi as Sent;
  const inAddress = { ...query, overrides: 'true', key: secret };
  const { status, text } = await send({ ...world, apiKey: '' }, 'vapi', { query: inAddress, body });
  expect([status, text.includes(greeting), text.includes('Answer briefly')]).toEqual([200, false, false]);
  const inHeader = (apiKey: string) => send(world, 'vapi', { query: { ...query, overrides: 'true' }, body, apiKey });
  expect((await inHeader(secret)).text).not.toContain(greeting);
  const stronger = await apiKeys.get().create(world.uid, { name: 'hooks', scopes: ['hooks', 'agents'] });
  expect((await inHeader(stronger.secret)).text).toContain(greeting);
});

it('overrides are true or false', async () => {
  const { query, body } = starts.vapi as Sent;
  expect((await send(world, 'vapi', { query: { ...query, overrides: 'yes' }, body })).status).toBe(400);
});
