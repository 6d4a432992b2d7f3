import { isDeepStrictEqual } from 'node:util';
import { decodeTime } from 'ulid';
import { currentMaker } from '../../cause.ts';
import type { Agent, AgentConfiguration, UnversionedAgent } from '../../domain/agents.ts';
import { isCurrency } from '../../domain/call-costs.ts';
import { now } from '../../domain/date-time.ts';
import { readOutcomeRules } from '../../domain/declared-outcomes.ts';
import { insufficientPermissions, limitExceeded, noSuchGuest } from '../../domain/errors.ts';
import { withoutUndefined } from '../../domain/json.ts';
import { limits } from '../../domain/limits.ts';
import type { Share } from '../../domain/traffic.ts';
import {
  type AgentVersion,
  changedFields,
  noSuchVersion,
  type Versioned,
  versionConflict,
} from '../../domain/versions.ts';
import { service } from '../../service.ts';
import type { AccessItem, RepeatedFields } from '../credentials.ts';
import { isAbsent, when } from '../expressions.ts';
import {
  accessKey,
  agentCollection,
  agentKey,
  agentTrafficKey,
  countKey,
  deletedAgentCollection,
  deletedAgentKey,
  findItem,
  formerGuestCollection,
  formerGuestKey,
  itemsOfAgent,
  runningImportKey,
  userKey,
} from '../keys.ts';
import { agentQuota, type Counter, countAction, type Quota } from '../quotas.ts';
import { type Item, type Table, TableStore, type TransactionAction, table, untilWritten } from '../table.ts';
import { AgentAccess, type OwnedAgent } from './agent-access.ts';
import { type AgentItem, nextRevision, toAgent, toAgentItem, type VersionOrigin } from './agent-items.ts';
import { trafficItem } from './agent-traffic.ts';
import { AgentVersions, readVersion, type StoredVersion, versionItems, versionKeys } from './agent-versions.ts';
import { type DeletedAgent, type DeletedItem, moveToDeleted } from './deleted-agents.ts';
import {
  checkUnique,
  entryKeys,
  moveEntries,
  type UniqueEntry,
  type UniqueValues,
  uniqueFields,
} from './unique-values.ts';

/** The agents for which work is done at once. */
const ownedPerPage = 100;
/** The maximum number of attempts while another agent takes and frees the number. */
const maxCreationAttempts = 5;

/** A job reads a segment of a terabyte's table within its time. */
export const agentSegments = 200;

/** The counter of a user's agents, with the notes of `Duplications` about copies. */
type UserCounter = Counter & { copies?: Set<string>; copiesBegun?: number };
type FormerGuestItem = Item & { uid: string; ttlSeconds: number };
type SharedAgentItem = Item & { agentId: string; owner: string };

/** Thrown if the id belongs to another user's agent, or to a deletion in progress. */
export class AgentExistsError extends Error {
  override readonly name = 'AgentExistsError';
}

/** Agents. The small access item, which every request reads, repeats what outcomes and figures need. */
export class Agents extends TableStore {
  readonly #versions = new AgentVersions(this.table);
  readonly #access = new AgentAccess(this.table);
  readonly #quota: Quota | undefined;

  /** Without a quota, users may have any number of agents. */
  constructor(table: Table, quota?: Quota) {
    super(table);
    this.#quota = quota;
  }

  async find(owner: string, agentId: string): Promise<Agent | undefined> {
    const item = await this.table.get<AgentItem>(agentKey(owner, agentId));
    return item && toAgent(item);
  }

  /** Lists the agents that a user may use. Shared agents cost another read a page. */
  async *list(uid: string, options: { after?: string; limit?: number } = {}): AsyncGenerator<Agent> {
    for await (const page of this.table.pages<AgentItem | SharedAgentItem>(agentCollection(uid), options)) {
      const shared = page.filter((item) => 'owner' in item);
      const others = await this.table.getMany<AgentItem>(shared.map(({ owner, agentId }) => agentKey(owner, agentId)));
      const byId = new Map(others.map((item) => [item.agentId, item]));
      for (const item of page) {
        const record = 'owner' in item ? byId.get(item.agentId) : item;
        if (record) yield toAgent(record);
      }
    }
  }

