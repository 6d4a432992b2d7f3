import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';
import { askMcp, newProof, redirectUri } from '../../support/oauth.ts';
import { newUser, target } from '../../support/world.ts';
import { importPackage, packageFile } from '../packages.ts';
import { permit } from './permit.ts';

const host = target.publicUrl ?? target.baseUrl;
const mcpUrl = `${host}/mcp`;

it('oauth4webapi, a strict client, discovers, registers, connects, refreshes and revokes', async () => {
  const { apiKey } = await newUser();
  const oauth = await importPackage('oauth4webapi');
  const insecure = { [oauth.allowInsecureRequests]: true };
  const resource = new URL(mcpUrl);
  const found = await oauth.resourceDiscoveryRequest(resource, insecure);
  const { authorization_servers } = await oauth.processResourceDiscoveryResponse(resource, found);
  const issuer = new URL(authorization_servers[0]);
  const discovery = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' });
  const server = await oauth.processDiscoveryResponse(issuer, discovery);
  const registration = await oauth.dynamicClientRegistrationRequest(server, { redirect_uris: [redirectUri] }, insecure);
  const client = await oauth.processDynamicClientRegistrationResponse(registration);
  const { verifier, challenge } = newProof();
  const address = new URL(server.authorization_endpoint);
  const asked = { client_id: client.client_id, redirect_uri: redirectUri, response_type: 'code', state: 'a b&c' };
  const proof = { code_challenge: challenge, code_challenge_method: 'S256', resource: mcpUrl };
  address.search = new URLSearchParams({ ...asked, ...proof }).toString();
  const parameters = oauth.validateAuthResponse(server, client, await permit(address, apiKey), 'a b&c');
  const none = oauth.None();
  const exchange = await oauth.authorizationCodeGrantRequest(
    ...[server, client, none, parameters, redirectUri, verifier, insecure],
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchange);
  expect((await askMcp(tokens.access_token)).status).toBe(200);
  const renewal = await oauth.refreshTokenGrantRequest(server, client, none, tokens.refresh_token, insecure);
  const renewed = await oauth.processRefreshTokenResponse(server, client, renewal);
  expect((await askMcp(renewed.access_token)).status).toBe(200);
  const revocation = await oauth.revocationRequest(server, client, none, renewed.refresh_token, insecure);
  await oauth.processRevocationResponse(revocation);
  expect((await askMcp(renewed.access_token)).status).toBe(401);
});

it('openid-client connects, refreshes and revokes', async () => {
  const { apiKey } = await newUser();
  const client = await importPackage('openid-client');
  const options = { execute: [client.allowInsecureRequests], algorithm: 'oauth2' };
  const configuration = await client.dynamicClientRegistration(
    ...[new URL(host), { redirect_uris: [redirectUri] }, client.None(), options],
  );
  const { verifier, challenge } = newProof();
  const address = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: 'calls',
  });
  const tokens = await client.authorizationCodeGrant(configuration, await permit(address, apiKey), {
    pkceCodeVerifier: verifier,
  });
  expect(tokens.scope).toBe('calls');
  const renewed = await client.refreshTokenGrant(configuration, tokens.refresh_token);
  expect((await askMcp(renewed.access_token)).status).toBe(200);
  await client.tokenRevocation(configuration, renewed.refresh_token);
  expect((await askMcp(renewed.access_token)).status).toBe(401);
});

/** What the SDK's client keeps, and the address that it sends the browser to. */
const newProvider = () => {
  const kept: { address?: URL; client?: unknown; tokens?: unknown; verifier?: string } = {};
  return {
    kept,
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: 'SDK',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (address: URL) => {
      kept.address = address;
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
  };
};

it('the SDK of the Model Context Protocol signs in, lists the tools, calls one, and goes on after its token has ended', async () => {
  const { apiKey, uid } = await newUser();
  const { Client } = await importPackage('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await importPackage('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const provider = newProvider();
  const open = () => new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider: provider });
  const first = open();
  await expect(new Client({ name: 'sdk', version: '1' }).connect(first)).rejects.toThrow('Unauthorized');
  const back = await permit(provider.kept.address as URL, apiKey);
  await first.finishAuth(back.searchParams.get('code'));
  const client = new Client({ name: 'sdk', version: '1' });
  await client.connect(open());
  expect((await client.listTools()).tools.map(({ name }: { name: string }) => name)).toContain('listAgents');
  const made = await client.callTool({ name: 'createAgent', arguments: { name: 'Front desk' } });
  expect(made.structuredContent).toMatchObject({ uid });
  // The client refreshes when its token does not count any more.
  const tokens = provider.kept.tokens as { access_token: string };
  provider.kept.tokens = { ...tokens, access_token: `${tokens.access_token}x` };
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
});

