import { Option } from '@commander-js/extra-typings';
import { ChangeKind } from '../../../functions/domain/changes.ts';
import { Identifier } from '../../../functions/domain/identifiers.ts';
import type { Change } from '../../../functions/openapi/client/client.ts';
import { as, wholeNumber } from '../../command-line/arguments.ts';
import { interruption } from '../../command-line/interruption.ts';
import { print, table } from '../../command-line/output.ts';
import { past } from '../../command-line/times.ts';
import { examples, type Operator } from '../program.ts';
import { withService } from '../service.ts';

export const listChanges = (program: Operator) =>
  program
    .command('changes')
    .description('List who changed what of a user, the newest first')
    .requiredOption('--uid <uid>', 'the user', as(Identifier))
    .option('--agent-id <id>', 'only changes of this agent and of what belongs to it', as(Identifier))
    .addOption(new Option('--kind <kind>', 'only changes of this kind').choices(ChangeKind.options))
    .option('--key <id>', 'only changes that this API key made')
    .option('--since <when>', 'only changes since a date, a date-time or a duration ago such as 30d', past)
    .option('--limit <number>', 'the maximum number of changes', wholeNumber(1, 10_000), 50)
    .option('--base-url <url>', 'the address of the service, needed with --table')
    .addHelpText('after', examples('changes --uid acme', 'changes --uid acme --kind key --since 7d'))
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { agentId, kind, key: keyId, since: from, limit } = options;
      using stop = interruption();
      await withService({ ...options, agentId: undefined }, 'changes', stop.signal, async ({ api, uid }) => {
        const changes: Change[] = [];
        for await (const change of api.changes.list({ uid, agentId, kind, keyId, from })) {
          if (changes.push(change) === limit) break;
        }
        print(options, { uid, changes }, () =>
          table(
            changes,
            {
              AT: 'at',
              ACTION: 'action',
              OF: 'id',
              BY: ({ uid, keyName, keyId }) => [uid, keyName ?? keyId].filter(Boolean).join(' '),
              VIA: 'via',
              REQUEST: 'requestId',
            },
            `User ${uid} has no such changes.`,
          ),
        );
      });
    });
