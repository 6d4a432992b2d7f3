/** A warm instance of a function: a process that serves an operation, with a clock that its parent sets. */
import { getKey } from '../../functions/api/get-key.ts';
import { invoke } from './events.ts';

/** Requests that an instance serves side by side, at a moment of its own clock. Times are Unix milliseconds; `elapsed` is monotonic. */
export type Turn = { apiKey: string; count: number; at: number; elapsed: number };
/** The outcomes of the requests of a turn, and the errors that the instance logged during it. */
export type Served = { taken: number; waits: number[]; errors: string[] };

let errors: string[] = [];
process.stderr.write = ((line: string) => {
  if (line.includes('"level":"error"')) errors.push(line);
  return true;
}) as typeof process.stderr.write;

process.on('message', async ({ apiKey, count, at, elapsed }: Turn) => {
  Date.now = () => at;
  performance.now = () => elapsed;
  const answers = await Promise.all(Array.from({ length: count }, () => invoke(getKey, { apiKey })));
  const served: Served = {
    taken: answers.filter(({ status }) => status === 200).length,
    waits: answers.flatMap(({ status, headers }) => (status === 429 ? [Number(headers['retry-after'])] : [])),
    errors,
  };
  errors = [];
  process.send?.(served);
});
