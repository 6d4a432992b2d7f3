import { createHmac, randomBytes } from 'node:crypto';
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { knownFormat, NewerFormatError } from '../../functions/store/format.ts';
import { keepFile, readKeptFile } from './kept-files.ts';
import { type Started, StartupError } from './started.ts';

/** The credentials of the local stores. DynamoDB Local has a database for each access key id, so the id protects the data. */
export type Credentials = { accessKeyId: string; secretAccessKey: string };

export const localRegion = 'us-east-1';

/** The place where a run keeps its data. Without a folder, the data are deleted when the run ends. */
export type DataFolder = Started & {
  path: string | undefined;
  credentials: Credentials;
  /** Returns a secret for a purpose. The same data always have the same secret. */
  getSecret(purpose: 'chat' | 'erasure' | 'webhooks'): string;
};

/** Opens the folder that keeps the data. One run uses it at a time, and only its owner can read it. */
export const openDataFolder = (folder: string | undefined): DataFolder => {
  if (folder === undefined) {
    return { path: undefined, credentials: newCredentials(), getSecret: deriveSecrets(newKey()), stop: async () => {} };
  }
  const path = resolve(folder);
  checkFolderFormat(path);
  try {
    makeFolder(path);
    // Throws if it is a file, whose mode stays as it is.
    readdirSync(path);
    chmodSync(path, 0o700);
    accessSync(path, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `The data cannot be kept in ${path} (${code}): name a writable folder, as in \`npm start -- --data data\`.`,
    );
  }
  const lock = lockFolder(path);
  keepFile(join(path, formatFile), JSON.stringify({ format: knownFormat }));
  const credentials = readCredentialsFile(path);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isFile()) chmodSync(join(path, entry.name), 0o600);
  }
  return { path, credentials, getSecret: deriveSecrets(readKeyFile(path)), stop: async () => lock.close() };
};

const formatFile = 'format.json';

/** Refuses data of another format before anything is changed. A folder with a database has a file that names its format. */
const checkFolderFormat = (path: string) => {
  const file = join(path, formatFile);
  const kept = readKeptFile<{ format: number }>(file);
  if (kept) {
    if (kept.format > knownFormat) throw new StartupError(new NewerFormatError(path, kept.format).message);
  } else if (
    existsSync(path) &&
    statSync(path).isDirectory() &&
    readdirSync(path).some((name) => name.endsWith('.db'))
  ) {
    throw new StartupError(
      `${path} has data of a version before 1.0.0, which this version cannot read: name another folder, as in \`npm start -- --data data2\`.`,
    );
  }
};

/** Creates folders one at a time: `mkdirSync` with `recursive` never returns for some paths, such as those under /proc. */
const makeFolder = (path: string) => {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
};

/** Locks the folder with SQLite, whose lock the operating system releases however the process ends. */
const lockFolder = (path: string): DatabaseSync => {
  const lock = new DatabaseSync(join(path, 'lock.db'));
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch {
    throw new StartupError(
      `Another run uses the data in ${path}: stop it, or name another folder, as in \`npm start -- --data data2\`.`,
    );
  }
};

const newCredentials = (): Credentials => ({
  // DynamoDB Local accepts only letters and digits.
  accessKeyId: `LOCAL${randomBytes(16).toString('hex').toUpperCase()}`,
  secretAccessKey: randomBytes(20).toString('hex'),
});

const readCredentialsFile = (path: string): Credentials => {
  const file = join(path, 'credentials.json');
  const kept = readKeptFile<Credentials>(file);
  if (kept) return kept;
  const credentials = newCredentials();
  keepFile(file, JSON.stringify(credentials));
  return credentials;
};

const deriveSecrets = (key: string) => (purpose: string) =>
  createHmac('sha256', key).update(purpose).digest('base64url');

const newKey = () => randomBytes(32).toString('base64url');

const readKeyFile = (path: string): string => {
  const file = join(path, 'key');
  if (!existsSync(file)) keepFile(file, newKey());
  const key = readFileSync(file, 'utf8');
  // Anybody could derive the secrets of an empty key.
  if (key.trim() === '') throw new StartupError(`${file} is empty: restore it, or name another folder.`);
  return key;
};
