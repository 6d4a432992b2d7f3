import type { Context } from 'aws-lambda';
import { duringInitialization } from '../http/during-initialization.ts';
import type { AnyEndpoint } from '../http/endpoint.ts';
import type { ApiEvent, ApiHandler } from '../http/handler-types.ts';
import { parseRequest } from '../http/parse-request.ts';
import { placeholderIdentity as id, performMadeUp, warmUpEvent } from '../http/warm-up.ts';
import { redact } from '../log.ts';
import { accessKey, agentKey } from '../store/keys.ts';
import type { Item } from '../store/table.ts';

/** The numbers of a call that nobody makes. */
export const [from, to] = ['+12025550100', '+12025550101'];

/** Warms nobody's request, the patterns of the log, and a start. */
export const warmUp = (handler: ApiHandler, endpoint: AnyEndpoint): Promise<void> =>
  duringInitialization(
    () => handler(warmUpEvent, {} as Context),
    () => redact(id),
    () => performStart(endpoint, madeUpStart),
  );

/** The start of a call, as an API caller reports it. */
export const madeUpStart = { body: JSON.stringify({ uid: id, agentId: id, from, to }) };

/** Performs an accepted start. Reads and writes nothing. */
export const performStart = async (endpoint: AnyEndpoint, event: Partial<ApiEvent>): Promise<unknown> => {
  const { input, error } = await parseRequest(endpoint, { ...warmUpEvent, ...event });
  if (error) throw error;
  const items: Item[] = [
    Object.assign(accessKey(id), { uid: id }),
    Object.assign(agentKey(id, id), { uid: id, agentId: id, version: 1, configuration: '{}' }),
  ];
  return performMadeUp(endpoint, input, items);
};
