import type { Row } from '../benchmark.ts';
import { startLocalRun } from '../local-run.ts';
import { densePdf } from './extraction.ts';

type User = { uid: string; apiKey: string; agentId: string };

const documentsBehind = 100;

/** How long a small document waits behind many slow ones of another user, in the local run as a user starts it. */
export const fairness: Row = {
  name: 'fairness',
  title: 'Background jobs, shared among users',
  async measure(_, say) {
    const { run, stop } = await startLocalRun();
    try {
      const busy: User = run;
      const other = { uid: run.otherUid, apiKey: run.otherApiKey, agentId: run.otherAgentId } as User;
      const slow = densePdf(1_000_000);
      say('A document of each user alone …');
      await read(run.baseUrl, other, [Buffer.from('Warm up')]);
      const oneJob = await read(run.baseUrl, busy, [slow]);
      const alone = await read(run.baseUrl, other, [Buffer.from('Hello')]);
      say(`The small one behind ${documentsBehind} slow ones of the other user …`);
      for (let sent = 0; sent < documentsBehind; sent += 4) await upload(run.baseUrl, busy, Array(4).fill(slow));
      const behind = await read(run.baseUrl, other, [Buffer.from('Hello again')]);
      const most = 1.5 * alone + oneJob;
      return [
        {
          what: `a small document behind ${documentsBehind} slow ones of another user`,
          ours: { value: behind, unit: 'ms' },
          against: { what: 'alone', quantity: { value: alone, unit: 'ms' }, ratio: behind / alone },
          target: { text: `≤ 1.5 × alone + one slow job (${Math.round(oneJob)} ms)`, reached: behind <= most },
        },
      ];
    } finally {
      await stop();
    }
  },
};

const upload = async (baseUrl: string, { uid, agentId, apiKey }: User, files: Uint8Array<ArrayBuffer>[]) => {
  const form = new FormData();
  form.set('uid', uid);
  form.set('agentId', agentId);
  for (const [index, bytes] of files.entries()) form.append('files', new Blob([bytes]), `${index}.txt`);
  const headers = { 'x-authorization': apiKey };
  const response = await fetch(`${baseUrl}/agent-documents`, { method: 'POST', headers, body: form });
  if (response.status !== 200) throw new Error(`An upload was answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { documentIds: string[] }).documentIds;
};

/** Uploads documents, and returns the milliseconds until all of them are read. */
const read = async (baseUrl: string, user: User, files: Uint8Array<ArrayBuffer>[]): Promise<number> => {
  const started = performance.now();
  const ids = await upload(baseUrl, user, files);
  const { uid, agentId, apiKey } = user;
  for (;;) {
    const query = new URLSearchParams({ uid, agentId, content: 'false' });
    const response = await fetch(`${baseUrl}/agent-documents?${query}`, { headers: { 'x-authorization': apiKey } });
    const { documents } = (await response.json()) as { documents: { id: string; status: string }[] };
    const done = documents.filter(({ id, status }) => ids.includes(id) && status === 'ready');
    if (done.length === ids.length) return performance.now() - started;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
