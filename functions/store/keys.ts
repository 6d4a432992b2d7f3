/**
 * Every key of the single table. No other file builds one.
 *
 * item                  pk                                     sk                      holds
 * user                  USER#<uid>                             USER                    name, its maker, and the marks that its keys repeat
 * client of a user      USER#<maker>                           CLIENT#<uid>            nothing: the key has the client's id
 * agent being deleted   USER#<uid>                             DELETED-AGENT#<agentId> nothing: an agent of a user who is being deleted
 * agent                 USER#<owner>                           AGENT#<agentId>         the agent's record, once, with its owner
 * agent in lists        USER#<owner>                           OWNED#<agentId>         its currency: what lists of a user's agents need, without the record
 * number of an agent    USER#<owner>                           NUMBER#<phone>          the user's agent that has it, at most one
 * key of an agent       USER#<owner>                           AGENT-KEY#<key>         the same, for the name that the agent has in files
 * shared agent          USER#<guest>                           AGENT#<agentId>         its owner, for the guest's list
 * check of a budget     USER#<uid>                             BUDGET-CHECK            a check that is queued, and by whom
 * number of agents      USER#<uid>                             COUNT                   how many agents the user owns, including copies in progress
 * writes in a day       USER#<uid>                             WRITES#<date>           how many numbers imports and copies have written; expires
 * API key of a user     USER#<uid>                             KEY#<keyId>             the key's hash, for listing
 * API key               KEY#<sha256>                           KEY                     the key's record
 * requests of a key     REQUESTS#<sha256>                      COUNTS                  how many requests of a limited key the last two minutes had; expires
 * access to an agent    AGENT#<agentId>                        ACCESS                  owner and guests: read with the key, in one BatchGet;
 *                                                                                      no users for a deleted agent, until all of it is deleted
 * version of an agent   AGENT#<agentId>                        VERSION#<version>       what a list shows of it: who changed what, when and why
 * …its content          AGENT#<agentId>                        CONTENT#<version>       an immutable snapshot of the agent: name and configuration, deflated
 * traffic of an agent   AGENT#<agentId>#TRAFFIC                TRAFFIC                 the versions that callers get, with their contents: read when a call starts
 * former guest          AGENT#<agentId>                        GUEST#<uid>             a user whose access was revoked, for erasures; expires
 * blocked number        AGENT#<agentId>#BLOCKED#<shard 0–15>   <phone>                 a hash spreads a million numbers; a check is one read
 * …for a user's agents  USER#<uid>#BLOCKED#<shard 0–15>        <phone>                 the same, on the list of a user
 * …by its rules        AGENT#<agentId>#RULES                  BLOCK-LIST-RULES        the prefixes that are blocked, and the numbers that are allowed: read with every check
 * …of a user           USER#<uid>#RULES                       BLOCK-LIST-RULES        the same, for all agents of the user
 * import of a file      USER#<uid>                             IMPORT#<importId>       its progress and its result
 * running import        AGENT#<agentId>#IMPORT                 RUNNING                 the import that writes to the list, at most one
 * …of a user's list     USER#<uid>#IMPORT                      RUNNING                 the same, for the list of a user
 * consents of a person  USER#<uid>#CONSENTS#<shard 0–15> PERSON#<phone, today's form>  all records of the person, packed, and the first one if it is small: read when a call starts
 * record of a consent   USER#<uid>#CONSENTS#<shard 0–15> <phone, today's form>#<at>#<consentId>  a further consent or revocation, with its proof: only an erasure changes it
 * call                  AGENT#<agentId>#CALL#<callId>          CALL                    the call's record, once; for 40 days after a deletion, that it was deleted
 * transcript of a call  AGENT#<agentId>#TRANSCRIPTS            <end>#<callId>          what was said, deflated; expires
 * call by time          AGENT#<agentId>#CALLS                  <startedAt>#<callId>    nothing: the key has the call's id
 * call by phone         AGENT#<agentId>#PHONE#<phone>          <startedAt>#<callId>    the same; no item when the number was withheld
 * call in a history     AGENT#<agentId>#HISTORY#<phone>        <startedAt>#<callId>    what the start of a later call says of it, if the agent has a history of callers
 * figures of a day       AGENT#<agentId>#FIGURES                <date>                  the sums of the calls that started on a day in UTC, deflated
 * …that do not fit      AGENT#<agentId>#FIGURES                <date>#<n>              another piece of them
 * day to count again    AGENT#<agentId>#UNCOUNTED              <date>                  its quarters of an hour whose calls have changed
 * day of the lake       AGENT#<agentId>#LAKE                   <date>                  a day whose file will be written, and until when it is expected; expires
 * attempts to call      AGENT#<agentId>#ATTEMPTS               <phone, today's form>   when outbound calls were attempted; expires
 * number of sources     AGENT#<agentId>                        COUNT                   how many websites and documents the agent has, and how often they have changed
 * website               AGENT#<agentId>                        WEBSITE#<websiteId>     the record, without its text
 * refresh of a website  REFRESHES                              <hh:mm>#<agentId>#<websiteId>  when it is crawled again: at this time of the day in UTC
 * last look at those    LAST-LOOK                              LAST-LOOK               the time up to which websites that were due have been found
 * document              AGENT#<agentId>                        DOCUMENT#<documentId>   the record, without its text
 * text of a source      SOURCE#<websiteId or documentId>       <revision>#<part>#<n>   a piece of the text, deflated, under an item's 400 KB
 * visits of its pages   SOURCE#<websiteId>                     <revision>#visits      what servers said of the pages that have the text, deflated
 * index of a text       SOURCE#<websiteId or documentId>       <revision>#index-<id>#<n>  a piece of the index of its words, packed
 * export of a person    USER#<uid>                             PERSON-EXPORT#<exportId> its progress and its file; the number until it ends; expires
 * …that runs            USER#<uid>                             PERSON-EXPORTING        the export of a person that runs, at most one
 * erasure               USER#<uid>                             ERASURE#<erasureId>     the progress of a person's erasure; the number until it ends
 * erased person         USER#<uid>                             ERASED#<keyed hash>     when the erasure of a number was last requested
 * hook secret           USER#<uid>                             HOOK-SECRET#<platform>  the secrets of a voice platform's webhooks, encrypted, and when they were used
 * platform key          USER#<uid>                             PLATFORM-KEY#<platform> the key that reads a voice platform's list of calls, encrypted, and when it was used
 * webhook endpoints     USER#<uid>                             WEBHOOKS                all endpoints of a user: at most ten, read together
 * webhook delivery      USER#<uid>#DELIVERIES#<shard 0–15>     <deliveryId>            an event on its way to an endpoint, spread by a hash; expires
 * …that rests           USER#<uid>#RESTING#<shard 0–15>       <endpointId>#<deliveryId>  a delivery that waits until its endpoint succeeds again; expires
 * …for a command        USER#<uid>#LISTENING                   <endpointId>#<deliveryId>  the same, until a command that listens has fetched it; expires
 * webhook event         the partition of what changed          EVENT#<eventId>         an event's data other than ids, for its deliveries; expires
 * change               USER#<uid>#CHANGES                     <changeId>              an entry of the log of changes of what the user owns; expires
 * reconciled agent      RECONCILED                             <agentId>               its owner: an agent whose calls are compared with its platform's list every hour
 * reconciliation        AGENT#<agentId>                        RECONCILIATION#<id>     a comparison with the platform's list of calls: its progress and its counts; expires
 * …that runs            AGENT#<agentId>                        RECONCILING             the reconciliation of the agent that runs, at most one
 * export of calls       USER#<uid>                             CALL-EXPORT#<exportId>  its progress and its files; expires
 * …that runs            USER#<uid>                             CALL-EXPORTING          the export of the user that runs, at most one
 * duplication           DUPLICATION#<new agentId>              DUPLICATION             the progress of the copy
 * refused keys           OAUTH#REFUSED#<address>#<minute>       REFUSED                 how many keys it gave that were refused; expires
 * turns of an address   CHAT#TURNS#<address>#<minute>          TURNS                   how many turns of the build chat it had; expires
 * tokens of a day       CHAT#TOKENS#<date>                     TOKENS                  what the build chat spent; expires
 * …of an address        CHAT#TOKENS#<date>#<address>           TOKENS                  what it spent without a key; expires
 * …of a user            CHAT#TOKENS#<date>#USER#<uid>          TOKENS                  what it spent with keys of the user; expires
 * idempotency           IDEMPOTENCY#<uid>#<shard 0–15>         <operation> <keyed hash>  the first response to an Idempotency-Key, for 24 hours
 * …of a large response  IDEMPOTENCY#<uid>#<shard 0–15>         <operation> <keyed hash> <n>  a piece of it, deflated
 * items with parked changes  PARKED                            ENTITIES                the items whose changes wait, by a hash of their keys
 * parked change         PARKED#<hash of a key>                 <sequence number>       a change of the stream that waits; its record is a file
 * retry of those        PARKED                                 RETRY                   when the retry that runs has ended, at most one
 * format                FORMAT                                 FORMAT                  the number of the format of all items
 *
 * DynamoDB deletes an item some time after its attribute `ttlSeconds` (Unix time).
 * There is no secondary index, so that every read is strongly consistent.
 */
