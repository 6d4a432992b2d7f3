import pMap from 'p-map';
import { currentRequestId, withCause } from '../cause.ts';
import { files } from '../clients/files.ts';
import { queueSender } from '../clients/job-queue.ts';
import type { UnversionedAgent } from '../domain/agents.ts';
import { fileKey } from '../domain/documents.ts';
import { identifierOfCopy } from '../domain/identifiers.ts';
import { hasIndex } from '../domain/knowledge-index.ts';
import { rescueDelaySeconds } from '../domain/timeouts.ts';
import type { ServicesOf } from '../service.ts';
import { blockList } from '../store/block-list/block-list.ts';
import { blockListRules } from '../store/block-list/block-list-rules.ts';
import { blockListShards } from '../store/keys.ts';
import { type DocumentRecord, documentReads, documents } from '../store/sources/documents.ts';
import type { SourceReads, SourceRecord, SourceReference } from '../store/sources/source-reads.ts';
import { type WebsiteRecord, websiteReads } from '../store/sources/website-reads.ts';
import { websites } from '../store/sources/websites.ts';
import { writeQuota } from '../store/write-quota.ts';
import { type CopyProgress, type Duplication, duplications, type Quotas } from './duplications.ts';

/** The services of a function that copies agents. */
export const copyServices = {
  duplications: duplications.for('add', 'update', 'finish', 'abandon'),
  blockList: blockList.for('copyShard'),
  blockListRules: blockListRules.for('copy'),
  websites: websites.for('copy'),
  websiteReads: websiteReads.for('list'),
  documents: documents.for('copy', 'remove'),
  documentReads: documentReads.for('find', 'list'),
  files: files.for('copy'),
  writeQuota: writeQuota.for('take'),
  jobQueue: queueSender('crawlWebsite', 'finishDeletion', 'finishDuplication', 'indexKnowledge'),
};
type Services = ServicesOf<typeof copyServices>;

const sourcesConcurrency = 8;
/** The delay before the job that indexes the copy starts. Before the copy is complete, the job finds nothing to do. */
const indexDelaySeconds = 10;

/** Begins a copy, or returns the begun copy. One transaction at its end creates the agent. */
export const beginCopy = (
  copy: Pick<Duplication, 'agent' | 'keyId' | 'sourceAgentId'>,
  { duplications }: Services,
  quotas?: Quotas,
): Promise<Duplication> => {
  const progress = {
    shardsDone: [],
    blockedNumbers: 0,
    websites: { copied: 0, done: false },
    documents: { copied: 0, done: false },
    state: 'copying' as const,
  };
  return duplications.add({ ...copy, ...progress }, quotas);
};

/** Copies until a time (Unix milliseconds), and returns the progress; undefined when the source has been deleted. */
export const continueCopy = async (
  duplication: Duplication,
  until: number,
  services: Services,
): Promise<Duplication | undefined> => {
  if (duplication.state === 'done') return duplication;
  const reached = { ...duplication, shardsDone: [...duplication.shardsDone], waitsForQuota: false };
  const { agent, sourceAgentId } = duplication;
  const mayWrite = async (numbers: number) => {
    const isWithinQuota = await services.writeQuota.take(agent.uid, numbers);
    if (!isWithinQuota) reached.waitsForQuota = true;
    return isWithinQuota;
  };
  const copyShard = async (shard: number) => {
    const copied = await services.blockList.copyShard(sourceAgentId, agent.agentId, shard, { until, mayWrite });
    if (copied === undefined) return;
    reached.shardsDone.push(shard);
    reached.blockedNumbers += copied;
  };
  const { websiteReads, documentReads } = services;
  const shards = Array.from({ length: blockListShards }, (_, shard) => shard);
  // The log has an entry of the new agent, and none of what it consists of.
  const asJob = <T>(work: () => Promise<T>) =>
    withCause({ maker: { via: 'job' }, requestId: currentRequestId() }, work);
  [reached.websites, reached.documents] = await Promise.all([
    asJob(() => copySources(websiteReads, duplication, duplication.websites, until, copyWebsite(agent, services))),
    asJob(() => copySources(documentReads, duplication, duplication.documents, until, copyDocument(agent, services))),
    asJob(() => services.blockListRules.copy(sourceAgentId, agent.agentId)),
    ...shards.filter((shard) => !reached.shardsDone.includes(shard)).map(copyShard),
  ]);
  const isComplete = reached.shardsDone.length === blockListShards && reached.websites.done && reached.documents.done;
  if (isComplete) {
    // The message is sent first, so that it is not lost if this function is interrupted.
    if (reached.websites.toIndex || reached.documents.toIndex) {
      const { uid, agentId } = agent;
      await services.jobQueue.send({ job: 'indexKnowledge', uid, agentId }, indexDelaySeconds);
    }
    return (await services.duplications.finish(reached)) ?? abandon(duplication, services);
  }
  await services.duplications.update(reached);
  return reached;
};

