import type { CountryCode } from 'libphonenumber-js/max';
import { ConsentsRequest, readConsent } from '../../../functions/domain/consents.ts';
import { withPlainSpaces } from '../../../functions/domain/signs.ts';
import { validate } from '../../../functions/domain/validation.ts';
import type { NewConsent } from '../../../functions/openapi/client/client.ts';
import { isUnreadable, showUnreadable } from '../../../functions/sheets/decode-sheet.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { absoluteTime } from '../../command-line/times.ts';
import { ambiguous, readNumber } from '../../outcomes/checked-row.ts';
import { readCsv } from '../../outcomes/read-csv.ts';
import type { FileRow, RowError } from '../../outcomes/row.ts';
import { decodeFile } from '../../outcomes/text-of-file.ts';
import { type ConsentField, type ConsentMap, consentFields, proofFields } from './consent-map.ts';

export type ConsentRowOptions = ConsentMap & {
  /** What holds for rows without a value of their own. */
  fallbacks: Partial<Record<ConsentField, string>>;
  /** The country of phone numbers without a country code. */
  country?: CountryCode | undefined;
  ignoreUnknown?: boolean | undefined;
  /** The file has the results of an earlier run: skip its recorded rows. */
  onlyFailed?: boolean | undefined;
};

/** The fields that results add to a row. */
export const consentResultFields = ['line', 'status', 'consentId', 'error', 'message'];

/** Yields the rows of a CSV file with a header, without those whose state the options skip. */
export async function* readConsentRows(
  file: string,
  options: ConsentRowOptions,
  onBytes?: (bytes: Buffer) => void,
): AsyncGenerator<FileRow<NewConsent>> {
  let header: string[] | undefined;
  for await (const { line, cells } of readCsv(file, decodeFile(file, onBytes))) {
    if (!header) {
      header = checkHeader(file, line, nameColumns(cells, options), options);
      continue;
    }
    const input = Object.fromEntries(header.flatMap((name, index) => (name ? [[name, cells[index] ?? '']] : [])));
    if (options.onlyFailed && input.status === 'recorded') continue;
    const row = readRow(line, header, cells, input, options);
    if (row) yield row;
  }
}

/** Returns the fields of the columns. White space of any kind and invisible signs, which nobody sees, make no other column. */
const nameColumns = (cells: string[], { columns }: ConsentMap) =>
  cells.map((cell) => {
    const plain = withPlainSpaces(cell);
    const field = columns.get(cell) ?? columns.get(plain);
    return field ?? (isField(plain) ? plain : cell);
  });

const isField = (name: string): name is ConsentField => (consentFields as readonly string[]).includes(name);

/** Fails when a column is missing, duplicate or unknown, since an unknown one may be a typo. */
const checkHeader = (file: string, line: number, header: string[], options: ConsentRowOptions): string[] => {
  const invalid = (message: string, place = '') =>
    new CommandError(`${file}:${line}${place}: ${message}`, exitCodes.usage);
  for (const [index, name] of header.entries()) {
    const place = `:${index + 1}`;
    if (name !== '' && header.indexOf(name) !== index)
      throw invalid(`duplicate column ${showUnreadable(name)}.`, place);
    if (name === '' || isField(name) || options.ignoreUnknown || options.onlyFailed) continue;
    const shown = JSON.stringify(name);
    const advice = isUnreadable(name)
      ? 'It is not in UTF-8: save the file in UTF-8, and try again.'
      : `To name its field, use --map ${JSON.stringify(`${name}=FIELD`)}; to skip unknown ones, --ignore-unknown.`;
    throw invalid(`unknown column ${shown}. The columns are ${consentFields.join(', ')}. ${advice}`, place);
  }
  for (const field of options.columns.values())
    if (!header.includes(field)) throw invalid(`no column is mapped to ${field}: --map names one that is missing.`);
  for (const field of ['number', 'purpose', 'state', 'at'] as const) {
    if (header.includes(field) || options.fallbacks[field] !== undefined) continue;
    const option = field === 'number' ? '' : ` Or use --${field} for all rows.`;
    throw invalid(`the column ${field} is missing. To name it, use --map "COLUMN=${field}".${option}`);
  }
  if (options.onlyFailed && !(header.includes('line') && header.includes('status')))
    throw invalid('--only-failed requires a results file, which has the columns line and status.');
  return header;
};

