import { newApiKey } from '../../functions/domain/api-keys.ts';
import { baseUrl } from '../command-line/arguments.ts';
import { CommandError } from '../command-line/exit-codes.ts';
import { columns, print } from '../command-line/output.ts';
import { examples, type Operator } from './program.ts';
import { baseUrlOf } from './service.ts';
import { outputsOf } from './stack.ts';
import { announce } from './stores.ts';

/** The addresses of a deployment. Those of the API and the chat are given where CloudFront is in front of them. */
type Addresses = { baseUrl: string; apiUrl?: string | undefined; chatUrl?: string | undefined };

type Check = { what: string; expected: string; found: string; passed: boolean };

export const addSmokeCommand = (program: Operator) => {
  program
    .command('smoke')
    .description('Check a deployment with a few requests that change nothing and need no key')
    .option('--base-url <address>', 'the address of the service (default: of the local run or the --stack)', baseUrl)
    .option(
      '--api-url <address>',
      'the API behind CloudFront, which must answer 403 (default: of the --stack)',
      baseUrl,
    )
    .option('--chat-url <address>', 'the same of the chat', baseUrl)
    .addHelpText('after', examples('smoke --stack voice-agents-prod', 'smoke --stack voice-agents-prod --json'))
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const addresses = await addressesOf(options);
      announce(options, `the service at ${addresses.baseUrl}`);
      const checks = await Promise.all(checksOf(addresses).map((check) => check()));
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
};

/** Without the edge, the API's own address is the service's: nothing refuses it. */
const addressesOf = async (options: Parameters<typeof baseUrlOf>[0] & Partial<Addresses>): Promise<Addresses> => {
  const { stack, region, apiUrl, chatUrl } = options;
  const base = await baseUrlOf(options);
  const outputs = stack && !options.baseUrl ? await outputsOf(stack, region) : {};
  const hasEdge = outputs.ApiUrl !== undefined && outputs.ApiUrl !== base;
  return {
    baseUrl: base,
    apiUrl: apiUrl ?? (hasEdge ? outputs.ApiUrl : undefined),
    chatUrl: chatUrl ?? (hasEdge ? outputs.ChatUrl?.replace(/\/+$/, '') : undefined),
  };
};

const checksOf = ({ baseUrl, apiUrl, chatUrl }: Addresses): (() => Promise<Check>)[] => {
  const post = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  const agents = `${baseUrl}/agents?uid=nobody`;
  return [
    () => check('the API answers', `${baseUrl}/openapi.json`, '200'),
    () => check('a request without a key is rejected', agents, '401 missing_api_key'),
    // A well-formed key is looked up: this response comes from the table.
    () => check('the table answers', agents, '401 invalid_api_key', { headers: { 'x-authorization': newApiKey() } }),
    () => check('the chat answers', `${baseUrl}/chat/build`, '400 invalid_request', post),
    () => check('invoices are for the application alone', `${baseUrl}/get-invoices`, '403 unauthorized_origin', post),
    ...(apiUrl ? [() => check('the API refuses direct requests', `${apiUrl}/openapi.json`, '403')] : []),
    ...(chatUrl ? [() => check('the chat refuses direct requests', `${chatUrl}/chat/build`, '403', post)] : []),
  ];
};

const requestSeconds = 20;

/** Makes a request. `expected` is its status and, after it, the code of the error. */
const check = async (what: string, url: string, expected: string, init: RequestInit = {}): Promise<Check> => {
  const found = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(requestSeconds * 1000) })
    .then(async (response) => {
      const { error = '' } = (await response.json().catch(() => ({}))) as { error?: string };
      return `${response.status} ${error}`.trim();
    })
    .catch((error: Error & { cause?: Error }) => `no response (${error.cause?.message ?? error.message})`);
  return { what, expected, found, passed: found === expected };
};
