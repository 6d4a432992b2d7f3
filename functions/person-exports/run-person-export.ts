import { exportFiles } from '../clients/files.ts';
import { exportsFolder } from '../domain/exports.ts';
import { newUlid } from '../domain/identifiers.ts';
import { listForms } from '../domain/number-forms.ts';
import { noPersonCounts, type PersonCounts, personLineCounts } from '../domain/person-exports.ts';
import { listPlaces, personKinds, readServices } from '../erasure/person-kinds.ts';
import type { ServicesOf } from '../service.ts';
import { hashOfNumber } from '../store/erased-people.ts';
import { isFinished } from '../store/exports.ts';
import { personExports, type StoredPersonExport } from './person-exports.ts';

export const personExportServices = {
  ...readServices,
  personExports: personExports.for('find', 'save', 'finish', 'expire'),
  exportFiles: exportFiles.for('put', 'delete'),
};
type Services = ServicesOf<typeof personExportServices>;

/**
 * Writes the data of a person to a file, and deletes it a day after its end. Returns when the export continues; undefined
 * when it is over.
 */
export const runPersonExport = async (
  { uid, exportId, isRescue }: { uid: string; exportId: string; isRescue?: true },
  services: Services,
): Promise<{ dueAt: number } | undefined> => {
  const found = await services.personExports.find(uid, exportId);
  if (!found || (isRescue && found.status !== 'pending')) return undefined;
  const finished = isFinished(found) ? found : await writeFile(found, services);
  return finished && services.personExports.expire(finished, services.exportFiles);
};

const writeFile = async (found: StoredPersonExport, services: Services): Promise<StoredPersonExport | undefined> => {
  // Each run has its own name: one that was overtaken deletes only what is its own.
  const key = `${exportsFolder}${found.exportId}/${newUlid()}.jsonl`;
  const begun = await services.personExports.save(found, { fileKeys: [...found.fileKeys, key] });
  if (begun?.number === undefined) return undefined;
  const { counts, content } = await readPerson(begun.uid, begun.number, services);
  const files = content.length > 0 ? [{ key, bytes: content.length }] : [];
  if (files.length > 0) await services.exportFiles.put(key, content);
  const finished = await services.personExports.finish(begun, { counts, files, number: null });
  // An erasure has deleted the export meanwhile, or another run has begun it.
  if (!finished) await services.exportFiles.delete(key);
  return finished;
};

/** Returns all that an erasure would erase of a person, as JSON Lines. */
export const readPerson = async (
  uid: string,
  number: string,
  services: ServicesOf<typeof readServices>,
): Promise<{ counts: PersonCounts; content: Buffer }> => {
  const counts = { ...noPersonCounts };
  const lines: Buffer[] = [];
  for (const kind of Object.values(personKinds))
    for await (const place of listPlaces(uid, number, services))
      for await (const line of kind.read(place, services)) {
        lines.push(Buffer.from(`${JSON.stringify(line)}\n`));
        counts[personLineCounts[line.kind]]++;
      }
  return { counts, content: Buffer.concat(lines) };
};

export const discardPersonServices = {
  personExports: personExports.for('list', 'remove'),
  exportFiles: exportFiles.for('delete'),
};

/** Deletes the exports of a user, or those of one person whom the keyed hashes of the number's forms tell. */
export const discardPersonExports = async (
  uid: string,
  { personExports, exportFiles }: ServicesOf<typeof discardPersonServices>,
  person?: { secret: string; number: string },
): Promise<void> => {
  const hashes = person && listForms(person.number).map((form) => hashOfNumber(person.secret, uid, form));
  for await (const found of personExports.list(uid))
    if (!hashes || hashes.includes(found.numberHash)) await personExports.remove(found, exportFiles);
};
