import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { CommandError } from '../../command-line/exit-codes.ts';

/** The reason why a line was not imported. */
export type LineError = { line: number; message: string };

/** The position of an import. Every line up to `line` is imported or has failed. */
export type ImportState = {
  line: number;
  end: number;
  imported: number;
  failed: number;
  /** At most the first thousand. */
  errors: LineError[];
};

const Progress = z.object({
  table: z.string(),
  size: z.number(),
  mtimeMs: z.number(),
  state: z.object({
    line: z.int(),
    end: z.int(),
    imported: z.int(),
    failed: z.int(),
    errors: z.array(z.object({ line: z.int(), message: z.string() })),
  }),
});

/** Returns the progress file of an import. A saved position is valid only for the same input and table. */
export const progressFile = (file: string, source: { table: string; size: number; mtimeMs: number }) => {
  const path = `${file}.progress`;
  return {
    async read(): Promise<ImportState | undefined> {
      const text = await readFile(path, 'utf8').catch(() => '');
      const { data } = z.safeParse(Progress, parseOrUndefined(text));
      const same = data?.table === source.table && data.size === source.size && data.mtimeMs === source.mtimeMs;
      return same ? data.state : undefined;
    },
    async write({ line, end, imported, failed, errors }: ImportState) {
      const state = { line, end, imported, failed, errors };
      // A new file is written and renamed, so that a kill during the write leaves the former file.
      await writeFile(`${path}.new`, JSON.stringify({ ...source, state }))
        .then(() => rename(`${path}.new`, path))
        .catch((error: Error) => {
          throw new CommandError(`The progress file ${path} cannot be written: ${error.message}.`);
        });
    },
    remove: () => rm(path, { force: true }),
  };
};

const parseOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
