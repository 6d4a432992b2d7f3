import { isDeepStrictEqual } from 'node:util';
import { findMisspelledFields } from '../../functions/domain/agents.ts';
import { nameOfSite } from '../../functions/domain/websites.ts';
import { type Agent, dataOf } from '../../functions/openapi/client/client.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { say } from '../command-line/output.ts';
import { type AgentFile, readDocument, readFolder, saveFields } from './folder.ts';
import { agentAddress, noteNamedAgents, readNamedAgents } from './named-agents.ts';
import { type Comparison, compare, versionField } from './plan.ts';
import { attempt, type Options, type Outcome, report } from './report.ts';
import { connect, isSource, isWebsite, ownAgents, type Service, type Source } from './service.ts';

type ApplyOptions = Options & { prune?: boolean; note?: string };

/** Changes the agents of the service to those of the folder. With `dryRun`, only reports what would change. */
export const apply = async (folder: string, options: ApplyOptions): Promise<Outcome[]> => {
  const files = await readFolder(folder);
  if (files.length === 0) throw new CommandError(`${folder} has no file that ends in .yaml.`, exitCodes.usage);
  for (const { name, content, unknownFields } of files) {
    if (unknownFields.length > 0) say(`${name}: kept, but not sent: ${unknownFields.join(', ')}.`);
    for (const { path, message } of findMisspelledFields(content.configuration)) say(`${name}: ${path} ${message}`);
  }
  const service = await connect({ ...options, apiKey: await options.apiKey() });
  const agents = new Map((await ownAgents(service)).map((agent) => [agent.key, agent]));
  const named = await readNamedAgents(folder, files);
  const outcomes: Outcome[] = [];
  for (const file of files) {
    const { key } = file.content;
    const work = () => applyFile(folder, file, agents.get(key), service, options);
    outcomes.push(await attempt({ key, file: file.name }, work, options));
    agents.delete(key);
  }
  for (const { key, agentId } of agents.values()) {
    if (!key) continue;
    // Others, such as guests of an agent, may have given it its key.
    if (!named.has(agentAddress(service, { agentId }))) {
      say(`${key} has no file, and is not deleted: no file of this folder has named it.`);
      continue;
    }
    const work = async () => {
      if (!options.dryRun) dataOf(await service.api.agents.delete({ agentId }));
      return { action: 'delete' as const };
    };
    if (options.prune) outcomes.push(await attempt({ key }, work, options));
    else say(`${key} has no file, and is not deleted without --prune.`);
  }
  report(outcomes, 'service', options);
  if (outcomes.some(({ action }) => action === 'conflict')) say(conflictHelp);
  return outcomes;
};

const conflictHelp =
  'A conflict changes nothing. Take over in the file what the service has, or put the file in force with "apply --overwrite".';

/** The maximum number of attempts to change an agent that others change at the same time. */
const maxAttempts = 5;

const applyFile = async (
  folder: string,
  file: AgentFile,
  found: Agent | undefined,
  service: Service,
  { dryRun, overwrite, note }: ApplyOptions,
): Promise<Omit<Outcome, 'key' | 'file'>> => {
  let agent = found;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const comparison = await compare(service, file, agent);
    const { differences, conflict: message } = comparison;
    if (message && !overwrite) return { action: 'conflict', message, differences };
    const action = !agent ? 'create' : differences.length > 0 ? 'update' : 'none';
    if (dryRun) return { action, differences };
    const written = await writeContent(comparison, service, note);
    if (written) {
      await noteNamedAgents(folder, [agentAddress(service, written)]);
      await writeSources(folder, comparison, written, service);
      await saveVersion(folder, comparison, written, service);
      return { action, differences, version: written.version };
    }
    // Another change came first.
    agent = dataOf(await service.api.agents.get({ agentId: agent?.agentId ?? '' }));
  }
  throw new CommandError('The agent kept being changed on the service. Try again.');
};

