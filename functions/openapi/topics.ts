import { formatLimit } from '../domain/format-limit.ts';
import { type Guide, headingId, withLinks, withoutLinks } from './guides.ts';
import type { JsonSchema, OpenApiDocument, Operation } from './openapi.ts';
import { componentName, resolve } from './schemas.ts';
import type { Topic } from './topic-search.ts';

/** Splits the documentation into topics: each section of a guide, each operation, each record. */
export const splitTopics = (document: OpenApiDocument, guides: Guide[]): Topic[] => [
  ...guides.flatMap(guideTopics),
  ...guides.flatMap(codeTopics),
  ...operationTopics(document),
  ...webhookTopics(document),
  ...recordTopics(document),
];

/** Creates a topic for each row of a table whose first column is an error code and whose second is a status. */
const codeTopics = ({ title, slug, source }: Guide): Topic[] =>
  [...source.matchAll(/^\| `(\w+)` \| (\d{3}) \| (.+) \|$/gm)].map(([, code, status, text = '']) => ({
    title: `${title}: ${code} (${status})`,
    text: withoutLinks(text),
    page: `/docs/${slug}`,
  }));

/** Code that is longer than this stays on its page. */
const maxCodeLines = 30;

/** Creates a topic for each section, and for each of its smaller sections and paragraphs that begin with bold words. */
const guideTopics = (guide: Guide): Topic[] =>
  withoutComments(withLinks(guide, ''))
    .split(/^(?=## )/m)
    .flatMap((section) => {
      const [heading = '', ...paragraphs] = section.trim().split('\n\n');
      const name = withoutLinks(heading.replace(/^#+ /, ''));
      const isFirst = name === guide.title;
      const title = isFirst ? name : `${guide.title}: ${name}`;
      const page = `/docs/${guide.slug}${isFirst ? '' : `#${headingId(name)}`}`;
      return withoutLongCode(paragraphs.join('\n\n'))
        .split(/^(?=\*\*[^*]+\*\* |### )/m)
        .filter((text) => text !== '')
        .map((text) => {
          const [, smaller] = /^### (.+)\n/.exec(text) ?? [];
          const about = smaller ?? /^\*\*([^*]+?)\.?\*\* /.exec(text)?.[1];
          return {
            title: about ? `${title}: ${about}` : title,
            text: text.replace(/^### .+\n/, '').trim(),
            page: smaller ? `/docs/${guide.slug}#${headingId(smaller)}` : page,
          };
        });
    });

/** Removes comments, which are for the tools that write parts of a page. */
const withoutComments = (markdown: string) => markdown.replaceAll(/^<!--[\s\S]*?-->\n*/gm, '');

const withoutLongCode = (markdown: string) =>
  markdown.replaceAll(/^```[\s\S]*?^```$/gm, (code) =>
    code.split('\n').length > maxCodeLines ? '(See the page.)' : code,
  );

/** Creates a topic for each operation, without the errors that nearly all operations have. */
const operationTopics = (document: OpenApiDocument): Topic[] => {
  const usual = usualErrors(document);
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const tag = headingId(String((operation.tags as string[])[0]));
      return {
        title: `${name}: ${operation.summary}`,
        text: operationText(document, operation, usual),
        page: `/docs/reference#tag/${tag}/${name.replace(' ', '')}`,
      };
    }),
  );
};

/** Creates a topic for each type of webhook event, with the fields of its data. Scalar writes hyphens into its anchors. */
const webhookTopics = (document: OpenApiDocument): Topic[] =>
  Object.entries(document.webhooks).map(([type, { post }]) => {
    const tag = headingId(String((post.tags as string[])[0]));
    const body = Object.values(post.requestBody?.content ?? {})[0]?.schema ?? {};
    const data = resolve(document, resolve(document, body).properties?.data ?? {});
    return {
      title: `${type} (webhook event)`,
      text: [`${post.summary} \`type\` is \`${type}\`, and \`data\` has:`, ...listFields(document, data)].join('\n'),
      page: `/docs/reference#tag/${tag}/webhook/POST/${type.replaceAll('_', '-')}`,
    };
  });

const recordTopics = (document: OpenApiDocument): Topic[] =>
  Object.entries(document.components.schemas)
    .filter(([name]) => !name.endsWith('Response'))
    .map(([name, schema]) => ({
      title: `${name} (record)`,
      text: [schema.description, ...listFields(document, schema)].filter(Boolean).join('\n'),
      page: `/docs/reference#model/${name.toLowerCase()}`,
    }));

/** Returns the reference as one Markdown page. */
export const referenceMarkdown = (document: OpenApiDocument): string =>
  [
    '# API reference',
    (document.info as { description: string }).description.trim(),
    ...[...operationTopics(document), ...webhookTopics(document), ...recordTopics(document)].map(
      ({ title, text }) => `## ${title}\n\n${text}`,
    ),
    '',
  ].join('\n\n');

const usualErrors = (document: OpenApiDocument): Set<string> => {
  const descriptions = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ responses }) => Object.values(responses).map(({ description }) => description));
  return new Set(descriptions.filter((one) => descriptions.filter((other) => other === one).length >= 8));
};

const operationText = (document: OpenApiDocument, operation: Operation, usual: Set<string>): string => {
  const { description, parameters = [], requestBody, responses } = operation;
  const parts: [string, string[]][] = [
    [
      'Parameters',
      parameters.flatMap((parameter) =>
        '$ref' in parameter
          ? [`- Idempotency-Key (header): makes the request safe to repeat for ${formatLimit('idempotencySeconds')}`]
          : [`- ${parameter.name} (${parameter.in}${describeType(parameter.schema)}): ${parameter.description}`],
      ),
    ],
    ['Body', Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => listFields(document, schema))],
    ['Response', Object.values(responses[200]?.content ?? {}).flatMap(({ schema }) => listFields(document, schema))],
    [
      'Errors',
      Object.entries(responses).flatMap(([status, { description }]) =>
        status === '200' || usual.has(description) ? [] : [`- ${status}: ${description.replace(/\s+/g, ' ')}`],
      ),
    ],
  ];
  const listed = parts
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${title}:\n${lines.join('\n')}`);
  return [description, ...listed].join('\n\n');
};

/** Lists the fields of a schema, one per line. A record is only named; a response, which is named after its operation, is expanded. */
const listFields = (document: OpenApiDocument, schema: JsonSchema): string[] => {
  const name = schema.$ref && componentName(schema.$ref);
  if (name?.endsWith('Response')) return listFields(document, resolve(document, schema));
  if (name) return [`- ${name} (record)`];
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const description = field.description ? `: ${field.description}` : '';
    return `- ${name} (${[describeShape(field), required.has(name) && 'required', describeBounds(field)].filter(Boolean).join(', ')})${description}`;
  });
};

const describeType = (schema: JsonSchema) => {
  const said = [describeShape(schema), describeBounds(schema)].filter(Boolean).join(', ');
  return said ? `, ${said}` : '';
};

const describeShape = (schema: JsonSchema): string => {
  if (schema.$ref) return componentName(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map(describeShape).join(' or ');
  const values = schema.enum as unknown[] | undefined;
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array') return `array of ${schema.items ? describeShape(schema.items) : 'anything'}`;
  return [schema.type ?? 'anything'].flat().join(' or ');
};

const describeBounds = ({
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

const range = (min: unknown, max: unknown, of: string) => {
  if (min === undefined && max === undefined) return '';
  if (min === undefined) return `at most ${max} ${of}`.trim();
  if (max === undefined) return `at least ${min} ${of}`.trim();
  return `${min} to ${max} ${of}`.trim();
};
