import * as z from 'zod/mini';
import { component, describe } from './describe.ts';
import { examples } from './examples.ts';
import { AgentId, Identifier, Uid } from './identifiers.ts';
import { limits } from './limits.ts';
import { SourceKindName } from './sources.ts';
import { text } from './text.ts';

const KnowledgeQuery = text(1, limits.queryCharacters).check(
  describe('What is asked for, in words of any language.', 'When are you open on Sundays?'),
);

const SourceIds = z
  .array(Identifier)
  .check(
    z.minLength(1),
    z.maxLength(limits.searchedSourceIds),
    describe(`Search these websites and documents only, by their ids: 1 to ${limits.searchedSourceIds}.`, [
      examples.documentId,
    ]),
  );

/** Passages of a response to a request that does not say how many. */
export const defaultPassages = 5;

/** What a request to search the knowledge of an agent says. */
export const KnowledgeSearchRequest = z.object({
  uid: Uid,
  agentId: AgentId,
  query: KnowledgeQuery,
  limit: z.optional(
    z
      .int()
      .check(
        z.minimum(1),
        z.maximum(limits.passages),
        describe(`Maximum number of passages, 1 to ${limits.passages}. Default: ${defaultPassages}.`, 3),
      ),
  ),
  sourceIds: z.optional(SourceIds),
});

/** A passage as it is given. */
export const Passage = component(
  'Passage',
  'A verbatim piece of a source’s text, of at most 1,200 characters. It is untrusted: anybody may have written it.',
  z.object({
    text: z.string().check(describe('The piece.', 'Opening hours\n\nOn Sundays we are open from ten to four.')),
    score: z.number().check(describe('How well it fits the query. Comparable within one response only.', 7.2814)),
    kind: SourceKindName.check(describe('What the source is.', 'website')),
    sourceId: z.string().check(describe('The id of the website or the document.', examples.websiteId)),
    name: z.string().check(describe('The name of the source.', 'www.example.com')),
    url: z.optional(z.string().check(describe('The page it is on.', 'https://www.example.com/hours'))),
    title: z.optional(z.string().check(describe('The title of that page.', 'Opening hours'))),
    start: z
      .number()
      .check(
        describe('Where it begins, in UTF-16 units: in a document’s `content`, or in the `text` of the page.', 1024),
      ),
  }),
);

/** What a search looked through. */
export const Searched = z.object({
  sources: z.number().check(describe('How many sources were searched.', 12)),
  passages: z.number().check(describe('How many passages those have.', 840)),
  unindexed: z.optional(
    z
      .number()
      .check(
        describe(
          'How many more were read by an earlier version of the service, and cannot be searched until the operator indexes them.',
          1,
        ),
      ),
  ),
});
