import { expect, it } from 'vitest';
import { factsAfter } from '../../functions/hooks/ended-call.ts';
import type { CallEnd } from '../../functions/hooks/platforms/platform.ts';
import { exampleFacts } from '../support/call-facts.ts';

it('a reported end fills every fact that a call lacks', () => {
  const { direction, startedAt, phone, agentPhone, details, ...others } = exampleFacts;
  const facts = { ...others, startedAt, details };
  const end: CallEnd = { type: 'end', callId: '1', direction, from: '', to: '', facts, findings: undefined };
  const found = { agentId: 'agent', callId: 'call', direction, startedAt: '2026-03-01T09:59:00.000Z' };
  expect(factsAfter(end, exampleFacts, found, false)).toEqual(exampleFacts);
});
