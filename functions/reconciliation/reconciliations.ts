import type { AgentPlatform } from '../domain/agent-platform.ts';
import { now } from '../domain/date-time.ts';
import { ApiError } from '../domain/errors.ts';
import { parseJson, withoutUndefined } from '../domain/json.ts';
import type { Difference, Reconciliation, ReconciliationCounts } from '../domain/reconciliations.ts';
import { service } from '../service.ts';
import type { ReconciledAgent } from '../store/agents/reconciled-agents.ts';
import { exists, isAbsent, when } from '../store/expressions.ts';
import {
  reconciledAgentCollection,
  reconciledAgentKey,
  reconciliationCollection,
  reconciliationKey,
  runningReconciliationKey,
} from '../store/keys.ts';
import { type Item, TableStore, table, untilWritten } from '../store/table.ts';
import type { Position } from './lists/list.ts';

/** What a reconciliation compares: an agent's calls of a time with those of its assistants at a platform. */
export type ReconciliationRequest = {
  reconciliationId: string;
  agentId: string;
  /** The owner of the agent. */
  uid: string;
  platform: AgentPlatform['name'];
  assistantIds: string[];
  number?: string;
  from: string;
  to: string;
  dryRun: boolean;
  /** Calls that ended before then were compared by an earlier pass (Unix milliseconds). Only a pass of the clock has it. */
  comparedUntil?: number;
  /** The clock has started it. */
  isHourly?: true;
};

/** How far a reconciliation is. Killed anywhere, it continues at the page of `position`. */
export type Progress = ReconciliationCounts & {
  position?: Position;
  /** Hashes of the ids of the page before. */
  previous: string[];
  /** The calls of this page that are being recorded: they count as such, whatever is found after a kill. */
  planned: { recovered: string[]; completed: string[] };
  differences: Difference[];
  pages: number;
  /** Since when the platform does not respond as it should (Unix milliseconds), and how often in a row. */
  troubledAt?: number;
  failures: number;
};

/** A reconciliation with its progress. `step` changes with each write. */
export type StoredReconciliation = ReconciliationRequest &
  Pick<Reconciliation, 'status' | 'createdAt' | 'finishedAt' | 'error'> & { step: number; progress: Progress };

type ReconciliationItem = Item & Omit<StoredReconciliation, 'progress'> & { progress: string; ttlSeconds: number };
type RunningItem = Item & { reconciliationId: string };

const keptSeconds = 30 * 24 * 60 * 60;
const noProgress: Progress = {
  ...{ listed: 0, known: 0, recovered: 0, completed: 0, skipped: 0, differing: 0 },
  ...{ previous: [], planned: { recovered: [], completed: [] }, differences: [], pages: 0, failures: 0 },
};

/** The reconciliations of agents: at most one runs for an agent. */
export class Reconciliations extends TableStore {
  /** Adds a reconciliation, unless an earlier attempt of the request did. Throws while another one runs. */
  async add(
    request: ReconciliationRequest,
    { status }: Pick<StoredReconciliation, 'status'> = { status: 'pending' },
  ): Promise<StoredReconciliation> {
    const { agentId, reconciliationId } = request;
    const added = { ...request, status, createdAt: now(), step: 0, progress: noProgress };
    const running: RunningItem = { ...runningReconciliationKey(agentId), reconciliationId };
    return untilWritten(async () => {
      const failed = await this.table.tryTransact<RunningItem>([
        this.table.putAction(toItem(added), isAbsent),
        this.table.putAction(running, when`attribute_not_exists(pk) or reconciliationId = ${reconciliationId}`),
      ]);
      if (!failed) return added;
      const existing = await this.find(agentId, reconciliationId);
      if (existing) return existing;
      const other = failed.get(1)?.reconciliationId;
      const otherRecord = other === undefined ? undefined : await this.find(agentId, other);
      if (otherRecord && !isFinished(otherRecord)) throw reconciliationInProgress();
      // What ran has ended, and did not say so.
      await this.table.delete(runningReconciliationKey(agentId), when`reconciliationId = ${other ?? ''}`);
      return this.add(request, { status });
    });
  }

