import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { checkBlockedNumber } from '../../../functions/api/check-blocked-number.ts';
import { searchKnowledge } from '../../../functions/api/search-knowledge.ts';
import { extractDocument } from '../../../functions/jobs/extract-document.ts';
import { languageOf } from '../../../functions/search/languages.ts';
import { packIndex } from '../../../functions/search/pack-index.ts';
import { PackedIndex } from '../../../functions/search/packed-index.ts';
import { rank } from '../../../functions/search/rank.ts';
import { indexOf } from '../../../functions/search/source-index.ts';
import { lazyServices } from '../../../functions/service.ts';
import { documentReads } from '../../../functions/store/sources/documents.ts';
import { docxOf, pdfOf } from '../../support/documents.ts';
import { type Figure, median, type Row, ratioOfRounds } from '../benchmark.ts';
import { newDocument, newPendingDocument } from '../knowledge.ts';
import { invoke, type World } from '../world.ts';

/** A test collection: texts, questions, and of each question how well the texts answer it. */
type Collection = { documents: string[]; queries: string[]; grades: Map<number, number>[] };

const folder = process.env.CRANFIELD_FOLDER;
const python = process.env.BM25S_PYTHON ?? 'python3';

/** The Cranfield collection in the SMART format. A grade of 1 is the best, 4 the least. */
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
  return (
    ranked
      .slice(0, 10)
      .map((document) => grades.get(document) ?? 0)
      .reduce(gain, 0) / ideal.reduce(gain, 0)
  );
};

const quality = async (
  { queries, grades }: Collection,
  search: (query: string, at: number) => Promise<number[]> | number[],
) => {
  let sum = 0;
  for (const [at, query] of queries.entries()) sum += ndcg(await search(query, at), grades[at] as Map<number, number>);
  return sum / queries.length;
};

/** The best of each query by the BM25 of the Python package bm25s; undefined where that is not installed. */
const rankedByReference = ({ documents, queries }: Collection): number[][] | undefined => {
  const script = join(import.meta.dirname, '..', 'bm25s_reference.py');
  const input = JSON.stringify({ documents, queries });
  const { status, stdout } = spawnSync(python, [script], { input, encoding: 'utf8', maxBuffer: 10_000_000 });
  return status === 0 ? JSON.parse(stdout) : undefined;
};

const qualityFigures = async (collection: Collection, say: (sentence: string) => void): Promise<Figure[]> => {
  const pages = collection.documents.map((text) => ({ text }));
  const { packed } = await packIndex(pages, '', await languageOf('en'));
  const index = new PackedIndex(packed);
  const ours = await quality(collection, async (query) => {
    const hits = await rank(query, [index], 30);
    return [...new Set(hits.map(({ passage }) => index.placeOf(passage).page))];
  });
  const figures: Figure[] = [];
  const against = (what: string, value: number, least: number) => {
    const ratio = ours / value;
    const target = { text: `≥ ${least}× of ${what}`, reached: ratio >= least };
    const quantity = { value, unit: 'nDCG@10' as const };
    figures.push({
      what: `Ranking, held against ${what}`,
      ours: { value: ours, unit: 'nDCG@10' },
      against: { what, quantity, ratio },
      target,
    });
  };
  const reference = rankedByReference(collection);
  if (reference) against('bm25s', await quality(collection, (_, at) => reference[at] as number[]), 0.98);
  else
    say(
      `${python} has no bm25s and PyStemmer (BM25S_PYTHON names another one): the ranking is not held against theirs.`,
    );
  const mini = new MiniSearch<{ id: number; text: string }>({ fields: ['text'] });
  mini.addAll(pages.map(({ text }, id) => ({ id, text })));
  const byMiniSearch = (query: string) => mini.search(query).map(({ id }) => id as number);
  against('MiniSearch', await quality(collection, byMiniSearch), 1.2);
  return figures;
};

/** Sentences of words that nobody has seen, where no collection is given. */
const prose = (documents: number): string[] => {
  let state = 1;
  const next = (most: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % most;
  };
  const words = Array.from({ length: 5000 }, () =>
    Array.from({ length: 3 + next(7) }, () => String.fromCharCode(97 + next(26))).join(''),
  );
  // Words of a language are not used alike: some are in every sentence.
  const word = () => words[next(next(next(5000) + 1) + 1)] as string;
  const sentence = () => `${Array.from({ length: 8 + next(10) }, word).join(' ')}.`;
  return Array.from({ length: documents }, () => Array.from({ length: 10 }, sentence).join(' '));
};

const sizeFigure = async (documents: string[]): Promise<Figure> => {
  const text = documents.join('\n\n');
  const { packed } = await indexOf('document', text, text, 'en');
  const percent = (100 * packed.length) / Buffer.byteLength(text);
  return {
    what: 'Index, of the bytes of its text',
    ours: { value: percent, unit: '%' },
    target: { text: '≤ 15 %', reached: percent <= 15 },
    note: `${Math.round(packed.length / 1024)} KiB for ${Math.round(Buffer.byteLength(text) / 1024)} KiB`,
  };
};

const rounds = 60;

