import { CommandError } from '../../command-line/exit-codes.ts';
import { columns, count, print } from '../../command-line/output.ts';

type Failure = { number: string; reason: string; message?: string | undefined };

/** Prints the result for each number. The command fails if one of them failed. */
export const reportNumbers = (
  options: { json?: boolean | undefined },
  result: { failed: Failure[] } & Record<string, unknown>,
  done: string[],
  word: string,
): void => {
  const { failed } = result;
  const rows = [
    ...done.map((number) => [number, word]),
    ...failed.map(({ number, reason, message = reason }) => [number, message]),
  ];
  print(options, result, () => columns(rows));
  if (failed.length > 0) throw new CommandError(`${count(failed.length, 'number')} failed.`);
};
