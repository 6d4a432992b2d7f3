import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { blockListImports } from '../block-list-import/block-list-imports.ts';
import { importFiles } from '../clients/files.ts';
import { importFileKey } from '../domain/block-list-imports.ts';
import type { ErasureProgress } from '../domain/job-messages.ts';
import { hasText } from '../domain/json.ts';
import { mentionsNumber } from '../domain/phone-numbers.ts';
import { parkedChanges } from '../parking/parked-changes.ts';
import type { ServicesOf } from '../service.ts';
import { agentSharing } from '../store/agents/agent-sharing.ts';
import { agents } from '../store/agents/agents.ts';
import { erasedPeople } from '../store/erased-people.ts';
import { idempotency } from '../store/idempotency.ts';
import { type ErasedKind, erasedKinds, erasures } from './erasures.ts';
import { type countServices, listPlaces, personKinds, removeServices } from './person-kinds.ts';

/** The services that erase a person. */
export const eraseServices = {
  ...removeServices,
  agents: agents.for('owned', 'countCopies'),
  agentSharing: agentSharing.for('formerGuests'),
  idempotency: idempotency.for('forget'),
  files: importFiles.for('readPart'),
  imports: blockListImports.for('forget', 'unfinished'),
  erasures: erasures.for('start', 'counting', 'finish', 'fail'),
  parkedChanges: parkedChanges.for('keepAll'),
};

/** Counts what an erasure finds of a person. */
export const findPerson = async (
  uid: string,
  number: string,
  services: ServicesOf<typeof countServices>,
): Promise<Record<ErasedKind, number>> => {
  const found = { calls: 0, blockedNumbers: 0, consents: 0 };
  for await (const place of listPlaces(uid, number, services)) {
    const counts = await Promise.all(erasedKinds.map((kind) => personKinds[kind].count?.(place, services) ?? 0));
    for (const [index, kind] of erasedKinds.entries()) found[kind] += counts[index] as number;
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
  const { agents, agentSharing, idempotency, imports, parkedChanges } = services;
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
    const running = { uid, erasureId, number, blockList: mode };
    if (!(await eraseData(running, until, services))) return { delaySeconds: 0 };
    for (const caller of callers) await imports.forget(caller, (text) => mentionsNumber(text, number));
    // What the table has lost is removed from the changes that wait. One that is parked later has lost it already.
    await parkedChanges.keepAll();
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

/** Erases all kinds of data, until a time (Unix milliseconds). Returns true when all is erased. */
const eraseData = async (
  { uid, erasureId, number, blockList: mode }: Running,
  until: number,
  services: ServicesOf<typeof eraseServices>,
): Promise<boolean> => {
  for await (const place of listPlaces(uid, number, services)) {
    for (const [name, kind] of Object.entries(personKinds)) {
      if (Date.now() >= until) return false;
      const count = (erased: number) => services.erasures.counting(uid, erasureId, name as ErasedKind, erased);
      if (!(await kind.erase(place, { mode, until, count }, services))) return false;
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