import { hash } from 'node:crypto';
import { chooseForm } from '../domain/number-forms.ts';

export type ItemKey = { pk: string; sk: string };
export const isSameKey = (one: ItemKey, other: ItemKey) => one.pk === other.pk && one.sk === other.sk;
/** Returns an item without its key. */
export const withoutKey = <T extends ItemKey>({ pk: _pk, sk: _sk, ...held }: T): Omit<T, 'pk' | 'sk'> => held;
/** Returns the item that has a key. */
export const findItem = <T extends ItemKey>(items: T[], key: ItemKey | undefined): T | undefined =>
  key && items.find((item) => isSameKey(item, key));

/** A partition, or its sort keys that begin with `prefix`. */
export type Collection = { pk: string; prefix?: string };
type PrefixedCollection = Required<Collection>;

export const formatKey: ItemKey = { pk: 'FORMAT', sk: 'FORMAT' };

export const userKey = (uid: string): ItemKey => ({ pk: `USER#${uid}`, sk: 'USER' });

/** One partition: the user, agents, numbers, listings of keys, erasures. */
export const itemsOfUser = (uid: string): Collection => ({ pk: `USER#${uid}` });

export const budgetCheckKey = (uid: string): ItemKey => ({ pk: `USER#${uid}`, sk: 'BUDGET-CHECK' });

