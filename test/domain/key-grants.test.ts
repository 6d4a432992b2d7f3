import { expect, it } from 'vitest';
import { type ApiKey, namedScopes, Scope } from '../../functions/domain/api-keys.ts';
import { grantKey, mayEnd, mayRotate, problemWithScopes } from '../../functions/domain/key-grants.ts';

/** Every subset of the scopes. The empty one is a key without a list. */
const subsets = Array.from({ length: 2 ** Scope.options.length }, (_, bits) =>
  Scope.options.filter((_, index) => bits & (1 << index)),
);
const toScopes = (subset: Scope[]) => (subset.length === 0 ? undefined : subset);
const effective = (scopes: Scope[] | undefined): Scope[] =>
  scopes ?? Scope.options.filter((scope) => !namedScopes.has(scope));

const times = [undefined, '2030-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'];
/** Times of one form are in the order of their texts. No end is later than any. */
const toEnd = (time: string | null | undefined) => time ?? '9999';

it('no key gives its own user a scope or a time that it does not have, or a scope that gives more: every subset of scopes, every end', () => {
  let given = 0;
  for (const maker of subsets) {
    const own = effective(toScopes(maker));
    for (const asked of subsets) {
      const scopes = toScopes(asked);
      const isWithin = effective(scopes).every(
        (scope) => own.includes(scope) && !['users', 'keys', 'privacy'].includes(scope),
      );
      for (const endsAt of times)
        for (const expiresAt of [...times, null]) {
          const granted = grantKey({ scopes: toScopes(maker), endsAt }, 'own user', { scopes, expiresAt });
          const isShort = expiresAt === undefined || toEnd(expiresAt) <= toEnd(endsAt);
          if ((granted !== undefined) !== (own.includes('keys') && isWithin && isShort))
            expect.fail(JSON.stringify({ maker, asked, endsAt, expiresAt, granted }));
          if (!granted) continue;
          given++;
          if (granted.scopes !== scopes || toEnd(granted.expiresAt) > toEnd(endsAt))
            expect.fail(JSON.stringify({ maker, asked, endsAt, expiresAt, granted }));
        }
    }
  }
  expect(given).toBeGreaterThan(1000);
});

it('only a key with the scope users gives clients keys, with any scopes but users, and any end', () => {
  for (const maker of subsets)
    for (const asked of subsets)
      for (const expiresAt of times) {
        const endsAt = '2030-01-01T00:00:00.000Z';
        const scopes = toScopes(asked);
        const granted = grantKey({ scopes: toScopes(maker), endsAt }, 'client', { scopes, expiresAt });
        const isAllowed = maker.includes('users') && !asked.includes('users');
        const isGiven = granted && granted.scopes === scopes && granted.expiresAt === expiresAt;
        if (isAllowed ? !isGiven : granted) expect.fail(JSON.stringify({ maker, asked, granted }));
      }
});

it('a key without a requested end ends with the key that makes it', () => {
  const endsAt = '2030-01-01T00:00:00.000Z';
  const maker = { scopes: ['keys', 'calls'] as Scope[], endsAt };
  expect(grantKey(maker, 'own user', { scopes: ['calls'] })).toEqual({ scopes: ['calls'], expiresAt: endsAt });
});

it('a key may be rotated by itself, and by a key that may give the same', () => {
  const key = (keyId: string, scopes: Scope[], expiresAt?: string): ApiKey & { endsAt?: string } => ({
    ...{ keyId, uid: 'acme', name: 'key', start: 'vap_', scopes, createdAt: '2026-01-01T00:00:00.000Z' },
    ...(expiresAt && { expiresAt, endsAt: expiresAt }),
  });
  const calls = key('calls', ['calls']);
  const keys = key('keys', ['keys', 'calls'], '2030-01-01T00:00:00.000Z');
  const users = key('users', ['users']);
  expect([calls, keys, users].map((one) => mayRotate(one, 'own user', one))).toEqual([true, true, true]);
  expect(mayRotate(keys, 'own user', calls), 'it would be valid for longer').toBe(false);
  expect(mayRotate(keys, 'own user', key('short', ['calls'], '2029-01-01T00:00:00.000Z'))).toBe(true);
  expect(mayRotate(keys, 'own user', key('wide', ['agents'], '2029-01-01T00:00:00.000Z'))).toBe(false);
  expect(mayRotate(users, 'client', calls)).toBe(true);
  expect(mayRotate(users, 'client', users && key('other', ['users']))).toBe(false);
});

it('no key ends or rotates a stronger key, the weakest not even itself: every pair of scopes', () => {
  const makeKey = (scopes: Scope[], more: Partial<ApiKey> = {}): ApiKey => ({
    ...{ keyId: scopes.join(), uid: 'acme', name: 'key', start: 'vap_', scopes, createdAt: '2026-01-01T00:00:00.000Z' },
    ...more,
  });
  const makers = [...Scope.options.map((scope) => [scope]), ['keys', 'calls', 'hooks'], ['keys', 'privacy', 'users']];
  const ended = makers.map((scopes) => {
    const maker = makeKey(scopes as Scope[]);
    const keys = [maker, ...Scope.options.map((scope) => makeKey([scope]))];
    const others = keys.filter((key) => mayEnd(maker, 'own user', key));
    expect(keys.filter((key) => mayRotate(maker, 'own user', key))).toEqual(others);
    return [scopes.join('+'), [...new Set(others.map(({ keyId }) => keyId))]];
  });
  expect(Object.fromEntries(ended)).toEqual({
    ...Object.fromEntries(Scope.options.map((scope) => [scope, scope === 'hooks' ? [] : [scope]])),
    'keys+calls+hooks': ['keys,calls,hooks', 'calls', 'hooks'],
    'keys+privacy+users': ['keys,privacy,users'],
  });
  const users = makeKey(['users']);
  const operators = makeKey(['calls'], { isOperators: true });
  for (const scope of Scope.options) expect(mayEnd(users, 'client', makeKey([scope]))).toBe(true);
  for (const recipient of ['client', 'own user'] as const)
    expect([mayEnd(users, recipient, operators), mayRotate(operators, recipient, operators)]).toEqual([false, false]);
});

it('the scope users stands alone', () => {
  expect(problemWithScopes(['users'])).toBeUndefined();
  expect(problemWithScopes(['keys', 'calls'])).toBeUndefined();
  expect(problemWithScopes(['users', 'calls'])).toContain('stands alone');
});