const answerFigures = async (world: World, documents: string[], queries: string[]): Promise<Figure[]> => {
  const { uid, apiKey, phone, newAgent, proxy } = world;
  proxy.delay(0);
  const agentId = await newAgent();
  const perDocument = Math.ceil(documents.length / 10);
  for (let start = 0; start < documents.length; start += perDocument) {
    await newDocument(agentId, 'ready', documents.slice(start, start + perDocument).join('\n\n'));
  }
  const timed = async (work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  const search = (at: number) =>
    invoke(searchKnowledge, { apiKey, body: { uid, agentId, query: queries[at % queries.length] as string } });
  const check = () => invoke(checkBlockedNumber, { apiKey, query: { uid, agentId, number: phone } });
  await check();
  const first = await timed(() => search(0));
  const [warm, checks]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    warm.push(await timed(() => search(round)));
    checks.push(await timed(check));
  }
  const quantity = { value: median(checks), unit: 'ms' as const };
  const ratio = median(warm) / quantity.value;
  return [
    {
      what: 'First answer of a process, ten documents',
      ours: { value: first, unit: 'ms' },
      against: { what: 'GET /agent-block-list/check', quantity, ratio: first / quantity.value },
    },
    {
      what: 'Warm answer',
      ours: { value: median(warm), unit: 'ms' },
      against: { what: 'GET /agent-block-list/check', quantity, ratio },
      target: { text: '≤ 1.6×', reached: ratio <= 1.6 },
    },
  ];
};

const jobRounds = 30;
/** A round trip takes 10 ms. */
const eachWayMilliseconds = 5;

/** The job as a module of its own, in which no index is made. */
const importJobWithoutIndex = async (): Promise<typeof extractDocument> => {
  const mark = '?without-index';
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      context.parentURL?.endsWith(mark) && specifier.endsWith('/source-index.ts')
        ? { url: 'data:text/javascript,export const indexOf = async () => {}', shortCircuit: true }
        : next(specifier, context),
  });
  const job = await import(`../../../functions/jobs/extract-document.ts${mark}`);
  hooks.deregister();
  return job.extractDocument;
};

/** How much longer the job of a document takes because it makes an index. */
const jobFigures = async ({ uid, newAgent, proxy }: World, texts: string[]): Promise<Figure[]> => {
  proxy.delay(eachWayMilliseconds);
  const some = texts.slice(0, 400);
  const services = lazyServices(extractDocument.services);
  const { documents } = services;
  const finish: typeof documents.finish = (source, run, { content, contentMD }, fields) =>
    documents.finish(source, run, { content, contentMD }, fields);
  const { findForJob, receive, start } = documents;
  const bound = Object.fromEntries(
    Object.entries({ findForJob, receive, start }).map(([name, method]) => [name, method.bind(documents)]),
  );
  const indexed = { handle: extractDocument.handle, services };
  const withoutIndex = {
    handle: (await importJobWithoutIndex()).handle,
    services: { ...services, documents: { ...bound, finish } as typeof documents },
  };
  const figures: Figure[] = [];
  for (const [what, name, bytes] of [
    ['PDF', 'some.pdf', await pdfOf(...some)],
    ['Word', 'some.docx', await docxOf(...some)],
    ['plain text', 'some.txt', Buffer.from(some.join('\n\n'))],
  ] as const) {
    const agentId = await newAgent();
    const run = async ({ handle, services }: typeof indexed) => {
      const id = await newPendingDocument(agentId, name, bytes);
      const began = performance.now();
      const message = { job: 'extractDocument' as const, uid, agentId, documentId: id };
      await handle(message, services, Number.POSITIVE_INFINITY);
      const took = performance.now() - began;
      if ((await documentReads.get().find(agentId, id))?.status !== 'ready') throw new Error(`${what} was not read.`);
      return took;
    };
    const taken = { indexed: [] as number[], without: [] as number[] };
    // The first runs compile what the others use.
    for (const one of [indexed, withoutIndex, indexed]) await run(one);
    for (let round = 0; round < jobRounds; round++) {
      // Each goes first in every other round.
      for (const isIndexed of round % 2 === 0 ? [true, false] : [false, true]) {
        taken[isIndexed ? 'indexed' : 'without'].push(await run(isIndexed ? indexed : withoutIndex));
      }
    }
    const ratio = ratioOfRounds(taken.indexed, taken.without);
    const [indexedMilliseconds, milliseconds] = [median(taken.indexed), median(taken.without)];
    figures.push({
      what: `The job of a document, ${what}`,
      ours: { value: indexedMilliseconds, unit: 'ms' },
      against: { what: 'without an index', quantity: { value: milliseconds, unit: 'ms' }, ratio },
      target: {
        text: '≤ 1.3×, ≤ 150 ms more',
        reached: ratio <= 1.3 && indexedMilliseconds - milliseconds <= 150,
      },
    });
  }
  proxy.delay(0);
  return figures;
};

/** The search of an agent's knowledge: how well it ranks, what its index takes, and how long it takes. */
export const search: Row = {
  name: 'search',
  title: 'Search of an agent’s knowledge',

  async measure(open, say) {
    if (!folder) {
      say('CRANFIELD_FOLDER does not name a folder with the Cranfield collection (cran.all.1400, cran.qry, cranqrel):');
      say('the quality of the ranking is not measured, and the rest with words that nobody has seen.');
    }
    const collection = folder ? readCranfield(folder) : undefined;
    const documents = collection?.documents ?? prose(1400);
    const queries = collection?.queries ?? documents.map((text) => text.slice(0, 60));
    const figures = collection ? await qualityFigures(collection, say) : [];
    figures.push(await sizeFigure(documents));
    const world = await open();
    say('answers');
    figures.push(...(await answerFigures(world, documents, queries)));
    say('reading documents');
    figures.push(...(await jobFigures(world, documents)));
    return figures;
  },
};
