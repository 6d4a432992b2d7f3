import * as z from 'zod/mini';
import { KnowledgeQuery } from '../../functions/domain/knowledge-search.ts';
import { limits } from '../../functions/domain/limits.ts';
import { validate } from '../../functions/domain/validation.ts';
import { type Agent, type ApiClient, dataOf } from '../../functions/openapi/client/client.ts';
import { formatDetails } from '../command-line/arguments.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { count, print, visible } from '../command-line/output.ts';
import { type AgentFile, readFolder } from './folder.ts';
import { attempt, type Options } from './report.ts';
import { connect, ownAgents, type Service } from './service.ts';

const text = z.optional(z.string().check(z.minLength(1)));
const within = z._default(z.int().check(z.minimum(1), z.maximum(limits.passages)), 3);
const isExpectation = ({ source, contains }: { source?: string; contains?: string }) =>
  source !== undefined || contains !== undefined;
const Expectation = z
  .strictObject({ source: text, contains: text, within })
  .check(z.refine(isExpectation, { error: 'must have source or contains' }));
const AgentTests = z.object({
  tests: z._default(z.array(z.strictObject({ ask: KnowledgeQuery, expect: Expectation })), []),
});
type AgentTest = z.infer<typeof AgentTests>['tests'][number];

type SearchResult = Awaited<ReturnType<ApiClient['knowledge']['search']>>;
type Found = NonNullable<SearchResult['data']>;

type TestResult = AgentTest & Found & { passed: boolean };

/** The results of an agent's tests. */
type Outcome = {
  key: string;
  file?: string;
  action: 'passed' | 'failed';
  /** The reason why its tests were not run. */
  message?: string;
  tests?: TestResult[];
};

/** Searches the knowledge of the service as the tests in the files of a folder say. Changes nothing. */
export const test = async (folder: string, options: Options): Promise<Outcome[]> => {
  const files = (await readFolder(folder)).filter(({ content }) => content.tests !== undefined);
  const suites = readTests(files).filter(({ tests }) => tests.length > 0);
  if (suites.length === 0) throw new CommandError(`${folder} has no file with tests.`, exitCodes.usage);
  const service = await connect({ ...options, apiKey: await options.apiKey() });
  const agents = new Map((await ownAgents(service)).map((agent) => [agent.key, agent]));
  const outcomes: Outcome[] = [];
  for (const { file, tests } of suites) {
    const { key } = file.content;
    const work = () => runTests(tests, agents.get(key), service);
    outcomes.push(await attempt({ key, file: file.name }, work, options));
  }
  print(options, { agents: outcomes }, () => [...outcomes.flatMap(formatOutcome), formatSummary(outcomes)].join('\n'));
  return outcomes;
};

/** Reads the tests of each file. Throws an error that names each broken file. */
const readTests = (files: AgentFile[]): { file: AgentFile; tests: AgentTest[] }[] => {
  const read = files.map((file) => ({ file, ...validate(AgentTests, { tests: file.content.tests }) }));
  const faults = read.flatMap(({ file, error }) => (error ? [`${file.name}: ${formatDetails(error)}.`] : []));
  if (faults.length > 0) throw new CommandError(faults.join('\n'), exitCodes.usage);
  return read.map(({ file, data }) => ({ file, tests: data?.tests ?? [] }));
};

const runTests = async (tests: AgentTest[], agent: Agent | undefined, { api }: Service) => {
  if (!agent) throw new CommandError('The service has no agent with this key.');
  const { agentId } = agent;
  const websites = tests.some(({ expect }) => expect.source)
    ? await Array.fromAsync(api.websites.list({ agentId, content: false }))
    : [];
  const addresses = new Map(websites.map(({ id, url }) => [id, url]));
  const results: TestResult[] = [];
  for (const { ask, expect } of tests) {
    const found = dataOf(await api.knowledge.search({ agentId, query: ask, limit: expect.within }));
    const { source, contains = '' } = expect;
    // A redirect can lead to pages at another address than that of the website.
    const passed = found.passages.some(
      ({ name, url, sourceId, text }) =>
        (!source || [name, url, addresses.get(sourceId)].includes(source)) && text.includes(contains),
    );
    results.push({ ask, expect, passed, ...found });
  }
  return { action: results.every(({ passed }) => passed) ? ('passed' as const) : ('failed' as const), tests: results };
};

/** Formats what failed, with the passages that came instead. */
const formatOutcome = ({ key, file, action, message, tests = [] }: Outcome): string[] => {
  if (action === 'passed') return [];
  const failed = tests.filter(({ passed }) => !passed).flatMap(formatTest);
  return [`! ${key} (${file})${message ? `: ${message}` : ''}`, ...failed.map((line) => `    ${line}`.trimEnd())].map(
    visible,
  );
};

const formatTest = ({ ask, expect, passages, searched }: TestResult): string[] => {
  const { source, contains, within } = expect;
  const wanted = ['one', source && `from ${source}`, contains && `that contains ${JSON.stringify(contains)}`];
  const lines = passages.flatMap(({ name, url, text }, index) => [
    `  ${index + 1}. ${url && url !== name ? `${name}, ${url}` : name}`,
    ...text.split(/\r?\n/).map((line) => `       ${line.replaceAll('\t', '    ')}`),
  ]);
  return [
    ask,
    `  Expected within ${count(within, 'passage')}: ${wanted.filter(Boolean).join(' ')}.`,
    passages.length > 0 ? '  The search found:' : '  The search found nothing.',
    ...lines,
    ...formatGaps(searched),
  ];
};

/** Says which knowledge was not searched. */
const formatGaps = ({ unindexed = 0, omitted = 0 }: Found['searched']): string[] => [
  ...(unindexed ? [`  Not searched, because not indexed yet: ${count(unindexed, 'source')}.`] : []),
  ...(omitted
    ? [`  Not searched, because the knowledge is too large for one search: ${count(omitted, 'source')}.`]
    : []),
];

const formatSummary = (outcomes: Outcome[]): string => {
  const tests = outcomes.flatMap(({ tests = [] }) => tests);
  const passed = tests.filter((test) => test.passed).length;
  const untested = outcomes.filter(({ tests }) => !tests).length;
  const numbers = [`${passed} passed`, `${tests.length - passed} failed`];
  return `${count(tests.length, 'test')}: ${numbers.join(', ')}.${untested ? ` Not tested: ${count(untested, 'agent')}.` : ''}`;
};