  /** Lists a user's own agents with their guests, page by page. */
  owned(uid: string): AsyncGenerator<OwnedAgent[]> {
    return this.#access.owned(uid, ownedPerPage);
  }

  /** Returns how many copies a user has begun, and those in progress. */
  async countCopies(uid: string): Promise<{ begun: number; inProgress: string[] }> {
    const item = await this.table.get<UserCounter>(countKey({ uid }));
    return { begun: item?.copiesBegun ?? 0, inProgress: [...(item?.copies ?? [])] };
  }

  /** Lists the agents in one of `agentSegments` parts of the table, also during their deletion. */
  async *inSegment(segment: number): AsyncGenerator<string> {
    const { sk } = accessKey('');
    for await (const { agentId } of this.table.scan<AccessItem>(sk, segment, agentSegments)) yield agentId;
  }

  /** Returns the user's agent with this number, this key, or both. */
  async findUnique(owner: string, wanted: UniqueValues): Promise<Agent | undefined> {
    const given = uniqueFields.filter(({ field }) => wanted[field] !== undefined);
    const [entryKey] = entryKeys(owner, wanted, given);
    const entry = entryKey && (await this.table.get<UniqueEntry>(entryKey));
    const agent = entry && (await this.find(owner, entry.agentId));
    return agent && given.every(({ field }) => agent[field] === wanted[field]) ? agent : undefined;
  }

  /** Creates an agent. An earlier attempt may have created it. */
  async create(unversioned: UnversionedAgent, origin: VersionOrigin = {}, quota = this.#quota): Promise<Agent> {
    const agent: Agent = { ...unversioned, version: 1 };
    const { uid, agentId } = agent;
    const creation = this.creation(agent, origin);
    const count = countAction(this.table, countKey({ uid }), 1, quota);
    for (let attempt = 0; attempt < maxCreationAttempts; attempt++) {
      const failed = await this.table.tryTransact([...creation, count]);
      if (!failed) return agent;
      const existing = await this.find(uid, agentId);
      if (existing) return existing;
      if (failed.has(0) || failed.has(1)) throw new AgentExistsError(`Another user has an agent ${agentId}.`);
      await checkUnique(this.table, agent);
      if (quota && failed.has(creation.length)) throw quota.exceeded();
      // The agent that had the number or the key no longer has it.
    }
    throw new Error(`The agent ${agentId} could not be created.`);
  }

  /** Returns the actions that create an agent with its first version. */
  creation(unversioned: UnversionedAgent, origin: VersionOrigin): TransactionAction[] {
    const agent: Agent = { ...unversioned, version: 1 };
    const { uid, agentId } = agent;
    const access: AccessItem = { ...accessKey(agentId), agentId, uid, ...repeatedFields(agent.configuration) };
    return [
      this.table.putAction(toAgentItem(agent, origin), isAbsent),
      this.table.putAction(access, isAbsent),
      ...this.#putVersion(agentId, toStoredVersion(agent, changedFields({}, agent), origin), agent),
      ...moveEntries(this.table, {}, agent),
    ];
  }

