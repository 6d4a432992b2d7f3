import type { AnyEndpoint } from '../../../functions/http/endpoint.ts';
import { routes } from '../../../functions/routes.ts';
import type { Figure, Row } from '../benchmark.ts';
import { listSamples } from '../operations.ts';
import { sequentialDepth } from '../proxy.ts';
import { invoke } from '../world.ts';

/** Far longer than a handler needs to send requests side by side, so that those do not look sequential. */
const eachWayMilliseconds = 40;

/** Counts the requests that each operation makes one after the other, and all of them. */
export const roundTrips: Row = {
  name: 'round-trips',
  title: 'Round trips of every operation, one after the other',

  async measure(open) {
    const world = await open();
    const { proxy, apiKey } = world;
    const figures: Figure[] = [];
    for (const endpoint of routes) {
      for (const { what, request, maxRoundTrips = isKeyedRead(endpoint) ? 2 : undefined } of listSamples(endpoint)) {
        // Once before, so that connections are open and clients made.
        proxy.delay(0);
        await invoke(endpoint, { apiKey, ...(await request(world)) });
        const asked = { apiKey, ...(await request(world)) };
        proxy.delay(eachWayMilliseconds);
        await proxy.take();
        await invoke(endpoint, asked);
        const seen = await proxy.take();
        const depth = sequentialDepth(seen);
        figures.push({
          what: what ? `${endpoint.name}, ${what}` : endpoint.name,
          ours: { value: depth, unit: 'round trips' },
          note: `${seen.length} requests in all: ${summary(seen.map(({ operation }) => operation))}`,
          ...(maxRoundTrips && { target: { text: `≤ ${maxRoundTrips}`, reached: depth <= maxRoundTrips } }),
        });
      }
    }
    return figures;
  },
};

const isKeyedRead = ({ method, caller }: AnyEndpoint) => method === 'GET' && caller.kind === 'key';

/** Returns `BatchGetItem, 16 Query`. */
const summary = (operations: string[]) =>
  Object.entries(Object.groupBy(operations, (operation) => operation))
    .map(([operation, all = []]) => (all.length === 1 ? operation : `${all.length} ${operation}`))
    .join(', ');
