import { randomUUID } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { encodeTime } from 'ulid';
import { currentMaker, currentRequestId } from '../../cause.ts';
import type { StoredMaker } from '../../domain/change-maker.ts';
import type { ConsentEntry } from '../../domain/consent-decisions.ts';
import type { Consent, NewConsent } from '../../domain/consents.ts';
import { now } from '../../domain/date-time.ts';
import { derivedIdentifier } from '../../domain/identifiers.ts';
import { jsonBytes, withoutUndefined } from '../../domain/json.ts';
import { isAbsent, when } from '../expressions.ts';
import { consentRecordKey, consentsKey } from '../keys.ts';
import type { Item, Table, TransactionAction } from '../table.ts';

/** A record as it was made. Only an erasure changes it: it removes the proof and the seller. */
type ConsentRecord = NewConsent & {
  consentId: string;
  recordedAt: string;
  /** The request, with the number of its records: see `encodeRequest`. */
  recordedBy: string;
  requestId?: string;
  madeBy?: StoredMaker;
  /** The time at which an erasure of the person kept the revocation. */
  erasedAt?: string;
};
/** The item that has a record: its own, or that of the person. */
export type ConsentItem = Item & ConsentRecord;

/**
 * All records of a person, as decisions need them. `first` is the record in the item of the person, if any. `salt` makes
 * ids that nobody can guess a number from.
 */
export type PersonConsents = {
  entries: ConsentEntry[];
  first?: ConsentItem;
  salt: string;
  revision: string | undefined;
};

/** `entries` is JSON, deflated: a thousand records are about 20 KB. The other attributes are the first record. */
type PersonItem = Item & { entries: Uint8Array; salt: string; revision: string } & Partial<ConsentRecord>;

/** An entry of the packed list. The beginning of an id follows from its time. */
type PackedEntry = [end: string, purpose: string, isRevoked: 0 | 1, at: number, expiresAt?: number];

/** A first record of up to so many bytes is in the item of its person, which every start of a call reads. */
const firstRecordBytes = 2048;

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
  return { entries: unpackEntries(entries), first: hasRecord(item) ? item : undefined, salt, revision };
};

/** Checks whether an item has a record. That of a person may have none. */
export const hasRecord = (item: Item): item is ConsentItem => 'consentId' in item;

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
  found: PersonConsents,
  added: AddedConsent[],
  recordedBy: string,
): TransactionAction[] => {
  const made = { recordedAt: now(), recordedBy, requestId: currentRequestId(), madeBy: currentMaker() };
  const records = added.map(({ consent, entry: { consentId } }) => {
    const key = consentRecordKey(uid, consent.number, { at: consent.at, consentId });
    return withoutUndefined({ ...key, ...consent, consentId, ...made }) as ConsentItem;
  });
  const [next] = records as [ConsentItem];
  const first = found.revision === undefined && jsonBytes(next) <= firstRecordBytes ? next : found.first;
  const entries = [...found.entries, ...added.map(({ entry }) => entry)];
  return [
    personAction(table, uid, next.number, { ...found, entries, first }),
    ...records.filter((record) => record !== first).map((record) => table.putAction(record)),
  ];
};

/** Returns the action that writes the item of a person, or deletes it without entries. It fails if others have written it since. */
export const personAction = (
  table: Table,
  uid: string,
  number: string,
  { entries, first, salt, revision }: PersonConsents,
): TransactionAction => {
  const key = consentsKey(uid, number);
  if (entries.length === 0) return table.deleteAction(key, isUnchanged(revision));
  const person: PersonItem = { ...first, ...key, entries: packEntries(entries), salt, revision: randomUUID() };
  return table.putAction(person, isUnchanged(revision));
};

const isUnchanged = (revision: string | undefined) =>
  revision === undefined ? isAbsent : when`revision = ${revision}`;

/** Returns a kept revocation without its proof and its seller. The stream delivers the mark after the record, whose event then loses the number. */
export const eraseDetails = (record: ConsentItem): ConsentItem => ({
  ...record,
  proof: undefined,
  seller: undefined,
  erasedAt: record.erasedAt ?? now(),
});

export const toConsent = (item: ConsentItem): Consent => {
  const { consentId, number, purpose, state, at, expiresAt, seller, proof, recordedAt, madeBy } = item;
  const key = { keyId: madeBy?.keyId, keyName: madeBy?.keyName };
  return { consentId, number, purpose, state, at, expiresAt, seller, proof, recordedAt, ...key };
};
