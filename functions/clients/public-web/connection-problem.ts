import { ForbiddenAddressError } from './public-hosts.ts';

/** Returns an error and its causes: the connection's error is a cause of the request's. */
export const listCauses = (error: unknown): NodeJS.ErrnoException[] =>
  error instanceof Error ? [error, ...listCauses(error.cause)] : [];

export const joinCodes = (causes: NodeJS.ErrnoException[]) => causes.flatMap(({ code }) => code ?? []).join(' ');

/** Returns the reason of a failed request as a sentence; undefined for errors that the site did not cause. */
export const connectionProblem = (causes: NodeJS.ErrnoException[]): string | undefined => {
  const forbidden = causes.find((cause) => cause instanceof ForbiddenAddressError);
  if (forbidden) return forbidden.message;
  const codes = joinCodes(causes);
  if (/ENOTFOUND|EAI_AGAIN|ENODATA|ESERVFAIL/.test(codes)) return 'The host was not found.';
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(codes)) return 'The site’s certificate is not valid.';
  if (/HPE_/.test(codes) || causes.some(({ name }) => name === 'HTTPParserError'))
    return 'The site does not answer in HTTP.';
  return /UND_ERR|\bE[A-Z]+\b/.test(codes) || causes.some(({ name }) => name === 'AggregateError')
    ? 'The connection to the site failed.'
    : undefined;
};
