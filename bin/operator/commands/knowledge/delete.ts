import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { columns, print } from '../../../command-line/output.ts';
import { sayUnconfirmed } from '../../confirmation.ts';
import { knowledgeCommand, withKnowledge } from '../../knowledge/command.ts';
import { deleteSource, existingSource, type Source } from '../../knowledge/sources.ts';
import type { Group } from '../../program.ts';

export const deleteSources = (knowledge: Group) =>
  knowledgeCommand(knowledge, 'delete', 'Delete websites and documents with their texts and files', [
    'web_01KA… doc_01KA… --agent-id front-desk --yes',
  ])
    .argument('<ids...>', 'the websites and documents', toIds)
    .option('--yes', 'do it; without this option, they are only listed')
    .action(async (ids, _, command) => {
      const options = command.optsWithGlobals();
      const { yes = false } = options;
      await withKnowledge(options, async (service) => {
        const sources: Source[] = [];
        for (const id of new Set(ids)) sources.push(await existingSource(service, id));
        if (yes) for (const source of sources) await deleteSource(service, source);
        const deleted = sources.map(({ kind, record: { id, name } }) => ({ kind, id, name }));
        print(options, { agentId: service.agentId, sources: deleted, deleted: yes }, () =>
          columns(deleted.map(({ kind, id, name }) => [kind, id, name, yes ? 'deleted' : ''])),
        );
        if (!yes) sayUnconfirmed('deleted');
      });
    });

const toIds = (text: string, before: string[] = []) => [...before, as(Identifier)(text)];
