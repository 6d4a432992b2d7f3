import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type CountedCall,
  expandSeries,
  type FigureRow,
  pack,
  RowCounter,
  toFigureRow,
  unpack,
} from '../../functions/figures/rows.ts';

const amount = fc.oneof(fc.integer({ min: 0, max: 999_999_999_999 }), fc.constantFrom(0.000001, 12.5, 1e3, 0));
const heldOutcome: CountedCall['heldOutcome'] = { custom_call_outcome: 'booked', causes: ['too_short'] };
const call = fc.record({
  startedAt: fc
    .date({ min: new Date('2026-03-01'), max: new Date('2026-03-01T23:59:59.999Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  direction: fc.constantFrom('inbound' as const, 'outbound' as const),
  status: fc.option(fc.constantFrom('ended', 'ended,[1000000]', ''), { nil: undefined }),
  durationSeconds: fc.option(amount, { nil: undefined }),
  agentVersion: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  custom_call_outcome: fc.option(fc.constantFrom('booked', ''), { nil: undefined }),
  custom_call_outcome_value: fc.option(amount, { nil: undefined }),
  heldOutcome: fc.option(fc.constant(heldOutcome), { nil: undefined }),
  details: fc.record(
    { cost: fc.record({ amount, currency: fc.constantFrom('USD', 'EUR', 'credits', 'usd') }) },
    { requiredKeys: [] },
  ),
});

const sorted = (rows: FigureRow[]) => {
  const name = ({ quarter, direction, status, outcome, version, currency }: FigureRow) =>
    JSON.stringify([quarter, direction, status, outcome, version, currency]);
  return rows.toSorted((one, other) => (name(one) < name(other) ? -1 : 1));
};

it('calls whose value or cost is left out are counted', () => {
  const counter = new RowCounter();
  const left: CountedCall = {
    ...{ startedAt: '2026-03-01T10:00:00.000Z', direction: 'inbound', custom_call_outcome_value: 1e300 },
    details: { cost: { amount: 0.05, currency: 'dollars' } },
  };
  for (let times = 0; times < 3; times++) counter.add(toFigureRow(left));
  const nothing = { values: 0, valueMillionths: 0n, costMillionths: 0n };
  expect(counter.rows).toMatchObject([{ calls: 3, valuesLeftOut: 3, costsLeftOut: 3, ...nothing }]);
});

it('the figures of any calls are unpacked as they were packed, sums beyond the size of a number included', () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 40 }), (calls) => {
      const counter = new RowCounter();
      for (const one of calls) for (let times = 0; times < 3; times++) counter.add(toFigureRow(one));
      expect(sorted(expandSeries(unpack(pack(counter.rows))))).toEqual(sorted(counter.rows));
    }),
    { numRuns: 50 },
  );
});
