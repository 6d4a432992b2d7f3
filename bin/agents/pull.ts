import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Document } from 'yaml';
import type { Agent } from '../../functions/openapi/client/client.ts';
import { say } from '../command-line/output.ts';
import { type AgentFile, chooseFreePath, readFolder, saveFields, writeDocument } from './folder.ts';
import { agentAddress, noteNamedAgents } from './named-agents.ts';
import { compare, isChangeOfFile, versionField } from './plan.ts';
import { attempt, type Options, type Outcome, report } from './report.ts';
import { connect, download, isWebsite, ownAgents, type Service, type Source } from './service.ts';

/** Writes every agent of the service that has a key to its file. With `dryRun`, only reports what would change. */
export const pull = async (folder: string, options: Options): Promise<Outcome[]> => {
  const files = existsSync(folder) ? await readFolder(folder) : [];
  const service = await connect({ ...options, apiKey: await options.apiKey() });
  if (!options.dryRun) await mkdir(folder, { recursive: true });
  const outcomes: Outcome[] = [];
  for (const agent of await ownAgents(service)) {
    const { key } = agent;
    if (!key) {
      const command = `npm run operator -- agent update ${agent.agentId} --key NAME`;
      say(`${agent.agentId} (${agent.name}) has no file, because it has no name for files. To set one: ${command}`);
      continue;
    }
    const file = files.find(({ content }) => content.key === key) ?? newFile(agent, key, service);
    const work = () => pullAgent(folder, file, agent, service, options);
    outcomes.push(await attempt({ key, file: file.name }, work, options));
  }
  for (const { name, content } of files) {
    if (!outcomes.some(({ key }) => key === content.key)) say(`${name}: the service has no agent ${content.key}.`);
  }
  report(outcomes, 'files', options);
  return outcomes;
};

/** Returns a new file for an agent: that of an agent without a configuration. */
const newFile = ({ name }: Agent, key: string, { readsKnowledge }: Service): AgentFile => ({
  name: `${key}.yaml`,
  text: '',
  document: new Document({}),
  unknownFields: [],
  references: [],
  content: { key, name, configuration: {}, ...(readsKnowledge && { websites: [], documents: [] }) },
});

const pullAgent = async (
  folder: string,
  file: AgentFile,
  agent: Agent,
  service: Service,
  { dryRun, overwrite }: Options,
): Promise<Omit<Outcome, 'key' | 'file'>> => {
  const isNew = file.text === '';
  const { differences, fileSources, serviceSources } = await compare(service, file, agent);
  if (isNew ? existsSync(join(folder, file.name)) : !overwrite && differences.some(isChangeOfFile)) {
    const message = isNew ? 'Another agent has this file.' : 'The file was edited. --overwrite replaces the edits.';
    return { action: 'conflict', message, differences };
  }
  const action = isNew ? 'create' : differences.length > 0 ? 'update' : 'none';
  if (dryRun) return { action, differences };
  const changed = new Set(differences.map(({ path }) => path));
  const isChanged = (field: string) => isNew || [...changed].some((path) => path.startsWith(field));
  const lists: Record<'websites' | 'documents', unknown[]> = { websites: [], documents: [] };
  // The sources of the file come first, in its order, then those that it lacks.
  for (const path of new Set([...fileSources.keys(), ...serviceSources.keys()])) {
    const [former, source] = [fileSources.get(path), serviceSources.get(path)];
    if (!source) continue;
    const entry = isWebsite(path) ? source.value : await pullDocument(folder, file.content.key, source, former);
    lists[isWebsite(path) ? 'websites' : 'documents'].push(changed.has(path) ? entry : former?.entry);
  }
  const { websites, documents } = file.content;
  await noteNamedAgents(folder, [agentAddress(service, agent)]);
  await saveFields(folder, file, {
    ...(isNew && { key: agent.key }),
    version: versionField(service, agent, file, serviceSources),
    ...(isChanged('name') && { name: agent.name }),
    ...(isChanged('configuration.') && { configuration: agent.configuration }),
    ...(websites && isChanged('websites.') && { websites: lists.websites }),
    ...(documents && isChanged('documents.') && { documents: lists.documents }),
  });
  return { action, differences, version: agent.version };
};

/** Downloads a document that has changed or whose file is missing, and returns its entry. */
const pullDocument = async (folder: string, key: string, { value, fileUrl }: Source, former: Source | undefined) => {
  const { name = '', ...rest } = value;
  const path = former?.path ?? (await chooseFreePath(folder, key, name));
  if (former?.value.md5 !== rest.md5 || !existsSync(join(folder, path)))
    await writeDocument(folder, path, await download({ fileUrl }));
  return { path, ...(basename(path) !== name && { name }), ...rest };
};
