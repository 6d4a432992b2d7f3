import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { dataOf } from '../../../command-line/data-of.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { knowledgeCommand, withKnowledge } from '../../knowledge/command.ts';
import { describeSource, withoutText } from '../../knowledge/describe-source.ts';
import { listDocuments, waitForSources } from '../../knowledge/sources.ts';
import type { Group } from '../../program.ts';

export const retryDocument = (knowledge: Group) =>
  knowledgeCommand(knowledge, 'retry', 'Extract the text of a failed document again, and wait for the result', [
    'doc_01KA… --agent-id front-desk',
  ])
    .argument('<documentId>', 'the document', as(Identifier))
    .option('--no-wait', 'do not wait until the text is extracted')
    .action(async (documentId, _, command) => {
      const options = command.optsWithGlobals();
      await withKnowledge(options, async (service, stop) => {
        const { api, uid, agentId } = service;
        const { status } = dataOf(await api.documents.retry({ uid, agentId, documentId }));
        if (!options.wait) {
          return print(options, { agentId, documentId, status }, () => `The extraction of ${documentId} has started.`);
        }
        const { found, problem } = await waitForSources(() => listDocuments(service), [documentId], stop);
        const document = found.get(documentId);
        if (!document || problem) {
          throw new CommandError(
            problem ?? `Document ${documentId} was deleted in the meantime.`,
            stop.aborted ? exitCodes.unfinished : exitCodes.failed,
          );
        }
        print(options, withoutText(document), () => describeSource({ kind: 'document', record: document }));
        if (document.status === 'failed') throw new CommandError(`Document ${documentId} failed.`);
      });
    });
