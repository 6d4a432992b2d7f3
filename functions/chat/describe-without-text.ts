import { APICallError } from 'ai';

/** Describes an error for the log by its kind and place only, because its message may quote the conversation. */
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