  /** Changes an agent, as a new version of `ifMatch` unless nothing changes. A repetition gets its version. */
  async change(
    owner: string,
    agentId: string,
    change: (agent: Agent) => Agent,
    { ifMatch, ...origin }: VersionOrigin & { ifMatch?: number } = {},
  ): Promise<Agent | undefined> {
    return untilWritten(async (attempt) => {
      const found = await this.table.get<AgentItem>(agentKey(owner, agentId));
      if (!found) return undefined;
      const former = toAgent(found);
      const done = await this.#findRepeatedChange(origin.creationId, found);
      if (done) return done;
      if (ifMatch !== undefined && ifMatch !== former.version) {
        const newer = await this.#versionsAfter(agentId, ifMatch, former.version);
        // Of the same moment as the changes.
        throw versionConflict(newer.at(-1)?.version ?? former.version, newer);
      }
      const wanted = change(former);
      const fields = changedFields(former, wanted);
      const uniqueChanges = moveEntries(this.table, former, wanted);
      if (fields.length === 0 && uniqueChanges.length === 0) return former;
      if (attempt > 0) await checkUnique(this.table, wanted);
      const version = former.version + (fields.length > 0 ? 1 : 0);
      const changed = {
        ...wanted,
        version,
        updatedAt: pickLatest(found.updatedAt, now(), decodeStart(origin.creationId)),
      };
      await this.table.transact([
        this.table.putAction(toAgentItem(changed, origin), isUnchanged(found)),
        ...(fields.length > 0 ? this.#newVersion(changed, toStoredVersion(changed, fields, origin)) : []),
        ...uniqueChanges,
        ...this.#accessChange(former, changed),
      ]);
      return changed;
    });
  }

  /** Returns the actions that write a version and delete the oldest. */
  #newVersion({ agentId, split = [], ...agent }: Agent, version: StoredVersion): TransactionAction[] {
    const former = version.version - limits.versions;
    const isKept = former < 1 || split.some(({ version }) => version === former);
    return [...this.#putVersion(agentId, version, agent), ...(isKept ? [] : this.#deleteVersion(agentId, former))];
  }

  #putVersion(agentId: string, version: StoredVersion, content: Versioned): TransactionAction[] {
    return versionItems(agentId, version, content).map((item) => this.table.putAction(item));
  }

