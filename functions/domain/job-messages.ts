import * as z from 'zod/mini';
import { Identifier } from './identifiers.ts';

/** The message of each job, under the job's name. A message is delivered at least once, maybe late. */
export const jobMessages = {
  finishDuplication: z.object({ job: z.literal('finishDuplication'), agentId: Identifier }),
  deleteAgent: z.object({ job: z.literal('deleteAgent'), agentId: Identifier }),
  crawlWebsite: z.object({
    job: z.literal('crawlWebsite'),
    agentId: Identifier,
    websiteId: Identifier,
    attempt: Identifier,
  }),
  indexKnowledge: z.object({ job: z.literal('indexKnowledge'), agentId: Identifier }),
  extractDocument: z.object({
    job: z.literal('extractDocument'),
    agentId: Identifier,
    documentId: Identifier,
    /** A retry's own name; an upload's attempt is named after its file instead (see `extractDocument`). */
    attempt: z.string(),
  }),
};

export type JobName = keyof typeof jobMessages;

/** A message of one of these jobs. */
export type JobMessage<Name extends JobName = JobName> = { [N in Name]: z.infer<(typeof jobMessages)[N]> }[Name];
