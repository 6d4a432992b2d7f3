import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { resolvePath } from './arguments.ts';
import { CommandError, exitCodes } from './exit-codes.ts';
import { isRunning } from './is-running.ts';

type Progress<State> = { pid: number; run: object; state: State };

/** Keeps the position of a run over an input file, in a file beside it. A complete run deletes it. */
export class ProgressFile<State> {
  readonly #path: string;
  readonly #run: object;

  /** `run` identifies the run: a changed input or another target is another run. */
  constructor(path: string, run: object) {
    this.#path = path;
    this.#run = JSON.parse(JSON.stringify(run));
  }

  /** Reads the state of an interrupted run. Fails while another process works on the same input. */
  async read(): Promise<{ state: State; isSameRun: boolean } | undefined> {
    const text = await readFile(resolvePath(this.#path), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new CommandError(`The progress file ${this.#path} cannot be read (${error.code}).`, exitCodes.usage);
    });
    if (text === undefined) return undefined;
    const { pid, run, state } = this.#parse(text);
    if (pid !== process.pid && isRunning(pid)) {
      throw new CommandError(
        `Process ${pid} is working on this file. If that is another program, remove ${this.#path}.`,
        exitCodes.usage,
      );
    }
    return { state, isSameRun: isDeepStrictEqual(run, this.#run) };
  }

  #parse(text: string): Progress<State> {
    try {
      const progress: Progress<State> = JSON.parse(text);
      if (progress.state) return progress;
    } catch {
      // Text that is not JSON gets the same error as JSON of another shape.
    }
    throw new CommandError(
      `${this.#path} is not a progress file of this command. Remove it to start at the beginning.`,
      exitCodes.usage,
    );
  }

  /** Replaces the file in one step, so that a run that is killed leaves a complete file. */
  async write(state: State): Promise<void> {
    const path = resolvePath(this.#path);
    const progress: Progress<State> = { pid: process.pid, run: this.#run, state };
    try {
      await writeFile(`${path}.new`, `${JSON.stringify(progress)}\n`);
      await rename(`${path}.new`, path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new CommandError(`The progress file ${this.#path} cannot be written (${code}).`);
    }
  }

  async remove(): Promise<void> {
    await rm(resolvePath(this.#path), { force: true });
  }
}
