import { expect, it } from 'vitest';
import { type AnyEndpoint, administersUsers } from '../../functions/http/endpoint.ts';
import { routes } from '../../functions/routes.ts';
import { makeSample, type Named, type Sample } from './samples.ts';
import { call } from './world.ts';

/** The operations that take a key. */
export const keyed = routes.filter(({ caller }) => caller.kind === 'key');

/** Returns true when a request names the user of the key. */
export const takesUser = ({ caller, body, query }: AnyEndpoint) =>
  caller.kind === 'key' &&
  !administersUsers({ caller }) &&
  (caller.user !== undefined || 'uid' in (body?.shape ?? {}) || 'uid' in (query?.shape ?? {}));

const readForm = ({ method, caller, raw = {} }: AnyEndpoint) => {
  const { scope: _, ...who } = caller as { scope?: unknown };
  return [method, Object.keys(who).sort(), Object.keys(raw)].join();
};
const firstByForm = new Map(keyed.toReversed().map((endpoint) => [readForm(endpoint), endpoint]));

/**
 * Returns true for the first operation of each form that the request pipeline distinguishes: its method, its caller, and how its body is
 * read. `npm test` tries these; the tests of the others are heavy.
 */
export const isFirstOfItsForm = (endpoint: AnyEndpoint) => firstByForm.get(readForm(endpoint)) === endpoint;

/**
 * Returns true when its sample replaces the record that another sample made: a user has at most one webhook endpoint, one secret and
 * one key of a platform, and one export that runs.
 */
export const sharesSample = ({ path }: AnyEndpoint) =>
  /^\/(webhook|hook-secrets|platform-keys|call-exports|person-exports)|\/reconciliations/.test(path);

/** Calls an operation with a valid request, or with one that `more` changes. A sample may be sent until one request succeeds. */
export const ask = async (
  endpoint: AnyEndpoint,
  apiKey: string | undefined,
  { uid, agentId }: Named,
  {
    sample,
    method = endpoint.method,
    ...more
  }: { sample?: Sample; method?: string; body?: unknown; headers?: Record<string, string> } = {},
) => {
  const { params = {}, query, body, files } = sample ?? (await makeSample(endpoint, { uid, agentId }));
  const variables: Record<string, string> = { agentId, ...params };
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(variables[name] ?? ''));
  const fields = { uid, agentId, ...body };
  const inBody = endpoint.raw?.multipart ? makeForm(fields, files) : endpoint.body && fields;
  return call(method, path, { apiKey, query: { uid, agentId, ...query }, body: inBody, ...more });
};

const makeForm = (fields: Record<string, unknown>, files: Record<string, Blob> = {}) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  for (const [name, file] of Object.entries(files)) form.append('files', file, name);
  return form;
};

export const expectError = (code: string) => ({ error: code, message: expect.any(String) });

/** Defines a test only for the operations that it applies to. */
export const when = (applies: unknown): ((name: string, test: () => Promise<void>) => void) =>
  applies ? it : () => {};
