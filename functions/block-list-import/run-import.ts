import { currentRequestId, withCause } from '../cause.ts';
import { importFiles } from '../clients/files.ts';
import { queueSender } from '../clients/job-queue.ts';
import type { NumberOutcome } from '../domain/block-list.ts';
import {
  type ImportFailureCode,
  type ImportReference,
  importFailure,
  importFileKey,
  type RowProblem,
  type StoredImportFailure,
  toImportFailure,
} from '../domain/block-list-imports.ts';
import { collectChunks } from '../domain/chunks.ts';
import { DateTime } from '../domain/date-time.ts';
import { largerThanAnnounced } from '../domain/documents.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { limits } from '../domain/limits.ts';
import { readPhoneNumber } from '../domain/read-phone-number.ts';
import { cut } from '../domain/text.ts';
import { suspendedDelaySeconds } from '../domain/timeouts.ts';
import { validate } from '../domain/validation.ts';
import type { ServicesOf } from '../service.ts';
import { isUnreadable, showUnreadable } from '../sheets/decode-sheet.ts';
import { blockList } from '../store/block-list/block-list.ts';
import type { BlockTerms } from '../store/block-list/blocked-number.ts';
import { credentials } from '../store/credentials.ts';
import { blockListShards, listOwner } from '../store/keys.ts';
import { writeQuota } from '../store/write-quota.ts';
import { blockListImports, type ImportRecord, overdueError } from './block-list-imports.ts';
import { NumberSet } from './number-set.ts';
import { type FileRow, ImportError, readRows } from './read-rows.ts';

/** The services of a function that imports files. */
export const importServices = {
  blockList: blockList.for('addAll', 'remove', 'shardPages'),
  credentials: credentials.for('readAccess', 'getKeyState'),
  files: importFiles.for('readPart', 'delete'),
  imports: blockListImports.for('find', 'noteUpload', 'begin', 'advance', 'finish', 'release'),
  writeQuota: writeQuota.for('take', 'exceeded'),
  jobQueue: queueSender('importBlockList'),
};
type Services = ServicesOf<typeof importServices>;

/** The bytes that one request reads of a file, and the bytes that are parsed at a time. Parsed rows take far more memory. */
const pieceBytes = 512 * 1024;
const sliceBytes = 16 * 1024;
/** The interval at which an import checks whether another one has ended. */
const busyDelaySeconds = 5;
/** The number of batches in flight: more than in a request, because 16 batches would leave the function's whole core waiting. */
const batchesInFlight = 32;

/** Imports a file in steps, until a time (Unix milliseconds). A repeated step counts what it added before. */
export const runImport = async (
  reference: ImportReference,
  services: Services,
  until: number,
  { rowsPerStep = 10_000, continues = false }: { rowsPerStep?: number; continues?: boolean } = {},
): Promise<void> => {
  const { files, imports, jobQueue } = services;
  const found = await imports.find(reference);
  if (!found || found.finishedAt !== undefined) {
    if (found) await imports.release(found);
    return files.delete(importFileKey(reference));
  }
  const admission = await admit(found, services, continues);
  if (admission === undefined) return;
  if ('failure' in admission) return failImport(found, services, admission.failure);
  if ('delaySeconds' in admission)
    return jobQueue.send({ job: 'importBlockList', ...reference }, admission.delaySeconds);
  const { begun } = admission;
  try {
    // The entries name the key that created the import.
    const { uid, keyId, keyName } = begun;
    const cause = { maker: { uid, keyId, keyName, via: 'job' as const }, requestId: currentRequestId() };
    const result = await withCause(cause, () => continueImport(begun, services, until, rowsPerStep));
    if (result === 'more') return await jobQueue.send({ job: 'importBlockList', ...reference, continues: true });
    const current = await imports.find(reference);
    // Another run has taken over.
    if (current && current.finishedAt === undefined) return;
    // A canceled import keeps the list locked until its current step ends.
    await imports.release(begun);
    await files.delete(importFileKey(reference));
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    const current = await imports.find(reference);
    if (current && current.finishedAt === undefined) await failImport(current, services, error.message);
  }
};

type Admission = { begun: ImportRecord } | { failure: string } | { delaySeconds: number };

