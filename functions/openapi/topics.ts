import type { JsonSchema, OpenApiDocument, Operation } from './openapi.ts';
import { nameOf } from './schemas.ts';

/** A piece of the documentation that answers a question by itself. */
export type Topic = { title: string; text: string };

/** The OpenAPI document as prose to search in: a topic for each operation, for each record, and for what holds of all. */
export const topicsOf = (document: OpenApiDocument): Topic[] => {
  const usual = usualRefusals(document);
  return [
    ...generalTopics((document.info as { description: string }).description),
    ...Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) =>
        operationTopic(`${method.toUpperCase()} ${path}`, operation, usual),
      ),
    ),
    ...Object.entries(document.components.schemas).map(([name, schema]) => ({
      title: `${name} (record)`,
      text: [schema.description, ...fieldsOf(schema)].filter(Boolean).join('\n'),
    })),
  ];
};

/** What most operations refuse alike is told once, with the error codes. */
const usualRefusals = (document: OpenApiDocument): Set<string> => {
  const said = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ responses }) => Object.values(responses).map(({ description }) => description));
  return new Set(said.filter((description) => said.filter((other) => other === description).length >= 8));
};

/** A paragraph that begins with bold words is about them; the table is of the error codes. */
const generalTopics = (description: string): Topic[] =>
  description
    .trim()
    .split('\n\n')
    .map((paragraph) => {
      const about = /^\*\*(.+?)\.?\*\*/.exec(paragraph)?.[1];
      return { title: about ?? (paragraph.startsWith('|') ? 'Error codes' : 'What this is'), text: paragraph };
    });

const operationTopic = (name: string, operation: Operation, usual: Set<string>): Topic => {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const parts: [string, string[]][] = [
    [
      'Parameters',
      parameters.flatMap((parameter) =>
        '$ref' in parameter
          ? ['- Idempotency-Key (header): makes the request safe to repeat for 24 hours']
          : [`- ${parameter.name} (${parameter.in}${typeOf(parameter.schema)}): ${parameter.description}`],
      ),
    ],
    ['Body', Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => fieldsOf(schema))],
    ['Answer', Object.values(responses[200]?.content ?? {}).flatMap(({ schema }) => fieldsOf(schema))],
    [
      'Refusals',
      Object.entries(responses).flatMap(([status, { description }]) =>
        status === '200' || usual.has(description) ? [] : [`- ${status}: ${description.replace(/\s+/g, ' ')}`],
      ),
    ],
  ];
  const listed = parts
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${title}:\n${lines.join('\n')}`);
  return { title: `${name}: ${summary}`, text: [description, ...listed].join('\n\n') };
};

const fieldsOf = (schema: JsonSchema): string[] => {
  if (schema.$ref) return [`- ${nameOf(schema.$ref)} (record)`];
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const says = field.description ? `: ${field.description}` : '';
    return `- ${name} (${[shapeOf(field), required.has(name) && 'required', boundsOf(field)].filter(Boolean).join(', ')})${says}`;
  });
};

const typeOf = (schema: JsonSchema) => {
  const said = [shapeOf(schema), boundsOf(schema)].filter(Boolean).join(', ');
  return said ? `, ${said}` : '';
};

const shapeOf = (schema: JsonSchema): string => {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map(shapeOf).join(' or ');
  const values = schema.enum as unknown[] | undefined;
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array') return `array of ${schema.items ? shapeOf(schema.items) : 'anything'}`;
  return [schema.type ?? 'anything'].flat().join(' or ');
};

const boundsOf = ({
  minLength,
  maxLength,
  minItems,
  maxItems,
  minimum,
  maximum,
  format,
  ...rest
}: JsonSchema): string =>
  [
    format,
    range(minLength, maxLength, 'characters'),
    range(minItems, maxItems, 'items'),
    range(minimum, maximum, ''),
    'default' in rest && `default ${JSON.stringify(rest.default)}`,
  ]
    .filter(Boolean)
    .join(', ');

const range = (least: unknown, most: unknown, of: string) => {
  if (least === undefined && most === undefined) return '';
  return `${least ?? ''}–${most ?? ''} ${of}`.trim();
};
