import { expect, it } from 'vitest';
import { type AgentField, findFieldProblem } from '../../functions/pages/console/agents/agent-fields.ts';

it('a field of JSON in the console has a problem if it would lose digits of a number', () => {
  const field: AgentField = { name: 'variables', label: 'Variables', kind: 'json' };
  expect(findFieldProblem(field, '{"account":[12345678901234567890]}')).toBe(
    'A number has more digits than a number keeps: write it as a text.',
  );
  expect(findFieldProblem(field, '{"price":1.50}')).toBeUndefined();
});
