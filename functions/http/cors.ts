/** What the application's pages may send to the API, and what their scripts may read of its responses. */
export const cors = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  requestHeaders: [
    'content-type',
    'x-authorization',
    'authorization',
    'idempotency-key',
    // AI clients in a browser.
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'mcp-session-id',
    'last-event-id',
  ],
  responseHeaders: ['x-request-id', 'retry-after', 'idempotency-replayed'],
  maxAgeSeconds: 600,
} as const;

/** The same for the build chat, which has an address of its own. */
export const chatCors = {
  requestHeaders: ['content-type', 'x-authorization'],
  responseHeaders: ['x-request-id', 'retry-after', 'x-vercel-ai-ui-message-stream'],
} as const;
