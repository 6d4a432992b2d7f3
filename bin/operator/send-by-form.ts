import { openAsBlob } from 'node:fs';
import { limits } from '../../functions/domain/limits.ts';
import type { ApiError } from '../../functions/openapi/client/client.ts';
import { hasNoResponse, persistentFetch } from '../../functions/openapi/client/fetch.ts';
import { presignedForm } from '../../functions/openapi/client/files.ts';
import { resolvePath } from '../command-line/arguments.ts';

const sendToStorage = persistentFetch({ timeoutSeconds: limits.linkSeconds });

/** Sends a file by a presigned form. Returns the reason why the storage did not accept it, or that it did not respond. */
export const sendByForm = async (
  { path, name }: { path: string; name: string },
  { url, fields }: { url: string; fields: Record<string, string> },
  signal: AbortSignal,
): Promise<ApiError | undefined> => {
  const body = presignedForm(fields, name, await openAsBlob(resolvePath(path)));
  const response = await sendToStorage(new Request(url, { method: 'POST', body, signal }), { operation: 'upload' });
  if (response.ok) return undefined;
  const error = (await response.json()) as ApiError;
  return hasNoResponse(error)
    ? error
    : { ...error, message: `The storage responded ${response.status}: ${error.message}.` };
};
