import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseJson } from '../../functions/domain/json.ts';
import type { OperationTool } from '../../functions/openapi/operations.ts';
import { readArguments } from '../../functions/operations/read-arguments.ts';

const tools: OperationTool[] = JSON.parse(readFileSync('functions/openapi/tools.json', 'utf8'));
const parse = (name: string, args: unknown) => {
  const tool = tools.find((one) => one.name === name) as OperationTool;
  return readArguments(args, tool.inputSchema).args;
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
  ['a required one', 'searchKnowledge', { query: '', agentId: 'a' }, { agentId: 'a' }],
  [
    'an outcome',
    'updateCallOutcome',
    { custom_call_outcome: '', custom_call_outcome_value: 0 },
    { custom_call_outcome_value: 0 },
  ],
  ['an object', 'updateCallOutcome', { custom_call_metadata: {}, preference: ' ' }, {}],
  [
    'a field of an object',
    'createAgent',
    { configuration: { greeting: null, own: null } },
    { configuration: { own: null } },
  ],
  [
    'every field of an object',
    'createBlockListImport',
    { size: 1, columns: { number: '', reason: null } },
    { size: 1 },
  ],
  [
    'a field of an object in a list',
    'recordCalls',
    { items: [{ callId: 'a', durationSeconds: null, phone: null, custom_call_outcome: '' }] },
    { items: [{ callId: 'a' }] },
  ],
])('%s without a value says nothing', (_, name, args, expected) => {
  expect(parse(name, args)).toEqual(expected);
});

it.each([
  ['a number', 'listAgents', { limit: '' }],
  ['a limit', 'listAgents', { limit: 0 }],
  ['a limit in a text', 'addWebsite', { limit: '0', maxDepth: 0, refreshEvery: 0 }],
  ['a version', 'getCallFigures', { version: 0 }],
  ['a boolean', 'listCalls', { hasOutcome: ' ' }],
  ['what Python and JavaScript write', 'listCalls', { hasOutcome: 'None', limit: 'undefined', direction: 'None' }],
  ['a choice', 'listCalls', { direction: '' }],
  ['a time', 'addBlockedNumbers', { expiresAt: '' }],
  ['a reason', 'addBlockedNumbers', { reason: '' }],
  ['a key of a request', 'addBlockedNumbers', { idempotencyKey: '' }],
  ['a list in a text', 'searchKnowledge', { sourceIds: 'null' }],
  ['a list', 'searchKnowledge', { sourceIds: [] }],
  ['a text that a list is filtered by', 'listCalls', { phone: '', outcome: '', cursor: '' }],
])('an argument that is %s says nothing when it is empty', (_, name, args) => {
  expect(parse(name, args)).toEqual({});
});

it.each([
  ['args', { args: { agentId: 'a' } }],
  ['arguments', { arguments: '{"agentId":"a"}' }],
  ['input', { input: { agentId: 'a' } }],
])('arguments that a model wraps in %s are read', (_, args) => {
  expect(parse('getAgent', args)).toEqual({ agentId: 'a' });
});

it.each([
  ['beside others', { args: { agentId: 'b' }, agentId: 'a' }],
  ['as a list', { args: ['a'] }],
  ['under another name', { agent: { agentId: 'a' } }],
])('arguments within an argument stay there %s, and are refused', (_, args) => {
  expect(parse('getAgent', structuredClone(args))).toEqual(args);
});

it.each([
  ['a text in a search', 'searchKnowledge', { query: 'null' }],
  ['a value of 0', 'updateCallOutcome', { custom_call_outcome_value: 0 }],
  ['a list that may be empty', 'createAgent', { configuration: { outcomes: [] } }],
  ['null in free-form metadata', 'updateCallOutcome', { custom_call_metadata: { n: null, t: '' } }],
  ['null for a field of the user’s own', 'updateAgent', { configuration: { own: null } }],
  ['null in a list', 'addBlockedNumbers', { numbers: [null, ''] }],
  ['null for an argument that the tool does not have', 'listCalls', { invented: null }],
])('%s stays as it is', (_, name, args) => {
  expect(parse(name, structuredClone(args))).toEqual(args);
});

it.each([
  ['a field', 'updateAgent', { clear: ['phoneNumber'], note: 'x' }, { phoneNumber: null, note: 'x' }],
  ['fields in a text', 'updateWebsite', { clear: '["refreshEvery"]' }, { refreshEvery: null }],
  ['a field by its name alone', 'updateWebsite', { clear: 'refreshEvery' }, { refreshEvery: null }],
  ['no field', 'updateAgent', { clear: ['', ''] }, {}],
  ['a field whose value says nothing', 'updateAgent', { clear: ['key'], key: '' }, { key: null }],
  [
    'fields of the configuration',
    'updateAgent',
    { clear: ['configuration.greeting', 'configuration.own.name'], configuration: { voice: 'nova' } },
    { configuration: { voice: 'nova', greeting: null, 'own.name': null } },
  ],
  [
    'fields of an item',
    'updateCallOutcomes',
    { items: [{ agentId: 'a', clear: ['custom_call_outcome'] }] },
    { items: [{ agentId: 'a', custom_call_outcome: null }] },
  ],
])('clear clears %s', (_, name, args, expected) => {
  expect(parse(name, args)).toEqual(expected);
});

it.each([
  ['a field that is given', 'updateAgent', { clear: ['key'], key: 'desk' }, 'clear'],
  ['a field that cannot be cleared', 'updateWebsite', { clear: ['name'] }, 'clear'],
  ['something else', 'updateAgent', { clear: { key: true } }, 'clear'],
  ['a field in a list', 'updateAgent', { clear: [7] }, 'clear'],
  ['a field of a prototype', 'updateWebsite', { clear: ['__proto__.x'] }, 'clear'],
  [
    'a field of an item that is given',
    'updateCallOutcomes',
    { items: [{ custom_call_outcome: 'a', clear: ['custom_call_outcome'] }] },
    'items.0.clear',
  ],
])('clear is refused with %s', (_, name, args, path) => {
  expect(() => parse(name, args)).toThrow(`${path}: `);
  expect({}).not.toHaveProperty('x');
});

it('a field that is named as the prototype of objects is cleared as any other', () => {
  const { configuration } = parse('updateAgent', { clear: ['configuration.__proto__', '__proto__.x'] }) as Record<
    string,
    object
  >;
  expect(Object.entries(configuration ?? {})).toEqual([['__proto__', null]]);
  expect({}).not.toHaveProperty('x');
});

it('numbers stay as they were written, beside and within texts', () => {
  const json = '{"custom_call_outcome_value":"1.50","custom_call_metadata":{"n":12345678901234567890,"p":1.50}}';
  expect(JSON.stringify(parse('updateCallOutcome', parseJson(json)))).toContain('{"n":12345678901234567890,"p":1.50}');
  const text = JSON.stringify({ custom_call_metadata: '{"p":1.50}' });
  expect(JSON.stringify(parse('updateCallOutcome', parseJson(text)))).toBe('{"custom_call_metadata":{"p":1.50}}');
});
