import { readSheet, SheetError } from '../../functions/sheets/read-sheet.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { detectDialect } from './dialect.ts';

/** The maximum size of a row, larger than the service accepts. It stops reading at a quote that is never closed. */
const maxRowBytes = 1024 * 1024;

/** Yields the rows of a CSV file, the header first. Cells are separated by commas, semicolons or tabs. Fails without a header. */
export async function* readCsv(file: string, text: AsyncGenerator<string>) {
  const { delimiter, isNamed } = await detectDialect(file);
  let isEmpty = true;
  try {
    for await (const row of readSheet(text, { separator: delimiter, isNamed, maxRowBytes })) {
      isEmpty = false;
      yield { ...row, delimiter };
    }
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    const message = `the rows after this line cannot be separated: ${error.message}.`;
    throw new CommandError(`${file}:${error.line}: ${message}`, exitCodes.usage);
  }
  if (isEmpty) throw new CommandError(`${file} is empty. Its first line must be a header.`, exitCodes.usage);
}
