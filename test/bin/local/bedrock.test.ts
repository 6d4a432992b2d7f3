import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { isStepCount, jsonSchema, type ModelMessage, streamText, tool } from 'ai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBedrock } from '../../../bin/local/bedrock.ts';

let fake: Awaited<ReturnType<typeof startBedrock>>;
beforeAll(async () => {
  fake = await startBedrock({ paceMilliseconds: 0 });
});
afterAll(() => fake.stop());

const model = () =>
  createAmazonBedrock({ baseURL: fake.endpoint, region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b' })(
    'fake-model.v1',
  );

const object = (properties: Record<string, object>, required = Object.keys(properties)) =>
  jsonSchema<Record<string, unknown>>({ type: 'object', properties, required });
const text = { type: 'string' };

/** Tools of the names of the service's, which answer what they were given. */
const agentId = 'agent_01M805P3SFX9KMXH19WTZKXA68';
const tools = {
  searchDocumentation: tool({
    inputSchema: object({ query: text }),
    execute: async () => ({
      topics: [{ title: 'Block a number', text: 'POST /agent-block-list' }, { title: 'Other' }],
    }),
  }),
  getCallFigures: tool({
    inputSchema: object({ from: text, to: text }),
    execute: async () => ({ totals: { calls: 12, withOutcome: 7, value: '90', valueCurrency: 'USD' } }),
  }),
  createAgent: tool({
    inputSchema: object({ name: text, configuration: { type: 'object' } }, ['name']),
    execute: async ({ name }) => ({ agentId, name }),
  }),
};

const run = (messages: string | ModelMessage[], { approvals = [] }: { approvals?: string[] } = {}) => {
  const errors: unknown[] = [];
  const result = streamText({
    model: model(),
    ...(typeof messages === 'string' ? { prompt: messages } : { messages }),
    tools,
    stopWhen: isStepCount(8),
    maxRetries: 0,
    toolApproval: Object.fromEntries(approvals.map((name) => [name, 'user-approval'])),
    onError: ({ error }) => void errors.push(error),
  });
  return { result, errors };
};

const getOutcome = async (messages: string | ModelMessage[], options?: { approvals?: string[] }) => {
  const { result } = run(messages, options);
  const steps = await result.steps;
  const calls = steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName, input }) => [toolName, input]));
  return {
    calls,
    text: steps.at(-1)?.text,
    response: await result.response,
  };
};

it('the fake model looks a question up, and reports what it found', async () => {
  const { calls, text } = await getOutcome('How do I stop callers?');
  expect(calls).toEqual([['searchDocumentation', { query: 'How do I stop callers?' }]]);
  expect(text).toContain('POST /agent-block-list');
});

it('the fake model takes the calendar week before this one for last week', async () => {
  const { calls, text } = await getOutcome('How many calls were there last week?');
  const [name, { from, to }] = calls[0] as [string, { from: string; to: string }];
  const days = (Date.parse(to) - Date.parse(from)) / (24 * 60 * 60 * 1000);
  expect([name, new Date(from).getUTCDay(), days]).toEqual(['getCallFigures', 1, 7]);
  expect(Date.parse(to)).toBeLessThanOrEqual(Date.now());
  expect(text).toContain('There were 12 calls last week');
  expect(text).toContain('7 of them had an outcome, worth 90 USD.');
});

it('the fake model requests approval, continues after it, and accepts a no', async () => {
  const approvals = ['createAgent'];
  const question: ModelMessage = { role: 'user', content: 'Create an agent called Reception' };
  const asked = await getOutcome([question], { approvals });
  expect(asked.calls).toEqual([['createAgent', { name: 'Reception', configuration: expect.anything() }]]);
  const request = asked.response.messages
    .flatMap(({ role, content }) => (role === 'assistant' && typeof content !== 'string' ? content : []))
    .find((part) => part.type === 'tool-approval-request');
  const answered = (approved: boolean): ModelMessage[] => [
    question,
    ...asked.response.messages,
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: request?.approvalId ?? '', approved }] },
  ];
  expect((await getOutcome(answered(true), { approvals })).text).toContain('Done. I created **Reception**');
  expect((await getOutcome(answered(false), { approvals })).text).toContain('changed nothing');
});

it.each([
  ['throttle', 429],
  ['reject', 400],
])('the fake Bedrock can %s before the stream begins', async (fault, statusCode) => {
  const { result, errors } = run(`[fake: ${fault}]`);
  await result.consumeStream();
  expect(errors).toEqual([expect.objectContaining({ statusCode })]);
});

it.each([
  ['exception', /unexpected error/],
  ['cut', /terminated|Incomplete|aborted/],
])('the fake Bedrock can end in mid-stream: %s', async (fault, message) => {
  const { result, errors } = run(`Hello [fake: ${fault}]`);
  let text = '';
  try {
    for await (const part of result.fullStream) if (part.type === 'text-delta') text += part.text;
  } catch (error) {
    errors.push(error);
  }
  expect(text).toMatch(/^Hello!/);
  expect(String((errors[0] as Error)?.message)).toMatch(message);
});

it.each(['stall', 'silence', 'endless'])('the fake Bedrock can continue until its reader leaves: %s', async (fault) => {
  const abort = new AbortController();
  const result = streamText({
    model: model(),
    prompt: `Hello [fake: ${fault}]`,
    abortSignal: abort.signal,
    onError: () => {},
  });
  setTimeout(() => abort.abort(), 300);
  const types: string[] = [];
  for await (const { type } of result.fullStream) types.push(type);
  expect(types.at(-1)).toBe('abort');
  expect(types.filter((type) => type === 'text-delta').length > 0).toBe(fault !== 'silence');
});

it('the fake Bedrock requires a signature and knows one operation', async () => {
  const post = (path: string, headers = {}) => fetch(fake.endpoint + path, { method: 'POST', body: '{}', headers });
  expect((await post('/model/x/converse-stream')).status).toBe(403);
  const authorization = 'AWS4-HMAC-SHA256 Credential=a/b';
  expect((await post('/model/x/converse', { authorization })).status).toBe(404);
});