  async find(agentId: string, reconciliationId: string): Promise<StoredReconciliation | undefined> {
    const item = await this.table.get<ReconciliationItem>(reconciliationKey(agentId, reconciliationId));
    return item && toStored(item);
  }

  /** Yields the reconciliations of an agent, the newest first, after `after`. */
  async *list(agentId: string, after?: string): AsyncGenerator<StoredReconciliation> {
    const options = { after, descending: true };
    for await (const item of this.table.query<ReconciliationItem>(reconciliationCollection(agentId), options))
      yield toStored(item);
  }

  /** Stores how far a reconciliation is. Undefined: another run of it has continued, or it is over. */
  async save(found: StoredReconciliation, progress: Progress): Promise<StoredReconciliation | undefined> {
    const saved = { ...found, status: 'running' as const, progress, step: found.step + 1 };
    const { status, step, progress: text } = toItem(saved);
    const set = { status, step, progress: text };
    const item = await this.table.change(locate(found), { set }, isUnchanged(found));
    return item && saved;
  }

  /** Ends a reconciliation, unless another run of it has. Returns true if this run ends it. */
  async finish(found: StoredReconciliation, progress: Progress, { error }: { error?: string } = {}): Promise<boolean> {
    const { agentId, isHourly, to } = found;
    const { position: _, ...ended } = progress;
    const left: Progress = { ...ended, previous: [], planned: noProgress.planned };
    const status = error === undefined ? 'done' : 'failed';
    const set = { status, step: found.step + 1, progress: JSON.stringify(left), finishedAt: now(), error };
    const failed = await this.table.tryTransact([
      this.table.updateAction(locate(found), { set: withoutUndefined(set) }, isUnchanged(found)),
      // As long as this one has not ended, no other runs.
      this.table.deleteAction(runningReconciliationKey(agentId)),
    ]);
    if (failed) return false;
    if (isHourly && error === undefined)
      await this.table.change(reconciledAgentKey(agentId), { set: { comparedUntil: Date.parse(to) } }, exists);
    return true;
  }

  /** Yields the agents whose calls are compared every hour. */
  async *reconciledAgents(): AsyncGenerator<{ uid: string; agentId: string; comparedUntil?: number }> {
    for await (const { sk: agentId, uid, comparedUntil } of this.table.query<ReconciledAgent>(
      reconciledAgentCollection,
    ))
      if (uid !== undefined) yield { uid, agentId, comparedUntil };
  }
}

const locate = ({ agentId, reconciliationId }: StoredReconciliation) => reconciliationKey(agentId, reconciliationId);
const isUnchanged = ({ step }: StoredReconciliation) => when`step = ${step}`;

export const isFinished = ({ status }: Pick<StoredReconciliation, 'status'>) =>
  status === 'done' || status === 'failed';

const toItem = ({ progress, ...rest }: StoredReconciliation): ReconciliationItem => ({
  ...reconciliationKey(rest.agentId, rest.reconciliationId),
  ...rest,
  progress: JSON.stringify(progress),
  ttlSeconds: Math.ceil(Date.parse(rest.createdAt) / 1000) + keptSeconds,
});

const toStored = ({
  pk: _pk,
  sk: _sk,
  ttlSeconds: _t,
  progress,
  ...rest
}: ReconciliationItem): StoredReconciliation => ({
  ...rest,
  progress: parseJson(progress) as Progress,
});

/** Returns a reconciliation as callers see it. */
export const toReconciliation = ({ progress, ...stored }: StoredReconciliation): Reconciliation => {
  const { reconciliationId, status, dryRun, from, to, error, createdAt, finishedAt } = stored;
  const { listed, known, recovered, completed, skipped, differing, differences } = progress;
  const counts = { listed, known, recovered, completed, skipped, differing };
  return { reconciliationId, status, dryRun, from, to, ...counts, differences, error, createdAt, finishedAt };
};

const reconciliationInProgress = () =>
  new ApiError('reconciliation_in_progress', 'A reconciliation of this agent is in progress. Wait until it has ended.');

export const reconciliations = /* @__PURE__ */ service(() => new Reconciliations(table.get()), {
  add: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  find: ['dynamodb:GetItem'],
  list: ['dynamodb:Query'],
  save: ['dynamodb:UpdateItem'],
  finish: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
  reconciledAgents: ['dynamodb:Query'],
});
