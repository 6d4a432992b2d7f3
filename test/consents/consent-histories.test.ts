import * as fc from 'fast-check';
import { expect } from 'vitest';
import { Consents } from '../../functions/consents/consents.ts';
import { decideConsent } from '../../functions/domain/consent-decisions.ts';
import type { NewConsent } from '../../functions/domain/consents.ts';
import { openTable, table } from '../../functions/store/table.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { injectFaultsInto, tenPercent } from '../support/faults.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

useTargetInThisProcess();

const people = [['+525512345678', '+5215512345678'], ['+14155550100']];
const purposes = ['marketing', 'service'];
const makeTime = (hour: number) => new Date(Date.UTC(2026, 2, 1, hour)).toISOString();

const consent: fc.Arbitrary<NewConsent> = fc
  .record({
    number: fc.constantFrom(...people.flat()),
    purpose: fc.constantFrom(...purposes, '*'),
    isGiven: fc.boolean(),
    hour: fc.nat(6),
    hours: fc.option(fc.integer({ min: 1, max: 4 })),
    seller: fc.constantFrom(undefined, 'Dental'),
  })
  .map(({ number, purpose, isGiven, hour, hours, seller }) => {
    const state = isGiven && purpose !== '*' ? 'given' : 'revoked';
    const expiresAt = state === 'given' && hours !== null ? makeTime(hour + hours) : undefined;
    return { number, purpose, state, at: makeTime(hour), expiresAt, seller };
  });

/** Requests at the same time, one batch after the other. */
const history = fc.array(fc.array(fc.array(consent, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 4,
});

/** Decides as the documentation says, from everything that was recorded. */
const expectedState = (recorded: NewConsent[], person: string[], purpose: string, moment: string) => {
  const concerned = recorded
    .filter((one) => person.includes(one.number) && [purpose, '*'].includes(one.purpose) && one.at <= moment)
    .toSorted((one, other) => (one.at < other.at ? 1 : -1));
  const latest = concerned.filter(({ at }) => at === concerned[0]?.at);
  if (latest.length === 0) return 'none';
  if (latest.some(({ state }) => state === 'revoked')) return 'revoked';
  return latest.some(({ expiresAt }) => expiresAt !== undefined && expiresAt <= moment) ? 'expired' : 'given';
};

itInAnyHistory(
  'the decisions are those of the records, whatever their order, with lost responses and several importers at once',
  [5, 1000],
  async (numRuns) => {
    const consents = new Consents(table.get());
    await fc.assert(
      fc.asyncProperty(history, fc.nat(), async (batches, seed) => {
        const uid = unique('user');
        const recorded: NewConsent[] = [];
        for (const [index, requests] of batches.entries()) {
          const outcomes = await Promise.all(
            requests.map((request, place) => {
              const faulty = openTable(table.get().name);
              injectFaultsInto(faulty.client, tenPercent(seed + index * 10 + place));
              const options = { recordedBy: `request/${request.length}`, until: Date.now() + 20_000 };
              return new Consents(faulty).record(uid, request, options);
            }),
          );
          expect(outcomes.flat().every((outcome) => typeof outcome === 'object')).toBe(true);
          recorded.push(...requests.flat());
        }
        const found = await consents.findMany(uid, people.flat());
        for (const person of people) {
          const entries = found.get(person[0] as string) ?? [];
          const { items } = await consents.page(uid, person[0] as string, {});
          expect(items.map(({ consentId }) => consentId).sort()).toEqual(entries.map((one) => one.consentId).sort());
          for (const purpose of purposes)
            for (let hour = -1; hour < 12; hour++) {
              const { state } = decideConsent(entries, purpose, Date.parse(makeTime(hour)));
              expect(state).toBe(expectedState(recorded, person, purpose, makeTime(hour)));
            }
        }
      }),
      { numRuns },
    );
  },
);
