import { formatLimit } from '../../../../functions/domain/format-limit.ts';
import { identifier } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { count, print, table } from '../../../command-line/output.ts';
import { upload } from '../../knowledge/upload.ts';
import type { Group } from '../../program.ts';
import { runWithService, serviceCommand } from '../../service-command.ts';

export const uploadDocuments = (knowledge: Group) =>
  serviceCommand(knowledge, 'knowledge upload', 'Upload documents, and wait until their text is extracted', [
    'handbook.pdf prices.docx --agent-id front-desk',
    '*.pdf --agent-id front-desk --no-wait --stack voice-agents-prod',
  ])
    .requiredOption('--agent-id <id>', 'the agent', identifier)
    .argument('<files...>', `PDF, Word (.docx), text or Markdown, up to ${formatLimit('fileBytes')} each`)
    .option('--no-wait', 'do not wait until the texts are extracted')
    .action(async (files, _, command) => {
      const options = command.optsWithGlobals();
      await runWithService(options, ['knowledge'], async (service, stop) => {
        const { results, problem } = await upload(service, files, options.wait, stop);
        const done = results.filter(({ status }) => status === (options.wait ? 'ready' : 'sent')).length;
        print(options, { agentId: service.agentId, files: results }, () =>
          table(results, { FILE: 'file', STATUS: 'status', DOCUMENT: 'documentId', ERROR: 'error' }),
        );
        if (problem) throw new CommandError(problem, stop.aborted ? exitCodes.unfinished : exitCodes.failed);
        if (done < files.length) throw new CommandError(`${count(files.length - done, 'file')} failed.`);
      });
    });
