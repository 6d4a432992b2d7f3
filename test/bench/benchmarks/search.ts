import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { languageOf } from '../../../functions/search/languages.ts';
import { packIndex } from '../../../functions/search/pack-index.ts';
import { PackedIndex } from '../../../functions/search/packed-index.ts';
import { rank } from '../../../functions/search/rank.ts';
import { indexOf } from '../../../functions/search/source-index.ts';
import type { Figure, Row } from '../benchmark.ts';
import { prose } from '../prose.ts';

/** A test collection: texts, questions, and how well each text answers each question. */
type Collection = { documents: string[]; queries: string[]; grades: Map<number, number>[] };

const folder = process.env.CRANFIELD_FOLDER;
const leastNdcg = 0.52;
const leastOfMiniSearch = 1.2;
const maxPercentOfText = 15;

/** The search of an agent's knowledge: how well it ranks, and how large its index is. */
export const search: Row = {
  name: 'search',
  title: 'Search of an agent’s knowledge',

  async measure(_open, say) {
    const collection = folder ? readCranfield(folder) : undefined;
    if (!collection) {
      say('CRANFIELD_FOLDER does not name a folder with the Cranfield collection (cran.all.1400, cran.qry, cranqrel):');
      say('the ranking is not measured, and the size of the index with invented words.');
    }
    const size = await sizeFigure(collection?.documents ?? prose(1400));
    return collection ? [...(await qualityFigures(collection)), size] : [size];
  },
};

/** Reads the Cranfield collection in the SMART format, in which a grade of 1 is the best, and 4 the least. */
const readCranfield = (folder: string): Collection => {
  const entries = (file: string) =>
    readFileSync(join(folder, file), 'utf8')
      .split(/^\.I .*$/m)
      .slice(1)
      .map((entry) => (entry.split(/^\.W\s*$/m)[1] ?? '').trim());
  const queries = entries('cran.qry');
  const grades = queries.map(() => new Map<number, number>());
  for (const line of readFileSync(join(folder, 'cranqrel'), 'utf8').trim().split('\n')) {
    const [query = 0, document = 0, grade = 0] = line.trim().split(/\s+/).map(Number);
    if (grade >= 1 && grade <= 4) grades[query - 1]?.set(document - 1, 5 - grade);
  }
  return { documents: entries('cran.all.1400'), queries, grades };
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
  let sum = 0;
  for (const [at, query] of queries.entries()) sum += ndcg(await search(query), grades[at] as Map<number, number>);
  return sum / queries.length;
};

const qualityFigures = async (collection: Collection): Promise<Figure[]> => {
  const pages = collection.documents.map((text) => ({ text }));
  const { packed } = packIndex(pages, '', await languageOf('en'));
  const index = new PackedIndex(packed);
  const value = await quality(collection, async (query) => {
    const hits = await rank(query, [index], 30);
    return [...new Set(hits.map(({ passage }) => index.placeOf(passage).page))];
  });
  const mini = new MiniSearch<{ id: number; text: string }>({ fields: ['text'] });
  mini.addAll(pages.map(({ text }, id) => ({ id, text })));
  const miniSearch = await quality(collection, (query) => mini.search(query).map(({ id }) => id as number));
  const ratio = value / miniSearch;
  return [
    {
      what: 'Ranking of the Cranfield collection',
      ours: { value, unit: 'nDCG@10' },
      against: { what: 'MiniSearch', quantity: { value: miniSearch, unit: 'nDCG@10' }, ratio },
      target: {
        text: `≥ ${leastNdcg} and ≥ ${leastOfMiniSearch}×`,
        reached: value >= leastNdcg && ratio >= leastOfMiniSearch,
      },
    },
  ];
};

const sizeFigure = async (documents: string[]): Promise<Figure> => {
  const text = documents.join('\n\n');
  const { packed } = await indexOf('document', text, text, 'en');
  const percent = (100 * packed.length) / Buffer.byteLength(text);
  return {
    what: 'Index, of the bytes of its text',
    ours: { value: percent, unit: '%' },
    target: { text: `≤ ${maxPercentOfText} %`, reached: percent <= maxPercentOfText },
    note: `${Math.round(packed.length / 1024)} KiB for ${Math.round(Buffer.byteLength(text) / 1024)} KiB`,
  };
};