/** Begins an import whose file is there, or says why not. Returns undefined when another message continues it. */
const admit = async (
  found: ImportRecord,
  { credentials, files, imports }: Services,
  continues: boolean,
): Promise<Admission | undefined> => {
  const overdue = overdueError(found);
  if (overdue !== undefined) return { failure: overdue };
  const head = await files.readPart(importFileKey(found), { start: 0, length: 1, etag: found.etag });
  // The message arrived before the file could be read. S3 sends another one for it.
  if (!head && found.status === 'awaiting_upload') return undefined;
  // Another file came by the same form while a run has the first one. That run counts what it imports, and ends the import.
  const { deadlineAt = 0 } = found;
  if (head === 'changed' && !continues && deadlineAt > Date.now()) return { delaySeconds: busyDelaySeconds };
  if (!head || head === 'changed') return { failure: changedFile };
  if (head.size > limits.importBytes) return { failure: `The file is larger than ${formatLimit('importBytes')}.` };
  const { announcedBytes = limits.importBytes } = found;
  if (head.size > announcedBytes) return { failure: largerThanAnnounced(announcedBytes) };
  const keyState = found.status === 'awaiting_upload' ? await credentials.getKeyState(found) : 'usable';
  if (keyState === 'over') return { failure: keyIsOver };
  const begun = keyState === 'suspended' ? 'busy' : await imports.begin(found, found.etag ?? head.etag);
  if (begun !== 'busy') return begun && { begun };
  // From now on it waits for its turn, and not for its file.
  if (found.fileDeadlineAt !== undefined) await imports.noteUpload(found);
  return { delaySeconds: keyState === 'suspended' ? suspendedDelaySeconds : busyDelaySeconds };
};

/** Ends an import with an error, and deletes its file. */
export const failImport = async (
  record: ImportRecord,
  { files, imports }: { files: Pick<Services['files'], 'delete'>; imports: Pick<Services['imports'], 'finish'> },
  error: string,
): Promise<void> => {
  await imports.finish(record, error);
  await files.delete(importFileKey(record));
};

const keyIsOver = 'The API key that created the import is no longer valid. Import the file again with another key.';
const changedFile = 'The file was replaced or deleted before the import had ended. Import it again.';

/** The outcome of a run: the import is done, there is more to do, or another run has taken over. */
type RunResult = 'done' | 'more' | 'taken over';

const continueImport = async (
  begun: ImportRecord,
  services: Services,
  until: number,
  rowsPerStep: number,
): Promise<RunResult> => {
  let record = begun;
  if (record.lines === 0) await examine(record, services);
  const read = await numberReader(record.country);
  const rows = skipRows(readRows(readPieces(record, services), record.columns), record.lines);
  const steps = collectChunks(rows, rowsPerStep);
  for await (const rows of readAhead(checkAccess(steps, record, services))) {
    const next = await importRows(record, rows, read, services, until);
    if (typeof next === 'string') return next;
    record = next;
    if (Date.now() >= until) return 'more';
  }
  if (record.mode === 'replace') {
    const left = await removeOthers(record, services, until);
    if (typeof left === 'string') return left;
    record = left;
  }
  await services.imports.finish(record);
  return 'done';
};

/** Reads the whole file before anything is written, so that a file with an error changes nothing. */
const examine = async (record: ImportRecord, services: Services): Promise<void> => {
  let canReplace = false;
  let failure: StoredImportFailure | undefined;
  const read = await numberReader(record.country);
  for await (const row of readRows(readPieces(record, services), record.columns)) {
    const entry = readEntry(row, record, read);
    if ('phone' in entry) canReplace = true;
    else failure ??= describeFailure(row, entry);
  }
  if (record.mode !== 'replace' || canReplace) return;
  const first = failure && toImportFailure(failure);
  const why = first ? ` Line ${first.line}: ${first.message ?? `${first.reason}.`}` : '';
  throw new ImportError(`The file has no row that can be imported, so nothing is replaced.${why}`);
};
/** Yields the file in pieces. */
async function* readPieces(record: ImportRecord, { files }: Services): AsyncGenerator<Uint8Array> {
  for (let start = 0, size = 1; start < size; start += pieceBytes) {
    const part = await files.readPart(importFileKey(record), { start, length: pieceBytes, etag: record.etag });
    if (!part || part === 'changed') throw new ImportError(changedFile);
    ({ size } = part);
    for (let at = 0; at < part.bytes.length; at += sliceBytes) yield part.bytes.subarray(at, at + sliceBytes);
  }
}

