import type { Schema } from '../../functions/openapi/client.ts';

/** What is wrong with a row: in which column or field, and in CSV in which column by number. */
export type RowError = { column?: string | undefined; number?: number | undefined; message: string };

/** One row of the input: what it asks for, or what is wrong with it. `line` is the one it begins on, counted from 1. */
export type Row = { line: number; agentId: string; callIdOrPhone: string } & (
  | { item: Schema<'CallOutcomeItem'>; mistakes?: undefined }
  | { mistakes: RowError[]; item?: undefined }
);

export type Format = 'csv' | 'jsonl';

export type ReadOptions = {
  /** The agent of the rows that name none. */
  agentId?: string | undefined;
  /** Whether columns and fields that mean nothing are passed over, instead of being a mistake. */
  ignoreUnknown?: boolean | undefined;
};
