import * as z from 'zod/mini';
import { Erasure, ErasureIdInPath } from '../domain/erasures.ts';
import { noSuchErasure } from '../domain/errors.ts';
import { isIdentifier, Uid } from '../domain/identifiers.ts';
import { erasures } from '../erasure/erasures.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';

/** Returns the progress of the erasure of a person. */
export const getErasure = endpoint({
  name: 'getErasure',
  method: 'GET',
  path: '/erasures/{erasureId}',
  summary: 'Get an erasure',
  description:
    'Returns the status of an erasure. When it is `done`, no item, file or message of the service contains the number, except what it kept of block lists and revocations, texts that are not searched, and backups.',
  caller: { kind: 'key', scope: 'privacy', user: ({ query }) => query },
  services: { erasures: erasures.for('find') },
  params: z.object({ erasureId: ErasureIdInPath }),
  query: z.object({ uid: Uid }),
  response: Erasure,
  errors: ['erasure_not_found'],

  async handle({ params: { erasureId }, query: { uid } }, { erasures }) {
    const found = isIdentifier(erasureId) && (await erasures.find(uid, erasureId));
    if (!found) throw noSuchErasure();
    return found;
  },
});

export const handler = lambda(getErasure);
