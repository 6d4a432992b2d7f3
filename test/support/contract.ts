import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema, OpenApiDocument, Operation } from '../../functions/openapi/openapi.ts';

/** Checks responses against a document's own schemas. A response may contain only fields that its schema names. */
export const readContract = (document: OpenApiDocument) => {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true, validateFormats: true }));
  ajv.addSchema(closed(structuredClone(document)) as object, 'openapi.json');

  return {
    /** Returns the differences between a response and the document. */
    listFaults(path: string, method: string, answer: { status: number; headers: Headers; text: string }): string[] {
      const operation = document.paths[path]?.[method.toLowerCase()] as Operation;
      const described = operation.responses[answer.status];
      if (!described) return [`the status ${answer.status} is not described: ${answer.text}`];
      const type = answer.headers.get('content-type')?.split(';')[0] ?? 'nothing';
      if (!described.content[type]) return [`the content type ${type} is not described`];
      if (type !== 'application/json') return [];
      const pointer = ['paths', path, method.toLowerCase(), 'responses', answer.status, 'content', type, 'schema'];
      const validate = ajv.getSchema(`openapi.json#/${pointer.map(escaped).join('/')}`) as ValidateFunction;
      validate(JSON.parse(answer.text));
      const { error } = JSON.parse(answer.text) as { error?: string };
      const examples = described.content[type].examples;
      return [
        ...(validate.errors ?? []).map(
          (fault) => `${fault.instancePath} ${fault.message} ${JSON.stringify(fault.params)}`,
        ),
        ...(examples && error && !(error in examples) ? [`the code ${error} is not described`] : []),
      ];
    },
  };
};

const escaped = (part: string | number) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'));

/** Objects take no fields that their schema does not name, unless it says otherwise. */
const closed = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) closed(part);
  const schema = value as JsonSchema;
  const isObject = schema.type === 'object' && schema.properties && !('additionalProperties' in schema);
  if (isObject) Object.assign(schema, { additionalProperties: false });
  return value;
};
