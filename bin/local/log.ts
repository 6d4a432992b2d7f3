import { redact } from '../../functions/log.ts';

/** The fields of a line of a function's log that are printed here. */
type Entry = {
  level: string;
  operation?: string;
  status?: number;
  job?: string;
  milliseconds?: number;
  givenUp?: unknown;
  failedDelivery?: string;
  code?: string;
  reason?: string;
  /** The end of a response of the build chat, and the tools that it used. */
  state?: string;
  tools?: string[];
  cause?: { name: string; message: string; stack?: string };
};

/** Prints the JSON lines that functions log to standard error as readable lines. The gateway prints requests itself. */
export const printReadableLog = (): void => {
  const write = process.stderr.write.bind(process.stderr);
  process.stderr.write = ((chunk: string | Uint8Array, ...rest: []) => {
    const isEntry = typeof chunk === 'string' && chunk.startsWith('{"time":');
    return isEntry ? write(describeEntry(JSON.parse(chunk) as Entry)) : write(chunk, ...rest);
  }) as typeof process.stderr.write;
};

/** Returns a readable line for a log entry of a function, with the stack of an error below it. */
export const describeEntry = (entry: Entry): string => {
  const {
    operation,
    status,
    code,
    reason,
    job,
    milliseconds,
    givenUp,
    failedDelivery,
    state,
    tools = [],
    cause,
  } = entry;
  const stack = cause ? `${describeCause(cause)}\n` : '';
  if (operation && status !== undefined) return reason ? `${operation} ${code}: ${reason}\n` : stack;
  if (state) return `${operation} ${state}, tools: ${tools.join(', ') || 'none'}\n${stack}`;
  if (failedDelivery) return `delivery ${failedDelivery} failed: ${reason}\n`;
  if (!job) return `${formatEntryFields(entry)}\n${stack}`;
  const result = cause ? (givenUp ? 'failed for good' : 'failed, will be retried') : 'done';
  return `${job} ${result} ${milliseconds} ms\n${stack}`;
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
 * One line for a request: `PATCH /calls/… 400 12 ms custom_call_outcome_value: must be a number`. From 500 on, it ends with the
 * id of the request, which the response names.
 */
export const describeRequest = (
  request: { method: string; path: string; milliseconds: number },
  response: { status: number; body?: string | undefined; requestId?: string | undefined },
): string => {
  const { method, path, milliseconds } = request;
  const requestId = response.status < 500 ? undefined : response.requestId;
  const reason = response.status < 400 ? '' : ` ${readReason(response.body ?? '')}`;
  // A status beside a duration would look like a phone number.
  const line = `${redact(`${method} ${path}`)} ${response.status} ${Math.round(milliseconds)} ms${redact(reason).trimEnd()}`;
  return requestId ? `${line} ${requestId}` : line;
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
