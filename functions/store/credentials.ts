import { type ApiKey, hashApiKey, isUsable } from '../domain/api-keys.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { service } from '../service.ts';
import { accessKey, apiKeyKey } from './keys.ts';
import { type Item, type Table, table } from './table.ts';

/** Who may use an agent. */
export type Access = { owner: string; has(uid: string): boolean };

type AccessItem = Item & { uid: string; guests?: Set<string> };

/** API keys and access to agents as a request needs them: both in one read. There is no cache: revocation holds at once. */
export class Credentials {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The record of a usable key, and the access to an agent when one is named and exists. */
  async read(key: string, agentId?: string): Promise<{ key?: ApiKey; access?: Access }> {
    const keyItem = apiKeyKey(hashApiKey(key));
    const asked = agentId !== undefined && isIdentifier(agentId) ? [keyItem, accessKey(agentId)] : [keyItem];
    const items = await this.#table.getMany(asked);
    const record = items.find((item) => item.pk === keyItem.pk) as (Item & ApiKey) | undefined;
    const access = items.find((item) => item.pk !== keyItem.pk) as AccessItem | undefined;
    return {
      ...(record && isUsable(record) && { key: record }),
      ...(access && { access: accessOf(access) }),
    };
  }

  /** The access to each of several agents; one that does not exist is not in the map. */
  async accessTo(agentIds: string[]): Promise<Map<string, Access>> {
    const known = [...new Set(agentIds)].filter(isIdentifier);
    const items = await this.#table.getMany<AccessItem & { agentId: string }>(known.map(accessKey));
    return new Map(items.map((item) => [item.agentId, accessOf(item)]));
  }
}

const accessOf = (item: AccessItem): Access => ({
  owner: item.uid,
  has: (uid) => item.uid === uid || (item.guests?.has(uid) ?? false),
});

export const credentials = service(() => new Credentials(table.get()), {
  read: ['dynamodb:BatchGetItem'],
  accessTo: ['dynamodb:BatchGetItem'],
});
