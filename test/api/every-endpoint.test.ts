import { beforeAll, describe, expect, it } from 'vitest';
import { Scope } from '../../functions/domain/api-keys.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { routes } from '../../functions/routes.ts';
import {
  ask,
  expectError,
  isFirstOfItsForm,
  keyed,
  sharesSample,
  takesUser,
  when,
} from '../support/sample-requests.ts';
import { makeSample, samples } from '../support/samples.ts';
import { newUser, newWorld, type World } from '../support/world.ts';

let world: World;
let stranger: World;
/** A user without an agent. */
let newcomer: Awaited<ReturnType<typeof newUser>>;
beforeAll(async () => {
  [world, stranger, newcomer] = await Promise.all([
    newWorld(Scope.options),
    newWorld(Scope.options),
    newUser(Scope.options),
  ]);
  await world.recordCall('call-1');
});

it('every operation has a unique name, method and path, and every keyed one has a sample request', () => {
  expect(keyed.map(({ name }) => name).filter((name) => !(name in samples))).toEqual([]);
  expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length);
  expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
});

/** Returns true when a request names a record of the user or the agent, which its sample makes. */
const namesRecord = ({ name }: AnyEndpoint) =>
  typeof samples[name] === 'function' &&
  !['createCallExport', 'createPersonExport', 'createReconciliation', 'createWebhookEndpoint'].includes(name) &&
  !['deleteAgent', 'endAgentAccess'].includes(name);

/** The headers of the service that two responses have in common. Other tests change the version of the agent. */
const pickHeaders = ({ headers }: { headers: Headers }) =>
  [...headers]
    .filter(
      ([name]) => !/^(date|x-request-id|content-length|connection|keep-alive|via|apigw-requestid|x-amz-.*)$/.test(name),
    )
    .map(([name, value]) => (name === 'etag' ? [name] : [name, value]));

for (const endpoint of keyed) {
  const tags = isFirstOfItsForm(endpoint) ? [] : ['heavy'];
  describe(endpoint.name, { concurrent: !sharesSample(endpoint), tags }, () => {
    const { caller } = endpoint;
    const namesAgent = caller.kind === 'key' && caller.agent !== undefined;
    const namesUser = takesUser(endpoint);

    it(`${endpoint.name} responds to a valid request`, async () => {
      const answer = await ask(endpoint, world.apiKey, world);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.headers.get('x-request-id')).toMatch(/.+/);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-type')).toBe('application/json');
    });

    when(endpoint.method === 'GET')(
      `${endpoint.name} responds to HEAD with the headers of GET, and without a body`,
      async () => {
        const [get, head] = [
          await ask(endpoint, world.apiKey, world),
          await ask(endpoint, world.apiKey, world, { method: 'HEAD' }),
        ];
        expect([head.status, head.text]).toEqual([200, '']);
        expect(pickHeaders(head)).toEqual(pickHeaders(get));
        const unknown = await ask(endpoint, undefined, world, { method: 'HEAD' });
        expect([unknown.status, unknown.text]).toEqual([401, '']);
      },
    );

    when(namesRecord(endpoint))(`${endpoint.name} does not find the record of another user`, async () => {
      const sample = await makeSample(endpoint, world);
      const answer = await ask(endpoint, stranger.apiKey, stranger, { sample });
      expect([answer.status, answer.body.error]).toEqual([404, expect.stringMatching(/not_found$/)]);
    });

    when(namesAgent || namesUser)(
      `${endpoint.name} responds alike for a foreign agent, a missing one and a foreign user`,
      async () => {
        const askAs = (apiKey: string, uid: string, agentId: string) => ask(endpoint, apiKey, { uid, agentId });
        const answers = await Promise.all([
          ...(namesAgent
            ? [
                askAs(world.apiKey, world.uid, stranger.agentId),
                askAs(world.apiKey, world.uid, 'no-such-agent'),
                askAs(stranger.apiKey, stranger.uid, world.agentId),
              ]
            : []),
          ...(namesUser ? [stranger, newcomer].map(({ apiKey }) => askAs(apiKey, world.uid, world.agentId)) : []),
        ]);
        for (const answer of answers)
          expect([answer.status, answer.body]).toEqual([401, expectError('insufficient_permissions')]);
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      },
    );
  });
}
