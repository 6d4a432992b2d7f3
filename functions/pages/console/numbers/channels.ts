import type { ConsentProof } from '../../../openapi/client/client.ts';

/** Where a person said so, in words. */
export const channels: Record<ConsentProof['channel'], string> = {
  web: 'Website',
  call: 'Call',
  paper: 'Paper',
  message: 'Message',
  other: 'Other',
};
