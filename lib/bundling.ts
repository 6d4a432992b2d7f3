import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

const insteadOf = (name: string) => join(import.meta.dirname, 'instead-of', `${name}.mjs`);
const itself = (specifier: string) => fileURLToPath(import.meta.resolve(specifier));

/** How a function is made one file. What is never used on Lambda stays out of it. */
export const bundling = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  // An alias holds for all below it too, but for what has its own.
  alias: {
    '@aws-sdk/credential-provider-node': insteadOf('credentials'),
    '@aws-sdk/middleware-endpoint-discovery': insteadOf('endpoint-discovery'),
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

/** The same for a function that does not call the model: no answer that it gets is a stream of events. */
export const bundlingWithoutModel = {
  ...bundling,
  alias: { ...bundling.alias, '@smithy/core/event-streams': insteadOf('event-streams') },
} satisfies BuildOptions;
