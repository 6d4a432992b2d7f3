import * as z from 'zod/mini';
import { TopicSearch } from '../openapi/topic-search.ts';
import topics from '../openapi/topics.json' with { type: 'json' };
import { wholeService } from '../service.ts';

const maxTopics = 4;

export const Question = z.object({
  query: z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(300),
      z.describe('Words to look for: an operation, a field, an error code, a limit.'),
    ),
});

/** The whole documentation: guides, tools, operations and records. `npm run openapi` generates its topics. */
export class Documentation {
  readonly #search = new TopicSearch(topics);

  /** Returns the matching topics, best first, or the titles of all topics if none matches. */
  search({ query }: z.infer<typeof Question>) {
    const found = this.#search.search(query, maxTopics);
    if (found.length > 0) return { topics: found };
    return { topics: [], otherTopics: topics.map(({ title }) => title) };
  }
}

export const documentation = /* @__PURE__ */ wholeService(() => new Documentation());
