import { type ApiKey, hashApiKey, isUsable, underParent } from '../domain/api-keys.ts';
import type { ConsentRule } from '../domain/calling-rules.ts';
import type { OutcomeRules } from '../domain/declared-outcomes.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import type { TranscriptSettings } from '../domain/transcripts.ts';
import { service } from '../service.ts';
import { accessKey, apiKeyKey, apiKeyListingKey, findItem } from './keys.ts';
import { type Item, type Lookup, TableStore, table } from './table.ts';

/** The users of an agent, and what every request needs of its configuration. */
export type Access = {
  owner: string;
  has(uid: string): boolean;
  outcomeRules: OutcomeRules;
  /** The consent without which the agent calls nobody. */
  consentRule?: ConsentRule;
  /** The agent has a sentence that says that a machine speaks. */
  discloses?: boolean;
  /** When the last erasure of a person was requested. */
  erasedAt?: string;
};

/** What an access item repeats. Outcomes are JSON: DynamoDB's numbers end at 1e126. */
export type RepeatedFields = {
  blockOnOutcomes?: string[];
  outcomes?: string;
  valueCurrency?: string;
  consentRule?: ConsentRule;
  discloses?: boolean;
  transcripts?: TranscriptSettings;
  hasHistory?: true;
};

/** Nobody may use a deleted agent, which has only its `formerOwner`. */
export type AccessItem = Item & {
  agentId: string;
  uid?: string;
  guests?: Set<string>;
  formerOwner?: string;
  erasedAt?: string;
} & RepeatedFields;

/** The users of an agent, the owner first. One being deleted has only its former owner. */
export type AgentUsers = { owner?: string; users: string[] };

/** Reads a key with its access in one round trip, uncached: revocations are immediate. */
export class Credentials extends TableStore {
  /** Reads a usable key, the access to an agent and a lookup, if given. */
  async read<Found>(
    apiKey: string | undefined,
    agentId?: string,
    lookup?: Lookup<Found>,
  ): Promise<{ key?: ApiKey; access?: Access; found?: Found }> {
    const keyOfKey = apiKey === undefined ? undefined : apiKeyKey(hashApiKey(apiKey));
    const keyOfAccess = agentId !== undefined && isIdentifier(agentId) ? accessKey(agentId) : undefined;
    const keys = [keyOfKey, keyOfAccess, ...(lookup?.keys ?? [])].filter((key) => key !== undefined);
    const items = await this.table.getMany(keys);
    const key = await this.#withParent(findItem(items, keyOfKey) as (Item & ApiKey) | undefined);
    const access = readAccess(findItem(items, keyOfAccess));
    return {
      key: key && isUsable(key) ? key : undefined,
      access,
      found: lookup?.read(items),
    };
  }

  /** Returns the state of a key, which ends its upload forms. A suspended user's files wait. */
  async getKeyState({ uid, keyId }: { uid: string; keyId: string }): Promise<'usable' | 'suspended' | 'over'> {
    const listing = await this.table.get<Item & { hash: string }>(apiKeyListingKey(uid, keyId));
    const key = listing && (await this.#withParent(await this.table.get<Item & ApiKey>(apiKeyKey(listing.hash))));
    if (!key || !isUsable(key)) return 'over';
    return key.suspended ? 'suspended' : 'usable';
  }

  /** A grant to an AI client needs a second read: it ends with the key that it was made with. */
  async #withParent(key: (Item & ApiKey) | undefined): Promise<(Item & ApiKey) | undefined> {
    if (!key?.parentHash) return key;
    const [parent] = await this.table.getMany<Item & ApiKey>([apiKeyKey(key.parentHash)]);
    return underParent(key, parent);
  }

  /** Returns the users of each agent that exists. */
  async findUsers(agentIds: string[]): Promise<Map<string, AgentUsers>> {
    const items = await this.table.getMany<AccessItem>([...new Set(agentIds)].map(accessKey));
    return new Map(
      items.map(({ agentId, uid, guests = [], formerOwner }) => [
        agentId,
        { owner: uid ?? formerOwner, users: uid === undefined ? [] : [uid, ...guests] },
      ]),
    );
  }

  /** Returns the access to each agent that exists. */
  async readAccess(agentIds: string[]): Promise<Map<string, Access>> {
    const known = [...new Set(agentIds)].filter(isIdentifier);
    const items = await this.table.getMany<AccessItem>(known.map(accessKey));
    return new Map(
      items.flatMap((item) => {
        const access = readAccess(item);
        return access ? [[item.agentId, access]] : [];
      }),
    );
  }
}

/** Returns the access from an item, unless its agent is gone. */
export const readAccess = (item: Item | undefined): Access | undefined => {
  const { uid: owner, guests, ...repeated } = (item ?? {}) as Partial<AccessItem>;
  if (owner === undefined) return undefined;
  const { blockOnOutcomes, outcomes, transcripts, hasHistory } = repeated;
  const outcomeRules = {
    ...(blockOnOutcomes && { blockOnOutcomes }),
    ...(outcomes !== undefined && { outcomes: JSON.parse(outcomes) }),
    ...(transcripts && { transcripts }),
    ...(hasHistory && { hasHistory }),
  };
  const { consentRule, discloses, erasedAt } = repeated;
  const has = (uid: string) => owner === uid || (guests?.has(uid) ?? false);
  return { owner, has, outcomeRules, consentRule, discloses, erasedAt };
};

export const credentials = /* @__PURE__ */ service(() => new Credentials(table.get()), {
  read: ['dynamodb:BatchGetItem'],
  getKeyState: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'],
  readAccess: ['dynamodb:BatchGetItem'],
  findUsers: ['dynamodb:BatchGetItem'],
});