  #deleteVersion(agentId: string, version: number): TransactionAction[] {
    return versionKeys(agentId, version).map((key) => this.table.deleteAction(key));
  }

  /** Sets the versions that callers get, and deletes old unused versions. False: there is no such agent. */
  async setTraffic(owner: string, agentId: string, split: Share[], origin: VersionOrigin = {}): Promise<boolean> {
    return untilWritten(async () => {
      const key = agentKey(owner, agentId);
      const items = await this.table.getMany([key, ...split.flatMap(({ version }) => versionKeys(agentId, version))]);
      const found = findItem(items, key) as AgentItem | undefined;
      if (!found) return false;
      const versions = new Map(
        split.flatMap(({ version }) => {
          const one = readVersion(items, agentId, version);
          return one ? [[version, one]] : [];
        }),
      );
      if (versions.size < split.length) throw noSuchVersion();
      const former = found.split ?? [];
      if (isDeepStrictEqual(byVersion(former), byVersion(split))) return true;
      const isTooOld = (version: number) => version <= found.version - limits.versions;
      const unused = former.filter(({ version }) => isTooOld(version) && !versions.has(version));
      const set = { split: split.length > 0 ? split : null, ...nextRevision(origin) };
      await this.table.transact([
        this.table.updateAction(key, { set }, isUnchanged(found)),
        split.length > 0
          ? this.table.putAction(trafficItem(agentId, split, versions))
          : this.table.deleteAction(agentTrafficKey(agentId)),
        ...unused.flatMap(({ version }) => this.#deleteVersion(agentId, version)),
      ]);
      return true;
    });
  }

  /** Returns the agent as an earlier attempt of the request left it, if any. */
  async #findRepeatedChange(creationId: string | undefined, found: AgentItem): Promise<Agent | undefined> {
    const begun = decodeStart(creationId);
    // An agent that was last changed before the request needs no read.
    if (begun === undefined || found.updatedAt < begun) return undefined;
    const agent = toAgent(found);
    if (found.lastChange?.creationId === creationId) return agent;
    const { agentId } = found;
    for await (const { version, createdAt } of this.#versions.list(agentId)) {
      if (createdAt < begun) return undefined;
      const content = await this.#versions.findContent(agentId, version);
      if (!content || content.creationId !== creationId) continue;
      const { name, configuration } = content;
      return { ...agent, name, configuration, version, updatedAt: createdAt };
    }
    return undefined;
  }

  /** Returns the versions after a given one that are kept, oldest first. */
  async #versionsAfter(agentId: string, version: number, newest: number): Promise<AgentVersion[]> {
    const newer: AgentVersion[] = [];
    for await (const one of this.#versions.list(agentId, { limit: Math.max(1, newest - version) })) {
      if (one.version <= version) break;
      newer.unshift(one);
    }
    return newer;
  }

  /** Returns the action that updates the access item, if its fields changed. */
  #accessChange(former: Agent, { uid, agentId, configuration }: Agent): TransactionAction[] {
    const fields = repeatedFields(configuration);
    if (isDeepStrictEqual(repeatedFields(former.configuration), fields)) return [];
    const set = { blockOnOutcomes: null, outcomes: null, valueCurrency: null, ...fields };
    return [this.table.updateAction(accessKey(agentId), { set }, hasOwner(uid))];
  }

  /** Deletes an agent, if it exists. Its access item reserves the id until the data are gone. */
  async remove(owner: string, agentId: string): Promise<boolean> {
    return untilWritten(async () => {
      const found = await this.table.get<AgentItem | SharedAgentItem>(agentKey(owner, agentId));
      // A guest has an entry of the agent under the same key.
      if (!found || 'owner' in found) return false;
      const former = toAgent(found);
      await this.table.transact([
        this.table.deleteAction(agentKey(owner, agentId), isUnchanged(found)),
        ...moveEntries(this.table, former, { uid: owner, agentId }),
        { Update: { TableName: this.table.name, Key: accessKey(agentId), ...moveToDeleted(agentId, owner) } },
        countAction(this.table, countKey({ uid: owner }), -1),
      ]);
      return true;
    });
  }

  /** Returns a deleted agent whose data may not be deleted yet. */
  async findDeleted(agentId: string): Promise<DeletedAgent | undefined> {
    const item = await this.table.get<DeletedItem>(accessKey(agentId));
    return item?.quietAt === undefined
      ? undefined
      : { owner: item.formerOwner, guests: [...item.formerGuests], quietAt: item.quietAt };
  }

  /** Deletes the items beside the access item of a deleted agent, and after `quietAt` that item itself. */
  async finishRemoval(agentId: string, { guests, quietAt }: DeletedAgent, startedAt: number): Promise<void> {
    const apart = [...guests.map((guest) => agentKey(guest, agentId)), runningImportKey({ agentId })];
    await this.table.deleteMany([...apart, agentTrafficKey(agentId)]);
    const access = accessKey(agentId);
    for await (const items of this.table.pages(itemsOfAgent(agentId), { keysOnly: true })) {
      await this.table.deleteMany(items.filter(({ sk }) => sk !== access.sk));
    }
    if (startedAt >= quietAt) await this.table.delete(access, when`attribute_not_exists(uid)`);
  }

  /** Lets another user use an agent, unless it has `max` guests. */
  async share(agentId: string, owner: string, guest: string, max: number = limits.guests): Promise<void> {
    if (guest === owner) throw ownerIsNoGuest();
    const shared: SharedAgentItem = { ...agentKey(guest, agentId), agentId, owner };
    const hasRoom = when`attribute_not_exists(guests) or size(guests) < ${max} or contains(guests, ${guest})`;
    const failed = await this.table.tryTransact<AccessItem>([
      this.table.checkAction(userKey(guest), when`attribute_exists(pk) and attribute_not_exists(deletingAt)`),
      this.table.updateAction(
        accessKey(agentId),
        { add: { guests: new Set([guest]) } },
        when`${hasOwner(owner)} and (${hasRoom})`,
      ),
      this.table.putAction(shared),
    ]);
    if (failed?.has(0)) throw noSuchGuest();
    if (failed?.get(1)?.uid === owner) throw limitExceeded(`An agent can have at most ${max} guests`);
    if (failed) throw insufficientPermissions();
  }

  /** Notes the agents of a user whose deletions will be waited for. */
  async noteDeletions(owner: string, agentIds: string[]): Promise<void> {
    await this.table.putMany(agentIds.map((agentId) => deletedAgentKey(owner, agentId)));
  }

  /** Returns true when all data of the agents are gone that were noted. */
  async areDeletionsFinished(owner: string): Promise<boolean> {
    const { prefix } = deletedAgentCollection(owner);
    for await (const noted of this.table.pages(deletedAgentCollection(owner), { keysOnly: true, limit: 100 })) {
      const keys = noted.map(({ sk }) => accessKey(sk.slice(prefix.length)));
      const items = await this.table.getMany<AccessItem & Partial<DeletedItem>>(keys);
      if (items.some(({ uid, formerOwner }) => uid === owner || formerOwner === owner)) return false;
    }
    return true;
  }

  /** Ends a guest's access from the next request on. One who stays may keep reports. */
  async revoke(agentId: string, owner: string, guest: string, { stays = true } = {}): Promise<void> {
    if (guest === owner) throw ownerIsNoGuest();
    const failed = await this.table.tryTransact([
      this.table.updateAction(accessKey(agentId), { remove: { guests: new Set([guest]) } }, hasOwner(owner)),
      this.table.deleteAction(agentKey(guest, agentId)),
      stays
        ? this.table.putAction(formerGuestItem(agentId, guest))
        : this.table.deleteAction(formerGuestKey(agentId, guest)),
    ]);
    if (failed) throw insufficientPermissions();
  }

  /** Returns former guests who may still have reports. */
  async formerGuests(agentId: string): Promise<string[]> {
    const items = await Array.fromAsync(this.table.query<FormerGuestItem>(formerGuestCollection(agentId)));
    return items.map(({ uid }) => uid);
  }

  /** Returns an agent's language. Without `owner`, one more read finds it. */
  async findLanguage(agentId: string, owner?: string): Promise<string | undefined> {
    const uid = owner ?? (await this.access(agentId))?.owner;
    const agent = uid === undefined ? undefined : await this.find(uid, agentId);
    return agent?.configuration.language;
  }

  /** Returns what the access item of an agent says. */
  access(agentId: string): ReturnType<AgentAccess['find']> {
    return this.#access.find(agentId);
  }
}