/** The users that a user created. */
export const clientCollection = (maker: string): PrefixedCollection => ({ pk: `USER#${maker}`, prefix: 'CLIENT#' });
export const clientKey = (maker: string, uid: string): ItemKey => ({ pk: `USER#${maker}`, sk: `CLIENT#${uid}` });
/** Returns the client of a sort key of `clientCollection`. */
export const parseClient = (sk: string) => sk.slice('CLIENT#'.length);
/** The agents of a user who is being deleted, until their data are. */
export const deletedAgentCollection = (uid: string): PrefixedCollection => ({
  pk: `USER#${uid}`,
  prefix: 'DELETED-AGENT#',
});
export const deletedAgentKey = (uid: string, agentId: string): ItemKey => ({
  pk: `USER#${uid}`,
  sk: `DELETED-AGENT#${agentId}`,
});

export const agentKey = (uid: string, agentId: string): ItemKey => ({ pk: `USER#${uid}`, sk: `AGENT#${agentId}` });
/** A user's own agents, without their records, which are up to 200 KB each. */
export const ownedAgentCollection = (uid: string): Collection => ({ pk: `USER#${uid}`, prefix: 'OWNED#' });
export const ownedAgentKey = (uid: string, agentId: string): ItemKey => ({ pk: `USER#${uid}`, sk: `OWNED#${agentId}` });
/** The user's agent with a phone number. */
export const agentNumberKey = (uid: string, phone: string): ItemKey => ({ pk: `USER#${uid}`, sk: `NUMBER#${phone}` });
/** The user's agent with a key, the name that it has in files. */
export const agentKeyEntryKey = (uid: string, key: string): ItemKey => ({ pk: `USER#${uid}`, sk: `AGENT-KEY#${key}` });
export const agentCollection = (uid: string): Collection => ({ pk: `USER#${uid}`, prefix: 'AGENT#' });

/** The counter of a user's agents, or of an agent's websites and documents. */
export const countKey = (owner: { uid: string } | { agentId: string }): ItemKey => ({
  pk: 'agentId' in owner ? `AGENT#${owner.agentId}` : `USER#${owner.uid}`,
  sk: 'COUNT',
});

/** What a user's imports and copies have written in a day of UTC. */
export const dailyWritesKey = (uid: string, day: string): ItemKey => ({ pk: `USER#${uid}`, sk: `WRITES#${day}` });

export const apiKeyListingKey = (uid: string, keyId: string): ItemKey => ({ pk: `USER#${uid}`, sk: `KEY#${keyId}` });
export const apiKeyListingCollection = (uid: string): Collection => ({ pk: `USER#${uid}`, prefix: 'KEY#' });
/** The requests of a limited key, by the minute. Every function may write them, and no other item by that right. */
export const requestCountsKey = (hash: string): ItemKey => ({ pk: `${requestCountsPrefix}${hash}`, sk: 'COUNTS' });
export const requestCountsPrefix = 'REQUESTS#';
export const apiKeyKey = (hash: string): ItemKey => ({ pk: `KEY#${hash}`, sk: 'KEY' });

/** One partition: an agent's access, versions, websites and documents. */
export const itemsOfAgent = (agentId: string): Collection => ({ pk: `AGENT#${agentId}` });
export const accessKey = (agentId: string): ItemKey => ({ pk: `AGENT#${agentId}`, sk: 'ACCESS' });