/** Writes the name and the configuration. Returns undefined when the service has a newer version than the one that was compared. */
const writeContent = async ({ agent, file, differences }: Comparison, { api }: Service, note: string | undefined) => {
  const { key, name, configuration } = file.content;
  if (!agent) return dataOf(await api.agents.create({ key, name, configuration, note }));
  const paths = differences.map(({ path }) => path).filter((path) => !isSource(path));
  if (paths.length === 0) return agent;
  const fields = paths.filter((path) => path !== 'name').map((path) => path.slice('configuration.'.length));
  const changed = Object.fromEntries(
    fields.map((field) => [field, Object.hasOwn(configuration, field) ? configuration[field] : null]),
  );
  const change = { agentId: agent.agentId, name, configuration: changed, note };
  const result = await api.agents.update(change, { ifMatch: agent.version });
  return result.error?.error === 'version_conflict' ? undefined : dataOf(result);
};

/** Adds, changes and deletes websites and documents. */
const writeSources = async (folder: string, comparison: Comparison, { agentId }: Agent, { api }: Service) => {
  const { differences, fileSources, serviceSources } = comparison;
  for (const { path } of differences.filter(({ path }) => isSource(path))) {
    const kind = isWebsite(path) ? websites(api, agentId) : documents(api, agentId, folder);
    const [wanted, present] = [fileSources.get(path), serviceSources.get(path)];
    const isSame = wanted && present && isDeepStrictEqual(withoutSettings(wanted), withoutSettings(present));
    const id = isSame ? present.id : wanted && (await kind.add(wanted));
    if (wanted && id && (isSame || wanted.value.active === false)) await kind.update(id, wanted);
    // A replaced source is deleted last, so that the agent is never without it.
    if (!isSame && present?.id) await kind.remove(present.id);
  }
};

/** Returns the settings of a source that can be set only when it is created. */
const withoutSettings = ({ value: { name: _, active: __, refreshEvery: ___, ...content } }: Source) => content;

const websites = ({ websites }: Service['api'], agentId: string) => ({
  async add({ value: { active: _, ...website } }: Source) {
    return dataOf(await websites.add({ agentId, url: '', ...website })).websiteId;
  },
  async update(websiteId: string, { value }: Source) {
    const { url = '', name = nameOfSite(url), active = true, refreshEvery = null } = value;
    dataOf(await websites.update({ agentId, websiteId, name, active, refreshEvery }));
  },
  async remove(websiteId: string) {
    ignoreMissing(await websites.delete({ agentId, websiteId }));
  },
});

const documents = ({ documents }: Service['api'], agentId: string, folder: string) => ({
  async add({ value: { name = '' }, path = '' }: Source) {
    const content = await readDocument(folder, path);
    if (!content) throw new CommandError(`${path}: no such file, and the service has no such document.`);
    const { documents: [added] = [], failed, error } = await documents.uploadFiles({ agentId }, [{ name, content }]);
    if (!added) throw new CommandError(`${path}: ${failed[0]?.reason ?? error?.message}`);
    return added.documentId;
  },
  async update(documentId: string, { value: { active = true } }: Source) {
    dataOf(await documents.update({ agentId, documentId, active }));
  },
  async remove(documentId: string) {
    ignoreMissing(await documents.delete({ agentId, documentId }));
  },
});

/** Treats a source that does not exist as deleted. */
const ignoreMissing = (result: Parameters<typeof dataOf>[0]) => {
  if (!result.error?.error.endsWith('_not_found')) dataOf(result);
};

/** Writes the version that the file is now based on, and the checksums of its documents. */
const saveVersion = async (folder: string, { file, fileSources }: Comparison, agent: Agent, service: Service) => {
  const documents = [...fileSources.values()].flatMap(({ entry, value: { md5 } }) => (md5 ? [{ ...entry, md5 }] : []));
  await saveFields(folder, file, {
    version: versionField(service, agent, file, fileSources),
    ...(file.content.documents && { documents }),
  });
};
