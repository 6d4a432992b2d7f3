import { join } from 'node:path';
import type { AnyEndpoint } from '../../../functions/http/endpoint.ts';
import { routes } from '../../../functions/routes.ts';
import { bundlePath, toKebabCase } from '../../../lib/bundles.ts';
import { type Figure, median, type Row } from '../benchmark.ts';
import { samples } from '../operations.ts';
import { RuntimeClientMissingError, runtimeClient, runUnderRuntimeClient } from '../runtime-client.ts';
import { eventOf, type World } from '../world.ts';

const rounds = 6;
const bare = (name: string) => join(import.meta.dirname, '..', 'bare', name);

/**
 * From the start of a process to a function's first answer, under Lambda's own runtime client and with everything it
 * asks on this machine. Between any two of ours runs a function that does nothing, and one that makes a signed request to
 * the table with Node alone. Jobs are left out: nobody waits for their answer.
 */
export const coldStarts: Row = {
  name: 'cold-starts',
  title: 'First answer of every function, from the start of its process',

  async measure(open, say) {
    const client = await clientOf(say);
    if (!client) return [];
    const world = await open();
    const figures: Figure[] = [];
    for (const endpoint of routes) {
      const taken = { ours: [] as number[], read: [] as number[], empty: [] as number[] };
      // The first round brings the files into memory.
      for (let round = 0; round <= rounds; round++) {
        const event = await eventFor(endpoint, world);
        const first = {
          empty: await firstAnswer(client, world, bare('empty'), 'empty', {}),
          read: await firstAnswer(client, world, bare('one-read'), 'one-read', {}),
          ours: await firstAnswer(client, world, bundlePath(endpoint.name), endpoint.name, event),
        };
        if (round === 0) continue;
        for (const way of ['ours', 'read', 'empty'] as const) taken[way].push(first[way]);
      }
      const [ours, read, empty] = [taken.ours, taken.read, taken.empty].map(ofQuickerHalf) as [number, number, number];
      figures.push({
        what: endpoint.name,
        ours: { value: ours, unit: 'ms' },
        against: { what: 'one read by hand', quantity: { value: read, unit: 'ms' }, ratio: ours / read },
        note: `an empty function: ${empty.toFixed(0)} ms, ${(ours / empty).toFixed(2)}×`,
      });
    }
    return figures;
  },
};

/** What else the machine does is not the question. */
const ofQuickerHalf = (values: number[]) => median(values.toSorted((a, b) => a - b).slice(0, values.length / 2));

const clientOf = async (say: (sentence: string) => void) => {
  try {
    return await runtimeClient(say);
  } catch (error) {
    if (!(error instanceof RuntimeClientMissingError)) throw error;
    say(error.message);
    return undefined;
  }
};

const eventFor = async (endpoint: AnyEndpoint, world: World) => {
  const [sample] = samples[endpoint.name] ?? [];
  if (!sample) throw new Error(`${endpoint.name} has no sample in test/bench/operations.ts.`);
  return eventOf(endpoint, { apiKey: world.apiKey, ...(await sample.request(world)) });
};

/** Milliseconds until the first part of an answer; anything but a 200 ends the benchmark. */
const firstAnswer = async (client: string, world: World, folder: string, name: string, event: unknown) => {
  const run = { folder, functionName: toKebabCase(name), environment: world.settings, event };
  const { outcome, parts, log } = await runUnderRuntimeClient(client, run);
  const [first] = parts;
  const text = Buffer.concat(parts.map(({ bytes }) => bytes)).toString();
  if (outcome !== 'response' || !first || !text.includes('"statusCode":200')) {
    throw new Error(`${name} ended as ${outcome}: ${text || log}`);
  }
  return first.at;
};
