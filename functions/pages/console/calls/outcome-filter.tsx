import { setFilters, useAddress } from '../address.tsx';
import { useValues } from '../components/outcome.tsx';
import { Picker } from '../components/picker.tsx';

const optionOf = (value: string) => ({ value, label: value });

/** Chooses an outcome of the address, or calls with or without one. */
export const OutcomeFilter = () => {
  const { agentId, outcome, hasOutcome } = useAddress().filters;
  const options = [
    { value: '', label: 'All calls' },
    { value: ' true', label: 'With an outcome' },
    { value: ' false', label: 'Without an outcome' },
    ...useValues('outcome', agentId).map(optionOf),
  ];
  const choose = (value: string) =>
    setFilters(
      value.startsWith(' ')
        ? { outcome: undefined, hasOutcome: value.trim() }
        : { outcome: value, hasOutcome: undefined },
    );
  const value = outcome ?? (hasOutcome ? ` ${hasOutcome}` : '');
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
