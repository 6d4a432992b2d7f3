import { setFilters, useAddress } from '../address.tsx';
import { useValues } from '../components/outcome.tsx';
import { Picker } from '../components/picker.tsx';

/** The choices that name no outcome. An outcome does not begin with a space. */
const special: Record<string, string> = {
  ' true': 'With an outcome',
  ' false': 'Without an outcome',
  ' held': 'Held: found, but not set',
};

/** Returns the label of the choice that the filters of the address stand for. */
export const formatOutcomeFilter = (text: string, name: string): string =>
  (name === 'outcome' ? undefined : special[name === 'held' ? ' held' : ` ${text}`]) ?? text;

const toOption = (value: string) => ({ value, label: value });

/** Chooses an outcome of the address, or calls with or without one. */
export const OutcomeFilter = () => {
  const { agentId, outcome, hasOutcome, held } = useAddress().filters;
  const options = [
    { value: '', label: 'All calls' },
    ...Object.entries(special).map(([value, label]) => ({ value, label })),
    ...useValues('outcome', agentId).map(toOption),
  ];
  const choose = (value: string) => {
    const isHeld = value === ' held';
    const has = value.startsWith(' ') && !isHeld;
    setFilters({
      outcome: value.startsWith(' ') ? undefined : value,
      hasOutcome: has ? value.trim() : undefined,
      held: isHeld ? 'true' : undefined,
    });
  };
  const value = outcome ?? (held ? ' held' : hasOutcome ? ` ${hasOutcome}` : '');
  return <Picker label="Outcome" isFree options={options} value={value} onChange={choose} />;
};

/** Chooses a status of the address. */
export const StatusFilter = () => {
  const { agentId, status = '' } = useAddress().filters;
  const options = [{ value: '', label: 'All' }, ...useValues('status', agentId).map(toOption)];
  return (
    <Picker label="Status" isFree options={options} value={status} onChange={(status) => setFilters({ status })} />
  );
};
