import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { now } from '../../functions/domain/date-time.ts';
import { newIdentifier, newUlid } from '../../functions/domain/identifiers.ts';
import { newAttempt, websiteStates } from '../../functions/domain/source-state.ts';
import { pagesText, proseText } from '../../functions/domain/sources.ts';
import { indexOf } from '../../functions/search/source-index.ts';
import { agents } from '../../functions/store/agents.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { calls } from '../../functions/store/calls/calls.ts';
import { websites } from '../../functions/store/sources/websites.ts';
import { users } from '../../functions/store/users.ts';
import { type Demo, makeDemo } from '../operator/demo.ts';

/** `documentId` is missing where the file store does not answer. */
export type LocalDemo = Demo & { documentId?: string; websiteId: string };

/** Creates the demo data, or reads those of an earlier run, whose keys only `file` contains. */
export const demoData = async (file: string | undefined, baseUrl: string): Promise<LocalDemo> => {
  if (file && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as LocalDemo;
  const stores = { users: users.get(), apiKeys: apiKeys.get(), agents: agents.get(), calls: calls.get() };
  const data = await makeDemo(stores, { uid: 'demo-user', otherUid: 'other-user' });
  const [documentId, websiteId] = await Promise.all([addByHttp(data, baseUrl), addWebsite(data)]);
  const demo = { ...data, documentId, websiteId };
  if (file) writeFileSync(file, JSON.stringify(demo), { mode: 0o600 });
  return demo;
};

/** Adds a phone number, a blocked number and a document, as a client does. Returns the id of the document. */
const addByHttp = async ({ uid, apiKey, agentId }: Demo, baseUrl: string): Promise<string | undefined> => {
  const send = async (method: string, path: string, body: FormData | object) => {
    const isForm = body instanceof FormData;
    const response = await fetch(baseUrl + path, {
      method,
      headers: { 'x-authorization': apiKey, ...(!isForm && { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    });
    // The service works without them, as when the files are in a store of the user's own that is not running.
    if (response.ok) return response.json();
    console.error(`Part of the demo data is missing: ${method} ${path}: ${await response.text()}`);
  };
  const document = new FormData();
  document.set('uid', uid);
  document.set('agentId', agentId);
  document.set('files', new Blob([openingHours]), 'Opening hours.md');
  const [uploaded] = await Promise.all([
    send('POST', '/agent-documents', document),
    send('PATCH', `/agents/${agentId}`, { phoneNumber: '+14155550199' }),
    send('POST', '/agent-block-list', { uid, agentId, numbers: ['+14155550177'] }),
  ]);
  return (uploaded as { documentIds: string[] } | undefined)?.documentIds[0];
};

const openingHours = `# Opening hours

Monday to Friday from 8:00 to 18:00, Saturday from 9:00 to 13:00. Closed on Sundays and public holidays.

In an emergency outside of these hours, call +1 415 555 0142.
`;

/** Adds a website as it is after its crawl: a machine may have no connection to the internet. Returns its id. */
const addWebsite = async ({ uid, agentId }: Demo): Promise<string> => {
  const url = 'https://www.example.com/';
  const source = { agentId, id: newIdentifier('web') };
  const attempt = newUlid();
  await websites.get().add({
    ...source,
    ...{ name: 'www.example.com', url, active: true, pages: 0, failedPages: [] },
    ...newAttempt(websiteStates, attempt),
    ...{ limit: 5, maxDepth: 1, includePaths: [], excludePaths: [] },
    ...{ lastUpdatedBy: uid, lastUpdatedAt: now() },
  });
  const run = await websites.get().start(source, attempt);
  if (!run) return source.id;
  const page = { url, title: 'Example Dental', text: welcomePage };
  const texts = { content: pagesText([page]), contentMD: proseText(`# ${page.title}\n\n<${url}>\n\n${welcomePage}`) };
  const index = await indexOf('website', texts.content.whole, texts.contentMD.whole, undefined);
  const fields = { pages: 1, lastCrawledAt: now() };
  await websites.get().finish(source, { attempt, revision: run.revision }, { ...texts, index }, fields);
  return source.id;
};

const welcomePage =
  'Example Dental is a dental practice in San Francisco. New patients are welcome: call us to make an appointment.';
