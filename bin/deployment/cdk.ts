import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings, type Settings, SettingsError } from '../../lib/settings.ts';
import { type ExitCode, exitCodes } from '../command-line/exit-codes.ts';

const root = join(import.meta.dirname, '..', '..');

/** Returns CDK's context from cdk.json and from the command line, where the last value of a name wins. */
export const parseContext = (words: string[]): Record<string, unknown> => {
  const given = words
    .filter((_, index) => /^(-c|--context)$/.test(words[index - 1] ?? ''))
    .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]);
  return { ...JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')).context, ...Object.fromEntries(given) };
};

/** Returns the settings that CDK's app will read, or ends the command with their errors. */
export const toSettings = (context: Record<string, unknown>): Settings => {
  try {
    return readSettings(context);
  } catch (error) {
    if (error instanceof SettingsError) return fail(error.message);
    throw error;
  }
};

/** Ends the command before anything is changed. */
export const fail = (sentence: string, exitCode: ExitCode = exitCodes.usage): never => {
  console.error(sentence);
  process.exit(exitCode);
};

/** Runs CDK, and ends the command with its exit code. */
export const runCdk = (command: string, words: string[]): never => {
  const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  const { status } = spawnSync(process.execPath, [cdk, command, ...words], { stdio: 'inherit' });
  process.exit(status ?? 1);
};
