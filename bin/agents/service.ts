import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { nameOfSite } from '../../functions/domain/websites.ts';
import { type Agent, type ApiClient, apiClient, dataOf } from '../../functions/openapi/client/client.ts';
import { CommandError } from '../command-line/exit-codes.ts';
import { type AgentFile, hashMd5 } from './folder.ts';

/** A deployment, on behalf of the user of a key. */
export type Service = { address: string; api: ApiClient; uid: string; readsKnowledge: boolean };

/** A website or a document, of a file or of the service. */
export type Source = {
  /** The fields that are compared, without those that have their default. */
  value: { url?: string; name?: string; active?: boolean; refreshEvery?: number; md5?: string };
  /** Its id on the service, and the link to a document's file. */
  id?: string;
  fileUrl?: string;
  /** The entry in the file, with the user's own fields, and the path of a document. */
  entry?: object;
  path?: string;
};
/** Sources by their identity: `websites.` and the address, or `documents.` and the name. */
export type Sources = Map<string, Source>;

export const isWebsite = (path: string) => path.startsWith('websites.');
export const isSource = (path: string) => isWebsite(path) || path.startsWith('documents.');
export const sourceValues = (sources: Sources) =>
  new Map([...sources].map(([path, { value }]): [string, unknown] => [path, value]));

export const connect = async (options: { baseUrl: string; apiKey: string; signal: AbortSignal }): Promise<Service> => {
  const { uid, scopes } = dataOf(await apiClient(options).key.get());
  const address = new URL(options.baseUrl).href.replace(/\/+$/, '');
  return { address, api: apiClient({ ...options, uid }), uid, readsKnowledge: scopes.includes('knowledge') };
};

/** Lists the user's own agents. */
export const ownAgents = async ({ api, uid }: Service): Promise<Agent[]> => {
  const agents = await Array.fromAsync(api.agents.list({ limit: 100 }));
  return agents.filter((agent) => agent.uid === uid);
};

/** Returns the sources that a file lists. */
export const sourcesOfFile = ({ content: { websites = [], documents = [] }, document }: AgentFile): Sources => {
  const entries = document.toJS();
  return groupSources([
    ...websites.map((website, n) => ({ ...toWebsiteSource(website), entry: entries.websites[n] })),
    ...documents.map((one, n) => ({ ...toDocumentSource(one), path: one.path, entry: entries.documents[n] })),
  ]);
};

/** Returns the sources of an agent on the service, of the kinds that a file lists. */
export const sourcesOfService = async (service: Service, agentId: string, { content }: AgentFile): Promise<Sources> => {
  const [websites, documents] = await Promise.all([
    content.websites ? Array.fromAsync(service.api.websites.list({ agentId, content: false })) : [],
    content.documents ? fetchDocuments(service, agentId) : [],
  ]);
  return groupSources([
    ...websites.map((website) => ({ ...toWebsiteSource(website), id: website.id })),
    ...documents.map((document) => ({ ...toDocumentSource(document), id: document.id, fileUrl: document.fileUrl })),
  ]);
};

type Website = NonNullable<AgentFile['content']['websites']>[number];

const toWebsiteSource = ({ url, name, active, refreshEvery, ...crawl }: Website) => {
  const { limit, maxDepth, includePaths, excludePaths } = crawl;
  const ownName = name === nameOfSite(url) ? undefined : name;
  const settings = { name: ownName, active, refreshEvery, limit, maxDepth, includePaths, excludePaths };
  const given = Object.entries(settings).filter(([field, value]) => !isDeepStrictEqual(value, defaults[field]));
  return { is: `websites.${url}`, value: { url, ...Object.fromEntries(given) } as Source['value'] };
};

const defaults: Record<string, unknown> = { active: true, limit: 5, maxDepth: 1, includePaths: [], excludePaths: [] };

const toDocumentSource = ({ name, md5, active }: { name: string; md5: string; active: boolean }) => ({
  is: `documents.${name}`,
  value: { name, md5, ...(!active && { active }) },
});

/** Numbers sources that have the same address or name. */
const groupSources = (all: (Source & { is: string })[]): Sources => {
  const sources: Sources = new Map();
  for (const { is, ...source } of all) {
    let free = is;
    for (let number = 2; sources.has(free); number++) free = `${is} (${number})`;
    sources.set(free, source);
  }
  return sources;
};

/** The maximum wait for a document whose file is being uploaded. */
const maxWaitSeconds = 60;

const fetchDocuments = async ({ api }: Service, agentId: string) => {
  for (let waited = 0; waited <= maxWaitSeconds; waited++) {
    const found = await Array.fromAsync(api.documents.list({ agentId, content: false }));
    if (found.every(({ fileUrl }) => fileUrl)) {
      return Promise.all(found.map(async (one) => ({ ...one, md5: one.md5 ?? hashMd5(await download(one)) })));
    }
    await sleep(1000);
  }
  throw new CommandError(`A document of the agent ${agentId} is still being uploaded. Try again later.`);
};

/** Downloads the file of a document. */
export const download = async ({ fileUrl = '' }: { fileUrl?: string }): Promise<Uint8Array> => {
  const response = await fetch(fileUrl);
  if (!response.ok) throw new CommandError(`The file of a document cannot be downloaded (${response.status}).`);
  return new Uint8Array(await response.arrayBuffer());
};