/** Returns a version number padded with zeros, so that versions sort by number. */
export const agentVersionPosition = (version: number) => String(version).padStart(9, '0');
export const agentVersionKey = (agentId: string, version: number): ItemKey => ({
  pk: `AGENT#${agentId}`,
  sk: `VERSION#${agentVersionPosition(version)}`,
});
/** Returns the number of a version in a sort key of `agentVersionCollection`. */
export const parseAgentVersion = (sk: string) => Number(sk.slice('VERSION#'.length));
export const agentContentKey = (agentId: string, version: number): ItemKey => ({
  pk: `AGENT#${agentId}`,
  sk: `CONTENT#${agentVersionPosition(version)}`,
});
export const agentVersionCollection = (agentId: string): Collection => ({ pk: `AGENT#${agentId}`, prefix: 'VERSION#' });
/** The versions that callers get: read with the access when a call starts. */
export const agentTrafficKey = (agentId: string): ItemKey => ({ pk: `AGENT#${agentId}#TRAFFIC`, sk: 'TRAFFIC' });

export const formerGuestKey = (agentId: string, uid: string): ItemKey => ({
  pk: `AGENT#${agentId}`,
  sk: `GUEST#${uid}`,
});
export const formerGuestCollection = (agentId: string): Collection => ({ pk: `AGENT#${agentId}`, prefix: 'GUEST#' });

/** The partitions of a block list. Changing it strands every number on existing lists. */
export const blockListShards = 16;
/** An agent, or a user whose list applies to all own agents. */
export type BlockListOwner = { agentId: string } | { uid: string };
/** Returns the owner of the list that a request names. */
export const listOwner = ({ uid, agentId }: { uid: string; agentId?: string }): BlockListOwner =>
  agentId === undefined ? { uid } : { agentId };
export const blockedNumberKey = (owner: BlockListOwner, phone: string): ItemKey => ({
  ...blockedNumberCollection(owner, chooseShard(phone, blockListShards)),
  sk: phone,
});
export const blockedNumberCollection = (owner: BlockListOwner, shard: number): { pk: string } => ({
  pk: `${'agentId' in owner ? `AGENT#${owner.agentId}` : `USER#${owner.uid}`}#BLOCKED#${shard}`,
});
/** The prefixes and the allowed numbers of a block list. */
export const blockListRulesKey = (owner: BlockListOwner): ItemKey => ({
  pk: 'agentId' in owner ? `AGENT#${owner.agentId}#RULES` : `USER#${owner.uid}#RULES`,
  sk: 'BLOCK-LIST-RULES',
});
const chooseShard = (text: string, shards: number) => Number.parseInt(hash('sha256', text).slice(0, 2), 16) % shards;

/** The partitions of the consents of a user. Changing it strands every record. */
const consentShards = 16;
const consentCollection = (uid: string, shard: number) => ({ pk: `USER#${uid}#CONSENTS#${shard}` });
export const consentCollections = (uid: string): Collection[] =>
  Array.from({ length: consentShards }, (_, shard) => consentCollection(uid, shard));
/** The records of a person, by time. */
export const consentRecordCollection = (uid: string, phone: string): PrefixedCollection => {
  const form = chooseForm(phone);
  return { ...consentCollection(uid, chooseShard(form, consentShards)), prefix: `${form}#` };
};
type ConsentPlace = { at: string; consentId: string };
/** The place of a record among those of its person. */
export const consentPosition = ({ at, consentId }: ConsentPlace) => `${at}#${consentId}`;
export const consentRecordKey = (uid: string, phone: string, place: ConsentPlace): ItemKey => {
  const { pk, prefix } = consentRecordCollection(uid, phone);
  return { pk, sk: `${prefix}${consentPosition(place)}` };
};
/** All records of a person together, and the first of them: what a decision reads. */
export const consentsKey = (uid: string, phone: string): ItemKey => ({
  pk: consentRecordCollection(uid, phone).pk,
  sk: `PERSON#${chooseForm(phone)}`,
});

export const importKey = (uid: string, importId: string): ItemKey => ({ pk: `USER#${uid}`, sk: `IMPORT#${importId}` });
export const importCollection = (uid: string) => ({ pk: `USER#${uid}`, prefix: 'IMPORT#' });
export const runningImportKey = (owner: BlockListOwner): ItemKey => ({
  pk: 'agentId' in owner ? `AGENT#${owner.agentId}#IMPORT` : `USER#${owner.uid}#IMPORT`,
  sk: 'RUNNING',
});

