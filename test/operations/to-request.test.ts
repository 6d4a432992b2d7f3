import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OwnApi } from '../../functions/clients/own-api.ts';
import { ApiError } from '../../functions/domain/errors.ts';
import { callOperation, operations } from '../../functions/operations/call-operation.ts';
import { toRequest } from '../../functions/operations/to-request.ts';
import { anyCharacter } from '../support/any-character.ts';

const operation = (name: string) => {
  const found = operations[name];
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found;
};

it('the request of an operation has each argument in its place, and the user of the key', () => {
  expect(toRequest(operation('listCalls'), { agentId: 'a:1', limit: 5, phone: '+1 415' }, undefined)).toEqual({
    method: 'GET',
    path: '/calls/a%3A1?phone=%2B1+415&limit=5',
    headers: {},
  });
  const created = toRequest(operation('createAgent'), { name: 'A', uid: 'foreign', idempotencyKey: 'k' }, 'own');
  expect(created).toMatchObject({ method: 'POST', path: '/agents', headers: { 'idempotency-key': 'k' } });
  expect(JSON.parse(created.body ?? '')).toEqual({ name: 'A', uid: 'own' });
});

it('the request of an operation leaves out absent arguments', () => {
  const request = toRequest(operation('listAgents'), { limit: undefined, cursor: null }, 'own');
  expect(request).toEqual({ method: 'GET', path: '/agents?uid=own', headers: {} });
});

it('the number of a version is as good as its text in a path', () => {
  for (const version of [7, '7'])
    expect(toRequest(operation('getAgentVersion'), { agentId: 'a', version }, 'own').path).toBe(
      '/agents/a/versions/7?uid=own',
    );
  for (const version of [1.5, null, {}])
    expect(() => toRequest(operation('getAgentVersion'), { agentId: 'a', version }, 'own')).toThrow('version');
});

it('the request of an operation names every invalid argument', () => {
  const given = { agentId: '', limit: { a: 1 } };
  expect(() => toRequest(operation('listCalls'), given, undefined)).toThrow(/agentId.*and 1 more/);
});

it('the request of an operation stays on its path with any argument', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (value) => {
      try {
        const { path } = toRequest(operation('getAgent'), { agentId: value }, undefined);
        const url = new URL(`http://api.test${path}`);
        expect(url.pathname.split('/')).toHaveLength(3);
        expect([url.pathname.startsWith('/agents/'), url.search, url.hash]).toEqual([true, '', '']);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
    }),
  );
});

it('a missing argument of a path is named with the operation that needs none', async () => {
  const api = {} as OwnApi;
  const call = (name: string, args: object) => callOperation(api, 'key', { name, args: { ...args } });
  await expect(call('listCalls', { from: '2026-03-01' })).rejects.toThrow(
    'agentId: is required; listAllCalls takes none',
  );
  await expect(call('getAgentVersion', { version: 1 })).rejects.toThrow(/agentId: is required(?!;)/);
});
