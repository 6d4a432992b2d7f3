import { type Language, loadLanguage } from './languages.ts';
import type { PackedIndex, Postings } from './packed-index.ts';
import { Terms } from './terms.ts';

/** A passage that matches a query: the position of its index, and its number there. */
export type Hit = { index: number; passage: number; score: number };

/** The usual constants of BM25: saturation in a passage, weight of its length, saturation in a query. */
const k1 = 1.2;
const b = 0.75;
const k3 = 8;

/** Returns the passages that match a query best, best first, by BM25 over all indexes together. Duplicates are returned once. */
export const rank = async (query: string, indexes: PackedIndex[], limit: number): Promise<Hit[]> => {
  const languages = await Promise.all([...new Set(indexes.map(({ language }) => language))].map(loadLanguage));
  const words = new Map(languages.map((language) => [language.code, parseQuery(query, language)]));
  const indexWords = (index: PackedIndex) => words.get(index.language) ?? [];
  const found = indexes.map((index) => lookUpPostings(index, indexWords(index)));
  const passages = indexes.reduce((sum, index) => sum + index.passages, 0);
  const averageWords = indexes.reduce((sum, index) => sum + index.totalWords, 0) / passages;
  const best = new BestHits(limit);
  const wordWeight = (word: number) => {
    const having = found.reduce((sum, postings) => sum + (postings[word]?.passages.length ?? 0), 0);
    return Math.log(1 + (passages - having + 0.5) / (having + 0.5));
  };
  const weights = Array.from({ length: Math.max(0, ...found.map(({ length }) => length)) }, (_, word) =>
    wordWeight(word),
  );
  for (const [position, index] of indexes.entries()) {
    const postings = found[position] ?? [];
    if (!postings.some(Boolean)) continue;
    const queryWords = indexWords(index);
    const scores = new Float64Array(index.passages);
    for (const [word, list] of postings.entries()) {
      if (!list) continue;
      const { count: countInQuery } = queryWords[word] as QueryWord;
      const weight = ((weights[word] as number) * countInQuery * (k3 + 1)) / (countInQuery + k3);
      for (const [at, passage] of list.passages.entries()) {
        const count = list.counts[at] as number;
        const relativeLength = (index.words[passage] as number) / averageWords;
        scores[passage]! += (weight * count * (k1 + 1)) / (count + k1 * (1 - b + b * relativeLength));
      }
    }
    for (const [passage, score] of scores.entries()) {
      if (score > 0) best.add({ index: position, passage, score, hash: index.getHash(passage) });
    }
  }
  return best.hits();
};

/** A word of a query: its terms, and how often the query has it. */
type QueryWord = { terms: string[]; count: number };

/** Returns a query's words, at the same positions in every language. Repeated and function words have no terms. */
const parseQuery = (query: string, language: Language): QueryWord[] => {
  const words = new Terms(language).of(query);
  // A query that consists of function words matches headings, whose function words are indexed.
  const isDecided = words.some(({ isFunctionWord }) => !isFunctionWord);
  const byStem = new Map<string, QueryWord>();
  return words.map(({ terms, isFunctionWord }) => {
    const [stem = ''] = terms;
    const earlier = byStem.get(stem);
    if (earlier) earlier.count++;
    if (earlier || (isDecided && isFunctionWord)) return { terms: [], count: 0 };
    const word = { terms, count: 1 };
    byStem.set(stem, word);
    return word;
  });
};

const lookUpPostings = (index: PackedIndex, words: QueryWord[]): (Postings | undefined)[] =>
  words.map(({ terms }) => {
    const found = terms.flatMap((term) => index.find(term) ?? []);
    return found.length < 2 ? found[0] : union(found);
  });

/** Unites the postings of a word's two terms: a passage has the word as often as the more frequent term. */
const union = (lists: Postings[]): Postings => {
  const counts = new Map<number, number>();
  for (const list of lists) {
    for (const [at, passage] of list.passages.entries()) {
      counts.set(passage, Math.max(counts.get(passage) ?? 0, list.counts[at] as number));
    }
  }
  return { passages: [...counts.keys()], counts: [...counts.values()] };
};

type HashedHit = Hit & { hash: number };

/** The best of many hits, without duplicates of better ones. */
class BestHits {
  readonly #limit: number;
  #hits: HashedHit[] = [];
  #minScore = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(hit: HashedHit): void {
    if (hit.score <= this.#minScore) return;
    this.#hits.push(hit);
    if (this.#hits.length >= this.#limit * 16) this.#cut();
  }

  hits(): Hit[] {
    this.#cut();
    return this.#hits.map(({ index, passage, score }) => ({ index, passage, score }));
  }

  #cut(): void {
    const seen = new Set<number>();
    // The sort is stable, so the first of equal hits stays.
    this.#hits = this.#hits
      .sort((one, other) => other.score - one.score)
      .filter(({ hash }) => !seen.has(hash) && seen.add(hash))
      .slice(0, this.#limit);
    if (this.#hits.length === this.#limit) this.#minScore = this.#hits.at(-1)?.score ?? 0;
  }
}
