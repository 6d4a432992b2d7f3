import { newIdentifier } from '../../functions/domain/identifiers.ts';

const at = '2026-03-01T10:00:00.000Z';

/** An agent without a configuration, as the stores take it. */
export const newAgentRecord = (
  uid: string,
  { createdAt = at, ...more }: { createdAt?: string; agentId?: string } = {},
) => ({
  uid,
  agentId: newIdentifier('agent'),
  name: 'Agent',
  configuration: {},
  createdAt,
  updatedAt: createdAt,
  ...more,
});

/** A webhook endpoint for all events whose address has answered, as the stores take it. */
export const newEndpointRecord = (url: string, { createdAt = at }: { createdAt?: string } = {}) => ({
  endpointId: newIdentifier('endpoint'),
  url,
  events: ['*'],
  active: true,
  createdAt,
  confirmedAt: createdAt,
  secrets: [],
});
