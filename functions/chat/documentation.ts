import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';
import * as z from 'zod/mini';
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
  // The engine in search/ has neither weights of fields nor tolerance of typing errors: it puts a third of the tested questions' pages lower.
  readonly #index = new MiniSearch<{ id: number; title: string; text: string }>({
    fields: ['title', 'text'],
    tokenize: termsOf,
    processTerm: (term) => term,
    searchOptions: {
      boost: { title: 3 },
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
      // A record rarely answers a question by itself; a guide does so more often than an operation.
      boostDocument: (id) => weightOf(topics[id]?.page ?? ''),
    },
  });

  constructor() {
    this.#index.addAll(topics.map(({ title, text }, id) => ({ id, title, text })));
  }

  /** Returns the topics that fit, best first; without any, the titles of all topics. */
  search({ query }: z.infer<typeof Question>) {
    const found = this.#index.search(query).slice(0, maxTopics);
    if (found.length > 0) return { topics: found.map(({ id }) => topics[id as number]) };
    return { topics: [], otherTopics: topics.map(({ title }) => title) };
  }
}

const weightOf = (page: string) => {
  if (page.includes('#model/')) return 0.5;
  return page.startsWith('/docs/reference') ? 1 : 1.2;
};

/** Returns the stems of a text's words. `custom_call_outcome` and `blockList` are found as they are and by their parts. */
function termsOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
  return words
    .flatMap((word) => {
      const parts = word.split(/_|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
      return parts.length > 1 ? [word, ...parts] : [word];
    })
    .map((word) => word.toLowerCase())
    .filter((word) => !stopWords.has(word))
    .map((word) => stemmer(synonyms[word] ?? word));
}

/** Words that do not tell the subject of a question. */
const stopWords = new Set(
  `a about all also an and any anything are as at be been but by can could did do does doing for from get give has have
  how i if in is it its just let like make many may me might mean means more much my need no not now of off on one or our please say
  should so some something tell than that the their them then there these they this those to too us use used using
  want was way we were what when where which who why will with without work works would you your`.split(/\s+/),
);

/** Common words, each with the documentation's term for it. */
const synonyms: Record<string, string> = {
  authenticate: 'authentication',
  authorization: 'authentication',
  blacklist: 'block',
  callback: 'webhook',
  bulk: 'batch',
  clone: 'copy',
  duplicate: 'copy',
  frontend: 'browser',
  notified: 'webhook',
  notify: 'webhook',
  paging: 'pagination',
  paginate: 'pagination',
  throttling: 'rate',
  throttled: 'rate',
  price: 'cost',
  pricing: 'cost',
  remove: 'delete',
  sdk: 'client',
  library: 'client',
  max: 'limit',
  maximum: 'limit',
  token: 'key',
};

export const documentation = /* @__PURE__ */ wholeService(() => new Documentation());