export const callKey = (agentId: string, callId: string): ItemKey => ({
  pk: `AGENT#${agentId}#CALL#${callId}`,
  sk: 'CALL',
});
/** The transcripts of an agent's calls, by the end of the call. */
export const callTranscriptCollection = (agentId: string): Collection => ({ pk: `AGENT#${agentId}#TRANSCRIPTS` });
export const callTranscriptKey = (agentId: string, callId: string, endedAt: string): ItemKey => ({
  pk: callTranscriptCollection(agentId).pk,
  sk: `${endedAt}#${callId}`,
});
export const callCollection = (agentId: string): Collection => ({ pk: `AGENT#${agentId}#CALLS` });
export const phoneCallCollection = (agentId: string, phone: string): Collection => ({
  pk: `AGENT#${agentId}#PHONE#${phone}`,
});
/** What the start of a later call says of the calls of a number. */
export const callHistoryCollection = (agentId: string, phone: string): Collection => ({
  pk: `AGENT#${agentId}#HISTORY#${phone}`,
});
/** Returns the sort key of a call's entries: by start, then by id. */
export const callPosition = (call: { startedAt: string; callId: string }) => `${call.startedAt}#${call.callId}`;
export const callHistoryKey = (
  agentId: string,
  phone: string,
  call: { startedAt: string; callId: string },
): ItemKey => ({
  pk: callHistoryCollection(agentId, phone).pk,
  sk: callPosition(call),
});
/** Returns the start of the call that an entry points to. */
export const parseCallStart = (position: string) => position.slice(0, position.indexOf('#'));
/** Returns the id of the call that an entry points to. */
export const parseCallId = (position: string) => position.slice(position.indexOf('#') + 1);
/** Returns the agent of an entry by time or by phone number. */
export const parseAgentId = ({ pk }: ItemKey) => pk.split('#')[1] as string;
/** Returns a call's position among several agents', which sort at equal times. */
export const listedCallPosition = (call: { startedAt: string; callId: string; agentId: string }) =>
  `${callPosition(call)}#${call.agentId}`;
/** Returns the sort key after which an agent's calls follow a position. */
export const entriesAfter = (position: string, agentId: string) => {
  const [startedAt, callId, lastAgentId = agentId] = position.split('#');
  const sk = `${startedAt}#${callId}`;
  // This agent's call is still to come. No sort key lies between.
  return agentId > lastAgentId ? `${sk}!` : sk;
};
/** Returns the place of a call in the order of start, agent and id, from its entry by time. */
export const chronologicalPosition = (entry: ItemKey) => {
  const [startedAt, callId] = entry.sk.split('#');
  return `${startedAt}#${parseAgentId(entry)}#${callId}`;
};
/** Returns the sort key after which an agent's calls follow a chronological position. */
export const entriesAfterChronological = (position: string, agentId: string) => {
  const [startedAt, lastAgentId = '', callId] = position.split('#');
  if (agentId === lastAgentId) return `${startedAt}#${callId}`;
  // `$` follows `#`: all calls of this start are done. Without `#`, all of them are still to come.
  return agentId < lastAgentId ? `${startedAt}$` : `${startedAt}`;
};
/** Returns the id of the deleted call whose entry by time this is. */
export const parseDeletedCall = ({ sk }: ItemKey) => parseCallId(sk);
/** The exports of a user, of calls or of people, in the order in which they were requested. */
export type ExportKind = 'CALL' | 'PERSON';
export const exportCollection = (kind: ExportKind, uid: string): PrefixedCollection => ({
  pk: `USER#${uid}`,
  prefix: `${kind}-EXPORT#`,
});
export const exportKey = (kind: ExportKind, uid: string, exportId: string): ItemKey => ({
  pk: `USER#${uid}`,
  sk: `${kind}-EXPORT#${exportId}`,
});
export const runningExportKey = (kind: ExportKind, uid: string): ItemKey => ({
  pk: `USER#${uid}`,
  sk: `${kind}-EXPORTING`,
});
/** The figures of an agent's days, in pieces if a day is large. */
export const figuresCollection = (agentId: string): Collection => ({ pk: `AGENT#${agentId}#FIGURES` });
export const figuresKey = (agentId: string, day: string, piece = 0): ItemKey => ({
  ...figuresCollection(agentId),
  sk: piece === 0 ? day : `${day}#${piece}`,
});
/** Returns the day of a sort key of `figuresCollection`. */
export const dayOfFigures = (sk: string) => sk.slice(0, 'yyyy-mm-dd'.length);
/** A day of an agent whose file in the lake will be written. */
export const lakeDayKey = (agentId: string, day: string): ItemKey => ({ pk: `AGENT#${agentId}#LAKE`, sk: day });
/** The days of an agent whose calls must be counted again. */
export const uncountedDayCollection = (agentId: string): Collection => ({ pk: `AGENT#${agentId}#UNCOUNTED` });
export const uncountedDayKey = (agentId: string, day: string): ItemKey => ({
  ...uncountedDayCollection(agentId),
  sk: day,
});
export const callAttemptsKey = (agentId: string, phone: string): ItemKey => ({
  pk: `AGENT#${agentId}#ATTEMPTS`,
  sk: chooseForm(phone),
});
export const callAttemptCollection = (agentId: string): Collection => ({ pk: `AGENT#${agentId}#ATTEMPTS` });

