import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../bin/local/listen.ts';

/** The response of a site for a path. A text is a page of HTML. */
export type Reply = string | PlainReply | ((request: IncomingMessage, response: ServerResponse) => void);
export type PlainReply = {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  delayMilliseconds?: number;
  /** The site does not respond until the path has another reply. */
  held?: boolean;
};

/**
 * A website on a port of its own. The replies of its paths can be changed at any time: in this process by `pages`, from
 * another one by putting a `PlainReply` there as JSON.
 */
export const startSite = async (pages: Record<string, Reply> = {}) => {
  const requests: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    if (request.method === 'PUT') {
      let text = '';
      for await (const chunk of request) text += chunk;
      pages[path] = JSON.parse(text) as PlainReply;
      return response.end();
    }
    requests.push({ path, headers: request.headers });
    const replyNow = () => pages[path] ?? pages[path.split('?')[0] as string];
    while (isHeld(replyNow()) && !response.destroyed) await sleep(20);
    const reply = replyNow();
    if (typeof reply === 'function') return reply(request, response);
    const {
      status,
      headers,
      body,
      delayMilliseconds = 0,
    }: PlainReply = reply === undefined
      ? { status: 404, body: 'Not here.' }
      : typeof reply === 'string'
        ? { body: reply }
        : reply;
    setTimeout(() => {
      // Headers are bytes. Like sites, this sends other characters than ASCII as UTF-8.
      const sent = Object.entries(headers ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]);
      response.writeHead(status ?? 200, { 'content-type': 'text/html; charset=utf-8', ...Object.fromEntries(sent) });
      response.end(body);
    }, delayMilliseconds);
  });
  const { endpoint: origin, port, stop } = await listen(server);
  return {
    origin,
    port,
    pages,
    requests,
    /** The requested paths, without robots.txt. */
    paths: () => requests.map(({ path }) => path).filter((path) => path !== '/robots.txt'),
    stop,
  };
};
export type Site = Awaited<ReturnType<typeof startSite>>;

const isHeld = (reply: Reply | undefined) => typeof reply === 'object' && reply.held;

/** A page with a title, some text, and links. */
export const page = (title: string, ...links: string[]) =>
  `<!doctype html><title>${title}</title><main><p>This is ${title}.</p>${links
    .map((link) => `<a href="${link}">to ${link.replace(/[^\w]/g, ' ')}</a>`)
    .join(' ')}</main>`;
