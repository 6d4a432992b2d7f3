import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';

/** A section of the documentation that answers a question by itself. */
export type Topic = {
  title: string;
  text: string;
  /** The path of its page, with the fragment of its section. */
  page: string;
};

/** Searches the topics of the documentation, for the build chat and for the pages. */
export class TopicSearch {
  readonly #topics: Topic[];
  readonly #index: MiniSearch<{ id: number; title: string; text: string }>;

  constructor(topics: Topic[]) {
    this.#topics = topics;
    const known = new Set(topics.flatMap(({ title, text }) => extractTerms(`${title} ${text}`)));
    this.#index = new MiniSearch({
      fields: ['title', 'text'],
      tokenize: extractTerms,
      processTerm: (term) => term,
      searchOptions: {
        boost: { title: 2.5 },
        // A short word that the documentation has is spelled right.
        fuzzy: (term) => (term.length > 5 ? 0.15 : term.length > 3 && !known.has(term) && 1),
        // A record or an event rarely answers a question by itself; a guide does so more often than an operation.
        boostDocument: (id) => pageWeight(topics[id]?.page ?? ''),
      },
    });
    this.#index.addAll(topics.map(({ title, text }, id) => ({ id, title, text })));
  }

  /** Returns the matching topics, best first. While a query is being typed, its last word matches words that begin with it. */
  search(query: string, maxTopics: number, isTyping = false): Topic[] {
    const prefix = (_: string, index: number, terms: string[]) => isTyping && index === terms.length - 1;
    const found = this.#index.search(query, { prefix }).slice(0, maxTopics);
    return found.map(({ id }) => this.#topics[id as number] as Topic);
  }
}

const pageWeight = (page: string) => {
  if (page.includes('#model/') || page.includes('/webhook/')) return 0.5;
  return page.startsWith('/docs/reference') ? 1 : 1.2;
};

/** Returns the stems of a text's words. `custom_call_outcome` and `blockList` match as a whole and by their parts, `OpenAPI` as a whole. */
function extractTerms(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
  return words
    .flatMap((word) => {
      const parts = word.split(/_|(?<=\p{Ll})(?=\p{Lu}\p{Ll})/u).filter(Boolean);
      return parts.length > 1 ? [word, ...parts] : [word];
    })
    .map((word) => word.toLowerCase())
    .filter((word) => !stopWords.has(word))
    .map((word) => stemmer(synonyms[word] ?? word));
}

/** Words that say nothing about the subject of a question. */
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
  opening: 'hours',
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
