import { unmarshall } from '@aws-sdk/util-dynamodb';
import { BlockListImports } from '../../../functions/block-list-import/block-list-imports.ts';
import { CallAttempts } from '../../../functions/calling/call-attempts.ts';
import type { ImportFailure } from '../../../functions/domain/block-list-imports.ts';
import { listForms } from '../../../functions/domain/number-forms.ts';
import { extractNumbers } from '../../../functions/domain/phone-numbers.ts';
import { isPhoneNumber } from '../../../functions/domain/read-phone-number.ts';
import { Erasures } from '../../../functions/erasure/erasures.ts';
import { erasePerson, rememberErasedPerson } from '../../../functions/erasure/person.ts';
import { BlockListRulesStore, type RulesItem } from '../../../functions/store/block-list/block-list-rules.ts';
import { ErasedPeople, hashOfNumber } from '../../../functions/store/erased-people.ts';
import { IdempotencyStore } from '../../../functions/store/idempotency.ts';
import {
  accessKey,
  type BlockListOwner,
  blockedNumberCollection,
  changedItem,
  type ItemKey,
  importCollection,
  parseNumberKey,
} from '../../../functions/store/keys.ts';
import type { Table } from '../../../functions/store/table.ts';
import { WebhookEvents } from '../../../functions/webhooks/webhook-events.ts';
import { scan } from '../scan.ts';
import { makeStores } from '../stores.ts';
import type { EndedErasure } from './newer-erasures.ts';

/** Repeats newer erasures. The erased numbers are those in the table that match the keyed hashes of the erasures. */
export const repeatErasures = async (table: Table, newer: EndedErasure[], secret: string): Promise<void> => {
  const { agents, agentSharing, calls, blockList, consents } = makeStores(table);
  const services = {
    agents,
    agentSharing,
    calls,
    blockList,
    blockListRules: new BlockListRulesStore(table),
    consents,
    callAttempts: new CallAttempts(table),
    idempotency: new IdempotencyStore(table),
    // Imports that were in progress in the backup cannot continue, because their files are gone.
    imports: withoutFiles(new BlockListImports(table)),
    files: { readPart: async () => undefined },
    erasures: new Erasures(table),
    // The files of parked changes are in no backup: the erasures have emptied them.
    parkedChanges: { keepAll: async () => {} },
    webhookEvents: new WebhookEvents(table),
  };
  const numbers = await numbersByAgentAndUser(table);
  for (const uid of new Set(newer.map((erasure) => erasure.uid))) {
    const partitions = [blockedNumberCollection({ uid }, 0)];
    for await (const owned of agents.owned(uid)) {
      for (const { agentId, guests } of owned) {
        partitions.push(accessKey(agentId), ...guests.map((guest) => blockedNumberCollection({ uid: guest }, 0)));
      }
    }
    const candidates = new Set(partitions.flatMap(({ pk }) => [...(numbers.get(pk) ?? [])]));
    const forms = [...candidates].flatMap(listForms);
    const byHash = new Map(forms.map((number) => [hashOfNumber(secret, uid, number), number]));
    for (const { erasureId, numberHash, requestedAt, blockList: mode } of newer.filter((one) => one.uid === uid)) {
      await rememberErasedPerson({ uid, numberHash, requestedAt }, { agents, erasedPeople: new ErasedPeople(table) });
      const number = byHash.get(numberHash);
      if (number === undefined) continue;
      await erasePerson({ uid, erasureId, number, blockList: mode }, Number.POSITIVE_INFINITY, services);
    }
  }
};

const withoutFiles = (imports: BlockListImports) => ({
  forget: imports.forget.bind(imports),
  unfinished: async () => [],
});

/**
 * Returns the numbers in calls, block lists, their rules and failed import lines. The key is the agent's partition, or the first shard of the
 * user's list.
 */
const numbersByAgentAndUser = async (table: Table): Promise<Map<string, Set<string>>> => {
  const numbers = new Map<string, Set<string>>();
  const add = (owner: BlockListOwner, number: string) => {
    const { pk } = 'agentId' in owner ? accessKey(owner.agentId) : blockedNumberCollection(owner, 0);
    numbers.set(pk, (numbers.get(pk) ?? new Set()).add(number));
  };
  await scan(table, table.name, { ProjectionExpression: 'pk, sk, uid, failures, allow, prefixes' }, async (items) => {
    for (const item of items) {
      const { pk, sk, uid, failures } = unmarshall(item) as ItemKey & { uid: string; failures: string };
      const changed = changedItem({ pk, sk });
      if (changed?.kind === 'rules')
        for (const number of listNumbers(unmarshall(item) as RulesItem)) add(changed.list, number);
      const found = parseNumberKey({ pk, sk });
      if (found) add(found.owner, found.number);
      const isImport = sk.startsWith(importCollection(uid).prefix);
      const failed: ImportFailure[] = isImport ? JSON.parse(failures) : [];
      for (const number of failed.flatMap((failure) => extractNumbers(failure.number))) add({ uid }, number);
    }
  });
  return numbers;
};

/** Returns the numbers in rules. A prefix may be a whole number. */
const listNumbers = ({ allow, prefixes }: Pick<RulesItem, 'allow' | 'prefixes'>) => [
  ...allow,
  ...prefixes.map(({ prefix }) => prefix).filter(isPhoneNumber),
];
