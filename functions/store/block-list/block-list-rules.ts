import { currentRequestId } from '../../cause.ts';
import {
  type NewBlockListRules,
  NumberRules,
  pickNumber,
  rulesConflict,
  type StoredRules,
  withoutNumber,
} from '../../domain/block-list-rules.ts';
import { now } from '../../domain/date-time.ts';
import { service } from '../../service.ts';
import { isAbsent, when } from '../expressions.ts';
import { type BlockListOwner, blockListRulesKey, findItem } from '../keys.ts';
import { type Item, TableStore, table, untilWritten } from '../table.ts';

export type RulesItem = Item &
  StoredRules & {
    requestId?: string;
    /** The rules came with the copy of an agent, which is no change of them. */
    isCopy?: true;
  };

/** The prefixes and the allowed numbers of block lists: one item a list, which every check reads. */
export class BlockListRulesStore extends TableStore {
  /** Returns the rules of a list: version 0 before the first are set. */
  async find(owner: BlockListOwner): Promise<NewBlockListRules & { version: number }> {
    return toRules(await this.table.get<RulesItem>(blockListRulesKey(owner)));
  }

  /** Replaces the rules of a list, as a new version of `ifMatch` unless nothing changes. */
  async set(owner: BlockListOwner, wanted: NewBlockListRules, ifMatch?: number) {
    const key = blockListRulesKey(owner);
    return untilWritten(async (attempt) => {
      const found = await this.table.get<RulesItem>(key);
      const rules = toRules(found);
      // This request wrote it, and the response was lost.
      if (attempt > 0 && found?.requestId === currentRequestId() && isSame(rules, wanted)) return rules;
      if (ifMatch !== undefined && ifMatch !== rules.version) throw rulesConflict(rules.version);
      if (isSame(rules, wanted)) return rules;
      return toRules(await this.#write(key, found, wanted));
    });
  }

  /** Writes the next version. Throws if there is one since `found` was read. */
  async #write(key: Item, found: RulesItem | undefined, { prefixes, allow }: NewBlockListRules): Promise<RulesItem> {
    const version = (found?.version ?? 0) + 1;
    const item: RulesItem = { ...key, prefixes, allow, version, updatedAt: now() };
    await this.table.put(item, found ? when`version = ${found.version}` : isAbsent);
    return item;
  }

  /** Copies the rules of an agent to its copy, which nobody uses yet. */
  async copy(from: string, to: string): Promise<void> {
    const { prefixes, allow, version } = await this.find({ agentId: from });
    if (version === 0) return;
    const rules = { prefixes, allow, version: 1, updatedAt: now(), isCopy: true };
    await this.table.putNew({ ...blockListRulesKey({ agentId: to }), ...rules });
  }

  /** Returns what the rules of each list say of a person's number. */
  async findNumber(
    owners: BlockListOwner[],
    number: string,
  ): Promise<(NewBlockListRules & { owner: BlockListOwner })[]> {
    const items = await this.table.getMany<RulesItem>(owners.map(blockListRulesKey));
    return owners.flatMap((owner) => {
      const found = findItem(items, blockListRulesKey(owner));
      return found ? [{ owner, ...pickNumber(found, number) }] : [];
    });
  }

  /** Takes a number out of rules, as a new version of each that has it. */
  async erase(owners: BlockListOwner[], number: string, mode: 'keep' | 'remove'): Promise<void> {
    for (const { pk, sk } of await this.table.getMany<RulesItem>(owners.map(blockListRulesKey)))
      await untilWritten(async () => {
        const found = await this.table.get<RulesItem>({ pk, sk });
        const wanted = found && withoutNumber(found, number, mode);
        if (wanted && !isSame(found, wanted)) await this.#write({ pk, sk }, found, wanted);
      });
  }
}

/** Returns the rules of an item, for look-ups. */
export const readNumberRules = (item: Item | undefined): NumberRules | undefined =>
  item && new NumberRules(item as RulesItem);

const toRules = ({ prefixes, allow, version }: Pick<RulesItem, 'prefixes' | 'allow' | 'version'> = noRules) => {
  return { prefixes, allow, version };
};
const noRules = { prefixes: [], allow: [], version: 0 };

const isSame = (one: NewBlockListRules, other: NewBlockListRules) => comparable(one) === comparable(other);
const comparable = ({ prefixes, allow }: NewBlockListRules) =>
  JSON.stringify([prefixes.map(({ prefix, reason }) => [prefix, reason]), allow]);

export const blockListRules = /* @__PURE__ */ service(() => new BlockListRulesStore(table.get()), {
  find: ['dynamodb:GetItem'],
  set: ['dynamodb:GetItem', 'dynamodb:PutItem'],
  copy: ['dynamodb:GetItem', 'dynamodb:PutItem'],
  findNumber: ['dynamodb:BatchGetItem'],
  erase: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
});
