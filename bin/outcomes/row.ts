import type { CountryCode } from 'libphonenumber-js/max';
import type { CallOutcomeItem } from '../../functions/openapi/client/client.ts';

/** The reason why a row is invalid. `number` is the number of the column in a CSV file. */
export type RowError = { column?: string | undefined; number?: number | undefined; message: string };

/**
 * One row of the input, with the item it asks for or the errors in it. `line` is the number of its first line, from 1. `place` has
 * the fields that identify what it changes, and `input` all columns or fields as they were read.
 */
export type FileRow<Item> = { line: number; place: Record<string, string>; input: Record<string, unknown> } & (
  | { item: Item; errors?: undefined }
  | { errors: RowError[]; item?: undefined }
);

export type Row = FileRow<CallOutcomeItem>;

export type Format = 'csv' | 'jsonl';

/** Returns the reason why an agent does not have an outcome, if it does not. */
export type CheckOutcome = (agentId: string, label: string) => Promise<string | undefined>;

/** The options for reading a file. */
export type ReadOptions = {
  /** The agent of rows without an `agentId`. */
  agentId?: string | undefined;
  /** Skip unknown columns and fields instead of failing. */
  ignoreUnknown?: boolean | undefined;
  /** The file has the results of an earlier run: skip its updated rows. */
  onlyFailed?: boolean | undefined;
  /** The fields of columns with other names. */
  map?: Record<string, string> | undefined;
  /** Numbers have a decimal comma. Undefined: in files separated by semicolons, both notations are accepted. */
  decimalComma?: boolean | undefined;
  /** The country of phone numbers without a country code. */
  country?: CountryCode | undefined;
  /** Checks the outcomes of the rows before they are sent. */
  checkOutcome?: CheckOutcome;
};
