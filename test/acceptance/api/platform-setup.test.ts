import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { retellLanguages } from '../../../functions/hooks/platforms/retell-languages.ts';
import { upload } from '../../support/knowledge.ts';
import { type Sent, send, starts } from '../../support/voice-platforms.ts';
import { newWorld, type World } from '../../support/world.ts';
import { importPackage } from '../packages.ts';
import { compile, declare } from '../vendors-types.ts';

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await upload(world, { 'Prices.md': '# Prices\n\nA cleaning costs 89 euros.' });
});

/** The JSON blocks of a section of the guide, in their order. */
const listBlocks = (platform: string): unknown[] => {
  const guide = readFileSync('functions/openapi/guides/voice-platform-setup.md', 'utf8');
  const [section = ''] = guide.split(`\n## ${platform}\n`)[1]?.split(/\n## /) ?? [];
  return [...section.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json));
};

const acceptStart = async (platform: string, configuration: object) => {
  const body = { uid: world.uid, name: 'Agent', configuration };
  const { agentId } = (await world.call('POST', '/agents', { body })).body;
  const start = starts[platform] as Sent;
  const query = { ...start.query, overrides: 'true' };
  return (await send({ ...world, agentId }, platform, { query, body: start.body })).body;
};

const configuration = {
  ...{ greeting: 'Hello!', disclosure: 'You are talking to a machine.' },
  ...{ instructions: 'Answer briefly.', language: 'de', model: 'openai/gpt-4.1' },
};
const greeting = 'You are talking to a machine. Hello!';
const vapi = (type: string) => `import('@vapi-ai/server-sdk').Vapi.${type}`;
const retell = (type: string) => `import('retell-sdk').default.${type}`;

it('Vapi’s types accept the overrides, the response of the tool, and the JSON of the guide', async () => {
  const providers =
    'anthropic anthropic-bedrock anyscale cerebras deepinfra deep-seek google groq inflection-ai minimax openai openrouter perplexity-ai together-ai xai'.split(
      ' ',
    );
  const responses = [await acceptStart('vapi', configuration), await acceptStart('vapi', { greeting: '' })];
  expect(responses[0].assistantOverrides.firstMessage).toBe(greeting);
  expect(responses[0].assistantOverrides.model.messages).toEqual([{ role: 'system', content: 'Answer briefly.' }]);
  for (const provider of providers) {
    const { assistantOverrides } = await acceptStart('vapi', { ...configuration, model: `${provider}/some` });
    expect(assistantOverrides.model.provider).toBe(provider);
  }
  const toolCall = {
    id: 'c1',
    type: 'function',
    function: { name: 'search_knowledge', arguments: '{"query":"cleaning"}' },
  };
  const failedCall = { ...toolCall, id: 'c2', function: { ...toolCall.function, arguments: '{}' } };
  const event = { type: 'tool-calls', toolWithToolCallList: [], toolCallList: [toolCall, failedCall] };
  const answer = (await send(world, 'vapi', { body: { message: event } })).body;
  expect(answer.results).toMatchObject([
    { result: expect.stringContaining('89 euros') },
    { error: expect.any(String) },
  ]);
  expect(answer.results[0].result).not.toContain('\n');
  const [analysis, tool] = listBlocks('Vapi') as [object, object];
  expect(
    await compile([
      ...responses.map((response) => declare(vapi('ServerMessageResponseAssistantRequest'), response)),
      `export const providers: ${vapi('AssistantOverridesModel')}['provider'][] = ${JSON.stringify(providers)};`,
      declare(vapi('ServerMessageToolCalls'), event),
      declare(vapi('ServerMessageResponseToolCalls'), answer),
      declare(`Pick<${vapi('UpdateAssistantDto')}, 'analysisPlan'>`, analysis),
      declare(vapi('CreateFunctionToolDto'), { ...tool, type: undefined }),
    ]),
  ).toBe('');
  expect(await compile([declare(`NonNullable<${vapi('AssistantOverrides')}['firstMessage']>`, greeting)])).toBe('');
  const wrong = { assistantId: 'a', assistantOverrides: { model: { messages: [] } } };
  expect(await compile([declare(vapi('ServerMessageResponseAssistantRequest'), wrong)])).toContain('error TS');
});

