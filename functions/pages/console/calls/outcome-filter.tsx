import { setFilters, useAddress } from '../address.tsx';
import { useValues } from '../components/outcome.tsx';
import { Picker } from '../components/picker.tsx';

const optionOf = (value: string) => ({ value, label: value });

/** Chooses an outcome of the address, or calls with or without one. */
export const OutcomeFilter = () => {
  const { agentId, outcome, hasOutcome, held } = useAddress().filters;
  const options = [
    { value: '', label: 'All calls' },
    { value: ' true', label: 'With an outcome' },
    { value: ' false', label: 'Without an outcome' },
    { value: ' held', label: 'Held: found, but not set' },
    ...useValues('outcome', agentId).map(optionOf),
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
  const options = [{ value: '', label: 'All' }, ...useValues('status', agentId).map(optionOf)];
  return (
    <Picker label="Status" isFree options={options} value={status} onChange={(status) => setFilters({ status })} />
  );
};
