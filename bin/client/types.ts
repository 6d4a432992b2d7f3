import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import type { JsonSchema, OpenApiDocument, Operation } from '../../functions/openapi/openapi.ts';
import { capitalize } from './operation-names.ts';
import { clientOperations, groupInterfaces } from './operations.ts';

const openApi = join(import.meta.dirname, '../../functions/openapi');

/** Writes the types of the client, which are not kept in git, unless they are those of document.json already. */
export const writeClientTypes = async (): Promise<void> => {
  const text = readFileSync(join(openApi, 'document.json'), 'utf8');
  const heading = `// Generated from document.json (${createHash('sha256').update(text).digest('hex')}). Not kept in git.\n`;
  const [schemas, groups] = ['types.ts', 'groups.ts'].map((name) => join(openApi, 'client', name)) as [string, string];
  if ([schemas, groups].every((file) => existsSync(file) && readFileSync(file, 'utf8').startsWith(heading))) return;
  const document: OpenApiDocument = JSON.parse(text);
  writeFileSync(schemas, heading + (await schemaTypes(document)));
  writeFileSync(groups, heading + groupInterfaces(document));
};

/** The source of a type for each schema. */
const schemaTypes = async ({ openapi, info, components, ...document }: OpenApiDocument): Promise<string> => {
  const path = mkdtempSync(join(tmpdir(), 'client-types-'));
  try {
    const schemas = clientSchemas({ components, ...document });
    await createClient({
      input: { openapi, info, paths: {}, components: { schemas } } as never,
      output: { path, fileName: { suffix: null }, header: [] },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent' },
    });
    const types = readFileSync(join(path, 'types.ts'), 'utf8');
    // It belongs to the generator's own client.
    return types.replace(/^export type ClientOptions = \{[^}]*\};\n/m, '');
  } finally {
    rmSync(path, { recursive: true });
  }
};

/** The schemas of the document, of the parameters of every operation, and of the events of webhooks. */
const clientSchemas = (document: OpenApiDocument): Record<string, JsonSchema> => {
  const { Error: error, ...schemas } = document.components.schemas;
  const webhooks = Object.entries(document.webhooks as Record<string, { post: Operation }>);
  const events = webhooks.map(([type, { post }]) => [
    eventName(type),
    { ...post.requestBody?.content['application/json']?.schema, description: post.summary },
  ]);
  const params = clientOperations(document).flatMap(({ params, group, verb }) =>
    params ? [[params.name, { ...params.schema, description: `The parameters of \`${group}.${verb}\`.` }]] : [],
  );
  return {
    ...schemas,
    // The global name is taken, and the client has codes of its own.
    ApiError: withClientCodes(error as JsonSchema),
    ...Object.fromEntries(params),
    ...Object.fromEntries(events),
    WebhookEvent: {
      description: 'An event, as a webhook endpoint receives it. `type` says which.',
      anyOf: webhooks.map(([type]) => ({ $ref: `#/components/schemas/${eventName(type)}` })),
    },
  };
};

/** `call.outcome_updated` is `CallOutcomeUpdatedEvent`. */
const eventName = (type: string) => `${type.split(/[._]/).map(capitalize).join('')}Event`;

/** The client reports what failed without a response of the service by codes of its own. */
const clientCodes = ['unreachable', 'timeout', 'misconfigured', 'unexpected_response'];

const withClientCodes = (error: JsonSchema): JsonSchema => {
  const code = error.properties?.error as JsonSchema & { enum: string[] };
  return {
    ...error,
    properties: { ...error.properties, error: { ...code, enum: [...code.enum, ...clientCodes] } },
  };
};
