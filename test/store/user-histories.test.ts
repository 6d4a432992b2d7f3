import fc from 'fast-check';
import { afterEach, beforeAll, expect } from 'vitest';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { apiKeys, type DerivedKey } from '../../functions/store/api-keys.ts';
import { credentials } from '../../functions/store/credentials.ts';
import { users } from '../../functions/store/users.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { chance, injectFaults, noFaults, tenPercent } from '../support/faults.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

beforeAll(useTargetInThisProcess);
afterEach(noFaults);

const killChance = 0.06;

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ verb: fc.constant('suspend' as const), suspended: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('limit' as const), agents: fc.nat({ max: 5 }) }) },
  { weight: 5, arbitrary: fc.record({ verb: fc.constant('make' as const) }) },
  { weight: 3, arbitrary: fc.record({ verb: fc.constant('rotate' as const), back: fc.nat({ max: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ verb: fc.constant('revoke' as const), back: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('create' as const) }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('delete' as const) }) },
);
const history = fc.record({ steps: fc.array(step, { minLength: 3, maxLength: 12 }), seed: fc.integer() });

type Key = DerivedKey & { isOver: boolean };

itInAnyHistory(
  'whatever dies, users and keys are as a plain model has them, and a request is repeated until it is answered',
  [4, 2000],
  (runs) =>
    fc.assert(
      fc.asyncProperty(history, async ({ steps, seed }) => {
        const [maker, uid] = [unique('maker'), unique('client')];
        noFaults();
        await users.get().create(maker);
        await users.get().createClient(maker, { uid });
        const model = {
          isDeleted: false,
          suspended: undefined as true | undefined,
          agents: undefined as number | undefined,
        };
        const keys: Key[] = [];
        const [next, fault] = [chance(seed), tenPercent(seed)];
        /** Sends a request again until it is answered, as a client with an Idempotency-Key does. */
        const untilAnswered = async <T>(request: () => Promise<T>): Promise<T | string> => {
          for (;;) {
            injectFaults(() => (next() < killChance ? 'kill' : fault()));
            try {
              return await request();
            } catch (error) {
              const { code } = error as { code?: string };
              if (code?.includes('_') && code !== 'overloaded') return code;
            } finally {
              noFaults();
            }
          }
        };
        const newKey = (): DerivedKey => ({ keyId: newIdentifier('key'), secret: newApiKey() });
        for (const one of steps) {
          const key = 'back' in one ? keys[keys.length - 1 - one.back] : undefined;
          if (one.verb === 'suspend' || one.verb === 'limit') {
            const change = one.verb === 'suspend' ? { suspended: one.suspended } : { agentQuota: one.agents };
            const changed = await untilAnswered(() => users.get().changeClient(maker, uid, change));
            expect(changed !== undefined).toBe(!model.isDeleted);
            if (one.verb === 'suspend') model.suspended = one.suspended || undefined;
            else model.agents = one.agents;
          } else if (one.verb === 'make') {
            const derived = newKey();
            const made = await untilAnswered(() => apiKeys.get().create(uid, { name: 'key' }, derived));
            expect(made).toEqual(model.isDeleted ? 'user_not_found' : expect.objectContaining(derived));
            if (!model.isDeleted) keys.push({ ...derived, isOver: false });
          } else if (one.verb === 'rotate' && key) {
            const derived = newKey();
            const rotation = { name: 'key', endsAt: new Date(Date.now() - 1).toISOString() };
            const made = await untilAnswered(() => apiKeys.get().rotate(uid, key.keyId, rotation, derived));
            const isRotated = !model.isDeleted && !key.isOver;
            expect(typeof made === 'object').toBe(isRotated);
            if (isRotated) keys.push({ ...derived, isOver: false });
            key.isOver = true;
          } else if (one.verb === 'revoke' && key) {
            const revoked = await untilAnswered(() => apiKeys.get().revoke(uid, key.keyId));
            expect(revoked).toBe(!model.isDeleted);
            key.isOver = true;
          } else if (one.verb === 'create') {
            const created = await untilAnswered(() => users.get().createClient(maker, { uid, name: 'Other' }));
            if (model.isDeleted) expect(created).toBe('uid_taken');
            else expect(created).toMatchObject({ uid, maker });
          } else if (one.verb === 'delete') {
            // Where the first answer was lost, the repeated request finds no client.
            await untilAnswered(() => users.get().beginDeletion(maker, uid));
            model.isDeleted = true;
          }
          const found = await Promise.all(keys.map(({ secret }) => credentials.get().read(secret)));
          expect(found.map(({ key }) => key && [key.suspended, key.agentQuota])).toEqual(
            keys.map(({ isOver }) => (isOver || model.isDeleted ? undefined : [model.suspended, model.agents])),
          );
        }
        const clients = await Array.fromAsync(users.get().clients(maker), ({ uid }) => uid);
        expect(clients).toEqual(model.isDeleted ? [] : [uid]);
      }),
      { numRuns: runs },
    ),
);
