import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';
import { readLimits } from '../../../functions/openapi/client/client.ts';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { newWorld, target } from '../../support/world.ts';
import { importPackage } from '../packages.ts';

const limit = 5;
const readHeaders = ({ headers }: Response) =>
  [headers.get('ratelimit-policy') ?? '', headers.get('ratelimit') ?? ''] as const;

/** The responses to more requests than a limit allows: one after the other. */
const sendMany = async (send: () => Promise<Response>): Promise<Response[]> => {
  const responses: Response[] = [];
  for (let count = 0; count <= limit; count++) responses.push(await send());
  return responses;
};

/** A minute that ends soon would begin the count of a fixed window anew. */
const untilWellWithinMinute = async () => {
  const rest = 60_000 - (Date.now() % 60_000);
  if (rest < 10_000) await new Promise((resolve) => setTimeout(resolve, rest));
};

const sendToService = async () => {
  const { uid } = await newWorld();
  const made = await apiKeys.get().create(uid, { name: 'limited', scopes: undefined, requestsPerMinute: limit });
  return sendMany(() => fetch(`${target.baseUrl}/key`, { headers: { 'x-authorization': made.secret } }));
};

it('a parser of structured fields reads the headers of limits, refusals included', async () => {
  await untilWellWithinMinute();
  const { parseList } = await importPackage('structured-headers');
  const responses = await sendToService();
  const parsed = responses.map((response) => readHeaders(response).map((header) => parseList(header)));
  for (const [index, [policies, states]] of parsed.entries()) {
    const [[name, policy], ...noPolicy] = policies as [string, Map<string, unknown>][] as [
      [string, Map<string, unknown>],
    ];
    expect([name, Object.fromEntries(policy), noPolicy]).toEqual(['key', { q: limit, w: 60 }, []]);
    const [[key, state], ...noState] = states as [[string, Map<string, unknown>]];
    expect([key, Object.fromEntries(state), noState]).toEqual([
      'key',
      { r: Math.max(0, limit - 1 - index), t: expect.any(Number) },
      [],
    ]);
    expect(Number.isInteger(state.get('t'))).toBe(true);
  }
  const refused = responses.at(-1) as Response;
  expect([refused.status, parsed.at(-1)?.[1][0][1].get('t')]).toEqual([
    429,
    Number(refused.headers.get('retry-after')),
  ]);
});

it('express-rate-limit writes the same fields for the same requests, and the client reads them there, too', async () => {
  await untilWellWithinMinute();
  const { default: express } = await importPackage('express');
  const { rateLimit } = await importPackage('express-rate-limit');
  const { parseList } = await importPackage('structured-headers');
  const app = express();
  app.use(rateLimit({ windowMs: 60_000, limit, standardHeaders: 'draft-8', legacyHeaders: false, identifier: 'key' }));
  app.get('/key', (_: unknown, response: { json(value: object): void }) => response.json({}));
  const server = await listen(createServer(app));
  onTestFinished(() => server.stop());
  const theirs = await sendMany(() => fetch(`${server.endpoint}/key`));
  const ours = await sendToService();
  const read = (response: Response) =>
    readHeaders(response).map((header) => {
      const [[name, parameters]] = parseList(header);
      // A partition key is theirs alone, and the seconds follow from the moment.
      return [name, Object.fromEntries([...parameters].filter(([one]: [string]) => 'qwr'.includes(one)))];
    });
  expect(ours.map(read)).toEqual(theirs.map(read));
  expect(ours.map(({ status }) => status)).toEqual(theirs.map(({ status }) => status));
  const { limit: seen, windowSeconds, remaining } = readLimits(theirs[0] as Response);
  expect([seen, windowSeconds, remaining]).toEqual([limit, 60, limit - 1]);
});
