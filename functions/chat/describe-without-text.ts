import { APICallError } from 'ai';

/**
 * What the log may hold of an error in a conversation: its kind and its place. A message may quote what was said, and a
 * provider's answer may hold anything.
 */
export const describeWithoutText = (error: unknown): Record<string, unknown> => {
  if (!(error instanceof Error)) return { name: typeof error };
  const provider = APICallError.isInstance(error) && {
    status: error.statusCode,
    type: error.responseHeaders?.['x-amzn-errortype']?.split(':')[0],
    requestId: error.responseHeaders?.['x-amzn-requestid'],
  };
  return {
    name: error.name,
    ...provider,
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    at: (error.stack ?? '')
      .split('\n')
      .filter((line) => line.startsWith('    at '))
      .slice(0, 4)
      .map((line) => line.trim()),
    ...(error.cause instanceof Error && { cause: describeWithoutText(error.cause) }),
    ...('lastError' in error && { lastError: describeWithoutText(error.lastError) }),
  };
};
