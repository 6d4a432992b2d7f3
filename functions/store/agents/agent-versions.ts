import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { isIdentifier } from '../../domain/identifiers.ts';
import type { AgentVersion, AgentVersionContent, Versioned } from '../../domain/versions.ts';
import { service } from '../../service.ts';
import {
  agentContentKey,
  agentVersionCollection,
  agentVersionKey,
  agentVersionPosition,
  findItem,
  type ItemKey,
  parseAgentVersion,
  withoutKey,
} from '../keys.ts';
import { type Item, type Lookup, TableStore, table } from '../table.ts';

/** A version with its request, by which a repetition finds it. */
export type StoredVersion = AgentVersion & { creationId?: string };

/** What a list shows of a version. */
type ListedItem = Item & Omit<AgentVersion, 'version'>;

/** The name and configuration of a version, deflated so that the largest fit. */
export type ContentItem = Item & { content: Uint8Array; creationId?: string };

/** Returns the two items of a version. */
export const versionItems = (
  agentId: string,
  { version, creationId, ...listed }: StoredVersion,
  { name, configuration }: Versioned,
): [ListedItem, ContentItem] => {
  const content = deflateRawSync(JSON.stringify({ name, configuration }));
  return [
    { ...agentVersionKey(agentId, version), ...listed },
    { ...agentContentKey(agentId, version), content, creationId },
  ];
};

export const versionKeys = (agentId: string, version: number): [ItemKey, ItemKey] => [
  agentVersionKey(agentId, version),
  agentContentKey(agentId, version),
];

/** Returns a version and its deflated content from its items, if there are any. */
export const readVersion = (items: Item[], agentId: string, version: number) => {
  const [listedKey, contentKey] = versionKeys(agentId, version);
  const listed = findItem(items, listedKey) as ListedItem | undefined;
  const content = (findItem(items, contentKey) as ContentItem | undefined)?.content;
  return listed && content && { ...listedVersion(listed), content };
};

const listedVersion = (item: ListedItem): AgentVersion => ({
  ...withoutKey(item),
  version: parseAgentVersion(item.sk),
});

export const inflateContent = ({ content }: Pick<ContentItem, 'content'>): Versioned =>
  JSON.parse(inflateRawSync(content).toString());

/** Looks up versions with their contents, in this order; undefined for those that do not exist. */
export const versionsLookup = (
  agentId: string,
  versions: (number | undefined)[],
): Lookup<(AgentVersionContent | undefined)[]> => {
  const wanted = isIdentifier(agentId)
    ? new Set(versions.filter((version) => version !== undefined))
    : new Set<number>();
  return {
    keys: [...wanted].flatMap((version) => versionKeys(agentId, version)),
    isLarge: true,
    read(items) {
      return versions.map((version) => {
        const { content, ...found } = (version !== undefined && readVersion(items, agentId, version)) || {};
        return content && { ...(found as AgentVersion), ...inflateContent({ content }) };
      });
    },
  };
};

/** The versions of agents, which never change. */
export class AgentVersions extends TableStore {
  /** Lists an agent's versions, newest first, or those before `after`. */
  async *list(
    agentId: string,
    { after, limit }: { after?: number; limit?: number } = {},
  ): AsyncGenerator<AgentVersion> {
    const options = { after: after === undefined ? undefined : agentVersionPosition(after), limit, descending: true };
    for await (const item of this.table.query<ListedItem>(agentVersionCollection(agentId), options))
      yield listedVersion(item);
  }

  /** Returns the content of a version, and the request that made it. */
  async findContent(
    agentId: string,
    version: number,
  ): Promise<(Versioned & Pick<ContentItem, 'creationId'>) | undefined> {
    const item = await this.table.get<ContentItem>(agentContentKey(agentId, version));
    return item && { ...inflateContent(item), creationId: item.creationId };
  }
}

export const agentVersions = /* @__PURE__ */ service(() => new AgentVersions(table.get()), {
  list: ['dynamodb:Query'],
});
