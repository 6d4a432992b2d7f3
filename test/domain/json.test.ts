import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { CallFacts, CallItem, CallOutcomeChange } from '../../functions/domain/calls.ts';
import { copyFields, parseJson } from '../../functions/domain/json.ts';
import { validate } from '../../functions/domain/validation.ts';

const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,25}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,22}$/)),
    fc.oneof(fc.constant(''), fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,3}$/)),
  )
  .map((parts) => parts.join(''));
const value = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    number,
    fc.constantFrom('true', '"2026-03-01T10:00:00.000Z"', '"-0"', '{}', '[]'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    tie('value').map((one) => `{"a":${one}}`),
  ),
})).value;

it('JSON that is read is written again as it was, with every number', () => {
  fc.assert(
    fc.property(value, (json) => {
      expect(JSON.stringify(parseJson(`{"value":${json}}`))).toBe(`{"value":${json}}`);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  '-0',
  '1.0',
  '1e5',
  '12345678901234567',
  '0.0000001',
  '1.50',
  '-0.0',
  '100000000000000000000000',
  '0.1234567890123456',
])('the number %s is written again as it was, alone in an object or a list', (json) => {
  for (const text of [`{"a":${json}}`, `[${json}]`, `[ ${json} ]`.replaceAll(' ', '')])
    expect(JSON.stringify(parseJson(text))).toBe(text);
});

it.each([
  [CallOutcomeChange, '{"custom_call_outcome_value":123456789012345678.55}', 'custom_call_outcome_value'],
  [CallOutcomeChange, '{"custom_call_outcome_value":6E-578}', 'custom_call_outcome_value'],
  [
    CallFacts,
    '{"direction":"inbound","startedAt":"2026-03-01T10:00:00Z","durationSeconds":0.12345678901234567890}',
    'durationSeconds',
  ],
  [z.object({ list: z.array(z.object({ n: z.number() })) }), '{"list":[{"n":1},{"n":9007199254740993}]}', 'list.1.n'],
])('a number that a field of numbers would round is refused (%#)', (schema, json, path) => {
  const message = 'has more digits than a number keeps';
  expect(validate(schema as z.ZodMiniType, parseJson(json)).error?.details).toEqual([{ path, message }]);
});

it('a number that is kept as it was written, or that is rounded nowhere, is accepted', () => {
  const json =
    '{"agentId":"a","callId":"c","direction":"inbound","startedAt":"2026-03-01T10:00:00Z","details":{"id":12345678901234567890},"custom_call_outcome_value":1.50,"ignored":9007199254740993}';
  const { data } = validate(CallItem, parseJson(json));
  expect(data?.custom_call_outcome_value).toBe(1.5);
  expect(JSON.stringify(data?.details)).toBe('{"id":12345678901234567890}');
});

it('a copy of fields has as a text the number that it would round', () => {
  expect(copyFields(parseJson('{"a":9007199254740993,"b":1.50,"c":[1]}') as Record<string, unknown>)).toEqual({
    a: '9007199254740993',
    b: 1.5,
    c: [1],
  });
});
