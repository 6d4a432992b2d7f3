import { factNames, outcomeFields } from '../../functions/domain/calls.ts';
import type { ReadOptions } from './row.ts';

/** The fields of an item. */
export const itemFields = ['agentId', 'callIdOrPhone', 'preference', 'metadataMode', ...outcomeFields] as const;

/** The fields that results add to a row. `input` contains a line that is not a JSON object. */
export const resultFields = ['line', 'status', 'input', 'call_id', 'phone', 'updated_fields', 'error', 'message'];

/** A CSV column with this prefix is one key of the metadata. */
export const metadataPrefix = 'custom_call_metadata.';

/** Returns true if a column or field may be in the input. `pull` writes facts of a call for the reader of the file, which `push` ignores. A results file has those that the first run was told to skip. */
export const isKnown = (name: string, { ignoreUnknown, onlyFailed }: ReadOptions): boolean =>
  ignoreUnknown === true || onlyFailed === true || isAmongNames(itemFields, name) || isAmongNames(factNames, name);

export const isAmongNames = <T extends string>(names: readonly T[], name: string): name is T =>
  (names as readonly string[]).includes(name);

/** Suggests what to do about an unknown column or field. */
export const unknownHint = (name: string) =>
  resultFields.includes(name)
    ? 'To send the failed rows of a results file, use --only-failed.'
    : `To name its field, use --map "${name}=FIELD"; to skip unknown ones, --ignore-unknown.`;
