import { isDeepStrictEqual } from 'node:util';
import { toStoredConfiguration } from '../../functions/domain/agents.ts';
import { type Agent, dataOf } from '../../functions/openapi/client/client.ts';
import { withoutNull } from './agent-file.ts';
import type { AgentFile } from './folder.ts';
import { type Service, type Sources, sourcesOfFile, sourcesOfService, sourceValues } from './service.ts';
import { formatReference, hashSources, type VersionReference } from './version-reference.ts';

/** A field whose value differs between the file and the service. `base` is its value in the version of the file, where known. */
export type Difference = { path: string; service: unknown; file: unknown; base?: { value: unknown } };

/** A file beside the agent that has its key. */
export type Comparison = {
  file: AgentFile;
  agent?: Agent;
  differences: Difference[];
  fileSources: Sources;
  serviceSources: Sources;
  /** The reason why `apply` would overwrite changes that the file does not contain. */
  conflict?: string;
};

type Fields = Map<string, unknown>;

/** Compares a file with the agent that has its key. Both are compared with the version that the file is based on. */
export const compare = async (service: Service, file: AgentFile, agent: Agent | undefined): Promise<Comparison> => {
  const fileSources = sourcesOfFile(file);
  const fileFields = toComparedFields({
    ...file.content,
    configuration: toStoredConfiguration(file.content.configuration),
  });
  const own = file.references.find((one) => one.service === service.address);
  const isElsewhere = file.references.length > 0;
  if (!agent) {
    const differences = listDifferences(new Map([...fileFields, ...sourceValues(fileSources)]), new Map());
    const isGone = own && `No agent of the service has this key: ${own.agentId} was deleted, or has another key.`;
    const conflict = isGone ?? (isElsewhere ? 'The version of the file is of another deployment.' : undefined);
    return { file, differences, fileSources, serviceSources: new Map(), conflict };
  }
  const reference = own?.agentId === agent.agentId ? own : undefined;
  const serviceSources = await sourcesOfService(service, agent.agentId, file);
  const base = reference && (await readBase(service, agent, reference));
  const [fileValues, serviceValues] = [sourceValues(fileSources), sourceValues(serviceSources)];
  // Sources have no versions. The checksum shows which side still has the sources of the version.
  const baseValues = [serviceValues, fileValues].find((values) => hashSources(values) === reference?.knowledge);
  const inContent = listDifferences(fileFields, toComparedFields(agent), base);
  const inSources = listDifferences(fileValues, serviceValues, baseValues);
  // A source that exists only in the file overwrites nothing.
  const overwritten = inSources.filter((one) => one.service !== undefined || one.base?.value !== undefined);
  const isConflict = [...inContent, ...overwritten].some(isChangeOfService);
  const versions = `which has version ${agent.version}. The file is based on version ${reference?.version}.`;
  const isOfSources = reference?.version === agent.version;
  const conflict = reference
    ? `It was changed on the service, ${isOfSources ? 'in its websites or documents.' : versions}`
    : isElsewhere
      ? 'The version of the file is of another deployment or another agent.'
      : 'The file has no version: it may not know what the service has.';
  return {
    file,
    agent,
    fileSources,
    serviceSources,
    differences: [...inContent, ...inSources],
    conflict: isConflict ? conflict : undefined,
  };
};

/** The service has changed the field since the version of the file, or may have. */
export const isChangeOfService = ({ base, service }: Difference) => !base || !isDeepStrictEqual(base.value, service);
/** The file has changed the field since its version, or may have. */
export const isChangeOfFile = ({ base, file }: Difference) => !base || !isDeepStrictEqual(base.value, file);

/** Returns the fields of the version that a file is based on; undefined when the service no longer has it. */
const readBase = async ({ api }: Service, agent: Agent, { version }: VersionReference): Promise<Fields | undefined> => {
  if (version === agent.version) return toComparedFields(agent);
  const result = await api.agents.getVersion({ agentId: agent.agentId, version: String(version) });
  return result.error?.error === 'version_not_found' ? undefined : toComparedFields(dataOf(result));
};

const toComparedFields = ({ name, configuration }: Pick<Agent, 'name' | 'configuration'>): Fields =>
  new Map<string, unknown>([
    ['name', name],
    ...Object.entries(withoutNull(configuration)).map(([field, value]) => [`configuration.${field}`, value] as const),
  ]);

const listDifferences = (file: Fields, service: Fields, base?: Fields): Difference[] =>
  [...new Set([...service.keys(), ...file.keys()])].flatMap((path) => {
    const both = { service: service.get(path), file: file.get(path) };
    if (isDeepStrictEqual(both.service, both.file)) return [];
    return [{ path, ...both, base: base && { value: base.get(path) } }];
  });

/** Returns the field `version` of a file that now matches the agent: one version, or a list with one for each deployment. */
export const versionField = (service: Service, { agentId, version }: Agent, file: AgentFile, sources: Sources) => {
  const { websites, documents } = file.content;
  const knowledge = (websites ?? documents) && hashSources(sourceValues(sources));
  const own = { service: service.address, agentId, version, knowledge };
  const isOwn = ({ service }: VersionReference) => service === own.service;
  const kept = file.references.some(isOwn) ? file.references : [...file.references, own];
  const texts = kept.map((one) => formatReference(isOwn(one) ? own : one));
  return texts.length === 1 ? texts[0] : texts;
};
