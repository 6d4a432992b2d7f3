import * as z from 'zod/mini';
import { deletionResponse } from '../domain/describe.ts';
import { ApiError, noSuchPlatform } from '../domain/errors.ts';
import { PlatformInPath } from '../domain/hook-secrets.ts';
import { Uid } from '../domain/identifiers.ts';
import { isPlatformName } from '../domain/voice-platforms.ts';
import { hookSecrets } from '../hooks/secrets/hook-secrets.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';

/** Deletes the secrets of a voice platform immediately, including a replaced one. */
export const deleteHookSecret = endpoint({
  name: 'deleteHookSecret',
  method: 'DELETE',
  path: '/hook-secrets/{platform}',
  summary: 'Delete the secret of a voice platform',
  description:
    'Deletes the secret of a voice platform, and a replaced one. From then on its webhooks need an API key, in a header or in the address.',
  caller: { kind: 'key', scope: 'agents', user: ({ query }) => query },
  services: { hookSecrets: hookSecrets.for('remove') },
  params: z.object({ platform: PlatformInPath }),
  query: z.object({ uid: Uid }),
  response: deletionResponse('the secret', 'Hook secret deleted successfully'),
  errors: ['not_found'],

  async handle({ params: { platform }, query: { uid } }, { hookSecrets }) {
    if (!isPlatformName(platform)) throw noSuchPlatform();
    if (!(await hookSecrets.remove(uid, platform)))
      throw new ApiError('not_found', 'This user has no secret of this voice platform.');
    return { message: 'Hook secret deleted successfully' };
  },
});

export const handler = lambda(deleteHookSecret);
