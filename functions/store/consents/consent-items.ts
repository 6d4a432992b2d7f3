import { randomUUID } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { encodeTime } from 'ulid';
import { currentMaker, currentRequestId } from '../../cause.ts';
import type { StoredMaker } from '../../domain/change-maker.ts';
import type { ConsentEntry } from '../../domain/consent-decisions.ts';
import type { Consent, NewConsent } from '../../domain/consents.ts';
import { now } from '../../domain/date-time.ts';
import { derivedIdentifier } from '../../domain/identifiers.ts';
import { withoutUndefined } from '../../domain/json.ts';
import { isAbsent, when } from '../expressions.ts';
import { consentRecordKey, consentsKey } from '../keys.ts';
import type { Item, Table, TransactionAction } from '../table.ts';

/** A record as it was made. Only an erasure changes it: it removes the proof and the seller. */
export type ConsentItem = Item &
  NewConsent & {
    consentId: string;
    recordedAt: string;
    /** The request, with the number of its records: see `encodeRequest`. */
    recordedBy: string;
    requestId?: string;
    madeBy?: StoredMaker;
    /** The time at which an erasure of the person kept the revocation. */
    erasedAt?: string;
  };

/** All records of a person, as decisions need them. `salt` makes ids that nobody can guess a number from. */
export type PersonConsents = { entries: ConsentEntry[]; salt: string; revision: string | undefined };

/** `entries` is JSON, deflated: a thousand records are about 20 KB. */
type PersonItem = Item & { entries: Uint8Array; salt: string; revision: string };

/** An entry of the packed list. The beginning of an id follows from its time. */
type PackedEntry = [end: string, purpose: string, isRevoked: 0 | 1, at: number, expiresAt?: number];

const idPrefix = 'consent_';
const timeCharacters = 10;
/** The times of ids are not negative. */
const timeOfId = (at: number) => Math.max(0, at);

const packEntries = (entries: ConsentEntry[]): Uint8Array => {
  const packed = entries.map(({ consentId, purpose, state, at, expiresAt }): PackedEntry => {
    const end = consentId.slice(idPrefix.length + timeCharacters);
    const isRevoked = state === 'revoked' ? 1 : 0;
    return expiresAt === undefined ? [end, purpose, isRevoked, at] : [end, purpose, isRevoked, at, expiresAt];
  });
  return deflateRawSync(JSON.stringify(packed));
};

const unpackEntries = (bytes: Uint8Array): ConsentEntry[] =>
  (JSON.parse(inflateRawSync(bytes).toString()) as PackedEntry[]).map(([end, purpose, isRevoked, at, expiresAt]) => ({
    consentId: idPrefix + encodeTime(timeOfId(at)) + end,
    purpose,
    state: isRevoked ? 'revoked' : 'given',
    at,
    expiresAt,
  }));

/** Returns the records of a person from their item; none without an item. */
export const readConsents = (item: Item | undefined): PersonConsents => {
  if (!item) return { entries: [], salt: randomUUID(), revision: undefined };
  const { entries, salt, revision } = item as PersonItem;
  return { entries: unpackEntries(entries), salt, revision };
};

/** Returns the entry of a record, whose id follows from its content. */
export const toConsentEntry = (uid: string, salt: string, consent: NewConsent): ConsentEntry => {
  const { number, purpose, state, at, expiresAt, seller, proof } = consent;
  const { channel, text, url, ip, sha256, callId } = proof ?? {};
  const content = [purpose, state, at, expiresAt, seller, proof && [channel, text, url, ip, sha256, callId]];
  const time = Date.parse(at);
  const consentId = derivedIdentifier('consent', [salt, uid, number, JSON.stringify(content)], timeOfId(time));
  return {
    consentId,
    purpose,
    state,
    at: time,
    expiresAt: expiresAt === undefined ? undefined : Date.parse(expiresAt),
  };
};

/** A record to add, with its entry. */
export type AddedConsent = { consent: NewConsent; entry: ConsentEntry };

/** Returns the actions that add records of a person. They fail if the person has got others since they were read. */
export const consentActions = (
  table: Table,
  uid: string,
  { entries, salt, revision }: PersonConsents,
  added: AddedConsent[],
  recordedBy: string,
): TransactionAction[] => {
  const [first] = added as [AddedConsent];
  const made = { recordedAt: now(), recordedBy, requestId: currentRequestId(), madeBy: currentMaker() };
  const person: PersonItem = {
    ...consentsKey(uid, first.consent.number),
    entries: packEntries([...entries, ...added.map(({ entry }) => entry)]),
    salt,
    revision: randomUUID(),
  };
  return [
    table.putAction(person, isUnchanged(revision)),
    ...added.map(({ consent, entry: { consentId } }) => {
      const key = consentRecordKey(uid, consent.number, { at: consent.at, consentId });
      return table.putAction(withoutUndefined({ ...key, ...consent, consentId, ...made }) as ConsentItem);
    }),
  ];
};

/** Returns the action that leaves these entries of a person; none deletes the item. */
export const keepAction = (
  table: Table,
  uid: string,
  number: string,
  { salt, revision }: PersonConsents,
  entries: ConsentEntry[],
): TransactionAction =>
  entries.length === 0
    ? table.deleteAction(consentsKey(uid, number), isUnchanged(revision))
    : table.putAction(
        { ...consentsKey(uid, number), entries: packEntries(entries), salt, revision: randomUUID() } as PersonItem,
        isUnchanged(revision),
      );

const isUnchanged = (revision: string | undefined) =>
  revision === undefined ? isAbsent : when`revision = ${revision}`;

export const toConsent = (item: ConsentItem): Consent => {
  const { consentId, number, purpose, state, at, expiresAt, seller, proof, recordedAt, madeBy } = item;
  const key = { keyId: madeBy?.keyId, keyName: madeBy?.keyName };
  return { consentId, number, purpose, state, at, expiresAt, seller, proof, recordedAt, ...key };
};
