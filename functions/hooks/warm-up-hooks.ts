import type { Context } from 'aws-lambda';
import { sealedSecrets } from '../clients/sealed-secrets.ts';
import { duringInitialization } from '../http/during-initialization.ts';
import type { AnyEndpoint } from '../http/endpoint.ts';
import type { ApiEvent, ApiHandler } from '../http/handler-types.ts';
import { placeholderIdentity as id, warmUpEvent } from '../http/warm-up.ts';
import { redact } from '../log.ts';
import { platforms } from './platforms/platforms.ts';
import { from, performStart, to } from './warm-up-starts.ts';

/** Warms a start of each platform, and the key that encrypts secrets. */
export const warmUp = (handler: ApiHandler, endpoint: AnyEndpoint): Promise<void> =>
  duringInitialization(
    () => handler(warmUpEvent, {} as Context),
    () => redact(id),
    () => sealedSecrets.get().seal('', ''),
    ...makeUpHooks().map((event) => () => performStart(endpoint, event)),
  );

/** Makes up the start of a call as each platform reports it. */
export const makeUpHooks = (): Partial<ApiEvent>[] =>
  Object.entries(platforms).map(([platform, { makeUpStart }]) => ({
    pathParameters: { platform },
    queryStringParameters: { uid: id, agentId: id, next: 'https://example.com/', assistantId: id },
    body: makeUpStart({ callId: id, from, to }),
  }));
