import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { resolvePath } from '../command-line/arguments.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import type { ReadOptions } from './row.ts';

export type Counts = { updated: number; failed: number; invalid: number };

/** The state of a run. Its file is beside the input until the run is complete. */
export type Progress = {
  /** The process of the run. */
  pid: number;
  /** Identifies the run: a changed input or another service is another run. */
  run: { baseUrl: string; sha256: string } & ReadOptions;
  /** The number of input rows in the results file, and its length with these rows. */
  rows: number;
  resultBytes: number;
  counts: Counts;
};

export class ProgressFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Reads the state of an interrupted run. Fails while another process works on the same input. */
  async read(): Promise<Progress | undefined> {
    const text = await readFile(resolvePath(this.path), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new CommandError(`The progress file ${this.path} cannot be read (${error.code}).`, exitCodes.usage);
    });
    if (text === undefined) return undefined;
    let progress: Progress;
    try {
      progress = JSON.parse(text) as Progress;
    } catch {
      throw new CommandError(
        `${this.path} is not a progress file of this command. Remove it, or use --restart.`,
        exitCodes.usage,
      );
    }
    if (progress.pid !== process.pid && isRunning(progress.pid)) {
      throw new CommandError(
        `Process ${progress.pid} is working on this file. If that is another program, remove ${this.path}.`,
        exitCodes.usage,
      );
    }
    return progress;
  }

  /** Replaces the file in one step, so that a run that is killed leaves a complete file. */
  async write(progress: Progress): Promise<void> {
    const path = resolvePath(this.path);
    try {
      await writeFile(`${path}.new`, `${JSON.stringify(progress)}\n`);
      await rename(`${path}.new`, path);
    } catch (error) {
      throw new CommandError(
        `The progress file ${this.path} cannot be written (${(error as NodeJS.ErrnoException).code}).`,
      );
    }
  }

  async remove(): Promise<void> {
    await rm(resolvePath(this.path), { force: true });
  }
}

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
