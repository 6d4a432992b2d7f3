import { listDocuments } from '../../../functions/api/list-documents.ts';
import { now } from '../../../functions/domain/date-time.ts';
import { newIdentifier } from '../../../functions/domain/identifiers.ts';
import { documents } from '../../../functions/store/sources/documents.ts';
import type { Row } from '../benchmark.ts';
import { invoke } from '../world.ts';

const count = 100;

/** What a list without texts asks of the table: one read for the key and the agent, and one query. */
export const knowledgeLists: Row = {
  name: 'knowledge-lists',
  title: 'Requests that a list of documents makes',

  async measure(open) {
    const { uid, apiKey, proxy, newAgent } = await open();
    const agentId = await newAgent();
    proxy.delay(0);
    for (let index = 0; index < count; index++) {
      const document = { id: newIdentifier('doc'), agentId, name: `Document ${index}.pdf`, size: 1, active: true };
      await documents.get().add({ ...document, status: 'ready', lastUpdatedBy: uid, lastUpdatedAt: now() });
    }
    await proxy.take();
    await invoke(listDocuments, { apiKey, query: { uid, agentId, content: 'false' } });
    const seen = await proxy.take();
    const queries = seen.filter(({ operation }) => operation === 'Query').length;
    return [
      {
        what: `${count} documents without their texts`,
        ours: { value: seen.length, unit: 'requests' },
        note: `queries: ${queries}`,
        target: { text: '= 2', reached: seen.length === 2 && queries === 1 },
      },
    ];
  },
};
