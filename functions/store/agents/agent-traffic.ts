import type { Share } from '../../domain/traffic.ts';
import type { AgentVersion, Versioned } from '../../domain/versions.ts';
import { service } from '../../service.ts';
import { agentTrafficKey } from '../keys.ts';
import { type Item, TableStore, table } from '../table.ts';
import { AgentVersions, type ContentItem, inflateContent } from './agent-versions.ts';

/** A version that gets traffic, with its content if the item has room. */
type TrafficShare = Share & Pick<AgentVersion, 'createdAt'> & Partial<Pick<ContentItem, 'content'>>;
type TrafficContent = Pick<TrafficShare, 'createdAt' | 'content'>;
/** The split of an agent, which a call that starts reads as one item. */
export type TrafficItem = Item & { shares: TrafficShare[] };

/** The version that a caller gets, with its content. */
export type ServedVersion = Versioned & { version: number; createdAt: string };

/** Maximum bytes of the contents in one item. DynamoDB's limit is 400 KB. */
const maxContentBytes = 350 * 1024;

/** Returns the item of a split. The smallest shares lose their content if it does not fit. */
export const trafficItem = (
  agentId: string,
  split: Share[],
  versions: Map<number, Required<TrafficContent>>,
): TrafficItem => {
  let left = maxContentBytes;
  const shares = split
    .toSorted((one, other) => other.percent - one.percent)
    .map((share) => {
      const { createdAt, content } = versions.get(share.version) as Required<TrafficContent>;
      const fits = content.length <= left;
      if (fits) left -= content.length;
      return { ...share, createdAt, ...(fits && { content }) };
    });
  return { ...agentTrafficKey(agentId), shares };
};

/** Returns the shares in an item; none when there is no item. */
export const readShares = (item: Item | undefined): TrafficShare[] => (item as TrafficItem | undefined)?.shares ?? [];

/** The versions of agents that callers get. */
export class AgentTraffic extends TableStore {
  readonly #versions = new AgentVersions(this.table);

  /** Returns a version of a split, read apart if the item had no room. */
  async serve(agentId: string, { version, createdAt, content }: TrafficShare): Promise<ServedVersion | undefined> {
    const found = content ? inflateContent({ content }) : await this.#versions.findContent(agentId, version);
    return found && { version, createdAt, name: found.name, configuration: found.configuration };
  }

  /** Returns the split of an agent, empty if all get the newest version. */
  async find(agentId: string): Promise<(Share & Versioned)[]> {
    const shares = readShares(await this.table.get<TrafficItem>(agentTrafficKey(agentId)));
    const served = await Promise.all(shares.map((share) => this.serve(agentId, share)));
    return served.flatMap((version, index) => (version ? [{ ...(shares[index] as Share), ...version }] : []));
  }
}

export const agentTraffic = /* @__PURE__ */ service(() => new AgentTraffic(table.get()), {
  find: ['dynamodb:GetItem'],
});
