import { type ReactNode, useEffect, useRef, useState } from 'react';
import { setFilters, useAddress } from '../address.tsx';
import { endOfDay, formatDate, startOfDay } from '../formats.ts';
import { DateFilter, SelectFilter } from './fields.tsx';
import { periods, readPeriod } from './period.ts';
import { useTimeZone } from './values.tsx';

type ChipProps = {
  label: string;
  /** The filters of the address that it removes. */
  names: string[];
  /** Returns what the chip shows of the filter that is set. */
  format?(text: string, name: string): string;
  /** The field to choose by. */
  children: ReactNode;
};

/** A filter in a word: what is chosen, a way to remove it, and its field when it is pressed. */
export const FilterChip = ({ label, names, format = String, children }: ChipProps) => {
  const { filters } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const chip = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const field = chip.current?.querySelector<HTMLElement>('input, select');
    field?.focus();
    // A field with a search shows its choices.
    if (field?.role === 'combobox') field.click();
    // What is pressed elsewhere stays in its place until it is released: a field that closed at once would move it.
    const closeElsewhere = (event: Event) => {
      if (!event.composedPath().includes(chip.current as HTMLElement)) setOpen(false);
    };
    document.addEventListener('click', closeElsewhere);
    document.addEventListener('keyup', closeElsewhere);
    return () => {
      document.removeEventListener('click', closeElsewhere);
      document.removeEventListener('keyup', closeElsewhere);
    };
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const name = names.find((name) => filters[name]) ?? '';
  const text = filters[name];
  // A text is chosen as a whole. A list or a date is changed step by step.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the filter changes
  useEffect(() => {
    if (chip.current?.querySelector('input:not([type="date"])')) close();
  }, [name, text]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the field wherever the focus is in it
    <div
      className={text ? 'chip chosen' : 'chip'}
      ref={chip}
      onKeyDown={({ key, defaultPrevented }) => {
        if (key !== 'Escape' || defaultPrevented || !isOpen) return;
        close();
      }}
    >
      <button
        type="button"
        className="quiet small"
        ref={button}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {text ? (
          <>
            {label}: <bdi>{format(text, name)}</bdi>
          </>
        ) : (
          `+ ${label}`
        )}
      </button>
      {text && (
        <button
          type="button"
          className="quiet small"
          aria-label={`Remove the filter ${label}`}
          onClick={() => {
            setFilters(Object.fromEntries(names.map((name) => [name, undefined])));
            button.current?.focus();
          }}
        >
          ×
        </button>
      )}
      {isOpen && <div className="of-chip">{children}</div>}
    </div>
  );
};

/** The days of a search: a period, or the first and the last day. */
export const DateChips = () => {
  const { period } = useAddress().filters;
  return (
    <>
      <FilterChip label="Period" names={['period']} format={describePeriod}>
        <SelectFilter
          name="period"
          label="Period"
          options={[{ value: '', label: 'Any time' }, ...periods.filter(({ value }) => value !== 'custom')]}
        />
      </FilterChip>
      {!period &&
        ['From', 'To'].map((label) => (
          <FilterChip key={label} label={label} names={[label.toLowerCase()]} format={(date) => formatDate(date)}>
            <DateFilter name={label.toLowerCase()} label={label} />
          </FilterChip>
        ))}
    </>
  );
};

const describePeriod = (period: string) => periods.find(({ value }) => value === period)?.label ?? period;

/** Returns the beginning and the end of the days of a search, as points in time. */
export const useSearchedTimes = (): { from: string | undefined; to: string | undefined } => {
  const { filters } = useAddress();
  const timeZone = useTimeZone();
  const { period, from, to } = filters;
  if (!period) return { from: from && startOfDay(from, timeZone), to: to && endOfDay(to, timeZone) };
  const days = readPeriod(filters, timeZone);
  return { from: startOfDay(days.from, timeZone), to: startOfDay(days.to, timeZone) };
};
