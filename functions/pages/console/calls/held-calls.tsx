import { createContext, type ReactNode, use, useState } from 'react';
import type { Call, UpdateCallOutcomesResponse } from '../../../openapi/client/client.ts';
import { Failed } from '../components/parts.tsx';
import { formatNumber } from '../formats.ts';
import { useChange } from '../service.tsx';

/** Calls of different agents may have the same id. */
export const buildCallKey = ({ agentId, callId }: Call) => `${agentId} ${callId}`;

type Selection = { chosen: Set<string>; toggle(key: string): void };
/** What is chosen, in a list of calls whose outcomes are held. */
const Selected = createContext<Selection | undefined>(undefined);

/** A box that chooses a call whose outcome is held. */
export const ChooseHeld = ({ call }: { call: Call }) => {
  const { callId, heldOutcome } = call;
  const key = buildCallKey(call);
  const selection = use(Selected);
  if (!selection || !heldOutcome) return null;
  return (
    <label className="check">
      <input
        type="checkbox"
        aria-label={`Choose ${heldOutcome.custom_call_outcome} of call ${callId}`}
        checked={selection.chosen.has(key)}
        onChange={() => selection.toggle(key)}
      />
    </label>
  );
};

/** Sets or clears the held outcomes of the chosen calls, or of all that the list shows. */
export const HeldCalls = ({ calls, children }: { calls: Call[]; children: ReactNode }) => {
  const [chosen, setChosen] = useState(new Set<string>());
  const held = calls.filter(({ heldOutcome }) => heldOutcome !== undefined);
  const shown = chosen.size > 0 ? held.filter((call) => chosen.has(buildCallKey(call))) : held;
  const toggle = (key: string) => setChosen((former) => former.symmetricDifference(new Set([key])));
  const change = useChange(
    (api, options, isSet: boolean) =>
      api.calls.updateOutcomes({ items: shown.map((call) => decide(call, isSet)) }, options),
    { changes: [['calls'], ['call'], ['figures']], done: describeResult },
  );
  const decideAll = (isSet: boolean) => change.mutate(isSet, { onSuccess: () => setChosen(new Set()) });
  const what = chosen.size > 0 ? `${formatNumber(shown.length)} chosen` : `all ${formatNumber(shown.length)}`;
  return (
    <Selected value={held.length > 0 ? { chosen, toggle } : undefined}>
      {held.length > 0 && (
        <div className="buttons">
          <button type="button" disabled={change.isPending} onClick={() => decideAll(true)}>
            Set {what}
          </button>
          <button type="button" className="quiet" disabled={change.isPending} onClick={() => decideAll(false)}>
            Clear {what}
          </button>
        </div>
      )}
      {change.error && <Failed error={change.error} />}
      {children}
    </Selected>
  );
};

const decide = ({ agentId, callId, heldOutcome }: Call, isSet: boolean) => {
  const { custom_call_outcome, custom_call_outcome_value } = heldOutcome ?? {};
  const call = { agentId, callIdOrPhone: callId };
  return isSet ? { ...call, custom_call_outcome, custom_call_outcome_value } : { ...call, custom_call_outcome: null };
};

const describeResult = ({ updated, failed }: UpdateCallOutcomesResponse) =>
  `Outcomes decided: ${formatNumber(updated.length)}.${failed.length > 0 ? ` Not changed: ${formatNumber(failed.length)}.` : ''}`;
