import * as z from 'zod/mini';
import { type CallAttempts, callAttempts } from '../calling/call-attempts.ts';
import { type Consents, consents } from '../consents/consents.ts';
import { Call } from '../domain/calls.ts';
import { chooseForm, listForms } from '../domain/number-forms.ts';
import type { PersonLine } from '../domain/person-exports.ts';
import { type Agents, agents } from '../store/agents/agents.ts';
import { type BlockList, blockList } from '../store/block-list/block-list.ts';
import { type BlockListRulesStore, blockListRules } from '../store/block-list/block-list-rules.ts';
import { type Calls, calls } from '../store/calls/calls.ts';
import { type Transcripts, transcripts } from '../store/calls/transcripts.ts';
import type { BlockListOwner } from '../store/keys.ts';
import type { TransactionAction } from '../store/table.ts';
import { type WebhookEvents, webhookEvents } from '../webhooks/webhook-events.ts';

/** A form of a person's number, and whose data are looked through: those of the user, or of some of the user's agents. */
type Place = { uid: string; number: string; agentIds?: string[] };

/** How data are erased: until a time (Unix milliseconds), each batch with the action that counts it. */
type Erasing = { mode: 'keep' | 'remove'; until: number; count(erased: number): TransactionAction };

/** A kind of data about people, with the services that it needs. */
type PersonKind<Counting, Reading, Erasures> = {
  /** Counts the data of a place, where erasures name their number. */
  count?(place: Place, services: Counting): Promise<number>;
  /** Yields the data of a place, as their operations return them. */
  read(place: Place, services: Reading): AsyncGenerator<PersonLine>;
  /** Erases the data of a place. Returns false when time is over. */
  erase(place: Place, erasing: Erasing, services: Erasures): Promise<boolean>;
};

const toOwners = ({ uid, agentIds }: Place): BlockListOwner[] => agentIds?.map((agentId) => ({ agentId })) ?? [{ uid }];

const ofCalls: PersonKind<
  { calls: Pick<Calls, 'count'> },
  { calls: Pick<Calls, 'withNumber'>; transcripts: Pick<Transcripts, 'read'> },
  { calls: Pick<Calls, 'erase'> }
> = {
  count: ({ agentIds = [], number }, { calls }) => calls.count(agentIds, number),
  async *read({ agentIds = [], number }, { calls, transcripts }) {
    for (const agentId of agentIds)
      for await (const call of calls.withNumber(agentId, number)) {
        yield { kind: 'call', data: z.parse(Call, call) };
        const transcript = await transcripts.read(call);
        if (transcript) yield { kind: 'transcript', data: { agentId, ...transcript } };
      }
  },
  async erase({ agentIds = [], number }, { until, count }, { calls }) {
    for (const agentId of agentIds) {
      if (Date.now() >= until) return false;
      if (!(await calls.erase(agentId, number, { until, alongside: (erased) => [count(erased)] }))) return false;
    }
    return true;
  },
};

const ofBlockLists: PersonKind<
  { blockList: Pick<BlockList, 'count'> },
  { blockList: Pick<BlockList, 'findEntries'>; blockListRules: Pick<BlockListRulesStore, 'findNumber'> },
  {
    blockList: Pick<BlockList, 'erase'>;
    blockListRules: Pick<BlockListRulesStore, 'erase'>;
    webhookEvents: Pick<WebhookEvents, 'scrubNumber'>;
  }
