import pMap from 'p-map';
import { allPurposes, type ConsentEntry } from '../domain/consent-decisions.ts';
import type { Consent, NewConsent } from '../domain/consents.ts';
import { limits } from '../domain/limits.ts';
import { chooseForm } from '../domain/number-forms.ts';
import { readPage } from '../domain/paging.ts';
import { service } from '../service.ts';
import {
  type AddedConsent,
  type ConsentItem,
  consentActions,
  eraseDetails,
  type PersonConsents,
  personAction,
  readConsents,
  toConsent,
  toConsentEntry,
} from '../store/consents/consent-items.ts';
import { exists } from '../store/expressions.ts';
import { consentCollections, consentPosition, consentRecordCollection, consentsKey, findItem } from '../store/keys.ts';
import { mergePages } from '../store/merge-pages.ts';
import { backOff, type Lookup, type QueryOptions, TableStore, type TransactionAction, table } from '../store/table.ts';
import { retryLater, writeFailure } from '../store/write-failures.ts';

/** The result of recording a consent. */
export type RecordingOutcome = { entry: ConsentEntry } | 'too_many_records' | 'temporarily_unavailable';

/** A transaction has 100 actions and 4 MB. A record has 12 KB at most. */
const actionsPerTransaction = 100;
const concurrency = 4;
/** An erasure changes so many records in a transaction, beside the item of the person and its own. */
const recordsPerErasure = 90;

/** Looks up all records of a person, as decisions need them. */
export const consentsLookup = (uid: string, number: string): Lookup<ConsentEntry[]> => {
  const key = consentsKey(uid, number);
  return { keys: [key], read: (items) => readConsents(findItem(items, key)).entries };
};

/** The consents of a request for one person that have no outcome yet, in the order sent. */
type Person = { number: string; sent: NewConsent[] };
/** The records that the next transaction adds for a person, of all that were sent. */
type Addition = { found: PersonConsents; all: AddedConsent[]; added: AddedConsent[]; actions: TransactionAction[] };

type RecordOrder = Pick<QueryOptions, 'after' | 'descending'>;

/** The consents of a user: records that are only added, and for each person one item that has them all, and the first of them. */
export class Consents extends TableStore {
  /** Records consents, until a time (Unix milliseconds). The same record again adds nothing. */
  async record(
    uid: string,
    consents: NewConsent[],
    { recordedBy, until }: { recordedBy: string; until: number },
  ): Promise<RecordingOutcome[]> {
    const outcomes = new Map<NewConsent, RecordingOutcome>();
    const byPerson = Map.groupBy(consents, ({ number }) => chooseForm(number));
    const persons: Person[] = [...byPerson].map(([number, sent]) => ({ number, sent }));
    for (let failures = 0; Date.now() < until; ) {
      const pending = persons.flatMap(({ number, sent }) => {
        const left = sent.filter((consent) => !outcomes.has(consent));
        return left.length === 0 ? [] : [{ number, sent: left }];
      });
      if (pending.length === 0) break;
      const additions = await this.#plan(uid, pending, outcomes, recordedBy).catch(retryLater);
      // Smaller transactions after each failure: a person that another request writes delays fewer others.
      const batches = packAdditions(additions ?? [], Math.max(2, actionsPerTransaction >> failures));
      const writeBatch = async (batch: Addition[]) => {
        const isWritten = Date.now() < until && (await this.#write(batch));
        if (isWritten) for (const addition of batch) settle(addition, outcomes);
        return isWritten;
      };
      const written = await pMap(batches, writeBatch, { concurrency });
      if (!additions || written.includes(false)) await backOff(failures++);
    }
    return consents.map((consent) => outcomes.get(consent) ?? 'temporarily_unavailable');
  }

  /** Plans the next records of each person. Those beyond the limit fail. */
  async #plan(
    uid: string,
    persons: Person[],
    outcomes: Map<NewConsent, RecordingOutcome>,
    recordedBy: string,
  ): Promise<Addition[]> {
    const items = await this.table.getMany(persons.map(({ number }) => consentsKey(uid, number)));
    return persons.map(({ number, sent }) => {
      const found = readConsents(findItem(items, consentsKey(uid, number)));
      const known = new Set(found.entries.map(({ consentId }) => consentId));
      const all = sent.map((consent) => ({ consent, entry: toConsentEntry(uid, found.salt, consent) }));
      const fresh = all.filter(({ consent, entry: { consentId } }) => {
        if (known.has(consentId)) return false;
        if (known.size >= limits.consentsOfPerson) return !outcomes.set(consent, 'too_many_records');
        return known.add(consentId);
      });
      const added = fresh.slice(0, actionsPerTransaction - 1);
      const actions = added.length === 0 ? [] : consentActions(this.table, uid, found, added, recordedBy);
      return { found, all, added, actions };
    });
  }

