import fc from 'fast-check';
import { beforeAll, describe, expect } from 'vitest';
import { attemptCall } from '../../functions/calling/attempt-call.ts';
import { CallAttempts } from '../../functions/calling/call-attempts.ts';
import { table } from '../../functions/store/table.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { openFaultyTable, tenPercent } from '../support/faults.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

const number = '+12125550123';

/** Dialers that call one number at the same time, each request repeated, while responses of the table are lost. */
const history = fc.record({
  seed: fc.integer(),
  max: fc.integer({ min: 1, max: 4 }),
  calls: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1, maxLength: 14 }),
});

describe('attempts of dialers that call at the same time', () => {
  beforeAll(useTargetInThisProcess);

  itInAnyHistory(
    'attempts never exceed the maximum, and a call id that was accepted is counted once and accepted again',
    [2, 150],
    (numRuns) => fc.assert(fc.asyncProperty(history, holds), { numRuns }),
  );
});

const holds = async ({ seed, max, calls }: { seed: number; max: number; calls: string[] }) => {
  const faulty = openFaultyTable(tenPercent(seed));
  const callAttempts = new CallAttempts(faulty);
  const agent = { agentId: unique('agent'), configuration: { calling: { attempts: [{ max, hours: 1 }] } } };
  /** Asks again until there is a decision, as a dialer does after a failure. */
  const attempt = async (callId: string): Promise<boolean> => {
    for (let tries = 0; tries < 20; tries++) {
      try {
        const known = await callAttempts.find(agent.agentId, number);
        return (await attemptCall(agent, { number, at: Date.now() }, known, { callId, callAttempts })).allowed;
      } catch {
        // The table failed three times in a row.
      }
    }
    throw new Error('There was no decision.');
  };
  const decisions = await Promise.all(calls.map(async (callId) => [callId, await attempt(callId)] as const));
  const { attempts } = await new CallAttempts(table.get()).find(agent.agentId, number);
  const counted = attempts.map(({ callId }) => callId);
  expect(new Set(counted).size).toBe(counted.length);
  expect(counted.length).toBe(Math.min(max, new Set(calls).size));
  for (const [callId, allowed] of decisions) if (allowed) expect(counted).toContain(callId);
  for (const callId of counted) expect(await attempt(callId)).toBe(true);
};
