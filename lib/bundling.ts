import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

const insteadOf = (name: string) => join(import.meta.dirname, 'instead-of', `${name}.mjs`);
const itself = (specifier: string) => fileURLToPath(import.meta.resolve(specifier));

/**
 * How a function is made one file. Ways to get credentials that Lambda never uses stay out: their imports are never
 * reached there.
 */
export const bundling = {
  bundle: true,
  minify: true,
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
  // Of the chat's packages, what is never used there. An alias holds for all below it too, but for what has its own.
  alias: {
    '@ai-sdk/gateway': insteadOf('gateway'),
    'zod/v4': insteadOf('zod'),
    'zod/v4/core': itself('zod/v4/core'),
    'zod/v4/mini': itself('zod/v4/mini'),
    'zod/v4/locales/en.js': itself('zod/v4/locales/en.js'),
  },
  // Packages that are still CommonJS ask for Node's own modules by require.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  logLevel: 'error',
} satisfies BuildOptions;