  /** Writes the records of several persons. Returns false if it may succeed later. */
  async #write(batch: Addition[]): Promise<boolean> {
    const actions = batch.flatMap((addition) => addition.actions);
    try {
      if (actions.length > 0) await this.table.transact(actions);
      return true;
    } catch (error) {
      if (writeFailure(error)) return false;
      return retryLater(error as Error) ?? false;
    }
  }

  /** Returns a page of the records of a person, newest first: those with a purpose, and those of all purposes. */
  async page(
    uid: string,
    number: string,
    { purpose, limit, cursor }: { purpose?: string; limit?: number; cursor?: string },
  ): Promise<{ items: Consent[]; nextCursor?: string }> {
    const { pk, prefix } = consentRecordCollection(uid, number);
    const page = await readPage<ConsentItem>(({ after }) => this.#records(uid, number, { after, descending: true }), {
      cursor,
      limit,
      collection: `consents:${pk}:${prefix}:${purpose}`,
      getPosition: consentPosition,
      includes: (item) => purpose === undefined || [purpose, allPurposes].includes(item.purpose),
    });
    return { ...page, items: page.items.map(toConsent) };
  }

  /** Yields the records of a person by time, with the first one in its place. */
  #records(uid: string, number: string, options: RecordOrder = {}): AsyncGenerator<ConsentItem> {
    const others = this.table.pages<ConsentItem>(consentRecordCollection(uid, number), options);
    return mergePages<ConsentItem>([others, this.#first(uid, number, options)], {
      ...options,
      getPosition: consentPosition,
    });
  }

  async *#first(uid: string, number: string, { after, descending }: RecordOrder): AsyncGenerator<ConsentItem[]> {
    const { first } = readConsents(await this.table.get(consentsKey(uid, number)));
    if (!first) return;
    const position = consentPosition(first);
    const isAfter = after === undefined || (descending ? position < after : position > after);
    if (isAfter) yield [first];
  }

  /** Returns the records of several people, by the `chooseForm` of a number. Somebody without records is absent. */
  async findMany(uid: string, numbers: string[]): Promise<Map<string, ConsentEntry[]>> {
    const forms = [...new Set(numbers.map(chooseForm))];
    const items = await this.table.getMany(forms.map((form) => consentsKey(uid, form)));
    return new Map(
      forms.flatMap((form) => {
        const item = findItem(items, consentsKey(uid, form));
        return item ? [[form, readConsents(item).entries]] : [];
      }),
    );
  }

  /** Returns how many records a person has. */
  async count(uid: string, number: string): Promise<number> {
    return readConsents(await this.table.get(consentsKey(uid, number))).entries.length;
  }

  /** Yields all records of a person, the oldest first. */
  async *readAll(uid: string, number: string): AsyncGenerator<Consent> {
    for await (const item of this.#records(uid, number)) yield toConsent(item);
  }

  /**
   * Erases a person, each batch of records with the action that counts it. Kept revocations lose their proof and their seller.
   * Returns false when the time (Unix milliseconds) is over.
   */
  async erase(
    uid: string,
    number: string,
    { mode, until, count }: { mode: 'keep' | 'remove'; until: number; count(erased: number): TransactionAction },
  ): Promise<boolean> {
    for (let failures = 0; Date.now() < until; ) {
      const found = readConsents(await this.table.get(consentsKey(uid, number)));
      const { first } = found;
      const others = await Array.fromAsync(this.table.query<ConsentItem>(consentRecordCollection(uid, number)));
      const isKept = ({ state }: ConsentItem) => mode === 'keep' && state === 'revoked';
      const left = [...(first ? [first] : []), ...others].filter((one) => !isKept(one) || !one.erasedAt);
      if (left.length === 0) return true;
      const batch = left.slice(0, recordsPerErasure);
      const deleted = new Set(batch.filter((one) => !isKept(one)).map(({ consentId }) => consentId));
      const erased = batch.filter((one) => !isKept(one) || one.proof || one.seller !== undefined);
      const failed = await this.table.tryTransact([
        personAction(this.table, uid, number, {
          ...found,
          entries: found.entries.filter(({ consentId }) => !deleted.has(consentId)),
          first: first && isKept(first) ? eraseDetails(first) : undefined,
        }),
        ...batch.filter((one) => one !== first).map((one) => this.#eraseAction(one, isKept(one))),
        ...(erased.length > 0 ? [count(erased.length)] : []),
      ]);
      // Others have recorded a consent of the person meanwhile.
      if (failed) await backOff(failures++);
    }
    return false;
  }

  #eraseAction(record: ConsentItem, isKept: boolean): TransactionAction {
    const { pk, sk } = record;
    return isKept ? this.table.putAction(eraseDetails(record), exists) : this.table.deleteAction({ pk, sk });
  }

  /** Deletes the consents of a user, until a time (Unix milliseconds). Returns true if none is left. */
  async removeAll(uid: string, until: number): Promise<boolean> {
    const collections = consentCollections(uid);
    return (await pMap(collections, (one) => this.table.deleteAll(one, until), { concurrency })).every(Boolean);
  }
}

/** Notes the outcomes of the records that are there now. */
const settle = ({ found, all, added }: Addition, outcomes: Map<NewConsent, RecordingOutcome>) => {
  const present = new Set([...found.entries, ...added.map(({ entry }) => entry)].map(({ consentId }) => consentId));
  for (const { consent, entry } of all) if (present.has(entry.consentId)) outcomes.set(consent, { entry });
};

/** Groups additions, so that a transaction has at most so many actions. A person with more has one of its own. */
const packAdditions = (additions: Addition[], maxActions: number): Addition[][] => {
  const batches: Addition[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const addition of additions) {
    const { length } = addition.actions;
    if (size + length > maxActions) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)?.push(addition);
    size += length;
  }
  return batches;
};

export const consents = /* @__PURE__ */ service(() => new Consents(table.get()), {
  record: ['dynamodb:BatchGetItem', 'dynamodb:PutItem'],
  page: ['dynamodb:GetItem', 'dynamodb:Query'],
  findMany: ['dynamodb:BatchGetItem'],
  count: ['dynamodb:GetItem'],
  readAll: ['dynamodb:GetItem', 'dynamodb:Query'],
  erase: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
  removeAll: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
});
