import { redact } from '../../functions/log.ts';
import { count } from '../command-line/output.ts';

/** The fields of a line of a function's log that are printed here. */
type Entry = {
  level: string;
  requestId?: string;
  operation?: string;
  status?: number;
  agentId?: string;
  job?: string;
  milliseconds?: number;
  givenUp?: unknown;
  failedDelivery?: string;
  code?: string;
  reason?: string;
  /** The field for which a signed form was refused. */
  field?: string;
  /** The end of a response of the build chat, and the tools that it used. */
  state?: string;
  tools?: string[];
  cause?: { name: string; message: string; stack?: string };
};

/** Prints a line about a request. The log of the function has its agent. */
export type Report = (line: string, requestId?: string) => void;

/** A job that succeeds again within this time is counted and not printed: an import counts calls thousands of times. */
const repeatMilliseconds = 10_000;

/**
 * Prints the JSON lines that functions log to standard error as readable lines, each line with the time of day. The gateway
 * reports requests itself.
 */
export const startReadableLog = (): Report => {
  const write = process.stderr.write.bind(process.stderr);
  const agents = new Map<string, string>();
  const repeats = new Map<string, number>();

  const isRepeat = ({ job, cause }: Entry) => {
    if (!job || cause) return false;
    const earlier = repeats.get(job);
    repeats.set(job, earlier === undefined ? 0 : earlier + 1);
    if (earlier === undefined) setTimeout(() => printRepeats(job), repeatMilliseconds).unref();
    return earlier !== undefined;
  };
  const printRepeats = (job: string) => {
    const times = repeats.get(job) ?? 0;
    repeats.delete(job);
    if (times > 0) print(`${job} done ${count(times, 'more time')} in ${repeatMilliseconds / 1000} seconds\n`);
  };
  const print = (text: string) => (text === '' ? true : write(`${timeOfDay(new Date())} ${text}`));

  process.stderr.write = ((chunk: string | Uint8Array, ...rest: []) => {
    if (typeof chunk !== 'string') return write(chunk, ...rest);
    if (!chunk.startsWith('{"time":')) return print(chunk);
    const entry = JSON.parse(chunk) as Entry;
    const { requestId, agentId } = entry;
    if (requestId && agentId) agents.set(requestId, agentId);
    return isRepeat(entry) || print(describeEntry(entry));
  }) as typeof process.stderr.write;

  return (line, requestId = '') => {
    print(`${[line, agents.get(requestId)].filter(Boolean).join(' ')}\n`);
    agents.delete(requestId);
  };
};

const timeOfDay = (time: Date) => time.toTimeString().slice(0, 'HH:MM:SS'.length);

/** Returns a readable line for a log entry of a function, with the stack of an error below it. */
export const describeEntry = (entry: Entry): string => {
  const {
    operation,
    status,
    code,
    reason,
    field,
    job,
    milliseconds,
    givenUp,
    failedDelivery,
    state,
    tools = [],
    cause,
  } = entry;
  const stack = cause ? `${describeCause(cause)}\n` : '';
  if (operation && status !== undefined)
    return reason ? `${operation} ${code}: ${reason}${field ? `, field ${field}` : ''}\n` : stack;
  if (state) return `${operation} ${state}, tools: ${tools.join(', ') || 'none'}\n${stack}`;
  if (failedDelivery) return `delivery ${failedDelivery} failed: ${reason}\n`;
  if (!job) return `${formatEntryFields(entry)}\n${stack}`;
  const result = cause ? (givenUp ? 'failed for good' : 'failed, will be retried') : 'done';
  // A batch of changes has no time of its own.
  const time = milliseconds === undefined ? '' : ` ${milliseconds} ms`;
  return `${job} ${result}${time}\n${stack}`;
};

/** Returns the stack of an error. The stack of a deadline says nothing about the work in progress. */
const describeCause = ({ name, message, stack }: { name: string; message: string; stack?: string }) =>
  name === 'TimeoutError' ? 'The work was not done before its deadline.' : (stack ?? `${name}: ${message}`);

const formatEntryFields = ({ cause, ...fields }: Entry) =>
  Object.entries(fields)
    .filter(([name]) => name !== 'time')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

/**
 * One line for a request: `PATCH /calls/… 400 12 ms custom_call_outcome_value: must be a number`. The line of a failed request
 * ends with its id, which is also in the response and the log of changes.
 */
export const describeRequest = (
  request: { method: string; path: string; milliseconds: number },
  response: { status: number; body?: string; requestId?: string },
): string => {
  const { method, path, milliseconds } = request;
  const { status, body = '', requestId } = response;
  const failed = status >= 400;
  const reason = failed ? readReason(body) : '';
  // A status beside a duration would look like a phone number.
  const facts = [redact(`${method} ${path}`), status, Math.round(milliseconds), 'ms', redact(reason).trim()];
  return [...facts, failed && requestId].filter(Boolean).join(' ');
};

const readReason = (body: string): string => {
  try {
    const { message, details } = JSON.parse(body) as {
      message?: string;
      details?: { path: string; message: string }[];
    };
    const [first, ...more] = details ?? [];
    if (!first) return message ?? '';
    return `${first.path ? `${first.path}: ` : ''}${first.message}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
  } catch {
    return '';
  }
};