it('mcp-remote signs in for a client that only starts local programs', async () => {
  const { apiKey } = await newUser();
  const program = packageFile('mcp-remote', 'dist/proxy.js');
  const folder = mkdtempSync(join(tmpdir(), 'mcp-remote-'));
  const child = spawn(process.execPath, [program, mcpUrl, '--allow-http'], {
    // Without a browser on the path, it only prints the address.
    env: { ...process.env, MCP_REMOTE_CONFIG_DIR: folder, PATH: folder, BROWSER: 'none' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill());
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  for await (const line of createInterface(child.stderr)) {
    const [address] = /https?:\/\/\S*\/authorize\?\S+/.exec(line) ?? [];
    if (!address) continue;
    const back = await permit(address, apiKey);
    // The program prints the address before it listens.
    await expect
      .poll(
        () =>
          fetch(back).then(
            ({ ok }) => ok,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
    break;
  }
  child.stderr.resume();
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => JSON.parse(String((await answers.next()).value));
  expect((await next()).result.serverInfo.name).toBe('voice-agents');
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list', params: {} });
  expect((await next()).result.tools.length).toBeGreaterThan(10);
});

/** A site with a certificate of its own authority, as a client of the internet has one. */
const siteWithCertificate = async (answer: () => object) => {
  const { generate } = await importPackage('selfsigned');
  const options = {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  };
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], options);
  const server = createServer({ key, cert }, (request, response) => {
    const clientId = `https://${request.headers.host}${request.url}`;
    response.end(JSON.stringify({ client_id: clientId, ...answer() }));
  });
  const { endpoint, stop } = await listen(server as never);
  onTestFinished(stop);
  const file = join(mkdtempSync(join(tmpdir(), 'authority-')), 'authority.pem');
  writeFileSync(file, cert);
  return { origin: endpoint.replace('http:', 'https:'), authority: file };
};

it('a client with a document at its own https address connects without a registration, also if the document changes meanwhile', async () => {
  let document = { client_name: 'Claude', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
  const { origin, authority } = await siteWithCertificate(() => document);
  const run = spawn(process.execPath, ['bin/run.mjs', 'bin/local.ts', '--port', '0', '--json', '--demo-days', '0'], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: authority, CRAWL_TRUSTED_ORIGINS: origin, NODE_ENV: undefined },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void run.kill());
  const { value } = await createInterface(run.stdout)[Symbol.asyncIterator]().next();
  const { baseUrl, apiKey } = JSON.parse(String(value));
  const { verifier, challenge } = newProof();
  const address = new URL('/authorize', baseUrl);
  const client_id = `${origin}/oauth/client.json`;
  const asked = { response_type: 'code', client_id, redirect_uri: redirectUri };
  address.search = new URLSearchParams({
    ...asked,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }).toString();
  const shown = await (await fetch(address)).text();
  expect(shown).toContain(new URL(origin).host);
  expect(shown).not.toContain('nobody has verified');
  const back = await permit(address, apiKey, () => {
    document = { ...document, redirect_uris: ['https://evil.example/callback'] };
  });
  expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:5555\/callback\?/);
  const code = back.searchParams.get('code') as string;
  const fields = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id,
    redirect_uri: redirectUri,
  };
  const answer = await fetch(`${baseUrl}/token`, { method: 'POST', body: new URLSearchParams(fields) });
  expect(await answer.json()).toMatchObject({ token_type: 'Bearer' });
});
