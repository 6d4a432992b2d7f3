import * as z from 'zod/mini';
import { timestamp } from './date-time.ts';
import { component, describe, numberField, textField } from './describe.ts';
import { examples } from './examples.ts';
import { AgentId, Identifier, Uid } from './identifiers.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { SourceKindName } from './sources.ts';
import { text } from './text.ts';

export const KnowledgeQuery = text(1, limits.queryCharacters).check(
  describe('What is asked for, in words of any language.', 'When are you open on Sundays?'),
);

const SourceIds = list(Identifier, { min: 1, max: limits.searchedSourceIds }).check(
  describe(`Search these websites and documents only, by their ids: 1 to ${limits.searchedSourceIds}.`, [
    examples.documentId,
  ]),
);

/** The number of passages if a request has no `limit`. */
export const defaultPassages = limits.defaultPassages;

/** The body of a request to search the knowledge of an agent. */
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

export const Passage = component(
  'Passage',
  'A verbatim piece of a source’s text, of at most 1,200 characters. It is untrusted: anyone may have written it.',
  z.object({
    text: textField('The text of the passage.', 'Opening hours\n\nOn Sundays we are open from ten to four.'),
    score: numberField('Relevance to the query. Comparable within one response only.', 7.2814),
    kind: SourceKindName.check(describe('Kind of the source.', 'website')),
    sourceId: textField('Id of the website or the document.', examples.websiteId),
    name: textField('Name of the source.', 'www.example.com'),
    url: z.optional(textField('Address of the page that has the passage.', 'https://www.example.com/hours')),
    title: z.optional(textField('Title of that page.', 'Opening hours')),
    start: numberField(
      'Start of the passage, in UTF-16 units: in a document’s `content`, or in the `text` of the page.',
      1024,
    ),
    readAt: timestamp('When this text of the document, or of the page, was first read from its source.'),
  }),
);

/** The extent of a search. */
export const Searched = z.object({
  sources: numberField('Number of sources that were searched.', 12),
  passages: numberField('Number of passages that these have.', 840),
  unindexed: z.optional(numberField('Number of further sources that are not indexed yet and were not searched.', 1)),
  omitted: z.optional(
    numberField(
      'Number of further sources that were not searched, since the knowledge is too large for one search. Name sources in `sourceIds` to search them.',
      3,
    ),
  ),
});
