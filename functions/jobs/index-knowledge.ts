import { jobQueueFor } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { indexSources } from '../search/source-index.ts';
import { agents } from '../store/agents.ts';
import { documentReads, documents } from '../store/documents.ts';
import { websiteReads, websites } from '../store/websites.ts';
import { job, worker } from './job.ts';

/** Indexes an agent's knowledge again after its language was changed. Until then it is found by words as they are written. */
export const indexKnowledge = job({
  name: 'indexKnowledge',
  message: jobMessages.indexKnowledge,
  services: {
    agents: agents.for('languageOf'),
    websites: websites.for('reindex'),
    websiteReads: websiteReads.for('list', 'wholeTexts'),
    documents: documents.for('reindex'),
    documentReads: documentReads.for('list', 'wholeTexts'),
    jobQueue: jobQueueFor('indexKnowledge'),
  },
  timeoutSeconds: 300,
  memoryMegabytes: 1769,

  async handle({ agentId, uid = agentId }, services, until) {
    const { agents, websites, websiteReads, documents, documentReads, jobQueue } = services;
    const stores = {
      website: { reads: websiteReads, writes: websites },
      document: { reads: documentReads, writes: documents },
    };
    const { isDone } = await indexSources(agentId, stores, await agents.languageOf(agentId), until);
    if (!isDone) await jobQueue.send({ job: 'indexKnowledge', uid, agentId });
  },
});

export const handler = worker(indexKnowledge);
