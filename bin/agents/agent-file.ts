import { isDeepStrictEqual } from 'node:util';
import {
  Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  YAMLMap,
} from 'yaml';
import * as z from 'zod/mini';
import { AgentKey, AgentName, NewAgentConfiguration } from '../../functions/domain/agents.ts';
import { CrawlControls } from '../../functions/domain/crawl-controls.ts';
import { isJsonObject } from '../../functions/domain/json.ts';
import { SourceName } from '../../functions/domain/sources.ts';
import { validate } from '../../functions/domain/validation.ts';
import { StartUrl } from '../../functions/domain/websites.ts';
import { detailsOf } from '../command-line/arguments.ts';
import { CommandError } from '../command-line/exit-codes.ts';
import { isReference } from './version-reference.ts';

const version = z
  .string()
  .check(z.refine(isReference, { error: 'must be the address of a version, as "pull" writes it' }));

const fields = {
  key: AgentKey,
  /** The version that the file is based on; a list when it belongs to several deployments. */
  version: z.optional(z.union([version, z.array(version)])),
  name: AgentName,
  configuration: NewAgentConfiguration,
  websites: z.optional(
    z.array(
      z.extend(CrawlControls, { url: StartUrl, name: z.optional(SourceName), active: z._default(z.boolean(), true) }),
    ),
  ),
  documents: z.optional(
    z.array(
      z.object({
        path: z.string().check(z.regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\\]+$/, { error: 'must lead into the folder' })),
        name: z.optional(SourceName),
        md5: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/, { error: 'must be an MD5 in hexadecimal' }))),
        active: z._default(z.boolean(), true),
      }),
    ),
  ),
};
const AgentContent = z.object(fields);
export type AgentContent = z.infer<typeof AgentContent>;

/** An agent in YAML. Its document keeps what the content does not: comments, the order, and fields of the user's own. */
export type AgentDocument = { content: AgentContent; document: Document; unknownFields: string[] };

/** Parses the text of a file. Throws a sentence that says where it is broken. */
export const parseAgent = (text: string): AgentDocument => {
  const lines = new LineCounter();
  // The package's own check of keys and its messages take quadratic time.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
  const fail = (message: string, position = 0): never => {
    throw new CommandError(`line ${lines.linePos(position).line}: ${message.split('\n', 1)[0]?.replace(/\.$/, '')}.`);
  };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) fail(problem.message, problem.pos[0]);
  visit(document, {
    Alias: (_, { range }) => fail('aliases are not supported: repeat the value', range?.[0]),
    Scalar: (_, { value, range }) => (isInfinite(value) ? fail('a number must be finite', range?.[0]) : undefined),
    Map(_, { items, range }) {
      const keys = items.map(({ key }) =>
        isScalar(key) ? String(key.value) : fail('a key must be a text', range?.[0]),
      );
      if (new Set(keys).size < keys.length) fail('two fields have the same name', range?.[0]);
    },
  });
  const value: unknown = document.toJS();
  const given = isJsonObject(value) ? { ...value } : value;
  if (isJsonObject(given) && isJsonObject(given.configuration)) given.configuration = withoutNull(given.configuration);
  const { data, error } = validate(AgentContent, given);
  if (error) throw new CommandError(`${detailsOf(error)}.`);
  return { content: data, document, unknownFields: Object.keys(given as object).filter((field) => !(field in fields)) };
};

const isInfinite = (value: unknown) => typeof value === 'number' && !Number.isFinite(value);

/** As in a change of an agent, null is no value. */
export const withoutNull = (object: object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

/** Creates the document of an agent that has no file yet. */
export const newDocument = () => new Document({});

/** Writes fields into a document, as far as they differ, and returns its text. Comments and the order stay. */
export const withFields = (document: Document, fields: Record<string, unknown>): string => {
  const root = isMap(document.contents) ? document.contents : new YAMLMap();
  document.contents = root as typeof document.contents;
  for (const [field, value] of Object.entries(fields)) setField(document, root, field, value);
  return document.toString({ lineWidth: 0 });
};

const setField = (document: Document, map: YAMLMap, field: string, value: unknown) =>
  map.set(field, updated(document, map.get(field, true) as Node | undefined, value));

/** Returns the node of a value: the former one, changed where it differs, or a new one with its comments. */
const updated = (document: Document, former: Node | undefined, value: unknown): Node => {
  if (former && isDeepStrictEqual(former.toJS(document), value)) return former;
  if (isMap(former) && isJsonObject(value)) {
    if (former.items.length === 0) former.flow = false;
    former.items = former.items.filter(({ key }) => String(key) in value);
    for (const [field, one] of Object.entries(value)) setField(document, former, field, one);
    return former;
  }
  if (isSeq(former) && Array.isArray(value)) {
    if (former.items.length === 0) former.flow = false;
    const items = Map.groupBy(former.items as Node[], (item) => identityOf(item.toJS(document)));
    former.items = value.map((one) => updated(document, items.get(identityOf(one))?.shift(), one));
    return former;
  }
  const node = document.createNode(value) as Scalar;
  if (!former) return node;
  const { commentBefore, comment, spaceBefore, type } = former as Scalar;
  // A text stays quoted, or a block of lines.
  const staysQuoted = typeof value === 'string' && (type?.startsWith('QUOTE') || (type && value.includes('\n')));
  return Object.assign(node, { commentBefore, comment, spaceBefore }, staysQuoted && { type });
};

/** Identifies an item of a list, which keeps its comments when its other fields change. */
const identityOf = (item: unknown) => {
  const { url, path } = (isJsonObject(item) ? item : {}) as { url?: unknown; path?: unknown };
  return JSON.stringify(url ?? path ?? item);
};
