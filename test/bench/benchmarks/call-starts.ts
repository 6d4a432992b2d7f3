import { checkBlockedNumber } from '../../../functions/api/check-blocked-number.ts';
import { decideCallStart } from '../../../functions/api/decide-call-start.ts';
import type { AnyEndpoint } from '../../../functions/http/endpoint.ts';
import { type Figure, median, type Row, ratioOfRounds } from '../benchmark.ts';
import { invoke, type Request } from '../world.ts';

/** Half a round trip of 5 ms, which is what DynamoDB takes within a region. */
const eachWayMilliseconds = 2.5;
const requests = 200;
const rounds = 7;

/** A decision at call time against a check of the block list, which takes a round trip more. */
export const callStarts: Row = {
  name: 'call-starts',
  title: 'A decision at call time, 5 ms from the table',

  async measure(open) {
    const { proxy, apiKey, uid, agentId, phone } = await open();
    const asked: Record<'start' | 'check', [AnyEndpoint, Request]> = {
      start: [decideCallStart, { apiKey, body: { uid, agentId, from: phone } }],
      check: [checkBlockedNumber, { apiKey, query: { uid, agentId, number: phone } }],
    };
    const wall = { start: [] as number[], check: [] as number[] };
    const processor = { start: [] as number[], check: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      for (const way of ['start', 'check'] as const) {
        const measured = await measure(() => invoke(...asked[way]), proxy);
        // The first round warms up.
        if (round === 0) continue;
        wall[way].push(measured.wall);
        processor[way].push(measured.processor);
      }
    }
    return [
      figureOf('time of a decision', 'ms', wall.start, wall.check, 0.65),
      figureOf('processor time of a decision', 'µs', processor.start, processor.check, 1.15),
    ];
  },
};

/** Milliseconds that one request takes at that distance, and microseconds of the processor with the table next door. */
const measure = async (ask: () => Promise<unknown>, proxy: { delay(milliseconds: number): void }) => {
  proxy.delay(eachWayMilliseconds);
  const times: number[] = [];
  for (let request = 0; request < requests / 10; request++) {
    const began = performance.now();
    await ask();
    times.push(performance.now() - began);
  }
  proxy.delay(0);
  const begin = process.threadCpuUsage();
  for (let request = 0; request < requests; request++) await ask();
  const { user, system } = process.threadCpuUsage(begin);
  return { wall: median(times), processor: (user + system) / requests };
};

const figureOf = (what: string, unit: 'ms' | 'µs', starts: number[], checks: number[], most: number): Figure => {
  const ratio = ratioOfRounds(starts, checks);
  return {
    what,
    ours: { value: median(starts), unit },
    against: { what: 'GET /agent-block-list/check', quantity: { value: median(checks), unit }, ratio },
    target: { text: `≤ ${most}×`, reached: ratio <= most },
  };
};