it('Retell’s types accept the overrides, every language, and the JSON of the guide', async () => {
  const { call_inbound } = await acceptStart('retell', configuration);
  expect(call_inbound.dynamic_variables.agent_instructions).toBe('Answer briefly.');
  expect(call_inbound.agent_override.retell_llm.begin_message).toBe(greeting);
  const override = retell('CallCreatePhoneCallParams.AgentOverride');
  const language = `Extract<NonNullable<NonNullable<${override}['agent']>['language']>, string>`;
  const known = retellLanguages.map((name) => `'${name}'`).join(' | ');
  const [analysis, tool] = listBlocks('Retell');
  expect(
    await compile([
      declare(override, call_inbound.agent_override),
      ...retellLanguages.map((name) => declare(language, name)),
      `export const others: Exclude<${language}, ${known} | 'multi'>[] = [];
       export const none: never[] = others;`,
      declare(`Pick<${retell('AgentUpdateParams')}, 'post_call_analysis_data'>`, analysis),
      declare(retell('LlmResponse.CustomTool'), tool),
    ]),
  ).toBe('');
  expect(await compile([declare(override, { agent: { language: 'de' } })])).toContain('error TS');
  expect(await compile([declare(override, { agent: { begin_message: greeting } })])).toContain('error TS');
  const called = { name: 'search_knowledge', args: { query: 'cleaning' }, call: { call_id: 'r1' } };
  expect((await send(world, 'retell', { body: called })).body.result).toContain('89 euros');
});

it('ElevenLabs’ library reads the overrides, and the JSON of the guide', async () => {
  const folder = '@elevenlabs/elevenlabs-js/serialization/types';
  const loadSchema = async (name: string) => (await importPackage(`${folder}/${name}.js`))[name];
  const strictly = { unrecognizedObjectKeys: 'fail' };
  const initiation = await loadSchema('ConversationInitiationClientDataRequestInput');
  const settings = await loadSchema('AgentPlatformSettingsRequestModel');
  const webhookTool = await loadSchema('WebhookToolConfigInput');
  const { type, ...data } = await acceptStart('elevenlabs', configuration);
  const read = initiation.parse(data, strictly);
  expect(read).toMatchObject({
    ok: true,
    value: {
      conversationConfigOverride: {
        agent: { firstMessage: greeting, language: 'de', prompt: { prompt: 'Answer briefly.' } },
      },
    },
  });
  const [overrides, analysis, tool] = listBlocks('ElevenLabs') as [
    { platform_settings: object },
    { platform_settings: object },
    { type: string },
  ];
  for (const { platform_settings } of [overrides, analysis])
    expect(settings.parse(platform_settings, strictly)).toMatchObject({ ok: true });
  const { type: kind, ...webhook } = tool;
  expect(kind).toBe('webhook');
  expect(webhookTool.parse(webhook, strictly)).toMatchObject({ ok: true });
  const { result } = (await send(world, 'elevenlabs', { body: { tool_name: 'search_knowledge', query: 'cleaning' } }))
    .body;
  expect(result).toContain('89 euros');
});

it('Twilio has no greeting, so that its answer has no disclosure, and Telnyx has one that no answer replaces', async () => {
  const [told, untold] = [await acceptStart('twilio', configuration), await acceptStart('twilio', {})];
  expect([told, String(told).includes('machine')]).toEqual([untold, false]);
  // Its greeting is a field of the assistant, with variables in it, and the webhook of variables answers nothing else.
  const assistant = "import('telnyx').default.AI.AssistantCreateParams";
  const parts = {
    greeting: '{{disclosure}} Hello!',
    dynamic_variables: { disclosure: 'You are talking to a machine.' },
  };
  expect(await compile([declare(`Pick<${assistant}, 'greeting' | 'dynamic_variables'>`, parts)])).toBe('');
});
