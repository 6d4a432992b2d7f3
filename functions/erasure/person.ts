import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { blockListImports } from '../block-list-import/block-list-imports.ts';
import { callAttempts } from '../calling/call-attempts.ts';
import { importFiles } from '../clients/files.ts';
import { importFileKey } from '../domain/block-list-imports.ts';
import type { ErasureProgress } from '../domain/job-messages.ts';
import { hasText } from '../domain/json.ts';
import { listForms } from '../domain/number-forms.ts';
import { mentionsNumber } from '../domain/phone-numbers.ts';
import type { ServicesOf } from '../service.ts';
import { agentSharing } from '../store/agents/agent-sharing.ts';
import { agents } from '../store/agents/agents.ts';
import { blockList } from '../store/block-list/block-list.ts';
import { blockListRules } from '../store/block-list/block-list-rules.ts';
import { calls } from '../store/calls/calls.ts';
import { erasedPeople } from '../store/erased-people.ts';
import { idempotency } from '../store/idempotency.ts';
import type { BlockListOwner } from '../store/keys.ts';
import { webhookEvents } from '../webhooks/webhook-events.ts';
import { erasures } from './erasures.ts';

/** The services that find a person in the data of a user. */
export const findServices = {
  agents: agents.for('owned'),
  calls: calls.for('count'),
  blockList: blockList.for('count'),
};

/** The services that erase a person. */
export const eraseServices = {
  agents: agents.for('owned', 'countCopies'),
  agentSharing: agentSharing.for('formerGuests'),
  calls: calls.for('erase'),
  callAttempts: callAttempts.for('erase'),
  blockList: blockList.for('erase'),
  blockListRules: blockListRules.for('erase'),
  idempotency: idempotency.for('forget'),
  files: importFiles.for('readPart'),
  imports: blockListImports.for('forget', 'unfinished'),
  erasures: erasures.for('start', 'counting', 'finish', 'fail'),
  webhookEvents: webhookEvents.for('scrubNumber'),
};

/** Counts a person's calls with the agents that a user owns, and the person's entries on their block lists. */
export const findPerson = async (
  uid: string,
  number: string,
  { agents, calls, blockList }: ServicesOf<typeof findServices>,
): Promise<{ calls: number; blockedNumbers: number }> => {
  const found = { calls: 0, blockedNumbers: 0 };
  for (const form of listForms(number)) {
    found.blockedNumbers += await blockList.count([{ uid }], form);
    for await (const owned of agents.owned(uid)) {
      const agentIds = owned.map(({ agentId }) => agentId);
      found.calls += await calls.count(agentIds, form);
      const owners = agentIds.map((agentId) => ({ agentId }));
      found.blockedNumbers += await blockList.count(owners, form);
    }
  }
  return found;
};

/** The services that keep who was erased. */
export const rememberServices = { agents: agents.for('owned'), erasedPeople: erasedPeople.for('add', 'markAgent') };

/** Keeps the hash of an erased number: from then on, no platform brings back a call of the person that began before. */
export const rememberErasedPerson = async (
  { uid, numberHash, requestedAt }: { uid: string; numberHash: string; requestedAt: string },
  { agents, erasedPeople }: ServicesOf<typeof rememberServices>,
): Promise<void> => {
  await erasedPeople.add(uid, numberHash, requestedAt);
  for await (const owned of agents.owned(uid))
    await pMap(owned, ({ agentId }) => erasedPeople.markAgent(agentId, requestedAt), { concurrency: marksInFlight });
};

/** An erasure in progress. */
type Running = {
  uid: string;
  erasureId: string;
  number: string;
  blockList: 'keep' | 'remove';
  progress?: ErasureProgress;
};

/** The rest of an erasure: the delay before it continues, and its position. Without `progress`, it begins again. */
type Rest = { delaySeconds: number; progress?: ErasureProgress };

