import { InvalidArgumentError } from '@commander-js/extra-typings';

/** The columns of proofs, with the fields of a proof. */
export const proofFields = {
  proof_channel: 'channel',
  proof_text: 'text',
  proof_url: 'url',
  proof_ip: 'ip',
  proof_sha256: 'sha256',
  proof_callId: 'callId',
} as const;

export const consentFields = [
  'number',
  'purpose',
  'state',
  'at',
  'expiresAt',
  'seller',
  ...(Object.keys(proofFields) as (keyof typeof proofFields)[]),
] as const;
export type ConsentField = (typeof consentFields)[number];

/** The fields of columns with other names, and what values of the state mean, in lower case. */
export type ConsentMap = { columns: Map<string, ConsentField>; states: Map<string, 'given' | 'revoked' | 'skip'> };

/** Parses `COLUMN=FIELD,…`, and `state=VALUE:given,VALUE:revoked,VALUE:skip`. */
export const parseConsentMap = (text: string, before?: ConsentMap): ConsentMap => {
  const columns = new Map(before?.columns);
  const states = new Map(before?.states);
  let follows = false;
  for (const pair of text.split(',').map((part) => part.trim())) {
    const [, value, meaning] = /^(?:state=)?(.+):(given|revoked|skip)$/.exec(pair) ?? [];
    if (value && meaning && (follows || pair.startsWith('state='))) {
      states.set(value.trim().toLowerCase(), meaning as 'given');
      follows = true;
      continue;
    }
    const [, column = '', field = ''] = /^(.+)=(.+)$/.exec(pair) ?? [];
    const known = consentFields.find((name) => name === field);
    if (!known)
      throw new InvalidArgumentError(
        `It must be COLUMN=FIELD,… with the fields ${consentFields.join(', ')}, or state=VALUE:given,VALUE:revoked,VALUE:skip.`,
      );
    columns.set(column.trim(), known);
    follows = false;
  }
  return { columns, states };
};
