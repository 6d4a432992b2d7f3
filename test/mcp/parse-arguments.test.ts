import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseJson } from '../../functions/domain/json.ts';
import { parseArguments } from '../../functions/mcp/parse-arguments.ts';
import type { OperationTool } from '../../functions/openapi/operations.ts';

const tools: OperationTool[] = JSON.parse(readFileSync('functions/openapi/tools.json', 'utf8'));
const parse = (name: string, args: unknown) => {
  const tool = tools.find((one) => one.name === name) as OperationTool;
  return parseArguments(args, tool.inputSchema, tool.annotations);
};

it.each([
  ['a list', 'addBlockedNumbers', { numbers: '["+14155550401"]' }, { numbers: ['+14155550401'] }],
  ['an object', 'updateAgent', { configuration: '{"greeting":"Hi"}' }, { configuration: { greeting: 'Hi' } }],
  [
    'a list of objects, one of which is text',
    'recordCalls',
    { items: ['{"callId":"a","durationSeconds":"60"}', { callId: 'b' }] },
    { items: [{ callId: 'a', durationSeconds: 60 }, { callId: 'b' }] },
  ],
  ['a whole number', 'listCalls', { limit: '20' }, { limit: 20 }],
  ['a number', 'updateCallOutcome', { custom_call_outcome_value: ' 49.5 ' }, { custom_call_outcome_value: 49.5 }],
  ['a boolean', 'updateWebsite', { active: 'true' }, { active: true }],
  ['a boolean of Python', 'updateWebsite', { active: 'False' }, { active: false }],
  ['all arguments', 'updateWebsite', '{"active":"false","name":"1"}', { active: false, name: '1' }],
  ['null', 'updateCallOutcome', { custom_call_metadata: 'null' }, { custom_call_metadata: null }],
])('an argument that is %s may be sent as text', (_, name, args, expected) => {
  expect(parse(name, args)).toEqual(expected);
});

it.each([
  ['listCalls', { from: '2026-11-20', to: '2026-11-23' }, { from: '2026-11-20T00:00:00Z', to: '2026-11-23T00:00:00Z' }],
  ['listAllCalls', { from: '2026-11-20T08:00:00Z' }, { from: '2026-11-20T08:00:00Z' }],
  [
    'getCallFigures',
    { from: '2026-11-20T00:00:00Z', to: '2026-11-23T00:00' },
    { from: '2026-11-20', to: '2026-11-23' },
  ],
  // The operation refuses it: the date alone would leave out the last day.
  ['getCallFigures', { to: '2026-11-22T23:59:59Z' }, { to: '2026-11-22T23:59:59Z' }],
])('the ends of a period of %s may be dates and date-times', (name, args, expected) => {
  expect(parse(name, args)).toEqual(expected);
});

it.each([
  ['a text that looks like a list', 'updateWebsite', { name: '["a"]' }],
  ['a text where the operation takes a list', 'addBlockedNumbers', { numbers: '+14155550401' }],
  ['a text that is broken JSON', 'addBlockedNumbers', { numbers: '["+14155550401"' }],
  ['a text of another type', 'addBlockedNumbers', { numbers: '{"0":"+14155550401"}' }],
  ['free-form metadata', 'updateCallOutcome', { custom_call_metadata: { list: '["a"]', n: '1' } }],
])('%s stays as it is', (_, name, args) => {
  expect(parse(name, structuredClone(args))).toEqual(args);
});

it.each([
  ['an argument', 'listCalls', { limit: null, agentId: 'a' }, { agentId: 'a' }],
  [
    'a field of an object',
    'createAgent',
    { configuration: { greeting: null, own: null } },
    { configuration: { own: null } },
  ],
  [
    'a field of an object in a list',
    'recordCalls',
    { items: [{ callId: 'a', durationSeconds: null, phone: null }] },
    { items: [{ callId: 'a', phone: null }] },
  ],
])('%s that may be absent is absent when it is null, unless null has a meaning', (_, name, args, expected) => {
  expect(parse(name, args)).toEqual(expected);
});

it.each([
  ['a number', 'listAgents', { limit: '' }],
  ['a boolean', 'listCalls', { hasOutcome: ' ' }],
  ['a choice', 'listCalls', { direction: '' }],
  ['a time', 'addBlockedNumbers', { expiresAt: '' }],
  ['a key of a request', 'addBlockedNumbers', { idempotencyKey: '' }],
  ['a list', 'searchKnowledge', { sourceIds: 'null' }],
  ['a text that a list is filtered by', 'listCalls', { phone: '', outcome: '', cursor: '' }],
])('an argument that may be absent, such as %s, is absent when it is an empty text', (_, name, args) => {
  expect(parse(name, args)).toEqual({});
});

it.each([
  ['a text that a change may clear', 'addBlockedNumbers', { reason: '' }],
  ['a text that is required', 'searchKnowledge', { query: '' }],
  ['a text in a search', 'searchKnowledge', { query: 'null' }],
])('%s stays as it is', (_, name, args) => {
  expect(parse(name, structuredClone(args))).toEqual(args);
});

it.each([
  ['clears a field', 'updateAgent', { agentId: 'a', phoneNumber: null, configuration: { greeting: null } }],
  ['stands for an argument that is required', 'getAgent', { agentId: null }],
  ['is in free-form metadata', 'updateCallOutcome', { custom_call_metadata: { n: null } }],
  ['is in a list', 'addBlockedNumbers', { numbers: [null] }],
  ['is an argument that the tool does not have', 'listCalls', { invented: null }],
])('null stays when it %s', (_, name, args) => {
  expect(parse(name, structuredClone(args))).toEqual(args);
});

it('numbers stay as they were written, beside and within texts', () => {
  const json = '{"custom_call_outcome_value":"1.50","custom_call_metadata":{"n":12345678901234567890,"p":1.50}}';
  expect(JSON.stringify(parse('updateCallOutcome', parseJson(json)))).toContain('{"n":12345678901234567890,"p":1.50}');
  const text = JSON.stringify({ custom_call_metadata: '{"p":1.50}' });
  expect(JSON.stringify(parse('updateCallOutcome', parseJson(text)))).toBe('{"custom_call_metadata":{"p":1.50}}');
});
