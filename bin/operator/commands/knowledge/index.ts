import { indexSources } from '../../../../functions/search/source-index.ts';
import { documentKind } from '../../../../functions/store/sources/documents.ts';
import { type SourceKind, SourceReads } from '../../../../functions/store/sources/source-reads.ts';
import { Sources } from '../../../../functions/store/sources/sources.ts';
import { websiteKind } from '../../../../functions/store/sources/website-reads.ts';
import { print, record } from '../../../command-line/output.ts';
import { chosenAgents, chosenAgentsCommand } from '../../chosen-agents.ts';
import type { Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const indexKnowledge = (knowledge: Group) =>
  chosenAgentsCommand(
    knowledge,
    'knowledge index',
    'Index websites and documents for the search, unless they are already indexed',
    ['--agent-id front-desk', '--uid user-1 --stack voice-agents-prod'],
    `
Sources that an earlier version of the service read cannot be searched until they are indexed; a search counts them in
searched.unindexed. Indexing again what is indexed changes nothing.
`,
  ).action(async (_, command) => {
    const options = command.optsWithGlobals();
    const stores = await openStores(options);
    const agentIds = await chosenAgents(stores, options);
    const { table, agents } = stores;
    const chooseStores = (kind: SourceKind) => ({
      reads: new SourceReads(table, kind),
      writes: new Sources(table, kind),
    });
    const sources = { website: chooseStores(websiteKind), document: chooseStores(documentKind) };
    let indexed = 0;
    for (const agentId of agentIds) indexed += (await indexSources(agentId, sources, agents)).indexed;
    print(options, { agents: agentIds.length, indexed }, () =>
      record({ agents: agentIds.length, 'sources indexed': indexed }),
    );
  });
