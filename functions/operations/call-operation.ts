import type { OwnApi, OwnResponse } from '../clients/own-api.ts';
import operationsJson from '../openapi/operations.json' with { type: 'json' };
import type { CallableOperation } from '../openapi/operations.ts';
import { type Arguments, toRequest } from './to-request.ts';

/** The operations that can be called with arguments. `npm run openapi` generates them from the route table. */
export const operations = operationsJson as Record<string, CallableOperation>;

/** A call of an operation: its name, its arguments, and the key's user where the operation takes one. */
export type OperationCall = {
  name: string;
  args: Arguments;
  uid?: string;
  timeoutMilliseconds?: number;
};

/** Calls an operation over HTTP, as the holder of the key. */
export const callOperation = async (
  api: OwnApi,
  apiKey: string,
  { name, args, uid, ...more }: OperationCall,
): Promise<OwnResponse> => {
  const operation = operations[name];
  if (!operation) throw new Error(`There is no operation ${name}.`);
  return api.send({ ...toRequest(operation, args, uid, findWider(operation)), ...more }, apiKey);
};

/** Returns the operation that does the same without the last argument of the path: to list the calls of all agents, for example. */
const findWider = ({ method, path }: CallableOperation): string | undefined =>
  Object.entries(operations).find(
    ([, other]) => other.method === method && other.path === path.replace(/\/\{\w+\}$/, '') && other.path !== path,
  )?.[0];
