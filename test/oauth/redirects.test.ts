import { expect, it } from 'vitest';
import { isDocumentUrl } from '../../functions/oauth/clients.ts';
import { appendParameters, isRedirectUri, isRegistered } from '../../functions/oauth/redirects.ts';

it.each([
  'https://client.example.com/callback',
  'https://client.example.com:8443/callback?next=1',
  'http://127.0.0.1/callback',
  'http://127.0.0.1:5555',
  'http://[::1]:5555/callback',
  'http://localhost:33418/oauth/callback',
])('a client may return to %s', (uri) => {
  expect(isRedirectUri(uri)).toBe(true);
});

it.each([
  undefined,
  ['https://client.example.com/'],
  '',
  'http://client.example.com/callback',
  'http://127.0.0.2/callback',
  'http://localhost.evil.example/callback',
  'http://localhost:99999/callback',
  'https://user@client.example.com/callback',
  'https://client.example.com/callback#fragment',
  'https://client.example.com\\@evil.example/',
  'https:///client.example.com/callback',
  'https://client.example.com/\tcallback',
  'https://client.example.com/é',
  'cursor://anysphere.cursor-mcp/oauth/callback',
  'javascript:alert(1)',
  `https://client.example.com/${'a'.repeat(1000)}`,
])('no client may return to %j', (uri) => {
  expect(isRedirectUri(uri)).toBe(false);
});

it('an address is registered to the letter, but for the port of the own machine', () => {
  const registered = ['https://client.example.com/callback', 'http://localhost/callback'];
  expect(isRegistered('https://client.example.com/callback', registered)).toBe(true);
  expect(isRegistered('http://localhost:61234/callback', registered)).toBe(true);
  for (const other of [
    'https://client.example.com/callback/',
    'https://client.example.com:443/callback',
    'https://CLIENT.example.com/callback',
    'https://client.example.com/call%62ack',
    'http://127.0.0.1:61234/callback',
    'http://localhost:61234/callback?next=1',
  ])
    expect(isRegistered(other, registered), other).toBe(false);
});

it('parameters come behind those of the address, which stays as it is', () => {
  expect(appendParameters('https://client.example.com/cb?a=%20b', { code: 'c d', state: undefined })).toBe(
    'https://client.example.com/cb?a=%20b&code=c+d',
  );
});

it.each([
  ['https://client.example.com/oauth.json', true],
  ['https://client.example.com/oauth.json?version=2', true],
  ['https://client.example.com', false],
  ['https://client.example.com/', false],
  ['https://client.example.com:443/oauth.json', false],
  ['https://client.example.com/a/../oauth.json', false],
  ['https://client.example.com/oauth.json#', false],
  ['https://me@client.example.com/oauth.json', false],
  ['http://client.example.com/oauth.json', false],
])('%s is the id of a client with a document: %s', (clientId, isId) => {
  expect(isDocumentUrl(clientId)).toBe(isId);
});
