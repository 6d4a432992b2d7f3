import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { Identifier } from '../../../../functions/domain/identifiers.ts';
import type { Platform } from '../../../../functions/hooks/platform.ts';
import { type PlatformName, platforms } from '../../../../functions/hooks/platforms.ts';
import { as, baseUrl } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print, record } from '../../../command-line/output.ts';
import { future } from '../../../command-line/times.ts';
import { userWithAccess } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { baseUrlOf } from '../../service.ts';
import { openStores } from '../../stores.ts';

export const createHookUrl = (hooks: Group) =>
  hooks
    .command('url')
    .description('Create a key with the scope hooks alone, and print the address to enter at a voice platform')
    .addOption(
      new Option('--platform <platform>', 'the voice platform')
        .choices(Object.keys(platforms) as PlatformName[])
        .makeOptionMandatory(),
    )
    .requiredOption('--agent-id <id>', 'the agent that takes the calls', as(Identifier))
    .option('--uid <uid>', "a user with access to the agent (default: the agent's owner)", as(Identifier))
    .option('--next <address>', 'Twilio: the https address of your TwiML for accepted calls', httpsAddress)
    .option('--assistant-id <id>', 'Vapi, Retell: the assistant for accepted calls')
    .addOption(
      new Option(
        '--unsure <decision>',
        'the decision when the database does not answer in time (default: accept)',
      ).choices(['accept', 'reject'] as const),
    )
    .option('--expires <when>', 'a date, a date-time or a duration such as 365d (default: never)', future)
    .option('--base-url <address>', 'the address of the service (default: of the local run or the --stack)', baseUrl)
    .addHelpText(
      'after',
      examples(
        'hooks url --platform twilio --agent-id front-desk --next https://voice.example.com/answer',
        'hooks url --platform vapi --agent-id front-desk --assistant-id asst_1 --stack voice-agents-prod',
      ),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { platform: name, agentId, next, assistantId, unsure, expires } = options;
      const platform: Platform = platforms[name];
      const needed = platform.needs?.({ body: {}, query: {} });
      if (needed && !options[needed]) {
        throw new CommandError(`${name} needs ${optionOf[needed]} to accept a call.`, exitCodes.usage);
      }
      const service = await baseUrlOf(options);
      const { agents, apiKeys } = await openStores(options);
      const uid = await userWithAccess(agents, agentId, options.uid);
      const key = await apiKeys.create(uid, { name: `hooks: ${name}`, scopes: ['hooks'], expiresAt: expires });
      const given = { uid, agentId, next, assistantId, unsure, key: key.secret };
      const query = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
      const url = `${service}/hooks/${name}?${new URLSearchParams(query)}`;
      print(
        options,
        { url, platform: name, keyId: key.keyId, uid, agentId },
        () =>
          `${url}\n\nStore this address now: it contains the key, which is not shown again.\n\n${record({
            platform: name,
            agent: agentId,
            user: uid,
            key: key.keyId,
          })}\n\nTo end it: key revoke --uid ${uid} ${key.keyId}`,
      );
    });

const optionOf = { next: '--next', assistantId: '--assistant-id' };

function httpsAddress(text: string): string {
  if (URL.parse(text)?.protocol === 'https:') return text;
  throw new InvalidArgumentError('It must be an absolute https address.');
}