/** Yields the rows after those that are done. */
async function* skipRows(rows: AsyncGenerator<FileRow>, done: number): AsyncGenerator<FileRow> {
  let position = 0;
  for await (const row of rows) if (++position > done) yield row;
}

/** Checks before each step that the user who created the import may still use the agent. */
async function* checkAccess<T>(
  steps: AsyncGenerator<T>,
  record: ImportRecord,
  { credentials }: Services,
): AsyncGenerator<T> {
  const { uid, agentId } = record;
  for await (const step of steps) {
    if (agentId !== undefined && !(await credentials.readAccess([agentId])).get(agentId)?.has(uid)) {
      throw new ImportError('The user who created the import may no longer use the agent.');
    }
    yield step;
  }
}

/** Yields the same values, and reads each while its predecessor is processed. */
async function* readAhead<T>(values: AsyncGenerator<T>): AsyncGenerator<T> {
  let ahead = values.next();
  try {
    for (let one = await ahead; !one.done; one = await ahead) {
      ahead = values.next();
      // Its error is thrown when it is awaited.
      ahead.catch(() => undefined);
      yield one.value;
    }
  } finally {
    await ahead.catch(() => undefined);
    await values.return(undefined);
  }
}

type ReadNumber = (text: string) => { number: string; problem?: never } | { number?: never; problem: RowProblem };

/** Returns the reading of numbers in a file, whose national numbers are of a country if one is given. */
const numberReader = async (country: string | undefined): Promise<ReadNumber> => {
  if (country === undefined) return readPhoneNumber;
  // Its data are larger than the rest of the function, and most files need none.
  const { hasNumberingPlan, readNationalNumber } = await import('../sheets/national-number.ts');
  if (!hasNumberingPlan(country)) throw new ImportError(`The numbers of the country ${country} are not known.`);
  return (text) => {
    const reading = readPhoneNumber(text);
    if (!reading.problem) return reading;
    const number = readNationalNumber(text, country);
    if (number === undefined) return reading.problem === 'noCountryCode' ? { problem: 'notOfCountry' } : reading;
    return number === 'ambiguous' ? { problem: 'ambiguous' } : { number };
  };
};

type Refusal = { code: ImportFailureCode; problem?: RowProblem };

const describeFailure = ({ line, number }: FileRow, { code, problem }: Refusal): StoredImportFailure =>
  importFailure(line, showUnreadable(number), code, problem);

/** Returns the number of a row with its terms, or why the row is not imported. */
const readEntry = (
  { number, reason, expiresAt, hasMore }: FileRow,
  record: ImportRecord,
  read: ReadNumber,
): { phone: string; terms: BlockTerms } | Refusal => {
  if (isUnreadable(`${number}${reason}${expiresAt}`)) return { code: 'invalid_format', problem: 'notUtf8' };
  const { number: phone, problem } = read(number);
  if (problem) return { code: 'invalid_format', problem };
  // What it means is not known: another number, or the rest of a reason.
  if (hasMore) return { code: 'invalid_format', problem: 'noHeading' };
  const given = expiresAt?.trim();
  const until = given ? validate(DateTime, given).data : undefined;
  // The comparison uses the start of the import, so that a repeated step fails the same rows.
  if (given && (until === undefined || until <= (record.startedAt as string))) return { code: 'invalid_expires_at' };
  const why = reason?.trim() || record.reason;
  return {
    phone,
    terms: { reason: why && cut(why, limits.blockReasonCharacters), expiresAt: until ?? record.expiresAt },
  };
};

