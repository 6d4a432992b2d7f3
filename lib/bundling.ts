import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Plugin } from 'esbuild';

const insteadOf = (name: string) => join(import.meta.dirname, 'shims', `${name}.mjs`);
const itself = (specifier: string) => fileURLToPath(import.meta.resolve(specifier));

/** What DynamoDB answers to reads and writes of items. Its client also knows what goes wrong with tables and backups. */
const errorsOfItems = new Set([
  'ConditionalCheckFailedException',
  'DuplicateItemException',
  'IdempotentParameterMismatchException',
  'InternalServerError',
  'ItemCollectionSizeLimitExceededException',
  'ProvisionedThroughputExceededException',
  'ReplicatedWriteConflictException',
  'RequestLimitExceeded',
  'ResourceNotFoundException',
  'ThrottlingException',
  'TransactionCanceledException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);

/** Leaves out what esbuild must keep because its module uses it, though nothing of ours ever comes there. */
const cuts: Plugin = {
  name: 'cuts',
  setup({ onLoad, onResolve }) {
    // A client imports it when an operation streams events. The chat, whose answers do, imports it at once.
    onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { external: true } : undefined,
    );
    // An error that is not registered is still thrown under its own name, as the client's general error.
    onLoad({ filter: /client-dynamodb\/dist-es\/schemas\/schemas_0\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const registration = /^n0_registry\.registerError\((\w+)\$, \1\);$/gm;
      const contents = source.replace(registration, (line, error) => (errorsOfItems.has(error) ? line : ''));
      if (contents === source) throw new Error('DynamoDB’s client registers its errors in another way.');
      return { contents };
    });
    // What signs the messages of an event stream, and what gives a bucket its endpoint.
    onLoad({ filter: /signature-v4\/dist-es\/HeaderFormatter\.js$/ }, () => ({
      contents: 'export class HeaderFormatter {}',
    }));
    onLoad({ filter: /endpoints\/middleware-endpoint\/service-customizations\/index\.js$/ }, () => ({
      contents: 'export const resolveParamsForS3 = undefined;',
    }));
    // Of Anthropic's provider only functions are taken: what it defines beside them has no effect until it is asked for.
    onLoad({ filter: /@ai-sdk\/anthropic\/dist\/internal\/index\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source
        .replace(/^(var \w+ = )(\w+\()/gm, '$1/* @__PURE__ */ $2')
        .replace(/static \[(WORKFLOW_\w+)\]\(/g, 'static $1(');
      if (contents === source) throw new Error('Anthropic’s provider makes its definitions in another way.');
      return { contents };
    });
    // A client reads its version there, for its user agent.
    onLoad({ filter: /@aws-sdk\/client-\w+\/package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/**
 * How a function is made one file. What is external is not there at all: Lambda never comes to its import, which is of
 * another way to get credentials.
 */
export const bundling = {
  bundle: true,
  minify: true,
  charset: 'utf8',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  external: [
    '@aws-sdk/credential-provider-http',
    '@aws-sdk/credential-provider-ini',
    '@aws-sdk/credential-provider-login',
    '@aws-sdk/credential-provider-process',
    '@aws-sdk/credential-provider-sso',
    '@aws-sdk/credential-provider-web-identity',
    '@smithy/credential-provider-imds',
  ],
  // Of the SDK and of the chat's packages, what is never used there. An alias holds for all below it too, but for what has its own.
  alias: {
    '@aws-sdk/core/client': insteadOf('client'),
    '@aws-sdk/credential-provider-node': insteadOf('credential-provider-node'),
    '@aws-sdk/lib-dynamodb': insteadOf('lib-dynamodb'),
    '@aws-sdk/middleware-endpoint-discovery': insteadOf('middleware-endpoint-discovery'),
    '@aws/lambda-invoke-store': insteadOf('lambda-invoke-store'),
    '@smithy/core/checksum': insteadOf('checksum'),
    '@smithy/core/config': insteadOf('config'),
    '@smithy/core/retry': insteadOf('retry'),
    '@smithy/core/serde': insteadOf('serde'),
    '@ai-sdk/anthropic/internal': insteadOf('anthropic'),
    '@ai-sdk/gateway': insteadOf('gateway'),
    'zod/v4': insteadOf('zod'),
    'zod/v4/core': itself('zod/v4/core'),
    'zod/v4/mini': itself('zod/v4/mini'),
    'zod/v4/locales/en.js': itself('zod/v4/locales/en.js'),
  },
  plugins: [cuts],
  // Packages that are still CommonJS ask for Node's own modules by require.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  logLevel: 'error',
} satisfies BuildOptions;
