import { jobQueueFor } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { indexSources } from '../search/source-index.ts';
import { agents } from '../store/agents.ts';
import { documents } from '../store/documents.ts';
import { websites } from '../store/websites.ts';
import { job, worker } from './job.ts';

/** Indexes an agent's knowledge again after its language was changed. Until then it is found by words as they are written. */
export const indexKnowledge = job({
  name: 'indexKnowledge',
  message: jobMessages.indexKnowledge,
  services: {
    agents: agents.for('languageOf'),
    websites: websites.for('list', 'wholeTexts', 'reindex'),
    documents: documents.for('list', 'wholeTexts', 'reindex'),
    jobQueue: jobQueueFor('indexKnowledge'),
  },
  timeoutSeconds: 300,
  memoryMegabytes: 1769,

  async handle({ agentId }, { agents, websites, documents, jobQueue }, until) {
    const stores = { website: websites, document: documents };
    const { isDone } = await indexSources(agentId, stores, await agents.languageOf(agentId), until);
    if (!isDone) await jobQueue.send({ job: 'indexKnowledge', agentId });
  },
});

export const handler = worker(indexKnowledge);
