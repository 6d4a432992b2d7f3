import { Argument, Command, CommanderError } from '@commander-js/extra-typings';
import { describeError } from '../../bin/command-line/describe-error.ts';
import { columns, print, say } from '../../bin/command-line/output.ts';
import { StartupError } from '../../bin/local/started.ts';
import type { Figure, Quantity, Row } from './benchmark.ts';
import { rows as allRows } from './benchmarks.ts';
import { startWorld, type World } from './world.ts';

type Measured = { row: Row; figures: Figure[] };

const formCommand = (rows: Row[]) =>
  new Command('npm run bench --')
    .description(
      'Measures the service on this machine, against DynamoDB Local behind a proxy that makes every request take longer ' +
        'and counts them. The exit code is 1 when a target is missed or a measurement breaks off.',
    )
    .addArgument(
      new Argument('[rows...]', 'what to measure; everything when none is named').choices(rows.map(({ name }) => name)),
    )
    .option('--json', 'print the result as one line of JSON on standard output')
    .addHelpText('after', '\nExamples:\n  $ npm run bench\n  $ npm run bench -- round-trips search')
    .exitOverride();

/** Measures a row. Returns undefined when it fails, after reporting the reason. */
type Measure = (row: Row) => Promise<Figure[] | undefined>;

const measureHere: Measure = async (row) => {
  // Requests are logged as ever; here their lines would only be in the way.
  const { write } = process.stderr;
  process.stderr.write = ((chunk: string | Uint8Array, ...rest: []) =>
    String(chunk).startsWith('{"time"') || write.call(process.stderr, chunk, ...rest)) as typeof process.stderr.write;
  let world: Promise<World> | undefined;
  const open = () => {
    world ??= startWorld();
    return world;
  };
  say(`${row.title} …`);
  try {
    return await row.measure(open, (sentence) => say(`  ${sentence}`));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    say(`  It broke off. ${describeError(error)}`);
    return undefined;
  } finally {
    await (await world)?.stop();
    process.stderr.write = write;
  }
};

const quantity = ({ value, unit }: Quantity) => {
  const digits = unit === 'nDCG@10' ? 3 : unit === '$' ? 2 : unit === 'KiB' || unit === '%' ? 1 : 0;
  return `${value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
};

const formTable = ({ row, figures }: Measured) => {
  const lines = figures.map(({ what, ours, against, target, note }) => [
    what,
    quantity(ours),
    against && `${quantity(against.quantity)} (${against.what})`,
    against && `${against.ratio.toFixed(2)}×`,
    target?.text,
    target && (target.reached ? 'reached' : 'MISSED'),
    note,
  ]);
  const headings = ['', 'OURS', 'AGAINST', 'RATIO', 'TARGET', '', ''];
  const used = headings.map((_, column) => lines.some((line) => line[column] !== undefined));
  const only = <T>(cells: T[]) => cells.filter((_, column) => used[column]);
  return `${row.title}\n\n${columns(lines.map(only), only(headings))}\n`;
};

/**
 * Runs `npm run bench` with its arguments, and returns the exit code. Rows are measured one after the other: a row that fails
 * does not stop the others. `measureOneOfMany` measures each where there are several.
 */
export const run = async (argv: string[], rows = allRows, measureOneOfMany: Measure = measureHere): Promise<number> => {
  try {
    const command = formCommand(rows).parse(argv, { from: 'user' });
    const [chosen] = command.processedArgs;
    const wanted = chosen.length === 0 ? rows : rows.filter(({ name }) => (chosen as string[]).includes(name));
    const measure = wanted.length > 1 ? measureOneOfMany : measureHere;
    const measured: Measured[] = [];
    for (const row of wanted) {
      const figures = await measure(row);
      if (figures) measured.push({ row, figures });
    }
    const missed = measured.flatMap(({ figures }) => figures).filter(({ target }) => target && !target.reached);
    print(
      command.opts(),
      Object.fromEntries(measured.map(({ row, figures }) => [row.name, figures])),
      () => `\n${measured.map(formTable).join('\n')}`,
    );
    if (missed.length > 0) say(`Targets missed: ${missed.map(({ what }) => what).join('; ')}.`);
    const broken = wanted.filter((row) => !measured.some((one) => one.row === row));
    if (broken.length > 0) say(`Broke off: ${broken.map(({ name }) => name).join(', ')}.`);
    return missed.length + broken.length > 0 ? 1 : 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    say(error instanceof StartupError ? error.message : `The benchmark broke off. ${describeError(error)}`);
    return 1;
  }
};
