import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import type { Java } from './java.ts';

const root = join(import.meta.dirname, '../..');
const mainClass = 'software.amazon.dynamodb.services.local.main.ServerRunner';

/** A run that is shorter than `makeAfterSeconds` does not make the archive, which takes seconds of a processor. */
export type ArchiveSettings = { cache: string; makeAfterSeconds: number };
const defaults: ArchiveSettings = { cache: join(root, 'node_modules/.cache/dynamodb-local'), makeAfterSeconds: 20 };

type ClassArchive = {
  /** The options of Java that name the program. */
  options: string[];
  /** Ends the making of the archive. */
  stop(): void;
};

/**
 * Java's archive of the classes that DynamoDB Local loads, with which it starts in half of the time. The first run that is
 * long enough makes it in the background, from what it loaded. Without an archive, and with one that is broken, DynamoDB
 * Local starts as it does by itself.
 */
export const openClassArchive = (
  java: Java,
  jvmOptions: string[],
  folder: string,
  { cache, makeAfterSeconds } = defaults,
): ClassArchive => {
  const libraries = join(folder, 'DynamoDBLocal_lib');
  const madeFor = JSON.stringify([java.version, jvmOptions, folder, statSync(libraries).mtimeMs]);
  const own = join(cache, createHash('sha256').update(madeFor).digest('hex').slice(0, 16));
  const jar = join(own, 'DynamoDBLocal.jar');
  const jars = readdirSync(libraries).filter((name) => name.endsWith('.jar'));
  const classPath = [jar, ...jars.sort().map((name) => join('DynamoDBLocal_lib', name))].join(delimiter);
  const archive = existsSync(jar) ? filesIn(own).find(isWhole) : undefined;
  if (archive) return { options: [`-XX:SharedArchiveFile=${archive}`, '-cp', classPath, mainClass], stop() {} };

  const program = ['-jar', 'DynamoDBLocal.jar'];
  const unfinished = join(own, `unfinished-${process.pid}`);
  const classes = `${unfinished}.classes`;
  let dump: ChildProcess | undefined;
  const make = async () => {
    if (!existsSync(jar)) {
      writeFileSync(`${unfinished}.jar`, withoutManifest(readFileSync(join(folder, 'DynamoDBLocal.jar'))));
      renameSync(`${unfinished}.jar`, jar);
    }
    // Java may be writing the last line.
    const list = readFileSync(classes, 'utf8');
    writeFileSync(`${classes}.read`, list.slice(0, list.lastIndexOf('\n') + 1));
    const files = [`-XX:SharedClassListFile=${classes}.read`, `-XX:SharedArchiveFile=${unfinished}`];
    const command = [java.path, '-Xshare:dump', ...jvmOptions, ...files, '-cp', classPath];
    dump = spawn(process.execPath, [join(root, 'bin/guard.mjs'), ...command], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    if (dump.pid) setPriority(dump.pid, constants.priority.PRIORITY_LOW);
    const [code] = await once(dump, 'exit');
    if (code === 0) renameSync(unfinished, join(own, `${statSync(unfinished).size}.jsa`));
    // Also what runs left that were killed.
    clean(`${join(own, 'unfinished')}-`);
  };
  const clean = (prefix = unfinished) => {
    for (const file of filesIn(own)) if (file.startsWith(prefix)) rmSync(file, { force: true });
  };
  try {
    mkdirSync(own, { recursive: true });
  } catch {
    return { options: program, stop() {} };
  }
  // It is an improvement: what fails is tried again by the next run.
  const timer = setTimeout(() => make().catch(() => clean()), makeAfterSeconds * 1000).unref();
  return {
    options: [`-XX:DumpLoadedClassList=${classes}`, ...program],
    stop() {
      clearTimeout(timer);
      dump?.stdin?.end();
      clean();
    },
  };
};

/** Its name is its size: some versions of Java crash when the end of an archive is missing. */
const isWhole = (file: string): boolean => file.endsWith('.jsa') && basename(file) === `${statSync(file).size}.jsa`;

const filesIn = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));

/** The manifest adds the jar's own folder to the class path, and Java makes no archive for a folder that has files. */
const withoutManifest = (jar: Buffer): Buffer =>
  Buffer.from(jar.toString('latin1').replaceAll('META-INF/MANIFEST.MF', 'META-INF/MANIFEST.NO'), 'latin1');
