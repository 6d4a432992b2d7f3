import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { isIdentifier } from '../../domain/identifiers.ts';
import { withoutUndefined } from '../../domain/json.ts';
import type { AgentVersion, AgentVersionContent, Versioned } from '../../domain/versions.ts';
import { service } from '../../service.ts';
import { agentVersionKey, agentVersionPosition, agentVersionsOf, itemWith, withoutKey } from '../keys.ts';
import { type Item, type Lookup, type Table, table } from '../table.ts';

/** A version with the request that made it, by which a repetition of the request finds it. */
export type StoredVersion = AgentVersion & { creationId?: string | undefined };

/** `content` is the name and the configuration as deflated JSON, so that the largest ones fit into an item. */
export type VersionItem = Item & StoredVersion & { content: Uint8Array };

export const versionItem = (
  agentId: string,
  version: StoredVersion,
  { name, configuration }: Versioned,
): VersionItem => ({
  ...agentVersionKey(agentId, version.version),
  ...(withoutUndefined(version) as StoredVersion),
  content: deflateRawSync(JSON.stringify({ name, configuration })),
});

const versionOf = (item: VersionItem): StoredVersion => {
  const { content: _, ...version } = withoutKey(item);
  return version;
};

export const contentOf = ({ content }: Pick<VersionItem, 'content'>): Versioned =>
  JSON.parse(inflateRawSync(content).toString());

const withContent = (item: VersionItem): AgentVersionContent => ({ ...versionOf(item), ...contentOf(item) });

/** Looks up versions with their contents, in the requested order. A version that does not exist, or whose number is invalid, is undefined. */
export const versionsLookup = (
  agentId: string,
  versions: (number | undefined)[],
): Lookup<(AgentVersionContent | undefined)[]> => {
  const keys = versions.map((version) =>
    version === undefined || !isIdentifier(agentId) ? undefined : agentVersionKey(agentId, version),
  );
  const wanted = new Map(keys.flatMap((key) => (key ? [[key.sk, key]] : [])));
  return {
    keys: [...wanted.values()],
    read(items) {
      return keys.map((key) => {
        const item = itemWith(items, key);
        return item && withContent(item as VersionItem);
      });
    },
  };
};

/** The versions of agents, which the store of agents writes with each change. A version never changes. */
export class AgentVersions {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Lists the versions of an agent, newest first; with `after`, those before that version. */
  async *list(
    agentId: string,
    { after, limit }: { after?: number | undefined; limit?: number | undefined } = {},
  ): AsyncGenerator<StoredVersion> {
    const options = { after: after === undefined ? undefined : agentVersionPosition(after), limit, descending: true };
    for await (const item of this.#table.query<VersionItem>(agentVersionsOf(agentId), options)) yield versionOf(item);
  }

  async find(agentId: string, version: number): Promise<AgentVersionContent | undefined> {
    const item = await this.#table.get<VersionItem>(agentVersionKey(agentId, version));
    return item && withContent(item);
  }
}

export const agentVersions = /* @__PURE__ */ service(() => new AgentVersions(table.get()), {
  list: ['dynamodb:Query'],
});
