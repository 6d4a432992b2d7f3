import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { StartupError } from './started.ts';

/** Replaces a file of the data folder as a whole. After a power cut, either the former or the new content is there. */
export const keepFile = (file: string, text: string): void => {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
};

/** Returns the content of a JSON file of the data folder; undefined if there is no such file. */
export const readKeptFile = <T>(file: string | undefined): T | undefined => {
  if (file === undefined || !existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new StartupError(`${file} cannot be read (${(error as Error).message}): restore it, or name another folder.`);
  }
};
