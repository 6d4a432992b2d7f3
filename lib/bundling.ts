import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import type { BuildOptions, Plugin } from 'esbuild';

/**
 * Lets esbuild drop code that the chat never calls. The AI SDK's providers import `z` as one object, which keeps all of zod with
 * its fifty locales. They define Anthropic's tools by calls that are not marked as pure. Without a match, the bundle is larger
 * but otherwise the same. `npm run bundles` detects this.
 */
const treeShakableProviders: Plugin = {
  name: 'tree-shakable-providers',
  setup({ onLoad }) {
    onLoad({ filter: /@ai-sdk\/(amazon-bedrock|anthropic)\/dist\/.*\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source
        .replace(/import \{ z( as \w+)? \} from "zod\/v4"/g, (_, alias = ' as z') => `import *${alias} from "zod/v4"`)
        .replace(/^(var \w+ = )(\w+\()/gm, '$1/* @__PURE__ */ $2')
        .replace(/static \[(WORKFLOW_\w+)\]\(/g, 'static $1(');
      return { contents };
    });
  },
};

/** Embeds what `npm run openapi` makes in a compressed form. As code, it would be the largest part of its bundle. */
const deflatedJson: Plugin = {
  name: 'deflated-json',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]functions[\\/]openapi[\\/]\w+\.json$/ }, async ({ path }) => {
      const text = JSON.stringify(JSON.parse(await readFile(path, 'utf8')));
      const packed = deflateRawSync(text, { level: 9 }).toString('base64');
      const contents = `
        import { inflateRawSync } from 'node:zlib';
        export default JSON.parse(inflateRawSync(Buffer.from('${packed}', 'base64')).toString());`;
      return { contents, loader: 'js' };
    });
  },
};

/**
 * Loads Node's `http` by `require`. An `import` of it evaluates all its exports, three of which load undici: 17 ms of CPU
 * and 4 MB in every cold start (nodejs/node#59686).
 */
const requiredHttp: Plugin = {
  name: 'required-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'require-call' ? undefined : { path: 'node:http', namespace: 'required-http' },
    );
    onLoad({ filter: /.*/, namespace: 'required-http' }, () => ({
      contents: "module.exports = require('node:http');",
    }));
  },
};

/** The options with which esbuild bundles a function into one file. The SDK is bundled as it is published. */
export const bundling = {
  bundle: true,
  minify: true,
  charset: 'utf8',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  // Lambda provides credentials in the environment, so these other credential providers are never loaded.
  external: [
    '@aws-sdk/credential-provider-http',
    '@aws-sdk/credential-provider-ini',
    '@aws-sdk/credential-provider-login',
    '@aws-sdk/credential-provider-process',
    '@aws-sdk/credential-provider-sso',
    '@aws-sdk/credential-provider-web-identity',
    '@smithy/credential-provider-imds',
  ],
  alias: { '@ai-sdk/gateway': join(import.meta.dirname, 'shims', 'gateway.mjs') },
  plugins: [treeShakableProviders, deflatedJson, requiredHttp],
  // CommonJS packages load Node's own modules with `require`.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  // License notices are a file beside the bundle.
  legalComments: 'external',
  logLevel: 'error',
} satisfies BuildOptions;
