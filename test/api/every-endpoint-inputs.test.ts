import { beforeAll, describe, expect, it } from 'vitest';
import { newApiKey, Scope } from '../../functions/domain/api-keys.ts';
import { ask, expectError, isFirstOfItsForm, keyed, when } from '../support/sample-requests.ts';
import { makeSample, type Sample } from '../support/samples.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await newWorld(Scope.options);
});

/** The operations whose body can be invalid. A hook takes whatever its platform sends. */
const withInputs = keyed.filter((endpoint) => endpoint.body && !endpoint.raw?.readBody);

for (const endpoint of withInputs) {
  const tags = isFirstOfItsForm(endpoint) ? [] : ['heavy'];
  describe(endpoint.name, { concurrent: true, tags }, () => {
    /** No request succeeds, so all of them can share a sample. */
    let sample: Sample;
    beforeAll(async () => {
      sample = await makeSample(endpoint, world);
    });

    it(`${endpoint.name} rejects an invalid body, but reveals nothing about it without a key`, async () => {
      // One place parses bodies of any form.
      const malformed = endpoint === withInputs[0] ? ['', '"text"', 'null', '7'] : [];
      await Promise.all(
        ['{', '[]', Buffer.from([0x7b, 0xff, 0x7d]), ...malformed].map(async (body) => {
          const answer = await ask(endpoint, world.apiKey, world, { sample, body });
          expect(answer.status, String(body)).toBe(400);
          expect(answer.body).toEqual({ ...expectError('invalid_request'), details: expect.any(Array) });
        }),
      );
      // One that cannot be parsed, and one that does not fit the schema.
      for (const body of ['{', '[]']) {
        const keyless = await ask(endpoint, newApiKey(), world, { sample, body });
        expect(keyless.body).toEqual(expectError('invalid_api_key'));
      }
    });

    when(!endpoint.raw?.multipart)(`${endpoint.name} rejects a body nested deeper than 32 levels`, async () => {
      const deep = await ask(endpoint, world.apiKey, world, {
        sample,
        body: `{"x":${'['.repeat(40)}${']'.repeat(40)}}`,
      });
      expect([deep.status, deep.body.message]).toEqual([400, 'The body is nested deeper than 32 levels.']);
    });
  });
}
