import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { formatLimit } from '../../functions/domain/format-limit.ts';
import { limits } from '../../functions/domain/limits.ts';
import { describeFailure } from '../command-line/describe-error.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { writeOutput } from '../command-line/output-file.ts';
import { type AgentContent, type AgentDocument, parseAgent, withFields } from './agent-file.ts';
import { parseReference, type VersionReference } from './version-reference.ts';

/** A document. Its checksum is that of the file at its path, or the noted one if there is no such file. */
export type LocalDocument = { path: string; name: string; active: boolean; md5: string };

/** A file of the folder. */
export type AgentFile = Omit<AgentDocument, 'content'> & {
  name: string;
  text: string;
  content: Omit<AgentContent, 'version' | 'documents'> & { documents?: LocalDocument[] };
  references: VersionReference[];
};

/** The maximum size of a file: more than twice the largest configuration. */
const maxFileBytes = 500_000;

/** Reads the agents of a folder from its .yaml files, without those in subfolders. Throws an error that names each broken file. */
export const readFolder = async (folder: string): Promise<AgentFile[]> => {
  const names = await readdir(folder).catch((error) => {
    throw new CommandError(`${folder}: ${describeFailure(error)}`, exitCodes.usage);
  });
  const files: AgentFile[] = [];
  const faults: string[] = [];
  for (const name of names.filter((name) => /^[^.].*\.ya?ml$/i.test(name)).sort()) {
    try {
      const file = await readAgentFile(folder, name);
      const other = files.find(({ content }) => content.key === file.content.key);
      if (other) throw new CommandError(`uses the key ${other.content.key}, which ${other.name} already uses.`);
      files.push(file);
    } catch (error) {
      faults.push(`${name}: ${describeFailure(error)}`);
    }
  }
  if (faults.length > 0) throw new CommandError(faults.join('\n'), exitCodes.usage);
  return files;
};

const readAgentFile = async (folder: string, name: string): Promise<AgentFile> => {
  const path = join(folder, name);
  const stats = await lstat(path);
  if (!stats.isFile()) throw new CommandError('is a link or a folder, not a file.');
  if (stats.size > maxFileBytes) throw new CommandError('is larger than 500 KB.');
  const bytes = await readFile(path);
  if (!isUtf8(bytes)) throw new CommandError('is not UTF-8.');
  const { content, ...yaml } = parseAgent(bytes.toString());
  const { version = [], documents, ...others } = content;
  const localDocuments: LocalDocument[] = [];
  for (const { path, name = basename(path), active, md5: noted } of documents ?? []) {
    const file = await readDocument(folder, path);
    const md5 = file ? hashMd5(file) : noted;
    if (!md5) throw new CommandError(`${path}: no such file.`);
    localDocuments.push({ path, name, active, md5 });
  }
  return {
    ...yaml,
    name,
    text: bytes.toString(),
    references: [version].flat().map(parseReference),
    content: { ...others, ...(documents && { documents: localDocuments }) },
  };
};

/** Writes the fields that differ into a file. A file without differences is not written. */
export const saveFields = async (folder: string, file: AgentFile, fields: Record<string, unknown>): Promise<void> => {
  const present = file.document.toJS();
  if (Object.entries(fields).every(([field, value]) => isDeepStrictEqual(present[field], value))) return;
  const text = withFields(file.document, fields);
  await writeOutput(join(folder, file.name), [file.text.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text]);
};

export const hashMd5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

/** Reads a document's file. Returns undefined if there is none. */
export const readDocument = async (folder: string, path: string): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const real = await realPathWithin(folder, path).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!real) return undefined;
  const stats = await stat(real);
  if (!stats.isFile()) throw new CommandError(`${path}: is not a file.`);
  if (stats.size > limits.fileBytes) throw new CommandError(`${path}: is larger than ${formatLimit('fileBytes')}.`);
  return new Uint8Array(await readFile(real));
};

/** Writes a document's file. */
export const writeDocument = async (folder: string, path: string, bytes: Uint8Array): Promise<void> => {
  await mkdir(join(folder, dirname(path)), { recursive: true });
  await realPathWithin(folder, dirname(path));
  await writeOutput(join(folder, path), [bytes]);
};

/** Returns the path that links lead to. Refuses links out of the folder, because their targets may be any file on the machine. */
const realPathWithin = async (folder: string, path: string): Promise<string> => {
  const real = await realpath(join(folder, path));
  if (!real.startsWith((await realpath(folder)) + sep)) throw new CommandError(`${path}: leads out of the folder.`);
  return real;
};

/** Returns an unused path in the agent's folder for a document whose name is untrusted. */
export const chooseFreePath = async (folder: string, key: string, name: string): Promise<string> => {
  const plain = name.replaceAll(/[^\p{L}\p{N} ._()-]/gu, '_').replace(/^[. ]+/, '_');
  const [, stem = '', extension = ''] = /^(.*?)(\.[^.]{1,10})?$/.exec(plain) ?? [];
  for (let number = 1; ; number++) {
    const path = `${key}/${stem.slice(0, 60)}${number > 1 ? ` (${number})` : ''}${extension}`;
    if (!(await readDocument(folder, path))) return path;
  }
};
