import { ClientError, type OAuthClient } from './client.ts';
import type { ClientDocuments } from './client-documents.ts';
import { readHost } from './redirects.ts';
import type { SealedValues } from './sealed-values.ts';

/** A registered client: its id is the registration itself, sealed. */
export type Registration = { redirectUris: string[]; name?: string };

/** A client, and its host if that is verified. A registered one has only a word of its own. */
export type KnownClient = OAuthClient & { host?: string };

type Services = { clientDocuments: Pick<ClientDocuments, 'find'>; sealedValues: Pick<SealedValues, 'open'> };

/**
 * Checks that a client's id is the URL of a document. It is spelled as a URL is normalized: no fragment, user, dot segment or
 * port that need not be there, and more than `/` as its path.
 */
export const isDocumentUrl = (clientId: string): boolean => {
  const url = clientId.startsWith('https://') ? URL.parse(clientId) : null;
  return (
    url !== null &&
    url.href === clientId &&
    url.pathname !== '/' &&
    url.username === '' &&
    url.password === '' &&
    !clientId.includes('#')
  );
};

/** Returns the client of an id. Throws a `ClientError` with the reason. */
export const findClient = async (
  clientId: string,
  address: string,
  { clientDocuments, sealedValues }: Services,
): Promise<KnownClient> => {
  if (isDocumentUrl(clientId)) {
    const client = await clientDocuments.find(clientId, address);
    return { ...client, host: readHost(clientId) };
  }
  const registration = await sealedValues.open<Registration>('client', clientId);
  if (!registration) throw new ClientError('Its client_id is not known here.');
  return registration;
};

/** Checks that an id is one that a client can have. Reads nothing. */
export const mayBeClient = async (clientId: string, sealedValues: Pick<SealedValues, 'open'>): Promise<boolean> =>
  isDocumentUrl(clientId) || (await sealedValues.open('client', clientId)) !== undefined;
