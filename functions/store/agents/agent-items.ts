import { randomUUID } from 'node:crypto';
import type { Agent } from '../../domain/agents.ts';
import type { StoredMaker } from '../../domain/change-maker.ts';
import { withoutUndefined } from '../../domain/json.ts';
import { changedFields } from '../../domain/versions.ts';
import { when } from '../expressions.ts';
import { agentKey } from '../keys.ts';
import type { Item } from '../table.ts';

/** The origin of a version: user, key and request (`creationId`). The operator has no key. */
export type VersionOrigin = {
  uid?: string;
  keyId?: string;
  note?: string;
  restoredFrom?: number;
  creationId?: string;
};

/** The configuration is JSON text: values return as they were sent. `revision` changes with each write. */
export type AgentItem = Item &
  Omit<Agent, 'configuration'> & {
    configuration: string;
    revision: string;
    requestId?: string;
    madeBy?: StoredMaker;
    lastChange?: Pick<VersionOrigin, 'keyId' | 'note' | 'creationId'>;
  };

export const toAgentItem = ({ configuration, ...rest }: Agent, origin: VersionOrigin): AgentItem => ({
  ...agentKey(rest.uid, rest.agentId),
  ...rest,
  configuration: JSON.stringify(configuration),
  ...nextRevision(origin),
});

export const nextRevision = ({
  keyId,
  note,
  creationId,
}: VersionOrigin): Pick<AgentItem, 'revision' | 'lastChange'> => ({
  revision: randomUUID(),
  lastChange: withoutUndefined({ keyId, note: note || undefined, creationId }),
});

/** Returns the agent that an item holds. */
export const toAgent = ({
  pk: _pk,
  sk: _sk,
  revision: _r,
  lastChange: _l,
  requestId: _i,
  madeBy: _m,
  configuration,
  ...rest
}: AgentItem): Agent => ({ ...rest, configuration: JSON.parse(configuration) });

/** Returns the fields in which two items of an agent differ. */
export const changedAgentFields = (before: AgentItem, after: AgentItem): string[] => [
  ...changedFields(toAgent(before), toAgent(after)),
  ...(['phoneNumber', 'key'] as const).filter((field) => before[field] !== after[field]),
];

/** The condition that an agent has not been written since it was read. */
export const isUnchanged = ({ revision }: AgentItem) => when`revision = ${revision}`;
