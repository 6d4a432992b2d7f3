import { diff, isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { describeError } from '../command-line/describe-error.ts';
import { count, print, visible } from '../command-line/output.ts';
import { type Difference, isChangeOfService } from './plan.ts';

/** The result of a command for one agent, or with `dryRun` its expected result. */
export type Outcome = {
  key: string;
  /** The name of the agent's file, if it has one. */
  file?: string;
  action: 'create' | 'update' | 'delete' | 'none' | 'conflict' | 'failed';
  /** The reason of a conflict or a failure. */
  message?: string;
  /** The version of the agent after the command. */
  version?: number;
  differences?: Difference[];
};

/** The options of every command. */
export type Options = {
  baseUrl: string;
  apiKey(): Promise<string>;
  signal: AbortSignal;
  json?: boolean;
  dryRun?: boolean;
  overwrite?: boolean;
};

/** Returns the outcome of the work on one agent, or of its failure, which does not affect the other agents. */
export const attempt = async <Result extends object>(
  agent: { key: string; file?: string },
  work: () => Promise<Result>,
  { signal }: Options,
) => {
  try {
    return { ...agent, ...(await work()) };
  } catch (error) {
    signal.throwIfAborted();
    return { ...agent, action: 'failed' as const, message: describeError(error) };
  }
};

/** The side that a command changes. */
type Target = 'service' | 'files';

/** Prints the result of each agent, and a line with their numbers. */
export const report = (outcomes: Outcome[], to: Target, { json, dryRun }: Options) => {
  const agents = outcomes.map(({ differences = [], ...outcome }) => ({
    ...outcome,
    differences: differences.map(({ path, service, file, base }) => ({ path, base: base?.value, service, file })),
  }));
  print({ json }, { agents }, () => {
    const lines = outcomes.flatMap((outcome) => formatOutcome(outcome, to));
    return [...lines, summarize(outcomes, dryRun)].map(visible).join('\n');
  });
};

const marks = { create: '+', update: '~', delete: '-', none: '=', conflict: '!', failed: '!' };

const formatOutcome = ({ key, file, action, message, differences = [] }: Outcome, to: Target): string[] => {
  if (action === 'none') return [];
  const head = `${marks[action]} ${key}${file ? ` (${file})` : ''}${message ? `: ${message}` : ''}`;
  const lines = differences.flatMap((difference) => differenceLines(difference, to, action === 'conflict'));
  return [head, ...lines.map((line) => `    ${line}`)];
};

/** Formats a difference. For a field that both sides have changed, it shows both changes. */
const differenceLines = (difference: Difference, to: Target, isConflict: boolean): string[] => {
  const { path, service, file, base } = difference;
  if (isConflict && base && isChangeOfService(difference)) {
    return [
      path,
      ...['  on the service since the version of the file:', ...changedLines(base.value, service)],
      ...['  in the file since its version:', ...changedLines(base.value, file)],
    ];
  }
  return [path, ...(to === 'service' ? changedLines(service, file) : changedLines(file, service))];
};

/** The maximum number of lines that are compared line by line. */
const maxComparedLines = 2000;

const changedLines = (before: unknown, after: unknown): string[] => {
  if (isDeepStrictEqual(before, after)) return ['  (unchanged)'];
  const [removed, added] = [valueLines(before), valueLines(after)];
  const isShort = removed.length + added.length <= maxComparedLines;
  const changed = (isShort ? diff(removed, added) : [...diff(removed, []), ...diff([], added)]).filter(
    ([side]) => side,
  );
  return changed.map(([side, line]) => `  ${side > 0 ? '-' : '+'} ${line}`);
};

const valueLines = (value: unknown): string[] => {
  if (value === undefined) return [];
  const text = typeof value === 'string' ? value : stringify(value, { lineWidth: 0 }).trimEnd();
  return text.replaceAll('\t', '    ').split('\n');
};

const summarize = (outcomes: Outcome[], dryRun: boolean | undefined): string => {
  const numbers = Object.entries(Object.groupBy(outcomes, ({ action }) => action)).map(([action, { length }]) => {
    if (action === 'conflict') return count(length, 'conflict');
    if (action === 'none' || action === 'failed') return `${length} ${action === 'none' ? 'unchanged' : 'failed'}`;
    return dryRun ? `${length} to ${action}` : `${length} ${action}d`;
  });
  return numbers.length > 0 ? `${numbers.join(', ')}.` : 'No agents.';
};
