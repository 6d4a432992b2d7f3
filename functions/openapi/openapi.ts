/** The parts of an OpenAPI document that this service uses, as types. */

export type Json = Record<string, unknown>;
export type JsonSchema = Json & {
  $ref?: string;
  type?: string | string[];
  description?: string;
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
};
export type Parameter = Json & { name: string; in: string; description?: string; schema: JsonSchema };
export type Operation = Json & {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; headers?: Json; content: Record<string, Content> }>;
};
export type Content = { schema: JsonSchema; example?: unknown; examples?: Record<string, { $ref: string }> };
export type OpenApiDocument = Json & {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, JsonSchema> } & Json;
};
