import { Command, Option } from '@commander-js/extra-typings';

/** The program without its commands, with the options that every command takes. */
export const makeProgram = () =>
  new Command('npm run operator --')
    .usage('<command> [options]')
    .description(
      'Makes and looks after users, keys and agents, brings them knowledge, imports calls, and restores the table.\n\n' +
        'It works on the local run (npm start) unless a deployment is named, by --stack, or a table, by --table or ' +
        'TABLE_NAME; they are reached with AWS’s own settings (AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL, …).',
    )
    .addOption(
      new Option(
        '--stack <name>',
        'the deployment to work on, by the name of its stack, such as voice-agents-dev',
      ).conflicts('table'),
    )
    .option('--table <name>', 'the table to work on')
    .option('--region <region>', 'the AWS region the table is in')
    .option('--run-file <file>', 'how to reach the local run, as given to npm start', '.local/run.json')
    .option('--json', 'print the result as one line of JSON, and nothing else, on standard output')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();

/** The program, with the options every command takes. */
export type Operator = ReturnType<typeof makeProgram>;

/** Examples for the end of a help text. */
export const examples = (...lines: string[]) =>
  `\nExamples:\n${lines.map((line) => `  $ npm run operator -- ${line}\n`).join('')}`;
