/** What the application's pages may send, and which response headers their scripts may read. */
export const cors = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  requestHeaders: [
    'content-type',
    'x-authorization',
    'authorization',
    'idempotency-key',
    'if-match',
    // AI clients in a browser.
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'mcp-session-id',
    'last-event-id',
  ],
  responseHeaders: [
    'x-request-id',
    'etag',
    'retry-after',
    'idempotency-replayed',
    'x-ignored-fields',
    'x-pending',
    'ratelimit',
    'ratelimit-policy',
  ],
  maxAgeSeconds: 600,
} as const;

/** The same settings for the build chat, which has its own address. */
export const chatCors = {
  requestHeaders: ['content-type', 'x-authorization', 'authorization'],
  responseHeaders: ['x-request-id', 'retry-after', 'x-vercel-ai-ui-message-stream', 'ratelimit', 'ratelimit-policy'],
} as const;
