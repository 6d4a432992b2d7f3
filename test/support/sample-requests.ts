import { expect, it } from 'vitest';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { routes } from '../../functions/routes.ts';
import { type Sample, samples } from './samples.ts';
import { call } from './world.ts';

/** The operations that take a key. */
export const keyed = routes.filter(({ caller }) => caller.kind === 'key');

/** Whether a request names a user. */
export const takesUser = ({ caller, body, query }: AnyEndpoint) =>
  caller.kind === 'key' && (caller.user !== undefined || 'uid' in (body?.shape ?? {}) || 'uid' in (query?.shape ?? {}));

/** Whether its sample replaces what the sample of another request made: of webhook endpoints there is never more than one. */
export const sharesSample = ({ path }: AnyEndpoint) => path.startsWith('/webhook');

type Named = { uid: string; agentId: string };

/** A request of the right form for an operation, for a user and an agent. */
export const sampleOf = async ({ name }: AnyEndpoint, { uid, agentId }: Named): Promise<Sample> => {
  const sample = samples[name] ?? {};
  return typeof sample === 'function' ? sample(agentId, uid) : sample;
};

/** Asks for an operation in the right form, or with `more` in another one. A sample may be asked with until one succeeds. */
export const ask = async (
  endpoint: AnyEndpoint,
  apiKey: string | undefined,
  { uid, agentId }: Named,
  { sample, ...more }: { sample?: Sample; body?: unknown } = {},
) => {
  const { params = {}, query, body, files } = sample ?? (await sampleOf(endpoint, { uid, agentId }));
  const variables: Record<string, string> = { agentId, ...params };
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(variables[name] ?? ''));
  const fields = { uid, agentId, ...body };
  const inBody = endpoint.raw?.multipart ? formOf(fields, files) : endpoint.body && fields;
  return call(endpoint.method, path, { apiKey, query: { uid, agentId, ...query }, body: inBody, ...more });
};

const formOf = (fields: Record<string, unknown>, files: Record<string, Blob> = {}) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  for (const [name, file] of Object.entries(files)) form.append('files', file, name);
  return form;
};

export const errorWith = (code: string) => ({ error: code, message: expect.any(String) });

/** Defines a test for those operations only that it can be asked of. */
export const when = (applies: unknown): ((name: string, test: () => Promise<void>) => void) =>
  applies ? it : () => {};