/** Deletes what was copied, in the background. */
const abandon = async (duplication: Duplication, { duplications, jobQueue }: Services): Promise<undefined> => {
  const { uid, agentId } = duplication.agent;
  // The message is sent first, so that nothing is left if this function is interrupted.
  await jobQueue.send({ job: 'finishDeletion', uid, agentId }, rescueDelaySeconds);
  await duplications.abandon(duplication);
};

/** Copies one source, and returns its copy; undefined when there is nothing to copy. */
type CopyOne<R> = (from: R, to: SourceReference) => Promise<R | undefined>;

/** Copies the sources of one kind from where an earlier run ended, and returns the progress. */
const copySources = async <R extends SourceRecord>(
  reads: Pick<SourceReads<R>, 'list'>,
  { agent, sourceAgentId }: Duplication,
  progress: CopyProgress,
  until: number,
  copyOne: CopyOne<R>,
): Promise<CopyProgress> => {
  const reached = { ...progress };
  if (reached.done) return reached;
  const copyAll = async (records: R[]) => {
    const to = ({ id }: R) => ({ agentId: agent.agentId, id: identifierOfCopy(id, agent.agentId) });
    const copied = await pMap(records, (record) => copyOne(record, to(record)), { concurrency: sourcesConcurrency });
    const copies = copied.filter((copy) => copy !== undefined);
    reached.copied += copies.length;
    const { language } = agent.configuration;
    const isToIndex = ({ status, text }: R) => (text ? !hasIndex(text, language) : status === 'pending');
    if (copies.some(isToIndex)) reached.toIndex = true;
    reached.after = records.at(-1)?.id ?? reached.after;
  };
  let batch: R[] = [];
  for await (const record of reads.list(sourceAgentId, { after: reached.after })) {
    if (batch.length === sourcesConcurrency) {
      await copyAll(batch);
      batch = [];
    }
    if (Date.now() >= until) return reached;
    batch.push(record);
  }
  await copyAll(batch);
  return { ...reached, done: true };
};

const copyWebsite =
  (agent: UnversionedAgent, { websites, jobQueue }: Services): CopyOne<WebsiteRecord> =>
  async (from, to) => {
    const attempt = to.id;
    const { refreshEvery, nextRefreshAt } = from;
    const refreshFor = refreshEvery === undefined ? undefined : agent.uid;
    const fields = { ...creatorAsUpdater(agent), refreshEvery, refreshFor, nextRefreshAt };
    const copy = await websites.copy(from, to, attempt, fields);
    // A crawl in progress starts again for the copy.
    if (copy?.status === 'pending') {
      await jobQueue.send({ job: 'crawlWebsite', uid: agent.uid, agentId: to.agentId, websiteId: to.id, attempt });
    }
    return copy;
  };

const copyDocument =
  (agent: UnversionedAgent, { documents, documentReads, files }: Services): CopyOne<DocumentRecord> =>
  async (from, to) => {
    // Its file has not arrived, so there is nothing to copy.
    if (from.fileDeadlineAt !== undefined) return undefined;
    // The record is copied first: the job that a file's arrival starts deletes a file without a record.
    const fields = { ...creatorAsUpdater(agent), formIssuedTo: undefined };
    const copy = await documents.copy(from, to, from.attempt, fields);
    if (!copy) return undefined;
    const isThere = await files.copy(fileKey(from), fileKey(to));
    if (isThere || (await documentReads.find(from.agentId, from.id))) return copy;
    await documents.remove(to);
    return undefined;
  };

const creatorAsUpdater = ({ uid, createdAt }: UnversionedAgent) => ({ lastUpdatedBy: uid, lastUpdatedAt: createdAt });
