import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { InputFileError } from './input-file-error.ts';

export type Counts = { updated: number; failed: number; invalid: number };

/** How far a run has come. It stands beside the input while the run is not at its end. */
export type Progress = {
  /** The process that is at it. */
  pid: number;
  /** What was being done: an input that changed, or another service, is another run. */
  run: { baseUrl: string; sha256: string; agentId?: string | undefined; ignoreUnknown?: boolean | undefined };
  /** How many rows of the input are in the result file, and how long that is with them. */
  rows: number;
  resultBytes: number;
  counts: Counts;
};

export class ProgressFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** What an interrupted run left. Refuses while another one is at the same input. */
  async read(): Promise<Progress | undefined> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new InputFileError(`The progress file ${this.path} cannot be read (${error.code}).`);
    });
    if (text === undefined) return undefined;
    let progress: Progress;
    try {
      progress = JSON.parse(text) as Progress;
    } catch {
      throw new InputFileError(`${this.path} is no progress file of this command. Remove it, or give --restart.`);
    }
    if (progress.pid !== process.pid && isRunning(progress.pid)) {
      throw new InputFileError(
        `Process ${progress.pid} is at this file already. If that is something else, remove ${this.path}.`,
      );
    }
    return progress;
  }

  /** Replaces the file in one step, so that a run killed at any time leaves a whole one. */
  async write(progress: Progress): Promise<void> {
    const fresh = `${this.path}.new`;
    try {
      await writeFile(fresh, `${JSON.stringify(progress)}\n`);
      await rename(fresh, this.path);
    } catch (error) {
      throw new InputFileError(
        `The progress file ${this.path} cannot be written (${(error as NodeJS.ErrnoException).code}).`,
      );
    }
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
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