/** Erases a person until a time (Unix milliseconds). Each step counts in the transaction that erases. */
export const erasePerson = async (
  { uid, erasureId, number, blockList: mode, progress }: Running,
  until: number,
  services: ServicesOf<typeof eraseServices>,
): Promise<Rest | undefined> => {
  const { agents, agentSharing, idempotency, imports } = services;
  // The users who may have read or changed the person's data.
  const callers = new Set([uid]);
  for await (const owned of agents.owned(uid)) {
    for (const { agentId, guests } of owned) {
      for (const guest of [...guests, ...(await agentSharing.formerGuests(agentId))]) callers.add(guest);
    }
  }
  // A file that is being imported may contain the number, and add it again.
  for (const caller of callers) if (await isFileThere(caller, services)) return { delaySeconds: waitSeconds };
  // A copy in progress may already contain the person, and cannot be erased from.
  const { begun, inProgress } = await agents.countCopies(uid);
  if (inProgress.length > 0) return { delaySeconds: waitSeconds };
  if (!progress) {
    for (const form of listForms(number)) {
      const running = { uid, erasureId, number: form, blockList: mode };
      if (!(await eraseData(running, until, services))) return { delaySeconds: 0 };
    }
    for (const caller of callers) await imports.forget(caller, (text) => mentionsNumber(text, number));
  }
  const { erasedAt = Date.now(), copiesBegun = begun } = progress ?? {};
  const mentionsPerson = (body: unknown) => hasText(body, (text) => mentionsNumber(text, number));
  for (let position = progress?.position; ; position = undefined) {
    const search = { since: erasedAt, until, from: position };
    const { stoppedAt, isUnderWay } = await idempotency.forget([...callers], mentionsPerson, search);
    if (!stoppedAt && !isUnderWay) break;
    if (stoppedAt || Date.now() >= until) {
      return { delaySeconds: 0, progress: { erasedAt, copiesBegun, position: stoppedAt } };
    }
    // A request in progress may have read the person before, and keep its response later.
    await sleep(pollMilliseconds);
  }
  // A copy that began in the meantime may have been made before its source was erased.
  return (await agents.countCopies(uid)).begun === copiesBegun ? undefined : { delaySeconds: waitSeconds };
};

/** Erases a form of a number from calls and block lists, until a time (Unix milliseconds). Returns true when all is erased. */
const eraseData = async (
  { uid, erasureId, number, blockList: mode }: Running,
  until: number,
  { agents, calls, callAttempts, blockList, blockListRules, erasures, webhookEvents }: ServicesOf<typeof eraseServices>,
): Promise<boolean> => {
  const eraseEntries = async (owners: BlockListOwner[]) => {
    await blockList.erase(owners, number, mode, erasures.counting(uid, erasureId, 'blockedNumbers', 1));
    await blockListRules.erase(owners, number, mode);
    // The events of a call are deleted with the call.
    for (const owner of owners) await webhookEvents.scrubNumber(owner, number);
  };
  await eraseEntries([{ uid }]);
  for await (const owned of agents.owned(uid)) {
    await eraseEntries(owned.map(({ agentId }) => ({ agentId })));
    await callAttempts.erase(
      owned.map(({ agentId }) => agentId),
      number,
    );
    for (const { agentId } of owned) {
      if (Date.now() >= until) return false;
      const alongside = (count: number) => [erasures.counting(uid, erasureId, 'calls', count)];
      if (!(await calls.erase(agentId, number, { until, alongside }))) return false;
    }
  }
  return true;
};

/** Returns true if there is a file that one of a user's imports reads or is about to read. */
const isFileThere = async (
  uid: string,
  { files, imports }: Pick<ServicesOf<typeof eraseServices>, 'files' | 'imports'>,
): Promise<boolean> => {
  for (const { hasFile, ...reference } of await imports.unfinished(uid)) {
    // S3's notification arrives a while after the file.
    if (hasFile || (await files.readPart(importFileKey(reference), { start: 0, length: 1 }))) return true;
  }
  return false;
};

const marksInFlight = 8;
const pollMilliseconds = 500;
/** The interval at which an erasure checks whether imports and copies have ended. */
const waitSeconds = 5;
