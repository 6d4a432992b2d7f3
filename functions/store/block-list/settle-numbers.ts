import pMap from 'p-map';
import type { NumberOutcome } from '../../domain/block-list.ts';
import { backOff, chunks, type Statement, statementsPerBatch, type Table } from '../table.ts';
import { isRetryable, retryableCodes } from '../write-failures.ts';
import type { BlockedItem } from './blocked-number.ts';

/** The result of one step: a number's outcome, or its next step. */
export type Step = NumberOutcome | 'insert' | 'look' | 'reclaim' | 'remove';

/** Runs a step of some numbers, and returns the result of each; undefined for those whose step must be retried. */
type RunStep = (phones: string[]) => Promise<(Step | undefined)[]>;

type SettleOptions = {
  /** The step that every number begins with. */
  first: Step;
  batchesInFlight: number;
  /** After this time, the numbers that have no outcome are `temporarily_unavailable`. */
  timeoutMilliseconds: number;
};

const keysPerRead = 100;

/**
 * Runs the steps of every number until all have an outcome or the time is over. A step that fails as a whole,
 * or a number whose statement was throttled or in conflict, is retried after a pause.
 */
export const settleNumbers = async (
  phones: string[],
  { first, batchesInFlight, timeoutMilliseconds }: SettleOptions,
  steps: Partial<Record<Step, RunStep>>,
): Promise<Map<string, NumberOutcome>> => {
  const deadlineAt = Date.now() + timeoutMilliseconds;
  const at = new Map<string, Step>(phones.map((phone) => [phone, first]));
  const isOutcome = (step: Step): step is NumberOutcome => !(step in steps);
  for (let round = 0; ; round++) {
    const outcomes = new Map<string, NumberOutcome>();
    for (const [phone, step] of at) if (isOutcome(step)) outcomes.set(phone, step);
    if (outcomes.size === at.size) return outcomes;
    const unsettled = [...at].filter(([, step]) => !isOutcome(step));
    const batches = Object.entries(Object.groupBy(unsettled, ([, step]) => step)).flatMap(([step, numbers]) =>
      chunks(numbers, step === 'look' ? keysPerRead : statementsPerBatch).map((batch) => ({
        step: step as Step,
        batch: batch.map(([phone]) => phone),
      })),
    );
    let needsPause = false;
    await pMap(
      batches,
      async ({ step, batch }) => {
        const next = Date.now() < deadlineAt ? await steps[step]?.(batch).catch(retryLater) : undefined;
        for (const [index, phone] of batch.entries()) {
          const reached = next?.[index];
          if (reached !== undefined) at.set(phone, reached);
          else needsPause = true;
        }
      },
      { concurrency: batchesInFlight },
    );
    if (Date.now() >= deadlineAt) {
      for (const [phone, step] of at) if (!isOutcome(step)) at.set(phone, 'temporarily_unavailable');
    }
    if (needsPause) await backOff(round + 1);
  }
};

/** Leaves the batch to be retried, where that may help. */
const retryLater = (error: Error) => {
  if (!isRetryable(error)) throw error;
  return undefined;
};

/** Runs one batch. Returns per statement `done`, what `read` makes of its error, or undefined when it must be retried. */
export const executeBatch = async (
  table: Table,
  statements: Statement[],
  read: (error: string, item: BlockedItem | undefined) => Step | undefined,
): Promise<(Step | undefined)[]> => {
  const results = await table.execute(statements);
  return results.map(({ error, item }) => {
    if (!error) return 'done';
    const step = read(error, item as BlockedItem | undefined);
    if (step === undefined && !retryableCodes.has(error))
      throw new TypeError(`A block-list statement failed: ${error}.`);
    return step;
  });
};
