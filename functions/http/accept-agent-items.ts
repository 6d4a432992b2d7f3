import type * as z from 'zod/mini';
import { toNamedKey } from '../domain/change-maker.ts';
import { now } from '../domain/date-time.ts';
import { ApiError, insufficientPermissions } from '../domain/errors.ts';
import { type FailedItem, failedItem } from '../domain/request-items.ts';
import { validate } from '../domain/validation.ts';
import type { Access, Credentials } from '../store/credentials.ts';
import type { Principal } from './endpoint.ts';

/**
 * Accepts the items of a batch one by one: those that are valid, and whose agent the user of the key may use. An item for which
 * `accept` throws an `ApiError` fails without failing the others.
 */
export const acceptAgentItems = async <Item extends { agentId: string }, Accepted>(
  items: unknown[],
  schema: z.ZodMiniType<Item>,
  { principal, credentials }: { principal: Principal; credentials: Pick<Credentials, 'readAccess'> },
  accept: (item: Item, agent: Access, origin: ReturnType<typeof describeOrigin>) => Accepted,
) => {
  const checked = items.map((item) => validate(schema, item));
  const access = await credentials.readAccess(checked.flatMap(({ data }) => data?.agentId ?? []));
  const origin = describeOrigin(principal);
  const failed: FailedItem[] = [];
  const accepted = checked.flatMap(({ data: item, error }, index) => {
    try {
      if (error) throw error;
      const agent = access.get(item.agentId);
      if (!agent?.has(principal.uid)) throw insufficientPermissions();
      return [{ index, ...accept(item, agent, origin) }];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failed.push(failedItem(index, error));
      return [];
    }
  });
  return { accepted, failed };
};

const describeOrigin = (principal: Principal) => ({ uid: principal.uid, ...toNamedKey(principal), at: now() });
