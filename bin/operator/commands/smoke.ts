import { baseUrl } from '../../command-line/arguments.ts';
import { serviceOption } from '../../command-line/connection.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { columns, print } from '../../command-line/output.ts';
import { addCommand, type Operator } from '../program.ts';
import { chooseBaseUrl } from '../service.ts';
import { type Addresses, listChecks } from '../smoke/checks.ts';
import { readOutputs } from '../stack.ts';
import { announce } from '../stores.ts';

export const smoke = (program: Operator) =>
  addCommand(program, 'smoke', 'Check a deployment with a few requests that change nothing and need no key', [
    '--stack voice-agents-prod',
    '--stack voice-agents-prod --chat --json',
  ])
    .option(...serviceOption)
    .option(
      '--api-url <address>',
      'the API behind CloudFront, which must answer 403 (default: of the --stack)',
      baseUrl,
    )
    .option('--chat-url <address>', 'the same of the chat', baseUrl)
    .option(
      '--chat',
      'also talk with the chat’s model, which costs a few tokens (with the API key in VAP_API_KEY, if any)',
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { hasChat, ...addresses } = await readAddresses(options);
      if (options.chat && !hasChat) throw new CommandError('The deployment has no chat (chat=off).', exitCodes.usage);
      const chat = { hasChat, talk: options.chat === true };
      announce(options, `the service at ${addresses.baseUrl}`);
      const checks = await Promise.all(listChecks(addresses, chat).map((check) => check()));
      print(options, { ...addresses, passed: checks.every(({ passed }) => passed), checks }, () =>
        columns(
          checks.map(({ what, expected, found, passed }) => [
            passed ? 'ok' : 'FAILED',
            what,
            passed ? found : `${found}, not ${expected}`,
          ]),
        ),
      );
      const failed = checks.filter(({ passed }) => !passed).length;
      if (failed > 0) throw new CommandError(`${failed} of ${checks.length} checks failed.`);
    });

/** Returns the addresses to check. Without the edge, the API's own address is the service's, and accepts requests. */
const readAddresses = async (
  options: Parameters<typeof chooseBaseUrl>[0] & Partial<Addresses>,
): Promise<Addresses & { hasChat: boolean }> => {
  const { stack, region, apiUrl, chatUrl } = options;
  const base = await chooseBaseUrl(options);
  const outputs = stack && !options.baseUrl ? await readOutputs(stack, region) : {};
  const hasChat = outputs.BaseUrl === undefined || outputs.ChatUrl !== undefined;
  const hasEdge = outputs.ApiUrl !== undefined && outputs.ApiUrl !== base;
  return {
    hasChat,
    baseUrl: base,
    apiUrl: apiUrl ?? (hasEdge ? outputs.ApiUrl : undefined),
    chatUrl: chatUrl ?? (hasEdge ? outputs.ChatUrl?.replace(/\/+$/, '') : undefined),
  };
};
