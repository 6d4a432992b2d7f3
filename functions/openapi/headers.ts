import { formatLimit } from '../domain/format-limit.ts';
import type { AnyEndpoint } from '../http/endpoint.ts';

/** The headers of responses, as components of the document. */
export const headers = {
  'x-request-id': {
    description: 'The id of the request in the service’s log. Quote it when you ask for help.',
    schema: { type: 'string' },
    example: 'b1946ac9-2f4e-4c6a-9d5b-7e3f0c8a1d42',
  },
  'retry-after': {
    description: 'Seconds after which the same request may succeed.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  'ratelimit-policy': {
    description:
      'The limit of the API key, in the responses to a limited key: its requests (`q`) in a window of seconds (`w`). A structured field by draft-ietf-httpapi-ratelimit-headers-11.',
    schema: { type: 'string' },
    example: '"key";q=600;w=60',
  },
  ratelimit: {
    description:
      'The requests that a limited API key has left (`r`), and the seconds until it has more (`t`). A structured field by the same draft.',
    schema: { type: 'string' },
    example: '"key";r=412;t=23',
  },
  'idempotency-replayed': {
    description:
      '`true` when this repeats the response to an earlier request with the same Idempotency-Key. Nothing was done a second time.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'x-ignored-fields': {
    description: `Names of up to ${formatLimit('ignoredFields')} query parameters and top-level fields of the body that the operation does not know and ignored, URL-encoded and separated by commas.`,
    schema: { type: 'string' },
    example: 'blocklist, color',
  },
  etag: {
    description: 'The version of the agent, in quotes. Send it as `If-Match` with a change.',
    schema: { type: 'string', pattern: '^"[1-9][0-9]*"$' },
    example: '"7"',
  },
  'x-pending': {
    description: '`true` while calls have changed and are not in the figures yet.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
} as const;

export const headerReference = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` as const });

/** Returns the headers of every response of an operation. Those about a limit are only in responses to limited keys. */
export const describeHeaders = ({ caller, atCallTime }: AnyEndpoint) => ({
  'x-request-id': headerReference('x-request-id'),
  ...((caller.kind === 'key' || (caller.kind === 'anyone' && caller.key)) &&
    !atCallTime && {
      'ratelimit-policy': headerReference('ratelimit-policy'),
      ratelimit: headerReference('ratelimit'),
    }),
});