/** Reads a row; undefined for one that is skipped by its state. */
const readRow = (
  line: number,
  header: string[],
  cells: string[],
  input: Record<string, string>,
  options: ConsentRowOptions,
): FileRow<NewConsent> | undefined => {
  const errors: RowError[] = [];
  const fail = (column: ConsentField, message: string) => {
    const index = header.indexOf(column);
    if (!errors.some((error) => error.column === column))
      errors.push({ column, message, number: index < 0 ? undefined : index + 1 });
  };
  if (cells.length !== header.length)
    errors.push({ message: `has ${cells.length} cells, but the header has ${header.length}` });
  const given: Partial<Record<ConsentField, string>> = {};
  for (const field of consentFields) {
    const cell = (input[field] ?? '').trim();
    const value = cell === '' ? options.fallbacks[field] : field === 'proof_text' ? cell : withPlainSpaces(cell);
    if (value === undefined) continue;
    if (isUnreadable(value)) fail(field, 'is not in UTF-8: save the file in UTF-8, and try again');
    given[field] = value;
  }
  const state = readState(given.state, options);
  if (state === 'skip') return undefined;
  if (state === undefined) fail('state', given.state === undefined ? 'is missing' : unknownState(given.state));
  const number = readNumber(given.number ?? '', options.country);
  if (number === 'ambiguous') fail('number', ambiguous);
  const readTime = (field: 'at' | 'expiresAt') => {
    const text = given[field];
    try {
      return text === undefined ? undefined : absoluteTime(text);
    } catch (error) {
      return fail(field, (error as Error).message);
    }
  };
  const at = readTime('at');
  if (given.at === undefined) fail('at', 'is missing: say when the person said so');
  const proof = Object.fromEntries(
    Object.entries(proofFields).flatMap(([field, name]) => {
      const value = given[field as ConsentField];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const item = {
    number: number === 'ambiguous' || number === undefined ? (given.number ?? '') : number,
    purpose: given.purpose ?? '',
    state: state ?? 'given',
    at,
    expiresAt: readTime('expiresAt'),
    seller: given.seller,
    proof: Object.keys(proof).length > 0 ? proof : undefined,
  };
  checkItem(item, fail);
  const row = { line, place: { number: item.number }, input };
  return errors.length > 0 ? { ...row, errors } : { ...row, item: item as NewConsent };
};

/** Reports what the service would refuse. */
const checkItem = (item: Record<string, unknown>, fail: (column: ConsentField, message: string) => void) => {
  const { data, error } = validate(ConsentsRequest, { uid: 'user', consents: [item] });
  for (const { path, message } of error?.details ?? []) {
    const field = path.split('.').at(-1) ?? '';
    fail(isField(field) ? field : 'number', message);
  }
  const [consent] = data?.consents ?? [];
  if (!consent) return;
  const read = readConsent(consent, Date.now());
  if (!('code' in read)) return;
  const { code, message = read.reason } = read;
  fail(columnOfCode[code] ?? 'number', message);
};

const columnOfCode: Record<string, ConsentField> = {
  invalid_purpose: 'purpose',
  invalid_at: 'at',
  invalid_expires_at: 'expiresAt',
  invalid_proof: 'proof_channel',
};

const readState = (value: string | undefined, { states }: ConsentMap) => {
  const text = value?.toLowerCase();
  return text === 'given' || text === 'revoked' ? text : states.get(text ?? '');
};

const unknownState = (value: string) =>
  `is ${JSON.stringify(value)}: it must be given or revoked. To say what it means, use --map ${JSON.stringify(`state=${value}:given`)}, revoked or skip`;
