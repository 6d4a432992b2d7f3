import pMap from 'p-map';
import type { NumberOutcome } from '../../domain/block-list.ts';
import { chunks } from '../../domain/chunks.ts';
import { type Statement, statementsPerBatch } from '../statements.ts';
import { backOff, type Table } from '../table.ts';
import { retryableCodes, retryLater } from '../write-failures.ts';
import type { BlockedItem } from './blocked-number.ts';

export type StepName = 'insert' | 'read' | 'reclaim' | 'remove';

/** The state of a number: its outcome, or the step that comes next. */
export type NumberState = { outcome: NumberOutcome } | { next: StepName };

/** Runs a step, and returns the states; undefined for numbers to retry. */
type RunStep = (phones: string[]) => Promise<(NumberState | undefined)[]>;

type SettleOptions = {
  /** The first step of every number. */
  first: StepName;
  batchesInFlight: number;
  /** After this time, the numbers that have no outcome are `temporarily_unavailable`. */
  timeoutMilliseconds: number;
};

const keysPerRead = 100;

/** Runs steps until all numbers have an outcome, or time is over. Failed steps pause first. */
export const settleNumbers = async (
  phones: string[],
  { first, batchesInFlight, timeoutMilliseconds }: SettleOptions,
  steps: Partial<Record<StepName, RunStep>>,
): Promise<Map<string, NumberOutcome>> => {
  const until = Date.now() + timeoutMilliseconds;
  const states = new Map<string, NumberState>(phones.map((phone) => [phone, { next: first }]));
  for (let round = 1; ; round++) {
    const batches = planBatches(states);
    if (batches.length === 0 || Date.now() >= until) break;
    let needsPause = false;
    const runBatch = async ({ step, phones }: Batch) => {
      const reached = Date.now() < until ? await steps[step]?.(phones).catch(retryLater) : undefined;
      for (const [index, phone] of phones.entries()) {
        const state = reached?.[index];
        if (state) states.set(phone, state);
        else needsPause = true;
      }
    };
    await pMap(batches, runBatch, { concurrency: batchesInFlight });
    if (needsPause) await backOff(round);
  }
  const settledOutcome = (state: NumberState) => ('outcome' in state ? state.outcome : 'temporarily_unavailable');
  return new Map([...states].map(([phone, state]) => [phone, settledOutcome(state)]));
};

type Batch = { step: StepName; phones: string[] };

/** Returns the next steps of all numbers that have no outcome. */
const planBatches = (states: Map<string, NumberState>): Batch[] => {
  const pending = [...states].flatMap(([phone, state]) => ('next' in state ? [{ phone, step: state.next }] : []));
  return Object.entries(Object.groupBy(pending, ({ step }) => step)).flatMap(([step, numbers]) =>
    chunks(numbers, step === 'read' ? keysPerRead : statementsPerBatch).map((batch) => ({
      step: step as StepName,
      phones: batch.map(({ phone }) => phone),
    })),
  );
};

/** Runs a batch. `stateAfter` judges errors; undefined means a retry. */
export const executeBatch = async (
  table: Table,
  statements: Statement[],
  stateAfter: (error: string, item: BlockedItem | undefined) => NumberState | undefined,
): Promise<(NumberState | undefined)[]> => {
  const results = await table.execute(statements);
  return results.map(({ error, item }) => {
    if (!error) return { outcome: 'done' };
    const state = stateAfter(error, item as BlockedItem | undefined);
    if (state === undefined && !retryableCodes.has(error))
      throw new TypeError(`A block-list statement failed: ${error}.`);
    return state;
  });
};