/** Returns the number in the key of a call, a block or a consent. */
export const parseNumberKey = ({ pk, sk }: ItemKey): { owner: BlockListOwner; number: string } | undefined => {
  const [, kind, id = '', part, phone = ''] = /^(AGENT|USER)#([^#]+)#(PHONE|BLOCKED|CONSENTS)#(.+)$/.exec(pk) ?? [];
  if (!kind) return undefined;
  const [ofSortKey = ''] = /\+\d+/.exec(sk) ?? [];
  return { owner: kind === 'AGENT' ? { agentId: id } : { uid: id }, number: part === 'PHONE' ? phone : ofSortKey };
};

export const websiteKey = (agentId: string, websiteId: string): ItemKey => ({
  pk: `AGENT#${agentId}`,
  sk: `WEBSITE#${websiteId}`,
});
export const websiteCollection = (agentId: string): Collection => ({ pk: `AGENT#${agentId}`, prefix: 'WEBSITE#' });
/** The websites that are crawled again, by the time of the day. */
export const refreshCollection: Collection = { pk: 'REFRESHES' };
/** Returns the UTC time of day by which refreshes sort. */
export const refreshPosition = (time: string) => time.slice('yyyy-mm-ddT'.length, 'yyyy-mm-ddThh:mm'.length);
export const isSameTimeOfDay = (one: string, other: string) => refreshPosition(one) === refreshPosition(other);
export const refreshKey = (time: string, { agentId, id }: { agentId: string; id: string }): ItemKey => ({
  ...refreshCollection,
  sk: `${refreshPosition(time)}#${agentId}#${id}`,
});
/** Returns the website of a sort key of `refreshCollection`. */
export const websiteOfRefresh = (sk: string) => {
  const [, agentId, websiteId] = sk.split('#') as [string, string, string];
  return { agentId, websiteId };
};
export const lastLookKey: ItemKey = { pk: 'LAST-LOOK', sk: 'LAST-LOOK' };
export const documentKey = (agentId: string, documentId: string): ItemKey => ({
  pk: `AGENT#${agentId}`,
  sk: `DOCUMENT#${documentId}`,
});
export const documentCollection = (agentId: string): Collection => ({ pk: `AGENT#${agentId}`, prefix: 'DOCUMENT#' });

export const textPieceKey = (sourceId: string, revision: string, part: string, index: number): ItemKey => ({
  pk: `SOURCE#${sourceId}`,
  sk: `${revision}#${part}#${String(index).padStart(4, '0')}`,
});
/** What servers said of the versions of the pages that have a text. */
export const visitsKey = (sourceId: string, revision: string): ItemKey => ({
  pk: `SOURCE#${sourceId}`,
  sk: `${revision}#visits`,
});
export const textPieceCollection = (sourceId: string, revision?: string): Collection => ({
  pk: `SOURCE#${sourceId}`,
  prefix: revision && `${revision}#`,
});

export const erasureKey = (uid: string, erasureId: string): ItemKey => ({
  pk: `USER#${uid}`,
  sk: `ERASURE#${erasureId}`,
});
export const erasedPersonKey = (uid: string, numberHash: string): ItemKey => ({
  pk: `USER#${uid}`,
  sk: `ERASED#${numberHash}`,
});
export const erasureCollection = (uid: string) => ({ pk: `USER#${uid}`, prefix: 'ERASURE#' });
/** The secrets of the webhooks that a voice platform sends for a user. */
export const hookSecretKey = (uid: string, platform: string): ItemKey => ({
  pk: `USER#${uid}`,
  sk: `HOOK-SECRET#${platform}`,
});
export const hookSecretCollection = (uid: string) => ({ pk: `USER#${uid}`, prefix: 'HOOK-SECRET#' });
/** The keys that read the lists of calls of a user's voice platforms. */
export const platformKeyKey = (uid: string, platform: string): ItemKey => ({
  pk: `USER#${uid}`,
  sk: `PLATFORM-KEY#${platform}`,
});
export const platformKeyCollection = (uid: string) => ({ pk: `USER#${uid}`, prefix: 'PLATFORM-KEY#' });
export const webhookEndpointsKey = (uid: string): ItemKey => ({ pk: `USER#${uid}`, sk: 'WEBHOOKS' });
/** Spreads a user's deliveries: thousands a second for ten endpoints. */
const deliveryShards = 16;
export const webhookDeliveryKey = (uid: string, deliveryId: string): ItemKey => ({
  pk: `USER#${uid}#DELIVERIES#${chooseShard(deliveryId, deliveryShards)}`,
  sk: deliveryId,
});
export const webhookDeliveryCollections = (uid: string): Collection[] =>
  Array.from({ length: deliveryShards }, (_, shard) => ({ pk: `USER#${uid}#DELIVERIES#${shard}` }));
/** The deliveries that wait for an endpoint, or for any of a user. */
export const parkedDeliveryCollections = (uid: string, endpointId?: string): Collection[] =>
  Array.from({ length: deliveryShards }, (_, shard) => ({
    pk: `USER#${uid}#RESTING#${shard}`,
    prefix: endpointId && `${endpointId}#`,
  }));
