import * as z from 'zod/mini';
import { deletionResponse } from '../domain/describe.ts';
import { ApiError, noSuchPlatform } from '../domain/errors.ts';
import { PlatformInPath } from '../domain/hook-secrets.ts';
import { Uid } from '../domain/identifiers.ts';
import { isPlatformName } from '../domain/voice-platforms.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { platformKeys } from '../reconciliation/platform-keys.ts';

/** Deletes the key of a voice platform. */
export const deletePlatformKey = endpoint({
  name: 'deletePlatformKey',
  method: 'DELETE',
  path: '/platform-keys/{platform}',
  summary: 'Delete the key of a voice platform',
  description:
    'Deletes the key of a voice platform. The service then no longer reads the list of its calls. The key stays valid at the platform until you delete it there.',
  caller: { kind: 'key', scope: 'agents', user: ({ query }) => query },
  services: { platformKeys: platformKeys.for('remove') },
  params: z.object({ platform: PlatformInPath }),
  query: z.object({ uid: Uid }),
  response: deletionResponse('the key', 'Platform key deleted successfully'),
  errors: ['not_found'],

  async handle({ params: { platform }, query: { uid } }, { platformKeys }) {
    if (!isPlatformName(platform)) throw noSuchPlatform();
    if (!(await platformKeys.remove(uid, platform)))
      throw new ApiError('not_found', 'This user has no key of this voice platform.');
    return { message: 'Platform key deleted successfully' };
  },
});

export const handler = lambda(deletePlatformKey);
