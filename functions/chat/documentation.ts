import MiniSearch from 'minisearch';
import * as z from 'zod/mini';
import topics from '../openapi/topics.json' with { type: 'json' };
import { wholeService } from '../service.ts';

const mostTopics = 4;

export const Question = z.object({
  query: z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(300),
      z.describe('Words to look for: an operation, a field, an error code, a limit.'),
    ),
});

/** The documentation of the HTTP interface, to be searched by words. It is made of the route table (`npm run openapi`). */
export class Documentation {
  readonly #index = new MiniSearch<{ id: number; title: string; text: string }>({
    fields: ['title', 'text'],
    tokenize: wordsOf,
    searchOptions: {
      boost: { title: 3 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    },
  });

  constructor() {
    this.#index.addAll(topics.map((topic, id) => ({ id, ...topic })));
  }

  /** The topics that fit best, best first; without any, what there is. */
  search({ query }: z.infer<typeof Question>) {
    const found = this.#index.search(query).slice(0, mostTopics);
    if (found.length > 0) return { topics: found.map(({ id }) => topics[id as number]) };
    return { topics: [], otherTopics: topics.map(({ title }) => title) };
  }
}

/** Words as people look for them: `custom_call_outcome` and `blockList` are found by their parts, and as they are. */
const wordsOf = (text: string): string[] => {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
  return words.flatMap((word) => {
    const parts = word.split(/_|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
    return parts.length > 1 ? [word, ...parts] : [word];
  });
};

export const documentation = wholeService(() => new Documentation());
