import { describe, expect, it } from 'vitest';
import { described, exampleRequest, operations } from '../support/contract-examples.ts';
import { call, target } from '../support/world.ts';

describe.concurrent('the service answers as its document says', () => {
  it.each(operations.filter(({ path, operation }) => exampleRequest(path, operation).keyed))(
    '$operation.operationId responds as documented without a key, and with an invalid one',
    async ({ path, method, operation }) => {
      const { address, options } = exampleRequest(path, operation);
      for (const apiKey of [undefined, 'vap_wrong']) {
        const answer = await call(method, address, { ...options, apiKey });
        expect(answer.status).toBe(401);
        described(path, method, answer);
      }
    },
  );

  it.each(operations.filter(({ path }) => path.includes('{agentId}')))(
    '$operation.operationId responds as documented about an agent of another user',
    async ({ path, method, operation }) => {
      const { address, options } = exampleRequest(path, operation);
      const answer = await call(method, address.replace(/agent_[0-9A-Z]+/, target.otherAgentId), options);
      expect(answer.status).toBe(401);
      described(path, method, answer);
    },
  );

  it.each(
    // A voice platform's hook takes whatever the platform sends.
    operations.filter(
      ({ path, operation }) => operation.requestBody?.content['application/json'] && !path.startsWith('/hooks'),
    ),
  )(
    '$operation.operationId responds as documented to a body that is malformed or too large',
    async ({ path, method, operation }) => {
      const { address, options } = exampleRequest(path, operation);
      const broken = await call(method, address, { ...options, body: '{"uid":' });
      expect(broken.status).toBe(400);
      described(path, method, broken);
      const large = await call(method, address, { ...options, body: JSON.stringify({ a: 'a'.repeat(1024 * 1024) }) });
      expect([large.status, large.body.error]).toEqual([413, 'payload_too_large']);
      described(path, method, large);
    },
  );
});
