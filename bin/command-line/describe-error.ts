import { ApiError } from '../../functions/domain/errors.ts';
import { ApiRequestError } from '../../functions/openapi/client/api-request-error.ts';
import { hasNoResponse } from '../../functions/openapi/client/fetch.ts';
import { CommandError, exitCodes } from './exit-codes.ts';

type SystemError = Error & {
  code?: string;
  $metadata?: object;
  errors?: SystemError[];
  path?: string;
  hostname?: string;
  address?: string;
  port?: number;
};

/** Describes an error in one sentence for the user of a command. */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof CommandError || error instanceof ApiError) return error.message;
  if (error instanceof ApiRequestError) {
    return hasNoResponse({ error: error.code }) || error.code === 'misconfigured'
      ? error.message
      : `The service responded ${error.status}: ${error.message}`;
  }
  const { name, message, code, $metadata, path } = error as SystemError;
  if (code && code in fileErrors) return describeFileError(path ?? 'The file', error as SystemError);
  if (isNetworkError(error)) return describeNetworkError(error);
  const profile = process.env.AWS_PROFILE;
  if (name === 'CredentialsProviderError' && profile)
    return `The AWS profile "${profile}" has no valid credentials. Check its name, or sign in again (aws sso login).`;
  if (name in awsErrors) return `${awsErrors[name]}${$metadata ? ` (${toClause(message)})` : ''}.`;
  if (isRegionMissing(message)) return 'No AWS region is set. Use --region or AWS_REGION.';
  return `The command failed: ${name}: ${toClause(message)}.`;
};

/** Returns the exit code and the code of an error. A setting that is missing is a usage error. */
export const toCommandError = (error: unknown): Pick<CommandError, 'exitCode' | 'code'> => {
  if (error instanceof CommandError) return error;
  const { exitCode } = new CommandError('');
  if (error instanceof ApiError || error instanceof ApiRequestError) {
    // These changed nothing.
    const isUsage = error.code === 'invalid_request' || error.code === 'misconfigured';
    return { exitCode: isUsage ? exitCodes.usage : exitCode, code: error.code };
  }
  const { name = '', message = '' } = (error ?? {}) as Partial<SystemError>;
  if (isRegionMissing(message)) return { exitCode: exitCodes.usage, code: 'region_missing' };
  if (isNetworkError(error)) return { exitCode, code: 'unreachable' };
  return { exitCode, code: name in awsErrors ? 'aws_error' : 'failed' };
};

const isRegionMissing = (message: string) => /^Region (is missing|not accepted)/.test(message);

/** Describes in one sentence why a file cannot be read or written. */
export const describeFileError = (file: string, { code = '' }: { code?: string }) =>
  `${file}: ${fileErrors[code] ?? code}.`;

/** Returns the error of a command for a file that cannot be read or written. */
export const toFileError = (file: string, error: { code?: string }) =>
  new CommandError(describeFileError(file, error), exitCodes.usage);

/** Describes an error for a message that already names the file. */
export const describeFailure = (error: unknown) => {
  const { code = '' } = error as { code?: string };
  return code in fileErrors ? `${fileErrors[code]}.` : describeError(error);
};

const fileErrors: Record<string, string> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'no such file',
};

const networkErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH']);

/** Returns true for an error of a connection. If a name has several addresses, the error contains one error for each. */
const isNetworkError = (error: unknown): error is SystemError => {
  const { code = '', errors = [], name } = (error ?? {}) as Partial<SystemError>;
  if (name === 'TimeoutError') return false;
  return networkErrors.has(code) || errors.some(isNetworkError);
};

/** Names what cannot be reached. The host name of an AWS service contains the service. */
const describeNetworkError = ({ errors: [first] = [], ...error }: SystemError) => {
  const { code, hostname, address, port } = first ?? error;
  const place = hostname ?? (address ? `${address}:${port}` : 'AWS');
  return `${place} cannot be reached (${code}).`;
};

const awsErrors: Record<string, string> = {
  AbortError: 'The table did not respond in time',
  TimeoutError: 'The table did not respond in time',
  CredentialsProviderError:
    'No AWS credentials were found. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  ResourceNotFoundException: 'There is no such table in this region',
  AccessDeniedException: 'The AWS credentials do not allow this',
  UnrecognizedClientException: 'AWS does not know these credentials',
  InvalidSignatureException: 'AWS rejects these credentials',
  ExpiredTokenException: 'The AWS credentials have expired',
  TransactionCanceledException: 'Another write was in progress. Try again',
  TransactionConflictException: 'Another write was in progress. Try again',
  ProvisionedThroughputExceededException: 'DynamoDB throttles this table. Try again later',
  ThrottlingException: 'DynamoDB throttles this table. Try again later',
};

const toClause = (message: string) => message.trim().replace(/\s+/g, ' ').replace(/\.$/, '');
