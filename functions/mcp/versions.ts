import { isJsonObject } from '../domain/json.ts';
import { McpError, type McpMessage } from './messages.ts';

/** The stateless version: each request has its own version and capabilities. */
const statelessVersion = '2026-07-28';
/** Versions whose clients open with `initialize`, newest first. */
const handshakeVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** The versions that `server/discover` lists. Clients of other versions open with `initialize`. */
export const statelessVersions = [statelessVersion];

export type McpHeaders = Record<string, string | undefined>;

/** The form of a response: of the stateless version, or of those with a handshake. */
export type Era = 'stateless' | 'handshake';

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/** Determines a message's version by its body: a proxy that drops a header must not change it. */
export const detectEra = (message: McpMessage, headers: McpHeaders): Era => {
  const meta = isJsonObject(message.params._meta) ? message.params._meta : {};
  const header = headers['mcp-protocol-version']?.trim();
  const isStatelessHeader = header !== undefined && header >= statelessVersion;
  if (!(versionKey in meta)) {
    // The response negotiates the version, whatever the header says already.
    if (message.method === 'initialize') return 'handshake';
    if (isStatelessHeader && message.id !== undefined) throw withoutMeta(header);
    if (!isStatelessHeader) checkHandshakeHeader(header);
    return isStatelessHeader ? 'stateless' : 'handshake';
  }
  checkMeta(message, meta);
  const version = meta[versionKey] as string;
  if (header !== undefined && header !== version) throw mismatch('MCP-Protocol-Version', header, version);
  const method = headers['mcp-method']?.trim();
  if (method !== undefined && method !== message.method) throw mismatch('Mcp-Method', method, message.method);
  if (version !== statelessVersion) throw unsupported(version, statelessVersions);
  if (message.id !== undefined) checkRequiredHeaders(message, headers);
  return 'stateless';
};

/** Returns the version of a handshake: the client's if it is supported, otherwise the newest, which the client may decline. */
export const negotiatedVersion = (requested: unknown): string =>
  handshakeVersions.find((version) => version === requested) ?? (handshakeVersions[0] as string);

const checkHandshakeHeader = (header: string | undefined) => {
  if (header !== undefined && !handshakeVersions.includes(header)) throw unsupported(header, handshakeVersions);
};

const withoutMeta = (header: string) =>
  new McpError('invalidParams', `A request of version ${header} needs ${versionKey} in params._meta.`);

const checkMeta = ({ id }: McpMessage, meta: Record<string, unknown>) => {
  if (typeof meta[versionKey] !== 'string') throw new McpError('invalidParams', `${versionKey} must be a string.`);
  if (id !== undefined && !isJsonObject(meta[capabilitiesKey])) {
    throw new McpError('invalidParams', `A request needs ${capabilitiesKey}, an object, in params._meta.`);
  }
};

/** Checks the headers that repeat fields of the body, so that proxies need not read bodies. */
const checkRequiredHeaders = ({ method, params }: McpMessage, headers: McpHeaders) => {
  for (const name of ['MCP-Protocol-Version', 'Mcp-Method']) {
    if (headers[name.toLowerCase()] === undefined) throw missing(name);
  }
  if (method !== 'tools/call' || typeof params.name !== 'string') return;
  const header = headers['mcp-name']?.trim();
  if (header === undefined) throw missing('Mcp-Name');
  if (decodeHeader(header) !== params.name) throw mismatch('Mcp-Name', header, params.name);
};

/** Decodes a header value. One that is not plain ASCII is sent as `=?base64?…?=`. */
const decodeHeader = (value: string): string | undefined => {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes.toString('utf8') : undefined;
};

const missing = (name: string) => new McpError('headerMismatch', `The header ${name} is missing.`);

const mismatch = (name: string, header: string, body: string) =>
  new McpError(
    'headerMismatch',
    `The header ${name} is ${JSON.stringify(header)}, and the body says ${JSON.stringify(body)}.`,
  );

const unsupported = (requested: string, supported: string[]) =>
  new McpError('unsupportedVersion', 'Unsupported protocol version', { data: { supported, requested } });
