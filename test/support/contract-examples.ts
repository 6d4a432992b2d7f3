import { expect } from 'vitest';
import { Scope } from '../../functions/domain/api-keys.ts';
import type { OpenApiDocument, Operation } from '../../functions/openapi/openapi.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { readContract } from './contract.ts';
import { call, target, useTargetInThisProcess } from './world.ts';

/** The document that the running service serves. Everything below is derived from it, as a stranger would do. */
export const document = (await call('GET', '/openapi.json')).body as OpenApiDocument;
export const contract = readContract(document);

const methods = ['put', 'post', 'patch', 'get', 'delete'];
export const operations = methods.flatMap((method) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    item[method] ? { path, method: method.toUpperCase(), operation: item[method] } : [],
  ),
);

/** Records that examples name and that nothing else makes. */
export const agentId = 'agent_01KB3M5T3Q8RXN2M6J4HB7C0DE';

useTargetInThisProcess();
const { secret: apiKey } = await apiKeys.get().create(target.uid, { name: 'contract', scopes: Scope.options });

type Parameter = { name: string; in: string; example?: unknown; schema: { examples?: unknown[] } };

/** Returns the request that an operation's own examples make. Only a response provides a cursor. */
export const exampleRequest = (path: string, operation: Operation) => {
  let address = path;
  const query: Record<string, string> = {};
  const headers: Record<string, string> = {};
  for (const parameter of (operation.parameters ?? []) as Parameter[]) {
    if ('$ref' in parameter || parameter.name === 'cursor') continue;
    const value = String(parameter.example);
    if (parameter.in === 'path') address = address.replace(`{${parameter.name}}`, encodeURIComponent(value));
    if (parameter.in === 'query') query[parameter.name] = value;
  }
  const [scheme] = Object.keys((operation.security as Record<string, unknown>[])[0] ?? {});
  if (scheme === 'applicationOrigin') headers.origin = target.appOrigin;
  const { 'application/json': json, 'multipart/form-data': form } = operation.requestBody?.content ?? {};
  return {
    address,
    options: {
      query,
      headers,
      ...(scheme === 'apiKey' && { apiKey }),
      ...(json && { body: withOwnNumber(json.example as object) }),
      ...(form && { body: makeForm(form.example as Record<string, string | string[]>) }),
    },
    keyed: scheme === 'apiKey',
  };
};

/** No two agents of a user have the same phone number or key, and other tests need the calls of the demo, which an erasure would delete. */
let agentNumber = 1000;
const withOwnNumber = (body: object) => ({
  ...body,
  ...('phoneNumber' in body && { phoneNumber: `+1415557${agentNumber++}` }),
  ...('key' in body && { key: `agent-${agentNumber++}` }),
  ...('number' in body && { number: '+14155550177' }),
});

/** Makes a form of an example. The members of an array are files. */
const makeForm = (example: Record<string, string | string[]>, fileName = 'Price list.txt') => {
  const form = new FormData();
  for (const [name, value] of Object.entries(example)) {
    if (Array.isArray(value)) for (const one of value) form.append(name, new Blob([one]), fileName);
    else form.append(name, value);
  }
  return form;
};

/** Expects a response that matches the document. */
export const described = (path: string, method: string, answer: Awaited<ReturnType<typeof call>>) =>
  expect(contract.listFaults(path, method, answer), answer.text).toEqual([]);