/** Adds the numbers of a step. */
const importRows = async (
  record: ImportRecord,
  rows: FileRow[],
  read: ReadNumber,
  { blockList, imports, writeQuota }: Services,
  until: number,
): Promise<ImportRecord | 'more' | 'taken over'> => {
  const terms = new Map<string, BlockTerms>();
  const failures = [...record.failures];
  let failed = 0;
  for (const row of rows) {
    const entry = readEntry(row, record, read);
    if ('code' in entry) {
      failed += 1;
      if (failures.length < limits.importFailures) failures.push(describeFailure(row, entry));
    } else if (!terms.has(entry.phone)) terms.set(entry.phone, entry.terms);
  }
  if (!(await writeQuota.take(record.uid, terms.size))) throw new ImportError(writeQuota.exceeded().message);
  const add = (phones: string[]) =>
    blockList.addAll(
      listOwner(record),
      new Map(phones.map((phone) => [phone, terms.get(phone) as BlockTerms])),
      `${record.importId}:${record.lines}`,
      // A list that is imported again already has most of the numbers.
      { batchesInFlight, readFirst: record.alreadyBlocked > record.added },
    );
  const added = await settle([...terms.keys()], add, until);
  if (added === undefined) return 'more';
  const next = await imports.advance(record, {
    lines: record.lines + rows.length,
    added: record.added + added.length,
    addedNumbers: keepFirst(record.addedNumbers, added),
    alreadyBlocked: record.alreadyBlocked + rows.length - failed - added.length,
    failed: record.failed + failed,
    ...(failures.length > record.failures.length && { failures }),
  });
  return next ?? 'taken over';
};

/** Returns the first numbers that an import has changed, which its event has. */
const keepFirst = (former: string[] = [], changed: string[]): string[] =>
  former.length < limits.webhookNumbers ? [...former, ...changed].slice(0, limits.webhookNumbers) : former;

/** Writes numbers, and returns the changed. Undefined in need of time: the step is repeated. */
const settle = async (
  phones: string[],
  write: (phones: string[]) => Promise<Map<string, NumberOutcome>>,
  until: number,
): Promise<string[] | undefined> => {
  const changed: string[] = [];
  for (let left = phones; left.length > 0; ) {
    const outcomes = [...(await write(left))];
    changed.push(...outcomes.flatMap(([phone, outcome]) => (outcome === 'done' ? [phone] : [])));
    left = outcomes.flatMap(([phone, outcome]) => (outcome === 'temporarily_unavailable' ? [phone] : []));
    if (left.length === 0 || Date.now() < until) continue;
    if (left.length === phones.length) throw new Error('Numbers could not be written in time.');
    return undefined;
  }
  return changed;
};

/** Removes the numbers of before the import that the file does not have. */
const removeOthers = async (
  begun: ImportRecord,
  services: Services,
  until: number,
): Promise<ImportRecord | 'more' | 'taken over'> => {
  const { blockList, imports } = services;
  let record = begun;
  const owner = listOwner(record);
  const { importId } = record;
  const inFile = await readNumbers(record, services);
  const isOther = (one: { number: string; isBlocked: boolean; blockedAt: string }) =>
    one.isBlocked && one.blockedAt <= (record.startedAt as string) && !inFile.has(one.number);
  const from = record.removal ?? { shard: 0 };
  for (let shard = from.shard; shard < blockListShards; shard++) {
    const after = shard === from.shard ? from.after : undefined;
    for await (const page of blockList.shardPages(owner, shard, after)) {
      if (page.length === 0) continue;
      // Numbers that an interrupted run of this step removed are counted now.
      const before = page.filter(({ removedBy }) => removedBy === importId);
      const others = page.filter((one) => one.removedBy !== importId && isOther(one)).map(({ number }) => number);
      const remove = (phones: string[]) => blockList.remove(owner, phones, importId, batchesInFlight);
      const changed = await settle(others, remove, until);
      if (changed === undefined) return 'more';
      const all = [...before.map(({ number }) => number), ...changed];
      const removed = record.removed + all.length;
      const removedNumbers = keepFirst(record.removedNumbers, all);
      const removal = { shard, after: page.at(-1)?.number };
      const next = await imports.advance(record, { removed, removedNumbers, removal });
      if (!next) return 'taken over';
      record = next;
      if (Date.now() >= until) return 'more';
    }
  }
  return record;
};

/** Returns the numbers in the file, including those of rows that are not imported for another reason. */
const readNumbers = async (record: ImportRecord, services: Services): Promise<NumberSet> => {
  const numbers = new NumberSet(record.lines);
  const read = await numberReader(record.country);
  for await (const row of readRows(readPieces(record, services), record.columns)) {
    // Most signs of another encoding in a number are spaces and dashes.
    const { number: phone } = read(showUnreadable(row.number).replaceAll('\ufffd', ' '));
    if (phone !== undefined) numbers.add(phone);
  }
  return numbers;
};
