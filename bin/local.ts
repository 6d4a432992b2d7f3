/** `npm start`: the whole service on this machine, with emulators and fakes of what it uses on AWS. */
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type ExitCode, exitCodes } from './command-line/exit-codes.ts';
import { isolateFromAws } from './local/aws-settings.ts';
import { openDataFolder } from './local/data-folder.ts';
import { watchDisk } from './local/disk.ts';
import { startDynamoDb } from './local/dynamodb.ts';
import { findJava } from './local/java.ts';
import { listen } from './local/listen.ts';
import { type Started, StartupError } from './local/started.ts';
import { watchSources } from './local/watch.ts';

const toPort = (value: string) => {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
};

const toDays = (value: string) => {
  const days = Number(value);
  if (!/^\d+$/.test(value) || days > 400) throw new InvalidArgumentError('It must be a number from 0 to 400.');
  return days;
};

const options = new Command('npm start --')
  .configureHelp({ formatHelp: () => readFileSync(join(import.meta.dirname, 'local/help.txt'), 'utf8') })
  .addOption(new Option('--port <number>').argParser(toPort).default(3000).env('PORT'))
  .option('--data <folder>')
  .option('--watch')
  .option('--lake')
  .option('--json')
  .option('--json-log')
  .option('--demo-days <number>', '', toDays, 90)
  .option('--run-file <file>')
  .configureOutput({
    outputError: (text, write) =>
      write(
        text.replace(
          /^error: too many arguments.*: (.*)\.$/m,
          'error: unexpected argument: $1. npm passes on only what follows --, as in: npm start -- --port 4500',
        ),
      ),
  })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.done : exitCodes.usage))
  .parse()
  .opts<{
    port: number;
    data?: string;
    watch?: true;
    lake?: true;
    json?: true;
    jsonLog?: true;
    demoDays: number;
    runFile?: string;
  }>();

const running: Started[] = [];
const start = async <S extends Started>(part: S | Promise<S>): Promise<S> => {
  const started = await part;
  // A part that starts while the run ends would work on without the others, and nothing may start after it.
  if (ending) {
    await started.stop();
    await ending;
  }
  running.push(started);
  return started;
};

const report = (line: string) => console.error(line);

let ending: Promise<void> | undefined;
const end = (code: ExitCode) => {
  ending ??= Promise.allSettled(running.reverse().map((part) => part.stop())).then(() => {
    if (code === exitCodes.done) report(options.data ? `Stopped. ${options.data} keeps the data.` : 'Stopped.');
    process.exit(code);
  });
  return ending;
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!ending) report('Stopping …');
    void end(exitCodes.done);
  });
}

// A part whose promise nobody awaits must not end the run. While the run ends, the parts lose each other.
process.on('unhandledRejection', (error) => {
  if (!ending) console.error(error);
});

const run = async () => {
  // Only the owner can read what this run and its processes write.
  process.umask(0o077);
  if (options.lake) process.env.LAKE = 'true';
  const data = await start(openDataFolder(options.data));
  const disk = await start(watchDisk(data.path, report));
  const { server, serve } = holdingServer();
  const { endpoint: baseUrl } = await start(takePort(server));
  const shell = isolateFromAws(data.credentials);
  const endpoint = shell.AWS_ENDPOINT_URL_DYNAMODB;
  report(`Starting ${endpoint ? '' : 'DynamoDB Local, '}the emulators and the service …`);
  // The database comes first, because it starts while this process is blocked by loading the modules of the service.
  const dynamodb = endpoint ? { endpoint } : await start(startDynamoDb(await findJava(report), data.path, onFailure));
  const collector = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (collector) {
    const { startSpanExport } = await import('./local/otlp.ts');
    running.push({ stop: startSpanExport(collector) });
  }
  const { startService } = await import('./local/service.ts');
  await startService({ ...options, serve, baseUrl, dynamodb, data, disk, shell, start });
};

/** Ends the run if the database process exits. Data in --data are kept. */
const onFailure = (reason: string) => {
  if (ending) return;
  report(`${reason}\nThe run ends with it. Start it again: what --data keeps is kept.`);
  void end(exitCodes.failed);
};

/** Creates a server that holds requests until the service is ready, and then answers them. */
const holdingServer = () => {
  const { promise, resolve: serve } = Promise.withResolvers<RequestListener>();
  const server = createServer(async (request, response) => (await promise)(request, response));
  return { server, serve };
};

const takePort = (server: ReturnType<typeof createServer>) =>
  listen(server, options.port).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.code})`;
    const other = error.code === 'EADDRINUSE' ? options.port + 1 : 8080;
    throw new StartupError(
      `Port ${options.port} ${reason}: choose another one, as in \`npm start -- --port ${other}\`.`,
    );
  });

if (options.watch) await start(watchSources(process.argv.slice(2), options.data));
else {
  run().catch((error: Error) => {
    if (ending) return;
    console.error(error instanceof StartupError ? error.message : error);
    return end(exitCodes.failed);
  });
}
