import { isDeepStrictEqual } from 'node:util';
import { decodeTime } from 'ulid';
import { currentMaker } from '../../cause.ts';
import type { Agent, AgentConfiguration, UnversionedAgent } from '../../domain/agents.ts';
import { isCurrency } from '../../domain/call-costs.ts';
import { now } from '../../domain/date-time.ts';
import { readOutcomeRules } from '../../domain/declared-outcomes.ts';
import { readDisclosure } from '../../domain/disclosures.ts';
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
import { exists, isAbsent } from '../expressions.ts';
import { accessKey, agentKey, agentTrafficKey, countKey, findItem, ownedAgentKey } from '../keys.ts';
import { agentQuota, countAction, type Quota } from '../quotas.ts';
import { type Table, TableStore, type TransactionAction, table, untilWritten } from '../table.ts';
import { hasOwner, type OwnedItem } from './agent-access.ts';
import { type AgentItem, isUnchanged, nextRevision, toAgent, toAgentItem, type VersionOrigin } from './agent-items.ts';
import { trafficItem } from './agent-traffic.ts';
import { AgentVersions, readVersion, type StoredVersion, versionItems, versionKeys } from './agent-versions.ts';
import { moveReconciled } from './reconciled-agents.ts';
import { checkUnique, moveEntries } from './unique-values.ts';

/** The maximum number of attempts while another agent takes and frees the number. */
const maxCreationAttempts = 5;

/** Thrown if the id belongs to another user's agent, or to a deletion in progress. */
export class AgentExistsError extends Error {
  override readonly name = 'AgentExistsError';
}

/** Creates and changes agents. A change is one transaction with its version. */
export class AgentChanges extends TableStore {
  readonly #versions = new AgentVersions(this.table);
  readonly #quota: Quota | undefined;

  /** Without a quota, users may have any number of agents. */
  constructor(table: Table, quota?: Quota) {
    super(table);
    this.#quota = quota;
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
      const existing = await this.table.get<AgentItem>(agentKey(uid, agentId));
      if (existing) return toAgent(existing);
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
    const repeated = repeatedFields(agent.configuration);
    const access: AccessItem = { ...accessKey(agentId), agentId, uid, ...repeated };
    const listed: OwnedItem = { ...ownedAgentKey(uid, agentId), agentId, valueCurrency: repeated.valueCurrency };
    return [
      this.table.putAction(toAgentItem(agent, origin), isAbsent),
      this.table.putAction(access, isAbsent),
      ...this.#putVersion(agentId, toStoredVersion(agent, changedFields({}, agent), origin), agent),
      this.table.putAction(listed),
      ...moveEntries(this.table, {}, agent),
      ...moveReconciled(this.table, {}, agent),
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
        ...moveReconciled(this.table, former, changed),
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

  /** Returns the actions that update the items which repeat fields of the configuration. */
  #accessChange(former: Agent, { uid, agentId, configuration }: Agent): TransactionAction[] {
    const fields = repeatedFields(configuration);
    const formerFields = repeatedFields(former.configuration);
    if (isDeepStrictEqual(formerFields, fields)) return [];
    const none = { blockOnOutcomes: null, outcomes: null, valueCurrency: null, consentRule: null, discloses: null };
    const set = { ...none, transcripts: null, hasHistory: null, ...fields };
    const { valueCurrency } = set;
    return [
      this.table.updateAction(accessKey(agentId), { set }, hasOwner(uid)),
      ...(valueCurrency === (formerFields.valueCurrency ?? null)
        ? []
        : [this.table.updateAction(ownedAgentKey(uid, agentId), { set: { valueCurrency } }, exists)]),
    ];
  }
}

/** Returns the fields of a configuration that the access item repeats. */
const repeatedFields = ({ valueCurrency, ...configuration }: AgentConfiguration): RepeatedFields => {
  const { blockOnOutcomes, outcomes, transcripts, hasHistory } = readOutcomeRules(configuration);
  return withoutUndefined({
    blockOnOutcomes,
    outcomes: outcomes && JSON.stringify(outcomes),
    transcripts,
    hasHistory,
    valueCurrency: isCurrency(valueCurrency) ? valueCurrency : undefined,
    consentRule: configuration.calling?.consent,
    discloses: readDisclosure(configuration) !== undefined || undefined,
  });
};

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

/** Sorts the shares of a split, so that splits can be compared. */
const byVersion = (split: Share[]) => split.toSorted((one, other) => one.version - other.version);

export const agentChanges = /* @__PURE__ */ service(() => new AgentChanges(table.get(), agentQuota()), {
  create: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  change: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  setTraffic: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
});
