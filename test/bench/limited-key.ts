import { getAgent } from '../../functions/api/get-agent.ts';
import type { Figure } from './benchmark.ts';
import prices from './prices.json' with { type: 'json' };
import { invoke, type World } from './world.ts';

/** More than a measurement sends. */
const requestsPerMinute = 100_000;
const seconds = 5;
/** The rate for which the price is promised. */
const requestsPerSecond = 10;
const maxDollars = 0.3;

const keys = new WeakMap<World, Promise<string>>();
/** Returns a key with a limit, which is created once. */
export const makeLimitedKey = (world: World): Promise<string> => {
  const made =
    keys.get(world) ??
    world.directly.apiKeys
      .create(world.uid, { name: 'limited', scopes: undefined, requestsPerMinute })
      .then(({ secret }) => secret);
  keys.set(world, made);
  return made;
};

/** Measures what a warm instance reads for each request of a limited key, what it writes each second, and the price of both. */
export const measureLimitedKey = async (
  world: World,
  units: { take(): { read: number; write: number } },
): Promise<Figure[]> => {
  const { uid, agentId, proxy } = world;
  proxy.delay(0);
  const use = async (apiKey: string) => {
    const ask = () => invoke(getAgent, { apiKey, params: { agentId }, query: { uid } });
    // The second request writes the first one: the seconds begin there.
    for (let count = 0; count < 2; count++) await ask();
    units.take();
    const began = performance.now();
    let requests = 0;
    while (performance.now() - began < seconds * 1000) {
      await ask();
      requests++;
    }
    const { read, write } = units.take();
    return { reads: read / requests, writesPerSecond: write / ((performance.now() - began) / 1000) };
  };
  const unlimited = await use(world.apiKey);
  const limited = await use(await makeLimitedKey(world));
  const moreReads = limited.reads - unlimited.reads;
  const dollars =
    moreReads * prices.dynamodbPerMillionReadUnits +
    (limited.writesPerSecond / requestsPerSecond) * prices.dynamodbPerMillionWriteUnits;
  const what = 'a limited key at a warm instance';
  return [
    {
      what: `${what}: writes of its count`,
      ours: { value: limited.writesPerSecond, unit: 'requests/s' },
      target: { text: '≤ 1', reached: limited.writesPerSecond <= 1 },
      note: `a key without a limit: ${unlimited.writesPerSecond}`,
    },
    {
      what: `${what}: what the limit adds to a million requests, at ${requestsPerSecond} a second`,
      ours: { value: dollars, unit: '$' },
      target: { text: `≤ $${maxDollars.toFixed(2)}`, reached: dollars <= maxDollars },
      note: `${limited.reads.toFixed(2)} R a request, and ${unlimited.reads.toFixed(2)} without a limit`,
    },
  ];
};
