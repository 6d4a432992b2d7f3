import type { JsonSchema, OpenApiDocument, Operation } from '../../functions/openapi/openapi.ts';
import { capitalize } from './operation-names.ts';
import { clientOperations } from './operations.ts';

/** Returns the schemas of the document, of the parameters of every operation, and of the webhook events. Each client has its own error. */
export const clientSchemas = (document: OpenApiDocument): Record<string, JsonSchema> => {
  const { Error: _, ...schemas } = document.components.schemas;
  const params = clientOperations(document).flatMap(({ params, group, verb }) =>
    params ? [[params.name, { ...params.schema, description: `The parameters of \`${group}.${verb}\`.` }]] : [],
  );
  const events = clientEvents(document).map(({ name, schema }) => [name, schema]);
  return { ...schemas, ...Object.fromEntries(params), ...Object.fromEntries(events) };
};

/** Returns the schemas of webhook events: `call.outcome_updated` is a `CallOutcomeUpdatedEvent`. */
export const clientEvents = ({ webhooks }: OpenApiDocument) =>
  Object.entries(webhooks as Record<string, { post: Operation }>).map(([type, { post }]) => ({
    type,
    name: `${type.split(/[._]/).map(capitalize).join('')}Event`,
    schema: {
      ...post.requestBody?.content['application/json']?.schema,
      description: String(post.summary),
    } satisfies JsonSchema,
  }));
