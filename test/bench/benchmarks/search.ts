import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { loadLanguage } from '../../../functions/search/languages.ts';
import { packIndex } from '../../../functions/search/pack-index.ts';
import { PackedIndex } from '../../../functions/search/packed-index.ts';
import { rank } from '../../../functions/search/rank.ts';
import { buildIndex } from '../../../functions/search/source-index.ts';
import type { Figure, Row } from '../benchmark.ts';
import { prose } from '../prose.ts';

/** A test collection: texts, questions, and how well each text answers each question. */
type Collection = { documents: string[]; queries: string[]; grades: Map<number, number>[] };

/** Public collections in the SMART format, whose folders the environment names. */
const collections = [
  {
    name: 'Cranfield',
    folder: process.env.CRANFIELD_FOLDER,
    files: { documents: 'cran.all.1400', queries: 'cran.qry', grades: 'cranqrel' },
    // Here 1 is the best grade, and 4 the least.
    grade: (written: number) => (written >= 1 && written <= 4 ? 5 - written : 0),
    minNdcg: 0.52,
    minOfMiniSearch: 1.2,
  },
];
type CollectionFiles = (typeof collections)[number];

const maxPercentOfText = 15;

/** The search of an agent's knowledge: how well it ranks, and how large its index is. */
export const search: Row = {
  name: 'search',
  title: 'Search of an agent’s knowledge',

  async measure(_open, say) {
    const figures: Figure[] = [];
    for (const one of collections) {
      if (one.folder) figures.push(await qualityFigure(one, readCollection(one, one.folder)));
      else
        say(
          `${one.name.toUpperCase()}_FOLDER does not name a folder with ${Object.values(one.files).join(', ')}: the ranking of the ${one.name} collection is not measured.`,
        );
    }
    return [...figures, await sizeFigure(prose(1400))];
  },
};

const readCollection = ({ files, grade }: CollectionFiles, folder: string): Collection => {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  // The text of an entry ends where its next field begins.
  const entries = (file: string) =>
    read(file)
      .split(/^\.I .*$/m)
      .slice(1)
      .map((entry) => (entry.split(/^\.W\s*$/m)[1] ?? '').split(/^\.[A-Z]\s*$/m, 1)[0]?.trim() ?? '');
  const queries = entries(files.queries);
  const grades = queries.map(() => new Map<number, number>());
  for (const line of read(files.grades).trim().split('\n')) {
    const [query = 0, document = 0, written = 0] = line.trim().split(/\s+/).map(Number);
    const value = grade(written);
    if (value > 0) grades[query - 1]?.set(document - 1, value);
  }
  return { documents: entries(files.documents), queries, grades };
};

const ndcg = (ranked: number[], grades: Map<number, number>): number => {
  const gain = (sum: number, grade: number, place: number) => sum + (2 ** grade - 1) / Math.log2(place + 2);
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, 10);
  const found = ranked.slice(0, 10).map((document) => grades.get(document) ?? 0);
  return found.reduce(gain, 0) / ideal.reduce(gain, 0);
};

const quality = async (
  { queries, grades }: Collection,
  search: (query: string) => Promise<number[]> | number[],
): Promise<number> => {
  const answered = queries.flatMap((query, at) => {
    const graded = grades[at] as Map<number, number>;
    return graded.size > 0 ? [{ query, graded }] : [];
  });
  let sum = 0;
  for (const { query, graded } of answered) sum += ndcg(await search(query), graded);
  return sum / answered.length;
};

const qualityFigure = async (
  { name, minNdcg, minOfMiniSearch }: CollectionFiles,
  collection: Collection,
): Promise<Figure> => {
  const pages = collection.documents.map((text) => ({ text }));
  const { packed } = packIndex(pages, '', await loadLanguage('en'));
  const index = new PackedIndex(packed);
  const value = await quality(collection, async (query) => {
    const hits = await rank(query, [index], 30);
    return [...new Set(hits.map(({ passage }) => index.locatePassage(passage).page))];
  });
  const mini = new MiniSearch<{ id: number; text: string }>({ fields: ['text'] });
  mini.addAll(pages.map(({ text }, id) => ({ id, text })));
  const miniSearch = await quality(collection, (query) => mini.search(query).map(({ id }) => id as number));
  const ratio = value / miniSearch;
  return {
    what: `Ranking of the ${name} collection`,
    ours: { value, unit: 'nDCG@10' },
    against: { what: 'MiniSearch', quantity: { value: miniSearch, unit: 'nDCG@10' }, ratio },
    target: {
      text: `≥ ${minNdcg} and ≥ ${minOfMiniSearch}×`,
      reached: value >= minNdcg && ratio >= minOfMiniSearch,
    },
  };
};

const sizeFigure = async (documents: string[]): Promise<Figure> => {
  const text = documents.join('\n\n');
  const { packed } = await buildIndex('document', text, text, 'en');
  const percent = (100 * packed.length) / Buffer.byteLength(text);
  return {
    what: 'Index, of the bytes of its text',
    ours: { value: percent, unit: '%' },
    target: { text: `≤ ${maxPercentOfText} %`, reached: percent <= maxPercentOfText },
    note: `${Math.round(packed.length / 1024)} KiB for ${Math.round(Buffer.byteLength(text) / 1024)} KiB`,
  };
};
