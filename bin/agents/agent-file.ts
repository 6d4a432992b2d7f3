import { isDeepStrictEqual } from 'node:util';
import * as yaml from 'yaml';
import * as z from 'zod/mini';
import { AgentConfigurationInput, AgentKey, AgentName } from '../../functions/domain/agents.ts';
import { CrawlControls } from '../../functions/domain/crawl-controls.ts';
import { inexactNumberError, isExactNumber } from '../../functions/domain/exact-number.ts';
import { isJsonObject } from '../../functions/domain/json.ts';
import { limits } from '../../functions/domain/limits.ts';
import { SourceName } from '../../functions/domain/sources.ts';
import { validate } from '../../functions/domain/validation.ts';
import { StartUrl } from '../../functions/domain/websites.ts';
import { formatDetails } from '../command-line/arguments.ts';
import { CommandError } from '../command-line/exit-codes.ts';
import { isReference } from './version-reference.ts';

const version = z
  .string()
  .check(z.refine(isReference, { error: 'must be the address of a version, as "pull" writes it' }));

const name = z.optional(SourceName);
const active = z._default(z.boolean(), true);
const md5 = z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/)));
const isInFolder = /^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\\]+$/s;
const path = z.string().check(
  z.refine((value) => !value.includes('\\'), { error: 'must be written with /, on Windows, too', abort: true }),
  z.regex(isInFolder, { error: 'must lead into the folder: without / at its beginning, and without ..' }),
);
const refreshEvery = z.optional(z.int().check(z.minimum(1), z.maximum(limits.refreshDays)));
const Website = z.extend(CrawlControls, { url: StartUrl, name, active, refreshEvery });
const KnowledgeDocument = z.object({ path, name, md5, active });

const fields = {
  key: AgentKey,
  /** The version that the file is based on; a list when it belongs to several deployments. */
  version: z.optional(z.union([version, z.array(version)])),
  name: AgentName,
  configuration: AgentConfigurationInput,
  websites: z.optional(z.array(Website)),
  documents: z.optional(z.array(KnowledgeDocument)),
  /** Validated by the command that runs them. */
  tests: z.optional(z.unknown()),
};
const AgentContent = z.object(fields);
export type AgentContent = z.infer<typeof AgentContent>;

/** An agent in YAML. Its document keeps what the content lacks: comments, the order, and the user's own fields. */
export type AgentDocument = { content: AgentContent; document: yaml.Document; unknownFields: string[] };

/** Parses the text of a file. Throws an error whose message says where the text is invalid. */
export const parseAgent = (text: string): AgentDocument => {
  const lines = new yaml.LineCounter();
  // The package's own check of keys and its messages take quadratic time.
  const document = yaml.parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
  const fail = (message: string, position = 0): never => {
    throw new CommandError(`line ${lines.linePos(position).line}: ${message.split('\n', 1)[0]?.replace(/\.$/, '')}.`);
  };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem?.code === 'MULTIPLE_DOCS') fail('a file has one agent: write another one into its own', problem.pos[0]);
  if (problem) fail(problem.message, problem.pos[0]);
  const checkCollection = (place: unknown, node: yaml.Node) => {
    if (place === 'key') fail(nameError, node.range?.[0]);
    checkTag(node);
  };
  const checkTag = ({ tag = '', range }: yaml.Node) => {
    if (!jsonTags.includes(tag))
      fail(`the tag ${tag.replace(/^tag:yaml.org,2002:/, '!!')} is not supported`, range?.[0]);
  };
  yaml.visit(document, {
    Alias: (_, { range }) => fail('aliases are not supported: repeat the value', range?.[0]),
    Seq: checkCollection,
    Scalar(place, node) {
      checkTag(node);
      const { value, source = '', range } = node;
      const fault = findScalarFault(value, source, place === 'key');
      if (fault) fail(fault, range?.[0]);
    },
    Map(place, node) {
      checkCollection(place, node);
      const { items, range } = node;
      if (new Set(items.map(({ key }) => String(key))).size < items.length)
        fail('two fields have the same name', range?.[0]);
    },
  });
  const value: unknown = document.toJS();
  const given = isJsonObject(value) ? { ...value } : value;
  if (isJsonObject(given) && isJsonObject(given.configuration)) given.configuration = withoutNull(given.configuration);
  const { data, error } = validate(AgentContent, given);
  if (error) throw new CommandError(`${formatDetails(error)}.`);
  const unknownFields = Object.keys(given as object).filter((field) => !Object.hasOwn(fields, field));
  return { content: data, document, unknownFields };
};

/** The tags of what JSON has. Values of others would become objects of JavaScript. */
const jsonTags = [
  '',
  ...['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
];

const nameError = 'a name must be a text: put it in quotes';

/** Returns what is wrong with a scalar: a number or a name that would not be the same in JSON. */
const findScalarFault = (value: unknown, source: string, isName: boolean): string | undefined => {
  if (isName) return String(value) === source || typeof value === 'string' ? undefined : nameError;
  if (typeof value !== 'number') return undefined;
  if (!Number.isFinite(value)) return 'a number must be finite';
  if (/^[-+]?0[xo]/.test(source)) return Number.isSafeInteger(value) ? undefined : `a number ${inexactNumberError}`;
  if (/^[-+]?0\d/.test(source)) return 'a number with zeros before it loses them: put it in quotes';
  return isExactNumber(source) ? undefined : `a number ${inexactNumberError}`;
};

/** Removes null values, which mean no value, as in a change of an agent. */
export const withoutNull = (object: object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

/** Writes the fields that differ into a document, and returns its text. Comments and order stay. */
export const withFields = (document: yaml.Document, fields: Record<string, unknown>): string => {
  const root = document.contents as yaml.YAMLMap;
  for (const [field, value] of Object.entries(fields)) setField(document, root, field, value);
  return document.toString({ lineWidth: 0 });
};

const setField = (document: yaml.Document, map: yaml.YAMLMap, field: string, value: unknown) =>
  map.set(field, updated(document, map.get(field, true) as yaml.Node | undefined, value));

/** Returns the node of a value: the former one, changed where it differs, or a new one with its comments. */
const updated = (document: yaml.Document, former: yaml.Node | undefined, value: unknown): yaml.Node => {
  if (former && isDeepStrictEqual(former.toJS(document), value)) return former;
  if (yaml.isCollection(former) && former.items.length === 0) former.flow = false;
  if (yaml.isMap(former) && isJsonObject(value)) {
    former.items = former.items.filter(({ key }) => Object.hasOwn(value, String(key)));
    for (const [field, one] of Object.entries(value)) setField(document, former, field, one);
    return former;
  }
  if (yaml.isSeq(former) && Array.isArray(value)) {
    const items = Map.groupBy(former.items as yaml.Node[], (item) => itemIdentity(item.toJS(document)));
    former.items = value.map((one) => updated(document, items.get(itemIdentity(one))?.shift(), one));
    return former;
  }
  const node = document.createNode(value) as yaml.Scalar;
  if (!former) return node;
  const { commentBefore, comment, spaceBefore, type } = former as yaml.Scalar;
  // A text keeps its quotes or its block style.
  const staysQuoted = typeof value === 'string' && (type?.startsWith('QUOTE') || (type && value.includes('\n')));
  return Object.assign(node, { commentBefore, comment, spaceBefore }, staysQuoted && { type });
};

/** Identifies an item of a list, which keeps its comments when its other fields change. */
const itemIdentity = (item: unknown) => {
  const { url, path } = (isJsonObject(item) ? item : {}) as { url?: unknown; path?: unknown };
  return JSON.stringify(url ?? path ?? item);
};
