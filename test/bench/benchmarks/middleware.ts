import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { endpoint } from '../../../functions/http/endpoint.ts';
import type { ApiEvent, ApiHandler } from '../../../functions/http/handler-types.ts';
import { lambdaWithoutKey } from '../../../functions/http/lambda.ts';
import { median, type Row } from '../benchmark.ts';
import { eventOf } from '../world.ts';

const requests = 3000;
const rounds = 7;

/** An endpoint that does nothing, with the whole of the kit around it but the key, which is a read and not the kit’s own work. */
const trivial = endpoint({
  name: 'trivial',
  method: 'POST',
  path: '/trivial',
  summary: 'Does nothing',
  caller: { kind: 'anyone' },
  body: z.object({ text: z.string() }),
  response: z.object({ text: z.string() }),
  handle: async ({ body }) => body,
});

/** The same by hand, without a check, a log line or an error answer. */
const bare: ApiHandler = async (event: ApiEvent) => {
  const { text } = JSON.parse(event.body ?? '');
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text }) };
};

/** What the kit itself costs a request: processor time of a trivial endpoint against a bare function. */
export const middleware: Row = {
  name: 'middleware',
  title: 'Processor time of a request, without what it does',

  async measure() {
    const event = eventOf(trivial, { body: { text: 'Hello' } });
    const handlers = { ours: lambdaWithoutKey(trivial), bare };
    const taken = { ours: [] as number[], bare: [] as number[] };
    await quietly(async () => {
      for (let round = 0; round <= rounds; round++) {
        for (const way of ['ours', 'bare'] as const) {
          const microseconds = await processorTime(() => handlers[way](event, {} as Context));
          // The first round warms up.
          if (round > 0) taken[way].push(microseconds);
        }
      }
    });
    const [ours, least] = [median(taken.ours), median(taken.bare)];
    return [
      {
        what: 'a trivial endpoint',
        ours: { value: ours, unit: 'µs' },
        against: { what: 'a bare function', quantity: { value: least, unit: 'µs' }, ratio: ours / least },
      },
    ];
  },
};

const processorTime = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage();
  for (let request = 0; request < requests; request++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
};

/** With log lines made as ever, and thrown away: how fast a terminal takes them is not the question. */
const quietly = async (work: () => Promise<void>) => {
  const { stderr } = process;
  const write = stderr.write;
  stderr.write = () => true;
  try {
    await work();
  } finally {
    stderr.write = write;
  }
};
