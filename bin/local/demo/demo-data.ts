import { Scope } from '../../../functions/domain/api-keys.ts';
import { now } from '../../../functions/domain/date-time.ts';
import { newIdentifier, newUlid } from '../../../functions/domain/identifiers.ts';
import { newAttempt, websiteStates } from '../../../functions/domain/source-state.ts';
import { pagesText, proseText } from '../../../functions/domain/sources.ts';
import { type ApiClient, apiClient } from '../../../functions/openapi/client/client.ts';
import { buildIndex } from '../../../functions/search/source-index.ts';
import { agentChanges } from '../../../functions/store/agents/agent-changes.ts';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { calls } from '../../../functions/store/calls/calls.ts';
import { websites } from '../../../functions/store/sources/websites.ts';
import { users } from '../../../functions/store/users.ts';
import { type Demo, makeDemo } from '../../operator/demo.ts';
import { keepFile, readKeptFile } from '../kept-files.ts';
import { demoWebsite, openingHours } from './demo-texts.ts';

/** `documentId` is missing when the file store does not respond. */
export type LocalDemo = Demo & { usersApiKey: string; documentId?: string; websiteId: string };

const demoUser = 'demo-user';
export const demoPhoneNumber = '+14155550199';
/** The scopes of the demo key: all that a key may have together. */
const scopes = Scope.options.filter((scope) => scope !== 'users');

/**
 * Creates the demo data, or reads those of an earlier run, whose keys only `file` contains. `isNew` is true when neither the
 * file nor the table had demo data.
 */
export const demoData = async (
  file: string | undefined,
  baseUrl: string,
): Promise<{ demo: LocalDemo; isNew: boolean }> => {
  const kept = readKeptFile<LocalDemo>(file);
  if (kept) return { demo: kept, isNew: false };
  const isNew = (await users.get().find(demoUser)) === undefined;
  const stores = { users: users.get(), apiKeys: apiKeys.get(), agentChanges: agentChanges.get(), calls: calls.get() };
  const data = await makeDemo(stores, { uid: demoUser, otherUid: 'other-user', scopes });
  const { secret: usersApiKey } = await stores.apiKeys.create(demoUser, { name: 'demo clients', scopes: ['users'] });
  const [documentId, websiteId] = await Promise.all([
    addByHttp(data, baseUrl),
    addWebsite(data),
    demoClient({ apiKey: usersApiKey }, baseUrl).users.create({
      ...{ uid: 'demo-client', name: 'Riverside Dental' },
      budget: { amount: 50, currency: 'USD', per: 'month', action: 'refuse_outbound' },
    }),
  ]);
  const demo = { ...data, usersApiKey, documentId, websiteId };
  if (file) keepFile(file, JSON.stringify(demo));
  return { demo, isNew };
};

/**
 * Creates a client of this run for the demo user. It reports failures and goes on: the service works without the missing items.
 */
export const demoClient = ({ uid, apiKey }: Pick<Demo, 'apiKey'> & { uid?: string }, baseUrl: string): ApiClient =>
  apiClient({
    baseUrl,
    apiKey,
    uid,
    retries: 0,
    async fetch(request) {
      const response = await fetch(request);
      const path = new URL(request.url).pathname;
      if (!response.ok)
        console.error(`Part of the demo data is missing: ${request.method} ${path}: ${await response.clone().text()}`);
      return response;
    },
  });

/** Adds a phone number, a blocked number and a document, as a client does. Returns the id of the document. */
const addByHttp = async (demo: Demo, baseUrl: string): Promise<string | undefined> => {
  const { agentId } = demo;
  const api = demoClient(demo, baseUrl);
  const [{ documents }] = await Promise.all([
    api.documents.uploadFiles({ agentId }, [{ name: 'Opening hours.md', content: openingHours }]),
    api.agents.update({ agentId, phoneNumber: demoPhoneNumber }),
    api.blockList.add({ agentId, numbers: ['+14155550177'] }),
  ]);
  return documents[0]?.documentId;
};

/** Adds a website in the state after its crawl, because the machine may have no connection to the internet. Returns its id. */
const addWebsite = async ({ uid, agentId }: Demo): Promise<string> => {
  const { url, pages, failedPages } = demoWebsite;
  const source = { agentId, id: newIdentifier('web') };
  const attempt = newUlid();
  await websites.get().add({
    ...source,
    name: 'www.example.com',
    url,
    active: true,
    pages: 0,
    failedPages: [],
    ...newAttempt(websiteStates, attempt),
    limit: 5,
    maxDepth: 1,
    includePaths: [],
    excludePaths: [],
    lastUpdatedBy: uid,
    lastUpdatedAt: now(),
  });
  const run = await websites.get().start(source, attempt);
  if (!run) return source.id;
  const markdown = pages.map(({ title, url, text }) => `# ${title}\n\n<${url}>\n\n${text}`).join('\n\n');
  const texts = { content: pagesText(pages), contentMD: proseText(markdown) };
  const index = await buildIndex('website', texts.content.whole, texts.contentMD.whole, undefined);
  const fields = { pages: pages.length, failedPages, lastCrawledAt: now() };
  await websites.get().finish(source, { attempt, revision: run.revision }, { ...texts, index }, fields);
  return source.id;
};
