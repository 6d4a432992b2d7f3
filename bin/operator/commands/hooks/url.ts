import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { PlatformName } from '../../../../functions/domain/voice-platforms.ts';
import type { Platform } from '../../../../functions/hooks/platforms/platform.ts';
import { listTakers, platforms } from '../../../../functions/hooks/platforms/platforms.ts';
import { identifier } from '../../../command-line/arguments.ts';
import { serviceOption } from '../../../command-line/connection.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print, record, say } from '../../../command-line/output.ts';
import { future } from '../../../command-line/times.ts';
import { userWithAccess } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { chooseBaseUrl } from '../../service.ts';
import { openStores } from '../../stores.ts';

export const createHookUrl = (hooks: Group) =>
  addCommand(
    hooks,
    'hooks url',
    'Print the address to enter at a voice platform. Unless the platform signs, it contains a new key for hooks.',
    [
      '--platform twilio --agent-id front-desk --next https://voice.example.com/answer',
      '--platform vapi --agent-id front-desk --assistant-id asst_1 --stack voice-agents-prod',
    ],
  )
    .addOption(
      new Option('--platform <platform>', 'the voice platform')
        .choices(Object.keys(platforms) as PlatformName[])
        .makeOptionMandatory(),
    )
    .requiredOption('--agent-id <id>', 'the agent that takes the calls', identifier)
    .option('--uid <uid>', "a user with access to the agent (default: the agent's owner)", identifier)
    .option(
      '--next <address>',
      `${listTakers('next')}: the https address of your TwiML for accepted calls`,
      httpsAddress,
    )
    .option('--assistant-id <id>', `${listTakers('assistantId')}: the assistant for accepted calls`)
    .option(
      '--overrides',
      `${listTakers('overrides')}: accepted calls get greeting, instructions and language of the agent`,
    )
    .addOption(
      new Option(
        '--unsure <decision>',
        'the decision when the database does not answer in time (default: accept)',
      ).choices(['accept', 'reject'] as const),
    )
    .option('--expires <when>', 'a date, a date-time or a duration such as 365d (default: never)', future)
    .option(...serviceOption)
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { platform: name, agentId, next, assistantId, overrides, unsure, expires } = options;
      const platform: Platform = platforms[name];
      const needed = platform.needs?.({ body: {}, query: {} });
      if (needed && !options[needed]) {
        throw new CommandError(`${name} needs ${optionOf[needed]} to accept a call.`, exitCodes.usage);
      }
      const service = await chooseBaseUrl(options);
      const { agents, apiKeys, hookSecrets } = await openStores(options);
      const uid = await userWithAccess(agents, agentId, options.uid);
      const buildAddress = (more: { key?: string }) => {
        const given = { uid, agentId, next, assistantId, overrides: overrides && 'true', unsure, ...more };
        const query = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
        return `${service}/hooks/${name}?${new URLSearchParams(query)}`;
      };
      const facts = { platform: name, agent: agentId, user: uid };
      const isSigned = (await hookSecrets.find(uid, name)) !== undefined;
      if (isSigned || overrides) {
        const url = buildAddress({});
        const note = isSigned
          ? 'It contains no key: the requests are recognized by their signature. Enter it exactly like this.'
          : `It contains no key, with which overrides have no effect. Set the secret of ${name} with PUT /hook-secrets/${name}, or let ${name} send a key in a header.`;
        print(options, { url, platform: name, uid, agentId }, () => `${url}\n\n${note}\n\n${record(facts)}`);
        return;
      }
      const key = await apiKeys.create(uid, { name: `hooks: ${name}`, scopes: ['hooks'], expiresAt: expires });
      const url = buildAddress({ key: key.secret });
      print(options, { url, platform: name, keyId: key.keyId, uid, agentId }, () =>
        [
          url,
          'Store this address now: it contains the key, which is not shown again.',
          record({ ...facts, key: key.keyId }),
          `To end it: key revoke --uid ${uid} ${key.keyId}`,
        ].join('\n\n'),
      );
      say(`\nBetter, let ${name} sign: set its secret with PUT /hook-secrets/${name}. The address then needs no key.`);
    });

const optionOf = { next: '--next', assistantId: '--assistant-id' };

function httpsAddress(text: string): string {
  if (URL.parse(text)?.protocol === 'https:') return text;
  throw new InvalidArgumentError('It must be an absolute https address.');
}
