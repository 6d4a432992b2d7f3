import { ApiError } from '../../functions/domain/errors.ts';

/** Something a person can put right: told in one sentence, exit code 1. */
export class UsageError extends Error {
  override readonly name = 'Mistake';
}

type Fault = Error & { code?: string; $metadata?: object; errors?: Error[]; path?: string };

/** What went wrong, in one sentence for a person. */
export const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UsageError || error instanceof ApiError) return error.message;
  const { name, message, code, $metadata, path } = error as Fault;
  const cause = code ?? (error as Fault).errors?.map((one) => (one as Fault).code).find(Boolean);
  if (cause && cause in ofFiles) return `${path ?? 'The file'}: ${ofFiles[cause]}.`;
  if (cause && unreachable.has(cause)) return `The table cannot be reached (${cause}).`;
  if (name in ofAws) return `${ofAws[name]}${$metadata ? ` (${plain(message)})` : ''}.`;
  if (/^Region (is missing|not accepted)/.test(message))
    return 'No AWS region is set: name one with --region, or set AWS_REGION.';
  return `That failed: ${name}: ${plain(message)}.`;
};

const ofFiles: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read or written',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'there is no such file',
};

const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH']);

const ofAws: Record<string, string> = {
  AbortError: 'The table did not answer in time',
  TimeoutError: 'The table did not answer in time',
  CredentialsProviderError:
    'No AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  ResourceNotFoundException: 'There is no such table in this region',
  AccessDeniedException: 'The AWS credentials may not do this',
  UnrecognizedClientException: 'AWS does not know these credentials',
  InvalidSignatureException: 'AWS does not accept these credentials',
  ExpiredTokenException: 'The AWS credentials have expired',
  TransactionCanceledException: 'Another write was in the way: try again',
  TransactionConflictException: 'Another write was in the way: try again',
  ProvisionedThroughputExceededException: 'DynamoDB is throttling this table: try again later',
  ThrottlingException: 'DynamoDB is throttling this table: try again later',
};

const plain = (message: string) => message.trim().replace(/\s+/g, ' ').replace(/\.$/, '');