export const parkedDeliveryKey = (uid: string, endpointId: string, deliveryId: string): ItemKey => ({
  pk: `USER#${uid}#RESTING#${chooseShard(deliveryId, deliveryShards)}`,
  sk: `${endpointId}#${deliveryId}`,
});
/** The deliveries that a command fetches, of an endpoint or a user. */
export const fetchedDeliveryCollection = (uid: string, endpointId?: string): Collection => ({
  pk: `USER#${uid}#LISTENING`,
  prefix: endpointId && `${endpointId}#`,
});
export const fetchedDeliveryKey = (uid: string, endpointId: string, deliveryId: string): ItemKey => ({
  pk: fetchedDeliveryCollection(uid).pk,
  sk: `${endpointId}#${deliveryId}`,
});
/** A call, an agent or a user. Its events are deleted with it. */
export type EventSubject = { agentId: string; callId?: string } | { uid: string };
export const webhookEventKey = (subject: EventSubject, eventId: string): ItemKey => {
  const { pk, prefix } = webhookEventCollection(subject);
  return { pk, sk: prefix + eventId };
};
export const webhookEventCollection = (subject: EventSubject): Collection & { prefix: string } => {
  const { pk } =
    'uid' in subject
      ? userKey(subject.uid)
      : subject.callId === undefined
        ? accessKey(subject.agentId)
        : callKey(subject.agentId, subject.callId);
  return { pk, prefix: 'EVENT#' };
};

/** The log of the changes of what a user owns. */
export const changeCollection = (uid: string, prefix?: string): Collection => ({ pk: `USER#${uid}#CHANGES`, prefix });
export const changeKey = (uid: string, changeId: string): ItemKey => ({ pk: changeCollection(uid).pk, sk: changeId });

/** The partitions that a function writes only with an own permission. */
export const guardedKeys = { apiKeys: 'KEY#*', changes: 'USER#*#CHANGES', parked: 'PARKED*' };

/** The items of the table whose changes are parked. */
export const parkedEntitiesKey: ItemKey = { pk: 'PARKED', sk: 'ENTITIES' };
/** The parked changes of an item, by their place in the stream. */
export const parkedChangeCollection = (entity: string): Collection => ({ pk: `PARKED#${entity}` });
export const parkedChangeKey = (entity: string, sequenceNumber: string): ItemKey => ({
  pk: parkedChangeCollection(entity).pk,
  sk: sequenceNumber.padStart(40, '0'),
});
export const parkedRetryKey: ItemKey = { pk: 'PARKED', sk: 'RETRY' };

/** An item whose changes are events or logged, by its key. */
export type ChangedItem =
  | { kind: 'agent'; uid: string; agentId: string }
  | { kind: 'access' | 'call' | 'website' | 'document'; agentId: string; id: string }
  | { kind: 'consent'; uid: string }
  | { kind: 'number' | 'rules'; list: BlockListOwner }
  | { kind: 'import' | 'erasure' | 'person export' | 'hook secret' | 'platform key'; uid: string; id: string }
  | { kind: 'deleted call'; agentId: string }
  | { kind: 'user' | 'endpoints'; uid: string }
  | { kind: 'key' };

/** The sort keys of those items, and of kept entries of deleted calls. */
export const sortKeysOfChanges = {
  exact: ['ACCESS', 'BLOCK-LIST-RULES', 'CALL', 'KEY', 'USER', 'WEBHOOKS'],
  prefixes: [
    '+',
    'AGENT#',
    'WEBSITE#',
    'DOCUMENT#',
    'ERASURE#',
    'HOOK-SECRET#',
    'IMPORT#',
    'PERSON#',
    'PERSON-EXPORT#',
    'PLATFORM-KEY#',
  ],
};

