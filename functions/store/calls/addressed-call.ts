import { type Preference, toCallReference } from '../../domain/calls.ts';
import { callLookup } from './call-records.ts';

/** Looks up the call that a path names, by its id or by a phone number. */
export const addressedCallLookup = ({
  params: { agentId, callIdOrPhone },
  query: { preference },
}: {
  params: { agentId: string; callIdOrPhone: string };
  query: { preference: Preference };
}) => callLookup({ agentId, reference: toCallReference(callIdOrPhone, preference) });