> = {
  count: (place, { blockList }) => blockList.count(toOwners(place), place.number),
  async *read(place, { blockList, blockListRules }) {
    const owners = toOwners(place);
    for (const { owner, entry } of await blockList.findEntries(owners, place.number))
      yield { kind: 'blocked_number', data: { ...nameList(owner), ...entry } };
    // Rules are found by either form of a number.
    if (place.number !== chooseForm(place.number)) return;
    for (const { owner, allow, prefixes } of await blockListRules.findNumber(owners, place.number)) {
      for (const number of allow) yield { kind: 'rule', data: { ...nameList(owner), allow: number } };
      for (const prefix of prefixes) yield { kind: 'rule', data: { ...nameList(owner), ...prefix } };
    }
  },
  async erase(place, { mode, count }, { blockList, blockListRules, webhookEvents }) {
    const owners = toOwners(place);
    await blockList.erase(owners, place.number, mode, count(1));
    await blockListRules.erase(owners, place.number, mode);
    // The events of a call are deleted with the call.
    for (const owner of owners) await webhookEvents.scrubNumber(owner, place.number);
    return true;
  },
};

/** Names whose list it is. */
const nameList = (owner: BlockListOwner) =>
  'agentId' in owner ? { scope: 'agent', agentId: owner.agentId } : { scope: 'user' };

/** Both forms of a number have the same records. */
const isOfPerson = ({ agentIds, number }: Place) => agentIds === undefined && number === chooseForm(number);

const ofConsents: PersonKind<
  { consents: Pick<Consents, 'count'> },
  { consents: Pick<Consents, 'readAll'> },
  { consents: Pick<Consents, 'erase'> }
> = {
  count: async (place, { consents }) => (isOfPerson(place) ? consents.count(place.uid, place.number) : 0),
  async *read(place, { consents }) {
    if (!isOfPerson(place)) return;
    for await (const data of consents.readAll(place.uid, place.number)) yield { kind: 'consent', data };
  },
  // Their events lose the number when the stream reports this.
  erase: async (place, erasing, { consents }) => !isOfPerson(place) || consents.erase(place.uid, place.number, erasing),
};

const ofAttempts: PersonKind<
  object,
  { callAttempts: Pick<CallAttempts, 'find'> },
  { callAttempts: Pick<CallAttempts, 'erase'> }
> = {
  async *read({ agentIds = [], number }, { callAttempts }) {
    if (number !== chooseForm(number)) return;
    for (const agentId of agentIds) {
      const { attempts } = await callAttempts.find(agentId, number);
      for (const { callId, at } of attempts)
        yield { kind: 'attempt', data: { number, agentId, callId, at: new Date(at).toISOString() } };
    }
  },
  async erase({ agentIds = [], number }, _, { callAttempts }) {
    await callAttempts.erase(agentIds, number);
    return true;
  },
};

/** The kinds of data about people, by the names of their counts. What is erased and what is exported follow from this table alone. */
export const personKinds = {
  calls: ofCalls,
  blockedNumbers: ofBlockLists,
  consents: ofConsents,
  attempts: ofAttempts,
};

/** Yields the places where data of a person may be: both forms of the number, of the user and of all agents that the user owns. */
export async function* listPlaces(
  uid: string,
  number: string,
  { agents }: { agents: Pick<Agents, 'owned'> },
): AsyncGenerator<Place> {
  for (const form of listForms(number)) {
    yield { uid, number: form };
    for await (const owned of agents.owned(uid))
      yield { uid, number: form, agentIds: owned.map(({ agentId }) => agentId) };
  }
}

/** The services that count the data of a person. */
export const countServices = {
  agents: agents.for('owned'),
  calls: calls.for('count'),
  blockList: blockList.for('count'),
  consents: consents.for('count'),
};
/** The services that read them. */
export const readServices = {
  agents: agents.for('owned'),
  calls: calls.for('withNumber'),
  transcripts: transcripts.for('read'),
  blockList: blockList.for('findEntries'),
  blockListRules: blockListRules.for('findNumber'),
  consents: consents.for('readAll'),
  callAttempts: callAttempts.for('find'),
};
/** The services that erase them. */
export const removeServices = {
  calls: calls.for('erase'),
  blockList: blockList.for('erase'),
  blockListRules: blockListRules.for('erase'),
  consents: consents.for('erase'),
  callAttempts: callAttempts.for('erase'),
  webhookEvents: webhookEvents.for('scrubNumber'),
};
