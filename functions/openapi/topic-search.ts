import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';

/** A section of the documentation that answers a question by itself. */
export type Topic = {
  title: string;
  text: string;
  /** The path of its page, with the fragment of its section. */
  page: string;
};

/** A topic that has less than this share of a question's words, by how rare these are, does not answer it. */
const minShare = 0.35;

/** Searches the topics of the documentation, for the build chat, AI clients and the pages. */
export class TopicSearch {
  readonly #topics: Topic[];
  readonly #index: MiniSearch<Topic & { id: number; heading: string }>;
  /** The number of topics that have a term. */
  readonly #counts = new Map<string, number>();

  constructor(topics: Topic[]) {
    this.#topics = topics;
    for (const { title, text } of topics)
      for (const term of new Set(extractTerms(`${title} ${text}`)))
        this.#counts.set(term, (this.#counts.get(term) ?? 0) + 1);
    this.#index = new MiniSearch({
      fields: ['heading', 'title', 'text'],
      tokenize: extractTerms,
      processTerm: (term) => term,
      searchOptions: {
        // The last part of a title names the topic, the parts before it the page.
        boost: { heading: 0.5, title: 2 },
        // A word that the documentation has is spelled right.
        fuzzy: (term) => !this.#counts.has(term) && term.length > 3 && (term.length > maxShortTerm ? 0.2 : 1),
        // A record or an event rarely answers a question by itself; a guide does so more often than an operation.
        boostDocument: (id) => pageWeight(topics[id]?.page ?? ''),
      },
    });
    this.#index.addAll(topics.map((topic, id) => ({ ...topic, id, heading: topic.title.split(': ').at(-1) ?? '' })));
  }

  /** Returns the matching topics, best first. While a query is being typed, its last word matches words that begin with it. */
  search(query: string, maxTopics: number, isTyping = false): Topic[] {
    const prefix = (_: string, index: number, terms: string[]) => isTyping && index === terms.length - 1;
    const expanded = expansions.reduce((text, [words, more]) => text.replace(words, `$& ${more}`), query);
    const asked = this.#weigh(extractTerms(expanded));
    const found = this.#index
      .search(expanded, { prefix })
      .filter(({ queryTerms, terms }) => this.#weigh(queryTerms, terms) >= minShare * asked);
    return found.slice(0, maxTopics).map(({ id }) => this.#topics[id as number] as Topic);
  }

  /** Adds up the weights of terms: the rarer, the heavier. A word that no topic has is as heavy as three of the rarest; if a similar word matches, it counts half. */
  #weigh(terms: string[], matched = terms): number {
    const weights = [...new Set(terms)].map((term) => {
      const count = this.#counts.get(term);
      const weight = count
        ? Math.log(1 + this.#topics.length / count)
        : unknownFactor * Math.log(1 + this.#topics.length);
      if (matched.includes(term)) return weight;
      return matched.some((other) => isSlip(term, other)) ? weight / 2 : 0;
    });
    return weights.reduce((sum, weight) => sum + weight, 0);
  }
}

const unknownFactor = 3;
const maxShortTerm = 5;

/** Tells a slip of the pen, or the beginning of a word, from another word. Of short words, it only lacks or repeats a letter. */
const isSlip = (term: string, other: string): boolean =>
  term.slice(0, 2) === other.slice(0, 2) && (term.length > maxShortTerm || term.length !== other.length);

const pageWeight = (page: string) => {
  if (page.includes('#model/') || page.includes('/webhook/')) return 0.5;
  if (page.startsWith('/docs/operating-on-aws')) return 1.15;
  return page.startsWith('/docs/reference') ? 1 : 1.3;
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

/** Words of a question, with what they are about. */
const expansions: [RegExp, string][] = [
  [/\bback-?ups?\b/i, 'restore table'],
  [/\bnext page\b/i, 'pagination'],
  [/\bbe called\b/i, 'outbound'],
];

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
  worth: 'value',
  max: 'limit',
  maximum: 'limit',
  token: 'key',
};
