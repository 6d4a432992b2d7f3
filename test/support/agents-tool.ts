import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../bin/agents/command-line.ts';
import { capturedRun } from './captured-run.ts';
import { newWorld, target, type World } from './world.ts';

/** Creates an empty folder. */
export const newFolder = () => mkdtempSync(join(tmpdir(), 'agents-'));

export const read = (folder: string, name = 'desk.yaml') => readFileSync(join(folder, name), 'utf8');
export const write = (folder: string, text: string, name = 'desk.yaml') => writeFileSync(join(folder, name), text);
/** Replaces a text of a file, which must contain it. */
export const edit = (folder: string, from: string | RegExp, to: string, name = 'desk.yaml') => {
  const text = read(folder, name);
  const edited = text.replace(from, to);
  if (edited === text) throw new Error(`${name} has no ${from}:\n${text}`);
  write(folder, edited, name);
};

/** Runs a command on a folder in this process. */
export const agents = (apiKey: string, command: string, folder: string, ...flags: string[]) => {
  const { VAP_BASE_URL: _, ...inherited } = process.env;
  const argv = [command, folder, '--base-url', target.baseUrl, ...flags];
  return capturedRun(run, argv, { ...inherited, VAP_API_KEY: apiKey });
};

/** A user with an agent that has the key `desk`, and its folder, which was pulled. */
export const pulledWorld = async (configuration: object = { greeting: 'Hello', voice: 'warm' }) => {
  const world = await newWorld();
  const change = (body: object) => world.call('PATCH', `/agents/${world.agentId}`, { body });
  await change({ key: 'desk', configuration });
  const folder = newFolder();
  const run = (command: string, ...flags: string[]) => agents(world.apiKey, command, folder, ...flags);
  const pulled = await run('pull');
  if (pulled.code !== 0) throw new Error(pulled.stdout + pulled.stderr);
  return {
    ...world,
    ...{ folder, run, change, pulled },
    edit: (from: string | RegExp, to: string) => edit(folder, from, to),
    agent: async () => (await world.call('GET', `/agents/${world.agentId}`)).body,
    versions: async () =>
      (await world.call('GET', `/agents/${world.agentId}/versions`, { query: { uid: world.uid } })).body.versions
        .length,
  };
};

/** Returns the text of a small file. */
export const formFile = (key: string, more = '') => `key: ${key}\nname: Desk\nconfiguration: {}\n${more}`;

/** Uploads documents, which have a checksum as soon as the response arrives. */
export const uploadFiles = async (world: World, files: Record<string, string>) => {
  const form = new FormData();
  form.append('uid', world.uid);
  form.append('agentId', world.agentId);
  for (const [name, content] of Object.entries(files)) form.append('files', new Blob([content]), name);
  const { status, text } = await world.call('POST', '/agent-documents', { body: form });
  if (status !== 200) throw new Error(text);
};
