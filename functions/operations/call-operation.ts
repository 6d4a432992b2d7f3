import type { OwnApi, OwnResponse } from '../clients/own-api.ts';
import type { Scope } from '../domain/api-keys.ts';
import operationsJson from '../openapi/operations.json' with { type: 'json' };
import type { CallableOperation } from '../openapi/operations.ts';
import { type Arguments, toRequest } from './to-request.ts';

/** The operations that can be called with arguments. `npm run openapi` makes them of the route table. */
export const operations = operationsJson as Record<string, CallableOperation>;

/** Whose key a request carries. */
export type KeyOwner = { keyId: string; uid: string; scopes: Scope[] };

/** Calls an operation as the holder of a key would. `uid` is the key's user, where the operation names one. */
export const callOperation = (
  api: OwnApi,
  apiKey: string,
  name: string,
  args: Arguments,
  uid?: string,
): Promise<OwnResponse> => {
  const operation = operations[name];
  if (!operation) throw new Error(`There is no operation ${name}.`);
  return api.send(toRequest(operation, args, uid), apiKey);
};
