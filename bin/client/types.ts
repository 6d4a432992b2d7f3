import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import type { JsonSchema, OpenApiDocument } from '../../functions/openapi/openapi.ts';
import { groupInterfaces } from './operations.ts';
import { clientEvents, clientSchemas } from './schemas.ts';

const openApi = join(import.meta.dirname, '../../functions/openapi');

/** Writes the types of the client, which are not in git, unless they already match document.json. */
export const writeClientTypes = async (): Promise<void> => {
  const text = readFileSync(join(openApi, 'document.json'), 'utf8');
  const heading = `// Generated from document.json (${createHash('sha256').update(text).digest('hex')}). Not kept in git.\n`;
  const [schemas, groups] = ['types.ts', 'groups.ts'].map((name) => join(openApi, 'client', name)) as [string, string];
  if ([schemas, groups].every((file) => existsSync(file) && readFileSync(file, 'utf8').startsWith(heading))) return;
  const document: OpenApiDocument = JSON.parse(text);
  writeFileSync(schemas, heading + (await schemaTypes(document)));
  writeFileSync(groups, heading + groupInterfaces(document));
};

/** Returns the source of a type for each schema. */
const schemaTypes = async (document: OpenApiDocument): Promise<string> => {
  const path = mkdtempSync(join(tmpdir(), 'client-types-'));
  try {
    const { openapi, info, components } = document;
    const schemas = {
      ...clientSchemas(document),
      ApiError: withClientCodes(components.schemas.Error as JsonSchema),
      WebhookEvent: {
        description: 'An event, as a webhook endpoint receives it. `type` says which.',
        anyOf: clientEvents(document).map(({ name }) => ({ $ref: `#/components/schemas/${name}` })),
      },
    };
    await createClient({
      input: { openapi, info, paths: {}, components: { schemas } } as never,
      output: { path, fileName: { suffix: null }, header: [] },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent' },
    });
    const types = readFileSync(join(path, 'types.ts'), 'utf8');
    // This type belongs to the generator's own client.
    return types.replace(/^export type ClientOptions = \{[^}]*\};\n/m, '');
  } finally {
    rmSync(path, { recursive: true });
  }
};

/** The client's own codes, which report failures without a response of the service. */
const clientCodes = ['unreachable', 'timeout', 'misconfigured', 'unexpected_response'];

const withClientCodes = (error: JsonSchema): JsonSchema => {
  const code = error.properties?.error as JsonSchema & { enum: string[] };
  return {
    ...error,
    properties: { ...error.properties, error: { ...code, enum: [...code.enum, ...clientCodes] } },
  };
};
