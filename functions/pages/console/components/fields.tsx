import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { setFilters, useAddress } from '../address.tsx';
import { endOfDay, toDateInZone } from '../formats.ts';
import { useRefusal } from './form.tsx';
import { useTimeZone } from './values.tsx';

/** The filters of a view. */
export const FilterBar = ({ children }: { children: ReactNode }) => <search className="filters">{children}</search>;

/** Filters that are behind one button on a phone. Those that are chosen stay in view. */
export const MoreFilters = ({ children }: { children: ReactNode }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="quiet small more-filters"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Fewer filters' : 'Filters'}
      </button>
      <div className={isOpen ? 'chips open' : 'chips'}>{children}</div>
    </>
  );
};

type FieldProps = {
  label: ReactNode;
  /** The field of the request, whose problem the service may name. */
  name?: string | undefined;
  note?: ReactNode;
  problem?: string | undefined;
  /** The field has its own line. */
  isWhole?: boolean;
  children(ids: FieldIds): ReactNode;
};
type FieldIds = {
  id: string;
  name: string | undefined;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

/** A field with its label, a note, and its problem. */
export const Field = ({ label, name, note, problem: found, isWhole = false, children }: FieldProps) => {
  const id = useId();
  const refusal = useRefusal(name);
  const problem = found ?? refusal;
  return (
    <div className={isWhole ? 'field whole' : 'field'}>
      <label htmlFor={id}>{label}</label>
      {children({
        ...{ id, name },
        'aria-describedby': note || problem ? `${id}-note` : undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {(note || problem) && (
        <p id={`${id}-note`}>
          {problem && <strong className="problem">{problem} </strong>}
          {note}
        </p>
      )}
    </div>
  );
};

type InputProps = Omit<ComponentProps<'input'>, 'onChange'>;
type TextFieldProps = Omit<FieldProps, 'children'> & InputProps & { onChange?(value: string): void };

/** A field of one line: text, a number, a date or another `type`. Without a `value`, its form has its text. */
export const TextField = ({ label, name, note, problem, onChange, ...input }: TextFieldProps) => (
  <Field label={label} name={name} note={note} problem={problem}>
    {(ids) => <input {...input} {...ids} onChange={(event) => onChange?.(event.target.value)} />}
  </Field>
);

export type Option = { value: string; label: string };
type ChoiceProps = { label: string; options: Option[]; value: string | undefined; onChange(value: string): void };

/** A choice of one of several values. */
export const Choice = ({ label, options, value, onChange }: ChoiceProps) => (
  <Field label={label}>
    {(ids) => (
      <select {...ids} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

type ChecksProps<Value> = {
  legend: string;
  options: { value: Value; label: string }[];
  chosen: Value[];
  onChange(chosen: Value[]): void;
};

/** A choice of some of several values. */
export const Checks = <Value extends string>({ legend, options, chosen, onChange }: ChecksProps<Value>) => (
  <fieldset className="choices">
    <legend>{legend}</legend>
    {options.map(({ value, label }) => (
      <label key={value} className="check">
        <input
          type="checkbox"
          checked={chosen.includes(value)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, value] : chosen.filter((other) => other !== value))
          }
        />
        {label}
      </label>
    ))}
  </fieldset>
);

/** The last day on which something holds. The note says what holds without a day. */
export const LastDayField = ({ note }: { note: string }) => {
  const timeZone = useTimeZone();
  const zone = timeZone.replaceAll('_', ' ');
  return (
    <TextField
      label="Last day"
      name="expiresAt"
      note={`${note} The day ends in ${zone}.`}
      type="date"
      min={toDateInZone(timeZone)}
    />
  );
};

/** Returns the end of a chosen day as a time of the API; undefined without a day. */
export const useEndOfDay = (): ((day: string | undefined) => string | undefined) => {
  const timeZone = useTimeZone();
  return (day) => (day ? endOfDay(day, timeZone) : undefined);
};

/** A native switch: something is on or off. */
export const Switch = ({
  label,
  isOn,
  isDisabled = false,
  onChange,
}: {
  label: string;
  isOn: boolean;
  isDisabled?: boolean;
  onChange(isOn: boolean): void;
}) => (
  <input
    type="checkbox"
    // biome-ignore lint/a11y/useAriaPropsForRole: a native checkbox says by itself whether it is checked
    role="switch"
    className="switch"
    aria-label={label}
    checked={isOn}
    disabled={isDisabled}
    onChange={(event) => onChange(event.target.checked)}
  />
);

type FilterProps = { name: string; label: string };

/** `isLive`: each letter is applied, because nothing is requested for it. */
type TextFilterProps = FilterProps & Omit<InputProps, 'name'> & { isLive?: boolean; parse?(text: string): string };

/** A text of the address, as `parse` reads it. It is applied when the user presses Enter or leaves the field. */
export const TextFilter = ({ name, isLive, parse = String, ...input }: TextFilterProps) => {
  const applied = useAddress().filters[name] ?? '';
  const [text, setText] = useState<string>();
  const apply = () => {
    if (text !== undefined) setFilters({ [name]: parse(text.trim()) });
    setText(undefined);
  };
  return (
    <TextField
      autoComplete="off"
      spellCheck="false"
      {...input}
      value={text ?? applied}
      onChange={(text) => {
        setText(text);
        if (isLive) setFilters({ [name]: text.trim() }, { replace: true });
      }}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
};

/** A date of the address. */
export const DateFilter = ({ name, label }: FilterProps) => {
  const value = useAddress().filters[name] ?? '';
  return <TextField label={label} type="date" value={value} onChange={(date) => setFilters({ [name]: date })} />;
};

/** One of several values of the address. The first option is the default and is not in the address. */
export const SelectFilter = ({ name, label, options }: FilterProps & { options: Option[] }) => {
  const value = useAddress().filters[name] ?? options[0]?.value;
  const choose = (chosen: string) => setFilters({ [name]: chosen === options[0]?.value ? undefined : chosen });
  return <Choice label={label} options={options} value={value} onChange={choose} />;
};
