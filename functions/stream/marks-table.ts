import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../domain/calls.ts';
import type { QuarterOfDay } from '../figures/mark-days.ts';
import { toDay, toFigureRow } from '../figures/rows.ts';
import type { TableChange } from '../store/table-changes.ts';
import { type ChangeTable, type DomainChange, ignoreKinds, lookUp } from './domain-change.ts';

/** Returns the quarters of an hour whose figures a change makes wrong. */
export const toMarks = (what: DomainChange, change: TableChange): QuarterOfDay[] => lookUp(marks, what, change);

const ofCall = ({ agentId, before, call }: { agentId: string; before?: Call; call?: Call }): QuarterOfDay[] => {
  const places = [before, call].map((one) => one && { agentId, day: toDay(one.startedAt), row: toFigureRow(one) });
  if (isDeepStrictEqual(places[0], places[1])) return [];
  return places.flatMap((place) => (place ? [{ agentId, day: place.day, quarter: place.row.quarter }] : []));
};

const marks = {
  callRecorded: ofCall,
  callOutcomeUpdated: ofCall,
  callOutcomeHeld: ofCall,
  callOutcomeRefused: ofCall,
  callDeleted: ofCall,
  ...ignoreKinds([], 'agentCreated', 'agentUpdated', 'agentTrafficUpdated', 'agentDeleted'),
  ...ignoreKinds(
    [],
    'accessGranted',
    'accessEnded',
    'callDeletedByRequest',
    'transcriptDeleted',
    'deliveriesResumed',
    'erasureRequested',
  ),
  ...ignoreKinds(
    [],
    'sourceCreated',
    'sourceUpdated',
    'sourceRestarted',
    'sourceReady',
    'sourceFailed',
    'sourceDeleted',
  ),
  ...ignoreKinds(
    [],
    'numberChanged',
    'numberErased',
    'consentRecorded',
    'personExportRequested',
    'rulesUpdated',
    'importFinished',
    'hookSecretSet',
    'hookSecretDeleted',
  ),
  ...ignoreKinds([], 'platformKeySet', 'platformKeyDeleted'),
  ...ignoreKinds([], 'endpointCreated', 'endpointUpdated', 'endpointDisabled', 'endpointDeleted'),
  ...ignoreKinds([], 'keyCreated', 'keyUpdated', 'keyRevoked'),
  ...ignoreKinds([], 'userCreated', 'userUpdated', 'userSuspended', 'userResumed', 'userDeletionBegun'),
  ...ignoreKinds([], 'userBudgetReached'),
} satisfies ChangeTable<QuarterOfDay[]>;
