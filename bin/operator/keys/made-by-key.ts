import { columns } from '../../command-line/output.ts';
import type { Stores } from '../stores.ts';

/** The items made by a key that still exist or are in progress. */
export type MadeByKey = {
  webhookEndpoints: { endpointId: string; url: string; active: boolean }[];
  /** Endpoints of other keys whose secret was shown to this key. */
  webhookSecrets: { endpointId: string; url: string }[];
  /** Secrets of voice platforms that it set. */
  hookSecrets: { platform: string }[];
  documents: { documentId: string; agentId: string }[];
  imports: { importId: string; status: string }[];
};

/** Finds the webhook endpoints and the secrets that a key made, and its upload forms that wait for files. */
export const madeByKey = async (
  { agents, blockListImports, documents, hookSecrets, webhookEndpoints }: Stores,
  { uid, keyId }: { uid: string; keyId: string },
): Promise<MadeByKey> => {
  const endpoints = await webhookEndpoints.list(uid);
  const made = endpoints.filter((one) => one.keyId === keyId);
  const others = endpoints.filter((one) => one.keyId !== keyId && one.secrets.some((secret) => secret.keyId === keyId));
  const waiting: MadeByKey['documents'] = [];
  for await (const { agentId } of agents.list(uid)) {
    for await (const { id, fileDeadlineAt, formIssuedTo } of documents.list(agentId)) {
      if (fileDeadlineAt !== undefined && formIssuedTo?.keyId === keyId) waiting.push({ documentId: id, agentId });
    }
  }
  const secrets = await Array.fromAsync(hookSecrets.list(uid));
  const imports = (await blockListImports.unfinished(uid)).filter((one) => one.keyId === keyId);
  return {
    webhookEndpoints: made.map(({ endpointId, url, active }) => ({ endpointId, url, active })),
    webhookSecrets: others.map(({ endpointId, url }) => ({ endpointId, url })),
    hookSecrets: secrets.filter((one) => one.keyId === keyId).map(({ platform }) => ({ platform })),
    documents: waiting,
    imports: imports.map(({ importId, status }) => ({ importId, status })),
  };
};

/** Formats the items that a revoked key made, and what happens to them. */
export const describeMade = ({
  webhookEndpoints,
  webhookSecrets,
  hookSecrets,
  documents,
  imports,
}: MadeByKey): string => {
  const rows = [
    ...webhookEndpoints.map(({ endpointId, url, active }) => [
      'webhook endpoint',
      endpointId,
      active ? 'gets events until it is deleted' : 'is switched off',
      url,
    ]),
    ...webhookSecrets.map(({ endpointId, url }) => [
      'webhook secret',
      endpointId,
      'signs until another key rotates it',
      url,
    ]),
    ...hookSecrets.map(({ platform }) => [
      'hook secret',
      platform,
      'is accepted until another one replaces it, or it is deleted',
    ]),
    ...documents.map(({ documentId, agentId }) => [
      'upload form',
      documentId,
      'its file is no longer read',
      `agent ${agentId}`,
    ]),
    ...imports.map(({ importId, status }) => [
      'block list import',
      importId,
      status === 'running' ? 'has its file and continues' : 'its file is no longer imported',
    ]),
  ];
  if (rows.length === 0) return 'It made no webhook endpoint and no secret, and no upload form of it waits for a file.';
  return `What it made:\n${columns(rows)}`;
};
