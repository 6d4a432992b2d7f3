import { expect, it } from 'vitest';
import { findMisspelledFields } from '../../functions/domain/agents.ts';

it.each<[string, string]>([
  ['greting', 'greeting'],
  ['Greeting', 'greeting'],
  ['instrutcions', 'instructions'],
  ['currency', 'valueCurrency'],
  ['value_currency', 'valueCurrency'],
  ['timezone', 'timeZone'],
  ['blockOnOutcome', 'blockOnOutcomes'],
  ['outcome', 'outcomes'],
  ['transferto', 'transferTo'],
  ['transcript', 'transcripts'],
])('a configuration with %s has a warning that names %s', (field, meant) => {
  expect(findMisspelledFields({ [field]: 'value' })).toEqual([
    {
      path: `configuration.${field}`,
      message: `is none of the fields that the service knows. Did you mean ${meant}?`,
    },
  ]);
});

it('a configuration of known fields, and of fields of its own, has no warning', () => {
  const fields = ['greeting', 'voice', 'company', 'mode', 'temperature', 'toolIds', 'zone', 'rules', 'x', ''];
  const long = 'g'.repeat(100_000);
  expect(findMisspelledFields(Object.fromEntries([...fields, long].map((field) => [field, 1])))).toEqual([]);
});

it('a field that is cleared is no mistake', () => {
  expect(findMisspelledFields({ currency: null })).toEqual([]);
  expect(findMisspelledFields({ currency: 'EUR' })).toHaveLength(1);
});
