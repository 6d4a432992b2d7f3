import type { ApiKey } from '../../../openapi/client/client.ts';
import { Status } from '../components/status.tsx';

const states = {
  active: { tone: 'good', label: 'Active' },
  ending: { tone: 'working', label: 'Ends soon' },
  expired: { tone: 'off', label: 'Expired' },
  revoked: { tone: 'off', label: 'Revoked' },
} as const;

export const KeyStatus = ({ status }: Pick<ApiKey, 'status'>) => (
  <Status tone={states[status].tone}>{states[status].label}</Status>
);

/** A key without a list of scopes has those that need not be named. */
export const describeScopes = ({ scopes }: Pick<ApiKey, 'scopes'>) =>
  scopes?.join(', ') ?? 'All that need not be named';
