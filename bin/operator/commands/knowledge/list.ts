import { print, table } from '../../../command-line/output.ts';
import { knowledgeCommand, withKnowledge } from '../../knowledge/command.ts';
import { missingIn, stateOf } from '../../knowledge/describe-source.ts';
import { type DocumentSummary, listDocuments, listWebsites, type WebsiteSummary } from '../../knowledge/sources.ts';
import type { Group } from '../../program.ts';
import type { Service } from '../../service.ts';

export const listSources = (knowledge: Group) =>
  knowledgeCommand(knowledge, 'list', 'List the websites and documents of an agent with their status', [
    '--agent-id front-desk',
    '--agent-id front-desk --json --stack voice-agents-prod',
  ]).action(async (_, command) => {
    const options = command.optsWithGlobals();
    await withKnowledge(options, async (service) => {
      const [websites, documents] = await Promise.all([listWebsites(service), listDocuments(service)]);
      print(options, { agentId: service.agentId, websites, documents }, () =>
        describeList(service, websites, documents),
      );
    });
  });

const describeList = ({ agentId }: Service, websites: WebsiteSummary[], documents: DocumentSummary[]) => {
  const tables = [
    table(websites, {
      WEBSITE: 'id',
      URL: 'url',
      STATUS: 'status',
      STATE: stateOf,
      PAGES: 'pages',
      'FAILED PAGES': ({ failedPages }) => failedPages.length,
      ERROR: 'error',
      MISSING: missingIn,
      'NEXT REFRESH': 'nextRefreshAt',
    }),
    table(documents, {
      DOCUMENT: 'id',
      NAME: 'name',
      STATUS: 'status',
      STATE: stateOf,
      BYTES: ({ size }) => size.toLocaleString('en'),
      ERROR: 'error',
      MISSING: missingIn,
    }),
  ];
  return tables.filter(Boolean).join('\n\n') || `Agent ${agentId} has no websites and no documents.`;
};
