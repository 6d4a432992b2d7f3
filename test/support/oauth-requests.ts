import { createHash, randomBytes } from 'node:crypto';

export const redirectUri = 'http://127.0.0.1:5555/callback';

/** Makes a verifier of PKCE with its challenge. */
export const newProof = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

/** The parameters of a client's request. */
export const makeRequest = (clientId: string, challenge: string): Record<string, string | undefined> => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: redirectUri,
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state: 'state-1',
});

/** The form of a page, as a browser would send it: its hidden field, and the boxes that are ticked. */
export const readForm = (page: { text: string }) => ({
  sealed: /name="request" value="([^"]+)"/.exec(page.text)?.[1] ?? '',
  ticked: [...page.text.matchAll(/name="scope" value="([^"]+)" checked/g)].map(([, scope]) => scope as string),
});
