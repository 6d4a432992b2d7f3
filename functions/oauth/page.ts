import { hash } from 'node:crypto';
import { grantableScopes } from '../domain/access-tokens.ts';
import type { Scope } from '../domain/api-keys.ts';
import type { CustomResponse } from '../domain/custom-response.ts';
import { style } from './page-style.ts';
import { readHost } from './redirects.ts';

/** What the page shows of a client and its request. A host is verified where the client's document is there. */
export type AuthorizationRequest = {
  clientHost: string;
  isVerified: boolean;
  name?: string;
  redirectUri: string;
  scopes: Scope[];
};

type Refusal = { status: number; sentence: string; headers?: Record<string, string> };

/** What a person permits with each scope. */
const meanings: Record<string, string> = {
  agents: 'Read, change and create agents',
  knowledge: 'Search and change what agents know',
  calls: 'Read, record and correct calls',
  'block-list': 'Read and change block lists, and read consents',
  hooks: 'Send requests as a voice platform',
  webhooks: 'Manage webhooks',
  changes: 'Read who changed what',
} satisfies Partial<Record<Scope, string>>;

/** Returns the page that asks for the API key. After a refusal it says why, and keeps the ticks. */
export const askForKey = (request: AuthorizationRequest, sealed: string, refusal?: Refusal): CustomResponse => {
  const { clientHost, isVerified, name, redirectUri, scopes } = request;
  const boxes = grantableScopes.map((scope) => {
    const checked = scopes.includes(scope) ? ' checked' : '';
    return `<label class="scope"><input type="checkbox" name="scope" value="${scope}"${checked}><span>${escapeHtml(meanings[scope] ?? scope)} <code>${scope}</code></span></label>`;
  });
  const body = `<h1>Connect <strong>${escapeHtml(clientHost)}</strong>?</h1>
<p>An AI client wants to use this service with your API key.${isVerified ? '' : ' This client has registered itself, and nobody has verified who it is. Allow it only if you have just started to connect it.'}</p>
<dl><dt>${isVerified ? 'Client, verified' : 'Client'}</dt><dd>${escapeHtml(clientHost)}</dd>${name ? `<dt>It calls itself</dt><dd class="claim"><bdi>${escapeHtml(name)}</bdi></dd>` : ''}<dt>You return to</dt><dd>${escapeHtml(readHost(redirectUri))}</dd></dl>
<form method="post" action="/authorize">
<input type="hidden" name="request" value="${escapeHtml(sealed)}">
<fieldset><legend>The client may</legend>${boxes.join('')}</fieldset>
<label class="key" for="key">API key</label>
<input id="key" name="key" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="200" aria-describedby="${refusal ? 'refusal ' : ''}hint"${refusal ? ' aria-invalid="true"' : ''}>
${refusal ? `<p id="refusal" class="refusal" role="alert">${escapeHtml(refusal.sentence)}</p>` : ''}
<p id="hint" class="hint">The client never sees the key. It gets no more than the key may do, and nothing once the key ends. You can end it at any time under Keys in the console.</p>
<div class="buttons"><button name="decision" value="allow">Allow ${escapeHtml(clientHost)}</button><button name="decision" value="deny" class="quiet">Deny</button></div>
</form>`;
  return respond(refusal?.status ?? 200, `Connect ${clientHost}`, body, {
    ...refusal?.headers,
    'content-security-policy': policy(`'self' ${findSource(redirectUri)}`),
  });
};

/** Returns a page that only says why there is nothing to decide. */
export const showProblem = (status: number, sentence: string): CustomResponse =>
  respond(status, 'Not connected', `<h1>Not connected</h1><p role="alert">${escapeHtml(sentence)}</p>`, {
    'content-security-policy': policy("'none'"),
    ...(status === 429 && { 'retry-after': '60' }),
  });

/** Returns the origin of an address for a policy, which has no form for an IPv6 address: then its scheme is as narrow as can be. */
const findSource = (uri: string) => {
  const { origin, hostname, protocol } = new URL(uri);
  return hostname.startsWith('[') ? protocol : origin;
};

const policy = (formAction: string) =>
  `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`;

const respond = (status: number, title: string, body: string, headers: Record<string, string>): CustomResponse => ({
  status,
  contentType: 'text/html; charset=utf-8',
  headers: { 'referrer-policy': 'no-referrer', ...headers },
  body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${escapeHtml(title)} · Voice Agent Platform</title><style>${style}</style></head>
<body><main>${body}</main></body></html>
`,
});

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] as string);