/** Returns the fields of a configuration that the access item repeats. */
const repeatedFields = ({ valueCurrency, ...configuration }: AgentConfiguration): RepeatedFields => {
  const { blockOnOutcomes, outcomes } = readOutcomeRules(configuration);
  return withoutUndefined({
    blockOnOutcomes,
    outcomes: outcomes && JSON.stringify(outcomes),
    valueCurrency: isCurrency(valueCurrency) ? valueCurrency : undefined,
  });
};

const hasOwner = (owner: string) => when`uid = ${owner}`;
const isUnchanged = ({ revision }: AgentItem) => when`revision = ${revision}`;

/** Returns when a request began, from the ULID of what it creates. */
const decodeStart = (creationId: string | undefined) =>
  creationId === undefined ? undefined : new Date(decodeTime(creationId)).toISOString();

/** Clocks differ: no version is older than its request or its predecessor. */
const pickLatest = (...times: (string | undefined)[]): string =>
  times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1) ?? now();

const toStoredVersion = (
  { uid: owner, version, updatedAt }: Agent,
  changed: string[],
  { uid = owner, note, ...origin }: VersionOrigin,
): StoredVersion => ({
  version,
  createdAt: updatedAt,
  uid,
  ...origin,
  keyName: currentMaker()?.keyName,
  note: note || undefined,
  changed,
});

/** Reports of imports, also those begun before a revocation, are kept for 30 days. */
const formerGuestSeconds = 31 * 24 * 60 * 60;
const formerGuestItem = (agentId: string, uid: string): FormerGuestItem => ({
  ...formerGuestKey(agentId, uid),
  uid,
  ttlSeconds: Math.floor(Date.now() / 1000) + formerGuestSeconds,
});

/** An owner's guest entry would overwrite the agent: the keys are the same. */
const ownerIsNoGuest = () => new Error('The owner of an agent cannot be its guest.');

/** Sorts the shares of a split, so that splits can be compared. */
const byVersion = (split: Share[]) => split.toSorted((one, other) => one.version - other.version);

export const agents = /* @__PURE__ */ service(() => new Agents(table.get(), agentQuota()), {
  find: ['dynamodb:GetItem'],
  findUnique: ['dynamodb:GetItem'],
  findLanguage: ['dynamodb:GetItem'],
  list: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  inSegment: ['dynamodb:Scan'],
  owned: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  countCopies: ['dynamodb:GetItem'],
  formerGuests: ['dynamodb:Query'],
  create: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  change: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  setTraffic: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  remove: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
  access: ['dynamodb:GetItem'],
  share: ['dynamodb:ConditionCheckItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  revoke: ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  noteDeletions: ['dynamodb:BatchWriteItem'],
  areDeletionsFinished: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  findDeleted: ['dynamodb:GetItem'],
  finishRemoval: ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
});
