import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { setFilters, useAddress } from '../address.tsx';

/** The filters of a view. */
export const FilterBar = ({ children }: { children: ReactNode }) => <search className="filters">{children}</search>;

type FieldProps = {
  label: string;
  note?: ReactNode;
  problem?: string | undefined;
  /** The field has a line of its own. */
  isWhole?: boolean;
  children(ids: FieldIds): ReactNode;
};
type FieldIds = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

/** A field with its label, a note, and what is wrong with it. */
export const Field = ({ label, note, problem, isWhole = false, children }: FieldProps) => {
  const id = useId();
  return (
    <div className={isWhole ? 'field whole' : 'field'}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
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

type FilterProps = { name: string; label: string };

/** A text of the address. It is applied by Enter, and when the field is left. */
export const TextFilter = ({ name, label, ...input }: FilterProps & Omit<ComponentProps<'input'>, 'name'>) => {
  const applied = useAddress().filters[name] ?? '';
  const [text, setText] = useState<string>();
  const apply = () => {
    if (text !== undefined) setFilters({ [name]: text.trim() });
    setText(undefined);
  };
  return (
    <Field label={label}>
      {(ids) => (
        <input
          autoComplete="off"
          spellCheck={false}
          {...input}
          {...ids}
          value={text ?? applied}
          onChange={(event) => setText(event.target.value)}
          onBlur={apply}
          onKeyDown={(event) => event.key === 'Enter' && apply()}
        />
      )}
    </Field>
  );
};

/** A date of the address. */
export const DateFilter = ({ name, label }: FilterProps) => {
  const value = useAddress().filters[name] ?? '';
  return (
    <Field label={label}>
      {(ids) => (
        <input {...ids} type="date" value={value} onChange={(event) => setFilters({ [name]: event.target.value })} />
      )}
    </Field>
  );
};

type Option = { value: string; label: string };

/** One of several values of the address. The first option is the default and is not in the address. */
export const SelectFilter = ({ name, label, options }: FilterProps & { options: Option[] }) => {
  const value = useAddress().filters[name] ?? options[0]?.value;
  const choose = (chosen: string) => setFilters({ [name]: chosen === options[0]?.value ? undefined : chosen });
  return (
    <Field label={label}>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => choose(event.target.value)}>
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
};