export const changedItem = ({ pk, sk }: ItemKey): ChangedItem | undefined => {
  const [of = '', owner = '', part = '', callId = ''] = pk.split('#');
  const [name = '', id = ''] = sk.split('#');
  const place = [of, ...(part ? [part] : []), sk.startsWith('+') ? '+' : name].join();
  switch (place) {
    case 'USER,AGENT':
      return { kind: 'agent', uid: owner, agentId: id };
    case 'AGENT,ACCESS':
      return { kind: 'access', agentId: owner, id: owner };
    case 'AGENT,CALL,CALL':
      return { kind: 'call', agentId: owner, id: callId };
    case 'AGENT,WEBSITE':
      return { kind: 'website', agentId: owner, id };
    case 'AGENT,DOCUMENT':
      return { kind: 'document', agentId: owner, id };
    case 'AGENT,BLOCKED,+':
      return { kind: 'number', list: { agentId: owner } };
    case 'USER,BLOCKED,+':
      return { kind: 'number', list: { uid: owner } };
    case 'USER,CONSENTS,+':
    case 'USER,CONSENTS,PERSON':
      return { kind: 'consent', uid: owner };
    case 'AGENT,RULES,BLOCK-LIST-RULES':
      return { kind: 'rules', list: { agentId: owner } };
    case 'USER,RULES,BLOCK-LIST-RULES':
      return { kind: 'rules', list: { uid: owner } };
    case 'USER,IMPORT':
      return { kind: 'import', uid: owner, id };
    case 'USER,PERSON-EXPORT':
      return { kind: 'person export', uid: owner, id };
    case 'USER,ERASURE':
      return { kind: 'erasure', uid: owner, id };
    case 'USER,HOOK-SECRET':
      return { kind: 'hook secret', uid: owner, id };
    case 'USER,PLATFORM-KEY':
      return { kind: 'platform key', uid: owner, id };
    case 'USER,USER':
      return { kind: 'user', uid: owner };
    case 'KEY,KEY':
      return { kind: 'key' };
    case `AGENT,CALLS,${name}`:
      return { kind: 'deleted call', agentId: owner };
    case 'USER,WEBHOOKS':
      return { kind: 'endpoints', uid: owner };
  }
};

/** Checks whether an item names the request of its last change. Numbers and consents do so themselves. */
export const hasCause = (key: ItemKey): boolean => {
  const kind = changedItem(key)?.kind;
  return kind !== undefined && !['number', 'consent', 'deleted call'].includes(kind);
};

/** Checks for the maker of the last change (`madeBy`), which calls and imports keep elsewhere. */
export const hasMaker = (key: ItemKey): boolean => {
  const kind = changedItem(key)?.kind;
  return hasCause(key) && kind !== 'call' && kind !== 'import';
};

export const reconciliationKey = (agentId: string, reconciliationId: string): ItemKey => ({
  pk: `AGENT#${agentId}`,
  sk: `RECONCILIATION#${reconciliationId}`,
});
export const reconciliationCollection = (agentId: string): Collection => ({
  pk: `AGENT#${agentId}`,
  prefix: 'RECONCILIATION#',
});
export const runningReconciliationKey = (agentId: string): ItemKey => ({ pk: `AGENT#${agentId}`, sk: 'RECONCILING' });

/** The agents whose calls are compared with their platform's list every hour. */
export const reconciledAgentCollection: Collection = { pk: 'RECONCILED' };
export const reconciledAgentKey = (agentId: string): ItemKey => ({ ...reconciledAgentCollection, sk: agentId });

export const duplicationKey = (agentId: string): ItemKey => ({ pk: `DUPLICATION#${agentId}`, sk: 'DUPLICATION' });

/** The number of partitions of the responses that are kept for a user. */
const idempotencyShards = 16;
export const idempotencyKey = (uid: string, operation: string, key: string): ItemKey => {
  // The hash of a key has no space in it.
  const sk = `${operation} ${key}`;
  return { pk: `IDEMPOTENCY#${uid}#${chooseShard(sk, idempotencyShards)}`, sk };
};

/** Returns the key of a piece of a large response. */
export const idempotencyPieceKey = ({ pk, sk }: ItemKey, n: number): ItemKey => ({ pk, sk: `${sk} ${n}` });
/** Returns the key of a piece's response, or undefined. */
export const idempotencyKeyOfPiece = ({ pk, sk }: ItemKey): ItemKey | undefined => {
  const [operation, key, piece] = sk.split(' ');
  return piece === undefined ? undefined : { pk, sk: `${operation} ${key}` };
};
export const idempotencyCollections = (uid: string): Collection[] =>
  Array.from({ length: idempotencyShards }, (_, shard) => ({ pk: `IDEMPOTENCY#${uid}#${shard}` }));

/** `minute` is the number of minutes since the Unix epoch. */
export const refusedKeysKey = (address: string, minute: number): ItemKey => ({
  pk: `OAUTH#REFUSED#${address}#${minute}`,
  sk: 'REFUSED',
});

/** All items of the chat, as a pattern of partition keys. */
export const chatKeys = 'CHAT#*';
/** `minute` is the number of minutes since the Unix epoch. */
export const chatTurnsKey = (address: string, minute: number): ItemKey => ({
  pk: `CHAT#TURNS#${address}#${minute}`,
  sk: 'TURNS',
});
export const chatTokensKey = (date: string): ItemKey => ({ pk: `CHAT#TOKENS#${date}`, sk: 'TOKENS' });

export const chatUserTokensKey = (date: string, uid: string): ItemKey => ({
  pk: `CHAT#TOKENS#${date}#USER#${uid}`,
  sk: 'TOKENS',
});
export const chatAddressTokensKey = (date: string, address: string): ItemKey => ({
  pk: `CHAT#TOKENS#${date}#${address}`,
  sk: 'TOKENS',
});
