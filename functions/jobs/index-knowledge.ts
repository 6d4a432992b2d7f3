import { queueSender } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { indexSources } from '../search/source-index.ts';
import { agents } from '../store/agents/agents.ts';
import { documentReads, documents } from '../store/sources/documents.ts';
import { websiteReads } from '../store/sources/website-reads.ts';
import { websites } from '../store/sources/websites.ts';
import { queueJob, queueWorker } from './job.ts';

/** Sources in progress are checked again after this time: a crawl takes up to five minutes. */
const recheckSeconds = 20;

/** Indexes an agent's knowledge again after its language was changed. Until then searches use the former index. */
export const indexKnowledge = queueJob({
  name: 'indexKnowledge',
  message: jobMessages.indexKnowledge,
  services: {
    agents: agents.for('findLanguage'),
    websites: websites.for('reindex', 'deleteUnusedIndexes'),
    websiteReads: websiteReads.for('list', 'wholeTexts'),
    documents: documents.for('reindex', 'deleteUnusedIndexes'),
    documentReads: documentReads.for('list', 'wholeTexts'),
    jobQueue: queueSender('indexKnowledge'),
  },
  timeoutSeconds: 360,
  memoryMegabytes: 1769,

  async handle({ agentId, uid }, services, { until }) {
    const { agents, websites, websiteReads, documents, documentReads, jobQueue } = services;
    const stores = {
      website: { reads: websiteReads, writes: websites },
      document: { reads: documentReads, writes: documents },
    };
    const { isDone, hasSourcesInProgress } = await indexSources(agentId, stores, agents, until);
    if (isDone && !hasSourcesInProgress) return;
    await jobQueue.send({ job: 'indexKnowledge', uid, agentId }, isDone ? recheckSeconds : 0);
  },
});

export const handler = queueWorker(indexKnowledge);
